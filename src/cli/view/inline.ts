/** A text, or an element by its name, for a link its address, and what is in it. */
export type Inline = string | readonly ["b" | "i" | "s" | "code", ...Inline[]] | readonly ["a", string, ...Inline[]];

const LONGEST_TEXT = 20_000;
const LONGEST_LINK = 2000;
const DEEPEST = 4;
const SPECIAL = /[\\`*_~[<!h]/g;
const LINK =
  /!?\[((?:[^[\]\\]|\\.){1,300})\]\(\s{0,8}(?:<([^<>\s]{1,2000})>|([^\s()<>]{1,2000}))(?:\s{1,8}"[^"\n]{0,200}")?\s{0,8}\)/y;
const BRACKETED = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/iy;
const BARE = /https?:\/\/[^\s<>"'`\])*_~]{1,2000}/iy;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const MARKS: readonly (readonly [mark: string, name: "b" | "i" | "s"])[] = [
  ["**", "b"],
  ["__", "b"],
  ["~~", "s"],
  ["*", "i"],
  ["_", "i"],
];

/**
 * The emphasis, code and links of a text in one paragraph. HTML stays text, an image becomes a link to it, and only
 * http, https and mailto make a link. Linear in the length.
 */
export function parseInline(text: string): readonly Inline[] {
  return text.length > LONGEST_TEXT ? [text] : parseWithin(text, 0);
}

/** An address that may stand in a link; `undefined` for any other. */
export function safeAddress(address: string): string | undefined {
  if (address.length > LONGEST_LINK || !/^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(address)) return undefined;
  return URL.canParse(address) ? address : undefined;
}

function parseWithin(text: string, depth: number): readonly Inline[] {
  const found: Inline[] = [];
  const without = new Set<string>();
  let plain = "";
  const push = (node: Inline): void => {
    if (plain !== "") found.push(plain);
    plain = "";
    found.push(node);
  };
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    if (next === text.length) break;
    at = next;
    const escaped = matchAt(ESCAPED, text, at)?.[1];
    if (escaped !== undefined) {
      plain += escaped;
      at += 2;
      continue;
    }
    const span = codeAt(text, at, without) ?? linkAt(text, at, depth) ?? markedAt(text, at, depth, without);
    if (span === undefined) {
      const run = /^(.)\1*/s.exec(text.slice(at, at + 100))?.[0] ?? text.charAt(at);
      plain += run;
      at += run.length;
      continue;
    }
    push(span.node);
    at = span.end;
  }
  if (plain !== "") found.push(plain);
  return found;
}

interface Span {
  readonly node: Inline;
  readonly end: number;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Where a closing mark is; once there is none, it isn't looked for again. */
function closerAfter(text: string, mark: string, from: number, without: Set<string>): number {
  if (without.has(mark)) return -1;
  const end = text.indexOf(mark, from);
  if (end < 0) without.add(mark);
  return end;
}

function codeAt(text: string, at: number, without: Set<string>): Span | undefined {
  if (text.charAt(at) !== "`") return undefined;
  const fence = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? "`";
  const end = closerAfter(text, fence, at + fence.length, without);
  if (end < 0 || text.charAt(end + fence.length) === "`") return undefined;
  const code = text.slice(at + fence.length, end);
  const shown = /^ .*[^ ].* $/s.test(code) ? code.slice(1, -1) : code;
  return { node: ["code", shown.replaceAll("\n", " ")], end: end + fence.length };
}

function linkAt(text: string, at: number, depth: number): Span | undefined {
  const link = "![".includes(text.charAt(at)) ? matchAt(LINK, text, at) : null;
  if (link !== null) {
    const [whole, label = "", bracketed, plain = ""] = link;
    const address = safeAddress(bracketed ?? plain);
    if (address === undefined) return undefined;
    const inner = depth < DEEPEST ? parseWithin(label, depth + 1) : [label];
    return { node: ["a", address, ...inner.map(withoutLinks)], end: at + whole.length };
  }
  const bracketed = text.charAt(at) === "<" ? matchAt(BRACKETED, text, at) : null;
  if (bracketed !== null) return addressSpan(bracketed[1] ?? "", at + bracketed[0].length);
  const isStart = at === 0 || /[\s([{,;:"'«]/.test(text.charAt(at - 1));
  const bare = isStart && text.charAt(at) === "h" ? matchAt(BARE, text, at)?.[0].replace(/[.,;:!?]+$/, "") : undefined;
  return bare === undefined ? undefined : addressSpan(bare, at + bare.length);
}

function addressSpan(address: string, end: number): Span | undefined {
  return safeAddress(address) === undefined ? undefined : { node: ["a", address, address], end };
}

function withoutLinks(node: Inline): Inline {
  return typeof node !== "string" && node[0] === "a" ? node[1] : node;
}

function markedAt(text: string, at: number, depth: number, without: Set<string>): Span | undefined {
  if (depth >= DEEPEST) return undefined;
  for (const [mark, name] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    // An underscore within a word is part of it, as in file_name.ts.
    if (mark.startsWith("_") && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return undefined;
    if (/^[\s*_~]?$/.test(text.charAt(from))) continue;
    const end = closerAfter(text, mark, from + 1, without);
    if (end < 0 || /\s/.test(text.charAt(end - 1))) continue;
    const after = text.charAt(end + mark.length);
    if (mark.length === 1 && after === mark) continue;
    if (mark.startsWith("_") && /[\p{L}\p{N}]/u.test(after)) continue;
    return { node: [name, ...parseWithin(text.slice(from, end), depth + 1)], end: end + mark.length };
  }
  return undefined;
}
