import { posix, win32 } from "node:path";
import { ThreadMindError } from "../errors.ts";
import { kindOf, realPath } from "./files.ts";
import { hasBackslashes } from "./workspace.ts";

/** What a file or folder of the workspace is called, or why there can be none of that name. */
export type FileNames =
  | {
      /** relative to the workspace, `/` between parts: as it was typed, then where its links lead if that is another place in it */
      readonly names: readonly [string, ...string[]];
      /** false too for what a link takes out of the workspace: nothing is told of that */
      readonly isMissing: boolean;
    }
  | { readonly fault: string };

const OUTSIDE = { fault: "it leads out of the workspace" };

/**
 * Finds what threads may call a file that somebody names: relative to `from` (the workspace unless given), or absolute.
 * `.` and `..` are folded; a path through a link to the workspace is one of the workspace.
 */
export function findFileNames(root: string, typed: string, from = root): FileNames {
  if (typed.trim() === "") return { fault: "it is empty" };
  if (typed.includes("\0") || !typed.isWellFormed()) return { fault: "no file has such a name" };
  const path = absolutePath(typed, from, hasBackslashes);
  if (path === undefined || (hasBackslashes && isElsewhere(root, path))) return OUTSIDE;
  const top = realOf(root) ?? root;
  const real = realOf(path);
  const linked = real === undefined ? undefined : nameBelow(top, real, hasBackslashes);
  const typedName = nameBelow(root, path, hasBackslashes) ?? nameThroughLink(top, path);
  const [name = linked, ...others] = [typedName, linked].filter((each) => each !== undefined);
  if (name === undefined) return OUTSIDE;
  const isMissing = linked !== undefined && kindOf(pathModule(hasBackslashes).join(top, linked)) === undefined;
  return { names: [name, ...others.filter((other) => other !== name)], isMissing };
}

function pathModule(isWindows: boolean): typeof posix {
  return isWindows ? win32 : posix;
}

/** What is typed as an absolute path of this system, folded; `undefined` for one of another system. */
export function absolutePath(typed: string, from: string, isWindows: boolean): string | undefined {
  if (!isWindows) return /^[a-z]:[\\/]/i.test(typed) ? undefined : posix.resolve(from, typed);
  const plain = typed.replace(/^[\\/]{2}\?[\\/](?=[a-z]:)/i, "").replace(/^\/([a-z])(?=\/|$)/i, "$1:/");
  return win32.resolve(from, /^[a-z]:$/i.test(plain) ? `${plain}\\` : plain);
}

/** A path's name below a folder, `/` between parts; `.` for the folder, `undefined` for what isn't below it. */
export function nameBelow(folder: string, path: string, isWindows: boolean): string | undefined {
  const { relative, sep, isAbsolute } = pathModule(isWindows);
  const way = relative(folder, path);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return way === "" ? "." : way.split(sep).join("/");
}

/** Another drive or machine: asking Windows about a path there may sign in to it. */
function isElsewhere(root: string, path: string): boolean {
  return win32.parse(root).root.toLowerCase() !== win32.parse(path).root.toLowerCase();
}

/** The name below the workspace of a path that begins with a link to it. */
function nameThroughLink(top: string, path: string): string | undefined {
  const { dirname } = pathModule(hasBackslashes);
  let found: string | undefined;
  for (let at = path; at !== dirname(at); at = dirname(at)) if (realOf(at) === top) found = at;
  return found === undefined ? undefined : nameBelow(found, path, hasBackslashes);
}

/** A path with its links resolved, whether or not its end exists; `undefined` where that can't be told. */
function realOf(path: string): string | undefined {
  const { basename, dirname, join } = pathModule(hasBackslashes);
  const rest: string[] = [];
  try {
    for (let at = path; ; at = dirname(at)) {
      const real = realPath(at);
      if (real !== undefined) return join(real, ...rest);
      if (at === dirname(at) || kindOf(at) === "link") return undefined;
      rest.unshift(basename(at));
    }
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
    return undefined;
  }
}
