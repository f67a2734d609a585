/** A stretch of a text, and what takes its place. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies edits to a text, in any order; where removals overlap, they are one removal. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const { from, to, text } of [...edits].sort((one, other) => one.from - other.from || one.to - other.to)) {
    result += source.slice(at, Math.max(at, from)) + text;
    at = Math.max(at, to);
  }
  return result + source.slice(at);
}

/** The line end of a text's first line. */
export function eolOf(source: string): "\n" | "\r\n" {
  const feed = source.indexOf("\n");
  return feed > 0 && source.charAt(feed - 1) === "\r" ? "\r\n" : "\n";
}
