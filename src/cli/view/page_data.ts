import { basename } from "node:path";
import { renderFault, renderFaults } from "../../commands/scene.ts";
import { type MeasuredSession, measureSessions, renderMeasured } from "../../core/measured.ts";
import { forShell } from "../../core/next_step.ts";
import { statusReason } from "../../core/summary.ts";
import { stripControls } from "../../core/text_controls.ts";
import type { Fault, Thread, Tree } from "../../core/tree.ts";
import type { SessionRecord } from "../../io/session_record.ts";
import type { Project } from "../../io/store.ts";
import { type Contexts, planContexts } from "./contexts.ts";
import { type MarkdownNode, renderMarkdown } from "./markdown_nodes.ts";
import { outlineOf, type Row } from "./outline.ts";

/** A project as it is put into the page. */
export interface ProjectView {
  readonly project: Project;
  readonly tree: Tree;
  readonly faults: readonly Fault[];
  /** the session's active thread, which only the active project has */
  readonly activeId: string | undefined;
  /** lines that `threadmind context` says before the context of any thread */
  readonly notices: readonly string[];
  /** staleness notes by thread id */
  readonly notes: ReadonlyMap<string, string>;
}

/** All that the page shows. */
export interface PageInput {
  readonly folder: string;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly projects: readonly ProjectView[];
  /** which project is open first, and which thread of it */
  readonly projectId: string;
  readonly threadId: string | undefined;
  readonly sessions: readonly SessionRecord[];
}

/** The page's data: what its script reads. Texts are free of control characters and bidirectional overrides. */
export interface PageData {
  readonly folder: string;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly open: { readonly project: number; readonly thread: number };
  readonly projects: readonly ProjectData[];
  readonly measured: readonly string[];
  readonly sessions: readonly SessionData[];
}

interface SessionData extends MeasuredSession {
  readonly at: string | undefined;
}

interface ProjectData {
  readonly id: string;
  readonly title: string;
  readonly system: string;
  readonly systemTokens: number;
  readonly faults: readonly string[];
  /** lines that occur in contexts, each once */
  readonly lines: readonly string[];
  /** the threads in the tree's order */
  readonly threads: readonly ThreadData[];
}

interface ThreadData {
  readonly id: string;
  readonly title: string;
  readonly level: number;
  readonly status: string;
  readonly isActive: boolean | undefined;
  readonly reason: string | undefined;
  readonly why: string | undefined;
  readonly note: string | undefined;
  readonly problem: string | undefined;
  readonly isEmpty: boolean | undefined;
  readonly author: string | undefined;
  readonly branch: string | undefined;
  readonly created: string | undefined;
  readonly updated: string | undefined;
  readonly commit: string | undefined;
  readonly paths: readonly string[] | undefined;
  readonly mergedInto: string | undefined;
  readonly file: string;
  readonly head: string;
  readonly lastHead: string | undefined;
  readonly text: string;
  /** the text that descendants get: absent for none, `true` for the whole text */
  readonly inherited: string | true | undefined;
  readonly tokens: number;
  readonly inheritedTokens: number | undefined;
  readonly nodes: readonly MarkdownNode[] | undefined;
  readonly context: ContextData;
}

/** A context by indexes: of threads, root first, and of lines. */
type ContextData =
  | {
      readonly ancestors: readonly number[];
      readonly footer: readonly number[];
      readonly notices: readonly number[];
      readonly tokens: number;
    }
  | { readonly error: string };

/** The page's data; the same for the same input. */
export function pageDataOf(input: PageInput): PageData {
  const { folder, branch, commit, projects, sessions } = input;
  const all = projects.map(projectDataOf);
  const index = Math.max(
    0,
    projects.findIndex(({ project }) => project.id === input.projectId),
  );
  const open = projects[index];
  const threadId = input.threadId ?? open?.activeId ?? open?.tree.rootId;
  const thread = all[index]?.threads.findIndex(({ id }) => id === threadId) ?? -1;
  const measured = sessions.filter(({ size, context }) => size !== undefined || context !== undefined);
  return {
    folder: stripControls(basename(folder)),
    branch: branch === undefined ? undefined : stripControls(branch),
    commit,
    open: { project: index, thread: Math.max(0, thread) },
    projects: all,
    measured: renderMeasured(measureSessions(sessions)),
    sessions: measured.map(({ client, context, size, peak, at, startedAt }) => ({
      client: oneLine(client),
      ...{ context, size, peak, at: oneLine(at ?? startedAt) },
    })),
  };
}

function oneLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : stripControls(text);
}

function projectDataOf(view: ProjectView): ProjectData {
  const { project, tree, faults, activeId, notes } = view;
  const contexts = planContexts(tree, project.systemContext, activeId, notes);
  const rows = outlineOf(tree);
  const places = new Map(rows.map(({ thread }, index) => [thread, index]));
  const lines = new Map<string, number>();
  const lineOf = (line: string): number => {
    const known = lines.get(line);
    if (known === undefined) lines.set(line, lines.size);
    return known ?? lines.size - 1;
  };
  const threads = rows.map((row) => threadDataOf(row, view, contexts, contextDataOf(row, view, contexts)));
  return {
    ...{ id: project.id, title: stripControls(project.title) },
    ...{ system: contexts.systemContext, systemTokens: contexts.systemTokens },
    faults: renderFaults(faults).map(forShell),
    threads,
    lines: [...lines.keys()],
  };

  function contextDataOf({ thread }: Row, { notices }: ProjectView, { recipes }: Contexts): ContextData {
    const recipe = recipes.get(thread) ?? { error: "" };
    if ("error" in recipe) return recipe;
    return {
      ancestors: recipe.ancestors.map((ancestor) => places.get(ancestor) ?? 0),
      footer: recipe.footer.map(lineOf),
      notices: [...notices, ...graveFaults(view, thread)].map(lineOf),
      tokens: recipe.tokens,
    };
  }
}

/** The faults that `threadmind context` names before a context: those of the chain's files and of the project's own. */
function graveFaults({ tree, faults, project }: ProjectView, thread: Thread): readonly string[] {
  const grave = faults.filter(({ kind }) => kind === "identity");
  if (grave.length === 0) return [];
  const files = new Set([`.threadmind/projects/${project.id}.json`]);
  for (let next: Thread | undefined = thread; next !== undefined && !files.has(next.file); next = tree.parentOf(next))
    files.add(next.file);
  return grave.filter(({ file }) => files.has(file)).map((fault) => forShell(renderFault(fault)));
}

function threadDataOf(
  { thread, level, reason }: Row,
  { activeId, notes }: ProjectView,
  { parts }: Contexts,
  context: ContextData,
): ThreadData {
  const part = parts.get(thread);
  const { head = "", lastHead = "", text = "", inherited, tokens = 0, inheritedTokens = 0 } = part ?? {};
  const { fault, conflictLine, status, body } = thread;
  const isShown = fault === undefined && conflictLine === undefined;
  const isEmpty = isShown && body.trim() === "";
  const why = isShown && status !== "open" ? statusReason(body) : undefined;
  const note = isShown && !isEmpty ? notes.get(thread.id) : undefined;
  return {
    ...{ id: stripControls(thread.id), title: stripControls(thread.title).trim() || stripControls(thread.id), level },
    status: fault === undefined ? status : "unreadable",
    isActive: thread.id === activeId || undefined,
    reason,
    why: oneLine(why?.reason || undefined),
    note: oneLine(note?.replace(/^_|_$/g, "")),
    problem: isShown ? undefined : problemOf(thread),
    isEmpty: isEmpty || undefined,
    ...{ author: oneLine(thread.author), branch: oneLine(thread.branch) },
    ...{ created: oneLine(thread.createdAt), updated: oneLine(thread.updatedAt), commit: oneLine(thread.commit) },
    paths: thread.paths.length === 0 ? undefined : thread.paths.map(stripControls),
    ...{ mergedInto: oneLine(thread.mergedInto), file: stripControls(thread.file) },
    ...{ head, lastHead: lastHead === head ? undefined : lastHead, text },
    inherited: inherited === text ? true : inherited,
    ...{ tokens, inheritedTokens: inherited === undefined || inherited === text ? undefined : inheritedTokens },
    nodes: isShown && !isEmpty ? renderMarkdown(text) : undefined,
    context,
  };
}

function problemOf({ fault, conflictLine }: Thread): string {
  if (fault !== undefined) return forShell(renderFault(fault)).replace(/^⚠ /, "");
  return `Merge conflicts in this file (line ${conflictLine}): run threadmind resolve.`;
}
