import { join, relative, sep } from "node:path";
import process from "node:process";
import { ThreadMindError } from "../errors.ts";
import {
  isFolder,
  isWithin,
  kindOf,
  listFolder,
  listNames,
  makeFolder,
  readText,
  realPath,
  removeFile,
  stampOf,
  writeWhole,
} from "./files.ts";
import { isAlive } from "./lock.ts";
import { DATA_FOLDER } from "./workspace.ts";

/** The paths of one workspace's files. */
export interface Layout {
  readonly root: string;
  readonly data: string;
  readonly config: string;
  readonly projects: string;
  readonly threads: string;
  readonly local: string;
  readonly temporary: string;
  readonly kept: string;
  readonly sessions: string;
  readonly lock: string;
}

const IGNORED = ["config.json", "local/"];
const ATTRIBUTES = "threads/** merge=threadmind";
const SELF_IGNORING = "# This branch has no ThreadMind project, so this file is no part of it.\n.gitignore\n";
const SELF_IGNORING_LINES = /^# This branch has no ThreadMind project\b.*\r?\n\.gitignore(?:\r?\n|$)/m;
const LEFTOVER_MS = 3_600_000;

/** The layout of the workspace at `root`. */
export function layoutOf(root: string): Layout {
  const data = join(root, DATA_FOLDER);
  const local = join(data, "local");
  return {
    root,
    data,
    config: join(data, "config.json"),
    projects: join(data, "projects"),
    threads: join(data, "threads"),
    local,
    temporary: join(local, "tmp"),
    kept: join(local, "kept"),
    sessions: join(local, "sessions"),
    lock: join(local, "lock"),
  };
}

