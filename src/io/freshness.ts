import { isUnder, usablePaths } from "../core/paths.ts";
import {
  type Evidence,
  fingerprintMatches,
  matchesOnlyInNothing,
  parseFingerprint,
  renderFingerprint,
  renderStaleNote,
  type Stamp,
} from "../core/staleness.ts";
import type { CountMemory } from "./count_memory.ts";
import { type Contents, fingerprintOf, inRepository, prefixOf, readContents, scopeOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import { isCommitId } from "./git_folder.ts";
import { type History, readHistory } from "./history.ts";

/** A thread whose summary is to be checked against the code. */
export interface Subject {
  readonly id: string;
  /** the thread's own file, relative to the workspace, `/` between parts */
  readonly file: string;
  readonly commit: string | undefined;
  readonly fingerprint: string | undefined;
  readonly paths: readonly string[];
}

/** What a new summary is stamped with. */
export interface NewStamp {
  readonly commit: string | undefined;
  readonly fingerprint: string | undefined;
}

type Checked = Subject & { readonly scope: readonly string[] };

/** The commit and fingerprint to record with a summary that is written now. */
export async function takeStamp(git: Git | undefined, workspace: string, paths: readonly string[]): Promise<NewStamp> {
  return (await readStamp(git, workspace, paths)).stamp;
}

/** The same, with what was found under the paths; `undefined` if git was not asked or failed. */
export async function readStamp(
  git: Git | undefined,
  workspace: string,
  paths: readonly string[],
): Promise<{ readonly stamp: NewStamp; readonly contents: Contents | undefined }> {
  if (git === undefined) return { stamp: { commit: undefined, fingerprint: undefined }, contents: undefined };
  const prefix = prefixOf(git, workspace);
  const scope = scopeOf(git, workspace, usablePaths(paths));
  const [commit, contents] = await Promise.all([
    git.commitId(),
    scope.length === 0 ? undefined : readContents(git, prefix, scope),
  ]);
  const fingerprint = contents === undefined ? undefined : renderFingerprint(fingerprintOf(contents, prefix, scope));
  return { stamp: { commit, fingerprint }, contents };
}

/** True if what is under a thread's paths is what its fingerprint was taken of. */
export async function isFingerprintCurrent(
  git: Git | undefined,
  workspace: string,
  subject: Subject,
): Promise<boolean> {
  const recorded = parseFingerprint(subject.fingerprint);
  if (git === undefined || recorded === undefined) return false;
  const prefix = prefixOf(git, workspace);
  const scope = scopeOf(git, workspace, usablePaths(subject.paths));
  const contents = scope.length === 0 ? undefined : await readContents(git, prefix, scope);
  return contents !== undefined && fingerprintMatches(recorded, fingerprintOf(contents, prefix, scope));
}

/** What git is asked to list for some threads, which it does while its caller works on. */
export interface StartedListing {
  readonly scope: readonly string[];
  readonly contents: Promise<Contents | undefined>;
}

/** Starts to list what is under the paths of threads that may be among the subjects of `readStaleNotes`. */
export function startListing(
  git: Git | undefined,
  workspace: string,
  threads: readonly Subject[],
): StartedListing | undefined {
  const scope = git === undefined ? [] : listedScope(threads.map((thread) => check(git, workspace, thread)));
  if (git === undefined || scope.length === 0) return undefined;
  return { scope, contents: readContents(git, prefixOf(git, workspace), scope) };
}

/**
 * The staleness notes of a chain's threads by thread id; at most 5 git processes if one differs, 8 otherwise. A listing that
 * was started and has all their paths is taken, and what was counted before is remembered.
 */
export async function readStaleNotes(
  git: Git | undefined,
  workspace: string,
  subjects: readonly Subject[],
  { listing, memory }: { readonly listing?: StartedListing | undefined; readonly memory?: CountMemory } = {},
): Promise<ReadonlyMap<string, string>> {
  if (git === undefined) return new Map();
  const prefix = prefixOf(git, workspace);
  const checked = subjects.map((subject) => check(git, workspace, subject));
  const scope = listedScope(checked);
  const isListed = listing !== undefined && scope.every((path) => listing.scope.includes(path));
  const listed = (): Promise<Contents | undefined> => (isListed ? listing.contents : readContents(git, prefix, scope));
  const contents = scope.length === 0 ? undefined : await listed();
  const likeness = new Map(checked.map((subject) => [subject, compare(subject, contents, prefix)]));
  const differing = checked.filter((subject) => likeness.get(subject) !== "same");
  const evidence = await readEvidence(git, prefix, differing, contents, memory);
  const notes = new Map<string, string>();
  for (const subject of differing) {
    const found = evidence.get(subject.id);
    if (likeness.get(subject) === "nothing tracked" && !found?.commits) continue;
    const note = found === undefined ? undefined : renderStaleNote(stampOf(subject), found);
    if (note !== undefined) notes.set(subject.id, note);
  }
  return notes;
}

function check(git: Git, workspace: string, { id, file, commit, fingerprint, paths }: Subject): Checked {
  return {
    ...{ id, file, fingerprint, paths },
    commit: isCommitId(commit ?? "") ? commit : undefined,
    scope: scopeOf(git, workspace, usablePaths(paths)),
  };
}

/** The paths of threads with a fingerprint. */
function listedScope(threads: readonly Checked[]): string[] {
  const withPrint = threads.filter(({ fingerprint }) => parseFingerprint(fingerprint) !== undefined);
  return [...new Set(withPrint.flatMap(({ scope }) => scope))];
}

function stampOf(subject: Subject): Stamp {
  const { commit, fingerprint } = subject;
  return { commit, fingerprint, paths: usablePaths(subject.paths) };
}

/** `same` also when the fingerprint can't be compared: then nothing is said. */
function compare(
  subject: Checked,
  contents: Contents | undefined,
  prefix: string,
): "same" | "other" | "nothing tracked" {
  const recorded = parseFingerprint(subject.fingerprint);
  if (recorded === undefined || subject.paths.length === 0)
    return subject.commit !== undefined || subject.paths.length > 0 ? "other" : "same";
  if (subject.scope.length === 0 || contents === undefined) return "same";
  const today = fingerprintOf(contents, prefix, subject.scope);
  if (!fingerprintMatches(recorded, today)) return "other";
  return matchesOnlyInNothing(recorded, today) ? "nothing tracked" : "same";
}

async function readEvidence(
  git: Git,
  prefix: string,
  subjects: readonly Checked[],
  contents: Contents | undefined,
  memory: CountMemory | undefined,
): Promise<ReadonlyMap<string, Evidence>> {
  if (subjects.length === 0) return new Map();
  const { isUnborn } = await git.head();
  const dated = isUnborn ? [] : subjects.filter(({ commit }) => commit !== undefined);
  const history: History = dated.length === 0 ? new Map() : await readHistory(git, prefix, dated, memory);
  const told = subjects.filter((subject) => !dated.includes(subject) || history.has(subject.id));
  const unchanged = told.filter(({ id }) => history.get(id)?.commit !== "elsewhere" && !history.get(id)?.commits);
  const dirty = await findDirty(git, prefix, unchanged, contents, isUnborn);
  return new Map(
    told.map(({ id }) => {
      const { commit = "none", commits }: Partial<Evidence> = history.get(id) ?? {};
      return [id, { commit, commits, isShallow: git.isShallow, isDirty: dirty.has(id) }];
    }),
  );
}

/** The threads under whose paths git shows changes. Before the first commit all that is there is one. */
async function findDirty(
  git: Git,
  prefix: string,
  subjects: readonly Checked[],
  contents: Contents | undefined,
  isUnborn: boolean,
): Promise<ReadonlySet<string>> {
  const isClean = ({ scope }: Checked): boolean => !hasChanges(contents, prefix, scope);
  const clean = subjects.filter(({ fingerprint }) => parseFingerprint(fingerprint) !== undefined).filter(isClean);
  const scope = [...new Set(clean.flatMap((subject) => subject.scope))].map((path) => inRepository(prefix, path));
  const asked = scope.length === 0 ? [] : isUnborn ? contents?.lines.keys() : await git.differsFromHead(scope);
  const staged = [...(asked ?? [])];
  const isStaged = (subject: Checked): boolean =>
    subject.scope.some((part) => staged.some((path) => isUnder(inRepository(prefix, part), path)));
  return new Set(subjects.filter((subject) => !isClean(subject) || isStaged(subject)).map(({ id }) => id));
}

function hasChanges(contents: Contents | undefined, prefix: string, scope: readonly string[]): boolean {
  return [...(contents?.lines ?? [])].some(
    ([path, { isChanged }]) => isChanged && scope.some((part) => isUnder(part, path.slice(prefix.length))),
  );
}
