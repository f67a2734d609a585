import { type Header, lineAt } from "./header.ts";
import type { EntryValue, HeaderEntry } from "./plain_header.ts";
import type { ScalarStyle } from "./scalar.ts";

/** A token of YAML's concrete syntax. */
export interface Token {
  readonly type: string;
  readonly offset: number;
  readonly source: string;
}

/** A key and its value as a YAML parser found them; offsets count from the header's first line. */
export interface RichPair {
  readonly key: string;
  /** what stands before the key, and between it and the value */
  readonly start: readonly Token[];
  readonly separator: readonly Token[];
  readonly keyRange: readonly [number, number];
  readonly value: EntryValue;
  readonly style: ScalarStyle;
  /** `undefined` where there is no value */
  readonly valueRange: readonly [number, number] | undefined;
}

const FILLER: ReadonlySet<string> = new Set(["space", "newline", "comment", "comma"]);

/**
 * The header's lines for a YAML parser, every character at its place: without a conflict's other side, and with the values
 * of `masked` entries, which YAML doesn't take, made plain.
 */
export function textForYaml(source: string, header: Header, masked: readonly HeaderEntry[]): string {
  const byLine = new Map(masked.map((entry) => [entry.from, entry]));
  let text = "";
  let at = header.open;
  for (const { from, to, next } of header.lines) {
    text += source.slice(at, from).replace(/[^\r\n]/g, " ");
    const entry = byLine.get(from);
    text += entry === undefined ? source.slice(from, to) : maskValue(source, entry, to);
    const lineBreak = source.slice(to, next);
    text += lineBreak === "\r" ? "\n" : lineBreak;
    at = next;
  }
  return text + source.slice(at, header.close).replace(/[^\r\n]/g, " ");
}

function maskValue(source: string, { from, colon = from, valueTo }: HeaderEntry, to: number): string {
  return `${source.slice(from, colon)} ${"x".repeat(Math.max(0, valueTo - colon - 1))}${source.slice(valueTo, to)}`;
}

/** The entries of a block mapping, each with its lines. */
export function placeBlockEntries(text: string, header: Header, pairs: readonly RichPair[]): HeaderEntry[] {
  const lineOf = lineFinder(header);
  return pairs.map((pair) => {
    const lineStart = lineStartOf(text, pair);
    const indent = text.slice(lineStart, startOf(pair));
    const place = { from: lineStart, to: lineAt(text, endOf(text, pair), 0).next, line: lineOf(lineStart) };
    return placeEntry(text, header.open, pair, { ...place, indent: indent.trim() === "" ? indent : "" });
  });
}

/** The entries of a flow mapping, each with the comma that goes when it is removed. */
export function placeFlowEntries(text: string, header: Header, pairs: readonly RichPair[]): HeaderEntry[] {
  const lineOf = lineFinder(header);
  return pairs.map((pair, index) => {
    const [before, after] = [pairs[index - 1], pairs[index + 1]];
    const end = endOf(text, pair);
    const to = after === undefined ? end : startOf(after);
    const from = after === undefined && before !== undefined ? endOf(text, before) : startOf(pair);
    return placeEntry(text, header.open, pair, { from, to, line: lineOf(lineStartOf(text, pair)), indent: "" });
  });
}

function lineFinder({ open, firstLine, lines }: Header): (start: number) => number {
  const numbers = new Map(lines.map(({ from, number }) => [from - open, number]));
  return (start) => numbers.get(start) ?? firstLine;
}

function lineStartOf(text: string, pair: RichPair): number {
  const start = startOf(pair);
  return start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
}

function placeEntry(
  text: string,
  open: number,
  pair: RichPair,
  place: Pick<HeaderEntry, "line" | "from" | "to" | "indent">,
): HeaderEntry {
  const colon = colonOf(text, pair);
  const valueFrom = colon === undefined ? startOf(pair) : valueStartOf(pair, colon);
  return {
    ...{ key: pair.key, line: place.line, indent: place.indent, from: open + place.from, to: open + place.to },
    ...{ value: pair.value, style: pair.style, isLiteral: false },
    ...{ colon: colon === undefined ? undefined : open + colon },
    ...{ valueFrom: open + valueFrom, valueTo: open + Math.max(valueFrom, endOf(text, pair)) },
  };
}

function startOf({ start, keyRange }: RichPair): number {
  return start.find(({ type }) => !FILLER.has(type))?.offset ?? keyRange[0];
}

/** The offset behind the last character of a pair that isn't a blank. */
function endOf(text: string, { keyRange, separator, valueRange }: RichPair): number {
  const last = separator.findLast(({ type }) => !FILLER.has(type));
  let end = Math.max(keyRange[1], last === undefined ? 0 : last.offset + last.source.length, valueRange?.[1] ?? 0);
  while (/[ \t\r\n]/.test(text.charAt(end - 1))) end--;
  return end;
}

/** The offset behind the colon, and behind an anchor that follows it on its line; `undefined` for `? key`. */
function colonOf(text: string, { start, separator }: RichPair): number | undefined {
  const colon = separator.find(({ type }) => type === "map-value-ind");
  if (colon === undefined || start.some(({ type }) => type === "explicit-key-ind")) return undefined;
  const lineEnd = lineAt(text, colon.offset, 0).to;
  const [mark] = separator.filter(({ type }) => type === "anchor" || type === "tag");
  const anchor = mark?.type === "anchor" && mark.offset < lineEnd ? mark : colon;
  return anchor.offset + anchor.source.length;
}

/** Where the value starts that another one can replace: at its tag if it has one, for that would change the new one. */
function valueStartOf({ separator, valueRange }: RichPair, colon: number): number {
  const tag = separator.find(({ type }) => type === "tag");
  return Math.max(colon, tag?.offset ?? valueRange?.[0] ?? colon);
}
