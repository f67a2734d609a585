import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, run } from "./binary.ts";
import { type GitRepository, gitRepository, temporaryFolder, type Variables } from "./temp.ts";

/** A repository with a project, driven by the program under test. */
export interface ThreadWorkspace extends GitRepository {
  /** Runs the program in the workspace and returns its output; throws with its errors if it fails. */
  threadmind(...args: readonly string[]): Promise<string>;
  /** Writes a thread's summary, which then describes `paths`. */
  summarise(thread: string, ...paths: readonly string[]): Promise<void>;
  /** Each thread of the context with what stands under its heading about staleness, `""` for nothing. */
  notes(options?: ContextOptions): Promise<Record<string, string>>;
  /** The text of a thread's file. */
  source(thread: string): string;
  /** Replaces a thread's file by what `edit` makes of it. */
  edit(thread: string, edit: (source: string) => string): void;
}

/** Where and how a context is asked for. */
export interface ContextOptions {
  readonly folder?: string;
  readonly thread?: string;
  readonly env?: Variables;
}

/** The id of the project that a workspace's threads belong to. */
export const PROJECT = "app";

/** Gives a repository a project with the root thread `main`, and below it one thread after the other. */
export async function threadWorkspace(
  threads: readonly string[] = [],
  repository: GitRepository = gitRepository(),
): Promise<ThreadWorkspace> {
  const workspace = openWorkspace(repository);
  await workspace.threadmind("project", "create", PROJECT);
  for (const thread of threads) await workspace.threadmind("create", thread);
  return workspace;
}

/** Another copy of a workspace as it is on disk. */
export function copyWorkspace({ top, home }: GitRepository): ThreadWorkspace {
  const copy = join(temporaryFolder("copy"), "copy");
  cpSync(top, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return openWorkspace(gitRepository({ top: copy, home }));
}

/** Drives the program in a repository, whose project may exist already. */
export function openWorkspace(repository: GitRepository): ThreadWorkspace {
  const { top, home } = repository;
  const fileOf = (thread: string): string => join(top, `.threadmind/threads/${PROJECT}/${thread}.md`);
  let texts = 0;
  const workspace: ThreadWorkspace = {
    ...repository,
    threadmind: async (...args) => outputOf(await run(args, { cwd: top, home })),
    async summarise(thread, ...paths) {
      const text = `## Decisions\n- Decision ${++texts} of ${thread}\n`;
      const options = paths.flatMap((path) => ["--paths", path]);
      await workspace.threadmind("summary", thread, "--content", text, ...options);
    },
    async notes({ folder = top, thread, env = {} } = {}) {
      const args = ["context", ...(thread === undefined ? [] : [thread])];
      return notesIn(outputOf(await run(args, { cwd: folder, home, env })));
    },
    source: (thread) => readFileSync(fileOf(thread), "utf8"),
    edit: (thread, edit) => writeFileSync(fileOf(thread), edit(workspace.source(thread))),
  };
  return workspace;
}

function outputOf({ stdout, stderr, code }: Result): string {
  if (code !== 0) throw new Error(`threadmind exited ${code}: ${stderr}`);
  return stdout;
}

/** The notes in a context by the titles of its threads. */
export function notesIn(context: string): Record<string, string> {
  const blocks = context.split(/^## Thread: /m).slice(1);
  const entries = blocks.map((block) => {
    const [heading = "", , note = ""] = block.split("\n");
    return [heading.replace(" (active)", ""), /^_(?:⚠|Written)/.test(note) ? note : ""];
  });
  return Object.fromEntries(entries);
}

/** The sentence of rule 4, in any history but a shallow one. */
export function elsewhere(commit: string): string {
  const short = commit.slice(0, 7);
  return `_⚠ Written on commit ${short}, which is not in this repository's history: check this summary is still accurate._`;
}

/** The sentence of rule 5. */
export function changed(commits: number, paths: string): string {
  const what = commits === 1 ? "1 commit" : `${commits} commits`;
  return `_⚠ ${what} changed ${paths} since this summary was written: check it is still accurate._`;
}

/** The sentence of rule 6. */
export function uncommitted(paths: string): string {
  return `_⚠ Uncommitted changes in ${paths} since this summary was written: check it is still accurate._`;
}
