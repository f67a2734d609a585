import { type Block, DEEPEST, parseBlocks } from "./markdown.ts";

const TAG = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]*)(?=[\s/>])([^<>]*)>/gi;
const RAW = /^<(script|pre|style|textarea)(?=[\s>])/i;
const BLOCK_TAGS: ReadonlySet<string> = new Set(
  [
    ["address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "fieldset"],
    ["figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "iframe"],
    ["legend", "main", "menu", "nav", "noframes", "ol", "search", "section", "summary", "table", "title", "ul"],
  ].flat(),
);

/**
 * Appends what closes a code fence, a comment or an HTML tag that a text leaves open, each on a line of its own, so that
 * it can't swallow what is put after it; a text that leaves nothing open is returned unchanged.
 */
export function closeOpenBlocks(text: string): string {
  if (!/[`~]{3}|</.test(text)) return text;
  const blocks = parseBlocks(text);
  const last = blocks.findLast(({ kind }) => kind !== "space");
  const closer = last === undefined ? undefined : closerOf(last, text.slice(last.start, last.end).trim());
  const closers = [...(closer === undefined ? [] : [closer]), ...closersOfTags(blocks, text)];
  if (closers.length === 0) return text;
  return `${text}${/[\r\n]$/.test(text) ? "" : "\n"}${closers.join("\n")}`;
}

function closerOf(block: Block, source: string): string | undefined {
  if (block.kind === "code" && block.isFenced) return closerOfFence(source);
  if (block.kind !== "html") return undefined;
  const name = RAW.exec(source)?.[1];
  if (name !== undefined) return source.toLowerCase().includes(`</${name.toLowerCase()}>`) ? undefined : `</${name}>`;
  if (source.startsWith("<!--")) return /^<!--(?:-?>|[\s\S]*?-->)/.test(source) ? undefined : "-->";
  if (source.startsWith("<?")) return source.includes("?>") ? undefined : "?>";
  if (/^<!\[CDATA\[/i.test(source)) return source.includes("]]>") ? undefined : "]]>";
  return source.startsWith("<!") && !source.includes(">") ? ">" : undefined;
}

function closerOfFence(source: string): string | undefined {
  const fence = /^(`+|~+)/.exec(source)?.[1] ?? "";
  const lines = source.split(/\r\n|\r|\n/);
  const last = (lines.at(-1) ?? "").trim();
  const isClosed = lines.length > 1 && last.length >= fence.length && last === fence.charAt(0).repeat(last.length);
  return isClosed ? undefined : fence;
}

/** The end tags of block elements that stay open; inside a paragraph or list only their ends count. */
function closersOfTags(blocks: readonly Block[], text: string): string[] {
  const open: string[] = [];
  for (const { kind, start, end } of blocks) {
    const source = text.slice(start, end);
    if (kind === "code" || (kind === "html" && RAW.test(source.trim()))) continue;
    const inner: string[] = [];
    for (const [, slash, tag = "", rest = ""] of source.matchAll(TAG)) {
      const name = tag.toLowerCase();
      if (!BLOCK_TAGS.has(name)) continue;
      if (slash === "/") closeTag(inner.includes(name) ? inner : open, name);
      else if (!rest.endsWith("/")) (kind === "html" ? open : inner).push(name);
    }
  }
  return open.length > DEEPEST ? [] : open.reverse().map((name) => `</${name}>`);
}

function closeTag(open: string[], name: string): void {
  const at = open.lastIndexOf(name);
  if (at !== -1) open.splice(at);
}
