import { join } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import { kindOf, removeFile } from "../../io/files.ts";
import { listFiles, readUserFile, removeFolder, writeUserFile } from "../../io/user_files.ts";
import { listPluginFiles } from "../plugin_files.ts";

/** What is to be written to and removed from the plugin's folder, as paths below it. */
export interface FolderPlan {
  readonly folder: string;
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

const MARKETPLACE = ".claude-plugin/marketplace.json";

/** Compares the folder with the plugin of this program. Throws `refused` for a folder that holds something else. */
export function planFolder(folder: string): FolderPlan {
  checkOurs(folder);
  const files = listPluginFiles();
  const present = listFiles(folder) ?? [];
  const written = [...files].filter(([path, text]) => readUserFile(join(folder, path)) !== text).map(([path]) => path);
  return { folder, written, removed: present.filter((path) => !files.has(path)) };
}

/** Makes the folder hold the plugin of this program and nothing else. */
export function writeFolder({ folder, written, removed }: FolderPlan): void {
  const files = listPluginFiles();
  for (const path of removed) removeFile(join(folder, path));
  for (const path of written) writeUserFile(join(folder, path), files.get(path) ?? "");
}

/** Removes the folder; false if there was none. */
export function clearFolder(folder: string): boolean {
  if (kindOf(folder) === undefined) return false;
  checkOurs(folder);
  removeFolder(folder);
  return true;
}

function checkOurs(folder: string): void {
  const kind = kindOf(folder);
  if (kind === undefined) return;
  const files = listFiles(folder);
  if (files?.length === 0) return;
  const marketplace = files?.includes(MARKETPLACE) === true ? (readUserFile(join(folder, MARKETPLACE)) ?? "") : "";
  if (/"name":\s*"thread-mind"/.test(marketplace)) return;
  throw new ThreadMindError(
    "refused",
    `Cannot use ${folder} for the plugin: it holds something else.`,
    "Move it away, and run the command again.",
  );
}
