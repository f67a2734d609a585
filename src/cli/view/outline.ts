import { stripControls } from "../../core/text_controls.ts";
import { findLoop, type Thread, type Tree } from "../../core/tree.ts";

/** A thread in the order a tree is read in; level 1 is on top. */
export interface Row {
  readonly thread: Thread;
  readonly level: number;
  /** why it stands on top although it is no root */
  readonly reason: string | undefined;
}

/** All threads of a tree, each once, parents before children; those that hang on nothing follow the root's tree. */
export function outlineOf(tree: Tree): readonly Row[] {
  const rows: Row[] = [];
  const seen = new Set<Thread>();
  const add = (top: Thread): void => {
    const waiting: Row[] = [{ thread: top, level: 1, reason: reasonOnTop(tree, top) }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { thread, level } = next;
      if (seen.has(thread)) continue;
      seen.add(thread);
      rows.push(next);
      const children = tree.children.get(thread.id) ?? [];
      waiting.push(...children.toReversed().map((child) => ({ thread: child, level: level + 1, reason: undefined })));
    }
  };
  for (const thread of topsOf(tree)) add(thread);
  for (const thread of tree.threads.values()) if (!seen.has(thread)) add(findLoop(tree, thread)[0] ?? thread);
  return rows;
}

function topsOf(tree: Tree): readonly Thread[] {
  const tops = [...tree.threads.values()].filter((thread) => tree.parentOf(thread) === undefined);
  const rank = ({ id }: Thread): number => Number(id !== tree.rootId);
  return tops.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function reasonOnTop(tree: Tree, thread: Thread): string | undefined {
  if (tree.parentOf(thread) !== undefined) return "its parents form a loop";
  return thread.fault === undefined && typeof thread.parentId === "string"
    ? `parent ${stripControls(thread.parentId)} is missing`
    : undefined;
}
