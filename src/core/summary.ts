import { type Boundary, findBoundaries } from "./boundaries.ts";
import { DURABLE_NAMES, type SectionName } from "./headings.ts";
import { normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
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

/**
 * A text below a heading that comes near to a durable section's name, as `## Key decisions` does: inherited as that section,
 * yet no part of it when it is edited.
 */
export interface NearSection extends Pick<Section, "name" | "start" | "contentStart" | "end"> {
  /** what its heading says, on one line; empty if that is nothing beside the name */
  readonly words: string;
}

/** The body of a thread file and the known sections in it, in file order. */
export interface Summary {
  readonly body: string;
  readonly sections: readonly Section[];
  /** in file order; without `sections` all of the body is inherited, and these make no difference */
  readonly nearSections: readonly NearSection[];
  /** headings that speak of decisions or constraints though what stands under them isn't inherited; none without `sections` */
  readonly overlooked: readonly string[];
}

/** Finds the known sections of a summary; what code, comments, quotes and lists hold starts none. */
export function parseSummary(body: string): Summary {
  const sections: Section[] = [];
  const nearSections: NearSection[] = [];
  const overlooked: string[] = [];
  let open: Boundary | undefined;
  const close = (end: number): void => {
    if (open === undefined) return;
    const { name, nearTo, words, level, start, contentStart, near } = open;
    const isTitleAlone =
      level === LEVEL_OF_TITLE && !SAYS_MORE.test(words) && !/\S/.test(body.slice(contentStart, end));
    if (name !== undefined) sections.push({ name, level, start, contentStart, near, line: 0, end });
    else if (nearTo !== undefined && !isTitleAlone)
      nearSections.push({ name: nearTo, words, start, contentStart, end });
  };
  const boundaries = findBoundaries(body);
  const titles = findTitles(boundaries);
  for (const boundary of boundaries) {
    const endsOpen = open === undefined || boundary.level <= open.level;
    const isStart = startsPart(boundary, open, endsOpen);
    const isEnd = boundary.isOther ? endsDurable(boundary, open, endsOpen) : endsOpen && boundary.isHeading;
    if (isStart || isEnd) {
      close(boundary.start);
      open = isStart || boundary.isOther ? boundary : undefined;
      if (titles.has(boundary)) open = { ...boundary, level: LEVEL_OF_TITLE };
    }
    if (!isStart && (isDurable(boundary) || boundary.isUnheld) && !isDurable(open))
      overlooked.push(headingText(boundary, body));
  }
  close(body.length);
  return {
    ...{ body, nearSections },
    sections: withLines(sections, body),
    overlooked: sections.length === 0 ? [] : overlooked,
  };
}

/** Deeper than any heading, so that each ends what stands under a title. */
const LEVEL_OF_TITLE = 7;
const SAYS_MORE = /[:：–—]|\s-\s/;

/** The near-headings of level 1 with sections below them: `# Decision log` is the title of such a text, and holds none of them. */
function findTitles(boundaries: readonly Boundary[]): ReadonlySet<Boundary> {
  let hasSections = false;
  const titles = new Set<Boundary>();
  for (const boundary of boundaries.toReversed()) {
    if (hasSections && boundary.level === 1 && boundary.nearTo !== undefined) titles.add(boundary);
    if (boundary.level === 1) hasSections = false;
    else if (boundary.name !== undefined || boundary.isOther) hasSections = true;
  }
  return titles;
}

/** True for what is meant as the heading of another section; below `## Decisions`, a bold line may as well be a topic of it. */
function endsDurable({ level, isGlued }: Boundary, open: Boundary | undefined, endsOpen: boolean): boolean {
  const isProper = open?.name !== undefined && !open.near;
  return isDurable(open) && (level <= 2 || endsOpen) && (isGlued || !isProper);
}

function startsPart(
  { name, nearTo, level, isHeading }: Boundary,
  open: Boundary | undefined,
  endsOpen: boolean,
): boolean {
  // What is inherited already isn't cut apart: there, only what ends the section in any case starts another.
  if (nearTo !== undefined && isDurable(open)) return endsOpen && isHeading;
  return (name !== undefined || nearTo !== undefined) && (level <= 2 || endsOpen);
}

function isDurable(boundary: Boundary | undefined): boolean {
  const name = boundary?.name ?? boundary?.nearTo;
  return name !== undefined && DURABLE_NAMES.includes(name);
}

function headingText({ start, contentStart }: Boundary, body: string): string {
  return body
    .slice(start, contentStart)
    .trim()
    .replace(/^#+[ \t]*|[ \t]+#+$/g, "");
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

/** True if the summary has at least one known section. */
export function hasKnownSection(body: string): boolean {
  return parseSummary(body).sections.length > 0;
}

/** What a section holds, `\n` at line ends and without blank lines around it; one that stands twice is joined. */
export function sectionText(summary: Summary, name: SectionName): string | undefined {
  const named = summary.sections.filter((section) => section.name === name);
  return named.length === 0 ? undefined : joinBlocks(named.map((section) => contentOf(summary, section)));
}

/** The content of one section, `\n` at line ends and without blank lines around it. */
export function contentOf({ body }: Summary, { contentStart, end }: Pick<Section, "contentStart" | "end">): string {
  return trimBlankLines(normaliseLineEnds(body.slice(contentStart, end)));
}

/**
 * What descendants get of a summary: its Decisions and Constraints and what comes near to them, without what is commented
 * out, in file order; all of a summary that has no known section. Empty if that is nothing.
 */
export function inheritedText(body: string): string {
  const summary = parseSummary(body);
  if (summary.sections.length === 0) return trimBlankLines(normaliseLineEnds(body));
  const durable = summary.sections.filter(({ name }) => DURABLE_NAMES.includes(name));
  const named = DURABLE_NAMES.map((name) => durable.filter((section) => section.name === name));
  const near = summary.nearSections.map((section) => [section]);
  const parts = [...named, ...near]
    .filter((group) => group.length > 0)
    .sort(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0));
  const texts = parts.flatMap((group) => {
    const content = joinBlocks(group.map((section) => withoutComments(contentOf(summary, section))));
    const [heading = ""] = group.map(({ start, contentStart }) => body.slice(start, contentStart));
    const line = normaliseLineEnds(heading).trimEnd();
    const saysAll = group.some((section) => "words" in section && section.words !== "");
    if (content === "") return saysAll ? [line] : [];
    return [`${line}\n${content}`];
  });
  return texts.join("\n\n");
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
