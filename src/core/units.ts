import { type Block, parseBlocks, type Span } from "./markdown.ts";

/** The smallest part of a summary that is kept, added or left out as a whole; two with one key say the same. */
export interface Unit {
  readonly text: string;
  /** the text trimmed, with each run of blanks as one */
  readonly key: string;
}

/** Splits a text into its top-level list items, with all that stands under them, and else its blocks. */
export function splitUnits(text: string): readonly Unit[] {
  return parseBlocks(text)
    .flatMap((block): readonly Span[] => (block.kind === "list" ? block.inner : [block]))
    .map(({ start, end }) => unitOf(text.slice(start, end)))
    .filter(({ key }) => key !== "");
}

function unitOf(raw: string): Unit {
  const text = raw.replace(/^[\r\n]+/, "").trimEnd();
  return { text, key: text.trim().replace(/\s+/g, " ") };
}

/** Joins texts so that each stays what it is: a blank line between them, none between two lists. */
export function joinBlocks(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .reduce((joined, part) => (joined === "" ? part : `${joined}${separatorOf(joined, part)}${part}`), "");
}

function separatorOf(above: string, below: string): string {
  return parseBlocks(above).findLast(isNotSpace)?.kind === "list" && parseBlocks(below)[0]?.kind === "list"
    ? "\n"
    : "\n\n";
}

function isNotSpace({ kind }: Block): boolean {
  return kind !== "space";
}
