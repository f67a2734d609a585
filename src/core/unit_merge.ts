import { likenessOf } from "./likeness.ts";
import { matchSequences } from "./sequence_match.ts";
import { isRespaced, mergeSpacing, respace } from "./spacing_merge.ts";
import { type Unit, unitOf } from "./units.ts";

/** A unit of the result: whose text it is, and where that stood. */
export interface MergedUnit {
  readonly unit: Unit;
  readonly side: "ours" | "theirs";
  readonly index: number;
  /** one side changed it, or added to it, and the other deleted what it was: only a person can tell what holds */
  readonly isContested: boolean;
  /** both sides changed what it was, differently: both forms stay */
  readonly isDoubled: boolean;
}

/** The units of a whole text by their keys, for those that moved from one of its parts to another. */
export type UnitIndex = ReadonlyMap<string, readonly Unit[]>;

/** The units of all three texts. */
export interface AllUnits {
  readonly base: UnitIndex;
  readonly ours: UnitIndex;
  readonly theirs: UnitIndex;
}

const SIMILAR = 0.5;

/**
 * Merges two lists of units that come from one: what either side added stays, what either side removed goes, in the order
 * of ours with theirs beside its neighbours. What both sides changed is merged line by line where that works, else both
 * forms stay; what one changed and the other deleted is contested.
 */
export function mergeUnits(
  base: readonly Unit[],
  ours: readonly Unit[],
  theirs: readonly Unit[],
  all: AllUnits = { base: indexUnits(base), ours: indexUnits(ours), theirs: indexUnits(theirs) },
): readonly MergedUnit[] {
  const [mine, other] = [sideOf(base, ours, all.ours), sideOf(base, theirs, all.theirs)];
  const isKept = (side: Side, against: Side, index: number): boolean => {
    const unit = side.units[index];
    const of = side.baseOf[index] ?? -1;
    if (unit === undefined) return false;
    if (of >= 0) return (against.placeOf[of] ?? -1) >= 0 || against.keys.has(unit.key);
    // A unit that only moved counts as there, and goes when the other side took it out or changed it.
    const isMoved = countOf(side.all, unit.key) <= countOf(all.base, unit.key);
    return !isMoved || against.all.has(unit.key);
  };
  const { contested, pairs, respaced } = compareForms(base, mine, other);
  const merged: MergedUnit[] = [];
  const taken = new Set<string>();
  const put = (side: "ours" | "theirs", index: number, unit: Unit): void => {
    taken.add(unit.key);
    const [own, against] = side === "ours" ? [mine, other] : [other, mine];
    const forms = spacingsOf(unit, index, own, against, base, all.base).map((text) => ({ ...unit, text }));
    const isDoubled = forms.length > 1;
    for (const form of forms) merged.push({ unit: form, side, index, isContested: contested.has(unit.key), isDoubled });
  };
  const pending = additionsByAnchor(other, mine);
  const putPending = (anchor: number): void => {
    for (const index of pending.get(anchor) ?? []) {
      const unit = theirs[index];
      if (unit !== undefined && !taken.has(unit.key) && !mine.keys.has(unit.key) && isKept(other, mine, index))
        put("theirs", index, unit);
    }
  };
  putPending(-1);
  for (const [index, unit] of ours.entries()) {
    if (isKept(mine, other, index)) put("ours", index, unit);
    putPending(index);
  }
  return contestOrphans(respaceAll(mergePairs(merged, pairs), respaced), ours, theirs, all.base);
}

/** The units of a text by their keys. */
export function indexUnits(units: readonly Unit[]): UnitIndex {
  const index = new Map<string, Unit[]>();
  for (const unit of units) {
    const known = index.get(unit.key);
    if (known === undefined) index.set(unit.key, [unit]);
    else known.push(unit);
  }
  return index;
}

/** How often a unit stands in a text. */
export function countOf(index: UnitIndex, key: string): number {
  return index.get(key)?.length ?? 0;
}

/** The texts of a unit of one side: with the blanks and line breaks that either side changed, or both forms where both did. */
function spacingsOf(
  unit: Unit,
  index: number,
  side: Side,
  against: Side,
  base: readonly Unit[],
  all: UnitIndex,
): readonly string[] {
  const only = (units: UnitIndex): Unit | undefined =>
    countOf(units, unit.key) === 1 ? units.get(unit.key)?.[0] : undefined;
  const of = side.baseOf[index] ?? -1;
  const old = base[of] ?? only(all);
  const there = against.units[against.placeOf[of] ?? -1] ?? only(against.all);
  if (old === undefined || there === undefined) return [unit.text];
  const text = mergeSpacing(old.text, unit.text, there.text);
  return text === undefined ? [unit.text, there.text] : [text];
}

