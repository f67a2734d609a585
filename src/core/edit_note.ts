import { findNearName, findSectionName } from "./headings.ts";
import { sanitiseText } from "./sanitise.ts";
import type { Governor } from "./search.ts";
import { inheritedText } from "./summary.ts";
import { stripControls } from "./text_controls.ts";
import { CUT, cutAtGrapheme, cutAtLineEnd } from "./text_cut.ts";
import type { Thread } from "./tree.ts";
import { splitUnits, type Unit } from "./units.ts";

/** What is told of the threads that govern a file before it is changed. */
export interface EditNote {
  /** empty where there is nothing to tell */
  readonly text: string;
  /** the threads of which a rule is in it */
  readonly shown: readonly Governor[];
}

/** A thread that governs a file, with those of its rules that no other shows. */
interface Ruling {
  readonly governor: Governor;
  readonly rules: readonly string[];
}

const MOST_CHARACTERS = 600;
const LEAST_OF_A_THREAD = 40;
const MOST_OF_ID = 60;
const MOST_OF_PATH = 50;
const MOST_OF_FILES = 110;
const MOST_OF_NAMES = 80;
const REST = "… (thread_search with this path has all of it)";
const DOUBT = " ⚠";
const DOUBT_EXPLAINED = "⚠ The code changed since: check it is still accurate.";

/**
 * The rules of the threads that govern files, the nearest first, in at most 600 characters. A rule that several hold is
 * told once, by the open one. What doesn't fit is said to be left out. `notes` are staleness notes by thread id.
 */
export function renderEditNote(
  files: readonly string[],
  governors: readonly Governor[],
  notes: ReadonlyMap<string, string>,
): EditNote {
  const conflicted = governors.filter(({ thread }) => thread.conflictLine !== undefined);
  const rulings = rulingsOf(governors.filter((governor) => !conflicted.includes(governor)));
  const shown = rulings.map(({ governor }) => governor);
  if (governors.length === 0 || (rulings.length === 0 && conflicted.length === 0)) return { text: "", shown };
  const head = `Decided earlier about ${nameFiles(files)} (ThreadMind):`;
  const whole = rulings.flatMap(({ governor, rules }) => {
    const note = notes.get(governor.thread.id);
    return [`${nameOf(governor)}:`, ...(note === undefined ? [] : [note]), ...rules];
  });
  const text = [head, ...whole].join("\n");
  if (conflicted.length === 0 && text.length <= MOST_CHARACTERS) return { text, shown };
  return shorten(head, rulings, conflicted, notes);
}

/** Each thread gets an equal share of the room, of which one with little to say leaves the rest to the others. */
function shorten(
  head: string,
  rulings: readonly Ruling[],
  conflicted: readonly Governor[],
  notes: ReadonlyMap<string, string>,
): EditNote {
  const isDoubted = ({ thread }: Governor): boolean => notes.has(thread.id);
  const texts = rulings.map(({ rules }) => rules.join("\n"));
  const tops = rulings.map(({ governor }) => `${nameOf(governor, isDoubted(governor) ? DOUBT : "")}:`);
  const tailOf = (count: number): readonly string[] => {
    const names = rulings.slice(count).map(({ governor }) => shownId(governor.thread));
    const also = [...names, ...conflicted.map(({ thread }) => `${shownId(thread)} (in conflict)`)];
    const isAnyDoubted = rulings.slice(0, count).some(({ governor }) => isDoubted(governor));
    return [...(isAnyDoubted ? [DOUBT_EXPLAINED] : []), ...(also.length === 0 ? [] : [alsoLine(also)])];
  };
  /** What is left for the rules of so many threads, the line that says what is missing and line breaks taken off. */
  const roomFor = (count: number): number =>
    [head, REST, ...tailOf(count), ...tops.slice(0, count)].reduce(
      (room, line) => room - line.length - 1,
      MOST_CHARACTERS,
    ) - count;
  const leastOf = (count: number): number =>
    texts.slice(0, count).reduce((sum, { length }) => sum + Math.min(length, LEAST_OF_A_THREAD), 0);
  let count = rulings.length;
  while (count > 1 && leastOf(count) > roomFor(count)) count--;
  const chosen = rulings.slice(0, count);
  const level = shareOf(
    texts.slice(0, count).map(({ length }) => length),
    roomFor(count),
  );
  let spare = 0;
  let isCut = count < rulings.length || conflicted.length > 0;
  const lines = chosen.flatMap(({ rules }, index) => {
    const [top = "", whole = ""] = [tops[index], texts[index]];
    if (whole.length <= level) return [top, whole];
    const fitting = fit(rules, level + spare);
    spare += level - fitting.length;
    isCut ||= fitting !== whole;
    return [top, fitting];
  });
  const text = [head, ...lines, ...tailOf(count), ...(isCut ? [REST] : [])].join("\n");
  return { text, shown: chosen.map(({ governor }) => governor) };
}

