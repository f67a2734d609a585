import process from "node:process";
import { readText } from "./files.ts";
import { isAlive } from "./lock.ts";

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "fish", "ash", "busybox"]);
const MOST_SHELLS = 4;

/** The process id of the client that started this server. */
export function parentPid(): number {
  return process.ppid;
}

/**
 * The process id of the client that runs this hook, the same number as its server's parent: what Claude Code says of
 * itself, else the nearest ancestor that is no shell, where the system tells. Another client inside a shell of Claude Code's
 * inherits what that says, and isn't meant.
 */
export function hookClientPid(isClaudeCode: boolean): number {
  const told = isClaudeCode ? Number(process.env.CLAUDE_PID) : Number.NaN;
  if (Number.isSafeInteger(told) && told > 1 && isAlive(told)) return told;
  let pid = process.ppid;
  for (let steps = 0; steps < MOST_SHELLS; steps++) {
    const { name, parent } = statusOf(pid);
    if (name === undefined || parent === undefined || parent <= 1 || !SHELLS.has(name)) break;
    pid = parent;
  }
  return pid;
}

/**
 * When a process began, as the system counts it: tells it from an earlier one that had the same id. `undefined` where the
 * system doesn't tell.
 */
export function bornOf(pid: number): string | undefined {
  return fieldsOf(pid)?.fields[19];
}

function statusOf(pid: number): { readonly name: string | undefined; readonly parent: number | undefined } {
  const status = fieldsOf(pid);
  return { name: status?.name, parent: status === undefined ? undefined : Number(status.fields[1]) };
}

/** Linux' line on a process: its name in brackets, which may hold anything, then its fields from the third on. */
function fieldsOf(pid: number): { readonly name: string; readonly fields: readonly string[] } | undefined {
  if (process.platform !== "linux") return undefined;
  const read = readText(`/proc/${pid}/stat`);
  const match = read !== undefined && "text" in read ? /^\d+ \(([\s\S]*)\) ([^)]*)$/.exec(read.text.trim()) : null;
  return match === null ? undefined : { name: match[1] ?? "", fields: (match[2] ?? "").split(" ") };
}
