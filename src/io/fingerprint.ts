import { createHash } from "node:crypto";
import { join } from "node:path";
import { isUnder } from "../core/paths.ts";
import type { Fingerprint } from "../core/staleness.ts";
import { isExecutable, kindOf, readBytes, readLink } from "./files.ts";
import type { Git, IndexEntry, Listing } from "./git.ts";

const OWN_FOLDER = ".threadmind";

/** True for files of ThreadMind itself, which no fingerprint and no count takes in. */
export function isOwnFile(path: string): boolean {
  return path.split("/").includes(OWN_FOLDER);
}

/** What is under some paths in the working tree: a fingerprint line a file, by path from the repository's top. */
export interface Contents {
  readonly lines: ReadonlyMap<
    string,
    { readonly line: string; readonly isTracked: boolean; readonly isChanged: boolean }
  >;
}

/** The workspace's folder relative to the repository's top: `""` or `sub/folder/`. */
export function prefixOf(git: Git, workspace: string): string {
  const way = workspace.slice(git.top.length).replaceAll("\\", "/").replace(/^\//, "");
  return way === "" ? "" : `${way}/`;
}

/** A path of the workspace from the repository's top. */
export function inRepository(prefix: string, path: string): string {
  return path === "." ? (prefix === "" ? "." : prefix.slice(0, -1)) : `${prefix}${path}`;
}

/** The paths that git can be asked about from here: those inside a submodule are another repository's. */
export function scopeOf(git: Git, workspace: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const parts = path === "." ? [] : path.split("/");
    const folders = parts.slice(0, -1).map((_, index) => join(workspace, ...parts.slice(0, index + 1)));
    return folders.every((folder) => folder === git.top || kindOf(join(folder, ".git")) === undefined);
  });
}

/** Reads what is under the paths: one git process, two when something is changed or untracked; `undefined` if git fails. */
export async function readContents(git: Git, prefix: string, scope: readonly string[]): Promise<Contents | undefined> {
  const listing = await git.list(scope.map((path) => inRepository(prefix, path)));
  if (listing === undefined) return undefined;
  return hashContents(git, prefix, listing);
}

interface Pending {
  readonly path: string;
  readonly mode: string;
  readonly isTracked: boolean;
}

async function hashContents(git: Git, prefix: string, listing: Listing): Promise<Contents | undefined> {
  const isCounted = (path: string): boolean =>
    path.startsWith(prefix) && !isOwnFile(path.slice(prefix.length)) && !/[\r\n\ufffd]/.test(path);
  const tracked = listing.tracked.filter(({ path }) => isCounted(path));
  const untracked = listing.untracked.filter((path) => isCounted(path) && !path.endsWith("/"));
  const lines = new Map<string, { line: string; isTracked: boolean; isChanged: boolean }>();
  const pending: Pending[] = [];
  const put = (path: string, mode: string, blob: string, isTracked: boolean, isChanged: boolean): void => {
    const line = `${mode} ${blob}\t${path.slice(prefix.length)}\n`;
    lines.set(path, { line, isTracked, isChanged });
  };
  for (const entry of tracked) {
    if (!entry.isDirty || entry.mode === "160000") put(entry.path, entry.mode, entry.blob, true, false);
    else takeFromDisk(git, entry, pending, put);
  }
  for (const path of untracked) takeUntracked(git, path, pending, put);
  const blobs = await git.hash(pending.map(({ path }) => path));
  if (blobs === undefined) return undefined;
  for (const [index, { path, mode, isTracked }] of pending.entries())
    put(path, mode, blobs[index] ?? "", isTracked, true);
  return { lines: markDeleted(lines, tracked) };
}

type Put = (path: string, mode: string, blob: string, isTracked: boolean, isChanged: boolean) => void;

/** A tracked file that differs from the index: hashed as it is on disk, left out if it is gone. */
function takeFromDisk(git: Git, entry: IndexEntry, pending: Pending[], put: Put): void {
  const file = join(git.top, entry.path);
  const kind = kindOf(file);
  if (kind === "link") put(entry.path, "120000", blobId(readLink(file), git.idLength), true, true);
  else if (kind === "file" && entry.mode === "120000")
    put(entry.path, entry.mode, blobId(readBytes(file), git.idLength), true, true);
  else if (kind === "file") pending.push({ path: entry.path, mode: entry.mode, isTracked: true });
}

function takeUntracked(git: Git, path: string, pending: Pending[], put: Put): void {
  const file = join(git.top, path);
  const kind = kindOf(file);
  if (kind === "link") put(path, "120000", blobId(readLink(file), git.idLength), false, true);
  if (kind !== "file") return;
  const mode = git.hasFileModes && isExecutable(file) ? "100755" : "100644";
  pending.push({ path, mode, isTracked: false });
}

/** Files that are in the index but not on disk have no line, yet they are changes. */
function markDeleted<T extends { line: string; isTracked: boolean; isChanged: boolean }>(
  lines: Map<string, T>,
  tracked: readonly IndexEntry[],
): Contents["lines"] {
  const all = new Map<string, { line: string; isTracked: boolean; isChanged: boolean }>(lines);
  for (const { path } of tracked) if (!all.has(path)) all.set(path, { line: "", isTracked: true, isChanged: true });
  return all;
}

/** The id that git gives a blob of these bytes without any filter. */
function blobId(bytes: Uint8Array | undefined, idLength: number): string {
  const content = bytes ?? new Uint8Array();
  return createHash(idLength === 64 ? "sha256" : "sha1")
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest("hex");
}

/** The fingerprint of what is under `scope`. */
export function fingerprintOf({ lines }: Contents, prefix: string, scope: readonly string[]): Fingerprint {
  const inScope = [...lines].filter(([path]) => scope.some((part) => isUnder(part, path.slice(prefix.length))));
  const tracked = inScope.filter(([, { isTracked }]) => isTracked).map(([, { line }]) => line);
  const all = inScope.map(([, { line }]) => line);
  return { tracked: hashLines(tracked), all: hashLines(all) };
}

/** SHA-256 over byte-sorted lines, first 16 hex digits: a format for ever. */
function hashLines(lines: readonly string[]): string {
  const sorted = lines.map((line) => Buffer.from(line, "utf8")).sort(Buffer.compare);
  const hash = createHash("sha256");
  for (const line of sorted) hash.update(line);
  return hash.digest("hex").slice(0, 16);
}
