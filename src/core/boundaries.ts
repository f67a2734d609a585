import {
  DURABLE_NAMES,
  findNearHeading,
  findNearName,
  findSectionName,
  isShort,
  type SectionName,
  standsAlone,
} from "./headings.ts";
import { type Block, parseBlocks } from "./markdown.ts";

/** A place in a body where a section starts or may end; offsets are into the body. */
export interface Boundary {
  /** the section that starts here */
  readonly name: SectionName | undefined;
  /** the durable section as which the text below is inherited, though this isn't its name */
  readonly nearTo: SectionName | undefined;
  /** what a heading that is near a name says beside it; empty if nothing */
  readonly words: string;
  readonly level: number;
  readonly start: number;
  /** where the line after the heading starts */
  readonly contentStart: number;
  /** Markdown takes it for a heading by its hashes; others end nothing where their text is inherited as it is */
  readonly isHeading: boolean;
  /** the heading of a section is only meant as one: `##Decisions` or `**Decisions**` */
  readonly near: boolean;
}

const MAYBE_NEAR = /^ {0,3}(?:#{1,6}[^\s#]|[*_]{2,3}[^\s*_])/m;
const HTML_HEADING = /^\s*<h([1-6])(?:\s[^<>]*)?>([\s\S]*?)<\/h\1>[ \t]*(?:\r\n|\r|\n|$)/i;
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;
const LINE_END = /\r\n|\r|\n/;

/** The headings in a body that start or end a section, in file order, and the lines that are meant as such. */
export function findBoundaries(body: string): readonly Boundary[] {
  return parseBlocks(body).flatMap((block) => boundariesOf(block, body));
}

function boundariesOf(block: Block, body: string): readonly Boundary[] {
  const { kind, start } = block;
  if (kind === "heading" && !block.isSetext) {
    const { level, text } = block;
    const contentStart = skipLines(body, start, 1);
    return [{ ...namesOf(text), level, start, contentStart, isHeading: true, near: false }];
  }
  if (kind === "heading") return underlinedBoundaries(block, body);
  if (kind === "html") return htmlBoundaries(block, body);
  return kind === "code" || kind === "space" || kind === "rule" ? [] : nearBoundaries(block, body);
}

function namesOf(text: string): Pick<Boundary, "name" | "nearTo" | "words"> {
  const name = findSectionName(text);
  const near = name === undefined ? findNearName(text) : undefined;
  return { name, nearTo: near?.name, words: near === undefined || near.isBare ? "" : oneLine(text) };
}

function underlinedBoundaries(block: Block & { readonly kind: "heading" }, body: string): readonly Boundary[] {
  const { level, text, start, end } = block;
  const names = namesOf(text);
  // An underline is often meant as a rule, so that a sentence above it isn't a heading.
  const isNear = names.nearTo !== undefined && isShort(text);
  if (names.name === undefined && !isNear) return nearBoundaries(block, body);
  const lines = body
    .slice(start, end)
    .trim()
    .split(/\r\n|\r|\n/);
  const contentStart = skipLines(body, start, lines.length);
  return [{ ...names, level, start, contentStart, isHeading: names.name !== undefined, near: false }];
}

/** `<h2>Decisions</h2>` where it begins a block of HTML. */
function htmlBoundaries({ start, end }: Block, body: string): readonly Boundary[] {
  const [whole = "", level = "", text = ""] = HTML_HEADING.exec(body.slice(start, end)) ?? [];
  const { name, nearTo = name, words } = namesOf(text);
  if (nearTo === undefined || !DURABLE_NAMES.includes(nearTo)) return [];
  const place = { level: Number(level), start, contentStart: start + whole.length };
  return [{ name: undefined, nearTo, words, ...place, isHeading: false, near: false }];
}

/** The near-headings of durable sections among the lines of a block, lines that merely continue a list or quote included. */
function nearBoundaries({ kind, start: blockStart, end }: Block, body: string): readonly Boundary[] {
  const text = body.slice(blockStart, end);
  const isContainer = kind === "list" || kind === "quote";
  const lines = MAYBE_NEAR.test(text) ? (text.match(LINES) ?? []) : isContainer ? [] : text.split(LINE_END, 2);
  const found: Boundary[] = [];
  let start = blockStart;
  for (const [index, line] of lines.entries()) {
    const isFirst = index === 0 && !isContainer;
    const mayBeNear = isFirst || (MAYBE_NEAR.test(line) && !(isContainer && /^\s/.test(line)));
    const heading = mayBeNear ? findNearHeading(line.trimEnd()) : undefined;
    const isAlone = (isContainer || isFirst) && standsAlone(lines[index + 1]);
    if (heading !== undefined && DURABLE_NAMES.includes(heading.name) && (!heading.isLine || isAlone)) {
      const { name, level, isSection, isBare, words } = heading;
      const names = isSection ? { name, nearTo: undefined } : { name: undefined, nearTo: name };
      const place = { level, start, contentStart: skipLines(body, start, 1) };
      found.push({ ...names, words: isBare ? "" : oneLine(words), ...place, isHeading: false, near: isSection });
    }
    start += line.length;
  }
  return found;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function skipLines(body: string, start: number, count: number): number {
  const pattern = /\r\n|\r|\n/g;
  pattern.lastIndex = start;
  for (let line = 0; line < count; line++) {
    if (pattern.exec(body) === null) return body.length;
  }
  return pattern.lastIndex;
}
