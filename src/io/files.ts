import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { retrying } from "./retrying.ts";
import { errorCode, reasonOf, storageError } from "./storage_error.ts";

/** What a directory entry is; links are looked at, not followed. */
export interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** Size in bytes and modification time in milliseconds of a file, and the device it is on. */
export interface FileStamp {
  /** false for a folder, a device, a pipe */
  readonly isFile: boolean;
  readonly size: number;
  readonly modifiedAt: number;
  /** when anything of it changed last, its times included */
  readonly changedAt: number;
  readonly device: number;
}

/** A text that was read, or why it can't be used. */
export type TextResult = { readonly text: string } | { readonly fault: string };

/** The most bytes of a file that is read as text. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const isWindows = process.platform === "win32";

/** Reads what may be absent; any other failure is told as one. */
function orAbsent<T>(path: string, read: () => T, action = "read"): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw storageError(action, path, error);
  }
}

function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** The entries of a folder, sorted by name; `undefined` if there is no such folder. */
export function listFolder(path: string): readonly Entry[] | undefined {
  const entries = orAbsent(path, () => readdirSync(path, { withFileTypes: true }));
  return entries
    ?.map((entry): Entry => ({ name: entry.name, kind: kindIn(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names in a folder, sorted; `undefined` if there is no such folder. */
export function listNames(path: string): readonly string[] | undefined {
  return orAbsent(path, () => readdirSync(path).sort());
}

function kindIn(found: Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">): Entry["kind"] {
  return found.isFile() ? "file" : found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "other";
}

/** What stands at a path, without following a link there; `undefined` if nothing. */
export function kindOf(path: string): Entry["kind"] | undefined {
  const stat = orAbsent(path, () => lstatSync(path));
  return stat === undefined ? undefined : kindIn(stat);
}

/** True if the owner may run the file at this path. */
export function isExecutable(path: string): boolean {
  return ((orAbsent(path, () => lstatSync(path))?.mode ?? 0) & 0o100) !== 0;
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
  const stat = orAbsent(path, () => statSync(path));
  if (stat === undefined) return undefined;
  const isFile = stat.isFile();
  return { isFile, size: stat.size, modifiedAt: stat.mtimeMs, changedAt: stat.ctimeMs, device: stat.dev };
}

/** True if `path` is a folder (links followed); false too where nobody may look. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** True if this process's user owns `path`, or ownership means nothing here. */
export function isOwn(path: string): boolean {
  const uid = process.getuid?.();
  return uid === undefined || orAbsent(path, () => statSync(path))?.uid === uid;
}

/** The path with all links resolved; `undefined` if absent or a loop of links. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isAbsence(error) || errorCode(error) === "ELOOP") return undefined;
    throw storageError("read", path, error);
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
  return orAbsent(path, () => readRegular(path));
}

/** Reads a file without ever waiting for another process to write it. */
function readRegular(path: string): Uint8Array {
  return withFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), (fd) => {
    const stat = fstatSync(fd);
    // A device may never end; of a folder the read itself says so.
    if (!stat.isFile() && !stat.isDirectory()) throw Object.assign(new Error("no regular file"), { code: "ENXIO" });
    return new Uint8Array(readFileSync(fd));
  });
}

function withFile<T>(path: string, flags: string | number, use: (fd: number) => T): T {
  const fd = openSync(path, flags);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** The target text of a link as bytes; `undefined` if absent. */
export function readLink(path: string): Uint8Array | undefined {
  return orAbsent(path, () => new Uint8Array(readlinkSync(path, { encoding: "buffer" })));
}

/** A file's text, byte for byte in UTF-8 (BOM kept), or why it can't be had; `undefined` if absent. */
export function readText(path: string): TextResult | undefined {
  try {
    if (statSync(path).size > MAX_TEXT_BYTES) return { fault: "is larger than 64 MiB" };
    return decodeText(readRegular(path));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return isAbsence(error) ? undefined : { fault: `can't be read: ${reasonOf(error)}` };
  }
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
  orAbsent(path, () => retrying(() => unlinkSync(path)), "remove");
}

/**
 * Replaces a file's content whole or not at all: temporary file in `temporaryFolder`, fsync, rename.
 * The mode of an existing file is kept; a link is written through. Throws `storage` and leaves the old file as it was.
 */
export function writeWhole(path: string, content: string | Uint8Array, temporaryFolder: string): void {
  const target = kindOf(path) === "link" ? (realPath(path) ?? path) : path;
  const mode = orAbsent(path, () => statSync(target), "write")?.mode;
  const name = `${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
  const replaceBy = (temporary: string): void => moveInto(writeTemporary(temporary, content, mode), target);
  try {
    if (mode !== undefined) accessSync(target, constants.W_OK);
    try {
      replaceBy(join(temporaryFolder, name));
    } catch (error) {
      if (errorCode(error) !== "EXDEV") throw error;
      replaceBy(join(dirname(target), `.${name}`));
    }
  } catch (error) {
    throw storageError("write", path, error);
  }
}

function writeTemporary(path: string, content: string | Uint8Array, mode: number | undefined): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  try {
    withFile(path, "wx", (fd) => {
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
      fsyncSync(fd);
    });
    if (mode !== undefined && !isWindows) chmodSync(path, mode & 0o7777);
    return path;
  } catch (error) {
    forget(path);
    throw error;
  }
}

function moveInto(temporary: string, target: string): void {
  try {
    retrying(() => renameSync(temporary, target));
  } catch (error) {
    forget(temporary);
    throw error;
  }
  syncFolder(dirname(target));
}

/** Removes a file of ours after a failure, which is what has to be told. */
export function forget(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // it was never made
  }
}

function syncFolder(path: string): void {
  if (isWindows) return;
  try {
    withFile(path, "r", fsyncSync);
  } catch {
    // some file systems can't sync a folder; the file itself is on disk
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

/** Moves a file to another name in the same file system. */
export function moveFile(from: string, to: string): void {
  try {
    retrying(() => renameSync(from, to));
  } catch (error) {
    throw storageError("move", from, error);
  }
}
