import { normalisePath } from "../core/paths.ts";
import { findSecret } from "../core/secrets.ts";
import { editThreadFile, type ThreadFields, type ThreadFile } from "../core/thread_file.ts";
import { nextInstant } from "../core/titles.ts";
import { ThreadMindError } from "../errors.ts";
import { isFingerprintCurrent, type NewStamp, takeStamp } from "../io/freshness.ts";
import type { Scene } from "../io/session.ts";
import { hasBackslashes, isPresent } from "../io/workspace.ts";

/** How a write treats a thread's record of the code it was written on (the table in §6 of the contract). */
export interface StampPlan {
  /** taken anew; `undefined` keeps what is recorded */
  readonly fresh: NewStamp | undefined;
  /** the fingerprint of changed paths that is put in place of a recorded one that still matched */
  readonly renewed: string | undefined;
  readonly paths: readonly string[] | undefined;
}

/** Typed paths as they are recorded, and those among them that don't exist. Throws `invalid-argument`. */
export function parsePaths(
  typed: readonly string[],
  root: string,
): { readonly paths: readonly string[]; readonly missing: readonly string[] } {
  const paths = typed.map((path) => {
    const result = normalisePath(path, hasBackslashes);
    if ("path" in result) return result.path;
    throw new ThreadMindError(
      "invalid-argument",
      `Cannot record the path ${JSON.stringify(path)}: ${result.fault}.`,
      "Give files or folders relative to the workspace, e.g. src/auth; . is all of it.",
    );
  });
  const unique = [...new Set(paths)];
  return { paths: unique, missing: unique.filter((path) => !isPresent(root, path)) };
}

/** What to record with a write; git is asked here, before the workspace's lock is taken. */
export async function planStamp(
  { git, workspace, thread }: Scene,
  { isAnew, paths }: { readonly isAnew: boolean; readonly paths: readonly string[] | undefined },
): Promise<StampPlan> {
  const { root } = workspace;
  const next = paths ?? thread.paths;
  if (isAnew) return { fresh: await takeStamp(git, root, next), renewed: undefined, paths };
  if (paths === undefined || samePaths(paths, thread.paths))
    return { fresh: undefined, renewed: undefined, paths: undefined };
  const isCurrent = await isFingerprintCurrent(git, root, thread);
  const renewed = isCurrent ? (await takeStamp(git, root, next)).fingerprint : undefined;
  return { fresh: undefined, renewed, paths };
}

function samePaths(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((path, index) => path === b[index]);
}

/** The new source of a thread's file with a body, dates and stamps; identical if nothing changes. */
export function writeThread(
  file: ThreadFile,
  { body, stamp, now }: { readonly body: string; readonly stamp: StampPlan; readonly now: Date },
): string {
  const set: Record<string, ThreadFields[keyof ThreadFields]> = {};
  const unset: (keyof ThreadFields)[] = [];
  const put = (key: "commit" | "fingerprint", value: string | undefined): void => {
    if (value === undefined) unset.push(key);
    else set[key] = value;
  };
  if (stamp.paths !== undefined) {
    if (stamp.paths.length === 0) unset.push("paths");
    else set["paths"] = stamp.paths;
  }
  if (stamp.fresh !== undefined) {
    put("commit", stamp.fresh.commit);
    put("fingerprint", stamp.fresh.fingerprint);
  } else if (stamp.paths !== undefined) {
    put("fingerprint", stamp.renewed);
  }
  const pathsChange = stamp.paths !== undefined && !samePaths(stamp.paths, file.fields.paths ?? []);
  if (body !== file.body || pathsChange) set["updatedAt"] = nextInstant(file.fields.updatedAt, now);
  return editThreadFile(file, { set, unset, ...(body === file.body ? {} : { body }) });
}

/** Lines for the answer about paths that name nothing. */
export function questionPaths(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const list = missing.join(", ");
  return [
    `${list} ${missing.length === 1 ? "doesn't" : "don't"} exist in the workspace: recorded as typed; check the spelling.`,
  ];
}

/** Refuses a text that could not be read back: conflict markers, NUL, broken Unicode. */
export function checkContent(content: string, conflictLine: number | undefined): void {
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("invalid-content", `Cannot write this summary: ${why}.`, hint);
  if (conflictLine !== undefined)
    throw refuse(
      `line ${conflictLine} is a merge-conflict marker`,
      "Settle the conflict first, or put an example into a code fence.",
    );
  if (content.includes("\0")) throw refuse("it holds a NUL character", "Send text only.");
  if (!content.isWellFormed()) throw refuse("it is not valid Unicode", "Send the text again as UTF-8.");
}

/** Refuses a text with a recognisable secret, naming its line, unless the caller allows it. */
export function checkSecrets(what: string, content: string, isAllowed: boolean): void {
  const secret = isAllowed ? undefined : findSecret(content);
  if (secret === undefined) return;
  throw new ThreadMindError(
    "invalid-content",
    `Cannot write ${what}: line ${secret.line} holds what looks like ${secret.kind}.`,
    "Take it out: thread files are committed. If it is none, call again with allowSecret (on the command line: --allow-secret).",
  );
}
