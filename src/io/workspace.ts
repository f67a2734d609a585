import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ThreadMindError } from "../errors.ts";
import { isFolder, isOwn, isWithin, kindOf, realPath } from "./files.ts";
import { findRepositoryTop } from "./git.ts";

/** The folder's name that holds all of ThreadMind's files. */
export const DATA_FOLDER = ".threadmind";

/** True where backslashes separate the parts of a path. */
export const hasBackslashes = process.platform === "win32";

/** Where a workspace may be looked for, each `undefined` when not given. */
export interface Whereabouts {
  /** `--root` */
  readonly root?: string | undefined;
  /** the client's roots, as paths, in its order */
  readonly clientRoots?: readonly string[] | undefined;
  /** `-C` */
  readonly directory?: string | undefined;
}

/** The workspace found, and why it was chosen. */
export interface Workspace {
  /** the folder that holds, or will hold, `.threadmind/` */
  readonly root: string;
  readonly isPresent: boolean;
  readonly reason: string;
}

/** Finds the workspace by the documented order; `undefined` when none is known. Throws for a root that doesn't exist. */
export function findWorkspace(whereabouts: Whereabouts): Workspace | undefined {
  const cwd = resolve(whereabouts.directory ?? ".");
  if (whereabouts.directory !== undefined && !isFolder(cwd)) throw noFolder("-C", whereabouts.directory);
  const explicit = nonEmpty(whereabouts.root);
  if (explicit !== undefined) return exactly(explicit, "--root", cwd);
  const fromEnvironment = nonEmpty(process.env.THREADMIND_ROOT);
  if (fromEnvironment !== undefined) return exactly(fromEnvironment, "THREADMIND_ROOT", cwd);
  const starts = startsOf(whereabouts, cwd);
  for (const [start, reason] of starts) {
    const root = walkUp(start);
    if (root !== undefined) return { root, isPresent: true, reason };
  }
  for (const [start, reason] of starts) {
    const root = placeFor(start);
    if (root !== undefined) return { root, isPresent: false, reason };
  }
  return undefined;
}

function startsOf({ clientRoots, directory }: Whereabouts, cwd: string): (readonly [string, string])[] {
  const roots = (clientRoots ?? []).filter(isFolder);
  if (roots.length > 0) return roots.map((root) => [real(root), "the client's workspace root"]);
  const project = directory === undefined ? nonEmpty(process.env.CLAUDE_PROJECT_DIR) : undefined;
  if (project !== undefined && isFolder(project)) return [[real(resolve(cwd, project)), "CLAUDE_PROJECT_DIR"]];
  return [[real(cwd), directory === undefined ? "the working directory" : "-C"]];
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

function real(path: string): string {
  return realPath(path) ?? path;
}

function exactly(given: string, name: string, cwd: string): Workspace {
  const expanded = given === "~" || /^~[/\\]/.test(given) ? join(homedir(), given.slice(1)) : given;
  const folder = isAbsolute(expanded) ? expanded : resolve(cwd, expanded);
  if (!isFolder(folder)) throw noFolder(name, given);
  const root = real(folder);
  const isPresent = hasData(root);
  if (isPresent || mayHold(root)) return { root, isPresent, reason: name };
  throw new ThreadMindError(
    "no-workspace",
    `Cannot use ${name} ${JSON.stringify(given)}: no workspace is made in /, the home folder or a plugin's own folder.`,
    "Give the folder of your project.",
  );
}

function noFolder(name: string, given: string): ThreadMindError {
  return new ThreadMindError(
    "no-workspace",
    `Cannot use ${name} ${JSON.stringify(given)}: there is no such folder.`,
    `Make the folder, or correct ${name}.`,
  );
}

/** Where a new workspace would be made: the repository's top, or the folder itself; a home under version control is none. */
function placeFor(start: string): string | undefined {
  const top = findRepositoryTop(start);
  if (top !== undefined && mayHold(top)) return top;
  return mayHold(start) && start !== real(dirname(process.execPath)) ? start : undefined;
}

/** The nearest folder with `.threadmind/`, up to the repository's top, or outside a repository to below the home folder. */
function walkUp(start: string): string | undefined {
  const top = findRepositoryTop(start);
  const home = real(homedir());
  for (let folder = start; ; folder = dirname(folder)) {
    const isOutside = folder === home || dirname(folder) === folder;
    if (isOutside && folder !== start) return undefined;
    if (!isOutside && hasData(folder) && (folder === start || top !== undefined || isOwn(folder))) return folder;
    if (folder === top || isOutside) return undefined;
  }
}

function hasData(root: string): boolean {
  return kindOf(join(root, DATA_FOLDER)) !== undefined;
}

/** True if a new `.threadmind/` may be made in this folder: never in `/`, the home folder, or a plugin's own folder. */
export function mayHold(root: string): boolean {
  const plugin = nonEmpty(process.env.CLAUDE_PLUGIN_ROOT);
  if (root === dirname(root) || root === real(homedir())) return false;
  if (process.platform === "win32" && isWithin(process.env.SystemRoot ?? "C:\\Windows", root)) return false;
  return plugin === undefined || !isWithin(real(plugin), root);
}

/** The error for calls that need a workspace when none is known; a server has a client to name one, a shell a folder. */
export function noWorkspaceError(isServer = false): ThreadMindError {
  if (!isServer) {
    return new ThreadMindError(
      "no-workspace",
      "Cannot tell which folder is the workspace: the current folder (or that of -C) is in no project, and none is made in /, the home folder or the program's own folder.",
      "Run it inside your project's folder, or give that with -C DIR or --root DIR.",
    );
  }
  return new ThreadMindError(
    "no-workspace",
    "Cannot tell which folder is the workspace: the client named no root, and the server was not started inside a project.",
    "Set THREADMIND_ROOT to your project's folder in the client's configuration (or use --root DIR).",
  );
}

/** A client's root URI as a path; `undefined` for other schemes and broken escapes. */
export function pathOfRoot(uri: string, isWindows: boolean): string | undefined {
  if (!/^file:\/\//i.test(uri)) return undefined;
  try {
    const url = new URL(uri.replace(/[ ?#]/g, encodeURIComponent));
    if (url.hostname === "localhost") url.hostname = "";
    if (/%2f|%5c|%00/i.test(url.pathname)) return undefined;
    if (!isWindows && url.hostname !== "") return undefined;
    const path = fileURLToPath(url, { windows: isWindows });
    return isWindows ? path.replace(/^[a-z]:/i, (drive) => drive.toUpperCase()).replace(/:$/, ":\\") : path;
  } catch {
    return undefined;
  }
}

/** True if there is something at a path of the workspace. */
export function isPresent(root: string, path: string): boolean {
  return kindOf(join(root, path)) !== undefined;
}
