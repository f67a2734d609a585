import { compareTexts } from "./order.ts";
import { isUnder, usablePaths } from "./paths.ts";
import { stripControls } from "./text_controls.ts";
import type { Thread } from "./tree.ts";

/** A thread that matches all words, with the lines that hold them. */
export interface Match {
  readonly thread: Thread;
  readonly lines: readonly string[];
  /** matching lines beyond those */
  readonly moreLines: number;
  readonly score: number;
}

/** A thread whose `paths` govern a file, with the nearest of them. */
export interface Governor {
  readonly thread: Thread;
  readonly path: string;
}

const MOST_LINES = 5;
const MOST_LINE_CHARACTERS = 200;
const TITLE_WEIGHT = 10;

/** Threads whose title or summary holds all words, in any order, case and accents ignored; best first. */
export function searchThreads(threads: Iterable<Thread>, query: string): readonly Match[] {
  const words = [...new Set(fold(query).split(/\s+/))].filter((word) => word !== "");
  const matches: Match[] = [];
  for (const thread of threads) {
    if (thread.fault !== undefined || thread.conflictLine !== undefined) continue;
    const title = fold(`${thread.title} ${thread.id}`);
    const body = fold(thread.body);
    if (!words.every((word) => title.includes(word) || body.includes(word))) continue;
    const lines = thread.body.split(/\r\n|\r|\n/).filter((line) => words.some((word) => fold(line).includes(word)));
    const inTitle = words.filter((word) => title.includes(word)).length;
    const together = lines.filter((line) => words.every((word) => fold(line).includes(word))).length;
    matches.push({
      thread,
      lines: lines.slice(0, MOST_LINES).map(showLine),
      moreLines: Math.max(0, lines.length - MOST_LINES),
      score: inTitle * TITLE_WEIGHT + together * 3 + Math.min(lines.length, MOST_LINES),
    });
  }
  return matches.sort((a, b) => b.score - a.score || compareTexts(b.thread.updatedAt ?? "", a.thread.updatedAt ?? ""));
}

/**
 * Threads whose paths govern a file that has these names, by path component, the nearest path first, open threads before
 * finished ones.
 */
export function findGovernors(threads: Iterable<Thread>, names: readonly string[]): readonly Governor[] {
  const governors: Governor[] = [];
  for (const thread of threads) {
    const [nearest] = usablePaths(thread.paths)
      .filter((path) => names.some((name) => isUnder(path, name)))
      .sort((a, b) => depthOf(b) - depthOf(a));
    if (nearest !== undefined) governors.push({ thread, path: nearest });
  }
  return governors.sort(
    (a, b) =>
      depthOf(b.path) - depthOf(a.path) ||
      Number(a.thread.status !== "open") - Number(b.thread.status !== "open") ||
      compareTexts(b.thread.updatedAt ?? "", a.thread.updatedAt ?? ""),
  );
}

function depthOf(path: string): number {
  return path === "." ? 0 : path.split("/").length;
}

/** A text without case and accents. */
function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function showLine(line: string): string {
  const text = stripControls(line).trim();
  return text.length <= MOST_LINE_CHARACTERS ? text : `${text.slice(0, MOST_LINE_CHARACTERS).trimEnd()}…`;
}
