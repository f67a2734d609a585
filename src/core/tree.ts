import { ThreadMindError } from "../errors.ts";
import { findNearest, idKey, parseThreadReference, quote, type ThreadId } from "./id.ts";
import { nextStep } from "./next_step.ts";
import { compareTexts } from "./order.ts";
import { parseDate } from "./thread_fields.ts";
import { countOf } from "./tokens.ts";

const MOST_NAMED = 20;

/** Whether work on a thread goes on. */
export type ThreadStatus = "open" | "done" | "abandoned";

/** A thread as its file tells it; `fault` and `conflictLine` say why its text can't be used. */
export interface Thread {
  readonly id: ThreadId;
  readonly title: string;
  /** as written: `null` is a root; `undefined`, the file names none */
  readonly parentId: string | null | undefined;
  readonly status: ThreadStatus;
  readonly author: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly fingerprint: string | undefined;
  readonly paths: readonly string[];
  readonly mergedInto: string | undefined;
  readonly body: string;
  /** the file relative to the workspace, `/` between parts */
  readonly file: string;
  /** line of the first merge-conflict marker */
  readonly conflictLine: number | undefined;
  /** the file can't be read: nothing but id and file is known */
  readonly fault: Fault | undefined;
}

/** Something wrong with a file, with the line where known, and what to do. */
export interface Fault {
  /** `unreadable`, `conflict` and `identity` keep a file from being written; a `detail` doesn't */
  readonly kind: "unreadable" | "conflict" | "identity" | "detail";
  readonly file: string;
  readonly line: number | undefined;
  readonly message: string;
  readonly hint: string;
}

/** A project's threads with their parents resolved. */
export interface Tree {
  /** the root's id as its file spells it; as the project spells it when there is no such file */
  readonly rootId: string;
  readonly threads: ReadonlyMap<string, Thread>;
  readonly children: ReadonlyMap<string, readonly Thread[]>;
  parentOf(thread: Thread): Thread | undefined;
}

/** The way from the root to a thread, root first. */
export interface Chain {
  readonly threads: readonly Thread[];
  /** set when the topmost thread names a parent that isn't there */
  readonly missingParent: { readonly parent: string; readonly namedBy: ThreadId } | undefined;
}

/** A thread with some of it changed; the one way to copy one, whose parts may be read only when they are asked for. */
export function changedThread(thread: Thread, changes: Partial<Thread>): Thread {
  const { id, title, parentId, status, author, createdAt, updatedAt, branch, commit } = thread;
  const { fingerprint, paths, mergedInto, body, file, conflictLine, fault } = thread;
  return {
    ...{ id, title, parentId, status, author, createdAt, updatedAt, branch, commit },
    ...{ fingerprint, paths, mergedInto, body, file, conflictLine, fault },
    ...changes,
  };
}

/** Builds a tree; a thread that names no parent stands below the root. */
export function buildTree(threads: readonly Thread[], rootId: string): Tree {
  const byId = new Map(threads.map((thread): [string, Thread] => [thread.id, thread]));
  let byKey: ReadonlyMap<string, readonly Thread[]> | undefined;
  const find = (id: string): Thread | undefined => {
    const exact = byId.get(id);
    if (exact !== undefined) return exact;
    byKey ??= groupByKey(threads);
    const twins = byKey.get(idKey(id)) ?? [];
    return twins.length === 1 ? twins[0] : undefined;
  };
  const root = find(rootId);
  const parentOf = (thread: Thread): Thread | undefined => {
    if (thread.parentId === null || thread.fault !== undefined) return undefined;
    if (thread.parentId !== undefined) return find(thread.parentId);
    return thread.id === root?.id ? undefined : root;
  };
  const children = new Map<string, Thread[]>();
  for (const thread of threads) {
    const parent = parentOf(thread);
    if (parent === undefined) continue;
    const siblings = children.get(parent.id);
    if (siblings === undefined) children.set(parent.id, [thread]);
    else siblings.push(thread);
  }
  for (const siblings of children.values()) siblings.sort(byAge);
  return { rootId: root?.id ?? rootId, threads: byId, children, parentOf };
}

function groupByKey(threads: readonly Thread[]): ReadonlyMap<string, readonly Thread[]> {
  return Map.groupBy(threads, ({ id }) => idKey(id));
}

function byAge(a: Thread, b: Thread): number {
  return compareTexts(a.createdAt ?? "", b.createdAt ?? "") || compareTexts(a.id, b.id);
}

/** The thread with this id, compared without case and normalisation; `undefined` for none and for several. */
export function findThread(tree: Tree, id: string): Thread | undefined {
  const [match, ...twins] = findTwins(tree, id);
  return twins.length === 0 ? match : undefined;
}

/** The thread with this very id, else all whose ids differ from it only in case or normalisation. */
function findTwins(tree: Tree, id: string): readonly Thread[] {
  const exact = tree.threads.get(id);
  if (exact !== undefined) return [exact];
  const key = idKey(id);
  return [...tree.threads.values()].filter((thread) => idKey(thread.id) === key);
}

/**
 * The thread that was typed, compared without case and normalisation; by its title where no id is meant and one thread
 * has it. Throws `unknown-thread` with the nearest ids.
 */
