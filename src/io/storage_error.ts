import { ThreadMindError } from "../errors.ts";

const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  ENOSPC: ["there is no space left on the device", "Free some space and call again; the old file is as it was."],
  EDQUOT: ["the disk quota is used up", "Free some space and call again; the old file is as it was."],
  EROFS: ["the file system is read-only", "Reading works; to write, use a checkout that can be written to."],
  EACCES: ["permission is denied", "Check who owns the file and the .threadmind folder."],
  EPERM: ["permission is denied", "Check who owns the file and the .threadmind folder."],
  EBUSY: ["another program has it open", "Close the program that holds it and call again."],
  ENAMETOOLONG: ["the name is too long for this file system", "Use a shorter title."],
};

/** A failed file operation as an error that says what to do; one that is one already stays as it is. */
export function storageError(action: string, path: string, error: unknown): ThreadMindError {
  if (error instanceof ThreadMindError) return error;
  const code = codeOf(error);
  const [reason, hint] = REASONS[code] ?? [
    error instanceof Error ? error.message : String(error),
    "Run threadmind doctor to see the state of the workspace.",
  ];
  return new ThreadMindError("storage", `Cannot ${action} ${path}: ${reason}.`, hint);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