/** One side against the base: both directions of their match. */
interface Side {
  readonly units: readonly Unit[];
  readonly keys: ReadonlySet<string>;
  readonly all: UnitIndex;
  readonly baseKeys: ReadonlySet<string>;
  /** for each unit of the base its place here, or -1 */
  readonly placeOf: readonly number[];
  /** for each unit here its place in the base, or -1 */
  readonly baseOf: readonly number[];
}

function sideOf(base: readonly Unit[], units: readonly Unit[], all: UnitIndex): Side {
  const keysOf = (list: readonly Unit[]): string[] => list.map(({ key }) => key);
  const placeOf = matchSequences(keysOf(base), keysOf(units));
  const baseOf = new Array<number>(units.length).fill(-1);
  for (const [index, place] of placeOf.entries()) if (place >= 0) baseOf[place] = index;
  return { units, keys: new Set(keysOf(units)), all, baseKeys: new Set(keysOf(base)), placeOf, baseOf };
}

/** Their additions by the unit of ours that they follow: the last one that both still have, with what ours added behind it. */
function additionsByAnchor(other: Side, mine: Side): ReadonlyMap<number, readonly number[]> {
  const byAnchor = new Map<number, number[]>();
  let anchor = -1;
  for (const [index, of] of other.baseOf.entries()) {
    if (of >= 0) {
      const place = mine.placeOf[of] ?? -1;
      if (place >= 0) anchor = place;
      continue;
    }
    const at = lastAdditionBehind(mine, anchor);
    byAnchor.set(at, [...(byAnchor.get(at) ?? []), index]);
  }
  return byAnchor;
}

/** Not past a heading: what was added behind it belongs below it. */
function lastAdditionBehind({ baseOf, units }: Side, anchor: number): number {
  let at = anchor;
  while (at + 1 < baseOf.length && (baseOf[at + 1] ?? -1) < 0 && !isHeading(units[at + 1])) at++;
  return at;
}

interface Pair {
  readonly base: Unit;
  readonly here: Unit;
  readonly there: Unit;
}

/** What one side set in other blanks, with the form in which the other side gave it other words. */
interface Respaced {
  readonly base: Unit;
  readonly kept: Omit<MergedUnit, "isContested" | "isDoubled">;
  readonly changed: Unit;
}

interface Forms {
  /** keys of additions that are another form of a unit which the other side deleted without one of its own */
  readonly contested: ReadonlySet<string>;
  /** what both sides changed, with both forms */
  readonly pairs: readonly Pair[];
  readonly respaced: readonly Respaced[];
}

function compareForms(base: readonly Unit[], mine: Side, other: Side): Forms {
  const contested = new Set<string>();
  const pairs: Pair[] = [];
  const respaced: Respaced[] = [];
  for (const [index, unit] of base.entries()) {
    const isGone = (side: Side): boolean => (side.placeOf[index] ?? -1) < 0 && !side.all.has(unit.key);
    if (isGone(mine) !== isGone(other)) {
      const [side, keeper, changer] = isGone(mine)
        ? (["theirs", other, mine] as const)
        : (["ours", mine, other] as const);
      const place = keeper.placeOf[index] ?? -1;
      const [kept, changed] = [keeper.units[place], formOf(unit, index, changer)];
      if (kept !== undefined && changed !== undefined && isRespaced(unit.text, kept.text))
        respaced.push({ base: unit, kept: { unit: kept, side, index: place }, changed });
    }
    if (!isGone(mine) || !isGone(other)) continue;
    const [here, there] = [formOf(unit, index, mine), formOf(unit, index, other)];
    if (here !== undefined && there === undefined) contested.add(here.key);
    if (there !== undefined && here === undefined) contested.add(there.key);
    if (here !== undefined && there !== undefined && here.key !== there.key) pairs.push({ base: unit, here, there });
  }
  return { contested, pairs, respaced };
}

