import { ThreadMindError } from "../errors.ts";
import { findNearHeading, type SectionName } from "./headings.ts";
import { leadingBlankLines, lineEndOf, normaliseLineEnds, trimBlankLines, trimBlanksAtEnd } from "./lines.ts";
import { addAtEnd, addUnderHeadings } from "./section_add.ts";
import { parseContent } from "./section_content.ts";
import { chooseBody, createSection } from "./section_place.ts";
import { contentOf, parseSummary, type Section, type Summary } from "./summary.ts";

/** A changed body; `movedToDecisions` if its old text, which had no section, was put under Decisions first. */
export interface SectionEdit {
  readonly body: string;
  readonly movedToDecisions: boolean;
}

const MOST_LINES = 10;

/**
 * Replaces the content of a section, byte for byte nothing else; an absent one is created in standard order, empty
 * content removes it. Throws `conflicting-sections` if it stands twice, with the lines of a file whose body begins at
 * `bodyLine`, and `invalid-content` if the content would end it.
 */
export function setSection(body: string, name: SectionName, content: string, bodyLine = 1): SectionEdit {
  const summary = parseSummary(body);
  const section = findOnly(summary, name, bodyLine);
  const text = parseContent(name, headingOf(summary, section, name), content);
  if (section === undefined) return text === "" ? unmoved(body) : createSection(summary, name, text);
  if (text === "") return unmoved(removeSection(summary, section));
  if (text === contentOf(summary, section)) return unmoved(body);
  return unmoved(writeSection(summary, section, text.replaceAll("\n", lineEndOf(body)), text));
}

/**
 * Adds to a section, which is created if absent. Throws as `setSection()`; with `intoLast`, which is for a text that isn't
 * typed, a section that stands twice is added to where it stands last, and no line that is only near to the section's
 * heading is taken for it. With `byHeading` each part goes below the heading that it has, and what has none before the
 * section's first one; otherwise all goes to the end.
 */
export function appendToSection(
  body: string,
  name: SectionName,
  content: string,
  {
    intoLast = false,
    byHeading = !intoLast,
    bodyLine = 1,
  }: { readonly intoLast?: boolean; readonly byHeading?: boolean; readonly bodyLine?: number } = {},
): SectionEdit {
  const summary = parseSummary(body);
  const section = intoLast
    ? summary.sections.findLast((each) => each.name === name)
    : findOnly(summary, name, bodyLine);
  const text = parseContent(name, headingOf(summary, section, name), content, !intoLast);
  if (text === "") return unmoved(body);
  if (section === undefined) return createSection(summary, name, text);
  const { core } = partsOf(summary, section);
  const eol = lineEndOf(body);
  const written = byHeading ? addUnderHeadings(core, text, eol) : addAtEnd(core, text, eol);
  return unmoved(writeSection(summary, section, written, trimBlankLines(normaliseLineEnds(written))));
}

function unmoved(body: string): SectionEdit {
  return { body, movedToDecisions: false };
}

function findOnly({ sections }: Summary, name: SectionName, bodyLine: number): Section | undefined {
  const named = sections.filter((section) => section.name === name);
  if (named.length < 2) return named[0];
  const lines = named.slice(0, MOST_LINES).map(({ line }) => line + bodyLine - 1);
  const more = named.length > MOST_LINES ? ", …" : "";
  throw new ThreadMindError(
    "conflicting-sections",
    `Cannot change the section ${name}: it stands ${named.length === 2 ? "twice" : `${named.length} times`} in the summary (lines ${lines.join(", ")}${more} of its file).`,
    "Write the whole summary, without section, with that section once.",
  );
}

/** The heading that a section keeps or gets; one that is only meant as a heading becomes one. */
function headingOf({ body }: Summary, section: Section | undefined, name: SectionName): string {
  if (section === undefined) return `## ${name}`;
  const line = normaliseLineEnds(body.slice(section.start, section.contentStart)).trimEnd();
  return section.near ? (findNearHeading(line)?.heading ?? `## ${name}`) : line;
}

interface Parts {
  readonly lead: string;
  readonly core: string;
  readonly trail: string;
}

/** What is below a section's heading: blank lines, the content, and the line ends after it. */
function partsOf({ body }: Summary, { contentStart, end }: Section): Parts {
  const region = body.slice(contentStart, end);
  if (trimBlanksAtEnd(region) === "") return { lead: "", core: "", trail: region };
  const lead = leadingBlankLines(region);
  const core = trimBlanksAtEnd(region.slice(lead.length));
  return { lead, core, trail: region.slice(lead.length + core.length).replace(/^[ \t]+/, "") };
}

function writeSection(summary: Summary, section: Section, core: string, text: string): string {
  const { body } = summary;
  const parts = partsOf(summary, section);
  const [above, below] = [body.slice(0, section.start), body.slice(section.end)];
  const trails = below === "" ? [trailAtEnd(body, parts)] : trailsAbove(parts, lineEndOf(body));
  const bodies = headingLines(summary, section).flatMap((heading) =>
    trails.map((trail) => above + heading + parts.lead + core + trail + below),
  );
  return chooseBody(summary, bodies, section, text);
}

/** The heading's line as it may be written, the best first: as it stands, or what was only meant as a heading as one. */
function headingLines(summary: Summary, section: Section): string[] {
  const line = summary.body.slice(section.start, section.contentStart);
  const eol = lineEndOf(summary.body);
  const kept = /[\r\n]$/.test(line) ? line : line + eol;
  return section.near ? [headingOf(summary, section, section.name) + eol, kept] : [kept];
}

function trailAtEnd(body: string, { core, trail }: Parts): string {
  if (core !== "") return trail;
  return /[\r\n]$/.test(body) ? lineEndOf(body) : "";
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
  const emptied = headingLines(summary, section).map((heading) => above + heading + eol + below);
  return chooseBody(summary, [above + below, above + eol + below, ...emptied], section, undefined);
}
