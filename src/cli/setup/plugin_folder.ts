import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import { kindOf } from "../../io/files.ts";
import {
  isLink,
  listFiles,
  readUserFile,
  removeEmptyFolders,
  removeUserFile,
  writeUserFile,
} from "../../io/user_files.ts";
import { listPluginFiles } from "../plugin_files.ts";
import { looking } from "./glance.ts";
import { findNode, parseJson, readNode } from "./json_text.ts";
import { isMap } from "./value.ts";

/** What is to be written to and removed from the plugin's folder, as paths below it. */
export interface FolderPlan {
  readonly folder: string;
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** those of both that somebody has edited since setup wrote them */
  readonly edited: readonly string[];
  /** what setup never wrote */
  readonly left: readonly string[];
}

const MARKETPLACE = ".claude-plugin/marketplace.json";
/** The fingerprints of what setup wrote there. */
const WRITTEN = ".threadmind-setup.json";

/** Compares the folder with the plugin of this program. Throws `refused` for a folder that holds something else. */
export function planFolder(folder: string): FolderPlan {
  checkOurs(folder);
  const files = listPluginFiles();
  const present = listFiles(folder) ?? [];
  const known = readWritten(folder);
  const written = [...files]
    .filter(([path, text]) => isLink(join(folder, path)) || readUserFile(join(folder, path)) !== text)
    .map(([path]) => path);
  const others = present.filter((path) => !files.has(path) && path !== WRITTEN);
  const removed = others.filter((path) => known.has(path));
  const edited = [...written, ...removed].filter((path) => present.includes(path) && isEdited(folder, path, known));
  return { folder, written, removed, edited, left: others.filter((path) => !known.has(path)) };
}

function isEdited(folder: string, path: string, known: ReadonlyMap<string, string>): boolean {
  const text = looking(() => readUserFile(join(folder, path)));
  return known.has(path) && known.get(path) !== fingerprint(text ?? "");
}

function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function readWritten(folder: string): ReadonlyMap<string, string> {
  const path = join(folder, WRITTEN);
  const files = looking(() => {
    const text = readUserFile(path);
    const node = text === undefined ? undefined : findNode(parseJson({ path, text }).root, ["files"]);
    return node === undefined ? undefined : readNode(node);
  });
  const entries = isMap(files) ? [...files].map(([name, mark]): [string, string] => [name, String(mark)]) : [];
  // A name from a file is not to lead out of the folder.
  return new Map(entries.filter(([name]) => !/(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|:/.test(name)));
}

/** Makes the folder hold the plugin of this program; what setup never wrote stays. */
export function writeFolder({ folder, written, removed }: FolderPlan): void {
  const files = listPluginFiles();
  for (const path of removed) removeUserFile(join(folder, path));
  for (const path of written) {
    if (isLink(join(folder, path))) removeUserFile(join(folder, path));
    writeUserFile(join(folder, path), files.get(path) ?? "");
  }
  const marks = Object.fromEntries([...files].map(([path, text]) => [path, fingerprint(text)]));
  const text = `${JSON.stringify({ version: 1, files: marks }, undefined, 2)}\n`;
  if (looking(() => readUserFile(join(folder, WRITTEN))) !== text) writeUserFile(join(folder, WRITTEN), text);
}

/** What taking the folder away comes to; `undefined` if there is none. */
export function planClearing(folder: string): FolderPlan | undefined {
  if (kindOf(folder) === undefined) return undefined;
  checkOurs(folder);
  const known = readWritten(folder);
  const present = (listFiles(folder) ?? []).filter((path) => path !== WRITTEN);
  const files = listPluginFiles();
  const removed = present.filter((path) => files.has(path) || known.has(path));
  const left = present.filter((path) => !removed.includes(path));
  return { folder, written: [], removed, edited: removed.filter((path) => isEdited(folder, path, known)), left };
}

/** Removes what setup wrote, and the folders that are empty then. */
export function clearFolder({ folder, removed }: FolderPlan): void {
  for (const path of [...removed, WRITTEN]) removeUserFile(join(folder, path));
  removeEmptyFolders(folder);
}

function checkOurs(folder: string): void {
  const kind = kindOf(folder);
  if (kind === undefined) return;
  const files = listFiles(folder);
  const paths = new Set([...listPluginFiles().keys()].flatMap(foldersOf));
  if (files?.length === 0) return;
  const marketplace = files?.includes(MARKETPLACE) === true ? (readUserFile(join(folder, MARKETPLACE)) ?? "") : "";
  const isMarked = /"name":\s*"thread-mind"/.test(marketplace);
  if (isMarked && files?.some((path) => paths.has(path)) !== true) return;
  throw new ThreadMindError(
    "refused",
    `Cannot use ${folder} for the plugin: it holds something else.`,
    "Move it away, and run the command again.",
  );
}

/** The folders on the way to a file; a link or file in the place of one leads elsewhere. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [...foldersOf(folder), folder];
}
