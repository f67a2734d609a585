import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { temporaryFolder } from "./temp.ts";

/** Whether this user can make a small disk for a test, which on Linux takes root. */
export const CAN_MOUNT = process.platform === "linux" && tries(["-t", "tmpfs", "tmpfs"]);

/** Whether this user can become another one for a test. */
export const CAN_DROP = process.getuid?.() === 0 && existsSync("/usr/bin/setpriv");

/** Words that run a command as a user without any rights. */
export const AS_NOBODY: readonly string[] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

function tries(words: readonly string[]): boolean {
  const folder = temporaryFolder("probe");
  if (spawnSync("mount", [...words, folder]).status !== 0) return false;
  spawnSync("umount", [folder]);
  return true;
}

/** Runs a test in a folder that is a disk of this many kilobytes, a fresh one unless given, and takes it away again. */
export async function onSmallDisk(
  kilobytes: number,
  action: (folder: string) => Promise<void>,
  folder: string = join(temporaryFolder("disk"), "disk"),
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder]);
  if (status !== 0) throw new Error(String(stderr));
  try {
    await action(folder);
  } finally {
    spawnSync("umount", ["--lazy", folder]);
  }
}
