import { join } from "node:path";
import type { ThreadId } from "../core/id.ts";
import { parseObject } from "../core/json_file.ts";
import { listFolder, makeFolder, readText, removeFile, writeWhole } from "./files.ts";
import { checkInside, type Layout } from "./layout.ts";
import { stampAfter } from "./local.ts";

/** A kept text of a thread: its revision, and when it was replaced or deleted (ISO 8601). */
export interface KeptVersion {
  readonly revision: string;
  readonly at: string;
  readonly path: string;
}

/** What one deletion removed, and the kept text of each thread. */
export interface Deletion {
  readonly at: string;
  readonly threads: readonly { readonly id: string; readonly kept: string }[];
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/;
const DELETIONS = ".deletions";
const MOST_DELETIONS = 50;

/** The kept texts of a thread, newest first. */
export function listKept(layout: Layout, project: string, thread: string): readonly KeptVersion[] {
  const folder = join(layout.kept, project, thread);
  checkInside(layout, folder);
  return (listFolder(folder) ?? [])
    .filter(({ name, kind }) => kind === "file" && NAME.test(name) && name.endsWith(".md"))
    .map(({ name }) => ({ revision: `kept-${name.split("-")[0]}`, at: instantOf(name), path: join(folder, name) }))
    .reverse();
}

function instantOf(name: string): string {
  return name.replace(NAME, "$1-$2-$3T$4:$5:$6.$7Z|").split("|")[0] ?? "";
}

/** Remembers what one deletion removed, so that it can be brought back as a whole. */
export function recordDeletion(
  layout: Layout,
  project: string,
  threads: readonly { readonly id: ThreadId; readonly kept: string }[],
  now: Date,
): void {
  const folder = join(layout.kept, project, DELETIONS);
  checkInside(layout, folder);
  makeFolder(folder);
  const name = `${stampAfter(deletionNames(folder), now)}.json`;
  writeWhole(join(folder, name), `${JSON.stringify({ threads })}\n`, layout.temporary);
  const names = deletionNames(folder);
  for (const old of names.slice(0, Math.max(0, names.length - MOST_DELETIONS))) removeFile(join(folder, old));
}

function deletionNames(folder: string): readonly string[] {
  return (listFolder(folder) ?? [])
    .filter(({ kind, name }) => kind === "file" && NAME.test(name))
    .map(({ name }) => name);
}

/** The deletions of a project that can be undone, newest first. */
export function listDeletions(layout: Layout, project: string): readonly Deletion[] {
  const folder = join(layout.kept, project, DELETIONS);
  checkInside(layout, folder);
  return deletionNames(folder)
    .flatMap((name): Deletion[] => {
      const read = readText(join(folder, name));
      const parsed = read !== undefined && "text" in read ? parseObject(read.text) : undefined;
      const listed = parsed === undefined || "message" in parsed ? undefined : parsed.members.get("threads");
      if (!Array.isArray(listed)) return [];
      const threads = listed.flatMap((entry) => {
        if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [];
        const { id, kept } = entry;
        return typeof id === "string" && typeof kept === "string" && NAME.test(kept) ? [{ id, kept }] : [];
      });
      return [{ at: instantOf(name), threads }];
    })
    .reverse();
}
