/**
 * Merges three forms of one unit that differ in blanks, line breaks and list markers alone, byte for byte: a side that kept
 * the base's form has the other's, line by line where the lines are as many. `undefined` where both changed the same place
 * differently; of two other markers ours stands.
 */
export function mergeSpacing(base: string, ours: string, theirs: string): string | undefined {
  const [old, mine, other] = [base, ours, theirs].map(splitMarker) as [Marked, Marked, Marked];
  const marker = choose(old.marker, mine.marker, other.marker) ?? mine.marker;
  const rest = mergeText(old.rest, mine.rest, other.rest);
  return rest === undefined ? undefined : marker + rest;
}

interface Marked {
  readonly marker: string;
  readonly rest: string;
}

function splitMarker(text: string): Marked {
  const [marker = ""] = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t\n]|$)/.exec(text) ?? [];
  return { marker, rest: text.slice(marker.length) };
}

function mergeText(base: string, ours: string, theirs: string): string | undefined {
  const whole = choose(base, ours, theirs);
  if (whole !== undefined) return whole;
  const [old, mine, other] = [base, ours, theirs].map((text) => text.split("\n")) as [string[], string[], string[]];
  if (old.length !== mine.length || old.length !== other.length) return undefined;
  const lines = old.map((line, at) => choose(line, mine[at] ?? "", other[at] ?? ""));
  return lines.every((line) => line !== undefined) ? lines.join("\n") : undefined;
}

function choose(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}
