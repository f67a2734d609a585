import { join } from "node:path";
import type { Finding } from "../core/finding.ts";
import { normaliseLineEnds } from "../core/lines.ts";
import { hasKnownSection, parseSummary, sectionText } from "../core/summary.ts";
import type { Thread } from "../core/tree.ts";
import { splitUnits } from "../core/units.ts";
import { authorIdOf } from "./author.ts";
import { readText } from "./files.ts";
import { prefixOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import type { AuthoredCommit } from "./git_revisions.ts";
import { findingOf, type Inspected } from "./inspection.ts";
import { type CommittedProject, readRevision } from "./revision.ts";
import { DATA_FOLDER } from "./workspace.ts";

/**
 * What people changed of threads and projects that aren't theirs, since a base commit, in projects that were of team mode
 * then: by the authors of the commits that touched each file. Taking a thread over is told, not forbidden. `undefined` if
 * git can't tell.
 */
export async function inspectOwnership(
  git: Git,
  root: string,
  base: string,
  projects: readonly Inspected[],
): Promise<readonly Finding[] | undefined> {
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}`;
  const [before, commits] = await Promise.all([readRevision(git, root, base), git.authorsOf(base, "HEAD", folder)]);
  if (before === undefined || commits === undefined) return undefined;
  // A project that was solo had no owners to ask; one that isn't team any more had.
  const teams = [...before.values()].filter(({ mode }) => mode === "team");
  const known = new Map(projects.map(({ project, tree }) => [project.id as string, tree.threads]));
  // A project whose own file is gone or broken is taken as it was committed.
  const isWhole = teams.every(({ id }) => known.has(id));
  const after = isWhole ? undefined : await readRevision(git, root, "HEAD");
  if (!isWhole && after === undefined) return undefined;
  const prefix = prefixOf(git, root);
  return teams.flatMap((old) => {
    const threads: ReadonlyMap<string, Thread> = known.get(old.id) ?? after?.get(old.id)?.threads ?? new Map();
    return [
      ...inspectProject(root, old, threads.get(old.rootThreadId), (file) => commitsOf(commits, prefix + file)),
      ...[...old.threads.values()].flatMap((thread) =>
        inspectThread(thread, threads.get(thread.id), commitsOf(commits, prefix + thread.file)),
      ),
    ];
  });
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

function deedOf({ authors: [{ name }], id }: AuthoredCommit, isDeleted: boolean): string {
  return `${name} ${isDeleted ? "deleted" : "changed"} it (${id.slice(0, 7)})`;
}

function commitsOf(commits: readonly AuthoredCommit[], path: string): readonly AuthoredCommit[] {
  return commits.filter(({ files }) => files.includes(path));
}

function inspectThread(before: Thread, after: Thread | undefined, commits: readonly AuthoredCommit[]): Finding[] {
  const owner = before.author;
  if (owner === undefined || before.fault !== undefined || after?.fault !== undefined) return [];
  const findings: Finding[] = [];
  if (after !== undefined && after.author !== undefined && after.author !== owner) {
    const message = `It was taken over: ${owner} → ${after.author}.`;
    findings.push(findingOf(after, "took-over", "note", message, ""));
  }
  const strangers = commits.filter((commit) => !isOf(commit, owner) && !isOf(commit, after?.author ?? owner));
  const [stranger] = strangers;
  if (stranger === undefined || !isChanged(before, after) || onlyAdds(before, after)) return findings;
  const message = `It belongs to ${owner}, and ${deedOf(stranger, after === undefined)}.`;
  const remedy = `Ask ${owner}, or take it over: threadmind update ${before.id} --author ID`;
  return [...findings, findingOf(after ?? before, "not-owner", "error", message, remedy)];
}

/**
 * Whether one of a commit's authors is this person: by the e-mail, of which an id ends with four digits, whatever the name
 * is now, or by name where an id was made without an e-mail: a false alarm would be worse.
 */
function isOf({ authors }: AuthoredCommit, owner: string): boolean {
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
  const told = ({ title, parentId, status, branch, paths, mergedInto, body }: Thread): string =>
    JSON.stringify([title, parentId, status, branch, paths, mergedInto, body.trim()]);
  return told(before) !== told(after);
}

/** What a merge without a summary does to a parent: bullets that end with the thread they came from. */
function onlyAdds(before: Thread, after: Thread | undefined): boolean {
  if (after === undefined) return false;
  const told = ({ title, parentId, status, branch, mergedInto }: Thread): string =>
    JSON.stringify([title, parentId, status, branch, mergedInto]);
  if (told(before) !== told(after)) return false;
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
  if (!hasKnownSection(body)) return splitUnits(body);
  const summary = parseSummary(body);
  const names = [...new Set(summary.sections.map(({ name }) => name))];
  return names.flatMap((name) => splitUnits(sectionText(summary, name) ?? ""));
}
