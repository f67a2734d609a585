import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { storageError } from "./storage_error.ts";

/** What a directory entry is; links are looked at, not followed. */
export interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** Size in bytes and modification time in milliseconds of a file. */
export interface FileStamp {
  readonly size: number;
  readonly modifiedAt: number;
}

/** A text that was read, or why it can't be used. */
export type TextResult = { readonly text: string } | { readonly fault: string };

const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const isWindows = process.platform === "win32";

/** The `code` of a file system error, e.g. `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The entries of a folder, sorted by name; `undefined` if there is no such folder. */
export function listFolder(path: string): readonly Entry[] | undefined {
  const entries = orAbsent(() => readdirSync(path, { withFileTypes: true }));
  return entries
    ?.map(
      (entry): Entry => ({
        name: entry.name,
        kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other",
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What stands at a path, without following a link there; `undefined` if nothing. */
export function kindOf(path: string): Entry["kind"] | undefined {
  const stat = orAbsent(() => lstatSync(path));
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return "link";
  return stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
}

/** True if the owner may run the file at this path. */
export function isExecutable(path: string): boolean {
  const stat = orAbsent(() => lstatSync(path));
  return stat !== undefined && (stat.mode & 0o100) !== 0;
}

/** True if a program can be started from this path. */
export function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Size and time of a file (links followed); `undefined` if absent. */
export function stampOf(path: string): FileStamp | undefined {
  const stat = orAbsent(() => statSync(path));
  return stat === undefined ? undefined : { size: stat.size, modifiedAt: stat.mtimeMs };
}

/** True if `path` is a folder (links followed). */
export function isFolder(path: string): boolean {
  return orAbsent(() => statSync(path))?.isDirectory() ?? false;
}

/** True if this process's user owns `path`, or ownership means nothing here. */
export function isOwn(path: string): boolean {
  const uid = process.getuid?.();
  return uid === undefined || orAbsent(() => statSync(path))?.uid === uid;
}

/** The path with all links resolved; `undefined` if absent or a loop of links. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw error;
  }
}

/** True if `path` is `folder` or below it, by name alone. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return (
    way === "" ||
    (way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === resolve(path) && !/^[a-z]:/i.test(way))
  );
}

/** The bytes of a regular file; `undefined` if absent. */
export function readBytes(path: string): Uint8Array | undefined {
  return orAbsent(() => {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return new Uint8Array(readFileSync(fd));
    } finally {
      closeSync(fd);
    }
  });
}

/** The target text of a link as bytes; `undefined` if absent. */
export function readLink(path: string): Uint8Array | undefined {
  return orAbsent(() => new Uint8Array(readlinkSync(path, { encoding: "buffer" })));
}

/** A file's text, byte for byte in UTF-8 (BOM kept); `undefined` if absent. */
export function readText(path: string): TextResult | undefined {
  const stamp = stampOf(path);
  if (stamp === undefined) return undefined;
  if (stamp.size > MAX_TEXT_BYTES) return { fault: "is larger than 64 MiB" };
  const bytes = readBytes(path);
  if (bytes === undefined) return undefined;
  return decodeText(bytes);
}

/** Bytes as UTF-8 text with its BOM, or why they are none. */
export function decodeText(bytes: Uint8Array): TextResult {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const [first, second] = bytes;
    const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    return { fault: isUtf16 ? "is UTF-16, not UTF-8" : "is not UTF-8" };
  }
}

/** Makes a folder and its parents. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw storageError("make the folder", path, error);
  }
}

/** Removes a file; absence is fine. */
export function removeFile(path: string): void {
  retrying(() => orAbsent(() => unlinkSync(path)));
}

/**
 * Replaces a file's content whole or not at all: temporary file in `temporaryFolder`, fsync, rename.
 * The mode of an existing file is kept; a link is written through. Throws `storage` and leaves the old file as it was.
 */
export function writeWhole(path: string, content: string | Uint8Array, temporaryFolder: string): void {
  const target = kindOf(path) === "link" ? (realPath(path) ?? path) : path;
  const mode = orAbsent(() => statSync(target))?.mode;
  if (mode !== undefined) checkWritable(target);
  const name = `${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
  try {
    moveInto(writeTemporary(join(temporaryFolder, name), content, mode), target);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw storageError("write", path, error);
    try {
      moveInto(writeTemporary(join(dirname(target), `.${name}`), content, mode), target);
    } catch (second) {
      throw storageError("write", path, second);
    }
  }
}

function checkWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw storageError("write", path, error);
  }
}

function writeTemporary(path: string, content: string | Uint8Array, mode: number | undefined): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  try {
    const fd = openSync(path, "wx");
    try {
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (mode !== undefined && !isWindows) chmodSync(path, mode & 0o7777);
    return path;
  } catch (error) {
    orAbsent(() => unlinkSync(path));
    throw error;
  }
}

function moveInto(temporary: string, target: string): void {
  try {
    retrying(() => renameSync(temporary, target));
  } catch (error) {
    orAbsent(() => unlinkSync(temporary));
    throw error;
  }
  syncFolder(dirname(target));
}

function syncFolder(path: string): void {
  if (isWindows) return;
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } catch {
    // some file systems can't sync a folder; the file itself is on disk
  } finally {
    closeSync(fd);
  }
}

/** Makes a new folder among the system's temporary ones and returns its path. */
export function makeTemporaryFolder(prefix: string): string {
  return realpathSync.native(mkdtempSync(join(tmpdir(), prefix)));
}

/** Writes a file of a throw-away folder, with none of the care that users' files get. */
export function writePlain(path: string, text: string): void {
  writeFileSync(path, text);
}

/** Creates a file that must not exist yet; false if it does. */
export function createExclusive(path: string, content: string): boolean {
  try {
    const fd = openSync(path, "wx");
    try {
      writeSync(fd, content);
    } catch (error) {
      orAbsent(() => unlinkSync(path));
      throw error;
    } finally {
      closeSync(fd);
    }
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST" || (isWindows && (code === "EPERM" || code === "EACCES"))) return false;
    throw storageError("create", path, error);
  }
}

/** Gives a file a second name; false if that name is taken. Falls back to renaming where links can't be made. */
export function renameAside(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    unlinkSync(from);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    renameSync(from, to);
    return true;
  }
}

/** Waits without spinning; for retries of file operations only. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Windows refuses to replace a file that another process has open for a moment: try again for two seconds. */
function retrying<T>(action: () => T): T {
  for (let wait = 1; ; wait *= 2) {
    try {
      return action();
    } catch (error) {
      const code = errorCode(error);
      const isPassing = isWindows && (code === "EPERM" || code === "EBUSY" || code === "EACCES");
      if (!isPassing || wait > 1000) throw error;
      pause(wait);
    }
  }
}
