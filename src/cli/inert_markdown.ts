/**
 * The lines of a Markdown text for a page on which others stand too: they head nothing, hold no HTML that could hide what
 * follows, load no image, hide nothing as a link's definition and call nobody. Code stays as it is; where only a whole
 * parser could tell code from HTML, all of the text is shown as code.
 */
export function inertLines(lines: readonly string[]): readonly string[] {
  const hasHtml = lines.some((line) => HTML.test(line));
  const inert: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = fenceEnd(lines, at);
    const piece = lines.slice(at, end);
    if (piece.length > 1) inert.push(...piece);
    else if (hasHtml && piece.some((line) => UNCLEAR.test(line))) return verbatim(lines, "text");
    else inert.push(...piece.map(inertLine));
    at = end;
  }
  return inert;
}

/** Text on one line in which Markdown has no say; it must be free of controls. */
export function inertText(text: string): string {
  return withoutMentions(text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~&]/g, "\\$&"));
}

/** Lines as a block of code that none of them can end. */
export function verbatim(lines: readonly string[], language: string): readonly string[] {
  const longest = Math.max(0, ...(lines.join("\n").match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [`${fence}${language}`, ...lines, fence];
}

const HEADING = /^((?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*)(#{1,6}(?=\s|$)|(?:=+|-+)\s*$)/;
// A link's definition, or what may begin one; no check box.
const DEFINITION = /^((?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*)(?=\[(?![ xX]\]\s)(?:.*\]:|[^\]]*$))/;
const HTML = /<(?=[A-Za-z/!?])/;
const FENCE = /`{3}|~{3}/;
// A fence that isn't closed as it should be, or what may be indented code.
const UNCLEAR = /`{3}|~{3}|^(?: {4}|\t).*<[A-Za-z/!?]/;
// HTML, a character written as a number or name that may be an @, each with the backslashes before it.
const LIVE = /(\\*)(<(?=[A-Za-z/!?])|&(?=#|commat;))/g;
// An address of a page, which stays as it is; an @ that calls somebody, so none of an e-mail address.
const MENTION = /((?<![^\s(])https?:\/\/(?:[A-Za-z0-9-]+\.)+[a-z]{2,}\/[A-Za-z0-9/.@-]*)|(?<![A-Za-z0-9])@(?=[\w\\])/g;

// Takes no room, and parts the @ from the name wherever it is shown; backticks or a backslash would not in all places.
const WORD_JOINER = "\u2060";

function inertLine(line: string): string {
  return outsideCode(line.replace(HEADING, "$1\\$2").replace(DEFINITION, "$1\\"), (part) =>
    withoutMentions(
      part
        .replace(LIVE, (found, slashes: string, live: string) =>
          slashes.length % 2 === 1 ? found : `${slashes}\\${live}`,
        )
        .replaceAll("![", "!\\["),
    ),
  );
}

function withoutMentions(text: string): string {
  return text.replace(MENTION, (found, address?: string) => address ?? `${found}${WORD_JOINER}`);
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
