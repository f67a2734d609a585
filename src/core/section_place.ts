import { ThreadMindError } from "../errors.ts";
import { SECTION_NAMES, type SectionName } from "./headings.ts";
import { lineEndOf, normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
import { closeOpenBlocks } from "./open_blocks.ts";
import { contentOf, parseSummary, type Section, type Summary } from "./summary.ts";
import { joinBlocks } from "./units.ts";

type Entry = readonly [name: SectionName, text: string];

function entriesOf(summary: Summary): Entry[] {
  return summary.sections.map((section) => [section.name, contentOf(summary, section)]);
}

/**
 * The first of several bodies in which the section has this text (`undefined`: none) and every other section has what it
 * had. `target` is the section as it was, or the name of a new one.
 */
export function chooseBody(
  before: Summary,
  bodies: readonly string[],
  target: Section | SectionName,
  text: string | undefined,
): string {
  const name = typeof target === "string" ? target : target.name;
  const at = typeof target === "string" ? -1 : before.sections.indexOf(target);
  const old = entriesOf(before);
  const others = old.filter(([each]) => each !== name);
  const own = old.flatMap(([each, had], index) => (each !== name ? [] : index === at ? [text] : [had]));
  if (at === -1) own.push(text);
  const wanted = own.filter((each) => each !== undefined);
  const found = bodies.find((body) => holds(body, name, wanted, others));
  if (found !== undefined) return found;
  throw new ThreadMindError(
    "invalid-content",
    `Cannot write the section ${name}: the summary's headings would no longer be the same.`,
    "Write the whole summary, without section.",
  );
}

/** True if a body has the section with these texts, and beside it the others; one without content counts as absent. */
function holds(body: string, name: SectionName, own: readonly string[], others: readonly Entry[]): boolean {
  const entries = entriesOf(parseSummary(body));
  const texts = entries.flatMap(([each, text]) => (each === name && (text !== "" || own.includes("")) ? [text] : []));
  const rest = entries.filter(([each]) => each !== name);
  return (
    texts.length === own.length &&
    texts.every((text, index) => text === own[index]) &&
    rest.length === others.length &&
    rest.every(([each, text], index) => each === others[index]?.[0] && text === others[index]?.[1])
  );
}

/** Adds a section that a summary doesn't have, in standard order; what a summary without sections says becomes its Decisions. */
export function createSection(
  summary: Summary,
  name: SectionName,
  text: string,
): { readonly body: string; readonly movedToDecisions: boolean } {
  const { body, sections } = summary;
  if (sections.length === 0 && body.trim() !== "") {
    return { body: moveToDecisions(body, name, text), movedToDecisions: true };
  }
  return { body: chooseBody(summary, placesOf(summary, name, text), name, text), movedToDecisions: false };
}

/** Bodies with the section at each place where it might go, the best first. */
function placesOf({ body, sections }: Summary, name: SectionName, text: string): string[] {
  const rank = SECTION_NAMES.indexOf(name);
  const next = sections.find((section) => SECTION_NAMES.indexOf(section.name) > rank);
  const previous = sections.findLast((section) => SECTION_NAMES.indexOf(section.name) < rank);
  const last = sections.at(-1);
  const closed = normaliseLineEnds(body);
  const closers = closeOpenBlocks(closed).slice(closed.length).replaceAll("\n", lineEndOf(body));
  return [
    ...(next === undefined
      ? []
      : [insert(body, next.start, 2, name, text), insert(body, next.start, next.level, name, text)]),
    ...(previous === undefined
      ? []
      : [insert(body, previous.end, 2, name, text), insert(body, previous.end, previous.level, name, text)]),
    ...(last === undefined ? [] : [insert(body, last.end, 2, name, text)]),
    insert(body, body.length, 2, name, text),
    insert(body + closers, body.length + closers.length, 2, name, text),
  ];
}

function insert(body: string, at: number, level: number, name: SectionName, text: string): string {
  const eol = lineEndOf(body);
  const above = body.slice(0, at);
  const below = body.slice(at);
  const tail = normaliseLineEnds(above.slice(-200));
  const isSetOff = above.trim() === "" || /\n[ \t]*\n$/.test(tail);
  const gap = (above === "" || tail.endsWith("\n") ? "" : eol) + (isSetOff ? "" : eol);
  const isAtEnd = below.trim() === "";
  const end = isAtEnd ? (body === "" || /[\r\n]$/.test(body) ? eol : "") : eol + eol;
  return `${above}${gap}${"#".repeat(level)} ${name}${eol}${text.replaceAll("\n", eol)}${end}${isAtEnd ? "" : below}`;
}

function moveToDecisions(body: string, name: SectionName, text: string): string {
  const eol = lineEndOf(body);
  const lead = /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(body)?.[0] ?? "";
  const old = closeOpenBlocks(demoteHeadings(trimBlankLines(normaliseLineEnds(body))));
  const sections = name === "Decisions" ? joinBlocks([old, text]) : `${old}\n\n## ${name}\n${text}`;
  const moved = `## Decisions\n${sections}`.replaceAll("\n", eol);
  return `${lead}${moved}${/[\r\n]$/.test(body) ? eol : ""}`;
}

/** Makes the headings of a text deep enough to stand within a section. */
function demoteHeadings(text: string): string {
  const headings = parseBlocks(text).flatMap((block) => (block.kind === "heading" && !block.isSetext ? [block] : []));
  const shift = 3 - Math.min(3, ...headings.map(({ level }) => level));
  let moved = "";
  let copied = 0;
  for (const { start, level } of headings) {
    const hashes = text.indexOf("#", start);
    moved += text.slice(copied, hashes) + "#".repeat(Math.min(6, level + shift) - level);
    copied = hashes;
  }
  return moved + text.slice(copied);
}
