import { ThreadMindError } from "../errors.ts";

const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  ENOSPC: ["there is no space left on the device", "Free some space and call again; the old file is as it was."],
  EDQUOT: ["the disk quota is used up", "Free some space and call again; the old file is as it was."],
  EROFS: ["the file system is read-only", "Reading works; to write, use a checkout that can be written to."],
  EACCES: ["permission is denied", "Check who owns the file and the .threadmind folder."],
  EPERM: ["permission is denied", "Check who owns the file and the .threadmind folder."],
  EBUSY: ["another program has it open", "Close the program that holds it and call again."],
  EISDIR: ["a folder stands in its place", "Move the folder away."],
  EEXIST: ["a file stands in its place", "Move the file away."],
  ENOTDIR: ["a file stands where a folder belongs", "Move the file away."],
  ENXIO: ["it is no regular file", "Move it away."],
  ELOOP: ["its links form a loop", "Replace the link with a file or folder."],
  ENAMETOOLONG: ["the name is too long for this file system", "Use a shorter title."],
};

/** A failed file operation as an error that says what to do; one that is one already stays as it is. */
export function storageError(action: string, path: string, error: unknown): ThreadMindError {
  if (error instanceof ThreadMindError) return error;
  const hint = REASONS[errorCode(error) ?? ""]?.[1] ?? "Check the path and the disk, and call again.";
  return new ThreadMindError("storage", `Cannot ${action} ${path}: ${reasonOf(error)}.`, hint);
}

/** Why a file operation failed, in a few words. */
export function reasonOf(error: unknown): string {
  return REASONS[errorCode(error) ?? ""]?.[0] ?? (error instanceof Error ? error.message : String(error));
}

/** The `code` of a file system error, e.g. `ENOENT`; `NotCapable` where Deno wasn't given the right to. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && error.name === "NotCapable") return error.name;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
