import { type Plan, planContext, renderAlone, renderContext } from "../core/context.ts";
import { trimBlankLines } from "../core/lines.ts";
import { inheritedText } from "../core/summary.ts";
import { stripControls } from "../core/text_controls.ts";
import { countOf, estimateTokens } from "../core/tokens.ts";
import { chainOf, type Fault, type Thread, type Tree } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Config, ConfigChange } from "../io/config.ts";
import { changeConfig, readConfig } from "../io/config.ts";
import { openCountMemory } from "../io/count_memory.ts";
import { readStaleNotes, startListing } from "../io/freshness.ts";
import type { Scene } from "../io/scene.ts";
import type { Session } from "../io/session.ts";
import { findProject } from "../io/start.ts";
import { faultError, type Project, type Writer } from "../io/store.ts";

const MOST_DETAILS = 3;

/** An assembled context with what has to be said beside it. */
export interface ContextAnswer {
  readonly project: string;
  readonly thread: string;
  readonly context: string;
  /** with `alone`, the summary as it stands in the file, for scripts that write it again */
  readonly summary?: string;
  readonly tokens: number;
  readonly depth: number;
  readonly leftOut: readonly string[];
  readonly isCut: boolean;
  readonly notices: readonly string[];
}

/** The context of a scene's thread (§5 of the contract), or that thread's whole summary alone. */
export async function readContext(
  session: Session,
  scene: Scene,
  activeId: string | undefined,
  maxTokens: number | undefined,
  alone: boolean,
): Promise<ContextAnswer> {
  const { project, tree, thread, git, workspace } = scene;
  if (thread.fault !== undefined) throw faultError(thread);
  const chain = alone ? { threads: [thread], missingParent: undefined } : chainOf(tree, thread);
  const children = alone ? [] : chain.threads.flatMap(({ id }) => tree.children.get(id) ?? []);
  const listing = startListing(git, workspace.root, chain.threads.filter(isSound));
  const plan = planContext(chain, alone ? "" : project.systemContext, children);
  const subjects = plan.blocks.filter(({ mayBeStale }) => mayBeStale).map((block) => block.thread);
  const notes = await readStaleNotes(git, workspace.root, subjects, {
    listing,
    memory: openCountMemory(scene.store.layout),
  });
  const filling = { activeId, notes, maxTokens };
  const base = { project: project.id, thread: thread.id, notices: noticesOf(scene, chain.threads) };
  if (alone) {
    const text = renderAlone(thread, filling);
    noteShown(session, scene, plan, [], false);
    const figures = { tokens: estimateTokens(text.length), depth: 1, leftOut: [], isCut: false };
    const summary = thread.conflictLine === undefined ? { summary: trimBlankLines(thread.body) } : {};
    return { ...base, context: text, ...summary, ...figures };
  }
  const { text, ...figures } = renderContext(plan, filling);
  noteShown(session, scene, plan, figures.leftOut, figures.isCut);
  return { ...base, context: text, ...figures };
}

function isSound({ fault, conflictLine }: Thread): boolean {
  return fault === undefined && conflictLine === undefined;
}

/** Notes what the model has now read: the last thread whole unless it was cut, an ancestor whole only if nothing stayed with it. */
function noteShown(
  session: Session,
  { project }: Scene,
  { blocks }: Plan,
  leftOut: readonly string[],
  isCut: boolean,
): void {
  for (const { thread, mayBeStale, isLast } of blocks) {
    if (!isLast && leftOut.includes(thread.id)) continue;
    if (!mayBeStale && thread.body.trim() !== "") continue;
    const isWhole = isLast ? !isCut : inheritedText(thread.body).trim() === thread.body.trim();
    session.seen.note(`${project.id}/${thread.id}`, thread, isWhole);
  }
}

function noticesOf({ faults, notices, project }: Scene, chain: readonly Thread[]): string[] {
  const files = new Set(chain.map(({ file }) => file));
  const own = `.threadmind/projects/${project.id}.json`;
  const grave = faults.filter(({ kind, file }) => kind === "identity" && (files.has(file) || file === own));
  return [...notices, ...grave.map(renderFault)];
}

