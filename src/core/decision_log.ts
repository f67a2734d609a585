import { durableUnits, OTHER_TEXT, otherText } from "./durable.ts";
import { DURABLE_NAMES, SECTION_NAMES } from "./headings.ts";
import { parseSummary, sectionText, statusReason } from "./summary.ts";
import type { Thread, ThreadStatus } from "./tree.ts";
import type { Unit } from "./units.ts";

/** A thread as a commit has it. */
export interface LoggedThread extends Thread {
  /** false for a file that is text alone: no title, parent or status stands in it */
  readonly hasHeader: boolean;
}

/** What one decision or constraint went through between two states of a project. */
export interface DecisionChange {
  readonly kind: "added" | "struck" | "moved";
  readonly section: "Decisions" | "Constraints";
  readonly text: string;
  /** for one that moved to another thread: the one that has it now */
  readonly to?: string;
  /** for one that moved to the other section: that one */
  readonly toSection?: "Decisions" | "Constraints";
  /** for one that came from another thread: the one that had it, or that was merged and has it still */
  readonly from?: string;
  /** for one that came from the other section of another thread: that one */
  readonly fromSection?: "Decisions" | "Constraints";
}

/** Why a file says nothing on one side: it is no thread's that can be read, or has conflicts. */
export interface Damage {
  readonly side: "before" | "after";
  readonly kind: "unreadable" | "conflict";
  /** 1-based */
  readonly line: number | undefined;
  readonly message: string;
}

/** What a thread went through; what stayed is absent. */
export interface ThreadChange {
  readonly id: string;
  readonly title: string;
  readonly kind: "added" | "removed" | "changed";
  readonly renamedFrom?: string;
  readonly movedFrom?: string | null;
  readonly parent: string | null;
  readonly status?: { readonly from: ThreadStatus; readonly to: ThreadStatus; readonly reason: string | undefined };
  readonly mergedInto?: string;
  /** `null` is nobody */
  readonly author?: { readonly from: string | null; readonly to: string | null };
  readonly branch: string | undefined;
  readonly branchFrom?: string | null;
  readonly paths: readonly string[];
  readonly pathsFrom?: readonly string[];
  readonly decisions: readonly DecisionChange[];
  /** sections beside Decisions and Constraints whose text changed; `other text` for what is in no known section */
  readonly otherSections: readonly string[];
  readonly damage?: Damage;
  /** the file has no header, so nothing but its text is known; `lost` where it had one before */
  readonly header?: "missing" | "lost";
}

type Threads = ReadonlyMap<string, LoggedThread>;
type Durable = DecisionChange["section"];

interface Placed {
  readonly thread: string;
  readonly section: Durable;
  readonly unit: Unit;
}

/** What became of all units of a project, by where it happened and by what they say. */
interface Moves {
  readonly added: ReadonlyMap<string, readonly Placed[]>;
  readonly struck: ReadonlyMap<string, readonly Placed[]>;
  readonly addedByKey: ReadonlyMap<string, readonly Placed[]>;
  readonly struckByKey: ReadonlyMap<string, readonly Placed[]>;
  /** the threads that were merged into a thread, by that, each with the keys of what they hold */
  readonly merged: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
}

/** The change log of a project's decisions from one state to another, in the order of the ids; unchanged threads are left out. */
export function logDecisions(before: Threads, after: Threads): readonly ThreadChange[] {
  const moves = findMoves(before, after);
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id): ThreadChange[] => {
    const change = changeOf(before.get(id), after.get(id), decisionsOf(id, moves));
    return change === undefined ? [] : [change];
  });
}

