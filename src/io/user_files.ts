import { constants, copyFileSync, lstatSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ThreadMindError } from "../errors.ts";
import { forget, kindOf, listFolder, makeFolder, readText, realPath, removeFile, writeWhole } from "./files.ts";
import { storageError } from "./storage_error.ts";

/** What is added to the name of a client's file for the copy that is kept of it. */
export const BACKUP_ENDING = ".before-threadmind";

/** The text of a file outside the workspace; `undefined` if absent. Throws `storage` for what is no readable text file. */
export function readUserFile(path: string): string | undefined {
  return inTheirWords(() => readWhole(path));
}

function readWhole(path: string): string | undefined {
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
  inTheirWords(() => {
    makeFolder(dirname(path));
    writeWhole(path, text, dirname(realPath(path) ?? path));
  });
}

/** What a failed operation says of a file that isn't ThreadMind's. */
export function inTheirWords<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ThreadMindError) || !error.hint.includes(".threadmind")) throw error;
    throw new ThreadMindError(
      error.code,
      error.message,
      "Check who owns the file and its folder, and who may write there.",
    );
  }
}

/** A copy that is kept of a file. */
export interface Copy {
  readonly path: string;
  /** takes it away again, unless it was there before */
  readonly undo: () => void;
}

/**
 * Keeps a copy of a file beside it, with its mode; numbered where a copy with another text is there already, and no
 * second one with the same.
 */
export function keepCopy(path: string, text: string): Copy {
  for (let number = 1; ; number++) {
    const copy = copyPath(path, number);
    if (kindOf(copy) === undefined) {
      try {
        copyFileSync(path, copy, constants.COPYFILE_EXCL);
      } catch (error) {
        inTheirWords(() => {
          throw storageError("write", copy, error);
        });
      }
      return { path: copy, undo: () => forget(copy) };
    }
    if (textOfCopy(copy) === text) return { path: copy, undo: () => undefined };
  }
}

function copyPath(path: string, number: number): string {
  return `${path}${BACKUP_ENDING}${number === 1 ? "" : `-${number}`}`;
}

function textOfCopy(copy: string): string | undefined {
  const read = kindOf(copy) === "file" ? readText(copy) : undefined;
  return read !== undefined && "text" in read ? read.text : undefined;
}

/** A copy that was kept of a file earlier. */
export interface KeptCopy {
  readonly path: string;
  readonly text: string;
}

/** The copies that are kept of a file. */
export function readCopies(path: string): readonly KeptCopy[] {
  const isCopy = (name: string): boolean =>
    name.startsWith(basename(path) + BACKUP_ENDING) &&
    /^(?:-\d+)?$/.test(name.slice((basename(path) + BACKUP_ENDING).length));
  return (listFolder(dirname(path)) ?? [])
    .filter(({ name }) => isCopy(name))
    .flatMap(({ name }) => {
      const copy = join(dirname(path), name);
      const text = textOfCopy(copy);
      return text === undefined ? [] : [{ path: copy, text }];
    });
}

/** True if a link stands at a path. */
export function isLink(path: string): boolean {
  return inTheirWords(() => kindOf(path)) === "link";
}

/** True if nobody has the right to write the file at this path. */
export function isReadOnly(path: string): boolean {
  return inTheirWords(() => kindOf(path)) !== undefined && (lstatSync(path).mode & 0o222) === 0;
}

/** Removes a file, or a link without what it leads to. */
export function removeUserFile(path: string): void {
  inTheirWords(() => removeFile(path));
}

/** The paths of all files and links below a folder, relative with `/`; `undefined` if it is no folder of its own. */
export function listFiles(folder: string): readonly string[] | undefined {
  return inTheirWords(() => filesBelow(folder));
}

function filesBelow(folder: string): readonly string[] | undefined {
  if (kindOf(folder) !== "folder") return undefined;
  return (listFolder(folder) ?? []).flatMap(({ name, kind }) =>
    kind === "folder" ? (filesBelow(join(folder, name)) ?? []).map((below) => `${name}/${below}`) : [name],
  );
}

/** Removes the empty folders from a path downwards, itself included; others stay. */
export function removeEmptyFolders(path: string): void {
  if (kindOf(path) !== "folder") return;
  for (const { name, kind } of listFolder(path) ?? []) if (kind === "folder") removeEmptyFolders(join(path, name));
  if (listFolder(path)?.length !== 0) return;
  try {
    rmdirSync(path);
  } catch (error) {
    inTheirWords(() => {
      throw storageError("remove", path, error);
    });
  }
}
