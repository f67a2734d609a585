import process from "node:process";
import { checkProjectId, findNearest, idKey, parseThreadReference, quote } from "../core/id.ts";
import { type Fault, getThread, type Thread, type Tree } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { type Author, readAuthor } from "./author.ts";
import { writeClientSession } from "./client_session.ts";
import { type Config, readConfig } from "./config.ts";
import { type Git, type Head, openGit } from "./git.ts";
import { findMove, findStart, type Move } from "./start.ts";
import { openStore, type Project, type ProjectList, type Store } from "./store.ts";
import { findWorkspace, mayHold, noWorkspaceError, type Whereabouts, type Workspace } from "./workspace.ts";

/** How a session is started. */
export interface SessionOptions {
  readonly whereabouts: Whereabouts;
  readonly now: () => Date;
  /** the client's process id, when its hooks and its server are to agree; absent on the command line */
  readonly clientPid?: number | undefined;
  /** `--project` and `--thread` of the command line */
  readonly project?: string | undefined;
  readonly thread?: string | undefined;
}

/** One client conversation, or one command of the command line. */
export interface Session {
  readonly now: () => Date;
  /** true when running sessions outlive this command, so that it only sets where new ones start */
  readonly isCommandLine: boolean;
  /** the workspace's files and git; throws `no-workspace` */
  place(): Place;
  /** the active project and thread, after following a branch change; see `SceneRequest` */
  scene(request: SceneRequest): Promise<Scene>;
  /** makes a thread the active one of this session and where new ones start, in memory and on disk */
  activate(project: Project, thread: string, head: Head | undefined): Active;
  author(config: Config): Promise<Author>;
  /** the id of the project that commands without one are about, if it can be told */
  activeProject(projects: readonly Project[], config: Config): string | undefined;
  /** the workspace's folder, the first time something is created in this session; then `undefined` */
  nameWorkspace(): string | undefined;
  /** a changed set of client roots: the workspace is looked for again */
  relocate(clientRoots: readonly string[]): void;
}

/** A workspace that can be read, and once something is written, written to. */
export interface Place {
  readonly workspace: Workspace;
  readonly store: Store;
  readonly git: Git | undefined;
}

/** What the active thread is. */
export interface Active {
  readonly project: string;
  readonly thread: string;
  readonly branch: string | undefined;
}

/** What a command wants to know of the session. */
export interface SceneRequest {
  /** what a writing command is about to do ("update the summary"); a reading one leaves it out */
  readonly writing?: string | undefined;
  /** the thread named in the call; a writing call that names one isn't stopped by a branch change */
  readonly threadId?: string | undefined;
  /** the argument to name in the refusal, `threadId` unless given */
  readonly argument?: string | undefined;
}

/** A project as it is now, with the thread that the call is about. */
export interface Scene extends Place {
  readonly project: Project;
  readonly tree: Tree;
  readonly faults: readonly Fault[];
  readonly head: Head | undefined;
  readonly config: Config;
  /** the session's active thread, `undefined` when the call is about another project */
  readonly active: Thread | undefined;
  /** the thread named in the call, else the active one */
  readonly thread: Thread;
  /** one line to say that the session moved */
  readonly notice: string | undefined;
}

