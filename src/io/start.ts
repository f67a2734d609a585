import { isOpen, linkedBranch, nearestOpen, type Thread, type Tree, threadOfBranch } from "../core/tree.ts";
import type { Config } from "./config.ts";
import type { Active } from "./session.ts";
import type { Project } from "./store.ts";

/** Where a new session starts (§7 of the contract): the first that exists, is open and isn't linked to another branch. */
export function findStart(
  tree: Tree,
  project: Project,
  config: Config,
  branch: string | undefined,
): Thread | undefined {
  const lastHere = branch === undefined ? undefined : config.starts.get(project.id)?.get(branch);
  const linked = branch === undefined ? undefined : threadOfBranch(tree, branch);
  const left = config.activeProjectId === project.id ? config.activeThreadId : undefined;
  const find = (id: string | undefined): Thread | undefined => (id === undefined ? undefined : tree.threads.get(id));
  const last = find(lastHere);
  const isLastMeant = last !== undefined && (linked === undefined || linkedBranch(tree, last) === branch);
  const root = find(tree.rootId);
  for (const candidate of [isLastMeant ? last : undefined, linked, find(left)]) {
    const open = candidate === undefined ? undefined : nearestOpen(tree, candidate);
    if (open !== undefined && !isElsewhere(tree, open, branch)) return open;
  }
  return root ?? [...tree.threads.values()].find((thread) => thread.parentId === null && isOpen(thread));
}

function isElsewhere(tree: Tree, thread: Thread, branch: string | undefined): boolean {
  const link = linkedBranch(tree, thread);
  return branch !== undefined && link !== undefined && link !== branch;
}

/** Where a session goes, and why: as a sentence's beginning and inside one. */
export interface Move {
  readonly thread: Thread | undefined;
  readonly reason: string;
  readonly because: string;
}

/** Where a running session has to go: the branch changed to one with a linked open thread, or its thread is gone. */
export function findMove(
  tree: Tree,
  project: Project,
  config: Config,
  branch: string | undefined,
  active: Active,
): Move | undefined {
  const current = tree.threads.get(active.thread);
  if (current === undefined) {
    const thread = findStart(tree, project, config, branch);
    const reason = `The thread ${active.thread} is gone from this checkout`;
    return { thread, reason, because: `the thread ${active.thread} is gone from this checkout` };
  }
  if (branch === undefined || branch === active.branch || linkedBranch(tree, current) === branch) return undefined;
  const thread = threadOfBranch(tree, branch);
  if (thread === undefined || thread.id === current.id) return undefined;
  return { thread, reason: `The branch changed to ${branch}`, because: `the branch changed to ${branch}` };
}
