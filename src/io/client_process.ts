import { spawn } from "node:child_process";
import { delimiter, isAbsolute, join } from "node:path";
import process from "node:process";
import { isProgram, realPath } from "./files.ts";

/** What a client's own command left. */
export interface Outcome {
  /** `undefined` when it could not run or did not end in time */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** true when the time was over */
  readonly isLate?: boolean;
}

const TIME_LIMIT_MS = 120_000;
const MAX_OUTPUT_CHARACTERS = 4 * 1024 * 1024;

/** The first program of this name in the folders of PATH, as it stands there; relative folders don't count. */
export function findOnPath(name: string): string | undefined {
  return listOnPath(name)[0];
}

/** The program of this name in PATH that is, links resolved, this very file. */
export function findSameOnPath(name: string, file: string): string | undefined {
  const real = realPath(file);
  return listOnPath(name).find((candidate) => real !== undefined && realPath(candidate) === real);
}

function listOnPath(name: string): readonly string[] {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return (process.env.PATH ?? process.env.Path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, file))
    .filter(isProgram);
}

/** Starts a program that lives on by itself and says nothing here: no shell, no input; false if it can't be started. */
export function startDetached(program: string, args: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, args, { stdio: "ignore", detached: true, windowsHide: true });
  child.on("spawn", () => resolve(true));
  child.on("error", () => resolve(false));
  child.unref();
  return promise;
}

/** Runs a client's own command with this environment: no shell, no input unless it is given, two minutes at most or as said. */
export function runClient(
  program: string,
  args: readonly string[],
  input?: string,
  limitMs = TIME_LIMIT_MS,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  const output = { stdout: "", stderr: "" };
  const stop = (isLate: boolean): void => {
    clearTimeout(timer);
    child.kill("SIGKILL");
    // What the client has started may live on and keep the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ code: undefined, ...output, isLate });
  };
  const timer = setTimeout(() => stop(true), limitMs);
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8");
    child[name].on("data", (chunk: string) => {
      output[name] = (output[name] + chunk).slice(0, MAX_OUTPUT_CHARACTERS);
    });
  }
  child.on("error", () => stop(false));
  child.on("close", (code) => {
    clearTimeout(timer);
    resolve({ code: code ?? undefined, ...output });
  });
  return promise;
}