/** A file's name for messages: relative to the workspace, `/` between parts. */
export function shownPath(layout: Layout, path: string): string {
  return path.slice(layout.root.length).replaceAll(sep, "/").replace(/^\//, "");
}

/**
 * Why a path can't be used with its links followed; `undefined` if it can, or is absent. It has to end in `.threadmind/`;
 * thread files and their folders may be links to Markdown files and folders elsewhere in the workspace. Nothing may lead
 * out of the workspace or into git's own folder.
 */
export function findLinkFault(layout: Layout, path: string): string | undefined {
  const kind = kindOf(path);
  if (kind === undefined) return undefined;
  const real = realPath(path);
  if (real === undefined) return kind === "link" ? "it is a link to nothing" : undefined;
  const root = realPath(layout.root) ?? layout.root;
  const data = realPath(layout.data) ?? layout.data;
  const leavesRoot = (place: string): boolean =>
    !isWithin(root, place) || relative(root, place).split(sep).includes(".git");
  if (leavesRoot(data) || leavesRoot(real)) return "it is a link that leads out of the workspace";
  if (isWithin(data, real)) return undefined;
  const mayLink = isWithin(layout.threads, path) && (/\.md$/i.test(real) || isFolder(real));
  return mayLink ? undefined : "it is a link that leads out of .threadmind/";
}

/** Throws unless `findLinkFault` finds nothing. */
export function checkInside(layout: Layout, path: string): void {
  const fault = findLinkFault(layout, path);
  if (fault === undefined) return;
  throw new ThreadMindError(
    "storage",
    `Cannot use ${shownPath(layout, path)}: ${fault}.`,
    "Replace the link with what it stands for; ThreadMind follows no links out of its folder.",
  );
}

/** A file that tells git what to do with ThreadMind's files, where it isn't as it has to be. */
export interface Rules {
  readonly path: string;
  /** the lines that it lacks */
  readonly missing: readonly string[];
  /** the whole text as it has to be */
  readonly text: string;
}

/** Makes what every write needs: the local folders, and the lines in `.gitignore` and `.gitattributes`. */
export function prepare(layout: Layout): void {
  prepareLocal(layout, layout.temporary);
  for (const { path, text } of missingRules(layout)) writeWhole(path, text, layout.temporary);
}

/** What `prepare()` writes into `.gitignore` and `.gitattributes`, where they are other than they have to be. */
export function missingRules(layout: Layout): readonly Rules[] {
  return [
    findMissing(layout, join(layout.data, ".gitignore"), IGNORED, (line, text) => hasIgnoreLine(text, line)),
    findMissing(layout, join(layout.data, ".gitattributes"), [ATTRIBUTES], (_, text) => /^\s*\/?threads\//m.test(text)),
  ].flatMap((rules) => rules ?? []);
}

/** Makes a folder in `local/`, and keeps git from seeing any of it. */
export function prepareLocal(layout: Layout, folder: string): void {
  for (const part of [layout.data, layout.local, layout.temporary, folder]) {
    checkInside(layout, part);
    makeFolder(part);
  }
  const rules = missingLocalRules(layout);
  if (rules !== undefined) writeWhole(rules.path, rules.text, layout.temporary);
}

/** What `local/` lacks to hide itself from git. */
export function missingLocalRules(layout: Layout): Rules | undefined {
  return findMissing(layout, join(layout.local, ".gitignore"), ["*"], () => true);
}

/** True if this branch has a project, or something of one. */
export function holdsProjects({ projects, threads }: Layout): boolean {
  return [projects, threads].some((folder) => (listNames(folder) ?? []).length > 0);
}

/** True if this checkout's state is there and the branch has no `.gitignore` of ThreadMind's and no project that would bring one. */
export function isStateBare(layout: Layout): boolean {
  const isThere = (path: string): boolean => kindOf(path) !== undefined;
  return isThere(layout.config) && !isThere(join(layout.data, ".gitignore")) && !holdsProjects(layout);
}

/**
 * Hides this checkout's state on a branch without a project by a `.gitignore` that ignores itself: git puts another branch's
 * own in its place without a word, and the first project here does too.
 */
export function hideState(layout: Layout): void {
  prepareLocal(layout, layout.temporary);
  const path = join(layout.data, ".gitignore");
  checkInside(layout, path);
  writeWhole(path, `${IGNORED.join("\n")}\n${SELF_IGNORING}`, layout.temporary);
}

function hasIgnoreLine(text: string, line: string): boolean {
  const bare = line.replace(/\/$/, "");
  return text.split(/\r?\n/).some((other) => other.trim().replace(/^\//, "").replace(/\/$/, "") === bare);
}

/** A file with the lines that it lacks appended; the rest of it stays as it is. `undefined` where there is nothing to do. */
function findMissing(
  layout: Layout,
  path: string,
  lines: readonly string[],
  has: (line: string, text: string) => boolean,
): Rules | undefined {
  checkInside(layout, path);
  const read = readText(path);
  if (read !== undefined && !("text" in read)) return undefined;
  const text = read?.text.replace(SELF_IGNORING_LINES, "");
  const missing = lines.filter((line) => text === undefined || !has(line, text));
  if (missing.length === 0 && text === read?.text) return undefined;
  const end = text?.includes("\r\n") ? "\r\n" : "\n";
  const gap = missing.length === 0 || text === undefined || text === "" || text.endsWith("\n") ? "" : end;
  const added = missing.length === 0 ? "" : `${missing.join(end)}${end}`;
  return { path, missing, text: `${text ?? ""}${gap}${added}` };
}

/** Removes the temporary files of processes that were killed while writing; for the lock's holder, when nobody else writes. */
export function removeLeftovers(folder: string): void {
  for (const path of listLeftovers(folder)) removeFile(path);
}

/** The temporary files in a folder whose process is gone, or that are an hour old. */
export function listLeftovers(folder: string): readonly string[] {
  return (listFolder(folder) ?? []).flatMap(({ name, kind }) => {
    const owner = Number(/^\.?(\d+)-[0-9a-f]{12}\.tmp$/.exec(name)?.[1]);
    const path = join(folder, name);
    if (kind !== "file" || Number.isNaN(owner) || owner === process.pid) return [];
    const age = Date.now() - (stampOf(path)?.modifiedAt ?? 0);
    return !isAlive(owner) || age > LEFTOVER_MS ? [path] : [];
  });
}
