import { randomBytes } from "node:crypto";
import { hostname, uptime } from "node:os";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { countOf } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { createExclusive } from "./exclusive_file.ts";
import { readText, removeFile, stampOf } from "./files.ts";

const WAIT_MS = 5000;
const ABANDONED_MS = 60_000;

/** Tokens of the calls of this process that hold a lock or wait for one. */
const current = new Set<string>();

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/**
 * Runs `action` while this process alone holds the lock file at `path`; an action reads, decides and writes files, it
 * never waits for git or a client. A lock whose owner is dead is taken over. Throws `locked` after `waitMs`.
 */
export async function withLock<T>(path: string, action: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  const owner: Owner = { pid: process.pid, host: hostname(), token: randomBytes(8).toString("hex") };
  current.add(owner.token);
  try {
    await acquire(path, owner, waitMs);
    try {
      return await action();
    } finally {
      release(path, owner);
    }
  } finally {
    current.delete(owner.token);
  }
}

async function acquire(path: string, owner: Owner, waitMs: number): Promise<void> {
  const content = JSON.stringify(owner);
  const deadline = performance.now() + waitMs;
  let first: Owner | undefined;
  for (let wait = 1; !createExclusive(path, content); wait = Math.min(wait * 2, 25)) {
    if (takeOver(path, content)) continue;
    first ??= readOwner(path);
    if (performance.now() > deadline) throw lockedError(path, waitMs, first);
    await sleep(wait * (0.5 + Math.random()));
  }
}

/** Frees the lock; where that fails, what was written is written all the same, and the lock is taken over like any other. */
function release(path: string, { token }: Owner): void {
  try {
    if (readOwner(path)?.token === token) removeFile(path);
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
  }
}

/**
 * Removes a lock whose owner is gone; under a second lock, so that two processes can't remove each other's fresh one. A
 * process that dies in here leaves that second lock, which is taken over in the same way.
 */
function takeOver(path: string, content: string): boolean {
  if (!isStale(path)) return false;
  const breaking = `${path}.break`;
  if (!createExclusive(breaking, content)) {
    takeOver(breaking, content);
    return false;
  }
  try {
    if (isStale(path)) removeFile(path);
    return true;
  } finally {
    removeFile(breaking);
  }
}

function isStale(path: string): boolean {
  const age = ageOf(path);
  if (age === undefined) return false;
  const owner = readOwner(path);
  if (owner === undefined) return age > 1000;
  if (owner.host !== hostname()) return age > ABANDONED_MS;
  // An earlier process had this one's number, as the only process of a container always has.
  if (owner.pid === process.pid) return !current.has(owner.token);
  return !isAlive(owner.pid) || age > Math.min(ABANDONED_MS, uptime() * 1000);
}

function ageOf(path: string): number | undefined {
  const stamp = stampOf(path);
  return stamp === undefined ? undefined : Math.abs(Date.now() - stamp.modifiedAt);
}

function readOwner(path: string): Owner | undefined {
  const read = readText(path);
  if (read === undefined || !("text" in read)) return undefined;
  try {
    const value: unknown = JSON.parse(read.text);
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, host, token } = value as Partial<Record<keyof Owner, unknown>>;
    return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof host === "string" && typeof token === "string"
      ? { pid: Number(pid), host, token }
      : undefined;
  } catch {
    return undefined;
  }
}

/** True if a process of this id runs on this machine; one that ended and that its parent hasn't noticed doesn't. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const state = process.platform === "linux" ? readText(`/proc/${pid}/stat`) : undefined;
    return state === undefined || !("text" in state) || !/\) Z/.test(state.text);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function lockedError(path: string, waitMs: number, first: Owner | undefined): ThreadMindError {
  const owner = readOwner(path);
  const time = countOf(Math.round(waitMs / 1000), "second");
  if (owner?.token !== first?.token) {
    const message = `Cannot write: other processes have held the workspace's lock by turns for ${time}.`;
    return new ThreadMindError("locked", message, "Call again in a moment.");
  }
  const holder = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new ThreadMindError(
    "locked",
    `Cannot write: ${holder} has held the workspace's lock for ${time}.`,
    `Call again in a moment; if that process is stuck, end it, then remove ${path}.`,
  );
}
