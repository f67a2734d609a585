import { basename, join } from "node:path";
import type { Finding } from "../core/finding.ts";
import { projectIdOfFile, threadIdOfFile } from "../core/id.ts";
import { parseObject } from "../core/json_file.ts";
import { forShell } from "../core/next_step.ts";
import { asideFirst, checkoutLine, hasWayBack, restoreStep, threadOfFile, withWayBack } from "../core/way_back.ts";
import { kindOf } from "./files.ts";
import { inRepository, prefixOf } from "./fingerprint.ts";
import type { Place } from "./scene.ts";
import { asideName } from "./thread_reading.ts";
import { readVersions } from "./versions.ts";

/** Each costs processes. */
const MOST_ASKED = 8;

/** Findings whose way to an earlier text is one that leads there, and none where there is no earlier text. */
export async function settleWaysBack(place: Place, findings: readonly Finding[]): Promise<readonly Finding[]> {
  const ways = await findWaysBack(
    place,
    findings.flatMap(({ file, remedy }) => (file !== undefined && hasWayBack(remedy) ? [file] : [])),
  );
  return findings.map((finding) => {
    const { file, remedy } = finding;
    if (file === undefined || !hasWayBack(remedy) || !ways.has(file)) return finding;
    return { ...finding, remedy: withWayBack(remedy, ways.get(file)) };
  });
}

/**
 * What to type to get an earlier text of each file of a thread or project, `undefined` where there is none; what stands
 * in the file is set aside first. Of many files it knows only the first ones.
 */
export async function findWaysBack(
  place: Place,
  files: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const ways = new Map<string, string | undefined>();
  for (const file of [...new Set(files)].slice(0, MOST_ASKED)) {
    const way = await findWay(place, file);
    const path = join(place.workspace.root, file);
    const isThere = kindOf(path) !== undefined;
    ways.set(file, way !== undefined && isThere ? asideFirst(basename(asideName(path)), way) : way);
  }
  return ways;
}

/** What brings the file back once it isn't there; `undefined` without a text that can be read. */
async function findWay(place: Place, file: string): Promise<string | undefined> {
  const named = threadOfFile(file);
  if (named === undefined) return findCommitted(place, file);
  const [project, thread] = [projectIdOfFile(named.project), threadIdOfFile(named.thread)];
  if (project === undefined || thread === undefined) return undefined;
  const versions = await readVersions(place, { id: project }, thread);
  const isKnown = versions.some(({ revision }) => revision !== "current");
  return isKnown ? forShell(restoreStep(project, thread)) : undefined;
}

async function findCommitted({ git, workspace }: Place, file: string): Promise<string | undefined> {
  if (git === undefined) return undefined;
  const path = inRepository(prefixOf(git, workspace.root), file);
  const [text] = (await git.texts([`HEAD:${path}`])) ?? [];
  const isSound = text !== undefined && !text.includes("\ufffd") && !("message" in parseObject(text));
  return isSound ? checkoutLine(path) : undefined;
}
