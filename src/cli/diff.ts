import { type DecisionChange, isAnyChanged, logDecisions, type ThreadChange } from "../core/decision_log.ts";
import { quote } from "../core/id.ts";
import { stripControls } from "../core/text_controls.ts";
import { ThreadMindError } from "../errors.ts";
import { type Git, openGit } from "../io/git.ts";
import { type CommittedProject, readRevision } from "../io/revision.ts";
import { findWorkspace, noWorkspaceError } from "../io/workspace.ts";
import { inertLines, withoutTildes } from "./inert_markdown.ts";
import { type GlobalOptions, usageError } from "./options.ts";

/** A change log as a value and as Markdown. */
export interface DiffOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface ProjectLog {
  readonly id: string;
  readonly title: string;
  readonly threads: readonly ThreadChange[];
}

const SHALLOW_HINT = "This is a shallow clone: fetch more history (fetch-depth: 0 in a workflow).";

/** The change log of decisions between two commits, as Markdown for a pull request. Throws `usage` for what is no range. */
export async function runDiff({ root, directory }: GlobalOptions, words: readonly string[]): Promise<DiffOutcome> {
  const [range, extra] = words;
  const unknown = words.find((word) => word.startsWith("-"));
  if (unknown !== undefined) throw usageError(`it has no option ${quote(unknown)}`, "diff");
  if (range === undefined) throw usageError("the range is missing", "diff");
  if (extra !== undefined) throw usageError(`${quote(extra)} is one argument too many`, "diff");
  const workspace = findWorkspace({ root, directory });
  if (workspace === undefined) throw noWorkspaceError();
  const git = openGit(workspace.root);
  if (git === undefined) {
    throw new ThreadMindError(
      "refused",
      "Cannot compare commits: this is no git repository, or git was not found.",
      "Run it in a clone.",
    );
  }
  const { base, head } = await parseRange(git, range);
  const [before, after] = await Promise.all([
    readRevision(git, workspace.root, base),
    readRevision(git, workspace.root, head),
  ]);
  if (before === undefined || after === undefined) {
    throw new ThreadMindError(
      "storage",
      `Cannot compare ${quote(range)}: git could not show the threads of both commits.`,
      git.isShallow ? SHALLOW_HINT : "Try again.",
    );
  }
  const projects = compare(before, after);
  const text =
    projects.length > 0 ? render(projects) : isSilent(before, after) ? "No thread changed." : "No decision changed.";
  return { value: { base, head, projects }, text };
}

/** `A..B`, `A...B` (from where they parted), `A` for `A..HEAD`. */
async function parseRange(git: Git, range: string): Promise<{ readonly base: string; readonly head: string }> {
  const [, from = "", dots = "", to = ""] = /^(.*?)(\.{2,3})(.*)$/.exec(range) ?? [undefined, range, "..", ""];
  const find = async (revision: string): Promise<string> => {
    const commit = await git.commitOf(revision === "" ? "HEAD" : revision);
    if (commit !== undefined) return commit;
    throw new ThreadMindError(
      "usage",
      `Cannot compare ${quote(range)}: git knows no commit ${quote(revision === "" ? "HEAD" : revision)}.`,
      git.isShallow ? SHALLOW_HINT : "Give two commits or branches, as in main..HEAD.",
    );
  };
  const [base, head] = [await find(from), await find(to)];
  if (dots !== "...") return { base, head };
  const parting = await git.mergeBase(base, head);
  if (parting !== undefined) return { base: parting, head };
  throw new ThreadMindError(
    "usage",
    `Cannot compare ${quote(range)}: git finds no commit that both have in common.`,
    git.isShallow ? SHALLOW_HINT : "Give two dots, as in main..HEAD, to compare the two as they are.",
  );
}

function compare(
  before: ReadonlyMap<string, CommittedProject>,
  after: ReadonlyMap<string, CommittedProject>,
): readonly ProjectLog[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id): ProjectLog[] => {
    const [old, now] = [before.get(id), after.get(id)];
    const threads = logDecisions(old?.threads ?? new Map(), now?.threads ?? new Map());
    return threads.length === 0 ? [] : [{ id, title: (now ?? old)?.title ?? id, threads }];
  });
}

