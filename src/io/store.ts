import { join } from "node:path";
import * as v from "valibot";
import { findConflict } from "../core/conflict.ts";
import { type ProjectId, projectIdOfFile, type ThreadId, threadIdOfFile } from "../core/id.ts";
import { parseObject } from "../core/json_file.ts";
import { parseThreadFile, type ThreadFile } from "../core/thread_file.ts";
import { buildTree, type Fault, type Thread, type Tree } from "../core/tree.ts";
import { UNREADABLE_HINT } from "../core/way_back.ts";
import { ThreadMindError } from "../errors.ts";
import { kindOf, listFolder, makeFolder, readText, removeFile, stampOf, writeWhole } from "./files.ts";
import { listFiles } from "./folder_files.ts";
import { recordDeletion } from "./kept.ts";
import {
  checkInside,
  holdsProjects,
  type Layout,
  layoutOf,
  prepare,
  prepareLocal,
  removeLeftovers,
  shownPath,
} from "./layout.ts";
import { keepProject, keepText } from "./local.ts";
import { withLock } from "./lock.ts";
import { LEAST_CACHED, openThreadCache, type ThreadCache } from "./thread_cache.ts";
import { hintFor, readSafely, readThread, threadOf, twinFaults } from "./thread_reading.ts";

/** A project's settings as its file tells them. */
export interface Project {
  readonly id: ProjectId;
  readonly title: string;
  readonly systemContext: string;
  readonly mode: "solo" | "team";
  readonly rootThreadId: string;
}

/** The projects of a workspace, and the files among them that can't be used. */
export interface ProjectList {
  readonly projects: readonly Project[];
  readonly faults: readonly Fault[];
}

/** A project's threads, and what a person should mend in their files. */
export interface ThreadList {
  readonly tree: Tree;
  readonly faults: readonly Fault[];
}

/** The files of one workspace. Reading never writes. */
export interface Store {
  readonly layout: Layout;
  readProjects(): ProjectList;
  /** all names that a new project's id must differ from: of project files, and of thread folders that outlived theirs */
  takenProjectNames(): readonly string[];
  readThreads(project: Project): Promise<ThreadList>;
  /** a thread's file, parsed for an edit; throws for one that can't be read or has merge conflicts */
  readThreadFile(project: ProjectId, id: ThreadId): Promise<ThreadFile>;
  /** the text of a project's file; throws for one that is gone or can't be read */
  readProjectSource(id: ProjectId): string;
  /** runs an action that writes, alone among all processes */
  change<T>(action: (writer: Writer) => Promise<T>, waitMs?: number): Promise<T>;
}

/** What may be done while the workspace's lock is held. */
export interface Writer {
  /** writes a thread's file; what it replaces is kept first */
  putThread(project: ProjectId, id: ThreadId, source: string): void;
  /** removes threads' files as one deletion; their texts are kept first */
  removeThreads(project: ProjectId, ids: readonly ThreadId[]): void;
  /** writes a project's file; what it replaces is kept first, under the path that is returned */
  putProject(id: ProjectId, source: string): string | undefined;
  putConfig(source: string): void;
}

const ProjectSchema = v.object({
  title: v.optional(v.string()),
  systemContext: v.optional(v.string(), ""),
  mode: v.optional(v.picklist(["solo", "team"]), "solo"),
  rootThreadId: v.optional(v.string(), "main"),
  id: v.optional(v.string()),
});

/** Opens the files of the workspace at `root`, which may not exist yet. */
export function openStore(root: string, now: () => Date): Store {
  const layout = layoutOf(root);
  const cache = openThreadCache(layout);
  return {
    layout,
    readProjects: () => readProjects(layout),
    takenProjectNames: () => takenProjectNames(layout),
    readThreads: (project) => readThreads(layout, project, cache),
    readThreadFile: (project, id) => readThreadFile(layout, project, id),
    readProjectSource: (id) => readProjectSource(layout, id),
    async change(action, waitMs) {
      // Where the branch has no project, git's rules would only stand in the way of the branch that has one.
      if (holdsProjects(layout)) prepare(layout);
      else prepareLocal(layout, layout.temporary);
      const cleanly = (): ReturnType<typeof action> => {
        for (const folder of [layout.temporary, layout.local]) removeLeftovers(folder);
        return action(openWriter(layout, now));
      };
      return withLock(layout.lock, cleanly, waitMs);
    },
  };
}

