import { basename, join } from "node:path";
import { type Finding, findingOf } from "../core/finding.ts";
import { projectIdOfFile, threadIdOfFile } from "../core/id.ts";
import { countOf } from "../core/tokens.ts";
import { findWaysBack } from "./bring_back.ts";
import { kindOf, listFolder } from "./files.ts";
import { type Layout, shownPath } from "./layout.ts";
import type { Place } from "./scene.ts";
import type { Project } from "./store.ts";

/** A folder of threads without a project, where there is one project without a folder: it was renamed. */
export interface Renamed {
  readonly folder: string;
  readonly project: string;
  readonly remedy: string;
}

const MARKDOWN = /\.(?:md|markdown|mdown|mkdn?|md\.txt)$/i;
const JSON_NAME = /\.json$/i;
const DEEPEST = 8;
const MOST_LISTED = 200;

/** Folders of threads whose project's own file is missing: nothing shows their threads. */
function listVanished(layout: Layout): readonly { readonly id: string; readonly threads: number }[] {
  const files = new Set((listFolder(layout.projects) ?? []).map(({ name }) => name));
  return (listFolder(layout.threads) ?? []).flatMap(({ name: id, kind }) => {
    if (kind !== "folder" || projectIdOfFile(id) === undefined || files.has(`${id}.json`)) return [];
    const threads = (listFolder(join(layout.threads, id)) ?? []).filter(
      ({ name }) => name.endsWith(".md") && threadIdOfFile(name.slice(0, -".md".length)) !== undefined,
    );
    return threads.length === 0 ? [] : [{ id, threads: threads.length }];
  });
}

/** Whether a project's folder of threads was renamed without its file. */
export function findRenamed(layout: Layout, projects: readonly Project[]): Renamed | undefined {
  const [vanished, another] = listVanished(layout);
  const [project, second] = projects.filter(({ id }) => kindOf(join(layout.threads, id)) === undefined);
  if (vanished === undefined || project === undefined || another !== undefined || second !== undefined)
    return undefined;
  const folder = shownPath(layout, layout.threads);
  const remedy = `Rename the folder ${folder}/${vanished.id} back to ${project.id}`;
  return { folder: vanished.id, project: project.id, remedy };
}

/** Says what to do about each project whose threads are there without its own file. */
export async function inspectVanished(place: Place, renamed: Renamed | undefined): Promise<readonly Finding[]> {
  const { layout } = place.store;
  const found = listVanished(layout);
  const fileOf = (id: string): string => shownPath(layout, join(layout.projects, `${id}.json`));
  const ways = await findWaysBack(
    place,
    found.map(({ id }) => fileOf(id)),
  );
  return found.map(({ id, threads }) => {
    const file = fileOf(id);
    const message = `The project ${id} has ${countOf(threads, "thread")}, but its own file is missing, so none of them is shown.`;
    const anew = `Write it by hand: {"title": ${JSON.stringify(id)}} is enough`;
    const left = renamed?.folder === id ? renamed.remedy : anew;
    return findingOf({ file }, "missing-project", "error", message, ways.get(file) ?? left);
  });
}

/** Files that look like threads or projects and lie, or are named, where nothing reads them. */
export function inspectMisplaced(layout: Layout): readonly Finding[] {
  const folders = (listFolder(layout.threads) ?? []).filter(({ name }) => !name.startsWith("."));
  const homeless = folders.filter(({ name, kind }) => kind !== "folder" && MARKDOWN.test(name));
  return [
    ...findMisplaced(layout, layout.projects, ".json", JSON_NAME),
    ...homeless.map(({ name }) =>
      misplaced(
        layout,
        join(layout.threads, name),
        "It is in no project's folder",
        "Move it into the folder of its project",
      ),
    ),
    ...folders
      .filter(({ kind }) => kind === "folder")
      .flatMap(({ name }) => findMisplaced(layout, join(layout.threads, name), ".md", MARKDOWN)),
  ].slice(0, MOST_LISTED);
}

function findMisplaced(layout: Layout, folder: string, extension: string, looks: RegExp): readonly Finding[] {
  return (listFolder(folder) ?? []).flatMap(({ name, kind }) => {
    // One of the right name that is no file is a fault of whoever reads the folder.
    if (name.startsWith(".") || name.endsWith(extension)) return [];
    const path = join(folder, name);
    const isFolder = kind === "folder";
    const found = isFolder ? listDeep(path, looks) : looks.test(name) ? [path] : [];
    return found.map((each) => {
      const wanted = join(folder, `${basename(each).replace(looks, "")}${extension}`);
      const isTaken = kindOf(wanted) !== undefined && wanted.toLowerCase() !== each.toLowerCase();
      const aside = isTaken ? ", under another name: that one is taken" : "";
      const why = isFolder ? "It is in a subfolder" : `Its name doesn't end in ${extension}`;
      return misplaced(
        layout,
        each,
        why,
        `${isFolder ? "Move it up, to" : "Rename it to"} ${shownPath(layout, wanted)}${aside}`,
      );
    });
  });
}

function misplaced(layout: Layout, path: string, why: string, remedy: string): Finding {
  const file = shownPath(layout, path);
  return findingOf({ file }, "misplaced-file", "warning", `${why}, so nothing reads it.`, remedy);
}

/** The files of such a name in a folder and below. */
function listDeep(folder: string, looks: RegExp, depth = 1): readonly string[] {
  if (depth > DEEPEST) return [];
  return (listFolder(folder) ?? []).flatMap(({ name, kind }) => {
    const path = join(folder, name);
    if (name.startsWith(".")) return [];
    if (kind === "folder") return listDeep(path, looks, depth + 1);
    return looks.test(name) ? [path] : [];
  });
}
