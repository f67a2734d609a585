import process from "node:process";
import { findSameOnPath } from "../../io/client_process.ts";

/** The command's name, which PATH is asked for. */
export const PROGRAM = "threadmind";

/** How a client starts this program, and what to say about it. */
export interface Program {
  /** a path, or the bare name */
  readonly command: string;
  readonly note: string | undefined;
}

/** True if this is the executable, not the sources run by Bun or Deno. */
export function isCompiled(): boolean {
  return /(?:\$|%24)bunfs|~BUN/i.test(import.meta.url);
}

/**
 * How a client of this user starts the program. Applications with a window have a short PATH, so by its full path; by
 * PATH's own entry where that leads here, because the folder of a version is gone after an upgrade.
 */
export function findProgram(): Program {
  if (!isCompiled())
    return {
      command: PROGRAM,
      note: "This is not the compiled program, so the entry names threadmind without its folder: it must be on the client's PATH.",
    };
  const command = findSameOnPath(PROGRAM, process.execPath) ?? process.execPath;
  const isPassing = /[\\/](?:_npx|node_modules)[\\/]/.test(command);
  return {
    command,
    note: isPassing
      ? `${command} belongs to a Node package and may be gone after its next update; install threadmind itself, and run this again.`
      : undefined,
  };
}

/** The line that a client's shell runs for a hook: a program's path as it is where that is safe, else in quotes. */
export function renderHookCommand(program: string, event: string, client: string): string {
  const isPlain = /^[A-Za-z0-9_./:\\-]+$/.test(program);
  const isWindows = process.platform === "win32";
  // cmd and PowerShell disagree about quotes, so a path with a blank is left to PATH.
  const quoted = isPlain ? program : isWindows ? PROGRAM : `'${program.replaceAll("'", "'\\''")}'`;
  return `${quoted} hook ${event} --client ${client}`;
}

/** A word of a command line to be copied into a shell, in quotes where it needs them. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_./:\\@=-]+$/.test(word)) return word;
  return process.platform === "win32" && !word.includes('"') ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