/** Whether no thread is another one; a log may be empty because only a branch, paths or the layout changed. */
function isSilent(
  before: ReadonlyMap<string, CommittedProject>,
  after: ReadonlyMap<string, CommittedProject>,
): boolean {
  return [...new Set([...before.keys(), ...after.keys()])].every(
    (id) => !isAnyChanged(before.get(id)?.threads ?? new Map(), after.get(id)?.threads ?? new Map()),
  );
}

function render(projects: readonly ProjectLog[]): string {
  const lines: string[] = [];
  for (const { id, title, threads } of projects) {
    lines.push(`## Decisions: ${plain(title)}${projects.length > 1 ? ` (${code(id)})` : ""}`, "");
    for (const thread of threads) lines.push(...renderThread(thread), "");
  }
  return lines.join("\n").trimEnd();
}

const STATES = { open: "reopened", done: "done", abandoned: "abandoned" };

function renderThread(change: ThreadChange): string[] {
  const { id, title, kind, parent, branch, decisions, otherSections } = change;
  const facts = [
    ...(kind === "added" ? [`new${parent === null ? "" : `, below ${code(parent)}`}`] : []),
    ...(kind === "removed" ? ["deleted"] : []),
    ...(kind === "added" && branch !== undefined ? [`branch ${code(branch)}`] : []),
    ...(change.mergedInto !== undefined ? [`merged into ${code(change.mergedInto)}`] : []),
    ...(change.status !== undefined && change.mergedInto === undefined ? [STATES[change.status.to]] : []),
    ...(change.renamedFrom !== undefined ? [`was “${plain(change.renamedFrom)}”`] : []),
    ...(change.movedFrom !== undefined
      ? [
          `moved from ${change.movedFrom === null ? "the top" : code(change.movedFrom)} to ${parent === null ? "the top" : code(parent)}`,
        ]
      : []),
    ...(change.author !== undefined ? [`taken over: ${code(change.author.from)} → ${code(change.author.to)}`] : []),
  ];
  const reason = change.status?.reason;
  const body = [
    ...(reason === undefined
      ? []
      : [`> ${plain(reason)}`, ...(decisions.length + otherSections.length > 0 ? [""] : [])]),
    ...(change.isUnreadable ? ["_Its file can't be read, or has merge conflicts._"] : []),
    ...decisions.flatMap(renderDecision),
    ...(otherSections.length === 0 ? [] : [`- also changed: ${otherSections.join(", ")}`]),
  ];
  const heading = `### ${plain(title)} (${[code(id), ...facts].join(", ")})`;
  return body.length === 0 ? [heading] : [heading, "", ...body];
}

const MARKS = { added: "**+**", struck: "**−**", moved: "**→**" };

/** A decision as an item of the page: what it holds, hostile or not, stays within that item and heads nothing. */
function renderDecision(change: DecisionChange): string[] {
  const { kind, section, text } = change;
  const [first = "", ...rest] = inertLines(
    text
      .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, "")
      .split("\n")
      .map(stripControls),
  );
  const isBlock = /^(?:```|~~~|\||>)/.test(first);
  const isStruckThrough = kind === "struck" && !isBlock && rest.length === 0;
  const words = [
    ...(section === "Constraints" ? ["constraint"] : []),
    ...(kind === "struck" && !isStruckThrough ? ["struck"] : []),
  ];
  const head = [
    `- ${MARKS[kind]}`,
    ...(words.length > 0 ? [`${words.join(", ")}:`] : []),
    ...(isBlock ? [] : [isStruckThrough ? `~~${withoutTildes(first.trim())}~~` : first.trim()]),
    ...whereOf(change),
  ];
  return [
    head.filter((part) => part !== "").join(" "),
    ...(isBlock ? ["", first, ...rest] : rest).map((line) => (line.trim() === "" ? "" : `  ${line}`)),
  ];
}

function whereOf({ to, toSection }: DecisionChange): string[] {
  const as = toSection === undefined ? [] : [toSection === "Constraints" ? "a constraint" : "a decision"];
  const at = to === undefined ? [] : [`in ${code(to)}`];
  return as.length + at.length === 0 ? [] : [`(now ${[...as, ...at].join(" ")})`];
}

/** A title or reason on one line, in which Markdown has no say. */
function plain(text: string): string {
  return stripControls(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

function code(text: string): string {
  return `\`${stripControls(text).replaceAll("`", "'")}\``;
}