/** What nobody needs more than, so that all together need no more than the room. */
function shareOf(needs: readonly number[], room: number): number {
  let left = room;
  for (const [index, need] of needs.toSorted((a, b) => a - b).entries()) {
    const share = Math.max(0, Math.floor(left / (needs.length - index)));
    if (need > share) return share;
    left -= need;
  }
  return Number.POSITIVE_INFINITY;
}

/** The rules from the first on that fit as a whole; of the first as much as fits. */
function fit(rules: readonly string[], room: number): string {
  let fitting = "";
  for (const rule of rules) {
    const longer = fitting === "" ? rule : `${fitting}\n${rule}`;
    if (longer.length > room) break;
    fitting = longer;
  }
  if (fitting !== "" || room <= 0) return fitting;
  const cut = cutAtLineEnd(rules[0] ?? "", room - CUT.length);
  return cut.endsWith(CUT) ? cut : `${cut}${CUT}`;
}

function alsoLine(names: readonly string[]): string {
  let line = "Also:";
  for (const [index, name] of names.entries()) {
    const longer = `${line}${index === 0 ? " " : ", "}${name}`;
    if (longer.length > MOST_OF_NAMES) return `${line}${index === 0 ? " " : " and "}${names.length - index} more`;
    line = longer;
  }
  return line;
}

/** What each thread says, its headings left out: a rule of several threads counts as the first open one's. */
function rulingsOf(governors: readonly Governor[]): readonly Ruling[] {
  const ids = governors.map(({ thread }) => thread.id as string);
  const isOpen = ({ thread }: Governor): boolean => thread.status === "open";
  const inRank = [...governors.filter(isOpen), ...governors.filter((governor) => !isOpen(governor))];
  const told = new Set<string>();
  const own = new Map<Governor, readonly string[]>();
  for (const governor of inRank) {
    const units = unitsOf(governor.thread.body).filter((unit) => {
      const isNew = !told.has(keyOf(unit, ids));
      told.add(keyOf(unit, ids));
      return isNew;
    });
    own.set(
      governor,
      units.map(({ text }) => text.replace(/\n(?:[ \t]*\n)+/g, "\n")),
    );
  }
  return governors
    .map((governor) => ({ governor, rules: own.get(governor) ?? [] }))
    .filter(({ rules }) => rules.length > 0);
}

function unitsOf(body: string): readonly Unit[] {
  return splitUnits(sanitiseText(inheritedText(body))).filter(({ text }) => {
    const [, heading] = /^#{1,2} ([^\n]*)$/.exec(text) ?? [];
    // A heading such as `## Decision: one database` is a rule itself.
    if (heading === undefined) return true;
    return findSectionName(heading) === undefined && findNearName(heading)?.isBare === false;
  });
}

/** A merge into a teammate's thread adds where a bullet came from; it says the same. */
function keyOf({ key }: Unit, ids: readonly string[]): string {
  return ids.reduce((text, id) => text.replace(` (from ${id})`, ""), key);
}

function nameOf({ thread, path }: Governor, doubt = ""): string {
  const mark = thread.status === "open" ? "" : ` (${thread.status})`;
  return `Thread ${shownId(thread)}${mark}${doubt}, about ${clip(stripControls(path), MOST_OF_PATH)}`;
}

function shownId({ id }: Pick<Thread, "id">): string {
  const text = stripControls(id);
  return text.length <= MOST_OF_ID ? text : `${cutAtGrapheme(text, MOST_OF_ID - CUT.length)}${CUT}`;
}

function nameFiles(files: readonly string[]): string {
  const [first = "", ...others] = files.map(stripControls);
  if (others.length === 0) return clip(first, MOST_OF_FILES);
  return `${clip(first, MOST_OF_FILES - 25)} and ${others.length} more file${others.length === 1 ? "" : "s"}`;
}

/** The end of a path says most. */
function clip(text: string, room: number): string {
  return text.length <= room
    ? text
    : `…${[...text]
        .slice(-(room - 1))
        .join("")
        .slice(-(room - 1))}`;
}
