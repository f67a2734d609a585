import { ThreadMindError } from "../errors.ts";
import { findNearest, idKey, parseThreadReference, quote, type ThreadId } from "./id.ts";

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

/** Builds a tree; a thread that names no parent stands below the root. */
export function buildTree(threads: readonly Thread[], rootId: string): Tree {
  const byId = new Map(threads.map((thread): [string, Thread] => [thread.id, thread]));
  const byKey = groupByKey(threads);
  const find = (id: string): Thread | undefined => {
    const exact = byId.get(id);
    const twins = exact === undefined ? (byKey.get(idKey(id)) ?? []) : [];
    return exact ?? (twins.length === 1 ? twins[0] : undefined);
  };
  const parentOf = (thread: Thread): Thread | undefined => {
    if (thread.parentId === null || thread.fault !== undefined) return undefined;
    if (thread.parentId !== undefined) return find(thread.parentId);
    return idKey(thread.id) === idKey(rootId) ? undefined : find(rootId);
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
  return { rootId, threads: byId, children, parentOf };
}

function groupByKey(threads: readonly Thread[]): ReadonlyMap<string, readonly Thread[]> {
  const groups = new Map<string, Thread[]>();
  for (const thread of threads) {
    const key = idKey(thread.id);
    groups.set(key, [...(groups.get(key) ?? []), thread]);
  }
  return groups;
}

function byAge(a: Thread, b: Thread): number {
  return compare(a.createdAt ?? "", b.createdAt ?? "") || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The thread that was typed, compared without case and normalisation. Throws `unknown-thread` with the nearest ids. */
export function getThread(tree: Tree, typed: string): Thread {
  const { thread: id } = parseThreadReference(typed);
  const exact = tree.threads.get(id);
  if (exact !== undefined) return exact;
  const key = idKey(id);
  const [match, ...twins] = [...tree.threads.values()].filter((thread) => idKey(thread.id) === key);
  if (match !== undefined && twins.length === 0) return match;
  if (match !== undefined) {
    const names = [match, ...twins].map((twin) => twin.id).join(", ");
    throw new ThreadMindError(
      "ambiguous-id",
      `Cannot tell which thread ${quote(id)} is: ${names} differ only in case or normalisation.`,
      "Type the id exactly.",
    );
  }
  const nearest = findNearest(id, tree.threads.keys());
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.join(", ")}?`
      : "See thread_list (on the command line: threadmind tree) for the ids.";
  throw new ThreadMindError(
    "unknown-thread",
    `Cannot find the thread ${quote(typed)}: this project has no such thread.`,
    hint,
  );
}

/** The chain to a thread. Throws `parent-loop` naming the threads. */
export function chainOf(tree: Tree, thread: Thread): Chain {
  const threads = [thread];
  const seen = new Set<string>([thread.id]);
  let top = thread;
  for (let parent = tree.parentOf(top); parent !== undefined; parent = tree.parentOf(top)) {
    if (seen.has(parent.id)) throw loopError(thread, [...threads].reverse(), parent);
    seen.add(parent.id);
    threads.push(parent);
    top = parent;
  }
  const missing = top.fault === undefined && typeof top.parentId === "string" ? top.parentId : undefined;
  return {
    threads: threads.reverse(),
    missingParent: missing === undefined ? undefined : { parent: missing, namedBy: top.id },
  };
}

function loopError(thread: Thread, upwards: readonly Thread[], again: Thread): ThreadMindError {
  const ids = [...upwards].reverse().map(({ id }) => id);
  const loop = [...ids.slice(ids.indexOf(again.id)), again.id].join(" → ");
  return new ThreadMindError(
    "parent-loop",
    `Cannot follow the parents of ${thread.id}: they form a loop (${loop}).`,
    `Correct the parentId in one of their files, e.g. ${again.file}.`,
  );
}

/** The chain to a thread as far as it is sound: no error for a loop. */
export function soundChainOf(tree: Tree, thread: Thread): readonly Thread[] {
  try {
    return chainOf(tree, thread).threads;
  } catch {
    return [thread];
  }
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
  return [...tree.threads.values()]
    .filter((thread) => isOpen(thread) && thread.branch === branch)
    .sort((a, b) => compare(b.updatedAt ?? "", a.updatedAt ?? "") || compare(a.id, b.id))[0];
}

/** Keys (as `idKey` makes them) of all ids in use. */
export function takenKeys(tree: Tree): Set<string> {
  return new Set([...tree.threads.keys()].map(idKey));
}
