import { join } from "node:path";
import type { ThreadId } from "../core/id.ts";
import { compareTexts } from "../core/order.ts";
import type { EarlierText } from "../core/status_edit.ts";
import { parseThreadFile, type ThreadFile } from "../core/thread_file.ts";
import { readText } from "./files.ts";
import { inRepository, prefixOf } from "./fingerprint.ts";
import { listDeletions, listKept } from "./kept.ts";
import { shownPath } from "./layout.ts";
import type { Place } from "./scene.ts";
import type { Project } from "./store.ts";
import { statusOf } from "./thread_reading.ts";

/** One version of a thread's file, from git or kept. */
export interface StoredVersion {
  /** `current`, `git-<12 hex>` or `kept-<stamp>` */
  readonly revision: string;
  /** ISO 8601: when it was committed, or when it was replaced */
  readonly at: string;
  readonly by: string | undefined;
  readonly subject: string | undefined;
  readonly file: ThreadFile;
  /** true for the text at which a shallow clone ends: who wrote it, when, and what was there before isn't known */
  readonly isCutOff: boolean;
}

/** A thread that is gone: when and how, and what went with it. */
export interface Departure {
  readonly at: string;
  readonly by: string | undefined;
  readonly threads: readonly string[];
  /** reads the text of one of the threads as it was */
  read(thread: string): Promise<string | undefined>;
}

/** A thread's versions, newest first, each text once; the present file, if there is one, is the first. */
export async function readVersions(
  place: Place,
  project: Pick<Project, "id">,
  id: ThreadId,
): Promise<readonly StoredVersion[]> {
  const { layout } = place.store;
  const path = join(layout.threads, project.id, `${id}.md`);
  const candidates = [
    ...(await committedVersions(place, shownPath(layout, path))),
    ...listKept(layout, project.id, id).map(({ revision, at, path: kept }) => ({
      revision,
      at,
      by: undefined,
      subject: undefined,
      isCutOff: false,
      source: textOf(kept),
    })),
  ];
  const present = textOf(path);
  const all =
    present === undefined
      ? candidates
      : [
          { revision: "current", at: "", by: undefined, subject: undefined, isCutOff: false, source: present },
          ...candidates,
        ];
  const cutOff = new Set(all.filter(({ isCutOff }) => isCutOff).map(({ source }) => source));
  const seen = new Set<string>();
  const versions: StoredVersion[] = [];
  for (const { source, ...own } of all) {
    if (source === undefined || seen.has(source)) continue;
    seen.add(source);
    const rest = { ...own, isCutOff: cutOff.has(source) };
    const file = await parseThreadFile(source);
    if (!("message" in file)) versions.push({ ...rest, file });
  }
  return versions.sort((a, b) => Number(b.revision === "current") - Number(a.revision === "current") || byAge(a, b));
}

/** A thread's texts before the present one, newest first. */
export async function readEarlierTexts(
  place: Place,
  project: Pick<Project, "id">,
  id: ThreadId,
): Promise<readonly EarlierText[]> {
  const versions = await readVersions(place, project, id);
  return versions.filter(({ revision }) => revision !== "current").map(earlierTextOf);
}

/** A version's status and body. */
export function earlierTextOf({ file: { fields, body } }: StoredVersion): EarlierText {
  return { status: statusOf(fields.status), body };
}

/** Newest text first: by the date it carries, since it may have been kept or committed long after. */
function byAge(a: StoredVersion, b: StoredVersion): number {
  const [one, other] = [a, b].map(({ file, at }) => file.fields.updatedAt ?? at);
  return compareTexts(other ?? "", one ?? "") || compareTexts(b.at, a.at);
}

function textOf(path: string): string | undefined {
  const read = readText(path);
  return read !== undefined && "text" in read ? read.text : undefined;
}

async function committedVersions(
  { git, workspace }: Place,
  file: string,
): Promise<(Omit<StoredVersion, "file"> & { readonly source: string | undefined })[]> {
  if (git === undefined) return [];
  const path = inRepository(prefixOf(git, workspace.root), file);
  const commits = (await git.versions(path)) ?? [];
  const shallow = git.shallowCommits();
  const last = commits.map(({ id }) => id).filter((id) => shallow.has(id));
  const texts = (await git.texts([...commits.map(({ id }) => `${id}:${path}`), ...last])) ?? [];
  // git takes a clone's last commits for the first ones; a real first commit has no parent in its own text either.
  const cutOff = new Set(last.filter((_, index) => /^parent /m.test(headerOf(texts[commits.length + index]))));
  return commits.map(({ id, at, author, subject }, index) => {
    const isCutOff = cutOff.has(id);
    const origin = isCutOff ? { at: "", by: undefined, subject: undefined } : { at, by: author, subject };
    return { revision: `git-${id.slice(0, 12)}`, ...origin, isCutOff, source: texts[index] };
  });
}

/** The lines above a commit's message. */
function headerOf(commit = ""): string {
  return commit.split("\n\n", 1)[0] ?? "";
}

/** What was deleted from a project and isn't there now, newest first; each thread where it was deleted last. */
export async function readDepartures(place: Place, project: Project): Promise<readonly Departure[]> {
  const { layout } = place.store;
  const isGone = (id: string): boolean => readText(join(layout.threads, project.id, `${id}.md`)) === undefined;
  const all = [...ownDepartures(place, project), ...(await committedDepartures(place, project))];
  const listed = new Set<string>();
  return all
    .sort((a, b) => compareTexts(b.at, a.at))
    .flatMap((departure) => {
      const threads = departure.threads.filter((id) => isGone(id) && !listed.has(id));
      for (const id of threads) listed.add(id);
      return threads.length === 0 ? [] : [{ ...departure, threads }];
    });
}

/** The texts to bring a deleted thread back with, by id: all that the deletion of its newest text removed. */
export async function readDeparted(place: Place, project: Project, id: ThreadId): Promise<ReadonlyMap<string, string>> {
  const [newest] = await readVersions(place, project, id);
  if (newest === undefined) return new Map();
  for (const departure of [...ownDepartures(place, project), ...(await committedDepartures(place, project))]) {
    if (!departure.threads.includes(id) || (await departure.read(id)) !== newest.file.source) continue;
    const texts = await Promise.all(
      departure.threads.map(async (thread) => [thread, await departure.read(thread)] as const),
    );
    return new Map(texts.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
  return new Map([[id, newest.file.source]]);
}

function ownDepartures({ store: { layout } }: Place, project: Project): Departure[] {
  return listDeletions(layout, project.id).map(({ at, threads }) => ({
    at,
    by: undefined,
    threads: threads.map(({ id }) => id),
    read: async (thread) => {
      const kept = threads.find(({ id }) => id === thread)?.kept;
      return kept === undefined ? undefined : textOf(join(layout.kept, project.id, thread, kept));
    },
  }));
}

async function committedDepartures({ git, workspace, store }: Place, project: Project): Promise<Departure[]> {
  if (git === undefined) return [];
  const folder = inRepository(
    prefixOf(git, workspace.root),
    shownPath(store.layout, join(store.layout.threads, project.id)),
  );
  const commits = (await git.deletions(folder)) ?? [];
  return commits.map(({ id, at, author, files }) => {
    const paths = files.filter((file) => file.startsWith(`${folder}/`) && file.endsWith(".md"));
    const idOf = (path: string): string => path.slice(folder.length + 1, -".md".length);
    return {
      at,
      by: author,
      threads: paths.map(idOf),
      read: async (thread) => (await git.texts([`${id}^:${folder}/${thread}.md`]))?.[0],
    };
  });
}
