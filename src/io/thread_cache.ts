import { join } from "node:path";
import type { ThreadId } from "../core/id.ts";
import { parsePlainThreadFile } from "../core/thread_file.ts";
import type { Thread, ThreadStatus } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { type FileStamp, kindOf, readText, stampOf, writeWhole } from "./files.ts";
import { findLinkFault, type Layout, prepareLocal } from "./layout.ts";
import { threadOf } from "./thread_reading.ts";

/**
 * What is remembered of sound thread files, for trees of thousands of which a command needs a few: `local/cache.json`. An
 * entry counts only while size, modification and change time of its file are the same; without the file all is as with it.
 */
export interface ThreadCache {
  /** the thread of an unchanged file, the rest of which is read when it is asked for */
  find(project: string, id: ThreadId, path: string, file: string, stamp: FileStamp): Thread | undefined;
  /** a file that was read, and has nothing wrong with it */
  add(project: string, thread: Thread, stamp: FileStamp): void;
  /** a file that was read for a project is the only one that may be in it: others are gone */
  close(project: string, ids: ReadonlySet<string>): void;
}

/** size, modification time, change time, parent, status, branch, creation date */
type Entry = readonly [number, number, number, string | null | 0, ThreadStatus, string | 0, string | 0];

interface Content {
  readonly version: 1;
  readonly projects: Record<string, Record<string, Entry>>;
}

/** With fewer threads in a project a cache costs more than it saves. */
export const LEAST_CACHED = 200;
const LEAST_NEWS = 50;
/** A file that was changed a moment ago may change again without its times telling. */
const SETTLED_MS = 2000;

/** Opens the cache of a workspace; one that can't be read is empty, one that can't be written stays as it is. */
export function openThreadCache(layout: Layout): ThreadCache {
  const path = join(layout.local, "cache.json");
  let loaded: Content | undefined;
  let news = 0;
  const content = (): Content => {
    loaded ??= readContent(layout, path);
    return loaded;
  };
  const entriesOf = (project: string): Record<string, Entry> => {
    const { projects } = content();
    const known = Object.hasOwn(projects, project) ? projects[project] : undefined;
    if (known !== undefined) return known;
    const fresh: Record<string, Entry> = Object.create(null);
    projects[project] = fresh;
    return fresh;
  };
  return {
    find(project, id, file, shown, stamp) {
      const entries = entriesOf(project);
      const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
      const isSame =
        isEntry(entry) && entry[0] === stamp.size && entry[1] === stamp.modifiedAt && entry[2] === stamp.changedAt;
      return isSame ? new LazyThread(id, file, shown, entry) : undefined;
    },
    add(project, thread, { size, modifiedAt, changedAt }) {
      if (Date.now() - Math.max(modifiedAt, changedAt) < SETTLED_MS) return;
      const { parentId, status, branch, createdAt } = thread;
      const parent = parentId === undefined ? 0 : parentId;
      entriesOf(project)[thread.id] = [size, modifiedAt, changedAt, parent, status, branch ?? 0, createdAt ?? 0];
      news++;
    },
    close(project, ids) {
      if (news < LEAST_NEWS) return;
      const entries = entriesOf(project);
      for (const id of Object.keys(entries)) if (!ids.has(id)) delete entries[id];
      news = 0;
      writeContent(layout, path, content());
    },
  };
}

function readContent(layout: Layout, path: string): Content {
  const empty: Content = { version: 1, projects: Object.create(null) };
  const read = kindOf(path) === "file" && findLinkFault(layout, path) === undefined ? readText(path) : undefined;
  if (read === undefined || !("text" in read)) return empty;
  try {
    const value: unknown = JSON.parse(read.text);
    return isContent(value) ? value : empty;
  } catch {
    // it is made again
    return empty;
  }
}

function isContent(value: unknown): value is Content {
  if (typeof value !== "object" || value === null) return false;
  const { version, projects } = value as Partial<Record<keyof Content, unknown>>;
  if (version !== 1 || typeof projects !== "object" || projects === null) return false;
  return Object.values(projects).every((entries) => typeof entries === "object" && entries !== null);
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value) || value.length !== 7) return false;
  const [size, modified, changed, parent, status, branch, created] = value;
  return (
    [size, modified, changed].every((each) => typeof each === "number") &&
    (parent === null || parent === 0 || typeof parent === "string") &&
    (status === "open" || status === "done" || status === "abandoned") &&
    [branch, created].every((each) => each === 0 || typeof each === "string")
  );
}

function writeContent(layout: Layout, path: string, content: Content): void {
  try {
    prepareLocal(layout, layout.temporary);
    writeWhole(path, JSON.stringify(content), layout.temporary);
  } catch (error) {
    // Reading never needs to write.
    if (!(error instanceof ThreadMindError)) throw error;
  }
}

/**
 * A thread of which the tree's part is known, and the rest is read from its file at the first question. Its questions are
 * accessors of a class, since trees have thousands of them: a copy is made with `changedThread()`, never by spreading.
 */
class LazyThread implements Thread {
  readonly id: ThreadId;
  readonly file: string;
  readonly status: ThreadStatus;
  readonly parentId: string | null | undefined;
  readonly branch: string | undefined;
  readonly createdAt: string | undefined;
  readonly conflictLine = undefined;
  readonly fault = undefined;
  readonly #path: string;
  readonly #stamp: Pick<FileStamp, "size" | "modifiedAt" | "changedAt">;
  #whole: Thread | undefined;

  constructor(id: ThreadId, path: string, file: string, entry: Entry) {
    const [size, modifiedAt, changedAt, parent, status, branch, createdAt] = entry;
    this.id = id;
    this.file = file;
    this.status = status;
    this.parentId = parent === 0 ? undefined : parent;
    this.branch = branch === 0 ? undefined : branch;
    this.createdAt = createdAt === 0 ? undefined : createdAt;
    this.#path = path;
    this.#stamp = { size, modifiedAt, changedAt };
  }

  get #rest(): Thread {
    this.#whole ??= readWhole(this.id, this.#path, this.file, this.#stamp);
    return this.#whole;
  }
  get title(): string {
    return this.#rest.title;
  }
  get author(): string | undefined {
    return this.#rest.author;
  }
  get updatedAt(): string | undefined {
    return this.#rest.updatedAt;
  }
  get commit(): string | undefined {
    return this.#rest.commit;
  }
  get fingerprint(): string | undefined {
    return this.#rest.fingerprint;
  }
  get paths(): readonly string[] {
    return this.#rest.paths;
  }
  get mergedInto(): string | undefined {
    return this.#rest.mergedInto;
  }
  get body(): string {
    return this.#rest.body;
  }
}

function readWhole(
  id: ThreadId,
  path: string,
  file: string,
  known: Pick<FileStamp, "size" | "modifiedAt" | "changedAt">,
): Thread {
  const read = readText(path);
  const parsed = read !== undefined && "text" in read ? parsePlainThreadFile(read.text) : undefined;
  const stamp = stampOf(path);
  const isSame =
    stamp?.size === known.size && stamp.modifiedAt === known.modifiedAt && stamp.changedAt === known.changedAt;
  if (parsed !== undefined && !("message" in parsed) && isSame) return threadOf(id, file, parsed);
  throw new ThreadMindError("storage", `Cannot read ${file}: it changed while it was read.`, "Call again.");
}
