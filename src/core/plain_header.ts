import type { HeaderLine } from "./header.ts";
import { isOrdinaryScalar, isPlainScalar, readQuoted, type ScalarStyle } from "./scalar.ts";
import { internKey, isFieldKey } from "./thread_fields.ts";

/** The value of a header's key: text as written, a list, `null` for nothing, `undefined` for anything richer. */
export type EntryValue = string | readonly string[] | null | undefined;

/** A key of a header with its value, and where both stand in the source. */
export interface HeaderEntry extends EntryText {
  readonly key: string;
  /** 1-based */
  readonly line: number;
  /** what goes when the key is removed */
  readonly from: number;
  readonly to: number;
  readonly indent: string;
  /** offset behind the colon; `undefined` where only the whole entry can be replaced */
  readonly colon: number | undefined;
}

interface EntryText {
  readonly value: EntryValue;
  readonly style: ScalarStyle;
  /** taken as it stands although another YAML reader would not read it so */
  readonly isLiteral: boolean;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** The entries of a header that stand on one line each; `isRich` if there is more to it than those. */
export interface PlainHeader {
  readonly entries: readonly HeaderEntry[];
  readonly isRich: boolean;
}

const KEY_FIRST = /^[\w\u00a0-\u2027\u202a-\ud7ff\ud800-\udfff\uf900-\ufefe]/;
const SKIPPED = /^[ \t]*(?:#|$)/;
const CONTINUATION = /^(?:[ \t\]}]|-(?:[ \t]|$))/;
const BLOCK_SCALAR = /^[|>](?:[-+]|[1-9]|[-+][1-9]|[1-9][-+])?(?:[ \t]+#.*)?$/s;
const NEVER_PLAIN = /^(?:[@`%,\]}]|[-?:](?:[ \t]|$))/;
const COMMENT = /[ \t]+#.*$/s;
const LIST_ITEM = /^[\w./\u00a1-\u2027\u202a-\ufefe][^:#[\]{}]*$/;

/** Reads the one-line entries of a header: `key: scalar` and `key: [scalar, scalar]`. */
export function readPlainHeader(lines: readonly HeaderLine[]): PlainHeader {
  const entries: HeaderEntry[] = [];
  let isRich = false;
  let above: HeaderEntry | undefined;
  for (const line of lines) {
    const { text } = line;
    if (SKIPPED.test(text)) {
      if (/^[ \t]+#/.test(text) && isOpen(above)) isRich = true;
      continue;
    }
    const goesOn = CONTINUATION.test(text);
    // It belongs to the entry above, which is therefore not on one line.
    if (goesOn && above !== undefined) entries.pop();
    above = goesOn ? undefined : readEntry(text, line);
    if (above === undefined) isRich = true;
    else entries.push(above);
  }
  return { entries, isRich };
}

/** True for a quotation mark that isn't closed on its line: what looks like a comment below it may be text. */
function isOpen(entry: HeaderEntry | undefined): boolean {
  return entry?.isLiteral === true && typeof entry.value === "string" && /^["']/.test(entry.value);
}

function readEntry(text: string, line: HeaderLine): HeaderEntry | undefined {
  if (!KEY_FIRST.test(text)) return undefined;
  let colon = text.indexOf(":");
  const isTight = colon > 0 && !endsKey(text, colon) && text[colon + 1] !== "#" && isFieldKey(text.slice(0, colon));
  while (!isTight && colon !== -1 && !endsKey(text, colon)) colon = text.indexOf(":", colon + 1);
  if (colon === -1) return undefined;
  const key = internKey(text.slice(0, isBlank(text, colon - 1) ? text.search(/[ \t]*:(?:[ \t]|$)/) : colon));
  if (key.includes("#") && /[ \t]#/.test(key)) return undefined;
  const read = readValue(text, colon + 1, key);
  if (read === undefined) return undefined;
  return {
    key,
    line: line.number,
    from: line.from,
    to: line.next,
    indent: "",
    colon: line.from + colon + 1,
    value: read.value,
    style: read.style,
    isLiteral: read.isLiteral || isTight,
    valueFrom: line.from + read.valueFrom,
    valueTo: line.from + read.valueTo,
  };
}

/** Reads what stands behind a colon; `undefined` if that is more than one scalar or list of scalars. */
function readValue(text: string, from: number, key: string): EntryText | undefined {
  let valueFrom = from;
  while (isBlank(text, valueFrom)) valueFrom++;
  let valueTo = text.length;
  while (valueTo > valueFrom && isBlank(text, valueTo - 1)) valueTo--;
  const rest = text.slice(valueFrom, valueTo);
  if (isOrdinaryScalar(rest)) return { value: rest, style: "plain", isLiteral: false, valueFrom, valueTo };
  const first = rest[0] ?? "";
  const literal: EntryText = { value: rest, style: "plain", isLiteral: true, valueFrom, valueTo };
  if (first === "" || (first === "#" && key !== "title")) return emptyValue(from);
  if (first === '"' || first === "'") return quotedValue(text, literal) ?? literal;
  if (BLOCK_SCALAR.test(rest)) return undefined;
  if (key === "title") return isPlainScalar(rest) ? { ...literal, isLiteral: false } : literal;
  if (first === "[") return listValue(text, literal);
  if ("{&*!".includes(first)) return undefined;
  if (first === "|" || first === ">" || NEVER_PLAIN.test(rest)) return literal;
  const plain = rest.replace(COMMENT, "");
  if (!isPlainScalar(plain)) return literal;
  return { ...literal, value: plain, isLiteral: false, valueTo: valueFrom + plain.length };
}

function emptyValue(at: number): EntryText {
  return { value: null, style: "plain", isLiteral: false, valueFrom: at, valueTo: at };
}

function quotedValue(text: string, { valueFrom, valueTo }: EntryText): EntryText | undefined {
  const quoted = readQuoted(text, valueFrom, valueTo);
  if (quoted === undefined || !isBareEnd(text, quoted.end)) return undefined;
  return { value: quoted.text, style: quoted.style, isLiteral: false, valueFrom, valueTo: quoted.end };
}

function listValue(text: string, { valueFrom }: EntryText): EntryText | undefined {
  const value: string[] = [];
  for (let at = valueFrom + 1; ; ) {
    while (isBlank(text, at)) at++;
    if (text[at] === "]") {
      if (!isBareEnd(text, at + 1)) return undefined;
      return { value, style: "plain", isLiteral: false, valueFrom, valueTo: at + 1 };
    }
    const item = readItem(text, at);
    if (item === undefined) return undefined;
    value.push(item.text);
    at = item.end;
    while (isBlank(text, at)) at++;
    if (text[at] === ",") at++;
    else if (text[at] !== "]") return undefined;
  }
}

function readItem(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  if (text[from] === '"' || text[from] === "'") return readQuoted(text, from, text.length);
  const end = from + text.slice(from).search(/[,\]]|$/);
  const item = text.slice(from, end).replace(/[ \t]+$/, "");
  return LIST_ITEM.test(item) && isPlainScalar(item) ? { text: item, end } : undefined;
}

/** True if nothing but a comment follows at `at`. */
function isBareEnd(text: string, at: number): boolean {
  return /^(?:[ \t]+#.*|[ \t]*)$/s.test(text.slice(at));
}

/** True if the colon at this offset is one that YAML takes for the end of a key. */
function endsKey(text: string, colon: number): boolean {
  return colon + 1 === text.length || isBlank(text, colon + 1);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
