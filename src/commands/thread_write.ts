import { quote } from "../core/id.ts";
import { nextStep } from "../core/next_step.ts";
import { normalisePath } from "../core/paths.ts";
import { findSecret } from "../core/secrets.ts";
import { setStatusReason } from "../core/status_edit.ts";
import { statusReason } from "../core/summary.ts";
import { stripControls } from "../core/text_controls.ts";
import { FIELD_KEYS, type FieldValue, isSameValue } from "../core/thread_fields.ts";
import { editThreadFile, type FieldKey, type ThreadFields, type ThreadFile } from "../core/thread_file.ts";
import { nextInstant } from "../core/titles.ts";
import { findThread, nearestOpen, type ThreadStatus } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Contents } from "../io/fingerprint.ts";
import { isFingerprintCurrent, type NewStamp, readStamp, takeStamp } from "../io/freshness.ts";
import type { Scene } from "../io/scene.ts";
import type { Replacing, Shown } from "../io/seen.ts";
import type { Session } from "../io/session.ts";
import { statusOf } from "../io/thread_reading.ts";
import { hasBackslashes, isPresent } from "../io/workspace.ts";
import { nameOf } from "./scene.ts";

/** How a write treats a thread's record of the code it was written on (the table in §6 of the contract). */
export interface StampPlan {
  /** taken anew; `undefined` keeps what is recorded */
  readonly fresh: NewStamp | undefined;
  /** the fingerprint of changed paths that is put in place of a recorded one that still matched */
  readonly renewed: string | undefined;
  readonly paths: readonly string[] | undefined;
  /** what was found under the paths on the way */
  readonly contents?: Contents | undefined;
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
      `Cannot record the path ${quote(path)}: ${result.fault}.`,
      "Give files or folders relative to the workspace, e.g. src/auth; . is all of it.",
    );
  });
  const unique = [...new Set(paths)];
  return { paths: unique, missing: missingPaths(unique, root) };
}

/** Those of a thread's paths at which there is nothing. */
export function missingPaths(paths: readonly string[], root: string): readonly string[] {
  return paths.filter((path) => !isPresent(root, path));
}

/** What to record with a write; git is asked here, before the workspace's lock is taken. */
export async function planStamp(
  { git, workspace, thread }: Scene,
  { isAnew, paths }: { readonly isAnew: boolean; readonly paths: readonly string[] | undefined },
): Promise<StampPlan> {
  const { root } = workspace;
  const next = paths ?? thread.paths;
  if (isAnew) {
    const { stamp, contents } = await readStamp(git, root, next);
    return { fresh: stamp, renewed: undefined, paths, contents };
  }
  if (paths === undefined || samePaths(paths, thread.paths))
    return { fresh: undefined, renewed: undefined, paths: undefined };
  const isCurrent = await isFingerprintCurrent(git, root, thread);
  const renewed = isCurrent ? (await takeStamp(git, root, next)).fingerprint : undefined;
  return { fresh: undefined, renewed, paths };
}

/** True if two lists name the same paths in the same order. */
export function samePaths(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((path, index) => path === b[index]);
}

/** What a write changes besides dates and stamps. */
export interface ThreadEdit {
  readonly body?: string;
  readonly stamp?: StampPlan;
  /** header values to set; `undefined` takes the line out */
  readonly fields?: Partial<Readonly<Record<FieldKey, FieldValue | undefined>>>;
  /** moves `updatedAt` although nothing else changes */
  readonly isTouched?: boolean;
}

/** The new source of a thread's file; `updatedAt` moves when anything but the stamp changes. Identical if nothing does. */
export function writeThread(
  file: ThreadFile,
  { body = file.body, stamp, fields = {}, isTouched = false }: ThreadEdit,
  now: Date,
): string {
  const changed = FIELD_KEYS.flatMap((key): [FieldKey, FieldValue | undefined][] =>
    Object.hasOwn(fields, key) && !isSameValue(file.fields[key], fields[key]) ? [[key, fields[key]]] : [],
  );
  const pathsChange = stamp?.paths !== undefined && !samePaths(stamp.paths, file.fields.paths ?? []);
  const isUpdated = isTouched || body !== file.body || pathsChange || changed.length > 0;
  const values = new Map<FieldKey, FieldValue | undefined>([
    ...changed,
    ...(stamp === undefined ? [] : stampValues(stamp)),
    ...(isUpdated ? [["updatedAt", nextInstant(file.fields.updatedAt, now)] as const] : []),
  ]);
  const set: ThreadFields = Object.fromEntries([...values].filter(([, value]) => value !== undefined));
  const unset = [...values].flatMap(([key, value]) => (value === undefined ? [key] : []));
  return editThreadFile(file, { set, unset, ...(body === file.body ? {} : { body }) });
}

function stampValues({ fresh, renewed, paths }: StampPlan): [FieldKey, FieldValue | undefined][] {
  const ofPaths: [FieldKey, FieldValue | undefined][] =
    paths === undefined ? [] : [["paths", paths.length === 0 ? undefined : paths]];
  if (fresh !== undefined) return [...ofPaths, ["commit", fresh.commit], ["fingerprint", fresh.fingerprint]];
  return paths === undefined ? [] : [...ofPaths, ["fingerprint", renewed]];
}

/** A whole new body: one blank line below the header, the file's line ends, one line end at the end. */
export function wholeBody(old: string, content: string, end: string): string {
  const text = content.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  const lead = /^(?:[ \t]*\r?\n)*/.exec(old)?.[0] ?? "";
  if (old.trim() !== "" && old.replace(/\r\n/g, "\n").trim() === text.trim()) return old;
  return text === "" ? end : `${lead === "" || old.trim() === "" ? end : lead}${text.replace(/\n/g, end)}${end}`;
}

