import { join } from "node:path";
import { durableUnits, otherText } from "../core/durable.ts";
import { type Finding, findingOf } from "../core/finding.ts";
import { DURABLE_NAMES, SECTION_NAMES } from "../core/headings.ts";
import { normaliseLineEnds } from "../core/lines.ts";
import { parseSummary, sectionText } from "../core/summary.ts";
import type { Thread } from "../core/tree.ts";
import { splitUnits } from "../core/units.ts";
import { authorIdOf } from "./author.ts";
import { kindOf, readText } from "./files.ts";
import { prefixOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import type { AuthoredCommit, MergeCommit } from "./git_revisions.ts";
import type { Inspected } from "./inspection.ts";
import { findMergeEdits } from "./merge_edits.ts";
import { type CommittedProject, readRevision } from "./revision.ts";
import { DATA_FOLDER } from "./workspace.ts";

/** What a branch is compared with: the commit, and the one where the branch parted from it. Strictly, doubt is an error. */
export interface Comparison {
  readonly base: string;
  readonly parting: string;
  readonly isStrict: boolean;
}

/**
 * What people changed of threads and projects that aren't theirs since a branch parted from its base, in projects that were
 * of team mode then: by the authors of the commits that touched each file and aren't the base's. A merge counts where it
 * holds other than what merged by itself. Taking a thread over is told, not forbidden. `undefined` if git can't tell.
 */
export async function inspectOwnership(
  git: Git,
  root: string,
  { base, parting, isStrict }: Comparison,
  projects: readonly Inspected[],
): Promise<readonly Finding[] | undefined> {
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}`;
  const [before, plain, merges] = await Promise.all([
    readRevision(git, root, parting),
    git.authorsOf(base, "HEAD", folder),
    git.mergesOf(base, "HEAD", folder),
  ]);
  if (before === undefined || plain === undefined || merges === undefined) return undefined;
  // Where a shallow clone's history ends, a commit seems to have made every file.
  const ends = git.shallowCommits();
  if (plain.some(({ id }) => ends.has(id))) return undefined;
  // A project that was solo had no owners to ask; one that isn't team any more had.
  const teams = [...before.projects.values()].filter(({ mode }) => mode === "team");
  const owners = new Set(teams.flatMap(({ threads }) => [...threads.values()].flatMap(({ author }) => author ?? [])));
  const foreign = merges.filter((merge) => [...owners].some((owner) => !isOf(merge, owner)));
  const { edits, unknown } = await findMergeEdits(git, foreign, folder);
  const commits = [...plain, ...edits];
  const known = new Map(projects.map(({ project, tree }) => [project.id as string, tree.threads]));
  // A project whose own file is gone or broken is taken as it was committed.
  const isWhole = teams.every(({ id }) => known.has(id));
  const after = isWhole ? undefined : await readRevision(git, root, "HEAD");
  if (!isWhole && after === undefined) return undefined;
  const prefix = prefixOf(git, root);
  const owned = teams.flatMap((old) => {
    const threads: ReadonlyMap<string, Thread> = known.get(old.id) ?? after?.projects.get(old.id)?.threads ?? new Map();
    return [
      ...inspectProject(root, old, threads.get(old.rootThreadId), (file) => commitsOf(commits, prefix + file)),
      ...[...old.threads.values()].flatMap((thread) =>
        inspectThread(root, thread, threads.get(thread.id), commitsOf(commits, prefix + thread.file)),
      ),
    ];
  });
  return [...owned, ...unknown.map((merge) => unknownMerge(git, merge, isStrict))];
}

function unknownMerge(git: Git, { id, authors: [{ name }] }: MergeCommit, isStrict: boolean): Finding {
  const more = git.isShallow ? "Fetch more history (fetch-depth: 0 in a workflow), and use" : "Use";
  return {
    ...{ code: "unknown-merge", severity: isStrict ? "error" : "warning", file: undefined, line: undefined },
    message: `git can't tell what ${name} changed in the merge ${id.slice(0, 7)} beyond merging.`,
    remedy: `${more} git 2.38 or newer`,
  };
}

/** A project's own file, with its mode in it, belongs to the author of its root thread. */
function inspectProject(
  root: string,
  { id: project, rootThreadId, threads, source }: CommittedProject,
  newRoot: Thread | undefined,
  touching: (file: string) => readonly AuthoredCommit[],
): Finding[] {
  const owner = threads.get(rootThreadId)?.author;
  const file = `${DATA_FOLDER}/projects/${project}.json`;
  if (owner === undefined || source === undefined) return [];
  const read = readText(join(root, file));
  const isSame = read !== undefined && "text" in read && normaliseLineEnds(read.text) === normaliseLineEnds(source);
  const stranger = touching(file).find((commit) => !isOf(commit, owner) && !isOf(commit, newRoot?.author ?? owner));
  if (isSame || stranger === undefined) return [];
  const message = `It belongs to ${owner}, the author of the root thread ${rootThreadId}, and ${deedOf(stranger, read === undefined)}.`;
  return [findingOf({ file }, "not-owner", "error", message, `Ask ${owner}`)];
}

