import { type Finding, type FindingCode, findingOf } from "../core/finding.ts";
import { forShell } from "../core/next_step.ts";
import { usablePaths } from "../core/paths.ts";
import { findSecret } from "../core/secrets.ts";
import { countOf, estimateTokens } from "../core/tokens.ts";
import { type Fault, isOpen, type Thread, type Tree } from "../core/tree.ts";
import { describeUnwatched } from "../core/unwatched.ts";
import { findWaysBack, settleWaysBack } from "./bring_back.ts";
import { prefixOf } from "./fingerprint.ts";
import { inspectBranches } from "./inspect_branches.ts";
import { findRenamed, inspectMisplaced, inspectVanished, type Renamed } from "./inspect_layout.ts";
import { inspectState } from "./inspect_state.ts";
import type { Place } from "./scene.ts";
import type { Project } from "./store.ts";
import { findUnwatched } from "./watched.ts";
import { DATA_FOLDER, isPresent } from "./workspace.ts";

/** A project with what was found in its files. */
export interface Inspected {
  readonly project: Project;
  readonly tree: Tree;
}

/** All projects of a workspace with what is wrong in them. */
export interface Inspection {
  readonly projects: readonly Inspected[];
  readonly findings: readonly Finding[];
}

/** A summary that fills a session's start alone: clients show no more of a hook's answer. */
const LONGEST_BODY = 9000;

const KINDS: Readonly<Record<Fault["kind"], readonly [FindingCode, Finding["severity"]]>> = {
  unreadable: ["unreadable-file", "error"],
  conflict: ["merge-conflict", "error"],
  identity: ["wrong-id", "error"],
  detail: ["file-detail", "warning"],
};

/** Reads every project and thread of a workspace, and says what is wrong with their files, parents, texts, paths and branches. */
export async function inspectProjects(place: Place): Promise<Inspection> {
  const { projects, faults } = place.store.readProjects();
  const inspected: Inspected[] = [];
  const { layout } = place.store;
  const renamed = findRenamed(layout, projects);
  const findings: Finding[] = faults.map(ofFault);
  for (const project of projects) {
    const { tree, faults: found } = await place.store.readThreads(project);
    inspected.push({ project, tree });
    findings.push(...found.map(ofFault), ...inspectTree(project, tree, renamed), ...inspectTexts(project, tree));
    findings.push(...(await inspectParents(place, project, tree)), ...(await inspectPaths(place, tree)));
  }
  findings.push(...inspectMisplaced(layout), ...(await inspectVanished(place, renamed)));
  findings.push(...(await inspectUnmerged(place, findings)));
  findings.push(...(await inspectState(place)));
  findings.push(...(await inspectBranches(place.git, inspected)));
  return { projects: inspected, findings: await settleWaysBack(place, findings) };
}

function ofFault({ kind, file, line, message, hint }: Fault): Finding {
  const [code, severity] = KINDS[kind];
  return { code, severity, file, line, message, remedy: forShell(hint) };
}

const THREAD_FILE = /^threads\/[^/]+\/[^/]+\.md$/;

/** What git left unmerged though no marker shows it: a side that deleted the file, or a merge driver that failed. */
async function inspectUnmerged({ git, workspace }: Place, known: readonly Finding[]): Promise<readonly Finding[]> {
  if (git === undefined) return [];
  const prefix = prefixOf(git, workspace.root);
  const shown = new Set(known.flatMap(({ code, file }) => (code === "merge-conflict" ? [file] : [])));
  return ((await git.unmerged(`${prefix}${DATA_FOLDER}`)) ?? []).flatMap(({ path, ours, theirs }): Finding[] => {
    const file = path.slice(prefix.length);
    if (shown.has(file)) return [];
    const isDeleted = ours === undefined || theirs === undefined;
    const message = `git left it unmerged: ${isDeleted ? "one side has it, the other doesn't" : "it may hold one side's text alone"}.`;
    const isThread = THREAD_FILE.test(file.slice(DATA_FOLDER.length + 1));
    const remedy = isThread
      ? "threadmind resolve, or git add it once it is settled"
      : "Settle it by hand, then git add it";
    return [findingOf({ file }, "merge-conflict", "error", message, remedy)];
  });
}

function inspectTree(project: Project, tree: Tree, renamed: Renamed | undefined): Finding[] {
  const findings: Finding[] = [];
  const root = tree.threads.get(tree.rootId);
  if (root === undefined) {
    const file = `.threadmind/threads/${project.id}/${tree.rootId}.md`;
    const message = `The root thread of ${project.id} is missing, so new sessions have no place to start.`;
    const back = `Bring an earlier text back, if there is one: threadmind restore ${project.id}/${tree.rootId}`;
    const remedy = renamed?.project === project.id ? renamed.remedy : back;
    findings.push(findingOf({ file }, "missing-root", "error", message, remedy));
  }
  for (const thread of tree.threads.values()) {
    if (thread.fault !== undefined) continue;
    const { id, parentId } = thread;
    if (parentId === null && id !== tree.rootId)
      findings.push(
        findingOf(
          thread,
          "second-root",
          "note",
          `It has no parent, and ${tree.rootId} is the root.`,
          `threadmind rebase ${id} ${tree.rootId}`,
        ),
      );
  }
  return [...findings, ...findLoops(tree)];
}

