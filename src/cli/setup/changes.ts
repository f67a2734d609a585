import { ThreadMindError } from "../../errors.ts";
import { hasCopy, keepCopy, readUserFile, removeUserFile, writeUserFile } from "../../io/user_files.ts";
import { type FileSpec, listOthers, planRemoval, planSetup } from "./file_plan.ts";
import { renderDiff } from "./line_diff.ts";

/** What is to become of a file; `undefined` stands for no file. */
export interface Change {
  readonly spec: FileSpec;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A file of the answer, and what was or would be done to it. */
export interface FileReport {
  readonly path: string;
  readonly action: "none" | "create" | "change" | "delete";
  /** the copy of what was there */
  readonly backup?: string;
  /** lines that differ, for a run that writes nothing */
  readonly diff?: readonly string[];
}

/** Reads and computes all files before any is written. Throws for the first that can't be changed. */
export function planChanges(specs: readonly FileSpec[], isRemoval: boolean): readonly Change[] {
  return specs.map((spec) => {
    const before = readUserFile(spec.path);
    if (!isRemoval) return { spec, before, after: planSetup(spec, before) };
    if (before === undefined) return { spec, before, after: undefined };
    const { text, isEmpty } = planRemoval(spec, before);
    // A file that was there before ours came stays, as empty as it may have been.
    return { spec, before, after: isEmpty && !hasCopy(spec.path) ? undefined : text };
  });
}

/** Writes the changes, each with a copy of what it replaces; or only says what they would be. */
export function applyChanges(changes: readonly Change[], isDryRun: boolean): readonly FileReport[] {
  return changes.map(({ spec: { path }, before, after }): FileReport => {
    if (before === after) return { path, action: "none" };
    const action = before === undefined ? "create" : after === undefined ? "delete" : "change";
    if (isDryRun) return { path, action, diff: renderDiff(before ?? "", after ?? "") };
    if (readUserFile(path) !== before) throw changedMeanwhile(path);
    // What is deleted held nothing but our entries.
    const backup = before === undefined || after === undefined ? undefined : keepCopy(path, before);
    if (after === undefined) removeUserFile(path);
    else writeUserFile(path, after);
    return { path, action, ...(backup === undefined ? {} : { backup }) };
  });
}

function changedMeanwhile(path: string): ThreadMindError {
  return new ThreadMindError(
    "changed-since",
    `Cannot change ${path}: another program has just changed it.`,
    "Close the client, and run the command again.",
  );
}

/** Other entries in these files that start our server, which would then run twice. */
export function doubleNotes(changes: readonly Change[]): readonly string[] {
  return changes.flatMap(({ spec, before }) =>
    (before === undefined ? [] : listOthers(spec, before)).map(
      (name) => `${spec.path} starts ThreadMind a second time, as ${JSON.stringify(name)}: take that entry out.`,
    ),
  );
}
