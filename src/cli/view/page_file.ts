import { basename, dirname, join, resolve } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import { readByteFile } from "../../io/byte_file.ts";
import { createExclusive } from "../../io/exclusive_file.ts";
import {
  isFolder,
  isOwn,
  kindOf,
  listFolder,
  makeTemporaryFolder,
  realPath,
  removeFile,
  stampOf,
} from "../../io/files.ts";
import { inTheirWords, isReadOnly, removeEmptyFolders, writeUserFile } from "../../io/user_files.ts";
import { PAGE_START } from "./page.ts";

const FOLDER_PREFIX = "threadmind-view-";
const FOLDER_NAME = /^threadmind-view-[A-Za-z0-9]{6}$/;
const FILE_NAME = "threadmind.html";
const OLD_MS = 86_400_000;
const KEPT_FOLDERS = [".git", ".threadmind"];

/**
 * The file that a page may be written to: one that doesn't exist yet, or a page of an earlier call. Throws `storage` for
 * any other.
 */
export function checkPageFile(output: string): string {
  const file = resolve(output);
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("storage", `Cannot write the page to ${JSON.stringify(output)}: ${why}.`, hint);
  const folder = realPath(dirname(file));
  const parts = [file, join(folder ?? "", basename(file))].flatMap((path) => path.toLowerCase().split(/[\\/]/));
  const kept = KEPT_FOLDERS.find((name) => parts.includes(name));
  if (kept !== undefined) throw refuse(`the page doesn't belong into ${kept}/`, "Name a file elsewhere.");
  const kind = inTheirWords(() => kindOf(file));
  if (isFolder(file) || /[\\/]$/.test(output)) throw refuse("it is a folder", "Name a file in it.");
  if (kind === "link") throw refuse("it is a link", "Name the file that is meant, or another.");
  if (kind === "other") throw refuse("it is no regular file", "Name another, or - for standard output.");
  if (folder === undefined || !isFolder(folder))
    throw refuse("there is no such folder", "Make the folder, or name another.");
  if (kind === undefined) return file;
  if (!isPage(file))
    throw refuse(
      "it is there already, and is no page of threadmind view",
      "Name another file, or remove that one first.",
    );
  if (isReadOnly(file)) throw refuse("it is read-only", "Make it writable, or name another file.");
  return file;
}

function isPage(file: string): boolean {
  const start = new TextEncoder().encode(PAGE_START);
  return inTheirWords(
    () =>
      readByteFile(file, ({ size, fill }) => {
        const found = new Uint8Array(start.length);
        if (size < start.length) return false;
        fill(found, 0);
        return start.every((byte, at) => byte === found[at]);
      }) === true,
  );
}

/** Writes the page whole to a file that `checkPageFile()` let pass: a file that has appeared since is not replaced. */
export function writePageFile(file: string, page: string, output: string): void {
  const isThere = kindOf(file) !== undefined;
  if (isThere || !inTheirWords(() => createExclusive(file, page))) writeUserFile(checkPageFile(output), page);
}

/** Writes the page to a new temporary file for this user alone, and returns its path. Pages of earlier days are removed. */
export function writeTemporaryPage(page: string, now: Date): string {
  const folder = makeTemporaryFolder(FOLDER_PREFIX);
  removeOldPages(dirname(folder), now);
  const file = join(folder, FILE_NAME);
  inTheirWords(() => createExclusive(file, page, 0o600));
  return file;
}

/** Removes this user's temporary pages that are older than a day. */
function removeOldPages(temporary: string, now: Date): void {
  const names = (listFolder(temporary) ?? []).filter(({ name, kind }) => kind === "folder" && FOLDER_NAME.test(name));
  for (const { name } of names) {
    try {
      removeOldPage(join(temporary, name), now);
    } catch (error) {
      // Another process has been quicker, or the system forbids it: the new page is what was asked for.
      if (!(error instanceof ThreadMindError)) throw error;
    }
  }
}

/** A folder that holds anything else than a page stays as it is. */
function removeOldPage(folder: string, now: Date): void {
  const age = now.getTime() - (stampOf(folder)?.modifiedAt ?? now.getTime());
  if (age < OLD_MS || !isOwn(folder)) return;
  const entries = listFolder(folder) ?? [];
  if (entries.some(({ name, kind }) => name !== FILE_NAME || kind !== "file")) return;
  if (entries.length > 0) removeFile(join(folder, FILE_NAME));
  removeEmptyFolders(folder);
}
