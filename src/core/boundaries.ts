import {
  DURABLE_NAMES,
  findNearHeading,
  findNearName,
  findSectionName,
  isAboutUnheld,
  isSetOff,
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
  /** it is meant as the heading of State, Open questions or Next steps, and only ends what is inherited */
  readonly isOther: boolean;
  /** its hashes lack the blank: `##State` */
  readonly isGlued: boolean;
  /** it speaks of decisions or constraints that don't hold */
  readonly isUnheld: boolean;
}

const PLAIN_HEADING = { near: false, isOther: false, isGlued: false, isUnheld: false };
const MAYBE_NEAR = /^ {0,3}(?:#{1,6}[^\s#]|[*_]{2,3}[^\s*_])/m;
const HTML_HEADING = /^[ \t]*<h([1-6])(?:\s[^<>]{0,1000})?>([\s\S]{0,1000}?)<\/h\1>[ \t]*(?:\r\n|\r|\n|$(?![\s\S]))/gim;
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
    const names = namesOf(text);
    const isUnheld = names.name === undefined && isAboutUnheld(text);
    return [{ ...PLAIN_HEADING, ...names, level, start, contentStart, isHeading: true, isUnheld }];
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
  return [{ ...PLAIN_HEADING, ...names, level, start, contentStart, isHeading: names.name !== undefined }];
}

/** Each `<h2>Decisions</h2>` in a block of HTML that begins with a heading. */
function htmlBoundaries({ start: blockStart, end }: Block, body: string): readonly Boundary[] {
  const block = body.slice(blockStart, end);
  if (!/^\s*<h[1-6][\s>]/i.test(block)) return [];
  return [...block.matchAll(HTML_HEADING)].flatMap(({ 0: whole, 1: level, 2: text = "", index }) => {
    const { name, nearTo = name, words } = namesOf(text);
    if (nearTo === undefined) return [];
    const start = blockStart + index;
    const place = { level: Number(level), start, contentStart: start + whole.length };
    return [{ ...PLAIN_HEADING, ...meantAs(nearTo, false), words, ...place, isHeading: false }];
  });
}

/** What a line starts that is meant as the heading of a section: the section itself, or what is inherited as it is. */
function meantAs(name: SectionName, isSection: boolean): Pick<Boundary, "name" | "nearTo" | "near" | "isOther"> {
  if (!DURABLE_NAMES.includes(name)) return { name: undefined, nearTo: undefined, near: false, isOther: true };
  return { name: isSection ? name : undefined, nearTo: isSection ? undefined : name, near: isSection, isOther: false };
}

/** The near-headings among the lines of a block, lines that merely continue a list or quote included. */
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
    const below = lines[index + 1];
    const isAlone = isFirst ? isSetOff(line, below) : isContainer && standsAlone(below);
    if (heading !== undefined && (!heading.isLine || isAlone)) {
      const { name, level, isSection, isBare, isLine } = heading;
      const words = isBare ? "" : oneLine(heading.words);
      const place = { level, start, contentStart: skipLines(body, start, 1) };
      found.push({
        ...PLAIN_HEADING,
        ...meantAs(name, isSection),
        words,
        ...place,
        isHeading: false,
        isGlued: !isLine,
      });
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