function openWriter(layout: Layout, now: () => Date): Writer {
  return {
    putThread(project, id, source) {
      if (!holdsProjects(layout)) prepare(layout);
      const folder = join(layout.threads, project);
      checkInside(layout, layout.threads);
      checkInside(layout, folder);
      const path = join(folder, `${id}.md`);
      checkInside(layout, path);
      checkPlain(layout, path);
      const old = readText(path);
      if (old !== undefined && "text" in old && old.text === source) return;
      keepText(layout, project, id, now());
      makeFolder(folder);
      if (stampOf(folder)?.device !== stampOf(layout.temporary)?.device) removeLeftovers(folder);
      writeWhole(path, source, layout.temporary);
    },
    removeThreads(project, ids) {
      const folder = join(layout.threads, project);
      checkInside(layout, folder);
      const threads = ids.flatMap((id) => {
        const kept = keepText(layout, project, id, now());
        return kept === undefined ? [] : [{ id, kept }];
      });
      recordDeletion(layout, project, threads, now());
      for (const id of ids) removeFile(join(folder, `${id}.md`));
    },
    putProject(id, source) {
      if (!holdsProjects(layout)) prepare(layout);
      checkInside(layout, layout.projects);
      makeFolder(layout.projects);
      const path = join(layout.projects, `${id}.json`);
      checkInside(layout, path);
      checkPlain(layout, path);
      const kept = keepProject(layout, id, now());
      writeWhole(path, source, layout.temporary);
      return kept === undefined ? undefined : shownPath(layout, kept);
    },
    putConfig(source) {
      checkInside(layout, layout.config);
      writeWhole(layout.config, source, layout.temporary);
    },
  };
}

/** Refuses to put a file in the place of a folder, a device or a pipe. */
function checkPlain(layout: Layout, path: string): void {
  const kind = kindOf(path);
  if (kind === undefined || kind === "file" || kind === "link") return;
  throw new ThreadMindError(
    "storage",
    `Cannot write ${shownPath(layout, path)}: it is no file.`,
    "Move it away first.",
  );
}

function takenProjectNames(layout: Layout): readonly string[] {
  const folders = (listFolder(layout.threads) ?? []).map(({ name }) => name);
  const files = (listFolder(layout.projects) ?? []).map(({ name }) => name.replace(/\.json$/, ""));
  return [...folders, ...files];
}

function readProjects(layout: Layout): ProjectList {
  checkInside(layout, layout.data);
  const projects: Project[] = [];
  const { files, strangers: faults } = listFiles(layout, layout.projects, ".json");
  for (const { name } of files) {
    const file = shownPath(layout, join(layout.projects, name));
    const id = projectIdOfFile(name.slice(0, -".json".length));
    const outcome = id === undefined ? badName(file, "project") : readProject(layout, id, file);
    if ("message" in outcome) faults.push(outcome);
    else projects.push(outcome.project);
    if ("fault" in outcome && outcome.fault !== undefined) faults.push(outcome.fault);
  }
  return { projects, faults };
}

function readProjectSource(layout: Layout, id: ProjectId): string {
  const path = join(layout.projects, `${id}.json`);
  const read = readSafely(layout, path);
  if ("text" in read) return read.text;
  throw new ThreadMindError(
    "malformed-file",
    `Cannot change the project ${id}: ${shownPath(layout, path)} ${read.fault}.`,
    hintFor(UNREADABLE_HINT, shownPath(layout, path), path),
  );
}

function badName(file: string, kind: string): Fault {
  return {
    kind: "unreadable",
    file,
    line: undefined,
    message: `Its name can't be a ${kind}'s id.`,
    hint: "Rename the file.",
  };
}

