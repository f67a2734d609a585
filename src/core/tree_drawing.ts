import { idKey, slugFor, slugOf } from "./id.ts";
import { stripControls } from "./text_controls.ts";
import { countOf, groupDigits } from "./tokens.ts";
import { findLoop, type Thread, type Tree } from "./tree.ts";

/** What a drawing shows and marks. */
export interface DrawingOptions {
  readonly activeId: string | undefined;
  readonly showAuthors: boolean;
  /** only this thread and what is below it */
  readonly under?: Thread | undefined;
  /** show every finished subtree, however large the tree is */
  readonly all?: boolean | undefined;
}

const MOST_LINES = 200;
const DEEPEST_LEVEL = 50;
const SHORTEST_CUT_SLUG = 40;

interface Drawing {
  readonly tree: Tree;
  readonly options: DrawingOptions;
  /** threads that stay when finished subtrees are folded; `undefined` when nothing is folded */
  readonly unfolded: ReadonlySet<Thread> | undefined;
  readonly drawn: Set<Thread>;
  readonly lines: string[];
}

/**
 * The tree as text; threads that hang on nothing follow the root's tree, each with the reason. Without `all`, finished
 * subtrees fold into their count once there are more than 200 lines; what is deeper than 50 levels always does.
 */
export function drawTree(tree: Tree, options: DrawingOptions): string {
  const { under } = options;
  const size = under === undefined ? tree.threads.size : subtreeOf(tree, under, new Set()).length;
  const folds = options.all !== true && size > MOST_LINES;
  const unfolded = folds ? findUnfolded(tree, options.activeId) : undefined;
  const drawing: Drawing = { tree, options, unfolded, drawn: new Set(), lines: [] };
  for (const thread of under === undefined ? topsOf(tree) : [under]) drawTop(drawing, thread);
  if (under !== undefined) return drawing.lines.join("\n");
  for (const thread of tree.threads.values()) {
    if (!drawing.drawn.has(thread)) drawTop(drawing, findLoop(tree, thread)[0] ?? thread);
  }
  return drawing.lines.join("\n");
}

/** The threads without a parent: the root, then the others by id. */
function topsOf(tree: Tree): readonly Thread[] {
  const tops = [...tree.threads.values()].filter((thread) => tree.parentOf(thread) === undefined);
  const rank = ({ id }: Thread): number => Number(id !== tree.rootId);
  return tops.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** The open threads, the active one, and all that these hang on. */
function findUnfolded(tree: Tree, activeId: string | undefined): ReadonlySet<Thread> {
  const unfolded = new Set<Thread>();
  for (const thread of tree.threads.values()) {
    if (thread.status !== "open" && thread.id !== activeId) continue;
    let next: Thread | undefined = thread;
    for (; next !== undefined && !unfolded.has(next); next = tree.parentOf(next)) unfolded.add(next);
  }
  return unfolded;
}

/** A thread and all below it that `seen` doesn't hold; they are added there. */
function subtreeOf(tree: Tree, thread: Thread, seen: Set<Thread>): readonly Thread[] {
  const found: Thread[] = [];
  const waiting = [thread];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    found.push(next);
    for (const child of tree.children.get(next.id) ?? []) waiting.push(child);
  }
  return found;
}

function drawTop(drawing: Drawing, thread: Thread): void {
  const { tree, options, lines, drawn } = drawing;
  const reason = options.under === undefined ? reasonOnTop(tree, thread) : "";
  lines.push(label(tree, thread, options) + reason);
  drawn.add(thread);
  drawBelow(drawing, thread, "", 1);
}

function reasonOnTop(tree: Tree, thread: Thread): string {
  if (tree.parentOf(thread) !== undefined) return " ⚠ its parents form a loop";
  return thread.fault === undefined && typeof thread.parentId === "string"
    ? ` ⚠ parent ${stripControls(thread.parentId)} is missing`
    : "";
}

function drawBelow(drawing: Drawing, parent: Thread, indent: string, level: number): void {
  const { tree, options, unfolded, drawn, lines } = drawing;
  const children = (tree.children.get(parent.id) ?? []).filter((child) => !drawn.has(child));
  const isDeepest = level >= DEEPEST_LEVEL;
  const shown = isDeepest ? [] : children.filter((child) => unfolded?.has(child) ?? true);
  for (const child of shown) drawn.add(child);
  const hidden = children.filter((child) => !drawn.has(child)).flatMap((child) => subtreeOf(tree, child, drawn));
  for (const [index, child] of shown.entries()) {
    const isLast = index === shown.length - 1 && hidden.length === 0;
    lines.push(`${indent}${isLast ? "└── " : "├── "}${label(tree, child, options)}`);
    drawBelow(drawing, child, `${indent}${isLast ? "    " : "│   "}`, level + 1);
  }
  if (hidden.length === 0) return;
  const what = isDeepest ? tellDeeper(hidden, parent, options) : tellFinished(hidden);
  lines.push(`${indent}└── … ${what}`);
}

function tellFinished(hidden: readonly Thread[]): string {
  return `${groupDigits(hidden.length)} finished (all: true shows them)`;
}

function tellDeeper(hidden: readonly Thread[], parent: Thread, { activeId }: DrawingOptions): string {
  const active = hidden.find(({ id }) => id === activeId);
  const among = active === undefined ? "" : `, ${stripControls(active.id)} ← active among them`;
  return `${countOf(hidden.length, "thread")} deeper${among} (threadId: ${stripControls(parent.id)} shows them)`;
}

function label(tree: Tree, thread: Thread, { activeId, showAuthors }: DrawingOptions): string {
  const parts = [stripControls(thread.id)];
  if (thread.id !== tree.rootId && !tellsTitle(thread)) parts.push(`"${stripControls(thread.title)}"`);
  if (thread.branch !== undefined) parts.push(`[${stripControls(thread.branch)}]`);
  if (showAuthors && thread.author !== undefined) parts.push(`(${stripControls(thread.author)})`);
  if (thread.status !== "open") parts.push(tellStatus(thread));
  if (thread.fault !== undefined) parts.push("⚠ can't be read");
  if (thread.conflictLine !== undefined) parts.push(`⚠ merge conflicts (line ${thread.conflictLine})`);
  if (thread.id === activeId) parts.push("← active");
  return parts.join(" ");
}

function tellStatus({ status, mergedInto }: Thread): string {
  if (status === "abandoned") return "✗ abandoned";
  return mergedInto === undefined ? "✓ done" : `✓ merged into ${stripControls(mergedInto)}`;
}

/** True if the id is the title, or was made from it. */
function tellsTitle({ id, title }: Thread): boolean {
  if (idKey(title) === idKey(id)) return true;
  if (slugOf(title) === "") return false;
  const slug = slugFor(title, new Set());
  const unnumbered = id.replace(/-\d+$/, "");
  return slug === id || slug === unnumbered || (unnumbered.length >= SHORTEST_CUT_SLUG && slug.startsWith(unnumbered));
}
