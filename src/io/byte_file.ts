import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { errorCode, storageError } from "./storage_error.ts";

/** A regular file that is open for reading anywhere in it. */
export interface ByteFile {
  /** in bytes, as it was when the file was opened */
  readonly size: number;
  /** Fills `bytes` from this position on; throws `storage` if the file has become too short for that. */
  fill(bytes: Uint8Array, position: number): void;
}

/**
 * Lets `use` read a regular file (links followed) without ever waiting for another process; `undefined` if there is none.
 * Throws `storage` if it can't be read.
 */
export function readByteFile<T>(path: string, use: (file: ByteFile) => T): T | undefined {
  const fd = openRegular(path);
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    return stat.isFile()
      ? use({ size: stat.size, fill: (bytes, position) => fill(path, fd, bytes, position) })
      : undefined;
  } finally {
    closeSync(fd);
  }
}

function openRegular(path: string): number | undefined {
  try {
    // Opening a device or a pipe can have effects, so look first.
    return statSync(path).isFile() ? openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)) : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw storageError("read", path, error);
  }
}

function fill(path: string, fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSome(path, fd, bytes.subarray(done), position + done);
    if (count === 0) throw storageError("read", path, new Error("it became shorter meanwhile"));
    done += count;
  }
}

function readSome(path: string, fd: number, bytes: Uint8Array, position: number): number {
  try {
    return readSync(fd, bytes, 0, bytes.length, position);
  } catch (error) {
    throw storageError("read", path, error);
  }
}
