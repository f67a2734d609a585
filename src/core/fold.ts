import { durableParts, durableUnits } from "./durable.ts";
import { DURABLE_NAMES } from "./headings.ts";
import { appendToSection } from "./section_edit.ts";
import { parseSummary } from "./summary.ts";
import { joinBlocks, splitUnits, type Unit, unitOf } from "./units.ts";

/** A parent's body with what it lacked of a child's; `added` counts bullets and paragraphs. */
export interface Fold {
  readonly body: string;
  readonly added: number;
  readonly movedToDecisions: boolean;
}

const LEAST_DEEP = "###";

/**
 * Adds to a parent what it lacks of a child's Decisions and Constraints, by top-level list item, paragraph or block;
 * a child without known sections counts as Decisions. With `from`, each added bullet and heading ends with ` (from <id>)`.
 */
export function foldIntoParent(parent: string, child: string, from: string | undefined): Fold {
  let fold: Fold = { body: parent, added: 0, movedToDecisions: false };
  for (const name of DURABLE_NAMES) {
    const known = new Set(durableUnits(parseSummary(fold.body), name).map(keyOf));
    const said = durableParts(parseSummary(child), name).flatMap(raiseHeadings);
    const units = said.map((unit): Candidate => candidateOf(unit, from, known));
    // A heading goes with what the parent lacks below it; one with nothing below says something itself.
    const below = units.map((_, at) => belowOf(units, at));
    const lacking = new Set(units.filter(({ isLacking }, at) => isLacking && below[at]?.length === 0));
    if (lacking.size === 0) continue;
    const added = units.filter((unit, at) => lacking.has(unit) || below[at]?.some((each) => lacking.has(each)));
    const text = joinBlocks(added.map((unit) => unit.text));
    const edit = appendToSection(fold.body, name, text, { intoLast: true, byHeading: true });
    fold = {
      body: edit.body,
      added: fold.added + lacking.size,
      movedToDecisions: fold.movedToDecisions || edit.movedToDecisions,
    };
  }
  return fold;
}

/** Sub-headings that stand below no other get the least depth, so that they belong to none that they are put behind. */
function raiseHeadings(units: readonly Unit[]): readonly Unit[] {
  let least = 6;
  return units.map((unit) => {
    const level = levelOf(unit.text);
    if (level === undefined || level > least) return unit;
    least = level;
    return unitOf(unit.text.replace(/^#+/, LEAST_DEEP));
  });
}

function levelOf(text: string): number | undefined {
  return /^(#{1,6})[ \t]/.exec(text)?.[1]?.length;
}

/** A unit of the child as it would be added. */
interface Candidate {
  readonly text: string;
  readonly isLacking: boolean;
  /** of a heading */
  readonly level: number | undefined;
}

function candidateOf(unit: Unit, from: string | undefined, known: ReadonlySet<string>): Candidate {
  // Indented, it would go on with the list item above it.
  const own = unit.text.replace(/^ {1,3}(?=\S)/, "");
  const level = levelOf(own);
  const isOfParent = level !== undefined && known.has(keyOf(unit));
  const text = from === undefined || isOfParent ? own : withSource(own, from);
  const isLacking = !known.has(keyOf(unit)) && splitUnits(text).some((each) => !known.has(keyOf(each)));
  return { text, isLacking, level };
}

/** A heading says the same at any level: how deep it is depends on what stands around it. */
function keyOf({ key }: Unit): string {
  return key.replace(/^#{1,6} /, "# ");
}

/** What stands below a heading among these, up to the next that isn't deeper; below another unit nothing. */
function belowOf(units: readonly Candidate[], at: number): readonly Candidate[] {
  const level = units[at]?.level;
  if (level === undefined) return [];
  const end = units.findIndex((unit, index) => index > at && unit.level !== undefined && unit.level <= level);
  return units.slice(at + 1, end === -1 ? undefined : end);
}

/** Names the thread that a bullet or heading comes from, at the end of its first line. */
function withSource(text: string, from: string): string {
  const [first = "", ...rest] = text.split("\n");
  if (!/^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s/.test(first)) return text;
  return [`${first.trimEnd()} (from ${from})`, ...rest].join("\n");
}
