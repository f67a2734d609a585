import { createHash } from "node:crypto";
import { extname, join } from "node:path";
import { kindOf, listFolder, makeFolder, readBytes, removeFile, writeWhole } from "./files.ts";
import { checkInside, type Layout } from "./layout.ts";

const MOST_KEPT = 50;
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/;
const LONGEST_KEPT_MS = 90 * 24 * 3_600_000;

/** Beside the folders of a project's threads, whose ids don't begin so. */
const OF_PROJECT = ".project";

/** Keeps the present content of a thread's file before it is replaced or deleted: the last 50 a thread, 90 days at most. Returns the name it is kept under. */
export function keepText(layout: Layout, project: string, thread: string, now: Date): string | undefined {
  return keep(layout, join(layout.threads, project, `${thread}.md`), [project, thread], now);
}

/** Keeps a project's own file in the same way. Returns the path it is kept under. */
export function keepProject(layout: Layout, project: string, now: Date): string | undefined {
  const name = keep(layout, join(layout.projects, `${project}.json`), [project, OF_PROJECT], now);
  return name === undefined ? undefined : join(layout.kept, project, OF_PROJECT, name);
}

function keep(
  layout: Layout,
  source: string,
  [project, part]: readonly [project: string, part: string],
  now: Date,
): string | undefined {
  if (kindOf(source) === undefined) return undefined;
  const bytes = readBytes(source);
  if (bytes === undefined) return undefined;
  const folder = join(layout.kept, project, part);
  for (const each of [layout.kept, join(layout.kept, project), folder]) checkInside(layout, each);
  makeFolder(folder);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const names = keptNames(folder);
  const end = `-${digest}${extname(source)}`;
  const name = `${stampAfter(names, now)}${end}`;
  writeWhole(join(folder, name), bytes, layout.temporary);
  for (const older of names) if (older !== name && older.endsWith(end)) removeFile(join(folder, older));
  forgetOld(folder, now);
  return name;
}

/** Names of the kept versions, oldest first. */
function keptNames(folder: string): readonly string[] {
  const names = (listFolder(folder) ?? []).filter(({ kind }) => kind === "file").map(({ name }) => name);
  return names.filter((name) => /^\d{8}T\d{9}Z-[0-9a-f]{12}\.(?:md|json)$/.test(name));
}

function forgetOld(folder: string, now: Date): void {
  const oldest = stampName(new Date(now.getTime() - LONGEST_KEPT_MS));
  const names = keptNames(folder);
  for (const [index, name] of names.entries()) {
    if (index < names.length - MOST_KEPT || name < oldest) removeFile(join(folder, name));
  }
}

/** The instant as part of a file name that sorts behind all these, wherever the clock stands: what is new is never taken for old. */
export function stampAfter(names: readonly string[], now: Date): string {
  const stamp = stampName(now);
  const [last = ""] = names.at(-1)?.split(/[-.]/) ?? [];
  if (last < stamp) return stamp;
  const instant = Date.parse(last.replace(STAMP, "$1-$2-$3T$4:$5:$6.$7Z"));
  return Number.isNaN(instant) ? stamp : stampName(new Date(instant + 1));
}

/** An instant as part of a file name: `20261130T141046123Z`. */
function stampName(instant: Date): string {
  return instant.toISOString().replace(/[-:.]/g, "");
}
