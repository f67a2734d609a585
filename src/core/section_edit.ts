import { ThreadMindError } from "../errors.ts";
import { findNearHeading, type SectionName } from "./headings.ts";
import { lineEndOf, normaliseLineEnds } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
import { closeOpenBlocks } from "./open_blocks.ts";
import { parseContent } from "./section_content.ts";
import { chooseBody, createSection } from "./section_place.ts";
import { contentOf, parseSummary, type Section, type Summary } from "./summary.ts";
import { joinBlocks } from "./units.ts";

/** A changed body; `movedToDecisions` if its old text, which had no section, was put under Decisions first. */
export interface SectionEdit {
  readonly body: string;
  readonly movedToDecisions: boolean;
}

/**
 * Replaces the content of a section, byte for byte nothing else; an absent one is created in standard order, empty
 * content removes it. Throws `conflicting-sections` if it stands twice, `invalid-content` if the content would end it.
 */
export function setSection(body: string, name: SectionName, content: string): SectionEdit {
  const summary = parseSummary(body);
  const section = findOnly(summary, name);
  const text = parseContent(name, headingOf(summary, section, name), content);
  if (section === undefined) return text === "" ? unmoved(body) : createSection(summary, name, text);
  if (text === "") return unmoved(removeSection(summary, section));
  if (text === contentOf(summary, section)) return unmoved(body);
  return unmoved(writeSection(summary, section, text.replaceAll("\n", lineEndOf(body)), text));
}

/**
 * Adds to the end of a section, which is created if absent. Throws as `setSection()`; with `intoLast`, a section that
 * stands twice is added to where it stands last.
 */
export function appendToSection(
  body: string,
  name: SectionName,
  content: string,
  { intoLast = false }: { readonly intoLast?: boolean } = {},
): SectionEdit {
  const summary = parseSummary(body);
  const section = intoLast ? summary.sections.findLast((each) => each.name === name) : findOnly(summary, name);
  const text = parseContent(name, headingOf(summary, section, name), content);
  if (text === "") return unmoved(body);
  if (section === undefined) return createSection(summary, name, text);
  const old = contentOf(summary, section);
  const joined = joinBlocks([closeOpenBlocks(old), dedentAfterList(old, text)]);
  const added = joined.slice(old.length).replaceAll("\n", lineEndOf(body));
  const { core } = partsOf(summary, section);
  return unmoved(writeSection(summary, section, core + added, joined));
}

function unmoved(body: string): SectionEdit {
  return { body, movedToDecisions: false };
}

function findOnly({ sections }: Summary, name: SectionName): Section | undefined {
  const named = sections.filter((section) => section.name === name);
  if (named.length < 2) return named[0];
  const lines = named.map(({ line }) => line);
  throw new ThreadMindError(
    "conflicting-sections",
    `Cannot change the section ${name}: it stands ${named.length === 2 ? "twice" : `${named.length} times`} (lines ${lines.slice(0, -1).join(", ")} and ${lines.at(-1)} of the summary).`,
    "Write the whole summary, without section, with the section once.",
  );
}

/** The heading that a section keeps or gets; one that is only meant as a heading becomes one. */
function headingOf({ body }: Summary, section: Section | undefined, name: SectionName): string {
  if (section === undefined) return `## ${name}`;
  const line = normaliseLineEnds(body.slice(section.start, section.contentStart)).trimEnd();
  return section.near ? (findNearHeading(line)?.heading ?? `## ${name}`) : line;
}

/** Text that is indented less than code would go on with the last item of the list above it. */
function dedentAfterList(above: string, text: string): string {
  const indent = /^ {1,3}(?=\S)/.exec(text)?.[0] ?? "";
  if (indent === "" || parseBlocks(above).findLast(({ kind }) => kind !== "space")?.kind !== "list") return text;
  return text.replace(new RegExp(`^ {1,${indent.length}}`, "gm"), "");
}

interface Parts {
  /** the heading's line, without its line break */
  readonly heading: string;
  readonly lead: string;
  readonly core: string;
  readonly trail: string;
}

/** A section as heading, blank lines, content, and the blanks at its end; joined with a line break they are the section. */
function partsOf(summary: Summary, section: Section): Parts {
  const { body } = summary;
  const heading = headingOf(summary, section, section.name).replaceAll("\n", lineEndOf(body));
  const region = body.slice(section.contentStart, section.end);
  if (region.trim() === "") return { heading, lead: "", core: "", trail: region };
  const lead = /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(region)?.[0] ?? "";
  const core = region.slice(lead.length).trimEnd();
  return { heading, lead, core, trail: region.slice(lead.length + core.length).replace(/^[ \t]+/, "") };
}

function writeSection(summary: Summary, section: Section, core: string, text: string): string {
  const { body } = summary;
  const eol = lineEndOf(body);
  const parts = partsOf(summary, section);
  const above = `${body.slice(0, section.start)}${keptHeading(summary, section, parts.heading)}${parts.lead}${core}`;
  const below = body.slice(section.end);
  const trails = below === "" ? [trailAtEnd(body, parts, eol)] : trailsAbove(parts, eol);
  return chooseBody(
    summary,
    trails.map((trail) => above + trail + below),
    section,
    text,
  );
}

/** The heading as it stands in the file, byte for byte, unless it was only meant as one. */
function keptHeading({ body }: Summary, { start, contentStart, near }: Section, heading: string): string {
  const line = body.slice(start, contentStart);
  const end = /(?:\r\n|\r|\n)$/.exec(line)?.[0] ?? lineEndOf(body);
  return near ? heading + end : line.replace(/(?:\r\n|\r|\n)$/, "") + end;
}

function trailAtEnd(body: string, { core, trail }: Parts, eol: string): string {
  if (core !== "") return trail;
  return /[\r\n]$/.test(body) ? eol : "";
}

function trailsAbove({ core, trail }: Parts, eol: string): string[] {
  const first = core === "" ? eol + (trail === "" ? eol : trail) : trail;
  return [first, eol + first];
}

/** Drops a section with its heading; the heading stays where without it another section would take in what follows. */
function removeSection(summary: Summary, section: Section): string {
  const { body } = summary;
  const eol = lineEndOf(body);
  const [above, below] = [body.slice(0, section.start), body.slice(section.end)];
  const heading = keptHeading(summary, section, headingOf(summary, section, section.name));
  return chooseBody(summary, [above + below, above + eol + below, above + heading + eol + below], section, undefined);
}