/** Opens a session; nothing is read before the first call. */
export function openSession(options: SessionOptions): Session {
  let whereabouts = options.whereabouts;
  let place: Place | undefined;
  let active: Active | undefined;
  let refused: string | undefined;
  let isNamed = false;

  const findPlace = (): Place => {
    if (place !== undefined && place.workspace.isPresent) return place;
    const workspace = findWorkspace(whereabouts);
    if (workspace === undefined) throw noWorkspaceError();
    place = { workspace, store: openStore(workspace.root, options.now), git: openGit(workspace.root) };
    return place;
  };

  const remember = (next: Active): void => {
    active = next;
    refused = undefined;
    if (options.clientPid !== undefined) writeClientSession(findPlace().store.layout, options.clientPid, next);
  };

  const follow = (next: Active): void => {
    try {
      remember(next);
    } catch (error) {
      if (!(error instanceof ThreadMindError)) throw error;
    }
  };

  const findActive = async (request: SceneRequest): Promise<Omit<Scene, "thread">> => {
    const here = findPlace();
    const list = here.store.readProjects();
    const config = readConfig(here.store.layout);
    const project = pickProject(list, options.project ?? active?.project ?? config.activeProjectId, here);
    const [{ tree, faults }, head] = await Promise.all([here.store.readThreads(project), here.git?.head()]);
    const base = { ...here, project, tree, faults: [...list.faults, ...faults], head, config };
    if (active === undefined || active.project !== project.id) {
      const start = findStart(tree, project, config, head?.branch);
      if (start !== undefined) active = { project: project.id, thread: start.id, branch: head?.branch };
      return { ...base, active: start, notice: undefined };
    }
    const move = findMove(tree, project, config, head?.branch, active);
    if (move === undefined) {
      if (head?.branch !== undefined && head.branch !== active.branch) active = { ...active, branch: head.branch };
      return { ...base, active: tree.threads.get(active.thread), notice: undefined };
    }
    const key = `${move.thread?.id} ${head?.branch}`;
    if (request.writing !== undefined && request.threadId === undefined && refused !== key) {
      refused = key;
      throw moveRefused(request, move, active.thread);
    }
    if (request.writing !== undefined && request.threadId !== undefined)
      return { ...base, active: move.thread, notice: undefined };
    const notice = `${move.reason}: the active thread is now ${move.thread?.id ?? "none"} (was ${active.thread}).`;
    if (move.thread === undefined) active = undefined;
    else follow({ project: project.id, thread: move.thread.id, branch: head?.branch });
    return { ...base, active: move.thread, notice };
  };

  return {
    now: options.now,
    isCommandLine: options.clientPid === undefined,
    place: findPlace,
    async scene(request) {
      const typed = request.threadId ?? options.thread;
      const reference = typed === undefined ? undefined : parseThreadReference(typed);
      if (reference?.project !== undefined) {
        const other = await sceneOf(findPlace(), reference.project);
        if (active?.project !== other.project.id && options.project === undefined) {
          return { ...other, active: undefined, thread: getThread(other.tree, reference.thread), notice: undefined };
        }
      }
      const scene = await findActive({ ...request, threadId: typed });
      const thread = reference === undefined ? scene.active : getThread(scene.tree, reference.thread);
      if (thread === undefined) throw noRootError(scene);
      return { ...scene, thread };
    },
    activate(project, thread, head) {
      const next: Active = { project: project.id, thread, branch: head?.branch };
      remember(next);
      return next;
    },
    activeProject(projects, config) {
      const wanted = options.project ?? active?.project ?? config.activeProjectId;
      const found = projects.find(({ id }) => wanted !== undefined && idKey(id) === idKey(wanted));
      return found?.id ?? (projects.length === 1 ? projects[0]?.id : undefined);
    },
    nameWorkspace() {
      if (isNamed) return undefined;
      isNamed = true;
      return findPlace().workspace.root;
    },
    author: (config) => readAuthor(findPlace().git, config),
    relocate(clientRoots) {
      const next = { ...whereabouts, clientRoots };
      const found = findWorkspace(next);
      whereabouts = next;
      if (place !== undefined && found?.root === place.workspace.root) return;
      place = undefined;
      active = undefined;
    },
  };
}

async function sceneOf(place: Place, typed: string): Promise<Omit<Scene, "thread" | "active" | "notice">> {
  const list = place.store.readProjects();
  const project = getProject(list, typed);
  const [{ tree, faults }, head] = await Promise.all([place.store.readThreads(project), place.git?.head()]);
  return { ...place, project, tree, faults: [...list.faults, ...faults], head, config: readConfig(place.store.layout) };
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

function pickProject(list: ProjectList, wanted: string | undefined, place: Place): Project {
  const { projects, faults } = list;
  const [only, ...others] = projects;
  if (wanted !== undefined && projects.some(({ id }) => idKey(id) === idKey(wanted))) return getProject(list, wanted);
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const ids = projects.map(({ id }) => id).join(", ");
    throw new ThreadMindError(
      "no-project",
      `Cannot tell which project is meant: none is active, and there are ${projects.length} (${ids}).`,
      "Choose one with project_switch (on the command line: threadmind project switch ID).",
    );
  }
  const [fault] = faults;
  if (fault !== undefined) {
    const at = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}`;
    throw new ThreadMindError("malformed-file", `Cannot use the only project: ${at}: ${fault.message}`, fault.hint);
  }
  throw new ThreadMindError(
    "no-project",
    `Cannot do this yet: ${place.workspace.root} has no ThreadMind project.`,
    "Create one with project_create (on the command line: threadmind project create TITLE).",
  );
}

function moveRefused(
  { writing = "write", argument = "threadId" }: SceneRequest,
  move: Move,
  was: string,
): ThreadMindError {
  const where =
    move.thread === undefined ? "there would be no active thread" : `the active thread would be ${move.thread.id}`;
  return new ThreadMindError(
    "branch-changed",
    `Cannot ${writing}: ${move.because}, so ${where} (was ${was}). Call again with ${argument}.`,
    "",
  );
}

function noRootError({ project, tree }: Pick<Scene, "project" | "tree">): ThreadMindError {
  return new ThreadMindError(
    "unknown-thread",
    `Cannot find the root thread of the project ${project.id}: .threadmind/threads/${project.id}/${tree.rootId}.md is missing.`,
    "Bring it back with git checkout, or name a thread with threadId.",
  );
}

/** True if a first write here would make a new `.threadmind/` in a folder that may hold one. */
export function mayCreate({ workspace }: Place): boolean {
  return workspace.isPresent || mayHold(workspace.root);
}

/** The process id that hooks and server of one client share. */
export function parentPid(): number {
  return process.ppid;
}
