import type { Finding } from "../core/finding.ts";
import { shellWord } from "../core/next_step.ts";
import { parseDate } from "../core/thread_fields.ts";
import { isOpen, type Thread } from "../core/tree.ts";
import type { Git } from "./git.ts";
import type { Inspected } from "./inspection.ts";

/** A thread with a branch, as the findings name it. */
interface Linked {
  readonly thread: Thread;
  readonly name: string;
  /** a thread without a parent can't be folded */
  readonly hasParent: boolean;
}

/** Open threads whose branch was merged or is gone: their time is over, and what they decided belongs into the parent. */
export async function inspectBranches(
  git: Git | undefined,
  projects: readonly Inspected[],
): Promise<readonly Finding[]> {
  const linked = projects.flatMap(({ project, tree }) =>
    [...tree.threads.values()]
      .filter((thread) => thread.branch !== undefined && thread.fault === undefined && isOpen(thread))
      .map((thread): Linked => {
        const name = projects.length > 1 ? `${project.id}/${thread.id}` : thread.id;
        return { thread, name, hasParent: tree.parentOf(thread) !== undefined };
      }),
  );
  // A shallow clone, as CI makes it, knows nothing of the other branches.
  if (git === undefined || linked.length === 0 || git.isShallow) return [];
  const [branches, defaultName, fetchesAll, head] = await Promise.all([
    git.branches(),
    git.defaultBranch(),
    git.fetchesAll(),
    git.head(),
  ]);
  if (branches === undefined || branches.length === 0) return [];
  const into = branches.find(({ name }) => name === defaultName);
  // Where it was renamed, it is most likely the one that is checked out and that no thread is linked to.
  const isTaken = head.branch === defaultName || linked.some(({ thread }) => thread.branch === head.branch);
  const findings: Finding[] = [];
  for (const each of linked) {
    const { branch: wanted } = each.thread;
    // Somebody works on it.
    if (wanted === head.branch) continue;
    const branch = branches.find(({ name }) => name === wanted);
    if (branch === undefined) {
      if (fetchesAll === true) findings.push(goneFinding(each, isTaken ? undefined : head.branch));
    } else if (into !== undefined && branch.name !== into.name) {
      const since = parseDate(each.thread.createdAt ?? "") ?? 0;
      if ((await git.isMerged(branch, into, since)) === true) findings.push(mergedFinding(each, into.name));
    }
  }
  return findings;
}

function goneFinding({ thread, name, hasParent }: Linked, current: string | undefined): Finding {
  const message = `Its branch ${thread.branch} is gone from this clone.`;
  const renamed = `if the branch was renamed: threadmind update ${shellWord(name)} --branch ${shellWord(current ?? "NEW")}`;
  const unlink = unlinkCommand(name);
  const remedy = hasParent ? `${foldCommand(name)}; ${unlink} only unlinks it; ${renamed}` : `${unlink}; ${renamed}`;
  return { code: "branch-gone", severity: "warning", file: thread.file, line: undefined, message, remedy };
}

function mergedFinding({ thread, name, hasParent }: Linked, into: string): Finding {
  const message = `What its branch ${thread.branch} brings is all in ${into}.`;
  const remedy = hasParent ? foldCommand(name) : unlinkCommand(name);
  return { code: "branch-merged", severity: "warning", file: thread.file, line: undefined, message, remedy };
}

function foldCommand(name: string): string {
  return `threadmind merge ${shellWord(name)} folds it into its parent`;
}

function unlinkCommand(name: string): string {
  return `threadmind update ${shellWord(name)} --branch ""`;
}