/** What a side made of a unit: the most similar of its additions between the unit's neighbours. */
function formOf(unit: Unit, index: number, side: Side): Unit | undefined {
  const from = lastBefore(side.placeOf, index) + 1;
  const to = firstAfter(side.placeOf, index) ?? side.units.length;
  const added = side.units.slice(from, to).filter(({ key }) => !side.baseKeys.has(key));
  const [best] = added
    .map((candidate) => ({ candidate, likeness: likenessOf(unit.key, candidate.key) }))
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness);
  return best?.candidate;
}

function lastBefore(places: readonly number[], index: number): number {
  for (let at = index - 1; at >= 0; at--) if ((places[at] ?? -1) >= 0) return places[at] ?? -1;
  return -1;
}

function firstAfter(places: readonly number[], index: number): number | undefined {
  return places.slice(index + 1).find((place) => place >= 0);
}

/** Makes one of two forms where their lines merge, so that what a side struck inside doesn't come back with the other form. */
function mergePairs(merged: readonly MergedUnit[], pairs: readonly Pair[]): MergedUnit[] {
  let result = [...merged];
  for (const { base, here, there } of pairs) {
    const own = result.findIndex(({ side, unit }) => side === "ours" && unit.key === here.key);
    const their = result.findIndex(({ side, unit }) => side === "theirs" && unit.key === there.key);
    const [mine, other] = [result[own], result[their]];
    if (mine === undefined || other === undefined) continue;
    const text = mergeLines(base.text, here.text, there.text);
    if (text === undefined) {
      result[own] = { ...mine, isDoubled: true };
      result[their] = { ...other, isDoubled: true };
    } else {
      result[own] = { ...mine, unit: unitOf(text) };
      result = result.filter((_, index) => index !== their);
    }
  }
  return result;
}

/** Sets what one side gave other words in the blanks that the other side gave it; both forms stay where that can't be told. */
function respaceAll(merged: readonly MergedUnit[], respaced: readonly Respaced[]): MergedUnit[] {
  const result = [...merged];
  for (const { base, kept, changed } of respaced) {
    const at = result.findIndex(({ side, unit }) => side !== kept.side && unit.key === changed.key);
    const found = result[at];
    if (found === undefined) continue;
    const text = respace(base.text, kept.unit.text, found.unit.text);
    if (text !== undefined) result[at] = { ...found, unit: unitOf(text) };
    else result.splice(at, 1, { ...kept, isContested: false, isDoubled: true }, { ...found, isDoubled: true });
  }
  return result;
}

/** The lines of a unit merged as units; `undefined` where lines repeat, are code, or were changed by both. */
function mergeLines(base: string, ours: string, theirs: string): string | undefined {
  if (![base, ours, theirs].every((text) => text.includes("\n") && !/^\s*(?:`{3}|~{3})/m.test(text))) return undefined;
  const [old, mine, other] = [base, ours, theirs].map((text) =>
    text.split("\n").map((line): Unit => ({ text: line, key: line.trim() })),
  ) as [Unit[], Unit[], Unit[]];
  const isUnique = (lines: readonly Unit[]): boolean => new Set(lines.map(({ key }) => key)).size === lines.length;
  if (![old, mine, other].every(isUnique)) return undefined;
  const { contested, pairs, respaced } = compareForms(
    old,
    sideOf(old, mine, indexUnits(mine)),
    sideOf(old, other, indexUnits(other)),
  );
  if (contested.size > 0 || pairs.length > 0 || respaced.length > 0) return undefined;
  const merged = mergeUnits(old, mine, other);
  return merged.some(({ isDoubled }) => isDoubled) ? undefined : merged.map(({ unit }) => unit.text).join("\n");
}

function isHeading(unit: Unit | undefined): boolean {
  return unit !== undefined && /^ {0,3}#{1,6}[ \t]/.test(unit.text);
}

/** What a side added below a heading that the other side took away has no place any more. */
function contestOrphans(
  merged: readonly MergedUnit[],
  ours: readonly Unit[],
  theirs: readonly Unit[],
  base: UnitIndex,
): readonly MergedUnit[] {
  const kept = new Set(merged.map(({ unit }) => unit.key));
  const sides = { ours, theirs };
  return merged.map((each) => {
    if (base.has(each.unit.key) || isHeading(each.unit)) return each;
    const heading = sides[each.side].slice(0, each.index).findLast(isHeading);
    return heading === undefined || kept.has(heading.key) ? each : { ...each, isContested: true };
  });
}
