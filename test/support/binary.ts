import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { environment, temporaryHome, type Variables } from "./temp.ts";

/** The top folder of ThreadMind's own sources. */
export const TOP = resolve(import.meta.dir, "../..");

/** The program under test as argv words: THREADMIND_BIN split on blanks, its files taken from the top folder. */
export const PROGRAM: readonly string[] = (process.env.THREADMIND_BIN ?? "dist/threadmind")
  .split(/\s+/)
  .filter((word) => word !== "")
  .map((word) => (word.includes("/") && existsSync(join(TOP, word)) ? join(TOP, word) : word));

/** Whether the program under test is the compiled one. */
export const COMPILED = PROGRAM.length === 1;

/** What a finished process left; a process that a signal ended has 128 + its number as code, as in a shell. */
export interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** How a process runs: without `stdin` it reads the end of file at once, without `home` it gets a fresh one. */
export interface RunOptions {
  readonly cwd?: string;
  readonly home?: string;
  readonly env?: Variables;
  readonly stdin?: string | Uint8Array;
  readonly timeoutMs?: number;
}

/** Runs the program under test in a clean environment. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  const env = environment(options.home ?? temporaryHome(), options.env);
  return await spawn([...PROGRAM, ...args], { ...options, env });
}

/** Runs any command with exactly this environment and waits for its end. */
export async function spawn(
  command: readonly string[],
  options: Omit<RunOptions, "home" | "env"> & { readonly env: Record<string, string> },
): Promise<Result> {
  const child = Bun.spawn([...command], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.timeoutMs ?? 60_000,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const code =
    child.exitCode ?? 128 + (Object.entries(constants.signals).find(([name]) => name === child.signalCode)?.[1] ?? 0);
  return { stdout, stderr, code };
}
