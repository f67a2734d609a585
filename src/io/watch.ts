import { statSync, watch } from "node:fs";
import { join } from "node:path";
import { ThreadMindError } from "../errors.ts";
import type { Place } from "./scene.ts";
import { DATA_FOLDER } from "./workspace.ts";

const SETTLE_MS = 150;
const DATA_ENTRIES = ["projects", "threads"];
/** Git renames each of these into place: a checkout the first, commits and resets the second. */
const GIT_ENTRIES = ["HEAD", "index"];

/** Watching under way. */
export interface Watch {
  /** looks again for the folders to watch, after the workspace may have changed */
  renew(): void;
  end(): void;
}

interface Watcher {
  readonly identity: string;
  readonly close: () => void;
}

/**
 * Calls back when thread files, projects, or the checked-out branch or commit may have changed on disk, once for changes
 * close together. Folders that come, go and come again are followed. Watching keeps no process alive.
 */
export function watchPlace(findPlace: () => Place, onChange: () => void): Watch {
  const watchers = new Map<string, Watcher>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const settle = (): void => {
    renew();
    onChange();
  };
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(settle, SETTLE_MS);
    timer.unref();
  };
  const renew = (): void => {
    const wanted = foldersOf(findPlace);
    if (wanted === undefined) return;
    for (const [path, { identity, close }] of watchers) {
      if (wanted.has(path) && identityOf(path) === identity) continue;
      close();
      watchers.delete(path);
    }
    for (const [path, entries] of wanted) {
      const identity = watchers.has(path) ? undefined : identityOf(path);
      if (identity === undefined) continue;
      const close = watchFolder(path, (name) => {
        if (entries === undefined || name === "" || entries.includes(name)) changed();
      });
      if (close !== undefined) watchers.set(path, { identity, close });
    }
  };
  renew();
  return {
    renew,
    end() {
      clearTimeout(timer);
      for (const { close } of watchers.values()) close();
      watchers.clear();
    },
  };
}

type Folders = ReadonlyMap<string, readonly string[] | undefined>;

/** The folders to watch, with the names of interest in them, `undefined` for all; nothing while the workspace can't be read. */
function foldersOf(findPlace: () => Place): Folders | undefined {
  try {
    return foldersIn(findPlace());
  } catch (error) {
    if (error instanceof ThreadMindError) return undefined;
    throw error;
  }
}

function foldersIn({ store, git }: Place): Folders {
  const { root, data, projects, threads } = store.layout;
  const folders = new Map<string, readonly string[] | undefined>([
    [root, [DATA_FOLDER]],
    [data, DATA_ENTRIES],
    [projects, undefined],
    [threads, undefined],
  ]);
  for (const { id } of store.readProjects().projects) folders.set(join(threads, id), undefined);
  if (git !== undefined) folders.set(git.folder, GIT_ENTRIES);
  return folders;
}

/** Tells a folder from another that later stands in its place; `undefined` if none can be looked at. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs}`;
  } catch {
    return undefined;
  }
}

/** Calls back with the name of each entry of a folder that changes. Returns what ends it, `undefined` if it can't be watched. */
function watchFolder(path: string, onChange: (name: string) => void): (() => void) | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => onChange(name ?? ""));
    watcher.on("error", () => undefined);
    return () => watcher.close();
  } catch {
    // a folder that went away meanwhile, or a file system that can't be watched
    return undefined;
  }
}
