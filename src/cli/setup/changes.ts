import { relative } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import { findRepositoryTop, openGit } from "../../io/git.ts";
import { isLink, keepCopy, readCopies, readUserFile, removeUserFile, writeUserFile } from "../../io/user_files.ts";
import { type FileSpec, listOthers, planRemoval, planSetup } from "./file_plan.ts";
import { renderDiff } from "./line_diff.ts";
import type { Place } from "./place.ts";
import { findOriginal, isAllOurs } from "./undo.ts";

/** What is to become of a file; `undefined` stands for no file. */
export interface Change {
  readonly spec: FileSpec;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** what is replaced can't be had from elsewhere */
  readonly isCopied: boolean;
  /** the copy that is put back, and gone then */
  readonly restored?: string | undefined;
  /** the entry in our place that starts something else, and stays */
  readonly foreign?: string | undefined;
}

/** A file of the answer, and what was or would be done to it. */
export interface FileReport {
  readonly path: string;
  readonly action: "none" | "create" | "change" | "delete";
  /** the copy of what was there */
  readonly backup?: string;
  /** the copy that was put back, and is gone */
  readonly restored?: string;
  /** lines that differ, for a run that writes nothing */
  readonly diff?: readonly string[];
}

/** Reads and computes all files before any is written. Throws for the first that can't be changed. */
export async function planChanges(
  specs: readonly FileSpec[],
  isRemoval: boolean,
  place: Place,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const spec of specs) {
    const before = readUserFile(spec.path);
    if (before !== undefined) changes.push(await planChange(spec, before, isRemoval, place));
    else if (!isRemoval) changes.push({ spec, before, after: planSetup(spec, before), isCopied: false });
  }
  return changes;
}

async function planChange(spec: FileSpec, before: string, isRemoval: boolean, place: Place): Promise<Change> {
  const { text, foreign } = isRemoval
    ? planRemoval(spec, before)
    : { text: planSetup(spec, before), foreign: undefined };
  if (text === before) return { spec, before, after: text, isCopied: false, foreign };
  const committed = place.isProject ? await readCommitted(place.root(), spec.path) : undefined;
  if (isRemoval) {
    const copies = readCopies(spec.path);
    const original = findOriginal(spec, before, [...copies.map((copy) => copy.text), ...(committed ?? [])]);
    const restored = copies.find((copy) => copy.text === original)?.path;
    if (original !== undefined) return { spec, before, after: original, isCopied: false, restored, foreign };
  }
  const isOurs = isAllOurs(spec, before);
  if (isRemoval && isOurs && !isLink(spec.path)) return { spec, before, after: undefined, isCopied: false, foreign };
  const isInGit = committed?.some((known) => withFeeds(known) === withFeeds(before)) === true;
  return { spec, before, after: text, isCopied: !isInGit && (!isOurs || isRemoval), foreign };
}

function withFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** A file as the last commit has it, in a list of one; `undefined` where there is none. */
async function readCommitted(root: string, path: string): Promise<readonly string[] | undefined> {
  const git = openGit(root);
  const name = git === undefined ? "" : relative(git.top, path).replaceAll("\\", "/");
  if (git === undefined || /[\r\n]/.test(name)) return undefined;
  const [text] = (await git.texts([`HEAD:${name}`])) ?? [];
  return text === undefined ? undefined : [text];
}

/** Writes the changes, each with a copy of what it replaces; or only says what they would be. */
export function applyChanges(changes: readonly Change[], isDryRun: boolean): readonly FileReport[] {
  const reports: FileReport[] = [];
  for (const change of changes) {
    try {
      reports.push(applyChange(change, isDryRun));
    } catch (error) {
      if (!(error instanceof ThreadMindError)) throw error;
      throw new ThreadMindError(error.code, error.message, [error.hint, ...describeDone(reports)].join("\n"));
    }
  }
  return reports;
}

/** What was written before something was refused, as lines. */
export function describeDone(reports: readonly FileReport[]): readonly string[] {
  return reports
    .filter(({ action, diff }) => action !== "none" && diff === undefined)
    .map(({ path, backup }) => `Already written: ${path}${backup === undefined ? "" : ` (as it was: ${backup})`}.`);
}

function applyChange({ spec: { path }, before, after, isCopied, restored }: Change, isDryRun: boolean): FileReport {
  if (before === after) return { path, action: "none" };
  const action = before === undefined ? "create" : after === undefined ? "delete" : "change";
  if (isDryRun) return { path, action, diff: renderDiff(before ?? "", after ?? "") };
  if (readUserFile(path) !== before) throw changedMeanwhile(path);
  const copy = before !== undefined && isCopied ? keepCopy(path, before) : undefined;
  try {
    if (after === undefined) removeUserFile(path);
    else writeUserFile(path, after);
  } catch (error) {
    copy?.undo();
    throw error;
  }
  if (restored !== undefined) removeUserFile(restored);
  return {
    path,
    action,
    ...(copy === undefined ? {} : { backup: copy.path }),
    ...(restored === undefined ? {} : { restored }),
  };
}

function changedMeanwhile(path: string): ThreadMindError {
  return new ThreadMindError(
    "changed-since",
    `Cannot change ${path}: another program has just changed it.`,
    "Close the client, and run the command again.",
  );
}

/** Other entries in these files that start our server, which would then run twice, or still. */
export function doubleNotes(changes: readonly Change[], isRemoval: boolean): readonly string[] {
  return changes.flatMap(({ spec, before }) =>
    (before === undefined ? [] : listOthers(spec, before)).map((name) =>
      isRemoval
        ? `${spec.path} still starts ThreadMind, as ${JSON.stringify(name)}: setup leaves an entry of that name alone.`
        : `${spec.path} starts ThreadMind a second time, as ${JSON.stringify(name)}: take that entry out.`,
    ),
  );
}

/** In a repository, the copies that `git add -A` would take along. */
export function copyNotes(reports: readonly FileReport[], { isProject, root }: Place): readonly string[] {
  if (!isProject || findRepositoryTop(root()) === undefined) return [];
  return reports.flatMap(({ backup }) =>
    backup === undefined ? [] : [`Don't commit ${backup}; delete it when all is well.`],
  );
}
