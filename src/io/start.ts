import { join } from "node:path";
import { checkProjectId, findNearest, idKey, quote, type ThreadId } from "../core/id.ts";
import { type Fault, isOpen, linkedBranch, nearestOpen, type Thread, type Tree, threadOfBranch } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Config } from "./config.ts";
import { noProjectError } from "./elsewhere.ts";
import { type Layout, shownPath } from "./layout.ts";
import type { Active, Place, Scene, SceneRequest } from "./scene.ts";
import type { Project, ProjectList } from "./store.ts";
import { damagedThread } from "./thread_reading.ts";

/** Where a new session starts: the first that exists, is open and isn't linked to another branch. */
export function findStart(
  tree: Tree,
  project: Project,
  config: Config,
  branch: string | undefined,
): Thread | undefined {
  const lastHere = branch === undefined ? undefined : config.starts.get(project.id)?.get(branch);
  const linked = branch === undefined ? undefined : threadOfBranch(tree, branch);
  const left = config.activeProjectId === project.id ? config.activeThreadId : undefined;
  const find = (id: string | undefined): Thread | undefined => (id === undefined ? undefined : tree.threads.get(id));
  const last = find(lastHere);
  const isLastMeant = last !== undefined && (linked === undefined || linkedBranch(tree, last) === branch);
  const root = find(tree.rootId);
  for (const candidate of [isLastMeant ? last : undefined, linked, find(left)]) {
    // Nobody can tell whether it is open, and another one in its place would get what is meant for it.
    if (candidate?.fault !== undefined) return candidate;
    const open = candidate === undefined ? undefined : nearestOpen(tree, candidate);
    if (open !== undefined && !isElsewhere(tree, open, branch)) return open;
  }
  const tops = [...tree.threads.values()].filter((thread) => isOpen(thread) && tree.parentOf(thread) === undefined);
  return root ?? tops.find(({ parentId }) => parentId === null) ?? tops[0];
}

function isElsewhere(tree: Tree, thread: Thread, branch: string | undefined): boolean {
  const link = linkedBranch(tree, thread);
  return branch !== undefined && link !== undefined && link !== branch;
}

/** Where a session goes, and why, as the middle of a sentence. */
export interface Move {
  readonly thread: Thread | undefined;
  readonly because: string;
}

/** Where a running session has to go: the branch changed to one with a linked open thread, or its thread is gone. */
export function findMove(
  tree: Tree,
  project: Project,
  config: Config,
  branch: string | undefined,
  active: Active,
): Move | undefined {
  const isSame = idKey(active.project) === idKey(project.id);
  const current = isSame ? tree.threads.get(active.thread) : undefined;
  if (current === undefined) {
    const gone = isSame ? `thread ${active.thread}` : `project ${active.project}`;
    return { thread: findStart(tree, project, config, branch), because: `the ${gone} is gone from this checkout` };
  }
  if (branch === undefined || branch === active.branch || linkedBranch(tree, current) === branch) return undefined;
  const thread = threadOfBranch(tree, branch);
  if (thread === undefined || thread.id === current.id) return undefined;
  return { thread, because: `the branch changed to ${branch}` };
}

/** What a move is called: `auth`, or `shop/auth` when it leads to another project. */
export function nameMove({ thread }: Move, project: Project, active: Active): string | undefined {
  if (thread === undefined || idKey(active.project) === idKey(project.id)) return thread?.id;
  return `${project.id}/${thread.id}`;
}

/** One line to say that a session moved. */
export function describeMove(move: Move, project: Project, active: Active): string {
  const reason = `${move.because.charAt(0).toUpperCase()}${move.because.slice(1)}`;
  return `${reason}: the active thread is now ${nameMove(move, project, active) ?? "none"} (was ${active.thread}).`;
}

/** The refusal of a write that would meet another thread than the last call did. */
export function moveRefused(
  { writing = "write", argument = "threadId" }: SceneRequest,
  move: Move,
  project: Project,
  active: Active,
): ThreadMindError {
  const name = nameMove(move, project, active);
  const where = name === undefined ? "there would be no active thread" : `the active thread would be ${name}`;
  return new ThreadMindError(
    "branch-changed",
    `Cannot ${writing}: ${move.because}, so ${where} (was ${active.thread}). Call again with ${argument}.`,
    "",
  );
}

/** The project that a session works in: the wanted one, else the only one. Throws when it can't be told, or not be read; `mayWrite` as for `noProjectError()`. */
export async function pickProject(
  list: ProjectList,
  wanted: string | undefined,
  place: Place,
  mayWrite = false,
): Promise<Project> {
  const { projects, faults } = list;
  const found = findProject(projects, wanted);
  const fault = findProjectFault(list, wanted, place.store.layout) ?? (projects.length === 0 ? faults[0] : undefined);
  if (fault !== undefined) {
    const at = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}`;
    throw new ThreadMindError("malformed-file", `Cannot use the project: ${at}: ${fault.message}`, fault.hint);
  }
  if (found !== undefined) return found;
  if (projects.length > 0) {
    const ids = projects.map(({ id }) => id).join(", ");
    throw new ThreadMindError(
      "no-project",
      `Cannot tell which project is meant: none is active, and there are ${projects.length} (${ids}).`,
      "Choose one with project_switch (on the command line: threadmind project switch ID).",
    );
  }
  throw await noProjectError(place, mayWrite);
}

/** What is wrong with the wanted project's own file, if it can't be read. */
export function findProjectFault(
  { faults }: ProjectList,
  wanted: string | undefined,
  layout: Layout,
): Fault | undefined {
  const file = shownPath(layout, join(layout.projects, `${wanted}.json`));
  return faults.find((fault) => fault.kind === "unreadable" && fault.file === file);
}

/** The wanted project, else the only one. */
export function findProject(projects: readonly Project[], wanted: string | undefined): Project | undefined {
  const found = wanted === undefined ? undefined : projects.find(({ id }) => idKey(id) === idKey(wanted));
  return found ?? (projects.length === 1 ? projects[0] : undefined);
}

/** What stands for the active thread where there is none: the root, of which only the id is known. */
export function goneThread({ tree, project }: Pick<Scene, "project" | "tree">): Thread {
  const file = `.threadmind/threads/${project.id}/${tree.rootId}.md`;
  const fault: Fault = { kind: "unreadable", file, line: undefined, message: "It is missing.", hint: "" };
  return damagedThread(tree.rootId as ThreadId, file, fault);
}

/** The error for a project without a thread to begin at. */
export function noRootError({ project, tree }: Pick<Scene, "project" | "tree">): ThreadMindError {
  return new ThreadMindError(
    "unknown-thread",
    `Cannot find the root thread of the project ${project.id}: .threadmind/threads/${project.id}/${tree.rootId}.md is missing.`,
    `Bring it back: thread_restore ${tree.rootId} (on the command line: threadmind restore ${tree.rootId}).`,
  );
}

/** The project that was typed. Throws `unknown-project` with the nearest ids. */
export function getProject({ projects }: ProjectList, typed: string): Project {
  checkProjectId(typed);
  const match = projects.find(({ id }) => id === typed) ?? projects.find(({ id }) => idKey(id) === idKey(typed));
  if (match !== undefined) return match;
  const ids = projects.map(({ id }) => id);
  const nearest = findNearest(typed, ids);
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.join(", ")}?`
      : ids.length > 0
        ? `The projects are: ${ids.slice(0, 20).join(", ")}.`
        : "Create one with project_create (on the command line: threadmind project create TITLE).";
  throw new ThreadMindError(
    "unknown-project",
    `Cannot find the project ${quote(typed)}: there is no such project.`,
    hint,
  );
}
