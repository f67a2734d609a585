import type { ThreadId } from "../../src/core/id.ts";
import { buildTree, chainOf, type Thread, type Tree } from "../../src/core/tree.ts";

/** What a test says of a thread; the rest is as in a small file without anything special. */
export type ThreadSketch = Partial<Omit<Thread, "id">> & { readonly id: string };

/** A thread in memory; its title is its id unless given. */
export function sketchThread({ id, ...rest }: ThreadSketch): Thread {
  return {
    ...{ id: id as ThreadId, title: id, parentId: undefined, status: "open", body: "", paths: [] },
    ...{ file: `.threadmind/threads/app/${id}.md`, author: undefined, createdAt: undefined, updatedAt: undefined },
    ...{ branch: undefined, commit: undefined, fingerprint: undefined, mergedInto: undefined },
    ...{ conflictLine: undefined, fault: undefined },
    ...rest,
  };
}

/** A tree of threads, rooted in `main`. */
export function sketchTree(...sketches: readonly ThreadSketch[]): Tree {
  return buildTree(sketches.map(sketchThread), "main");
}

/** Threads each below the one before, the first of them a root unless it says otherwise. */
export function sketchChain(...sketches: readonly ThreadSketch[]): Tree {
  return sketchTree(...sketches.map((sketch, at) => ({ parentId: at === 0 ? null : sketches[at - 1]?.id, ...sketch })));
}

/** The thread of a tree with this very id. */
export function threadIn(tree: Tree, id: string): Thread {
  const thread = tree.threads.get(id);
  if (thread === undefined) throw new Error(`the test's tree has no thread ${id}`);
  return thread;
}

/** The ids of the chain to a thread, root first. */
export function idsOfChain(tree: Tree, id: string): readonly string[] {
  return chainOf(tree, threadIn(tree, id)).threads.map((thread) => thread.id);
}

/** What a thread is that can't be read. */
export function sketchFault(file: string): NonNullable<Thread["fault"]> {
  return { kind: "unreadable", file, line: 3, message: "It never closes.", hint: "Close it." };
}
