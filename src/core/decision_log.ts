import { DURABLE_NAMES, SECTION_NAMES, type SectionName } from "./headings.ts";
import { normaliseLineEnds } from "./lines.ts";
import { parseSummary, type Summary, sectionText, statusReason } from "./summary.ts";
import type { Thread, ThreadStatus } from "./tree.ts";
import { splitUnits, type Unit } from "./units.ts";

/** What one decision or constraint went through between two states of a project. */
export interface DecisionChange {
  readonly kind: "added" | "struck" | "moved";
  readonly section: "Decisions" | "Constraints";
  readonly text: string;
  /** for one that moved to another thread: the one that has it now */
  readonly to?: string;
  /** for one that moved to the other section: that one */
  readonly toSection?: "Decisions" | "Constraints";
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
  readonly author?: { readonly from: string; readonly to: string };
  readonly branch: string | undefined;
  readonly decisions: readonly DecisionChange[];
  /** sections beside Decisions and Constraints whose text changed; `other text` for what is in no known section */
  readonly otherSections: readonly string[];
  /** it can't be read on one of the two sides, or has conflicts there */
  readonly isUnreadable: boolean;
}

const REASON = /^[-*+][ \t]+(?:(?:Abandoned|Done):|Reopened \()/;

const OTHER_TEXT = "other text";

type Threads = ReadonlyMap<string, Thread>;
type Durable = DecisionChange["section"];

interface Placed {
  readonly thread: string;
  readonly section: Durable;
  readonly unit: Unit;
}

/** The change log of a project's decisions from one state to another, in the order of the ids; unchanged threads are left out. */
export function logDecisions(before: Threads, after: Threads): readonly ThreadChange[] {
  const [old, now] = [placeUnits(before), placeUnits(after)];
  const oldPlaces = new Set(old.map(placeOf));
  const nowPlaces = new Set(now.map(placeOf));
  const added = now.filter((placed) => !oldPlaces.has(placeOf(placed)));
  const struck = old.filter((placed) => !nowPlaces.has(placeOf(placed)));
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id): ThreadChange[] => {
    const change = changeOf(before.get(id), after.get(id), decisionsOf(id, added, struck));
    return change === undefined ? [] : [change];
  });
}

/** What was struck here and added elsewhere has moved; it isn't told twice. */
function decisionsOf(id: string, added: readonly Placed[], struck: readonly Placed[]): readonly DecisionChange[] {
  const isMovedHere = ({ unit }: Placed): boolean => struck.some((other) => other.unit.key === unit.key);
  const own = added.filter(({ thread }) => thread === id);
  const gone = struck.filter(({ thread }) => thread === id);
  return [
    ...own
      .filter((placed) => !isMovedHere(placed))
      .map(({ section, unit }): DecisionChange => ({ kind: "added", section, text: unit.text })),
    ...gone.map(({ section, unit }): DecisionChange => {
      const places = added.filter((other) => other.unit.key === unit.key);
      const place = places.find(({ thread }) => thread === id) ?? places[0];
      const text = unit.text;
      if (place === undefined) return { kind: "struck", section, text };
      return {
        ...{ kind: "moved", section, text },
        ...(place.thread === id ? {} : { to: place.thread }),
        ...(place.section === section ? {} : { toSection: place.section }),
      };
    }),
  ];
}

