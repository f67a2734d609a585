import { stripControls } from "./text_controls.ts";

const BLANK_OR_NOTICE = /^(?:[^\S\n]*\n|⚠ [^\n]*\n)+/;
const HEADING = /^## Thread: (\S[^\n]*)/;
const MARKED = / \((?:active|done|abandoned)\)$/;
const SYSTEM = /^## System Context(?=[^\S\n]*\n)/;
const NEXT_BLOCK = /\n---\n\n## Thread: \S/;
const NOTE =
  /^_(?:⚠ [^\n]*: check (?:it|this summary) is still accurate\.|Written [\d,]+ commits? ago\.|No summary yet\.)_$/m;
const REVISION = /^[^\n]+ \([^\n]+\) as of (?:current|git-[0-9a-f]{12}|kept-[0-9TZ]+(?:-\d+)?):(?=\n)/;
const FRONTMATTER = /^---[^\S\n]*\n((?:(?!---[^\S\n]*\n)[^\n]*\n)+)---[^\S\n]*(?:\n|$)/;
const HEADER_LINE = /^(?:[^\S\n]*|#.*|[A-Za-z][\w-]*:(?: .*)?|[ \t-].*)$/;
const ID_LINE = /^(?:id|parentId):(?: |$)/m;
const FOOTER =
  /^_ThreadMind context: ~[\d,]+ tokens \| depth: [\d,]+ threads?_[^\S\n]*(?:\n+_(?:Left out|Cut|Missing|Levels|Abandoned here)[^\n]*_[^\S\n]*)*\s*(?![\s\S])/m;

/**
 * The line by which a text to be written turns out to be what ThreadMind shows of a summary, or the thread's whole file:
 * a context's heading, note or footer, a version of the history, a header. `undefined` for a text of a person's own, as
 * one whose heading alone is like a context's and names none of the threads' `titles`.
 */
export function findShownText(
  content: string,
  titles: readonly string[],
): { readonly line: string; readonly isAtEnd: boolean } | undefined {
  const text = content.replace(/^\ufeff/, "");
  const start = text.replace(BLANK_OR_NOTICE, "");
  const footer = FOOTER.exec(text)?.[0].split("\n", 1)[0];
  const system = NEXT_BLOCK.test(start) || footer !== undefined ? SYSTEM.exec(start)?.[0] : undefined;
  const note = noteOf(start);
  const heading = NEXT_BLOCK.test(start) || footer !== undefined ? HEADING.exec(start)?.[0] : headingOf(start, titles);
  const line = heading ?? system ?? note ?? REVISION.exec(start)?.[0] ?? headerLine(start);
  if (line !== undefined) return { line: line.trimEnd(), isAtEnd: false };
  return footer === undefined ? undefined : { line: footer.trimEnd(), isAtEnd: true };
}

/** The heading of a thread's block, if the text begins with one: with a mark, a note below, or the title of a thread. */
function headingOf(text: string, titles: readonly string[]): string | undefined {
  const [line, title = ""] = HEADING.exec(text) ?? [];
  if (line === undefined) return undefined;
  const name = title.trimEnd();
  const isShown = MARKED.test(name) || noteOf(text.slice(line.length).trimStart()) !== undefined;
  return isShown || titles.some((each) => stripControls(each).trim() === name) ? line : undefined;
}

/** The note that a block begins with below its heading. */
function noteOf(text: string): string | undefined {
  const found = NOTE.exec(text);
  return found?.index === 0 ? found[0] : undefined;
}

/** The line with the id in a thread file's header, if the text begins with one. */
function headerLine(text: string): string | undefined {
  const header = FRONTMATTER.exec(text)?.[1];
  if (header === undefined || !header.split("\n").every((line) => HEADER_LINE.test(line))) return undefined;
  return ID_LINE.test(header) ? header.split("\n").find((line) => ID_LINE.test(line)) : undefined;
}