/** A text with what has to be said beside it: notices first, on lines of their own. */
export function withNotices(notices: readonly string[], text: string): string {
  return notices.length === 0 ? text : `${notices.join("\n")}\n\n${text}`;
}

/** A fault on one line: file, line, what is wrong, what to do. */
export function renderFault({ file, line, message, hint }: Fault): string {
  return stripControls(
    `⚠ ${line === undefined ? file : `${file}:${line}`}: ${message}${hint === "" ? "" : ` ${hint}`}`,
  );
}

/** Faults, each on its line; small ones beyond the first three are only counted. */
export function renderFaults(faults: readonly Fault[]): string[] {
  const grave = faults.filter(({ kind }) => kind !== "detail");
  const small = faults.filter(({ kind }) => kind === "detail");
  const more = small.length - MOST_DETAILS;
  const shown = more > 0 ? small.slice(0, MOST_DETAILS) : small;
  const rest = more > 0 ? [`⚠ ${countOf(more, "more small finding")} (threadmind tree --json lists them)`] : [];
  return [...grave, ...shown].map(renderFault).concat(rest);
}

/** Makes a thread the active one: where new sessions of this checkout start, by branch, and this session's own. */
export function recordActive(
  session: Session,
  scene: Pick<Scene, "store" | "head">,
  writer: Writer,
  project: Project,
  thread: string,
  authorId?: string,
): string[] {
  const branch = scene.head?.branch;
  const change: ConfigChange = {
    activeProjectId: project.id,
    activeThreadId: thread,
    ...(branch === undefined ? {} : { start: { project: project.id, branch, thread } }),
    ...(authorId === undefined ? {} : authorChange(readConfig(scene.store.layout), authorId)),
  };
  const aside = changeConfig(scene.store.layout, writer, change);
  session.activate(project, thread, scene.head);
  return aside === undefined ? [] : [aside];
}

/**
 * The same behind a change that is on disk already: where the active thread can't be recorded, only this session has it,
 * and the answer says so instead of denying the change.
 */
export function moveActive(...args: Parameters<typeof recordActive>): string[] {
  const [session, { head }, , project, thread] = args;
  try {
    return recordActive(...args);
  } catch (error) {
    if (!(error instanceof ThreadMindError) || error.code !== "storage") throw error;
    session.keepActive(project, thread, head);
    return [`${thread} is not recorded as the active thread: ${error.message}`];
  }
}

/**
 * The line of an answer whose call leads to another project than the one that calls without a project were about until
 * then: the same ids mean other threads from there on. To be asked before the move.
 */
export function tellCrossing(session: Session, { store, project, config }: Scene): string[] {
  const { projects } = store.readProjects();
  const before = session.isCommandLine
    ? findProject(projects, config.activeProjectId)?.id
    : session.activeProject(projects, config);
  if (before === undefined || before === project.id) return [];
  const who = session.isCommandLine ? "This checkout" : "This session";
  return [`${who} is now in the project ${project.id} (was ${before}).`];
}

function authorChange({ author, authors }: Config, id: string): ConfigChange {
  if (author === undefined) return { author: id };
  return author === id || authors.includes(id) ? {} : { authors: [...authors, id] };
}

/** A thread's id as the answer names it: with its project where the bare id would mean another one's. */
export function nameOf(session: Session, { project, active, config }: Scene, id: string): string {
  const elsewhere = config.activeProjectId !== undefined && config.activeProjectId !== project.id;
  return active === undefined || (session.isCommandLine && elsewhere) ? `${project.id}/${id}` : id;
}

/** True if no thread text has been written here yet. */
export function isBlank(thread: Thread): boolean {
  return thread.body.trim() === "";
}

/** The threads of a tree as plain data for `--json`. */
export function listThreads(tree: Tree): Record<string, unknown>[] {
  return [...tree.threads.values()].map((thread) => ({
    id: thread.id,
    title: thread.title,
    parentId: thread.parentId ?? null,
    status: thread.fault === undefined ? thread.status : "unreadable",
    author: thread.author,
    branch: thread.branch,
    mergedInto: thread.mergedInto,
    updatedAt: thread.updatedAt,
    paths: thread.paths,
    hasSummary: !isBlank(thread),
    hasConflicts: thread.conflictLine !== undefined,
  }));
}
