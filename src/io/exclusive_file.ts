import { randomBytes } from "node:crypto";
import { linkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { forget, kindOf } from "./files.ts";
import { errorCode, storageError } from "./storage_error.ts";

const isWindows = process.platform === "win32";
const NO_LINKS = new Set([
  "EPERM",
  "EACCES",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
  "EXDEV",
  "EINVAL",
  "UNKNOWN",
]);

/**
 * Creates a file that must not exist yet, with its content at once: nobody sees an empty one, whenever this process is
 * killed. False if there is one already. `mode` is limited by the user's mask.
 */
export function createExclusive(path: string, content: string, mode = 0o666): boolean {
  if (kindOf(path) !== undefined) return false;
  const temporary = join(dirname(path), `${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    writeFileSync(temporary, content, { flag: "wx", mode });
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw storageError("create", path, error);
    return createAtPlace(path, content, mode);
  } finally {
    forget(temporary);
  }
}

/** The same where the file system has no hard links: it may be seen before its content is there. */
function createAtPlace(path: string, content: string, mode: number): boolean {
  try {
    writeFileSync(path, content, { flag: "wx", mode });
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST" || (isWindows && (code === "EPERM" || code === "EACCES"))) return false;
    forget(path);
    throw storageError("create", path, error);
  }
}
