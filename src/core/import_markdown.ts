import { findSectionName, SECTION_NAMES, type SectionName } from "./headings.ts";
import { normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
import { closeLastBlock } from "./open_blocks.ts";
import { demoteHeadings } from "./section_content.ts";

/** A thread to be made of what people had elsewhere. */
export interface ImportedThread {
  readonly title: string;
  readonly body: string;
}

/** A project to be made: its root, and threads below it. */
export interface ImportedProject {
  readonly title: string | undefined;
  readonly body: string;
  readonly children: readonly ImportedThread[];
}

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

interface Part {
  readonly heading: string | undefined;
  readonly text: string;
}

/**
 * Makes a project of a `CLAUDE.md` or the like: each of its top sections goes to the section of a summary that its heading
 * speaks of, with that heading above it; what can't be placed goes to State. No line is lost.
 */
export function importMarkdown(source: string): ImportedProject {
  const text = normaliseLineEnds(source.replace(/^\ufeff/, ""));
  const parts = partsOf(text);
  const title = parts.title;
  const sections = new Map<SectionName, string[]>();
  for (const part of parts.list) {
    const name = placeOf(part.heading);
    const content = contentOf(part, name);
    if (content !== "") sections.set(name, [...(sections.get(name) ?? []), content]);
  }
  return { title, body: renderSections(sections), children: [] };
}

/** Sections of a summary as Markdown, in standard order. */
export function renderSections(sections: ReadonlyMap<SectionName, readonly string[]>): string {
  return SECTION_NAMES.flatMap((name) => {
    const texts = sections.get(name) ?? [];
    return texts.length === 0 ? [] : [`## ${name}\n${texts.join("\n\n")}\n`];
  }).join("\n");
}

/** The first heading of the first level is the title; the sections are those of the next level, or all of the first. */
function partsOf(text: string): { readonly title: string | undefined; readonly list: readonly Part[] } {
  const headings = parseBlocks(text).flatMap((block) => (block.kind === "heading" ? [block] : []));
  const [first] = headings;
  const tops = headings.filter(({ level }) => level === 1);
  const isTitled = first?.level === 1 && tops.length === 1 && text.slice(0, first.start).trim() === "";
  const title = isTitled && findSectionName(first.text) === undefined ? first : undefined;
  const level = Math.min(...headings.filter((heading) => heading !== title).map((heading) => heading.level), 6);
  const starts = headings.filter((heading) => heading !== title && heading.level === level);
  const from = title?.end ?? 0;
  const above: Part = { heading: undefined, text: text.slice(from, starts[0]?.start ?? text.length) };
  const list = starts.map(({ end, text: heading }, at): Part => {
    const below = text.slice(end, starts[at + 1]?.start ?? text.length);
    return { heading: heading.trim(), text: below };
  });
  return { title: title?.text.trim(), list: [above, ...list] };
}

function placeOf(heading: string | undefined): SectionName {
  if (heading === undefined) return "State";
  return findSectionName(heading) ?? PLACES.find(([, pattern]) => pattern.test(heading))?.[0] ?? "State";
}

function contentOf({ heading, text }: Part, name: SectionName): string {
  const inner = trimBlankLines(demoteSetext(text));
  const isOwn = heading === undefined || findSectionName(heading) === name;
  if (inner === "" && isOwn) return "";
  const below = closeLastBlock(demoteHeadings(inner));
  return isOwn ? below : trimBlankLines(`### ${heading}\n${below}`);
}

/** Setext headings have two levels only, both of which would end a section. */
function demoteSetext(text: string): string {
  let moved = "";
  let copied = 0;
  for (const block of parseBlocks(text)) {
    if (block.kind !== "heading" || !block.isSetext) continue;
    moved += `${text.slice(copied, block.start)}### ${block.text.trim().replace(/\s*\n\s*/g, " ")}\n`;
    copied = block.end;
  }
  return moved + text.slice(copied);
}
