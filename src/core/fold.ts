import { DURABLE_NAMES, type SectionName } from "./headings.ts";
import { demoteHeadings } from "./section_content.ts";
import { appendToSection } from "./section_edit.ts";
import { hasKnownSection, parseSummary, sectionText } from "./summary.ts";
import { joinBlocks, splitUnits, type Unit } from "./units.ts";

/** A parent's body with what it lacked of a child's; `added` counts bullets and paragraphs. */
export interface Fold {
  readonly body: string;
  readonly added: number;
  readonly movedToDecisions: boolean;
}

/**
 * Adds to a parent what it lacks of a child's Decisions and Constraints, by top-level list item, paragraph or block;
 * a child without known sections counts as Decisions. With `from`, each added bullet ends with ` (from <id>)`.
 */
export function foldIntoParent(parent: string, child: string, from: string | undefined): Fold {
  let fold: Fold = { body: parent, added: 0, movedToDecisions: false };
  for (const name of DURABLE_NAMES) {
    const known = new Set(unitsOf(fold.body, name).map(({ key }) => key));
    const lacking = unitsOf(child, name)
      .filter(({ key }) => !known.has(key))
      .map(({ text }) => (from === undefined ? text : withSource(text, from)))
      .filter((text) => splitUnits(text).some(({ key }) => !known.has(key)));
    if (lacking.length === 0) continue;
    const text = joinBlocks(lacking);
    const edit = appendToSection(fold.body, name, text, { intoLast: true });
    fold = {
      body: edit.body,
      added: fold.added + lacking.length,
      movedToDecisions: fold.movedToDecisions || edit.movedToDecisions,
    };
  }
  return fold;
}

/** The units of a section; all of a summary without known sections is its Decisions. */
function unitsOf(body: string, name: SectionName): readonly Unit[] {
  if (hasKnownSection(body)) return splitUnits(sectionText(parseSummary(body), name) ?? "");
  return name === "Decisions" ? splitUnits(demoteHeadings(body.replace(/\r\n?/g, "\n"))) : [];
}

/** Names the thread that a bullet comes from, at the end of its first line. */
function withSource(text: string, from: string): string {
  const [first = "", ...rest] = text.split("\n");
  if (!/^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(first)) return text;
  return [`${first.trimEnd()} (from ${from})`, ...rest].join("\n");
}
