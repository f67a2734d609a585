import { join } from "node:path";
import type { ThreadId } from "../core/id.ts";
import { describeError, ThreadMindError } from "../errors.ts";
import { kindOf, removeFile } from "./files.ts";
import { type Layout, shownPath } from "./layout.ts";
import type { Project, Writer } from "./store.ts";
import { removeEmptyFolders } from "./user_files.ts";

/**
 * Writes a project that is not there yet with all its threads, its own file last, so that it is seen whole or not at all.
 * Where that fails, what was written is taken back; the error names what could not be.
 */
export function putNewProject(
  layout: Layout,
  writer: Writer,
  project: Project,
  threads: ReadonlyMap<ThreadId, string>,
): void {
  const folder = join(layout.threads, project.id);
  const written: string[] = [];
  try {
    for (const [id, source] of threads) {
      writer.putThread(project.id, id, source);
      written.push(join(folder, `${id}.md`));
    }
    writer.putProject(project.id, `${JSON.stringify(project, undefined, 2)}\n`);
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
    const left = takeBack(folder, written);
    if (left === undefined) throw error;
    const place = shownPath(layout, folder);
    throw new ThreadMindError(
      error.code,
      error.message,
      `${error.hint}\nLeft behind is ${place} (${left}): look into it, then remove it.`,
    );
  }
}

/** Removes files of ours and their folder; tells why something is left. */
function takeBack(folder: string, written: readonly string[]): string | undefined {
  try {
    for (const path of written) removeFile(path);
    removeEmptyFolders(folder);
    return kindOf(folder) === undefined ? undefined : "it holds other files";
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
    return describeError(error).split("\n", 1)[0];
  }
}
