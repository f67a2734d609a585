import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../build/compile.ts";
import type { ServerShape } from "./mcp_start.ts";
import {
  chainOf,
  type HistoryShape,
  makeRepository,
  makeStale,
  type ProjectShape,
  type Repository,
  writeThreads,
} from "./repository.ts";
import type { Case } from "./rounds.ts";
import { cleanEnvironment, compileEmpty, type Environment, FOLDER, outputOf, timeRun } from "./support.ts";

/** What all parts of a bench share: the programs, and folders that are gone afterwards. */
export interface World {
  readonly program: string;
  readonly empty: string;
  readonly folder: string;
  readonly env: Environment;
}

/** A workspace whose threads are stamped and whose files are cached, as one that has been in use. */
export interface Workspace extends Repository {
  readonly shape: ProjectShape;
}

/** The cache of thread files counts none that changed less than two seconds ago. */
const SETTLED_MS = 2200;

/** Compiles the programs, does something with them, and removes what was generated. */
export async function withWorld<T>(use: (world: World) => Promise<T>): Promise<T> {
  mkdirSync(FOLDER, { recursive: true });
  const program = process.env.THREADMIND_BIN ?? (await compile(undefined, FOLDER));
  const empty = await compileEmpty(FOLDER);
  const folder = mkdtempSync(join(tmpdir(), "threadmind-bench-"));
  try {
    return await use({ program, empty, folder, env: cleanEnvironment(join(folder, "home")) });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Makes a repository with a project whose chain was verified on its last commit; its summaries are committed. */
export function makeWorkspace(
  { program, folder, env }: World,
  name: string,
  history: HistoryShape,
  shape: ProjectShape,
): Workspace {
  const repository = makeRepository(join(folder, name), env, history);
  writeThreads(repository, shape);
  for (const id of chainOf(shape)) outputOf([program, "verify", id], { cwd: repository.top, env });
  repository.git("add", ".threadmind");
  repository.git("commit", "--quiet", "--message", "Threads");
  return { ...repository, shape };
}

/** Makes the last so many threads of a chain ones that were written some commits ago, on other code. */
export function makeLastStale(workspace: Workspace, threads: number, commitsAgo: readonly number[]): void {
  for (const [at, id] of chainOf(workspace.shape).toReversed().slice(0, threads).entries())
    makeStale(workspace, id, workspace.git("rev-parse", `HEAD~${commitsAgo[at % commitsAgo.length]}`));
}

/** Lets caches settle, git's own included: waits until files are old enough, and reads them once. */
export async function settle({ program }: World, workspaces: readonly Workspace[]): Promise<void> {
  await Bun.sleep(SETTLED_MS);
  for (const { top, env, git } of workspaces) {
    // Until its index is written again, git opens every file that is as young as the index.
    git("status");
    outputOf([program, "context"], { cwd: top, env });
  }
}

/** An empty program, run from start to end. */
export function emptyCase({ empty }: World): Case {
  return { name: "empty", run: () => timeRun([empty]) };
}

/** The program, run with these words from start to end. */
export function verbCase(
  { program }: World,
  { top, env }: Repository,
  name: string,
  ...words: readonly string[]
): Case {
  return { name, run: () => timeRun([program, ...words], { cwd: top, env }) };
}

/** The same, as when nothing of the history was counted before. */
export function firstTime({ top }: Repository, name: string, { run }: Case): Case {
  return {
    name,
    run() {
      rmSync(join(top, ".threadmind/local/counts.json"), { force: true });
      return run();
    },
  };
}

/** A hook, called as Claude Code does. */
export function hookCase(
  { program }: World,
  { top, env }: Repository,
  name: string,
  event: "session-start" | "session-end",
  transcript?: string,
): Case {
  const isStart = event === "session-start";
  const stdin = JSON.stringify({
    hook_event_name: isStart ? "SessionStart" : "SessionEnd",
    session_id: `bench-${name.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    cwd: top,
    ...(isStart ? { source: "startup" } : { reason: "other" }),
    ...(transcript === undefined ? {} : { transcript_path: transcript }),
  });
  const options = { cwd: top, env: { ...env, CLAUDE_PID: String(process.pid) }, stdin };
  return { name, run: () => timeRun([program, "hook", event], options) };
}

/** The program as a server in a workspace. */
export function serverIn({ program }: World, { top, env }: Repository): ServerShape {
  return { argv: [program, "serve"], cwd: top, env, tool: "context_get" };
}