function findMoves(before: Threads, after: Threads): Moves {
  const [old, now] = [placeUnits(before), placeUnits(after)];
  const oldPlaces = new Set(old.map(placeOf));
  const nowPlaces = new Set(now.map(placeOf));
  const added = now.filter((placed) => !oldPlaces.has(placeOf(placed)));
  const struck = old.filter((placed) => !nowPlaces.has(placeOf(placed)));
  const merged = new Map<string, Map<string, Set<string>>>();
  for (const { thread, unit } of now) {
    const into = after.get(thread)?.mergedInto;
    if (into === undefined || before.get(thread)?.mergedInto === into) continue;
    const sources = merged.get(into) ?? new Map<string, Set<string>>();
    merged.set(into, sources.set(thread, (sources.get(thread) ?? new Set()).add(unit.key)));
  }
  return {
    added: Map.groupBy(added, ({ thread }) => thread),
    struck: Map.groupBy(struck, ({ thread }) => thread),
    addedByKey: Map.groupBy(added, ({ unit }) => unit.key),
    struckByKey: Map.groupBy(struck, ({ unit }) => unit.key),
    merged,
  };
}

/** What was struck in one thread and added in another is told at both; what was merged into this one names its source. */
function decisionsOf(id: string, { added, struck, addedByKey, struckByKey, merged }: Moves): readonly DecisionChange[] {
  const sources = [...(merged.get(id) ?? [])];
  return [
    ...(added.get(id) ?? []).flatMap(({ section, unit: { key, text } }): DecisionChange[] => {
      const origin = struckByKey.get(key) ?? [];
      // From section to section of one thread it is told once, below.
      if (origin.some(({ thread }) => thread === id)) return [];
      const [left] = origin;
      if (left !== undefined) {
        const fromSection = left.section === section ? {} : { fromSection: left.section };
        return [{ ...{ kind: "moved", section, text, from: left.thread }, ...fromSection }];
      }
      const source = sources.find(([from, keys]) => keys.has(key) || keys.has(withoutSource(key, from)))?.[0];
      return [{ ...{ kind: "added", section, text }, ...(source === undefined ? {} : { from: source }) }];
    }),
    ...(struck.get(id) ?? []).map(({ section, unit: { key, text } }): DecisionChange => {
      const places = addedByKey.get(key) ?? [];
      const place = places.find(({ thread }) => thread === id) ?? places[0];
      if (place === undefined) return { kind: "struck", section, text };
      return {
        ...{ kind: "moved", section, text },
        ...(place.thread === id ? {} : { to: place.thread }),
        ...(place.section === section ? {} : { toSection: place.section }),
      };
    }),
  ];
}

/** The key of a unit before a merge named the thread it came from, at the end of its first line. */
function withoutSource(key: string, from: string): string {
  return key.replace(` (from ${from})`, "");
}

function changeOf(
  before: LoggedThread | undefined,
  after: LoggedThread | undefined,
  decisions: readonly DecisionChange[],
): ThreadChange | undefined {
  const thread = after ?? before;
  if (thread === undefined) return undefined;
  const damage = damageOf(after, "after") ?? damageOf(before, "before");
  // What can't be read says nothing, least of all that a decision was struck.
  if (damage !== undefined && damage.side === "after")
    return isSameText(before, after) ? undefined : damaged(before?.title ?? thread.id, thread, before, damage);
  const header = headerOf(before, after);
  const isComparable =
    before !== undefined && after !== undefined && damage === undefined && before.hasHeader && after.hasHeader;
  const between = isComparable ? changesBetween(before, after) : {};
  const isFinished = before === undefined && after !== undefined && after.status !== "open";
  const status = isFinished ? { from: "open" as const, to: after.status, reason: reasonOf(after) } : between.status;
  const reasons = status === undefined ? [] : [before, after].map(reasonBullet);
  const change: ThreadChange = {
    id: thread.id,
    title: header === "lost" && before !== undefined ? before.title : thread.title,
    kind: kindOf(before, after),
    parent: thread.parentId ?? null,
    branch: thread.branch,
    paths: thread.paths,
    // The bullet with the reason is told with the status.
    decisions: decisions.filter(({ text }) => !reasons.includes(text.trim())),
    otherSections:
      before === undefined || after === undefined || damage !== undefined ? [] : otherSections(before, after),
    ...between,
    ...(before === undefined && after?.mergedInto !== undefined ? { mergedInto: after.mergedInto } : {}),
    ...(status === undefined ? {} : { status }),
    ...(damage === undefined ? {} : { damage }),
    ...(header === undefined ? {} : { header }),
  };
  const isChanged =
    change.kind !== "changed" ||
    damage !== undefined ||
    header === "lost" ||
    decisions.length + change.otherSections.length > 0 ||
    Object.keys(between).length > 0;
  return isChanged ? change : undefined;
}

