import { createHash } from "node:crypto";
import { isUnder } from "../core/paths.ts";
import type { Evidence } from "../core/staleness.ts";
import type { Counted, CountMemory } from "./count_memory.ts";
import { inRepository, isOwnFile } from "./fingerprint.ts";
import type { Commit, Git } from "./git.ts";

/** A thread as history is asked about it: its file and its usable paths from the workspace. */
export interface Dated {
  readonly id: string;
  readonly file: string;
  readonly commit: string | undefined;
  readonly paths: readonly string[];
  readonly scope: readonly string[];
}

/** What history says, by thread id. */
export type History = ReadonlyMap<string, Relation>;

type Relation = Pick<Evidence, "commit" | "commits">;

/**
 * How each thread's commit relates to HEAD and what was committed since; threads that git couldn't tell of are absent. What
 * was counted before isn't counted again: only what was committed on top of it.
 */
export async function readHistory(
  git: Git,
  prefix: string,
  subjects: readonly Dated[],
  memory?: CountMemory,
): Promise<History> {
  const mark = memory === undefined || git.isShallow ? undefined : git.mark();
  const head = mark === undefined ? undefined : git.headCommit();
  if (memory === undefined || mark === undefined || head === undefined) return askHistory(git, prefix, subjects);
  const history = new Map<string, Relation>();
  const known = new Map<string, Counted>();
  for (const subject of subjects) {
    if (subject.commit === head) history.set(subject.id, { commit: "ancestor", commits: 0 });
    const counted = history.has(subject.id) ? undefined : memory.find(keyOf(mark, prefix, subject));
    if (counted?.head === head) history.set(subject.id, { commit: "ancestor", commits: counted.commits });
    else if (counted !== undefined && git.cameFrom(counted.head)) known.set(subject.id, counted);
  }
  const asked = subjects.filter(({ id }) => !history.has(id));
  const since = asked.map(({ id, file, commit, paths, scope }): Dated => {
    return { id, file, commit: known.get(id)?.head ?? commit, paths, scope };
  });
  const found = new Map(await askHistory(git, prefix, since));
  // Where the log of HEAD was wrong, all is counted.
  const wrong = asked.filter(({ id }) => known.has(id) && found.get(id)?.commit === "elsewhere");
  for (const [id, relation] of await askHistory(git, prefix, wrong)) found.set(id, relation);
  for (const { id } of wrong) known.delete(id);
  const isStill = git.headCommit() === head;
  for (const subject of asked) {
    const { commit, commits } = found.get(subject.id) ?? {};
    if (commit === undefined) continue;
    const all = commits === undefined ? undefined : (known.get(subject.id)?.commits ?? 0) + commits;
    history.set(subject.id, { commit, commits: all });
    if (isStill && commit === "ancestor" && all !== undefined)
      memory.put(keyOf(mark, prefix, subject), { head, commits: all });
  }
  memory.save();
  return history;
}

/** A count is of these paths, from this commit on, without those that changed this file; one that another clone made has another key. */
function keyOf(mark: string, prefix: string, { commit, file, paths, scope }: Dated): string {
  const told = JSON.stringify([mark, prefix, file, paths.length === 0, scope]);
  return `${commit} ${createHash("sha256").update(told).digest("hex").slice(0, 16)}`;
}

async function askHistory(git: Git, prefix: string, subjects: readonly Dated[]): Promise<History> {
  if (subjects.length === 0) return new Map();
  const [only, ...others] = subjects;
  if (only !== undefined && others.length === 0 && !git.isShallow) return readOneHistory(git, prefix, only);
  return readManyHistories(git, prefix, subjects);
}

async function readOneHistory(git: Git, prefix: string, subject: Dated): Promise<History> {
  const commit = subject.commit ?? "";
  const [relation, changes] = await Promise.all([
    git.isAncestor(commit),
    git.changes(commit, pathspecs(prefix, [subject])),
  ]);
  if (relation === undefined || (relation === "unknown" && !(await isMissing(git, commit)))) return new Map();
  if (relation !== "yes") return new Map([[subject.id, { commit: "elsewhere", commits: undefined }]]);
  if (changes === undefined) return new Map();
  const newer = changes.filter(({ id }) => id !== commit);
  return new Map([[subject.id, { commit: "ancestor", commits: countChanges(prefix, subject, newer) }]]);
}

/** True if git can be asked and says that it has no such commit, rather than that it can't tell. */
async function isMissing(git: Git, commit: string): Promise<boolean> {
  const existing = await git.existing([commit]);
  return existing !== undefined && !existing.has(commit);
}

/** One walk for all threads: the graph since the oldest of their commits, and what each commit changed. */
async function readManyHistories(git: Git, prefix: string, subjects: readonly Dated[]): Promise<History> {
  const anchors = [...new Set(subjects.map(({ commit }) => commit ?? ""))];
  // In a shallow clone a commit that isn't there and one that can't be told of come to the same note.
  const existing = anchors.length === 1 && git.isShallow ? new Set(anchors) : await git.existing(anchors);
  if (existing === undefined) return new Map();
  const known = anchors.filter((anchor) => existing.has(anchor));
  const base = known.length > 1 ? await git.forkPoint(known) : known[0];
  const wanted = subjects.filter(({ commit }) => existing.has(commit ?? ""));
  const [graph, changes] =
    known.length === 0
      ? [[], []]
      : await Promise.all([git.parents(base), git.changes(base, pathspecs(prefix, wanted))]);
  if ((graph === undefined || changes === undefined) && !git.isShallow) return new Map();
  const parents = new Map((graph ?? []).map((commit) => [commit.id, commit.parents]));
  const boundary = git.isShallow ? git.shallowCommits() : new Set<string>();
  const history = new Map<string, Relation>();
  for (const subject of subjects) {
    const anchor = subject.commit ?? "";
    if (changes === undefined || !parents.has(anchor)) {
      history.set(subject.id, { commit: "elsewhere", commits: undefined });
      continue;
    }
    const older = ancestorsOf(anchor, parents);
    const isCutOff = [...parents.keys()].some((id) => boundary.has(id) && !older.has(id));
    const newer = changes.filter(({ id }) => !older.has(id));
    history.set(subject.id, {
      commit: "ancestor",
      commits: isCutOff ? undefined : countChanges(prefix, subject, newer),
    });
  }
  return history;
}

function ancestorsOf(commit: string, parents: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const seen = new Set<string>([commit]);
  const waiting = [commit];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const parent of parents.get(next) ?? []) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      waiting.push(parent);
    }
  }
  return seen;
}

/** What the walk is limited to: the threads' paths and files; nothing when a thread without paths counts everything. */
function pathspecs(prefix: string, subjects: readonly Dated[]): string[] | undefined {
  if (subjects.some(({ paths, scope }) => paths.length === 0 || scope.includes("."))) return undefined;
  return [
    ...new Set(subjects.flatMap(({ scope, file }) => [...scope, file]).map((path) => inRepository(prefix, path))),
  ];
}

/** Commits that changed what the thread describes, except those that changed its summary too. */
function countChanges(prefix: string, subject: Dated, changes: readonly Commit[]): number {
  const own = `${prefix}${subject.file}`;
  const scope = subject.scope.map((path) => inRepository(prefix, path));
  const isMeant = (path: string): boolean =>
    !isOwnFile(path) && (subject.paths.length === 0 || scope.some((part) => isUnder(part, path)));
  return changes.filter(({ files }) => files.some(isMeant) && !files.includes(own)).length;
}
