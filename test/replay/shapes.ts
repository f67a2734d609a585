import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A history that is being made, with its own random numbers. */
export interface Run {
  /** the repository's top folder */
  readonly top: string;
  /** the workspace: the top, or a folder in it */
  readonly workspace: string;
  readonly prefix: string;
  /** what was done, for a failure's message */
  readonly log: string[];
  random(below: number): number;
  /** Runs git and returns its output; throws if it fails. */
  git(folder: string, ...args: readonly string[]): Promise<string>;
  /** The same with more variables, and input as the last argument. */
  gitWith(
    env: Readonly<Record<string, string>>,
    folder: string,
    ...args: readonly (string | { readonly input: string })[]
  ): Promise<string>;
  /** The same; `undefined` if it fails. */
  tryGit(folder: string, ...args: readonly string[]): Promise<string | undefined>;
}

/** Files that histories change, relative to the workspace. */
const FILES = [
  "src/auth/login.ts",
  "src/auth/token.ts",
  "src/pay/card.ts",
  "src/pay/a b [1].ts",
  "src/main.ts",
  "lib/é.ts",
  "lib/b.ts",
  "docs/guide.md",
  "README.md",
];

/** What threads may describe. */
export const PATHS: readonly (readonly string[])[] = [
  ["src/auth"],
  ["src/pay"],
  ["src"],
  ["lib"],
  ["src/auth/login.ts"],
  ["src/pay/a b [1].ts", "lib"],
  ["src/auth", "docs"],
  ["."],
  ["later"],
  [],
];

/** Those of them that most threads describe. */
const FEW = ["src/auth/login.ts", "src/pay/card.ts", "lib/b.ts"];

/** One thing that people do to a repository; `false` if it can't be done now. */
export type Shape = (run: Run) => Promise<boolean>;

const pick = <T>(run: Run, values: readonly T[]): T => values[run.random(values.length)] as T;
const fileIn = (run: Run, path: string): string => join(run.workspace, path);

function write(run: Run, path: string, text: string): void {
  const file = fileIn(run, path);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, text);
}

/** Writes all files for the first time. */
export function writeAll(run: Run): void {
  for (const path of FILES) write(run, path, textOf(run));
}

/** Changes the text of one or two files, without telling git. */
export function edit(run: Run): void {
  for (let left = 1 + run.random(2); left > 0; left--) write(run, pick(run, FILES), textOf(run));
}

// Few different texts, so that contents come back as they were.
const textOf = (run: Run): string => `export const value = ${run.random(4)};\nexport const other = 1;\n`;

const codeOnly = (run: Run): readonly string[] => ["--", ".", `:(exclude,top)${run.prefix}.threadmind`];

async function stageCode(run: Run): Promise<void> {
  await run.git(run.workspace, "add", "--all", ...codeOnly(run));
}

async function commit(run: Run, ...args: readonly string[]): Promise<void> {
  await run.git(run.top, "commit", "--quiet", "--allow-empty", ...args);
}

async function commits(run: Run): Promise<number> {
  return Number((await run.tryGit(run.top, "rev-list", "--count", "--first-parent", "HEAD")) ?? 0);
}

async function isClean(run: Run): Promise<boolean> {
  return (await run.git(run.top, "status", "--porcelain", "--untracked-files=no")) === "";
}

/** Commits what is in the way, and as much more as it takes. */
async function prepare(run: Run, least: number): Promise<void> {
  if (!(await isClean(run))) {
    await run.git(run.top, "add", "--all");
    await commit(run, "--message", "Pending");
  }
  for (let left = least - (await commits(run)); left > 0; left--) {
    edit(run);
    await stageCode(run);
    await commit(run, "--message", "More");
  }
}