function kindOf(before: Thread | undefined, after: Thread | undefined): ThreadChange["kind"] {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function damageOf(thread: Thread | undefined, side: Damage["side"]): Damage | undefined {
  if (thread?.fault !== undefined)
    return { side, kind: "unreadable", line: thread.fault.line, message: thread.fault.message };
  if (thread?.conflictLine === undefined) return undefined;
  return { side, kind: "conflict", line: thread.conflictLine, message: "It has merge conflicts." };
}

function headerOf(before: LoggedThread | undefined, after: LoggedThread | undefined): ThreadChange["header"] {
  if (after === undefined || after.hasHeader) return undefined;
  return before?.hasHeader === true ? "lost" : "missing";
}

function isSameText(before: Thread | undefined, after: Thread | undefined): boolean {
  return (
    before?.body === after?.body &&
    before?.fault?.message === after?.fault?.message &&
    before?.conflictLine === after?.conflictLine
  );
}

function damaged(title: string, { id }: Thread, before: Thread | undefined, damage: Damage): ThreadChange {
  const nothing = { parent: null, branch: undefined, paths: [], decisions: [], otherSections: [] };
  return { id, title, kind: before === undefined ? "added" : "changed", ...nothing, damage };
}

function changesBetween(before: Thread, after: Thread): Partial<ThreadChange> {
  const [from, to] = [before.parentId ?? null, after.parentId ?? null];
  return {
    ...(before.title === after.title ? {} : { renamedFrom: before.title }),
    ...(from === to ? {} : { movedFrom: from }),
    ...(before.status === after.status
      ? {}
      : { status: { from: before.status, to: after.status, reason: reasonOf(after) } }),
    ...(after.mergedInto === undefined || before.mergedInto === after.mergedInto
      ? {}
      : { mergedInto: after.mergedInto }),
    ...(before.author === after.author ? {} : { author: { from: before.author ?? null, to: after.author ?? null } }),
    ...(before.branch === after.branch ? {} : { branchFrom: before.branch ?? null }),
    ...(JSON.stringify(before.paths) === JSON.stringify(after.paths) ? {} : { pathsFrom: before.paths }),
  };
}

function reasonOf(thread: Thread): string | undefined {
  const reason = statusReason(thread.body);
  return reason === undefined || reason.reason === "" ? undefined : reason.reason;
}

function reasonBullet(thread: Thread | undefined): string | undefined {
  const reason = thread === undefined ? undefined : statusReason(thread.body);
  return reason === undefined ? undefined : thread?.body.slice(reason.start, reason.end).trim();
}

/** The units of Decisions and Constraints of all threads; those of a summary without sections are decisions. */
function placeUnits(threads: Threads): readonly Placed[] {
  return [...threads.values()].flatMap((thread) => {
    if (thread.fault !== undefined || thread.conflictLine !== undefined) return [];
    return DURABLE_NAMES.flatMap((name) =>
      durableUnits(parseSummary(thread.body), name).map(
        (unit): Placed => ({ thread: thread.id, section: name as Durable, unit }),
      ),
    );
  });
}

function placeOf({ thread, section, unit }: Placed): string {
  return JSON.stringify([thread, section, unit.key]);
}

function otherSections(before: Thread, after: Thread): readonly string[] {
  const names = SECTION_NAMES.filter((name) => !DURABLE_NAMES.includes(name));
  const texts = ({ body }: Thread): ReadonlyMap<string, string> => {
    const summary = parseSummary(body);
    const named = names.map((name): [string, string] => [name, sectionText(summary, name) ?? ""]);
    return new Map([...named, [OTHER_TEXT, otherText(summary).replace(/\s+/g, " ")]]);
  };
  const [old, now] = [texts(before), texts(after)];
  return [...names, OTHER_TEXT].filter((name) => old.get(name) !== now.get(name));
}
