import { DURABLE_NAMES, findNearHeading, findSectionName, type SectionName, standsAlone } from "./headings.ts";
import { normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { type Block, parseBlocks } from "./markdown.ts";
import { joinBlocks } from "./units.ts";

/** One section of a summary; all offsets are into the body as given. */
export interface Section {
  readonly name: SectionName;
  /** 1-based line of the heading in the body */
  readonly line: number;
  readonly level: number;
  readonly start: number;
  /** where the line after the heading starts */
  readonly contentStart: number;
  readonly end: number;
  /** the heading is only meant as one: `##Decisions` or `**Decisions**` */
  readonly near: boolean;
}

/** The body of a thread file and the known sections in it, in file order. */
export interface Summary {
  readonly body: string;
  readonly sections: readonly Section[];
}

/** A place in the body where a section starts or may end. */
interface Boundary {
  readonly name: SectionName | undefined;
  readonly level: number;
  readonly start: number;
  readonly contentStart: number;
  readonly near: boolean;
}

/** Finds the known sections of a summary; what code, comments, quotes and lists hold starts none. */
export function parseSummary(body: string): Summary {
  const blocks = parseBlocks(body);
  const boundaries = blocks.flatMap((block) => boundariesOf(block, body));
  const sections: Section[] = [];
  let open: Boundary | undefined;
  const close = (end: number): void => {
    if (open?.name === undefined) return;
    const { name, level, start, contentStart, near } = open;
    sections.push({ name, level, start, contentStart, near, line: 0, end });
  };
  for (const boundary of boundaries) {
    const endsOpen = open === undefined || boundary.level <= open.level;
    const starts = boundary.name !== undefined && (boundary.level <= 2 || endsOpen);
    if (!starts && !endsOpen) continue;
    close(boundary.start);
    open = starts ? boundary : undefined;
  }
  close(body.length);
  return { body, sections: withLines(sections, body) };
}

function withLines(sections: readonly Section[], body: string): Section[] {
  let line = 1;
  let counted = 0;
  return sections.map((section) => {
    line += body.slice(counted, section.start).match(/\r\n|\r|\n/g)?.length ?? 0;
    counted = section.start;
    return { ...section, line };
  });
}

function boundariesOf(block: Block, body: string): Boundary[] {
  const { kind, start, end } = block;
  if (kind === "heading") {
    const { level, text, isSetext } = block;
    const name = findSectionName(text);
    if (name !== undefined || !isSetext) {
      const lines = isSetext
        ? body
            .slice(start, end)
            .trim()
            .split(/\r\n|\r|\n/).length
        : 1;
      return [{ name, level, start, contentStart: skipLines(body, start, lines), near: false }];
    }
  }
  if (kind === "code" || kind === "html" || kind === "space" || kind === "rule") return [];
  return nearBoundaries(block, body);
}

function skipLines(body: string, start: number, count: number): number {
  const pattern = /\r\n|\r|\n/g;
  pattern.lastIndex = start;
  for (let line = 0; line < count; line++) {
    if (pattern.exec(body) === null) return body.length;
  }
  return pattern.lastIndex;
}

const MAYBE_NEAR = /^ {0,3}(?:#{1,6}[^\s#]|[*_]{2,3}[^\s*_])/m;

/** The near-headings of durable sections among the lines of a block, lines that merely continue a list or quote included. */
function nearBoundaries({ kind, start: blockStart, end }: Block, body: string): Boundary[] {
  const text = body.slice(blockStart, end);
  if (!MAYBE_NEAR.test(text)) return [];
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const isContainer = kind === "list" || kind === "quote";
  const found: Boundary[] = [];
  let start = blockStart;
  for (const [index, line] of lines.entries()) {
    const heading = isContainer && /^\s/.test(line) ? undefined : findNearHeading(line.trimEnd());
    const isAlone = (isContainer || index === 0) && standsAlone(lines[index + 1]);
    if (heading !== undefined && DURABLE_NAMES.includes(heading.name) && (!heading.isBold || isAlone)) {
      const { name, level } = heading;
      found.push({ name, level, start, contentStart: skipLines(body, start, 1), near: true });
    }
    start += line.length;
  }
  return found;
}

/** True if the summary has at least one known section. */
export function hasKnownSection(body: string): boolean {
  return parseSummary(body).sections.length > 0;
}

/** Top headings that speak of decisions or constraints, yet name no section: beside known ones their text isn't inherited. */
export function findOverlooked({ body, sections }: Summary): readonly string[] {
  if (sections.length === 0) return [];
  return parseBlocks(body).flatMap((block) => {
    if (block.kind !== "heading" || block.level > 2 || findSectionName(block.text) !== undefined) return [];
    const isWithin = sections.some(
      ({ name, start, end }) => DURABLE_NAMES.includes(name) && block.start > start && block.start < end,
    );
    return !isWithin && /d[eé]cision|constraint|contrainte/iu.test(block.text) ? [block.text.trim()] : [];
  });
}

/** What a section holds, `\n` at line ends and without blank lines around it; one that stands twice is joined. */
export function sectionText(summary: Summary, name: SectionName): string | undefined {
  const named = summary.sections.filter((section) => section.name === name);
  return named.length === 0 ? undefined : joinBlocks(named.map((section) => contentOf(summary, section)));
}

/** The content of one section, `\n` at line ends and without blank lines around it. */
export function contentOf({ body }: Summary, { contentStart, end }: Section): string {
  return trimBlankLines(normaliseLineEnds(body.slice(contentStart, end)));
}

/**
 * What descendants get of a summary: its Decisions and Constraints without what is commented out, in file order; all of
 * a summary that has no known section. Empty if that is nothing.
 */
export function inheritedText(body: string): string {
  const summary = parseSummary(body);
  if (summary.sections.length === 0) return trimBlankLines(normaliseLineEnds(body));
  const durable = summary.sections.filter(({ name }) => DURABLE_NAMES.includes(name));
  const names = new Set(durable.map(({ name }) => name));
  const parts = [...names].flatMap((name) => {
    const named = durable.filter((section) => section.name === name);
    const content = joinBlocks(named.map((section) => withoutComments(contentOf(summary, section))));
    const heading = named.slice(0, 1).map(({ start, contentStart }) => body.slice(start, contentStart));
    return content === "" ? [] : heading.map((line) => `${normaliseLineEnds(line).trimEnd()}\n${content}`);
  });
  return parts.join("\n\n");
}

/** Drops the comments that stand as a block of their own and are closed. */
function withoutComments(content: string): string {
  if (!content.includes("<!--")) return content;
  const kept = parseBlocks(content).filter(({ kind, start, end }) => {
    const text = content.slice(start, end).trim();
    return kind !== "html" || !text.startsWith("<!--") || text.indexOf("-->") !== text.length - 3;
  });
  return trimBlankLines(kept.map(({ start, end }) => content.slice(start, end)).join(""));
}

/** Why a thread was abandoned, finished or taken up again, and where the bullet that says so stands in the body. */
export interface StatusReason {
  readonly word: "Abandoned" | "Done" | "Reopened";
  readonly reason: string;
  readonly start: number;
  readonly end: number;
}

const REASON =
  /^[-*+][ \t]+(?:(Abandoned|Done):[ \t]*(\S.*)|(Reopened) \(was (?:abandoned|done)(?::[ \t]*(.*))?\)[ \t]*)$/;

/** The last bullet of Decisions that gives a reason: `- Abandoned: …`, `- Done: …` or `- Reopened (was abandoned: …)`. */
export function statusReason(body: string): StatusReason | undefined {
  if (!/Abandoned:|Done:|Reopened \(/.test(body)) return undefined;
  const bullets = parseSummary(body)
    .sections.filter(({ name }) => name === "Decisions")
    .flatMap(({ contentStart, end }) => bulletsOf(body.slice(contentStart, end), contentStart));
  return bullets.map(({ text, start }) => reasonOf(text, start)).findLast((reason) => reason !== undefined);
}

/** The first lines of the top-level list items of a text that starts at `offset`. */
function bulletsOf(text: string, offset: number): { text: string; start: number }[] {
  return parseBlocks(text)
    .flatMap((block) => (block.kind === "list" ? block.inner : []))
    .map(({ start, end }) => {
      const item = text.slice(start, end);
      const indent = item.length - item.trimStart().length;
      return { text: item.trimStart().split(/[\r\n]/, 1)[0] ?? "", start: offset + start + indent };
    });
}

function reasonOf(bullet: string, start: number): StatusReason | undefined {
  const [, word, reason = "", reopened, before = ""] = REASON.exec(bullet) ?? [];
  const end = start + bullet.trimEnd().length;
  if (word === "Abandoned" || word === "Done") return { word, reason: reason.trim(), start, end };
  return reopened === undefined ? undefined : { word: "Reopened", reason: before.trim(), start, end };
}