function changeOf(
  before: Thread | undefined,
  after: Thread | undefined,
  decisions: readonly DecisionChange[],
): ThreadChange | undefined {
  const thread = after ?? before;
  if (thread === undefined) return undefined;
  const isUnreadable = [before, after].some((side) => side?.fault !== undefined || side?.conflictLine !== undefined);
  // What can't be read says nothing, least of all that a decision was struck.
  if (isUnreadable) return before?.body === after?.body ? undefined : unreadable(thread, before, after);
  const between = before === undefined || after === undefined ? {} : changesBetween(before, after);
  const isFinished = before === undefined && after !== undefined && after.status !== "open";
  const status = isFinished ? { from: "open" as const, to: after.status, reason: reasonOf(after) } : between.status;
  const change: ThreadChange = {
    id: thread.id,
    title: thread.title,
    kind: kindOf(before, after),
    parent: thread.parentId ?? null,
    branch: thread.branch,
    // The bullet with the reason is told with the status.
    decisions: status === undefined ? decisions : decisions.filter(({ text }) => !REASON.test(text)),
    otherSections: before === undefined || after === undefined ? [] : otherSections(before, after),
    isUnreadable: false,
    ...between,
    ...(status === undefined ? {} : { status }),
  };
  const isChanged =
    change.kind !== "changed" ||
    decisions.length + change.otherSections.length > 0 ||
    ["renamedFrom", "movedFrom", "status", "mergedInto", "author"].some((key) => key in change);
  return isChanged ? change : undefined;
}

function kindOf(before: Thread | undefined, after: Thread | undefined): ThreadChange["kind"] {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function unreadable({ id, title }: Thread, before: Thread | undefined, after: Thread | undefined): ThreadChange {
  const nothing = { parent: null, branch: undefined, decisions: [], otherSections: [] };
  return { id, title, kind: kindOf(before, after), ...nothing, isUnreadable: true };
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
    ...(before.author === undefined || after.author === undefined || before.author === after.author
      ? {}
      : { author: { from: before.author, to: after.author } }),
  };
}

function reasonOf(thread: Thread): string | undefined {
  const reason = statusReason(thread.body);
  return reason === undefined || reason.reason === "" ? undefined : reason.reason;
}

/** The units of Decisions and Constraints of all threads; those of a summary without sections are decisions. */
function placeUnits(threads: Threads): readonly Placed[] {
  return [...threads.values()].flatMap((thread) => {
    if (thread.fault !== undefined || thread.conflictLine !== undefined) return [];
    return DURABLE_NAMES.flatMap((name) =>
      splitUnits(textOf(thread.body, name)).map(
        (unit): Placed => ({ thread: thread.id, section: name as Durable, unit }),
      ),
    );
  });
}

function textOf(body: string, name: SectionName): string {
  const summary = parseSummary(body);
  if (summary.sections.length === 0) return name === "Decisions" ? body : "";
  return sectionText(summary, name) ?? "";
}

function placeOf({ thread, section, unit }: Placed): string {
  return JSON.stringify([thread, section, unit.key]);
}

function otherSections(before: Thread, after: Thread): readonly string[] {
  const names = SECTION_NAMES.filter((name) => !DURABLE_NAMES.includes(name));
  const texts = ({ body }: Thread): ReadonlyMap<string, string> => {
    const summary = parseSummary(body);
    const named = names.map((name): [string, string] => [name, sectionText(summary, name) ?? ""]);
    return new Map([...named, [OTHER_TEXT, otherText(summary)]]);
  };
  const [old, now] = [texts(before), texts(after)];
  return [...names, OTHER_TEXT].filter((name) => old.get(name) !== now.get(name));
}

/** What stands in no known section, blanks aside; nothing where all of a summary counts as decisions. */
function otherText({ body, sections }: Summary): string {
  const ends = sections.length === 0 ? [] : [0, ...sections.map(({ end }) => end)];
  const parts = ends.map((end, at) => body.slice(end, sections[at]?.start ?? body.length));
  return parts.join("\n").replace(/\s+/g, " ").trim();
}

/** Whether any thread is another one, its stamps aside, even where the change log has nothing to say of it. */
export function isAnyChanged(before: Threads, after: Threads): boolean {
  const told = (thread: Thread | undefined): string => {
    if (thread === undefined) return "";
    const { updatedAt, commit, fingerprint, body, ...rest } = thread;
    return JSON.stringify([rest, normaliseLineEnds(body).trimEnd()]);
  };
  return [...new Set([...before.keys(), ...after.keys()])].some((id) => told(before.get(id)) !== told(after.get(id)));
}
