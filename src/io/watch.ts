import { watch } from "node:fs";
import { join } from "node:path";
import type { Place } from "./session.ts";

const SETTLE_MS = 150;

/**
 * Calls back when thread files, projects or the checked-out branch may have changed on disk, once for changes close
 * together. Watching keeps no process alive. Returns what ends it.
 */
export function watchPlace({ store, git }: Place, onChange: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
    timer.unref();
  };
  const { layout } = store;
  const folders = [
    layout.projects,
    layout.threads,
    ...store.readProjects().projects.map(({ id }) => join(layout.threads, id)),
  ];
  const stops = folders.map((folder) => watchFolder(folder, changed));
  const stopHead = git === undefined ? undefined : watchFolder(git.folder, (name) => name === "HEAD" && changed());
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
    stopHead?.();
  };
}

/** Calls back with the name of each entry of a folder that changes; keeps no process alive. Returns what ends it. */
function watchFolder(path: string, onChange: (name: string) => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => onChange(name ?? ""));
    watcher.on("error", () => undefined);
    return () => watcher.close();
  } catch {
    // a folder that isn't there, or a file system that can't be watched
    return () => undefined;
  }
}
