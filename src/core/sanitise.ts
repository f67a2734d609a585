import { type Block, DEEPEST, parseBlocks } from "./markdown.ts";
import { dropControls } from "./text_controls.ts";

const CONTAINERS = /^(?:[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?=[ \t])|>))*[ \t]*/;
const RESERVED = /^[^\p{L}\p{N}\\]*(?:thread\s*[:：]|system\s+context)/iu;
const OWN_LINE =
  /^[\s\p{Cf}]*_(?:ThreadMind context:|Left out|Cut|Missing|Levels|Abandoned here|⚠|Written|No summary)/iu;
const MOST_ROUNDS = 5;
const LEAST_WORK = 65_536;
const SUSPECT = /thread|system|^[^\S\n]*_/im;

/**
 * A text from the repository as it may be shown: without control characters and bidirectional overrides, and with a
 * backslash before what would pass for ThreadMind's own headings and lines outside code. `\n` at line ends.
 */
export function sanitiseText(text: string): string {
  const clean = dropControls(text);
  if (!SUSPECT.test(clean.replace(/\p{Cf}/gu, ""))) return clean;
  let shown = clean;
  // A heading that is one no longer may change what the lines below it are.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const escaped = escapeLines(shown, round === MOST_ROUNDS - 1);
    if (escaped === shown) return shown;
    shown = escaped;
  }
  return shown;
}

function escapeLines(text: string, alsoCode: boolean): string {
  const marks = { code: new Set<number>(), headings: new Set<number>(), left: 4 * text.length + LEAST_WORK };
  markLines(text, 0, 0, marks);
  return text
    .split("\n")
    .map((line, at) => (marks.code.has(at) && !alsoCode ? line : escapeLine(line, marks.headings.has(at))))
    .join("\n");
}

interface Marks {
  /** indexes of lines within code */
  readonly code: Set<number>;
  /** indexes of the lines of underlined headings */
  readonly headings: Set<number>;
  /** how many characters may still be lexed; what is nested deeper than that lasts is text */
  left: number;
}

function markLines(source: string, firstLine: number, depth: number, marks: Marks): void {
  if (depth > DEEPEST || source.length > marks.left) return;
  marks.left -= source.length;
  let line = firstLine;
  let counted = 0;
  const lineAt = (offset: number): number => {
    for (let feed = source.indexOf("\n", counted); feed !== -1 && feed < offset; feed = source.indexOf("\n", counted)) {
      line++;
      counted = feed + 1;
    }
    return line;
  };
  let above: Block["kind"] = "space";
  for (const block of parseBlocks(source, depth)) {
    const from = lineAt(block.start);
    if (block.kind === "heading" && block.isSetext) {
      const lines = source.slice(block.start, block.end).trimEnd().split("\n").length;
      for (let at = from; at < from + lines; at++) marks.headings.add(at);
    }
    if (block.kind === "list" || block.kind === "quote") {
      for (const { start, text } of block.inner) markLines(text, lineAt(start), depth + 1, marks);
    }
    // Readers differ on whether indented code right below a quote or list is part of it.
    const isCode = block.kind === "code" && (block.isFenced || (above !== "quote" && above !== "list"));
    above = block.kind;
    if (!isCode) continue;
    const last = lineAt(block.start + source.slice(block.start, block.end).trimEnd().length);
    for (let at = from; at <= last; at++) marks.code.add(at);
  }
}

function escapeLine(line: string, isHeading: boolean): string {
  const own = OWN_LINE.exec(line);
  if (own !== null) return insertBackslash(line, line.indexOf("_"));
  const at = CONTAINERS.exec(line)?.[0].length ?? 0;
  const [, hashes, text = ""] = /^(#{1,6}(?!#))(.*)$/.exec(line.slice(at)) ?? [];
  const heading = hashes === undefined && isHeading ? line.slice(at) : text;
  return RESERVED.test(heading.replace(/\p{Cf}/gu, "")) ? insertBackslash(line, at) : line;
}

function insertBackslash(line: string, at: number): string {
  return `${line.slice(0, at)}\\${line.slice(at)}`;
}
