/** Every way in which ThreadMind refuses; a surface may branch on it, so the names are public. */
export type ErrorCode =
  | "usage"
  | "invalid-argument"
  | "invalid-content"
  | "refused"
  | "conflicting-sections"
  | "no-workspace"
  | "no-project"
  | "unknown-project"
  | "unknown-thread"
  | "ambiguous-id"
  | "parent-loop"
  | "malformed-file"
  | "merge-conflict"
  | "branch-changed"
  | "not-owner"
  | "changed-since"
  | "storage"
  | "locked";

/**
 * The only error ThreadMind throws on purpose; anything else that is thrown is a bug.
 * `message` says what could not be done and why, `hint` the next step.
 */
export class ThreadMindError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string) {
    super(message);
    this.name = "ThreadMindError";
    this.code = code;
    this.hint = hint;
  }
}

/** Exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2, bug: 70 } as const;

/** The exit code that an error ends the command line with. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof ThreadMindError)) return EXIT.bug;
  return error.code === "usage" || error.code === "invalid-argument" ? EXIT.usage : EXIT.failed;
}

/** One text for people and models: the message, and the hint on a line of its own. */
export function describeError(error: ThreadMindError): string {
  return error.hint === "" ? error.message : `${error.message}\n${error.hint}`;
}