function deedOf({ authors: [{ name }], id, isMerge }: AuthoredCommit, isDeleted: boolean): string {
  return `${name} ${isDeleted ? "deleted" : "changed"} it ${isMerge === true ? "in a merge " : ""}(${id.slice(0, 7)})`;
}

function commitsOf(commits: readonly AuthoredCommit[], path: string): readonly AuthoredCommit[] {
  return commits.filter(({ files }) => files.includes(path));
}

function inspectThread(
  root: string,
  before: Thread,
  after: Thread | undefined,
  commits: readonly AuthoredCommit[],
): Finding[] {
  const owner = before.author;
  if (owner === undefined || before.fault !== undefined || after?.fault !== undefined) return [];
  const findings: Finding[] = [];
  if (after !== undefined && after.author !== undefined && after.author !== owner) {
    const message = `It was taken over: ${owner} → ${after.author}.`;
    findings.push(findingOf(after, "took-over", "note", message, ""));
  }
  const strangers = commits.filter((commit) => !isOf(commit, owner) && !isOf(commit, after?.author ?? owner));
  const [stranger] = strangers;
  // What a link leads to may change without a change of the thread's own file.
  const isLink = kindOf(join(root, before.file)) === "link";
  if (stranger === undefined) return findings;
  if (!isLink && (!isChanged(before, after) || onlyAdds(before, after))) return findings;
  const message = `It belongs to ${owner}, and ${deedOf(stranger, after === undefined)}.`;
  const remedy = `Ask ${owner}, or take it over: threadmind update ${before.id} --author ID`;
  return [...findings, findingOf(after ?? before, "not-owner", "error", message, remedy)];
}

/**
 * Whether one of a commit's authors is this person: by the e-mail, of which an id ends with four digits, whatever the name
 * is now, or by name where an id was made without an e-mail: a false alarm would be worse.
 */
function isOf({ authors }: Pick<AuthoredCommit, "authors">, owner: string): boolean {
  const split = (id: string): readonly string[] => /^(.*)-([0-9a-f]{4})$/.exec(id)?.slice(1) ?? [id];
  const [slug, digits] = split(owner);
  return authors.some(({ name, email }) => {
    const id = authorIdOf(name, email);
    if (id === undefined) return false;
    const [ownSlug, ownDigits] = split(id);
    return ownSlug === slug || (digits !== undefined && ownDigits === digits);
  });
}

/** Verifying changes only the stamps, and is open to all. */
function isChanged(before: Thread, after: Thread | undefined): boolean {
  if (after === undefined) return true;
  // Taking over is told; that nobody owns a thread any more would let anybody change it next time.
  if (after.author === undefined && before.author !== undefined) return true;
  const told = ({ title, parentId, status, branch, paths, mergedInto, body }: Thread): string =>
    JSON.stringify([title, parentId, status, branch, paths, mergedInto, body.trim()]);
  return told(before) !== told(after);
}

/** What a merge without a summary does to a parent: bullets that end with the thread they came from. */
function onlyAdds(before: Thread, after: Thread | undefined): boolean {
  if (after === undefined) return false;
  const told = ({ title, parentId, status, branch, mergedInto }: Thread): string =>
    JSON.stringify([title, parentId, status, branch, mergedInto]);
  if (told(before) !== told(after) || after.author !== before.author) return false;
  const [old, now] = [unitsOf(before.body), unitsOf(after.body)];
  const keys = new Set(now.map(({ key }) => key));
  const known = new Set(old.map(({ key }) => key));
  const added = now.filter(({ key }) => !known.has(key));
  return (
    old.every(({ key }) => keys.has(key)) &&
    added.every(({ text }) => / \(from [^()]+\)\s*$/.test(text.split("\n", 1)[0] ?? ""))
  );
}

function unitsOf(body: string): ReturnType<typeof splitUnits> {
  const summary = parseSummary(body);
  const units = SECTION_NAMES.map((name) =>
    DURABLE_NAMES.includes(name) ? durableUnits(summary, name) : splitUnits(sectionText(summary, name) ?? ""),
  );
  return [...units.flat(), ...splitUnits(otherText(summary))];
}
