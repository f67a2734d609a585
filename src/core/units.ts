import { parseBlocks, type Span } from "./markdown.ts";

/** The smallest part of a summary that is kept, added or left out as a whole; two with one key say the same. */
export interface Unit {
  readonly text: string;
  /** the text without a list item's marker, trimmed, with each run of blanks as one */
  readonly key: string;
}

// `- one`, `* one` and `3. one` say the same.
const ITEM_MARKER = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t\n]+|$)/;

/** Splits a text into its top-level list items, with all that stands under them, and else its blocks. */
export function splitUnits(text: string): readonly Unit[] {
  return parseBlocks(text)
    .flatMap((block): readonly Span[] => (block.kind === "list" ? block.inner : [block]))
    .map(({ start, end }) => unitOf(text.slice(start, end)))
    .filter(({ key }) => key !== "");
}

/** A text as one unit. */
export function unitOf(raw: string): Unit {
  const text = raw.replace(/^[\r\n]+/, "").trimEnd();
  return { text, key: text.trim().replace(ITEM_MARKER, "").replace(/\s+/g, " ") };
}

/** Joins texts so that each stays what it is: a blank line between them, none between two lists. */
export function joinBlocks(parts: readonly string[]): string {
  let joined = "";
  let endsInList = false;
  for (const part of parts) {
    const blocks = parseBlocks(part).filter(({ kind }) => kind !== "space");
    if (blocks.length === 0) continue;
    const isList = endsInList && blocks[0]?.kind === "list";
    joined += (joined === "" ? "" : isList ? "\n" : "\n\n") + part;
    endsInList = blocks.at(-1)?.kind === "list";
  }
  return joined;
}
