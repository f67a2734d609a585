import { normaliseLineEnds, trimBlankLines, trimBlanksAtEnd } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
import { closeLastBlock } from "./open_blocks.ts";
import { joinBlocks } from "./units.ts";

/** A stretch of a content from one sub-heading to the next; the first has none. Offsets are into the content. */
interface Part {
  /** what its heading says and those above it, the outermost first */
  readonly path: readonly string[];
  /** of its heading; 0 without one */
  readonly level: number;
  readonly start: number;
  readonly end: number;
}

/** Adds a text to the end of a content, which keeps its bytes; what that leaves open is closed, and `eol` ends the new lines. */
export function addAtEnd(content: string, text: string, eol: string): string {
  const old = normaliseLineEnds(content);
  const joined = joinBlocks([closeLastBlock(old), setOff(old, text)]);
  return content + joined.slice(old.length).replaceAll("\n", eol);
}

/**
 * Adds a text to a content part by part: what stands under a sub-heading goes below the one of the content that says the
 * same at the same place, or with its heading to the end of what it belongs to; what stands under none goes before the
 * content's first one.
 */
export function addUnderHeadings(content: string, text: string, eol: string): string {
  let written = content;
  for (const part of partsOf(text)) {
    const said = trimBlankLines(text.slice(part.start, part.end));
    if (said !== "") written = addPart(written, part, said, eol);
  }
  return written;
}

function addPart(content: string, { path, level }: Part, said: string, eol: string): string {
  const parts = partsOf(content);
  const same = parts.find((part) => part.path.length === path.length && isWithin(part, path));
  if (same !== undefined) {
    const below = level === 0 ? said : trimBlankLines(said.replace(/^[^\n]*/, ""));
    return below === "" ? content : addBehind(content, same, below, eol);
  }
  const above = parts.find((part) => part.path.length === path.length - 1 && isWithin(part, path));
  const inside =
    above === undefined ? [] : parts.filter((part) => isWithin(above, part.path.slice(0, above.path.length)));
  const siblings = (inside.length === 0 ? parts : inside).filter((part) => part !== above && part.level > 0);
  const wanted = Math.min(level, ...siblings.map((part) => part.level));
  const depth = Math.min(6, Math.max(wanted, (above?.level ?? 0) + 1));
  const last = (above?.level ?? 0) === 0 ? parts.at(-1) : inside.at(-1);
  const text = said.replace(/^ {0,3}#+/, "#".repeat(depth));
  return last === undefined ? content : addBehind(content, last, text, eol);
}

/** True if the headings of a part are the first of a path. */
function isWithin(part: Part, path: readonly string[]): boolean {
  return part.path.length <= path.length && part.path.every((each, at) => each === path[at]);
}

function addBehind(content: string, { start, end }: Part, text: string, eol: string): string {
  const before = content.slice(0, start);
  if (end >= content.length) return before + addAtEnd(content.slice(start), text, eol);
  const own = trimBlanksAtEnd(content.slice(start, end));
  if (own === "") return before + text.replaceAll("\n", eol) + eol + eol + content.slice(start);
  const below = content.slice(start + own.length);
  const isSetOff = /^[ \t]*\n[ \t]*\n/.test(normaliseLineEnds(content.slice(start + own.length, end)));
  return before + addAtEnd(own, text, eol) + (isSetOff ? "" : eol) + below;
}

function partsOf(content: string): readonly Part[] {
  const parts: Part[] = [];
  const open: { readonly level: number; readonly says: string }[] = [];
  let part = { path: [] as readonly string[], level: 0, start: 0 };
  for (const block of parseBlocks(content)) {
    if (block.kind !== "heading" || block.isSetext) continue;
    parts.push({ ...part, end: block.start });
    while ((open.at(-1)?.level ?? 0) >= block.level) open.pop();
    open.push({ level: block.level, says: block.text.trim().replace(/\s+/g, " ") });
    part = { path: open.map(({ says }) => says), level: block.level, start: block.start };
  }
  return [...parts, { ...part, end: content.length }];
}

/** Keeps indented text from going on with the list or code above it; code is kept off by a comment. */
function setOff(above: string, text: string): string {
  const last = parseBlocks(above).findLast(({ kind }) => kind !== "space");
  const isList = last?.kind === "list";
  if (!/^[ \t]/.test(text) || !(isList || last?.kind === "code")) return text;
  if (parseBlocks(text)[0]?.kind === "code") return `<!-- -->\n\n${text}`;
  const indent = /^ */.exec(text)?.[0].length ?? 0;
  return isList ? text.replace(new RegExp(`^ {1,${indent}}`, "gm"), "") : text;
}
