import { join } from "node:path";
import type { Unwatched } from "../core/unwatched.ts";
import { kindOf } from "./files.ts";
import { type Contents, inRepository, isOwnFile, prefixOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import { isPresent } from "./workspace.ts";

/**
 * Those of a thread's paths whose changes nobody would notice. `contents` is what is under them, if that was read already;
 * else git is asked, and once more to learn why. Nothing is said where git fails.
 */
export async function findUnwatched(
  git: Git | undefined,
  workspace: string,
  paths: readonly string[],
  contents?: Contents,
): Promise<readonly Unwatched[]> {
  const present = git === undefined ? [] : paths.filter((path) => path !== "." && isPresent(workspace, path));
  if (git === undefined || present.length === 0) return [];
  const prefix = prefixOf(git, workspace);
  const links = new Map(present.map((path) => [path, findLink(workspace, path)]));
  const outer = new Map(present.map((path) => [path, findRepository(workspace, path)]));
  const isInside = (path: string): boolean => links.get(path) === undefined && outer.get(path) === undefined;
  const inside = present.filter((path) => isInside(path) && !isOwnFile(path));
  const files = contents === undefined ? await listFiles(git, prefix, inside) : [...contents.lines.keys()];
  const seen = files === undefined ? undefined : withFiles(inside, files, prefix);
  const unseen = seen === undefined ? [] : inside.filter((path) => !seen.has(path));
  const folders = [...new Set([...outer.values()].filter((folder) => folder !== undefined))];
  const [ignored, submodules] = await Promise.all([
    unseen.length === 0 ? new Set<string>() : git.ignored(unseen.map((path) => inRepository(prefix, path))),
    listFiles(git, prefix, folders),
  ]);
  return present.flatMap((path): Unwatched[] => {
    const link = links.get(path);
    if (link !== undefined) return [{ path, why: "link", folder: link }];
    const folder = outer.get(path);
    if (folder !== undefined) {
      const isSubmodule = submodules?.includes(inRepository(prefix, folder)) ?? false;
      return [{ path, why: isSubmodule ? "submodule" : "repository", folder }];
    }
    if (isOwnFile(path)) return [{ path, why: "own" }];
    if (!unseen.includes(path)) return [];
    if (kindOf(join(workspace, path, ".git")) !== undefined) return [{ path, why: "repository", folder: path }];
    return [{ path, why: ignored?.has(inRepository(prefix, path)) ? "ignored" : "empty" }];
  });
}

/** Those of the paths that are a file, or have one below them. */
function withFiles(paths: readonly string[], files: readonly string[], prefix: string): ReadonlySet<string> {
  const [wanted, found] = [new Set(paths), new Set<string>()];
  for (const file of files) {
    for (let path = file.slice(prefix.length); path !== ""; path = path.slice(0, Math.max(0, path.lastIndexOf("/"))))
      if (wanted.has(path)) found.add(path);
    if (found.size === wanted.size) break;
  }
  return found;
}

/** The folder above a path, within the workspace, that is a repository of its own. */
function findRepository(workspace: string, path: string): string | undefined {
  const above = stepsTo(path).slice(0, -1);
  return above.find((folder) => kindOf(join(workspace, folder, ".git")) !== undefined);
}

/** The link on the way to a path or at its end: git sees nothing but where it leads. */
function findLink(workspace: string, path: string): string | undefined {
  return stepsTo(path).find((step) => kindOf(join(workspace, step)) === "link");
}

/** `src/auth` as `src`, `src/auth`. */
function stepsTo(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** The files that git sees under some paths, from the repository's top; `undefined` if it fails. */
async function listFiles(git: Git, prefix: string, paths: readonly string[]): Promise<readonly string[] | undefined> {
  if (paths.length === 0) return [];
  const listing = await git.list(paths.map((path) => inRepository(prefix, path)));
  if (listing === undefined) return undefined;
  return [...listing.tracked.map(({ path }) => path), ...listing.untracked.filter((path) => !path.endsWith("/"))];
}
