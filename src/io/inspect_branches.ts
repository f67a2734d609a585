import type { Finding } from "../core/finding.ts";
import { parseDate } from "../core/thread_fields.ts";
import { isOpen, type Thread } from "../core/tree.ts";
import type { Git } from "./git.ts";
import type { Branch } from "./git_branches.ts";
import type { Inspected } from "./inspection.ts";

/** Open threads whose branch was merged or is gone: their time is over, and what they decided belongs into the parent. */
export async function inspectBranches(
  git: Git | undefined,
  projects: readonly Inspected[],
): Promise<readonly Finding[]> {
  const linked = projects.flatMap(({ project, tree }) =>
    [...tree.threads.values()]
      .filter((thread) => thread.branch !== undefined && thread.fault === undefined && isOpen(thread))
      .map((thread) => ({ thread, name: projects.length > 1 ? `${project.id}/${thread.id}` : thread.id })),
  );
  if (git === undefined || linked.length === 0) return [];
  const [branches, defaultName] = await Promise.all([git.branches(), git.defaultBranch()]);
  // A clone of one branch, as CI makes it, knows nothing of the others.
  if (branches === undefined || git.isShallow || new Set(branches.map(({ name }) => name)).size < 2) return [];
  const into = branches.find(({ name }) => name === defaultName);
  const findings: Finding[] = [];
  for (const { thread, name } of linked) {
    const finding = await inspect(git, branches, into, thread, name);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

async function inspect(
  git: Git,
  branches: readonly Branch[],
  into: Branch | undefined,
  thread: Thread,
  name: string,
): Promise<Finding | undefined> {
  const { branch: wanted, file } = thread;
  const branch = branches.find((each) => each.name === wanted);
  const base = { severity: "warning", file, line: undefined } as const;
  const fold = `threadmind merge ${name} folds it into its parent`;
  if (branch === undefined) {
    const message = `Its branch ${wanted} is gone from this clone.`;
    const remedy = `${fold}; threadmind update ${name} --branch "" only unlinks it`;
    return { ...base, code: "branch-gone", message, remedy };
  }
  if (into === undefined || branch.name === into.name) return undefined;
  const isMerged = await git.isMerged(branch, into, parseDate(thread.createdAt ?? "") ?? 0);
  if (isMerged !== true) return undefined;
  const message = `What its branch ${wanted} brings is all in ${into.name}.`;
  return { ...base, code: "branch-merged", message, remedy: fold };
}
