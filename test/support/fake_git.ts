import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "./temp.ts";

/** The real git. */
export const GIT = Bun.which("git") ?? "git";

/** A folder for PATH whose `git` is this shell script; `$GIT` in it is the real one. */
export function fakeGit(script: string, folder = temporaryFolder("fake-git")): string {
  const file = join(folder, "git");
  writeFileSync(file, `#!/bin/sh\nGIT='${GIT}'\n${script}\n`);
  chmodSync(file, 0o755);
  return folder;
}

/** PATH with a folder before all others. */
export function pathWith(folder: string): string {
  return `${folder}${delimiter}${process.env.PATH}`;
}

/** Runs an action while this process has another PATH. */
export async function underPath<T>(path: string, action: () => Promise<T>): Promise<T> {
  const before = process.env.PATH;
  process.env.PATH = path;
  try {
    return await action();
  } finally {
    process.env.PATH = before;
  }
}

/** A `git` for PATH that notes each start and then is the real one. */
export interface CountingGit {
  readonly folder: string;
  /** the arguments of each start since the last call, in no particular order */
  takeStarts(): readonly string[];
}

/** Makes a `git` that notes each start and then is the real one. */
export function countingGit(): CountingGit {
  const folder = temporaryFolder("counting-git");
  const log = join(folder, "log");
  fakeGit(`printf '%s\\n' "$*" >> '${log}'\nexec "$GIT" "$@"`, folder);
  return {
    folder,
    takeStarts() {
      const starts = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      rmSync(log, { force: true });
      return starts.filter((line) => line !== "");
    },
  };
}
