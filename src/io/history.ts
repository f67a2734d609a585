import { isUnder } from "../core/paths.ts";
import type { Evidence } from "../core/staleness.ts";
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
export type History = ReadonlyMap<string, Pick<Evidence, "commit" | "commits">>;

/** How each thread's commit relates to HEAD and what was committed since; threads that git couldn't tell of are absent. */
export function readHistory(git: Git, prefix: string, subjects: readonly Dated[]): Promise<History> {
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
  const history = new Map<string, Pick<Evidence, "commit" | "commits">>();
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
