import { join } from "node:path";
import type { ThreadId } from "../core/id.ts";
import { parseThreadFile, type ThreadFile } from "../core/thread_file.ts";
import { readText } from "./files.ts";
import { inRepository, prefixOf } from "./fingerprint.ts";
import { listDeletions, listKept } from "./kept.ts";
import { shownPath } from "./layout.ts";
import type { Place } from "./session.ts";
import type { Project } from "./store.ts";

/** One version of a thread's file, from git or kept. */
export interface StoredVersion {
  /** `current`, `git-<12 hex>` or `kept-<stamp>` */
  readonly revision: string;
  /** ISO 8601: when it was committed, or when it was replaced */
  readonly at: string;
  readonly by: string | undefined;
  readonly subject: string | undefined;
  readonly file: ThreadFile;
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
export async function readVersions(place: Place, project: Project, id: ThreadId): Promise<readonly StoredVersion[]> {
  const { layout } = place.store;
  const path = join(layout.threads, project.id, `${id}.md`);
  const candidates = [
    ...(await committedVersions(place, shownPath(layout, path))),
    ...listKept(layout, project.id, id).map(({ revision, at, path: kept }) => ({
      revision,
      at,
      by: undefined,
      subject: undefined,
      source: textOf(kept),
    })),
  ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const present = textOf(path);
  const all =
    present === undefined
      ? candidates
      : [{ revision: "current", at: "", by: undefined, subject: undefined, source: present }, ...candidates];
  const seen = new Set<string>();
  const versions: StoredVersion[] = [];
  for (const { source, ...rest } of all) {
    if (source === undefined || seen.has(source)) continue;
    seen.add(source);
    const file = await parseThreadFile(source);
    if (!("message" in file)) versions.push({ ...rest, file });
  }
  return versions;
}

function textOf(path: string): string | undefined {
  const read = readText(path);
  return read !== undefined && "text" in read ? read.text : undefined;
}

async function committedVersions(
  { git, workspace }: Place,
  file: string,
): Promise<{ revision: string; at: string; by: string; subject: string; source: string | undefined }[]> {
  if (git === undefined) return [];
  const path = inRepository(prefixOf(git, workspace.root), file);
  const commits = (await git.versions(path)) ?? [];
  const texts = (await git.texts(commits.map(({ id }) => `${id}:${path}`))) ?? [];
  return commits.map(({ id, at, author, subject }, index) => ({
    revision: `git-${id.slice(0, 12)}`,
    at,
    by: author,
    subject,
    source: texts[index],
  }));
}

/** What was deleted from a project and isn't there now, newest first: by ThreadMind, and in git's history. */
export async function readDepartures(place: Place, project: Project): Promise<readonly Departure[]> {
  const { layout } = place.store;
  const isGone = (id: string): boolean => readText(join(layout.threads, project.id, `${id}.md`)) === undefined;
  const own = listDeletions(layout, project.id).map(
    ({ at, threads }): Departure => ({
      at,
      by: undefined,
      threads: threads.map(({ id }) => id),
      read: async (thread) => {
        const kept = threads.find(({ id }) => id === thread)?.kept;
        return kept === undefined ? undefined : textOf(join(layout.kept, project.id, thread, kept));
      },
    }),
  );
  const committed = await committedDepartures(place, project);
  const known = new Set(own.flatMap(({ threads }) => threads));
  const others = committed.filter(({ threads }) => threads.some((id) => !known.has(id)));
  return [...own, ...others].filter(({ threads }) => threads.some(isGone)).sort((a, b) => (a.at < b.at ? 1 : -1));
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
