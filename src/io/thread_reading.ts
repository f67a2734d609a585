import { basename } from "node:path";
import { findConflict } from "../core/conflict.ts";
import { idKey, type ThreadId } from "../core/id.ts";
import { parsePlainThreadFile, parseThreadFile, type ThreadFile, type Unreadable } from "../core/thread_file.ts";
import type { Fault, Thread, ThreadStatus } from "../core/tree.ts";
import { fillHint, UNREADABLE_HINT } from "../core/way_back.ts";
import { kindOf, readText, realPath } from "./files.ts";
import { findLinkFault, type Layout } from "./layout.ts";

/** The path at which a file can be set aside, beside itself, where nothing stands yet. */
export function asideName(path: string): string {
  let aside = `${path}.bad`;
  for (let count = 2; kindOf(aside) !== undefined; count++) aside = `${path}.bad${count}`;
  return aside;
}

/** What to do about a file that can't be read, at `path`; the name to set it aside under is free. */
export function hintFor(hint: string, file: string, path: string): string {
  return fillHint(hint, file, basename(asideName(path)));
}

/** A text that may be used, or why not. */
export type SafeText = { readonly text: string } | { readonly fault: string };

/** A file's text, unless it is a link that leads out of .threadmind/. */
export function readSafely(layout: Layout, path: string): SafeText {
  const isLink = kindOf(path) === "link";
  if (isLink && realPath(path) === undefined) return { fault: "is a link to nothing" };
  const fault = isLink ? findLinkFault(layout, path) : undefined;
  if (fault !== undefined) return { fault: fault.replace(/^it /, "") };
  return readText(path) ?? { fault: "is gone" };
}

/** Reads one thread's file; a damaged one gives a thread of which nothing but the id is known. */
export async function readThread(
  layout: Layout,
  path: string,
  id: ThreadId,
  file: string,
): Promise<{ thread: Thread; faults: readonly Fault[]; isPlain: boolean }> {
  const read = readSafely(layout, path);
  const plain = "fault" in read ? undefined : parsePlainThreadFile(read.text);
  const parsed: ThreadFile | Unreadable =
    "fault" in read
      ? { line: 1, message: `It ${read.fault}.`, hint: UNREADABLE_HINT }
      : (plain ?? (await parseThreadFile(read.text)));
  const isPlain = plain !== undefined && kindOf(path) !== "link";
  if ("message" in parsed) {
    const hint = hintFor(parsed.hint, file, path);
    const fault: Fault = { kind: "unreadable", file, line: parsed.line, message: parsed.message, hint };
    return { thread: damagedThread(id, file, fault), faults: [fault], isPlain };
  }
  const thread = threadOf(id, file, parsed);
  return { thread, faults: faultsOf(thread, parsed), isPlain };
}

/** Ids that some file systems can't hold side by side. */
export function twinFaults(threads: readonly Thread[]): Fault[] {
  const seen = new Map<string, Thread>();
  const faults: Fault[] = [];
  for (const thread of threads) {
    const key = idKey(thread.id);
    const twin = seen.get(key);
    seen.set(key, thread);
    if (twin === undefined) continue;
    const message = `Its id differs from ${twin.id} only in case or normalisation.`;
    faults.push({ kind: "detail", file: thread.file, line: undefined, message, hint: "Rename one of the two files." });
  }
  return faults;
}

/** A thread of which only the id and file are known. */
export function damagedThread(id: ThreadId, file: string, fault: Fault): Thread {
  return {
    ...{ id, file, fault, title: id, parentId: undefined, status: "open", body: "", paths: [] },
    ...{ author: undefined, createdAt: undefined, updatedAt: undefined, branch: undefined, commit: undefined },
    ...{ fingerprint: undefined, mergedInto: undefined, conflictLine: undefined },
  };
}

/** A parsed file as a thread. */
export function threadOf(id: ThreadId, file: string, parsed: ThreadFile): Thread {
  const { fields, body } = parsed;
  const bodyConflict = findConflict(body);
  return {
    ...{ id, file, body, fault: undefined },
    title: fields.title === undefined || fields.title.trim() === "" ? id : fields.title,
    parentId: fields.parentId,
    status: statusOf(fields.status),
    author: fields.author,
    createdAt: fields.createdAt,
    updatedAt: fields.updatedAt,
    branch: fields.branch === "" ? undefined : fields.branch,
    commit: fields.commit,
    fingerprint: fields.fingerprint,
    paths: fields.paths ?? [],
    mergedInto: fields.mergedInto,
    conflictLine: parsed.conflictLine ?? (bodyConflict === undefined ? undefined : parsed.bodyLine + bodyConflict - 1),
  };
}

/** A status as written in a file; what is neither done nor abandoned is open. */
export function statusOf(text: string | undefined): ThreadStatus {
  return text === "done" || text === "abandoned" ? text : "open";
}

function faultsOf(thread: Thread, { fields, findings }: ThreadFile): Fault[] {
  const { id, file, conflictLine } = thread;
  const faults: Fault[] = findings.map((finding) => ({ kind: "detail", file, ...finding }));
  if (fields.id !== undefined && fields.id !== id) {
    const hint = `Set id: to ${id}, or rename the file; until then nothing writes to it.`;
    faults.push({
      kind: "identity",
      file,
      line: undefined,
      message: `Its id is not its file name (${id}); the file name counts.`,
      hint,
    });
  }
  if (conflictLine !== undefined) {
    const hint = "Run threadmind resolve, or settle it by hand.";
    faults.push({ kind: "conflict", file, line: conflictLine, message: "It has merge conflicts.", hint });
  }
  return faults;
}
