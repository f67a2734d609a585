import { ThreadMindError } from "../errors.ts";
import { findBoundaries } from "./boundaries.ts";
import { findNearHeading, findNearName, findSectionName, isSetOff, type SectionName } from "./headings.ts";
import { normaliseLineEnds, trimBlankLines, trimBlanksAtEnd } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
import { closeLastBlock } from "./open_blocks.ts";
import { parseSummary } from "./summary.ts";

/**
 * A text as the content of one section below `heading`: without that section's own heading (in a typed one, also one that
 * is only near to it), with what it leaves open closed, `\n` at line ends. Throws `invalid-content` where a heading in it
 * would end the section.
 */
export function parseContent(name: SectionName, heading: string, typed: string, isTyped = true): string {
  const given = normaliseLineEnds(typed);
  const text = trimBlankLines(withoutOwnHeading(name, trimBlankLines(given), isTyped));
  const whole = `${heading}\n${text}`;
  const { sections } = parseSummary(whole);
  const end = sections[0]?.end ?? 0;
  if (sections.length === 1 && end === whole.length) return closeLastBlock(text);
  const cut = end - heading.length - 1;
  const above = trimBlanksAtEnd(given).length - text.length + cut;
  throw refuseHeading(name, text.slice(cut), given.slice(0, above).split("\n").length);
}

function withoutOwnHeading(name: SectionName, text: string, isTyped: boolean): string {
  const first = parseBlocks(text)[0];
  if (first?.kind === "heading") {
    const named = findSectionName(first.text);
    const near = named === undefined && isTyped ? findNearName(first.text) : undefined;
    return named === name || (near?.name === name && near.isBare) ? text.slice(first.end) : text;
  }
  const [line = "", below] = text.split("\n", 2);
  const near = findNearHeading(line);
  if (near?.name !== name || !near.isBare) return text;
  // A word alone may be the content.
  const isHeading = near.isSection || (isTyped && below !== undefined);
  return isHeading && (!near.isLine || isSetOff(line, below)) ? text.slice(line.length) : text;
}

function refuseHeading(name: SectionName, rest: string, line: number): ThreadMindError {
  const [shown = ""] = rest.split("\n", 1);
  // A known section below it, so that what is only near to one counts too.
  const { sections, nearSections } = parseSummary(`${rest}\n\n## ${name}`);
  const other = [...sections, ...nearSections].find(({ start, end }) => start === 0 && end <= rest.length + 2);
  const isOther = other !== undefined && other.name !== name;
  const hint = isOther
    ? `Write ${other.name} in a call of its own, or the whole summary without section.`
    : "Use ### or deeper inside a section, or write the whole summary without section.";
  return new ThreadMindError(
    "invalid-content",
    `Cannot write the section ${name}: line ${line} of the content is a heading that would end it: ${shown.trim()}`,
    /^ {0,3}#{1,6}(?:\s|$)/.test(shown) ? hint : `${hint} If the line isn't meant as a heading, begin it with "- ".`,
  );
}

/** Makes the headings of a text deep enough to stand within a section, `##State` too; nothing else changes. */
export function demoteHeadings(text: string): string {
  const headings = parseBlocks(text).flatMap((block) => (block.kind === "heading" && !block.isSetext ? [block] : []));
  const shift = 3 - headings.reduce((least, { level }) => Math.min(least, level), 3);
  const glued = text.includes("#") ? findBoundaries(text).filter(({ isOther, isGlued }) => isOther && isGlued) : [];
  const deeper = [
    ...headings.map(({ start, level }) => ({ start, added: Math.min(6, level + shift) - level })),
    ...glued.map(({ start, level }) => ({ start, added: Math.max(3, level) - level })),
  ].sort((a, b) => a.start - b.start);
  let moved = "";
  let copied = 0;
  for (const { start, added } of deeper) {
    const hashes = text.indexOf("#", start);
    moved += text.slice(copied, hashes) + "#".repeat(added);
    copied = hashes;
  }
  return moved + text.slice(copied);
}
