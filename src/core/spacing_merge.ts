import { matchSequences } from "./sequence_match.ts";

/**
 * Merges three forms of one unit that differ in blanks, line breaks and list markers alone, byte for byte: a side that kept
 * the base's form has the other's, line by line where the lines are as many. `undefined` where both changed the same place
 * differently; of two other markers ours stands.
 */
export function mergeSpacing(base: string, ours: string, theirs: string): string | undefined {
  const [old, mine, other] = [base, ours, theirs].map(splitMarker) as [Marked, Marked, Marked];
  const marker = choose(old.marker, mine.marker, other.marker) ?? mine.marker;
  const rest = choose(old.rest, mine.rest, other.rest) ?? mergeLines(old.rest, mine.rest, other.rest);
  return rest === undefined ? undefined : marker + rest;
}

/** True if a form of a unit has other blanks or line breaks than its base, list markers left aside. */
export function isRespaced(base: string, form: string): boolean {
  return splitMarker(base).rest !== splitMarker(form).rest;
}

/**
 * A form with other words, in the blanks and line breaks of a form that has those of its base otherwise: `undefined` where both
 * changed one place. In prose, where they say nothing, the other words stand then.
 */
export function respace(base: string, respaced: string, changed: string): string | undefined {
  const [old, spaced, other] = [base, respaced, changed].map(splitMarker) as [Marked, Marked, Marked];
  const rest = mergeLines(old.rest, spaced.rest, other.rest);
  if (rest !== undefined) return other.marker + rest;
  return [old, spaced, other].every((form) => isProse(form.rest)) ? changed : undefined;
}

interface Marked {
  readonly marker: string;
  readonly rest: string;
}

function splitMarker(text: string): Marked {
  const [marker = ""] = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t\n]|$)/.exec(text) ?? [];
  return { marker, rest: text.slice(marker.length) };
}

/** False for code, tables, and what has items of its own. */
function isProse(text: string): boolean {
  return !/^\s*(?:`{3}|~{3}|\||[-*+][ \t]|\d{1,9}[.)][ \t])|\n(?: {4,}|\t)/m.test(text);
}

/** A three-way merge by line; between lines that all three have, only one side may have changed something. */
function mergeLines(base: string, ours: string, theirs: string): string | undefined {
  const [old, mine, other] = [base, ours, theirs].map((text) => text.split("\n")) as [string[], string[], string[]];
  const [inMine, inOther] = [matchSequences(old, mine), matchSequences(old, other)];
  const merged: string[] = [];
  let [from, fromMine, fromOther] = [0, 0, 0];
  for (let at = 0; at <= old.length; at++) {
    const isEnd = at === old.length;
    const [toMine, toOther] = isEnd ? [mine.length, other.length] : [inMine[at] ?? -1, inOther[at] ?? -1];
    if (toMine < 0 || toOther < 0) continue;
    const part = mergePart(old.slice(from, at), mine.slice(fromMine, toMine), other.slice(fromOther, toOther));
    if (part === undefined) return undefined;
    merged.push(...part, ...old.slice(at, at + 1));
    [from, fromMine, fromOther] = [at + 1, toMine + 1, toOther + 1];
  }
  return merged.join("\n");
}

function mergePart(base: string[], ours: string[], theirs: string[]): readonly string[] | undefined {
  const whole = choose(base.join("\n"), ours.join("\n"), theirs.join("\n"));
  if (whole !== undefined) return whole === ours.join("\n") ? ours : theirs;
  return overlay(base, ours, theirs) ?? overlay(base, theirs, ours);
}

/** The lines of `changed`, those that it has from the base in the blanks of `respaced`, which has the base's lines in others. */
function overlay(base: string[], respaced: string[], changed: string[]): readonly string[] | undefined {
  const isSame = base.every((line, at) => squeeze(line) === squeeze(respaced[at] ?? ""));
  if (base.length !== respaced.length || !isSame) return undefined;
  const lines = [...changed];
  const places = matchSequences(base, changed);
  for (const [at, line] of base.entries()) {
    if (respaced[at] === line) continue;
    const own = places[at] ?? -1;
    const place = own >= 0 ? own : at;
    const moved = own >= 0 ? respaced[at] : reindent(line, respaced[at] ?? "", changed[at] ?? "");
    if (moved === undefined || (own < 0 && base.length !== changed.length)) return undefined;
    lines[place] = moved;
  }
  return lines;
}

/** A line with other words that stands as deep as its base did, as deep as the base's other form stands. */
function reindent(base: string, respaced: string, changed: string): string | undefined {
  const [old, spaced, other] = [base, respaced, changed].map((line) => /^[ \t]*/.exec(line)?.[0] ?? "") as [
    string,
    string,
    string,
  ];
  const isIndented = base.slice(old.length) === respaced.slice(spaced.length);
  return isIndented && other === old ? spaced + changed.slice(other.length) : undefined;
}

const squeeze = (line: string): string => line.replace(/\s+/g, "");

function choose(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}
