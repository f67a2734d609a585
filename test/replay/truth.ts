import { copyFileSync, existsSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "./shapes.ts";

// What a note must say, found without anything of src/: contents are hashed by git's own `add` into an index of its own,
// commits are counted over the whole graph, one by one.

/** What was under a thread's paths when its summary was written. */
export interface Writing {
  readonly paths: readonly string[];
  readonly contents: Contents;
  /** HEAD at that moment, `undefined` before the first commit */
  readonly commit: string | undefined;
}

/** All files under some paths as they are on disk: mode, blob and name of the tracked ones, and of all that isn't ignored. */
export interface Contents {
  readonly tracked: string;
  readonly all: string;
}

/** What the note of a thread is to be: any of these texts, the first one in a full clone. */
export type Truth = readonly string[];

/** Hashes what is under some paths of the workspace. */
export async function contentsOf(run: Run, workspace: string, paths: readonly string[]): Promise<Contents> {
  const index = (await run.git(workspace, "rev-parse", "--path-format=absolute", "--git-path", "index")).trim();
  const copy = `${index}.truth`;
  if (existsSync(index)) {
    copyFileSync(index, copy);
    // git trusts what an index knows of files that are older than it: this one is to look at all of them.
    utimesSync(copy, 1, 1);
  }
  const env = { GIT_INDEX_FILE: copy };
  const list = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const listed = await run.gitWith(env, workspace, "ls-files", "--stage", "-z", "--", ...paths);
    return listed.split("\0").filter((line) => line !== "" && !/\t(?:.*\/)?\.threadmind\//.test(line));
  };
  // Whether a tracked file may be executed is what the index says: file systems and checkouts differ in it.
  const modes = new Map((await list({})).map((line) => [line.replace(/^[^\t]*/, ""), line.slice(0, 6)]));
  const withModes = (lines: readonly string[]): string =>
    lines
      .map((line) => {
        const mode = modes.get(line.replace(/^[^\t]*/, ""));
        return mode?.startsWith("100") && line.startsWith("100") ? mode + line.slice(6) : line;
      })
      .join("\n");
  try {
    await run.gitWith(env, workspace, "add", "--update", "--", ".");
    const tracked = withModes(await list(env));
    await run.gitWith(env, workspace, "add", "--all", "--", ".");
    return { tracked, all: withModes(await list(env)) };
  } finally {
    rmSync(copy, { force: true });
  }
}

/** True if the code is what the summary was written on, in whatever state git has it. */
export function isSame(then: Contents, now: Contents): boolean {
  return then.tracked === now.tracked || then.all === now.tracked || then.all === now.all;
}

/** A commit with the commits it follows and the files it changed. */
interface Commit {
  readonly parents: readonly string[];
  readonly files: readonly string[];
}

/** Reads a whole history. */
export async function readGraph(run: Run, folder: string): Promise<ReadonlyMap<string, Commit>> {
  const head = await run.tryGit(folder, "rev-parse", "--quiet", "--verify", "HEAD^{commit}");
  if (head === undefined) return new Map();
  const log = await run.git(folder, "rev-list", "--parents", "HEAD");
  const ids = log.split("\n").map((line) => line.split(" "));
  const names = await run.gitWith(
    {},
    folder,
    "diff-tree",
    "--stdin",
    "-r",
    "--root",
    "--no-renames",
    "--name-only",
    "-z",
    {
      input: ids.map(([id]) => `${id}\n`).join(""),
    },
  );
  const files = new Map<string, string[]>();
  let current: string[] = [];
  for (const part of names.split("\0")) {
    if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(part)) {
      current = [];
      files.set(part, current);
    } else if (part !== "") current.push(part);
  }
  return new Map(ids.map(([id = "", ...parents]) => [id, { parents, files: files.get(id) ?? [] }]));
}

/** A commit and all before it. */
function withAncestors(graph: ReadonlyMap<string, Commit>, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(graph.get(id)?.parents ?? []));
  }
  return found;
}

/** What a thread's note has to be told by. */
export interface Place {
  /** the workspace that is looked at */
  readonly workspace: string;
  /** where it lies in its repository: `""` or `app/` */
  readonly prefix: string;
  readonly graph: ReadonlyMap<string, Commit>;
  /** of the clone that this one was made from, if it is shallow */
  readonly whole: ReadonlyMap<string, Commit> | undefined;
}

/** What the note of a thread that was written so has to be now. */
export async function truthOf(run: Run, place: Place, thread: string, writing: Writing): Promise<Truth> {
  const { workspace, prefix, graph, whole } = place;
  const { paths, commit } = writing;
  const where = paths.join(", ");
  if (paths.length > 0 && isSame(writing.contents, await contentsOf(run, workspace, paths))) return [""];
  const unshallow = whole ?? graph;
  if (commit !== undefined && !unshallow.has(commit)) {
    const gone = `_⚠ Written on commit ${commit.slice(0, 7)}, which is not in this repository's history: check this summary is still accurate._`;
    if (whole === undefined) return [gone];
  }
  const scope = (paths.length === 0 ? ["."] : paths).map((path) => (path === "." ? prefix : `${prefix}${path}`));
  const own = `${prefix}.threadmind/threads/app/${thread}.md`;
  const isThreads = (file: string): boolean => /(?:^|\/)\.threadmind\//.test(file);
  // Without paths everything in the repository counts.
  const isUnder = (file: string): boolean =>
    !isThreads(file) &&
    (paths.length === 0 ||
      scope.some((part) => part === "" || file === part || file.startsWith(part.endsWith("/") ? part : `${part}/`)));
  const before = commit === undefined ? new Set<string>() : withAncestors(unshallow, commit);
  const since = [...unshallow].filter(
    ([id, { parents, files }]) => !before.has(id) && parents.length < 2 && files.some(isUnder) && !files.includes(own),
  );
  const count = commit === undefined ? 0 : since.length;
  const counted = `${count} ${count === 1 ? "commit" : "commits"}`;
  const inShallow = `_⚠ ${where} changed since this summary was written (shallow clone: commits not counted): check it is still accurate._`;
  if (paths.length === 0) {
    const ago = count > 0 && commit !== undefined ? `_Written ${counted} ago._` : "";
    return whole === undefined ? [ago] : [ago, ""];
  }
  const also = whole === undefined ? [] : [inShallow];
  if (commit !== undefined && !unshallow.has(commit)) return also;
  if (count > 0)
    return [`_⚠ ${counted} changed ${where} since this summary was written: check it is still accurate._`, ...also];
  const status = await run.git(workspace, "status", "--porcelain", "--untracked-files=all", "-z", "--", ...paths);
  const isDirty = status.split("\0").some((line) => line !== "" && !isThreads(line.slice(3)));
  const is = paths.length === 1 ? "differs" : "differ";
  return [
    isDirty
      ? `_⚠ Uncommitted changes in ${where} since this summary was written: check it is still accurate._`
      : `_⚠ ${where} ${is} from what this summary was written on: check it is still accurate._`,
    ...also,
  ];
}

/** A thread's file in a workspace. */
export function threadFileIn(workspace: string, thread: string): string {
  return join(workspace, `.threadmind/threads/app/${thread}.md`);
}
