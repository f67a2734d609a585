import { DURABLE_NAMES, SECTION_NAMES, type SectionName } from "./headings.ts";
import { normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { closeLastBlock } from "./open_blocks.ts";
import { demoteHeadings } from "./section_content.ts";
import { contentOf, type Summary, sectionText } from "./summary.ts";
import { splitUnits, type Unit } from "./units.ts";

/** What the text that is in no section is called. */
export const OTHER_TEXT = "other text";

/**
 * What a thread says of its Decisions or Constraints, with headings of level 3 and deeper: the section's units, those that
 * stand under no sub-heading first, then those under near-headings, below `### …` where such a heading says more than the
 * name. Without known sections, all of a body is its Decisions.
 */
export function durableUnits(summary: Summary, name: SectionName): readonly Unit[] {
  return durableParts(summary, name).flat();
}

/** The same, part by part: a heading belongs below another one only within its part. */
export function durableParts(summary: Summary, name: SectionName): readonly (readonly Unit[])[] {
  const { body, sections, nearSections } = summary;
  if (sections.length === 0) return name === "Decisions" ? [unitsIn(body)] : [];
  const near = nearSections.filter((part) => part.name === name);
  const bare = [...sections.filter((part) => part.name === name), ...near.filter(({ words }) => words === "")];
  const texts = bare.map((part) => unitsIn(contentOf(summary, part)));
  // What stands under no sub-heading comes first, so that it isn't taken for a part of another's last one.
  const leads = texts.map((units) => units.slice(0, leadLength(units)));
  const rests = texts.map((units) => units.slice(leadLength(units)));
  const telling = near.filter(({ words }) => words !== "");
  const told = telling.map((part) => [...splitUnits(`### ${part.words}`), ...unitsIn(contentOf(summary, part))]);
  return [...leads, ...rests, ...told];
}

/** How many units stand before the first sub-heading. */
function leadLength(units: readonly Unit[]): number {
  const at = units.findIndex(({ text }) => /^ {0,3}#{1,6}(?:[ \t]|$)/.test(text.split("\n", 1)[0] ?? ""));
  return at === -1 ? units.length : at;
}

/** What is left open is closed, as it is where the text is added to another. */
function unitsIn(text: string): readonly Unit[] {
  return splitUnits(closeLastBlock(demoteHeadings(normaliseLineEnds(text))));
}

/** The text that is in no known section and under no near-heading, without blank lines around it; none of a body without sections. */
export function otherText({ body, sections, nearSections }: Summary): string {
  if (sections.length === 0) return "";
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of [...sections, ...nearSections].sort((a, b) => a.start - b.start)) {
    parts.push(body.slice(at, start));
    at = end;
  }
  return trimBlankLines(normaliseLineEnds([...parts, body.slice(at)].join("\n")));
}

/** What a summary says beside decisions and constraints: the names of such sections that aren't empty, and `other text`. */
export function besideDurable(summary: Summary): readonly string[] {
  const names = SECTION_NAMES.filter((name) => !DURABLE_NAMES.includes(name));
  const named = names.filter((name) => (sectionText(summary, name) ?? "") !== "");
  return otherText(summary) === "" ? named : [...named, OTHER_TEXT];
}