const REPLACING: Replacing = {
  action: "replace the summary of",
  hint: "Merge it with your text, and call again.",
};

/** Refuses, once, to replace a text that this session's model has not read whole as it is now. */
export function checkSeen(
  session: Session,
  project: string,
  thread: string,
  file: ThreadFile,
  replacing = REPLACING,
): void {
  if (!session.isCommandLine) session.seen.check(`${project}/${thread}`, shownOf(file), replacing);
}

/** Notes what this session's model knows of a thread that it wrote, all or a part of what it had read, and where it stands. */
export function noteWritten(
  session: Session,
  written: {
    readonly project: string;
    readonly thread: string;
    readonly file: ThreadFile;
    readonly body: string;
    readonly isAll: boolean;
    /** the status that was written, if that changed */
    readonly status?: ThreadStatus;
    /** the parent that was written, if that changed */
    readonly parentId?: string;
  },
): void {
  session.settle();
  const { project, thread, file, isAll, ...after } = written;
  const before = shownOf(file);
  session.seen.wrote(`${project}/${thread}`, before, { ...before, ...after }, isAll);
}

/** Notes that this session restored a text, which its model has not been shown. */
export function noteRestored(
  session: Session,
  project: string,
  thread: string,
  { file, body }: { readonly file: ThreadFile; readonly body: string },
): void {
  session.settle();
  session.seen.note(`${project}/${thread}`, { ...shownOf(file), body }, false);
}

function shownOf({ body, fields }: ThreadFile): Shown {
  const { status, parentId, mergedInto } = fields;
  return { body, parentId, mergedInto, status: statusOf(status) };
}

/** What the answer says of a text that was written over. */
export function keptNote(thread: string): string {
  return `The replaced text is kept: ${nextStep(`thread_restore ${thread}`, ["restore", thread])} brings it back.`;
}

/** What the answer says of a text that was written into a finished thread. */
export function finishedNotes(session: Session, scene: Scene, { fields }: ThreadFile): string[] {
  const { thread, tree } = scene;
  const status = statusOf(fields.status);
  if (status === "open") return [];
  const name = nameOf(session, scene, thread.id);
  const into = status === "done" && fields.mergedInto !== undefined ? findThread(tree, fields.mergedInto) : undefined;
  const above = into ?? tree.parentOf(thread);
  const target = above === undefined ? undefined : nearestOpen(tree, above);
  const reopen = nextStep("thread_status", ["reopen", name]);
  if (target === undefined) return [`${name} is ${status}: reopen it with ${reopen}, if work on it goes on.`];
  const why =
    into === undefined
      ? `${name} is ${status}: no new session starts here.`
      : `${name} is done (merged into ${into.id}): ${into.id} does not get what is written here.`;
  return [`${why} Write to ${nameOf(session, scene, target.id)}, or reopen it with ${reopen}.`];
}

/** A new body of a finished thread with the reason of its status, if it drops that; and what the answer says of it. */
export function keepReason(
  { body: old, fields }: ThreadFile,
  body: string,
): { readonly body: string; readonly notes: readonly string[] } {
  const status = statusOf(fields.status);
  const word = status === "done" ? "Done" : "Abandoned";
  const known = status === "open" ? undefined : statusReason(old);
  if (known?.word !== word || statusReason(body)?.word === word) return { body, notes: [] };
  const edit = setStatusReason(body, status, "open", known.reason);
  const moved = edit.movedToDecisions ? " The rest had no section, and stands there too." : "";
  return {
    body: edit.body,
    notes: [`Kept in Decisions, since it is ${status}: "- ${word}: ${stripControls(known.reason)}".${moved}`],
  };
}

/** Why a text can't be written, and the next step. */
export interface ContentFault {
  readonly why: string;
  readonly hint: string;
}

/** Why a text could not be read back: conflict markers, NUL, broken Unicode; `undefined` if it can. */
export function findContentFault(content: string, conflictLine: number | undefined): ContentFault | undefined {
  if (conflictLine !== undefined)
    return {
      why: `line ${conflictLine} is a merge-conflict marker`,
      hint: "Settle the conflict first, or put an example into a code fence.",
    };
  if (content.includes("\0")) return { why: "it holds a NUL character", hint: "Send text only." };
  if (!content.isWellFormed()) return { why: "it is not valid Unicode", hint: "Send the text again as UTF-8." };
  return undefined;
}

/** Refuses a text that has such a fault. */
export function checkContent(content: string, conflictLine: number | undefined): void {
  const fault = findContentFault(content, conflictLine);
  if (fault !== undefined)
    throw new ThreadMindError("invalid-content", `Cannot write this summary: ${fault.why}.`, fault.hint);
}

/** Refuses a text with a recognisable secret, naming its line; `wayOut` says how one that is none can still be written. */
export function checkSecrets(what: string, content: string, wayOut = ""): void {
  const secret = findSecret(content);
  if (secret === undefined) return;
  throw new ThreadMindError(
    "invalid-content",
    `Cannot write ${what}: line ${secret.line} holds what looks like ${secret.kind}.`,
    `Take it out: what is written here is committed.${wayOut === "" ? "" : ` ${wayOut}`}`,
  );
}

/** What the answer says of a file that the write mended on the way. */
export function repairsOf({ repaired }: ThreadFile): string[] {
  return repaired === undefined ? [] : [repaired];
}
