import { matchSequences } from "./sequence_match.ts";
import type { Unit } from "./units.ts";

/** A unit of the result: whose text it is, and where that stood. */
export interface MergedUnit {
  readonly unit: Unit;
  readonly side: "ours" | "theirs";
  readonly index: number;
  /** one side changed it and the other deleted what it was: only a person can tell what holds */
  readonly isContested: boolean;
}

const SIMILAR = 0.5;

/**
 * Merges two lists of units that come from one: what either side added stays, what either side removed goes, in the order
 * of ours with theirs beside its neighbours. A unit that both sides changed stays in both forms; one that a side changed and
 * the other deleted is contested.
 */
export function mergeUnits(
  base: readonly Unit[],
  ours: readonly Unit[],
  theirs: readonly Unit[],
): readonly MergedUnit[] {
  const [mine, other] = [sideOf(base, ours), sideOf(base, theirs)];
  const isKept = (side: Side, against: Side, index: number): boolean => {
    const unit = side.units[index];
    const of = side.baseOf[index] ?? -1;
    if (unit === undefined) return false;
    if (of >= 0) return (against.placeOf[of] ?? -1) >= 0 || against.keys.has(unit.key);
    // A unit that only moved counts as there, and goes when the other side took it out or changed it.
    return !mine.baseKeys.has(unit.key) || against.keys.has(unit.key);
  };
  const contested = contestedKeys(base, mine, other);
  const merged: MergedUnit[] = [];
  const taken = new Set<string>();
  const put = (side: "ours" | "theirs", index: number, unit: Unit): void => {
    taken.add(unit.key);
    merged.push({ unit, side, index, isContested: contested.has(unit.key) });
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
  return merged;
}

/** One side against the base: both directions of their match. */
interface Side {
  readonly units: readonly Unit[];
  readonly keys: ReadonlySet<string>;
  readonly baseKeys: ReadonlySet<string>;
  /** for each unit of the base its place here, or -1 */
  readonly placeOf: readonly number[];
  /** for each unit here its place in the base, or -1 */
  readonly baseOf: readonly number[];
}

function sideOf(base: readonly Unit[], units: readonly Unit[]): Side {
  const keysOf = (list: readonly Unit[]): string[] => list.map(({ key }) => key);
  const placeOf = matchSequences(keysOf(base), keysOf(units));
  const baseOf = new Array<number>(units.length).fill(-1);
  for (const [index, place] of placeOf.entries()) if (place >= 0) baseOf[place] = index;
  return { units, keys: new Set(keysOf(units)), baseKeys: new Set(keysOf(base)), placeOf, baseOf };
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

function lastAdditionBehind({ baseOf }: Side, anchor: number): number {
  let at = anchor;
  while (at + 1 < baseOf.length && (baseOf[at + 1] ?? -1) < 0) at++;
  return at;
}

/** Keys of additions that are another form of a unit which the other side deleted without one of its own. */
function contestedKeys(base: readonly Unit[], mine: Side, other: Side): ReadonlySet<string> {
  const contested = new Set<string>();
  for (const [index, unit] of base.entries()) {
    const isGone = (side: Side): boolean => (side.placeOf[index] ?? -1) < 0 && !side.keys.has(unit.key);
    if (!isGone(mine) || !isGone(other)) continue;
    const [here, there] = [formOf(unit, index, mine), formOf(unit, index, other)];
    if (here !== undefined && there === undefined) contested.add(here.key);
    if (there !== undefined && here === undefined) contested.add(there.key);
  }
  return contested;
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

/** How much of the shorter text's words the other has, from 0 to 1. */
function likenessOf(one: string, other: string): number {
  const [left, right] = [wordsOf(one), wordsOf(other)];
  const least = Math.min(left.size, right.size);
  if (least === 0) return 0;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared++;
  return shared / least;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
