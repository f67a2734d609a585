import { type Block, DEEPEST, type Inner, parseBlocks } from "../../core/markdown.ts";
import { type Inline, parseInline } from "./inline.ts";
import { type Alignment, findTable } from "./table.ts";

/** A block of a Markdown text as the page draws it: an element's name and what is in it, or inline content. */
export type MarkdownNode =
  | Inline
  | readonly ["h", number, ...Inline[]]
  | readonly ["p" | "quote" | "li" | "ul", ...MarkdownNode[]]
  | readonly ["ol", number, ...MarkdownNode[]]
  | readonly ["pre" | "html", string]
  | readonly ["table", readonly (Alignment | null)[], ...(readonly (readonly Inline[])[])[]]
  | readonly ["hr"];

const LONGEST_TEXT = 100_000;
const MOST_NODES = 4000;
const ITEM_NUMBER = /^\s*(\d{1,9})[.)]/;
const TASK = /^\[([ xX])\](?=\s)/;

/**
 * A summary's text as nodes without raw HTML; `undefined` for one so long, or of so many parts, that it is shown as it is
 * written.
 */
export function renderMarkdown(text: string): readonly MarkdownNode[] | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  const count = { nodes: 0 };
  const nodes = renderBlocks(text, 0, count);
  return count.nodes > MOST_NODES ? undefined : nodes;
}

interface Count {
  nodes: number;
}

function renderBlocks(source: string, depth: number, count: Count): readonly MarkdownNode[] {
  if (depth > DEEPEST) return [["p", source]];
  const nodes: MarkdownNode[] = [];
  for (const block of joinTables(parseBlocks(source, depth), source)) {
    count.nodes++;
    if (count.nodes > MOST_NODES) return nodes;
    nodes.push(...renderBlock(block, source.slice(block.start, block.end), depth, count));
  }
  return nodes;
}

/** A long table is parsed piece by piece, as paragraphs that follow each other at once. */
function joinTables(blocks: readonly Block[], source: string): readonly Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const isNext = block.kind === "paragraph" && last?.kind === "paragraph";
    if (isNext && findTable(source.slice(last.start, last.end).trim()) !== undefined)
      joined[joined.length - 1] = { ...last, end: block.end };
    else joined.push(block);
  }
  return joined;
}

function renderBlock(block: Block, raw: string, depth: number, count: Count): readonly MarkdownNode[] {
  switch (block.kind) {
    case "space":
      return [];
    case "rule":
      return [["hr"]];
    case "heading":
      return [["h", block.level, ...parseInline(block.text)]];
    case "code":
      return [["pre", block.isFenced ? withoutFence(raw) : raw.replace(/^(?: {4}|\t)/gm, "").trimEnd()]];
    case "html":
    case "definition":
      return [["html", raw.trimEnd()]];
    case "quote":
      return [["quote", ...block.inner.flatMap(({ text }) => renderBlocks(text, depth + 1, count))]];
    case "list":
      return [renderList(block.inner, raw, depth, count)];
    default:
      return renderParagraph(raw.trim().replace(/^[ \t]+/gm, ""), count);
  }
}

function renderParagraph(text: string, count: Count): readonly MarkdownNode[] {
  const table = findTable(text);
  if (table === undefined) return [["p", ...parseInline(text)]];
  const { alignments, rows, above } = table;
  count.nodes += alignments.length * rows.length;
  const drawn: MarkdownNode = ["table", alignments.map((alignment) => alignment ?? null), ...rows];
  return above === "" ? [drawn] : [["p", ...parseInline(above)], drawn];
}

function renderList(items: readonly Inner[], raw: string, depth: number, count: Count): MarkdownNode {
  const number = ITEM_NUMBER.exec(raw)?.[1];
  const nodes = items.map(({ text }): MarkdownNode => {
    const blocks = renderBlocks(
      text.replace(TASK, (_, mark: string) => (mark === " " ? "☐" : "☑")),
      depth + 1,
      count,
    );
    const [first, ...rest] = blocks;
    // An item of one paragraph is a line, not a paragraph.
    const isLine = first !== undefined && typeof first !== "string" && first[0] === "p";
    return isLine ? ["li", ...(first.slice(1) as readonly MarkdownNode[]), ...rest] : ["li", ...blocks];
  });
  return number === undefined ? ["ul", ...nodes] : ["ol", Number(number), ...nodes];
}

function withoutFence(raw: string): string {
  const lines = raw.trimEnd().split("\n");
  const [first = ""] = lines;
  const indent = /^ */.exec(first)?.[0].length ?? 0;
  const fence = /^ *(`{3,}|~{3,})/.exec(first)?.[1] ?? "```";
  const last = lines.at(-1)?.trim() ?? "";
  const isClosed = lines.length > 1 && last.startsWith(fence) && last.replaceAll(fence.charAt(0), "") === "";
  const inner = lines.slice(1, isClosed ? -1 : undefined);
  return inner.map((line) => line.replace(new RegExp(`^ {0,${indent}}`), "")).join("\n");
}
