import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { isProgram, isWithin } from "./files.ts";

/** What a git process said; `code` is `undefined` when it could not run or did not end in time. */
export interface Answer {
  readonly code: number | undefined;
  readonly stdout: string;
  /** the same, where it may be no UTF-8 */
  readonly bytes: Uint8Array;
}

const TIME_LIMIT_MS = 2000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const nullDevice = process.platform === "win32" ? "NUL" : "/dev/null";

const FIXED_OPTIONS = [
  "--no-pager",
  "--no-optional-locks",
  ...[
    "core.fsmonitor=false",
    `core.hooksPath=${nullDevice}`,
    "core.untrackedCache=false",
    "core.quotePath=false",
    `diff.orderFile=${nullDevice}`,
  ].flatMap((setting) => ["-c", setting]),
];

/** git by its full path, `undefined` if there is none: folders of PATH that are relative or inside the repository can't name it. */
export function findGitProgram(top: string): string | undefined {
  const name = process.platform === "win32" ? "git.exe" : "git";
  const folders = (process.env.PATH ?? process.env.Path ?? "").split(delimiter);
  return folders
    .filter((folder) => isAbsolute(folder) && !(dirname(top) !== top && isWithin(top, folder)))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function environment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(?:GIT_|BUN_)/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_PAGER: "cat",
    GIT_EDITOR: ":",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
  };
}

const running = new Set<ChildProcess>();

// A git that hangs is not to outlive the program that asked it.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a program; `undefined` where the machine can't, for want of memory or of room for its pipes. */
function start(
  program: string,
  cwd: string,
  args: readonly string[],
  hasInput: boolean,
  env: NodeJS.ProcessEnv,
): ChildProcess | undefined {
  try {
    return spawn(program, args, {
      cwd,
      env,
      stdio: [hasInput ? "pipe" : "ignore", "pipe", "ignore"],
      windowsHide: true,
    });
  } catch {
    return undefined;
  }
}

/** Runs one git process: no shell, closed or given stdin, two seconds at most. */
export function runGit(
  program: string,
  top: string,
  args: readonly string[],
  input?: string,
  extra?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { promise, resolve: settle } = Promise.withResolvers<Answer>();
  const child = start(program, top, [...FIXED_OPTIONS, ...args], input !== undefined, { ...environment(), ...extra });
  if (child === undefined) return Promise.resolve({ code: undefined, stdout: "", bytes: new Uint8Array() });
  running.add(child);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isFailed = false;
  const stop = (): void => {
    isFailed = true;
    child.kill("SIGKILL");
    // What git has started may live on and keep the pipe open.
    child.stdout?.destroy();
    settle({ code: undefined, stdout: "", bytes: new Uint8Array() });
  };
  const timer = setTimeout(stop, TIME_LIMIT_MS);
  child.stdout?.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_OUTPUT_BYTES) stop();
  });
  child.on("error", stop);
  child.on("close", (code) => {
    running.delete(child);
    clearTimeout(timer);
    const bytes = Buffer.concat(isFailed ? [] : chunks);
    const stdout = bytes.toString("utf8");
    settle({ code: isFailed ? undefined : (code ?? undefined), stdout, bytes });
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  return promise;
}

/**
 * Makes a git repository in an empty folder, for the demo only, and returns a function that runs git there with its
 * own identity and none of the user's configuration; `undefined` without git. Each commit is an hour after the last.
 */
export function makeRepository(
  folder: string,
  firstCommit: Date,
): ((args: readonly string[]) => Promise<void>) | undefined {
  const program = findGitProgram(folder);
  if (program === undefined) return undefined;
  let hours = 0;
  const identity = ["user.name=Sam Doe", "user.email=sam@example.org", "commit.gpgSign=false", "core.autocrlf=false"];
  const options = ["init.defaultBranch=main", ...identity].flatMap((setting) => ["-c", setting]);
  const git = async (args: readonly string[]): Promise<void> => {
    const date = new Date(firstCommit.getTime() + hours++ * 3_600_000).toISOString();
    const dates = {
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      GIT_CONFIG_GLOBAL: nullDevice,
      GIT_CONFIG_NOSYSTEM: "1",
    };
    const { code } = await runGit(program, folder, [...options, ...args], undefined, dates);
    if (code !== 0) throw new Error(`git ${args[0]} failed in ${folder}`);
  };
  let made: Promise<void> | undefined;
  return async (args) => {
    made ??= git(["init", "-q"]);
    await made;
    await git(args);
  };
}

/**
 * git's own line-wise merge of three files, base in the middle: the first one gets the result, with markers where it
 * conflicts. Returns 0, or 1 if conflicts are left or it failed.
 */
export async function mergeLines(files: readonly [string, string, string]): Promise<number> {
  const program = findGitProgram(process.cwd());
  if (program === undefined) return 1;
  const labels = ["ours", "base", "theirs"].flatMap((label) => ["-L", label]);
  const { code } = await runGit(program, process.cwd(), ["merge-file", ...labels, "--", ...files]);
  return code === 0 ? 0 : 1;
}
