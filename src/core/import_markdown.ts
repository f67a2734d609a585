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

const FRONTMATTER = /^---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/;

/**
 * The first heading of the first level is the title, wherever it stands; each heading of the first two levels begins a
 * section, or of the highest there is. Frontmatter goes to the text above them, as code.
 */
function partsOf(source: string): { readonly title: string | undefined; readonly list: readonly Part[] } {
  const front = FRONTMATTER.exec(source)?.[0] ?? "";
  const text = source.slice(front.length);
  const headings = parseBlocks(text).flatMap((block) => (block.kind === "heading" ? [block] : []));
  const first = headings.find(({ level }) => level === 1);
  const title = first !== undefined && findSectionName(first.text) === undefined ? first : undefined;
  const others = headings.filter((heading) => heading !== title);
  const level = Math.max(2, Math.min(6, ...others.map((heading) => heading.level)));
  const starts = others.filter((heading) => heading.level <= level);
  const above = withoutHeading(text.slice(0, starts[0]?.start ?? text.length), title);
  const list = starts.map(({ end, text: heading }, at): Part => {
    const next = starts[at + 1]?.start ?? text.length;
    return {
      heading: heading.trim(),
      text: withoutHeading(text.slice(0, next), title).slice(withoutHeading(text.slice(0, end), title).length),
    };
  });
  const code = front === "" ? "" : `\`\`\`yaml\n${trimBlankLines(front)}\n\`\`\`\n\n`;
  return { title: title?.text.trim(), list: [{ heading: undefined, text: code + above.replace(/^\n+/, "") }, ...list] };
}

/** A text without a heading that stands in it. */
function withoutHeading(text: string, heading: { readonly start: number; readonly end: number } | undefined): string {
  if (heading === undefined || heading.start >= text.length) return text;
  return text.slice(0, heading.start) + text.slice(heading.end);
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
