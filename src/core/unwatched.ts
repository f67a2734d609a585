import { quote } from "./id.ts";

/** A path at which there is something, but nothing that a fingerprint could take in. */
export interface Unwatched {
  readonly path: string;
  readonly why: "ignored" | "empty" | "own" | "link" | "submodule" | "repository";
  /** the link or the other repository, which may be the path itself */
  readonly folder?: string;
}

/** One sentence about such a path: what is so, and what that means. */
export function describeUnwatched({ path, why, folder = path }: Unwatched): string {
  const name = shownPath(path);
  if (why === "ignored") return `${name}: git ignores it, so nothing is checked there.`;
  if (why === "empty") return `${name}: git sees no file there, so nothing is checked until there is one.`;
  if (why === "own") return `${name}: ThreadMind's own files are never checked.`;
  const outer = shownPath(folder);
  if (why === "link" && folder === path)
    return `${name} is a link: only where it leads is checked; use what it leads to.`;
  if (why === "link") return `${name} is behind the link ${outer}: nothing is checked there; use what that leads to.`;
  if (why === "submodule") return `${name} is inside the submodule ${outer}: nothing is checked there; use ${outer}.`;
  const where = folder === path ? `${name} is` : `${name} is inside ${outer},`;
  return `${where} another repository: nothing is checked there.`;
}

/** A path as a message shows it: on one line, without quotes. */
export function shownPath(path: string): string {
  return quote(path).slice(1, -1);
}