/** Does what needs a clean tree, and undoes it where git can't go on alone. */
async function carefully(run: Run, undo: string, ...commands: readonly (readonly string[])[]): Promise<boolean> {
  for (const args of commands) {
    if ((await run.tryGit(run.top, ...args)) !== undefined) continue;
    run.log.push(`# ${args[0]} stopped`);
    await run.tryGit(run.top, undo, "--abort");
    await run.git(run.top, "reset", "--quiet", "--hard");
    return true;
  }
  return true;
}

/** Makes one or two commits on another branch that begins some commits ago, and comes back. */
async function branchOff(run: Run, name: string, back: number): Promise<string> {
  const here = (await run.git(run.top, "symbolic-ref", "--quiet", "--short", "HEAD")).trim();
  await run.git(run.top, "checkout", "--quiet", "--force", "-b", name, `HEAD~${back}`);
  for (let left = 1 + run.random(2); left > 0; left--) {
    edit(run);
    await stageCode(run);
    await commit(run, "--message", `On ${name}`);
  }
  return here;
}

let names = 0;

/** A branch off, then what makes its work part of this one. */
function joined(how: (name: string) => readonly (readonly string[])[], undo = "merge"): Shape {
  return async (run) => {
    await prepare(run, 3);
    const name = `side-${++names}`;
    const here = await branchOff(run, name, run.random(2));
    await run.git(run.top, "checkout", "--quiet", "--force", here);
    if (run.random(2) === 0) {
      edit(run);
      await stageCode(run);
      await commit(run, "--message", "Meanwhile");
    }
    return await carefully(run, undo, ...how(name));
  };
}

function onClean(least: number, how: (run: Run) => Promise<boolean>): Shape {
  return async (run) => {
    await prepare(run, least);
    return await how(run);
  };
}

