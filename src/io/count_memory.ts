import { join } from "node:path";
import { ThreadMindError } from "../errors.ts";
import { isFolder, kindOf, readText, writeWhole } from "./files.ts";
import { isCommitId } from "./git_folder.ts";
import { findLinkFault, type Layout, prepareLocal } from "./layout.ts";

/** How many commits were counted, and which one was HEAD then. */
export interface Counted {
  readonly head: string;
  readonly commits: number;
}

/**
 * What was counted in the history, which is the same for ever for the same commits: `local/counts.json`. Without the file all
 * is as with it. Where nothing was ever written, as in a clone that only reads, none is made.
 */
export interface CountMemory {
  find(key: string): Counted | undefined;
  put(key: string, counted: Counted): void;
  save(): void;
}

const MOST_COUNTS = 500;

/** Opens the memory of a workspace; one that can't be read is empty, one that can't be written stays as it is. */
export function openCountMemory(layout: Layout): CountMemory {
  const path = join(layout.local, "counts.json");
  let loaded: Map<string, unknown> | undefined;
  let isChanged = false;
  const counts = (): Map<string, unknown> => {
    loaded ??= readCounts(layout, path);
    return loaded;
  };
  return {
    find(key) {
      const value = counts().get(key);
      return isCounted(value) ? { head: value[0], commits: value[1] } : undefined;
    },
    put(key, { head, commits }) {
      // What was asked for last is forgotten last.
      counts().delete(key);
      counts().set(key, [head, commits]);
      isChanged = true;
    },
    save() {
      if (!isChanged || !isFolder(layout.local)) return;
      isChanged = false;
      const kept = [...counts()].slice(-MOST_COUNTS);
      write(layout, path, JSON.stringify({ version: 1, counts: Object.fromEntries(kept) }));
    },
  };
}

function readCounts(layout: Layout, path: string): Map<string, unknown> {
  const read = kindOf(path) === "file" && findLinkFault(layout, path) === undefined ? readText(path) : undefined;
  if (read === undefined || !("text" in read)) return new Map();
  try {
    const { version, counts } = Object(JSON.parse(read.text)) as Partial<Record<"version" | "counts", unknown>>;
    return version === 1 && typeof counts === "object" && counts !== null ? new Map(Object.entries(counts)) : new Map();
  } catch {
    // all is counted again
    return new Map();
  }
}

function isCounted(value: unknown): value is readonly [string, number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [head, commits] = value;
  return typeof head === "string" && isCommitId(head) && Number.isSafeInteger(commits) && commits >= 0;
}

function write(layout: Layout, path: string, text: string): void {
  try {
    prepareLocal(layout, layout.temporary);
    writeWhole(path, text, layout.temporary);
  } catch (error) {
    // Reading never needs to write.
    if (!(error instanceof ThreadMindError)) throw error;
  }
}
