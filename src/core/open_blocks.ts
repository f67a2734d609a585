import { type Block, DEEPEST, parseBlocks } from "./markdown.ts";

const TAG = /<!--(?:-?>|[\s\S]*?(?:-->|$))|<(\/?)([a-z][a-z0-9-]*)(?=[\s/>])([^<>]*)>/gi;
const COMMENT = "!--";
const RAW = /^<(script|pre|style|textarea)(?=[\s>])/i;
/** A raw tag at the very end that lacks its bracket: for some readers it is open all the same. */
const BARE_RAW = /^ {0,3}<(script|pre|style|textarea)[ \t\r\n]*$(?![\s\S])/im;
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
  const closed = closeLastBlock(text);
  return closed.includes("<") ? withClosers(closed, closersOfTags(parseBlocks(closed), closed)) : closed;
}

/** Appends what closes the block that runs on to the end of a text: a code fence, a comment or raw HTML. */
export function closeLastBlock(text: string): string {
  if (!/[`~]{3}|</.test(text)) return text;
  const last = parseBlocks(text).findLast(({ kind }) => kind !== "space");
  const bare = BARE_RAW.exec(text)?.[1];
  if (bare !== undefined && last?.kind !== "code") return withClosers(text, [`</${bare}>`]);
  const source = last === undefined ? "" : text.slice(last.start, last.end).replace(/[ \t\r\n]+$/, "");
  const closer = last === undefined ? undefined : closerOf(last, source);
  return closer === undefined ? text : withClosers(text, [closer]);
}

function withClosers(text: string, closers: readonly string[]): string {
  if (closers.length === 0) return text;
  return `${text}${/[\r\n]$/.test(text) ? "" : "\n"}${closers.join("\n")}`;
}

function closerOf(block: Block, source: string): string | undefined {
  if (block.kind === "code" && block.isFenced) return closerOfFence(source);
  if (block.kind !== "html") return undefined;
  const html = source.trimStart();
  const name = RAW.exec(html)?.[1];
  if (name !== undefined) return html.toLowerCase().includes(`</${name.toLowerCase()}>`) ? undefined : `</${name}>`;
  if (html.startsWith("<!--")) return /^<!--(?:-?>|[\s\S]*?-->)/.test(html) ? undefined : "-->";
  if (html.startsWith("<?")) return html.includes("?>") ? undefined : "?>";
  if (/^<!\[CDATA\[/i.test(html)) return html.includes("]]>") ? undefined : "]]>";
  return /^<![a-z][^>]*$|<\/?[a-z][^<>]*$/i.test(html) ? ">" : undefined;
}

function closerOfFence(source: string): string | undefined {
  const fence = /^ {0,3}(`+|~+)/.exec(source)?.[1] ?? "";
  const [, ...below] = source.split(/\r\n|\r|\n/);
  const last = below.at(-1)?.replace(/^ {0,3}/, "") ?? "";
  const isClosed = last.length >= fence.length && last === fence.charAt(0).repeat(last.length);
  return isClosed ? undefined : fence;
}

/** The end tags of block elements that stay open, a comment's included; in a paragraph or list only their ends count. */
function closersOfTags(blocks: readonly Block[], text: string): string[] {
  const open: string[] = [];
  let seen = 0;
  for (const { kind, start, end } of blocks) {
    const source = text.slice(start, end);
    if (kind === "code" || (kind === "html" && RAW.test(source.trimStart()))) continue;
    const inner: string[] = [];
    for (const { 0: all, 1: slash, 2: tag = "", 3: rest = "", index } of source.matchAll(TAG)) {
      if (start + index < seen) continue;
      if (kind === "html" && tag === "" && !all.endsWith("-->")) {
        seen = text.indexOf("-->", end);
        if (seen === -1) return closing([...open, COMMENT]);
      }
      const name = tag.toLowerCase();
      if (!BLOCK_TAGS.has(name)) continue;
      if (slash === "/") closeTag(inner.includes(name) ? inner : open, name);
      else if (!rest.endsWith("/")) (kind === "html" ? open : inner).push(name);
    }
  }
  return closing(open);
}

function closing(open: readonly string[]): string[] {
  const ends = open.map((name) => (name === COMMENT ? "-->" : `</${name}>`)).reverse();
  return ends.length > DEEPEST ? ends.slice(0, 1).filter((end) => end === "-->") : ends;
}

function closeTag(open: string[], name: string): void {
  const at = open.lastIndexOf(name);
  if (at !== -1) open.splice(at);
}
