/**
 * The lines of a Markdown text for a page on which others stand too: they head nothing, and hold no HTML that could hide what
 * follows. Code stays as it is; where only a whole parser could tell code from HTML, all of the text is shown as code.
 */
export function inertLines(lines: readonly string[]): readonly string[] {
  const hasHtml = lines.some((line) => HTML.test(line));
  const inert: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = fenceEnd(lines, at);
    const piece = lines.slice(at, end);
    if (piece.length > 1) inert.push(...piece);
    else if (hasHtml && piece.some((line) => UNCLEAR.test(line))) return verbatim(lines);
    else inert.push(...piece.map((line) => escapeHtml(line.replace(HEADING, "$1\\$2"))));
    at = end;
  }
  return inert;
}

/** A text that ends no strikethrough around it; what is in code does so nowhere. */
export function withoutTildes(text: string): string {
  return outsideCode(text, (part) => part.replaceAll("~", "\\~"));
}

const HEADING = /^((?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*)(#{1,6}(?=\s|$)|(?:=+|-+)\s*$)/;
const HTML = /<(?=[A-Za-z/!?])/;
const FENCE = /`{3}|~{3}/;
// A fence that isn't closed as it should be, or what may be indented code.
const UNCLEAR = /`{3}|~{3}|^(?: {4}|\t).*<[A-Za-z/!?]/;

function escapeHtml(line: string): string {
  return outsideCode(line, (part) => part.replace(new RegExp(HTML, "g"), "\\<"));
}

/** Changes a line but for its code between single backticks; where code may begin or end otherwise, all of it. */
function outsideCode(line: string, change: (part: string) => string): string {
  const runs = line.match(/`+/g) ?? [];
  const isPlain = runs.length % 2 === 0 && runs.every((run) => run === "`") && !line.includes("\\`");
  if (!isPlain) return change(line);
  return line
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join("");
}

/**
 * Behind the fenced code that starts at a line, if it is closed by the same fence with the same indentation, all of it is
 * indented as far, and no other fence stands in it; else behind that line.
 */
function fenceEnd(lines: readonly string[], start: number): number {
  const [, indent = "", fence = ""] = /^( *)(`{3,}(?=[^`]*$)|~{3,}(?=[^~]*$))/.exec(lines[start] ?? "") ?? [];
  if (fence === "") return start + 1;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trimEnd() === `${indent}${fence}`) return at + 1;
    if (FENCE.test(line) || (line.trim() !== "" && !line.startsWith(indent))) break;
  }
  return start + 1;
}

function verbatim(lines: readonly string[]): readonly string[] {
  const longest = Math.max(0, ...(lines.join("\n").match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [`${fence}text`, ...lines, fence];
}
