import { parseThreadReference } from "../core/id.ts";
import { findThread, getThread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { type Author, readAuthor } from "./author.ts";
import { type ClientPlace, readClientSession, writePlace, writeSeen } from "./client_session.ts";
import { type Config, readConfig } from "./config.ts";
import { type Head, openGit } from "./git.ts";
import type { Active, Consent, Place, Scene, SceneRequest } from "./scene.ts";
import { openSeen, type Seen } from "./seen.ts";
import {
  describeMove,
  findMove,
  findProject,
  findProjectFault,
  findStart,
  getProject,
  goneThread,
  moveRefused,
  noRootError,
  pickProject,
} from "./start.ts";
import { openStore, type Project, type ProjectList } from "./store.ts";
import { findWorkspace, mayHold, noWorkspaceError, type Whereabouts } from "./workspace.ts";

/** How a session is started. */
export interface SessionOptions {
  readonly whereabouts: Whereabouts;
  readonly now: () => Date;
  /** the client's process id, when its hooks and its server are to agree; absent on the command line */
  readonly clientPid?: number | undefined;
  /** where the session stands before its first call, instead of what the client's hook has settled */
  readonly start?: ClientPlace | "new" | undefined;
  /** asks the person through the client */
  readonly confirm?: ((question: string) => Promise<Consent>) | undefined;
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
  /** numbers a call when it arrives: those that arrived before a refusal was answered are refused as well */
  hear(): number;
  /** begins the call of a number */
  take(call: number): void;
  /** makes a thread the active one of this session and where new ones start, in memory and on disk */
  activate(project: Project, thread: string, head: Head | undefined): Active;
  /** remembers where the client stands at its first write, unless a switch or its hook has done that */
  settle(): void;
  /** makes a thread active for this session alone, where nothing can be written */
  keepActive(project: Project, thread: string, head: Head | undefined): void;
  author(config: Config): Promise<Author>;
  /** the id of the project that commands without one are about, if it can be told */
  activeProject(projects: readonly Project[], config: Config): string | undefined;
  /** the workspace's folder, the first time something is created in this session; then `undefined` */
  nameWorkspace(): string | undefined;
  /** what this session's model has read */
  readonly seen: Seen;
  /** asks the person, where the client can: `unasked` where it can't */
  confirm(question: string): Promise<Consent>;
  /** the client is gone: what its conversation has seen is kept for when it is resumed */
  leave(): void;
  /** a changed set of client roots: the workspace is looked for again */
  relocate(clientRoots: readonly string[]): void;
}

/** Opens a session; nothing is read before the first call. */
export function openSession(options: SessionOptions): Session {
  let whereabouts = options.whereabouts;
  let place: Place | undefined;
  let active: Active | undefined = options.start === "new" ? undefined : options.start;
  let hookAt: string | undefined;
  let freshAt: string | undefined;
  let refused: string | undefined;
  let heard = 0;
  let turn = 1;
  let refusedUpTo = 0;
  let isNamed = false;
  let isSettled = false;
  let isConfigFaultTold = false;

  const findPlace = (): Place => {
    const workspace = place?.workspace.isPresent === true ? place.workspace : findWorkspace(whereabouts);
    if (workspace === undefined) throw noWorkspaceError(options.clientPid !== undefined);
    const { root } = workspace;
    const store = place?.workspace.root === root ? place.store : openStore(root, options.now);
    place = { workspace, store, git: openGit(root) };
    return place;
  };

  const remember = ({ store }: Place, next: Active): void => {
    active = next;
    refused = undefined;
    if (options.clientPid !== undefined) writePlace(store.layout, options.clientPid, next);
  };

  const follow = (here: Place, next: Active): void => {
    try {
      remember(here, next);
    } catch (error) {
      if (!(error instanceof ThreadMindError)) throw error;
    }
  };

  /** A hook of this client has settled where it stands, and shown that to its model: this session goes there too. */
  const hearHook = ({ store }: Place): void => {
    if (options.clientPid === undefined || options.start !== undefined) return;
    const told = readClientSession(store.layout, options.clientPid);
    if (told?.hookAt === undefined || told.hookAt === hookAt) return;
    if (told.freshAt !== freshAt) seen.forget();
    ({ hookAt, freshAt } = told);
    if (told.place !== undefined) active = told.place;
    refused = undefined;
  };

  const seen = openSeen((key) =>
    options.clientPid === undefined || options.start !== undefined
      ? undefined
      : readClientSession(findPlace().store.layout, options.clientPid)?.seen.get(key),
  );

  const view = (): View => {
    const here = findPlace();
    hearHook(here);
    return { ...here, list: here.store.readProjects(), config: readConfig(here.store.layout) };
  };

  const wanted = (config: Config): string | undefined => options.project ?? active?.project ?? config.activeProjectId;

  /** Said once a session to its model: until something is written, the broken file stays where it is. */
  const tellConfigFault = ({ fault }: Config, { writing, quiet }: SceneRequest): string[] => {
    if (fault === undefined || writing !== undefined || (isConfigFaultTold && quiet !== true)) return [];
    if (quiet !== true) isConfigFaultTold = true;
    return [`⚠ ${fault} It counts as empty, and the next switch sets it aside.`];
  };

  const findActive = async (here: View, request: SceneRequest): Promise<Omit<Scene, "thread">> => {
    const { config, list } = here;
    const mayWrite = options.clientPid !== undefined || request.writing !== undefined;
    const project =
      options.project === undefined
        ? await pickProject(list, wanted(config), here, mayWrite)
        : getProject(list, options.project);
    const base = await readProject(here, project);
    const { tree, head } = base;
    const branch = head?.branch;
    const notices = tellConfigFault(config, request);
    if (active === undefined) {
      const start = findStart(tree, project, config, branch);
      if (start !== undefined) active = { project: project.id, thread: start.id, branch };
      return { ...base, active: start, notices };
    }
    const move = findMove(tree, project, config, branch, active);
    if (request.quiet === true) {
      const moved = move === undefined ? [] : [describeMove(move, project, active)];
      const found = move === undefined ? tree.threads.get(active.thread) : move.thread;
      return { ...base, active: found, notices: [...notices, ...moved] };
    }
    if (move === undefined) {
      refused = undefined;
      if (branch !== undefined && branch !== active.branch) active = { ...active, branch };
      return { ...base, active: tree.threads.get(active.thread), notices };
    }
    const key = `${project.id}/${move.thread?.id} ${branch}`;
    if (request.writing !== undefined && request.threadId === undefined && (refused !== key || turn <= refusedUpTo)) {
      if (refused !== key) refusedUpTo = heard;
      refused = key;
      throw moveRefused(request, move, project, active);
    }
    if (request.writing !== undefined && request.threadId !== undefined)
      return { ...base, active: move.thread, notices: [] };
    const moved = describeMove(move, project, active);
    if (move.thread === undefined) active = undefined;
    else follow(here, { project: project.id, thread: move.thread.id, branch });
    return { ...base, active: move.thread, notices: [...notices, moved] };
  };

  return {
    now: options.now,
    isCommandLine: options.clientPid === undefined,
    place: findPlace,
    async scene(request) {
      const typed = request.threadId ?? options.thread;
      const reference = typed === undefined ? undefined : parseThreadReference(typed);
      const here = view();
      if (reference?.project !== undefined) {
        const other = getProject(here.list, reference.project);
        if (findProject(here.list.projects, wanted(here.config))?.id !== other.id) {
          const base = await readProject(here, other);
          const root = request.mayBeGone === true ? base.tree.threads.get(base.tree.rootId) : undefined;
          const named =
            findThread(base.tree, reference.thread) ??
            root ??
            (request.mayBeGone === true ? goneThread(base) : getThread(base.tree, reference.thread));
          return { ...base, active: undefined, thread: named, notices: [] };
        }
      }
      const scene = await findActive(here, { ...request, threadId: typed });
      const named = reference === undefined ? undefined : findThread(scene.tree, reference.thread);
      const isGone = reference !== undefined && named === undefined;
      const thread =
        isGone && request.mayBeGone !== true ? getThread(scene.tree, reference.thread) : (named ?? scene.active);
      if (thread === undefined && request.mayBeGone !== true) throw noRootError(scene);
      return { ...scene, thread: thread ?? goneThread(scene) };
    },
    hear: () => ++heard,
    take(call) {
      turn = call;
    },
    activate(project, thread, head) {
      const next: Active = { project: project.id, thread, branch: head?.branch };
      remember(findPlace(), next);
      return next;
    },
    settle() {
      if (isSettled || options.clientPid === undefined || active === undefined) return;
      isSettled = true;
      const here = findPlace();
      if (readClientSession(here.store.layout, options.clientPid)?.place === undefined) follow(here, active);
    },
    keepActive(project, thread, head) {
      active = { project: project.id, thread, branch: head?.branch };
    },
    activeProject(projects, config) {
      const { store } = findPlace();
      hearHook(findPlace());
      const isDamaged = findProjectFault(store.readProjects(), wanted(config), store.layout) !== undefined;
      return isDamaged ? undefined : findProject(projects, wanted(config))?.id;
    },
    nameWorkspace() {
      if (isNamed) return undefined;
      isNamed = true;
      return findPlace().workspace.root;
    },
    seen,
    confirm: (question) => options.confirm?.(question) ?? Promise.resolve("unasked"),
    author(config) {
      const { git, workspace } = findPlace();
      return readAuthor(git, workspace.root, config);
    },
    leave() {
      if (options.clientPid === undefined || place?.workspace.isPresent !== true) return;
      try {
        hearHook(place);
        writeSeen(place.store.layout, options.clientPid, seen.list());
      } catch (error) {
        if (!(error instanceof ThreadMindError)) throw error;
      }
    },
    relocate(clientRoots) {
      whereabouts = { ...whereabouts, clientRoots };
      if (place === undefined || findWorkspace(whereabouts)?.root === place.workspace.root) return;
      place = undefined;
      active = undefined;
      hookAt = undefined;
      isNamed = false;
      isSettled = false;
      isConfigFaultTold = false;
    },
  };
}

/** A workspace with what is read of it at each call. */
interface View extends Place {
  readonly list: ProjectList;
  readonly config: Config;
}

async function readProject(
  { list, ...here }: View,
  project: Project,
): Promise<Omit<Scene, "thread" | "active" | "notices">> {
  const [{ tree, faults }, head] = await Promise.all([here.store.readThreads(project), here.git?.head()]);
  return { ...here, project, tree, faults: [...list.faults, ...faults], head };
}

/** True if a first write here would make a new `.threadmind/` in a folder that may hold one. */
export function mayCreate({ workspace }: Place): boolean {
  return workspace.isPresent || mayHold(workspace.root);
}