/** Everything that is done to histories, by its name in the table. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  async "commit of code"(run) {
    edit(run);
    await stageCode(run);
    await commit(run, "--message", "Code");
    return true;
  },
  async "commit of summaries"(run) {
    await run.git(run.workspace, "add", "--all", "--", ".threadmind");
    await commit(run, "--message", "Summaries");
    return true;
  },
  async "commit of both"(run) {
    edit(run);
    await run.git(run.top, "add", "--all");
    await commit(run, "--message", "Both");
    return true;
  },
  async "amend, message"(run) {
    if ((await commits(run)) < 1) return false;
    await commit(run, "--amend", "--message", `Amended ${run.random(1000)}`);
    return true;
  },
  async "amend, code"(run) {
    if ((await commits(run)) < 1) return false;
    edit(run);
    await stageCode(run);
    await commit(run, "--amend", "--no-edit");
    return true;
  },
  "fixup and autosquash": onClean(3, async (run) => {
    edit(run);
    await stageCode(run);
    await commit(run, `--fixup=HEAD~${run.random(2)}`);
    return await carefully(run, "rebase", ["rebase", "--quiet", "--interactive", "--autosquash", "HEAD~3"]);
  }),
  squash: onClean(3, async (run) => {
    await run.git(run.top, "reset", "--quiet", "--soft", "HEAD~2");
    await commit(run, "--message", "Squashed");
    return true;
  }),
  "squash merge": joined((name) => [
    ["merge", "--quiet", "--squash", name],
    ["commit", "--quiet", "--allow-empty", "--message", "Squash merge"],
    ["branch", "-D", name],
  ]),
  merge: joined((name) => [["merge", "--quiet", "--no-ff", "--no-edit", name]]),
  "merge of undone work": onClean(2, async (run) => {
    const name = `side-${++names}`;
    const here = (await run.git(run.top, "symbolic-ref", "--quiet", "--short", "HEAD")).trim();
    const file = pick(run, FEW);
    await run.git(run.top, "checkout", "--quiet", "--force", "-b", name);
    write(run, file, "export const undone = 1;\n");
    await stageCode(run);
    await commit(run, "--message", "Done");
    await carefully(run, "revert", ["revert", "--no-edit", "HEAD"]);
    await run.git(run.top, "checkout", "--quiet", "--force", here);
    write(run, join(dirname(file), "beside.ts"), textOf(run));
    await stageCode(run);
    await commit(run, "--message", "Beside");
    return await carefully(run, "merge", ["merge", "--quiet", "--no-ff", "--no-edit", name]);
  }),
  "fast-forward": joined(
    (name) => [
      ["rebase", "--quiet", "HEAD", name],
      ["checkout", "--quiet", "--force", "-B", "main", name],
    ],
    "rebase",
  ),
  rebase: joined((name) => [["rebase", "--quiet", name]], "rebase"),
  "cherry-pick": joined((name) => [["cherry-pick", "--allow-empty", "--keep-redundant-commits", name]], "cherry-pick"),
  revert: onClean(2, async (run) => await carefully(run, "revert", ["revert", "--no-edit", "HEAD"])),
  "revert of an older commit": onClean(
    4,
    async (run) => await carefully(run, "revert", ["revert", "--no-edit", "HEAD~1"]),
  ),
  async rename(run) {
    const from = pick(run, FILES);
    if (!existsSync(fileIn(run, from))) return false;
    const to = pick(run, ["lib/moved.ts", "src/auth/moved.ts", "later/moved.ts"]);
    mkdirSync(dirname(fileIn(run, to)), { recursive: true });
    if ((await run.tryGit(run.workspace, "mv", "-f", from, to)) === undefined) return false;
    await commit(run, "--message", "Rename");
    return true;
  },
  async "mode change"(run) {
    const file = fileIn(run, pick(run, FEW));
    if (!existsSync(file)) return false;
    chmodSync(file, (statSync(file).mode & 0o100) === 0 ? 0o755 : 0o644);
    await stageCode(run);
    if (run.random(2) === 0) await commit(run, "--message", "Mode");
    return true;
  },
  async "symbolic link"(run) {
    const file = fileIn(run, pick(run, FILES));
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    symlinkSync(pick(run, ["main.ts", "nowhere"]), file);
    return true;
  },
  async "uncommitted edit"(run) {
    edit(run);
    return true;
  },
  async "staged edit"(run) {
    edit(run);
    await stageCode(run);
    return true;
  },
  async "untracked file"(run) {
    write(run, pick(run, ["src/auth/new.ts", "lib/new.ts", "later/new.ts"]), textOf(run));
    return true;
  },
  async "ignored file"(run) {
    write(run, pick(run, ["src/auth/out.log", "lib/out.log"]), textOf(run));
    return true;
  },
  async "deleted file"(run) {
    rmSync(fileIn(run, pick(run, FILES)), { force: true });
    return true;
  },
  async "taken out of the index"(run) {
    await run.git(run.workspace, "rm", "--quiet", "--cached", "--ignore-unmatch", "--", pick(run, FILES));
    return true;
  },
  async "other line ends"(run) {
    const file = fileIn(run, pick(run, FEW));
    if (!existsSync(file)) return false;
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\n", "\r\n"));
    return true;
  },
  async "reset --hard"(run) {
    if ((await commits(run)) < 3) return false;
    await run.git(run.top, "reset", "--quiet", "--hard", "HEAD~1");
    return true;
  },
  async "stash and pop"(run) {
    if ((await commits(run)) < 1 || (await isClean(run))) return false;
    await run.git(run.top, "stash", "push", "--quiet");
    if (run.random(2) === 0) await run.tryGit(run.top, "stash", "pop", "--quiet");
    await run.git(run.top, "reset", "--quiet");
    return true;
  },
  "other branch checked out": onClean(3, async (run) => {
    await run.git(run.top, "checkout", "--quiet", "--force", "-B", `other-${++names}`, `HEAD~${1 + run.random(2)}`);
    return true;
  }),
  async "collected garbage"(run) {
    await run.git(run.top, "reflog", "expire", "--expire=now", "--all");
    await run.git(run.top, "gc", "--quiet", "--prune=now");
    return true;
  },
};