/** Threads whose parent is missing; it is to be restored only where it has a text. */
async function inspectParents(place: Place, { id: project }: Project, tree: Tree): Promise<Finding[]> {
  const fileOf = (parent: string): string => `${DATA_FOLDER}/threads/${project}/${parent}.md`;
  const orphans = [...tree.threads.values()].flatMap((thread) => {
    const { parentId, fault } = thread;
    const isOrphan = fault === undefined && typeof parentId === "string" && tree.parentOf(thread) === undefined;
    return isOrphan ? [{ thread, parentId }] : [];
  });
  const ways = await findWaysBack(
    place,
    orphans.map(({ parentId }) => fileOf(parentId)),
  );
  return orphans.map(({ thread, parentId }) => {
    const message = `Its parent ${parentId} is missing, so it inherits nothing.`;
    const way = ways.get(fileOf(parentId));
    const remedy = `threadmind rebase ${thread.id} ${tree.rootId}${way === undefined ? "" : `, or ${way}`}`;
    return findingOf(thread, "missing-parent", "error", message, remedy);
  });
}

/** Each loop of parents once, with all who are in it. */
function findLoops(tree: Tree): Finding[] {
  const done = new Set<string>();
  const findings: Finding[] = [];
  for (const start of tree.threads.values()) {
    const way: Thread[] = [];
    let thread: Thread | undefined = start;
    while (thread !== undefined && !done.has(thread.id) && !way.includes(thread)) {
      way.push(thread);
      thread = tree.parentOf(thread);
    }
    if (thread !== undefined && way.includes(thread)) {
      const loop = way.slice(way.indexOf(thread)).map(({ id }) => id);
      const names = [...loop, loop[0]].join(" → ");
      const message = `Its parents form a loop: ${names}. None of them has a context.`;
      findings.push(
        findingOf(thread, "parent-loop", "error", message, `threadmind rebase ${thread.id} ${tree.rootId}`),
      );
    }
    for (const { id } of way) done.add(id);
  }
  return findings;
}

function inspectTexts(project: Project, tree: Tree): Finding[] {
  const findings: Finding[] = [];
  const file = `.threadmind/projects/${project.id}.json`;
  const inContext = findSecret(project.systemContext);
  if (inContext !== undefined) findings.push(secretIn(file, undefined, inContext.kind));
  for (const thread of tree.threads.values()) {
    if (thread.fault !== undefined) continue;
    const secret = findSecret(thread.body);
    if (secret !== undefined) findings.push(secretIn(thread.file, secret.line, secret.kind));
    if (thread.body.length > LONGEST_BODY && isOpen(thread)) {
      const tokens = countOf(estimateTokens(thread.body.length), "token");
      const message = `Its summary has ~${tokens}, more than a session's start shows, and is cut there.`;
      findings.push(
        findingOf(thread, "long-summary", "warning", message, "Shorten it, or move parts into child threads"),
      );
    }
  }
  return findings;
}

function secretIn(file: string, line: number | undefined, kind: string): Finding {
  const message = `It holds ${kind}${line === undefined ? "" : ` (line ${line} of its text)`}: whoever can read the repository has it.`;
  return { code: "secret", severity: "error", file, line: undefined, message, remedy: "Revoke it, then take it out" };
}

async function inspectPaths({ git, workspace: { root } }: Place, tree: Tree): Promise<Finding[]> {
  const threads = [...tree.threads.values()].filter((thread) => thread.fault === undefined && isOpen(thread));
  const described = threads.map((thread) => ({ thread, paths: usablePaths(thread.paths) }));
  const unwatched = await findUnwatched(git, root, [...new Set(described.flatMap(({ paths }) => paths))]);
  return described.flatMap(({ thread, paths }) => {
    const missing = paths.filter((path) => !isPresent(root, path));
    const absent = `${missing.join(", ")} ${missing.length === 1 ? "doesn't" : "don't"} exist in the workspace, so nothing is checked there.`;
    const messages = [
      ...(missing.length === 0 ? [] : [absent]),
      ...unwatched.filter(({ path }) => paths.includes(path)).map(describeUnwatched),
    ];
    const remedy = `threadmind update ${thread.id} --paths PATH`;
    return messages.map((message) => findingOf(thread, "unknown-path", "warning", message, remedy));
  });
}
