import { join } from "node:path";
import { makeTemporaryFolder, removeFile } from "./files.ts";
import { listFiles, removeEmptyFolders } from "./user_files.ts";

/** Makes a folder among the system's temporary ones, and removes it with all that is in it when the action ends. */
export async function withTemporaryFolder<T>(prefix: string, action: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTemporaryFolder(prefix);
  try {
    return await action(folder);
  } finally {
    for (const path of listFiles(folder) ?? []) removeFile(join(folder, path));
    removeEmptyFolders(folder);
  }
}
