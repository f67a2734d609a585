import { slugFor } from "./id.ts";
import { stripControls } from "./text_controls.ts";
import { groupDigits } from "./tokens.ts";
import type { Thread, Tree } from "./tree.ts";

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

/** The tree as text; threads that hang on nothing follow the root's tree, each with the reason. */
export function drawTree(tree: Tree, options: DrawingOptions): string {
  const seen = new Set<string>();
  const fold = options.all !== true && tree.threads.size > MOST_LINES;
  const lines: string[] = [];
  const drawTop = (thread: Thread, reason: string): void => {
    lines.push(label(thread, options) + reason);
    seen.add(thread.id);
    drawBelow(thread, "");
  };
  const drawBelow = (thread: Thread, indent: string): void => {
    const children = (tree.children.get(thread.id) ?? []).filter(({ id }) => !seen.has(id));
    const folded = fold ? children.filter((child) => isFoldable(tree, child, options.activeId)) : [];
    const shown = children.filter((child) => !folded.includes(child));
    for (const child of shown) seen.add(child.id);
    for (const [index, child] of shown.entries()) {
      const isLast = index === shown.length - 1 && folded.length === 0;
      lines.push(`${indent}${isLast ? "└── " : "├── "}${label(child, options)}`);
      drawBelow(child, `${indent}${isLast ? "    " : "│   "}`);
    }
    if (folded.length === 0) return;
    for (const child of folded) markSubtree(tree, child, seen);
    lines.push(`${indent}└── … ${groupDigits(folded.length)} finished (all: true shows them)`);
  };
  if (options.under !== undefined) {
    drawTop(options.under, "");
    return lines.join("\n");
  }
  for (const thread of tops(tree)) {
    const isOrphan = typeof thread.parentId === "string";
    drawTop(thread, isOrphan ? ` ⚠ parent ${stripControls(thread.parentId ?? "")} is missing` : "");
  }
  for (const thread of tree.threads.values()) {
    if (!seen.has(thread.id) && thread.fault === undefined) drawTop(thread, " ⚠ its parents form a loop");
  }
  return lines.join("\n");
}

function tops(tree: Tree): readonly Thread[] {
  const roots = [...tree.threads.values()].filter(
    (thread) => thread.fault === undefined && tree.parentOf(thread) === undefined,
  );
  return roots.sort((a, b) => Number(b.id === tree.rootId) - Number(a.id === tree.rootId) || (a.id < b.id ? -1 : 1));
}

function isFoldable(tree: Tree, thread: Thread, activeId: string | undefined): boolean {
  const waiting = [thread];
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.status === "open" || next.id === activeId || seen.has(next.id)) return false;
    seen.add(next.id);
    waiting.push(...(tree.children.get(next.id) ?? []));
  }
  return true;
}

function markSubtree(tree: Tree, thread: Thread, seen: Set<string>): void {
  const waiting = [thread];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    waiting.push(...(tree.children.get(next.id) ?? []));
  }
}

function label(thread: Thread, { activeId, showAuthors }: DrawingOptions): string {
  const parts = [stripControls(thread.id)];
  const isRoot = thread.parentId === null;
  const title = stripControls(thread.title);
  if (!isRoot && title !== thread.id && !thread.id.startsWith(slugFor(title, new Set()))) parts.push(`"${title}"`);
  if (thread.branch !== undefined) parts.push(`[${stripControls(thread.branch)}]`);
  if (showAuthors && thread.author !== undefined) parts.push(`(${stripControls(thread.author)})`);
  if (thread.mergedInto !== undefined) parts.push(`✓ merged into ${stripControls(thread.mergedInto)}`);
  else if (thread.status === "done") parts.push("✓ done");
  else if (thread.status === "abandoned") parts.push("✗ abandoned");
  if (thread.conflictLine !== undefined) parts.push(`⚠ merge conflicts (line ${thread.conflictLine})`);
  if (thread.id === activeId) parts.push("← active");
  return parts.join(" ");
}
