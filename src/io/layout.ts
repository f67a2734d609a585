import { join, relative, sep } from "node:path";
import process from "node:process";
import { ThreadMindError } from "../errors.ts";
import {
  isFolder,
  isWithin,
  kindOf,
  listFolder,
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

/** Makes what every write needs: the local folders, and the lines in `.gitignore` and `.gitattributes`. */
export function prepare(layout: Layout): void {
  prepareLocal(layout, layout.temporary);
  const ignore = join(layout.data, ".gitignore");
  addLines(layout, ignore, IGNORED, (line, text) => hasIgnoreLine(text, line));
  addLines(layout, join(layout.data, ".gitattributes"), [ATTRIBUTES], (_, text) => /^\s*\/?threads\//m.test(text));
}

/** Makes a folder in `local/`, and keeps git from seeing any of it. */
export function prepareLocal(layout: Layout, folder: string): void {
  for (const part of [layout.data, layout.local, layout.temporary, folder]) {
    checkInside(layout, part);
    makeFolder(part);
  }
  addLines(layout, join(layout.local, ".gitignore"), ["*"], () => true);
}

function hasIgnoreLine(text: string, line: string): boolean {
  const bare = line.replace(/\/$/, "");
  return text.split(/\r?\n/).some((other) => other.trim().replace(/^\//, "").replace(/\/$/, "") === bare);
}

/** Appends the lines that a file lacks; the rest of it stays as it is. */
function addLines(
  layout: Layout,
  path: string,
  lines: readonly string[],
  has: (line: string, text: string) => boolean,
): void {
  checkInside(layout, path);
  const read = readText(path);
  if (read !== undefined && !("text" in read)) return;
  const text = read?.text;
  const missing = lines.filter((line) => text === undefined || !has(line, text));
  if (missing.length === 0) return;
  const end = text?.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === undefined || text === "" || text.endsWith("\n") ? "" : end;
  writeWhole(path, `${text ?? ""}${gap}${missing.join(end)}${end}`, layout.temporary);
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
