import { constants, copyFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ThreadMindError } from "../errors.ts";
import { kindOf, listFolder, makeFolder, readText, realPath, removeFile, writeWhole } from "./files.ts";
import { storageError } from "./storage_error.ts";

/** What is added to the name of a client's file for the copy that is kept of it. */
export const BACKUP_ENDING = ".before-threadmind";

/** The text of a file outside the workspace; `undefined` if absent. Throws `storage` for what is no readable text file. */
export function readUserFile(path: string): string | undefined {
  const kind = kindOf(path);
  if (kind === undefined) return undefined;
  if (kind === "link" && realPath(path) === undefined)
    throw unusable(
      path,
      "it is a link to a file that doesn't exist",
      "Remove the link, or make the file it points to.",
    );
  if (kind === "folder") throw unusable(path, "a folder stands in its place", "Move the folder away.");
  if (kind === "other") throw unusable(path, "it is no regular file", "Move it away.");
  const read = readText(path);
  if (read === undefined || "text" in read) return read?.text;
  throw unusable(path, `it ${read.fault}`, "Check who owns the file, and that it is saved as UTF-8.");
}

function unusable(path: string, why: string, hint: string): ThreadMindError {
  return new ThreadMindError("storage", `Cannot change ${path}: ${why}.`, hint);
}

/** Replaces a file whole through a temporary one beside it; links are written through, folders made. */
export function writeUserFile(path: string, text: string): void {
  makeFolder(dirname(path));
  writeWhole(path, text, dirname(realPath(path) ?? path));
}

/**
 * Keeps a copy of a file beside it, with its mode, and returns the copy's path; numbered where a copy with another text
 * is there already, and no second one with the same.
 */
export function keepCopy(path: string, text: string): string {
  for (let number = 1; ; number++) {
    const copy = `${path}${BACKUP_ENDING}${number === 1 ? "" : `-${number}`}`;
    if (kindOf(copy) === undefined) {
      try {
        copyFileSync(path, copy, constants.COPYFILE_EXCL);
      } catch (error) {
        throw storageError("write", copy, error);
      }
      return copy;
    }
    const read = kindOf(copy) === "file" ? readText(copy) : undefined;
    if (read !== undefined && "text" in read && read.text === text) return copy;
  }
}

/** True if a copy of a file is kept beside it. */
export function hasCopy(path: string): boolean {
  return kindOf(`${path}${BACKUP_ENDING}`) !== undefined;
}

/** Removes a file; of a link, the file that it points to and the link. */
export function removeUserFile(path: string): void {
  const real = realPath(path);
  if (real !== undefined) removeFile(real);
  removeFile(path);
}

/** The paths of all files and links below a folder, relative with `/`; `undefined` if it is no folder of its own. */
export function listFiles(folder: string): readonly string[] | undefined {
  if (kindOf(folder) !== "folder") return undefined;
  return (listFolder(folder) ?? []).flatMap(({ name, kind }) =>
    kind === "folder" ? (listFiles(join(folder, name)) ?? []).map((below) => `${name}/${below}`) : [name],
  );
}

/** Removes a folder of ours with everything in it; absence is fine, and a link in its place goes without its target. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw storageError("remove", path, error);
  }
}
