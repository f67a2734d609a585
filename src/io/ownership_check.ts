import type { Finding } from "../core/finding.ts";
import { hasKnownSection, parseSummary, sectionText } from "../core/summary.ts";
import type { Thread } from "../core/tree.ts";
import { splitUnits } from "../core/units.ts";
import { authorIdOf } from "./author.ts";
import { prefixOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import type { AuthoredCommit } from "./git_revisions.ts";
import { findingOf, type Inspected } from "./inspection.ts";
import { readRevision } from "./revision.ts";
import { DATA_FOLDER } from "./workspace.ts";

/**
 * What people changed of threads that aren't theirs, in projects of team mode, since a base commit: by the authors of the
 * commits that touched each file. Taking a thread over is told, not forbidden. `undefined` if git can't tell.
 */
export async function inspectOwnership(
  git: Git,
  root: string,
  base: string,
  projects: readonly Inspected[],
): Promise<readonly Finding[] | undefined> {
  const teams = projects.filter(({ project }) => project.mode === "team");
  if (teams.length === 0) return [];
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}`;
  const [before, commits] = await Promise.all([readRevision(git, root, base), git.authorsOf(base, "HEAD", folder)]);
  if (before === undefined || commits === undefined) return undefined;
  const prefix = prefixOf(git, root);
  return teams.flatMap(({ project, tree }) => {
    const old = before.get(project.id);
    // A project that was solo had no owners to ask.
    if (old === undefined || old.mode !== "team") return [];
    return [...old.threads.values()].flatMap((thread) =>
      inspectThread(thread, tree.threads.get(thread.id), commitsOf(commits, prefix + thread.file)),
    );
  });
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
  if (strangers.length === 0 || !isChanged(before, after) || onlyAdds(before, after)) return findings;
  const [{ name = "", id = "" } = {}] = strangers;
  const what = after === undefined ? "deleted" : "changed";
  const message = `It belongs to ${owner}, and ${name} ${what} it (${id.slice(0, 7)}).`;
  const remedy = `Ask ${owner}, or take it over: threadmind update ${before.id} --author ID`;
  return [...findings, findingOf(after ?? before, "not-owner", "error", message, remedy)];
}

/** By id, or by name where an id was made without an e-mail: a false alarm would be worse. */
function isOf({ name, email }: AuthoredCommit, owner: string): boolean {
  const id = authorIdOf(name, email);
  const slug = (text: string): string => text.replace(/-[0-9a-f]{4}$/, "");
  return id === owner || (id !== undefined && slug(id) === slug(owner));
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