function readProject(
  layout: Layout,
  id: ProjectId,
  file: string,
): Fault | { project: Project; fault: Fault | undefined } {
  const fault = (message: string, line?: number, kind: Fault["kind"] = "unreadable"): Fault => ({
    kind,
    file,
    line,
    message,
    hint: hintFor(UNREADABLE_HINT, file, join(layout.root, file)),
  });
  const text = readSafely(layout, join(layout.projects, `${id}.json`));
  if ("fault" in text) return fault(`It ${text.fault}.`);
  if (text.text.trim() === "") return fault("It is empty.");
  const parsed = parseObject(text.text);
  if ("message" in parsed) {
    const line = findConflict(text.text);
    if (line === undefined) return fault(parsed.message, parsed.line);
    const hint = "Settle it by hand, then git add it.";
    return { kind: "conflict", file, line, message: "It has merge conflicts.", hint };
  }
  const result = v.safeParse(ProjectSchema, Object.fromEntries(parsed.members));
  if (!result.success) return fault(`${v.getDotPath(result.issues[0]) ?? "It"}: ${result.issues[0].message}.`);
  const { title, systemContext, mode, rootThreadId, id: inner } = result.output;
  const project: Project = { id, title: title?.trim() ? title : id, systemContext, mode, rootThreadId };
  const differs = inner !== undefined && inner !== id;
  return {
    project,
    fault: differs ? fault("Its id is not its file name; the file name counts.", undefined, "identity") : undefined,
  };
}

async function readThreads(layout: Layout, project: Project, cache: ThreadCache): Promise<ThreadList> {
  checkInside(layout, layout.threads);
  const folder = join(layout.threads, project.id);
  const threads: Thread[] = [];
  const { files, strangers: faults } = listFiles(layout, folder, ".md");
  const isMany = files.length >= LEAST_CACHED;
  const shownFolder = shownPath(layout, folder);
  for (const { name, path, stamp: found } of files) {
    const file = `${shownFolder}/${name}`;
    const id = threadIdOfFile(name.slice(0, -".md".length));
    if (id === undefined) {
      faults.push(badName(file, "thread"));
      continue;
    }
    const stamp = isMany ? found : undefined;
    const known = stamp === undefined ? undefined : cache.find(project.id, id, path, file, stamp);
    if (known !== undefined) {
      threads.push(known);
      continue;
    }
    const { thread, faults: own, isPlain } = await readThread(layout, path, id, file);
    if (stamp !== undefined && isPlain && own.length === 0) cache.add(project.id, thread, stamp);
    threads.push(thread);
    faults.push(...own);
  }
  if (isMany) cache.close(project.id, new Set(threads.map(({ id }) => id)));
  const tree = buildTree(threads, project.rootThreadId);
  return { tree, faults: [...faults, ...twinFaults(threads)] };
}

async function readThreadFile(layout: Layout, project: ProjectId, id: ThreadId): Promise<ThreadFile> {
  const path = join(layout.threads, project, `${id}.md`);
  const file = shownPath(layout, path);
  const read = readSafely(layout, path);
  const parsed =
    "fault" in read
      ? { line: 1, message: `It ${read.fault}.`, hint: UNREADABLE_HINT }
      : await parseThreadFile(read.text);
  if ("message" in parsed) throw malformed(id, file, parsed.line, parsed.message, hintFor(parsed.hint, file, path));
  const { fields } = parsed;
  if (fields.id !== undefined && fields.id !== id) {
    throw malformed(id, file, undefined, "Its id is not its file name.", `Set id: to ${id}, or rename the file.`);
  }
  const line = threadOf(id, file, parsed).conflictLine;
  if (line === undefined) return parsed;
  const message = `Cannot write to the thread ${id}: ${file} has merge conflicts (line ${line}).`;
  throw new ThreadMindError(
    "merge-conflict",
    message,
    "Run threadmind resolve, or settle it in the file, and call again.",
  );
}

function malformed(id: string, file: string, line: number | undefined, message: string, hint: string): ThreadMindError {
  const at = line === undefined ? file : `${file}:${line}`;
  return new ThreadMindError("malformed-file", `Cannot use the thread ${id}: ${at}: ${message}`, hint);
}

/** The error for a thread whose file can't be read. */
export function faultError(thread: Thread): ThreadMindError {
  const { fault, id, file } = thread;
  return malformed(id, file, fault?.line, fault?.message ?? "It can't be read.", fault?.hint ?? "");
}