export function getThread(tree: Tree, typed: string): Thread {
  const { thread: id } = parseThreadReference(typed);
  const [match, ...twins] = findTwins(tree, id);
  if (match !== undefined && twins.length === 0) return match;
  if (match !== undefined) {
    const names = [match, ...twins].map((twin) => twin.id).join(", ");
    throw new ThreadMindError(
      "ambiguous-id",
      `Cannot tell which thread ${quote(id)} is: ${names} differ only in case or normalisation.`,
      "Type the id exactly.",
    );
  }
  const [titled, ...others] = [...tree.threads.values()].filter(({ title }) => idKey(title) === idKey(id));
  if (titled !== undefined && others.length === 0) return titled;
  const nearest = findNearest(id, tree.threads.keys());
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.join(", ")}?`
      : `See ${nextStep("thread_list", ["tree"])} for the ids.`;
  throw new ThreadMindError(
    "unknown-thread",
    `Cannot find the thread ${quote(typed)}: this project has no such thread.`,
    hint,
  );
}

/** The chain to a thread. Throws `parent-loop` naming the threads. */
export function chainOf(tree: Tree, thread: Thread): Chain {
  const { upwards, again } = climb(tree, thread);
  if (again !== undefined) throw loopError(thread, upwards.slice(upwards.indexOf(again)));
  const top = upwards.at(-1) ?? thread;
  const missing = top.fault === undefined && typeof top.parentId === "string" ? top.parentId : undefined;
  return {
    threads: upwards.toReversed(),
    missingParent: missing === undefined ? undefined : { parent: missing, namedBy: top.id },
  };
}

/** A thread and its ancestors, nearest first, up to the root or to the one whose parent comes `again`. */
function climb(tree: Tree, thread: Thread): { upwards: readonly Thread[]; again: Thread | undefined } {
  const upwards = new Set<Thread>();
  let next: Thread | undefined = thread;
  while (next !== undefined && !upwards.has(next)) {
    upwards.add(next);
    next = tree.parentOf(next);
  }
  return { upwards: [...upwards], again: next };
}

function loopError(thread: Thread, loop: readonly Thread[]): ThreadMindError {
  const [first = thread] = loop;
  const ids = loop.slice(0, MOST_NAMED).map(({ id }) => id);
  const more = loop.length > ids.length ? [`${countOf(loop.length - ids.length, "more thread")}`] : [];
  return new ThreadMindError(
    "parent-loop",
    `Cannot follow the parents of ${thread.id}: they form a loop (${[...ids, ...more, first.id].join(" → ")}).`,
    `Correct the parentId in one of their files, e.g. ${first.file}.`,
  );
}

/** The threads that a thread's parents go round in, in order from the least id; empty when they lead to a root. */
export function findLoop(tree: Tree, thread: Thread): readonly Thread[] {
  const { upwards, again } = climb(tree, thread);
  if (again === undefined) return [];
  const loop = upwards.slice(upwards.indexOf(again));
  const least = loop.reduce((found, { id }, index) => (id < (loop[found]?.id ?? "") ? index : found), 0);
  return [...loop.slice(least), ...loop.slice(0, least)];
}

/** A thread and its ancestors, root first, up to where their parents form a loop. */
export function soundChainOf(tree: Tree, thread: Thread): readonly Thread[] {
  return climb(tree, thread).upwards.toReversed();
}

/** True if the thread is neither done nor abandoned and can be read. */
export function isOpen(thread: Thread): boolean {
  return thread.status === "open" && thread.fault === undefined;
}

/** The nearest of a thread and its ancestors that is open. */
export function nearestOpen(tree: Tree, thread: Thread): Thread | undefined {
  return soundChainOf(tree, thread).findLast(isOpen);
}

/** The branch that a thread or its nearest linked ancestor is linked to. */
export function linkedBranch(tree: Tree, thread: Thread): string | undefined {
  return soundChainOf(tree, thread).findLast(({ branch }) => branch !== undefined)?.branch;
}

/** The open thread linked to a branch, the one updated last. */
export function threadOfBranch(tree: Tree, branch: string): Thread | undefined {
  return [...tree.threads.values()].filter((thread) => isOpen(thread) && thread.branch === branch).sort(byNewest)[0];
}

/** Orders threads by their last update, newest first; those without one come last. */
export function byNewest(a: Thread, b: Thread): number {
  const [one, other] = [a, b].map(({ updatedAt }) => parseDate(updatedAt ?? "") ?? Number.NEGATIVE_INFINITY);
  return one === other ? compareTexts(a.id, b.id) : (other ?? 0) - (one ?? 0);
}

/** A thread and all that is below it, each once. */
export function subtreeOf(tree: Tree, thread: Thread): readonly Thread[] {
  const found = new Set<Thread>([thread]);
  for (const next of found) for (const child of tree.children.get(next.id) ?? []) found.add(child);
  return [...found];
}

/** Keys (as `idKey` makes them) of all ids in use. */
export function takenKeys(tree: Tree): Set<string> {
  return new Set([...tree.threads.keys()].map(idKey));
}
