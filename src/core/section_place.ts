import { ThreadMindError } from "../errors.ts";
import { SECTION_NAMES, type SectionName } from "./headings.ts";
import { leadingBlankLines, lineEndOf, normaliseLineEnds, trimBlankLines, trimBlanksAtEnd } from "./lines.ts";
import { closeLastBlock } from "./open_blocks.ts";
import { demoteHeadings } from "./section_content.ts";
import { contentOf, parseSummary, type Section, type Summary } from "./summary.ts";
import { joinBlocks } from "./units.ts";

type Entry = readonly [name: string, text: string];

/** The sections, and the near ones under their headings. */
function entriesOf(summary: Summary): Entry[] {
  const { body, sections, nearSections } = summary;
  return [
    ...sections.map((section): Entry => [section.name, contentOf(summary, section)]),
    ...nearSections.map(
      (near): Entry => [`near ${body.slice(near.start, near.contentStart).trim()}`, contentOf(summary, near)],
    ),
  ];
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

/** True if a body has the section with these texts, and beside it the others; to have none, it may have one without content. */
function holds(body: string, name: SectionName, own: readonly string[], others: readonly Entry[]): boolean {
  const entries = entriesOf(parseSummary(body));
  const texts = entries.flatMap(([each, text]) => (each === name && (own.length > 0 || text !== "") ? [text] : []));
  const rest = entries.filter(([each]) => each !== name);
  return (
    texts.length === own.length &&
    texts.every((text, index) => text === own[index]) &&
    rest.length === others.length &&
    rest.every(([each, text], index) => {
      const [other, had = ""] = others[index] ?? [];
      return each === other && (text === had || text === closeLastBlock(had));
    })
  );
}

/** Adds a section that a summary doesn't have, in standard order; what a summary without sections says becomes its Decisions. */
export function createSection(
  summary: Summary,
  name: SectionName,
  text: string,
): { readonly body: string; readonly movedToDecisions: boolean } {
  const { body, sections } = summary;
  if (sections.length === 0 && trimBlanksAtEnd(body) !== "") {
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
  const closed = closedBody(body);
  return [
    ...(next === undefined
      ? []
      : [insert(body, next.start, 2, name, text), insert(body, next.start, next.level, name, text)]),
    ...(previous === undefined
      ? []
      : [insert(body, previous.end, 2, name, text), insert(body, previous.end, previous.level, name, text)]),
    ...(last === undefined ? [] : [insert(body, last.end, 2, name, text)]),
    insert(body, body.length, 2, name, text),
    insert(closed, closed.length, 2, name, text),
  ];
}

/** The body with what its last block leaves open closed. */
function closedBody(body: string): string {
  const text = normaliseLineEnds(trimBlanksAtEnd(body));
  const closers = closeLastBlock(text).slice(text.length).replaceAll("\n", lineEndOf(body));
  const end = trimBlanksAtEnd(body).length;
  return body.slice(0, end) + closers + body.slice(end);
}

function insert(body: string, at: number, level: number, name: SectionName, text: string): string {
  const eol = lineEndOf(body);
  const above = body.slice(0, at);
  const below = body.slice(at);
  const tail = normaliseLineEnds(above.slice(-200));
  const isSetOff = trimBlanksAtEnd(above) === "" || /\n[ \t]*\n$/.test(tail);
  const gap = (above === "" || tail.endsWith("\n") ? "" : eol) + (isSetOff ? "" : eol);
  const isAtEnd = trimBlanksAtEnd(below) === "";
  const end = isAtEnd ? (body === "" || /[\r\n]$/.test(body) ? eol : "") : eol + eol;
  return `${above}${gap}${"#".repeat(level)} ${name}${eol}${text.replaceAll("\n", eol)}${end}${isAtEnd ? "" : below}`;
}

function moveToDecisions(body: string, name: SectionName, text: string): string {
  const eol = lineEndOf(body);
  const lead = leadingBlankLines(body);
  const old = closeLastBlock(demoteHeadings(trimBlankLines(normaliseLineEnds(body))));
  const sections = name === "Decisions" ? joinBlocks([old, text]) : `${old}\n\n## ${name}\n${text}`;
  const moved = `## Decisions\n${sections}`.replaceAll("\n", eol);
  return `${lead}${moved}${/[\r\n]$/.test(body) ? eol : ""}`;
}
