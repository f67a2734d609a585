import { findSectionName, type SectionName } from "./headings.ts";
import { findNamedFiles } from "./import_named_files.ts";
import { fenced, type ImportedProject, type ImportedSection, remarkOnSize, renderSections } from "./import_project.ts";
import { normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { type Block, isTooLong, parseBlocks } from "./markdown.ts";
import { closeLastBlock } from "./open_blocks.ts";
import { demoteHeadings } from "./section_content.ts";
import { parseSummary } from "./summary.ts";
import { findTitleFault } from "./titles.ts";
import { countOf } from "./tokens.ts";

/** What headings of such files usually say, by the section it belongs to. */
const PLACES: readonly (readonly [SectionName, RegExp])[] = [
  [
    "Constraints",
    /\b(?:rules?|constraints?|conventions?|guidelines?|style|standards?|never|must|don'?ts?|security|règles?)\b/iu,
  ],
  ["Decisions", /\b(?:decisions?|architecture|stack|design|technolog\w+|choices?|structure|patterns?)\b/iu],
  ["Next steps", /\b(?:next steps?|todos?|to-dos?|roadmap|plans?|backlog)\b/iu],
  ["Open questions", /\b(?:open questions?|questions?|unknowns?)\b/iu],
];
const FRONTMATTER = /^---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/;
/** As much of a text that is too long to be read by its headings as its title is looked for in. */
const BEGINNING = 65_536;
const MOST_NAMED = 3;

interface Heading {
  readonly level: number;
  readonly start: number;
  readonly end: number;
  /** no heading in Markdown, though read as one */
  readonly isNear: boolean;
  /** on one line, as typed */
  readonly text: string;
}

/** A heading with what stands below it; the text above all headings has none. */
interface Part {
  readonly heading: string | undefined;
  readonly text: string;
}

/**
 * Makes a project of a `CLAUDE.md` or the like: what stands below each of its top headings goes to the section of a summary
 * that the heading speaks of, with that heading above it; what can't be placed goes to State. No word is lost: a heading of
 * the first level is the title unless another title is given, and any other stays in the text as typed.
 */
export function importMarkdown(source: string, givenTitle?: string): ImportedProject {
  const whole = normaliseLineEnds(source.replace(/^\ufeff/, ""));
  const front = FRONTMATTER.exec(whole)?.[0] ?? "";
  const text = whole.slice(front.length);
  const isLong = isTooLong(text);
  const headings = headingsOf(isLong ? text.slice(0, text.lastIndexOf("\n", BEGINNING) + 1) : text);
  const candidate = headings.find(({ level, text: title }) => level === 1 && title !== "");
  const isName = candidate !== undefined && findSectionName(candidate.text) === undefined;
  const fault = isName ? findTitleFault(candidate.text) : undefined;
  const title = isName && fault === undefined ? candidate : undefined;
  const beginnings = isLong ? headings.slice(0, headings[0] === title ? 1 : 0) : headings;
  const parts = partsOf(text, beginnings, givenTitle === undefined ? title : undefined, title);
  const above = front === "" ? [] : [fenced(trimBlankLines(front), "yaml")];
  const body = renderSections(sectionsOf(parts, above));
  return {
    title: title?.text,
    body,
    children: [],
    pieces: [],
    unread: [],
    remarks: [
      ...(fault === undefined || givenTitle !== undefined
        ? []
        : [`Its first heading can't be the title (${fault}): it stands in the text, and --title gives another.`]),
      ...(isLong
        ? ["⚠ It is longer than 4 MiB, so that its headings aren't read: all of it stands under State."]
        : remarkOnSize([{ id: "main", body }])),
      ...remarkOnNamed(findNamedFiles(text)),
    ],
  };
}

function remarkOnNamed(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMED).map((name) => `@${name}`);
  const more = names.length > MOST_NAMED ? ", …" : "";
  return [
    `Not followed: ${countOf(names.length, "file")} that it brings in with @ (${shown.join(", ")}${more}). The lines stay; import such a file with a call of its own.`,
  ];
}

/** The headings of a text, and the lines that its reader takes for headings of a section all the same. */
function headingsOf(text: string): Heading[] {
  const headings = parseBlocks(text).flatMap((block): Heading[] =>
    block.kind === "heading" ? [{ ...block, isNear: false, text: wordsOf(text, block) }] : [],
  );
  const near = parseSummary(text).sections.flatMap(({ near: isNear, start, contentStart: end }): Heading[] =>
    isNear ? [{ level: 2, start, end, isNear, text: wordsOf(text, { start, end, isSetext: false }) }] : [],
  );
  return near.length === 0 ? headings : [...headings, ...near].sort((a, b) => a.start - b.start);
}

/** What a heading says, from the text itself. */
function wordsOf(text: string, { start, end, isSetext }: Pick<Block, "start" | "end"> & { isSetext: boolean }): string {
  const raw = text.slice(start, end).trim();
  if (!isSetext)
    return raw
      .replace(/^#{1,6}/, "")
      .replace(/(^|[ \t])#+$/, "")
      .trim();
  const lines = raw.split("\n").slice(0, -1);
  return lines.map((line) => line.trim()).join(" ");
}

/**
 * Divides a text at its headings of the first two levels, or of the highest there is. The title, where it stands first, is
 * taken out; below other headings it ends what they began.
 */
function partsOf(text: string, headings: readonly Heading[], taken: Heading | undefined, title = taken): Part[] {
  const isFirst = taken !== undefined && headings[0] === taken;
  const others = headings.filter((heading) => heading !== title && !heading.isNear);
  const level = Math.max(
    2,
    others.reduce((least, heading) => Math.min(least, heading.level), 6),
  );
  const starts = headings.filter((heading) => (heading === taken ? !isFirst : heading.level <= level));
  const end = starts[0]?.start ?? text.length;
  const above = isFirst ? text.slice(0, taken.start) + text.slice(taken.end, end) : text.slice(0, end);
  return [
    { heading: undefined, text: above },
    ...starts.map((heading, at): Part => {
      const below = text.slice(heading.end, starts[at + 1]?.start ?? text.length);
      return { heading: heading.text === "" ? undefined : heading.text, text: below };
    }),
  ];
}

/** The first part that names a section gives its heading, as typed; every other part keeps its own below that. */
function sectionsOf(parts: readonly Part[], above: readonly string[]): Map<SectionName, ImportedSection> {
  const sections = new Map<SectionName, { heading: string | undefined; own: string[]; others: string[] }>();
  const sectionOf = (name: SectionName) => {
    const known = sections.get(name);
    if (known !== undefined) return known;
    const made = { heading: undefined, own: [], others: [] };
    sections.set(name, made);
    return made;
  };
  if (above.length > 0) sectionOf("State").own.push(...above);
  for (const { heading, text } of parts) {
    const content = contentOf(text);
    const name = placeOf(heading);
    if (heading === undefined && content === "") continue;
    const section = sectionOf(name);
    const isOwn = heading !== undefined && section.heading === undefined && findSectionName(heading) === name;
    if (isOwn) section.heading = heading;
    if (isOwn || heading === undefined) section.own.push(content);
    else section.others.push(`### ${heading}\n${content}`.trimEnd());
  }
  return new Map(
    [...sections].map(([name, { heading = name, own, others }]) => {
      return [name, { heading, texts: [...own, ...others].filter((text) => text !== "") }];
    }),
  );
}

function placeOf(heading: string | undefined): SectionName {
  if (heading === undefined) return "State";
  return findSectionName(heading) ?? PLACES.find(([, pattern]) => pattern.test(heading))?.[0] ?? "State";
}

function contentOf(text: string): string {
  return closeLastBlock(demoteHeadings(demoteSetext(trimBlankLines(text))));
}

/** Setext headings have two levels only, both of which would end a section. */
function demoteSetext(text: string): string {
  if (!/\n {0,3}(?:=+|-+)[ \t]*(?:\n|$)/.test(text)) return text;
  let moved = "";
  let copied = 0;
  for (const block of parseBlocks(text)) {
    if (block.kind !== "heading" || !block.isSetext) continue;
    moved += `${text.slice(copied, block.start)}### ${wordsOf(text, block)}\n`;
    copied = block.end;
  }
  return moved + text.slice(copied);
}
