import { between } from "./conflict_text.ts";
import { parseBlocks } from "./markdown.ts";
import type { MergedUnit } from "./unit_merge.ts";
import { splitUnits } from "./units.ts";

/** The items of one ordered list count on, wherever they come from. */
export function renumber(merged: readonly MergedUnit[]): readonly MergedUnit[] {
  let number: number | undefined;
  return merged.map((each) => {
    const [, indent, own, mark] = /^( {0,3})(\d{1,9})([.)][ \t])/.exec(each.unit.text) ?? [];
    number = own === undefined ? undefined : number === undefined ? Number(own) : number + 1;
    if (number === undefined || Number(own) === number) return each;
    const text = `${indent}${number}${mark}${each.unit.text.slice(`${indent}${own}${mark}`.length)}`;
    return { ...each, unit: { ...each.unit, text } };
  });
}

/**
 * Merged units as text, with conflict markers around contested ones or without: neighbours of one side keep what stood
 * between them there.
 */
export function renderMerged(merged: readonly MergedUnit[], ours: string, theirs: string, hasMarkers: boolean): string {
  const gaps = { ours: gapsOf(ours), theirs: gapsOf(theirs) };
  let text = "";
  let previous: MergedUnit | undefined;
  for (const next of merged) {
    const isMarked = hasMarkers && next.isContested;
    const own = next.side === "ours" ? [next.unit.text, ""] : ["", next.unit.text];
    const shown = isMarked ? between(own[0] ?? "", own[1] ?? "").trimEnd() : next.unit.text;
    if (previous !== undefined) text += isMarked ? "\n" : gapBetween(previous, next, gaps);
    text += shown;
    previous = next;
  }
  return text;
}

function gapBetween(
  previous: MergedUnit,
  next: MergedUnit,
  gaps: Readonly<Record<"ours" | "theirs", readonly string[]>>,
): string {
  const isNeighbour = previous.side === next.side && previous.index + 1 === next.index;
  const gap = isNeighbour ? gaps[next.side][next.index] : undefined;
  if (gap !== undefined) return gap;
  const isList = isItem(previous.unit.text) && isItem(next.unit.text);
  return isList ? "\n" : "\n\n";
}

function isItem(text: string): boolean {
  return parseBlocks(text)[0]?.kind === "list";
}

/** What stands before each unit of a content, which is nothing but line ends and blanks. */
function gapsOf(content: string): readonly string[] {
  let from = 0;
  return splitUnits(content).map(({ text }) => {
    const at = content.indexOf(text, from);
    const gap = at < 0 ? "" : content.slice(from, at);
    from = at < 0 ? from : at + text.length;
    return /^[ \t\n]*\n[ \t\n]*$/.test(gap) ? gap.replace(/[ \t]+(?=\n)/g, "").replace(/\n{3,}/g, "\n\n") : "\n\n";
  });
}
