/** The two texts that a file with conflict markers was made from; `base` where its markers name that too. */
export interface ConflictSides {
  readonly base: string | undefined;
  readonly ours: string;
  readonly theirs: string;
}

const OURS = /^<{7,}(?:[ \t].*)?$/;
const BASE = /^\|{7,}(?:[ \t].*)?$/;
const DIVIDER = /^={7,}[ \t]*$/;
const THEIRS = /^>{7,}(?:[ \t].*)?$/;

type Part = "all" | "ours" | "base" | "theirs";

/** Takes a file with conflict markers apart; `undefined` if they aren't whole sets in order, or there are none. */
export function splitConflict(text: string): ConflictSides | undefined {
  const sides = { ours: "", base: "", theirs: "" };
  let part: Part = "all";
  let sets = 0;
  let bases = 0;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const bare = line.replace(/\r?\n$/, "");
    const next = nextPart(part, bare);
    if (next === undefined) return undefined;
    if (next !== part) {
      if (next === "ours") sets++;
      if (next === "base") bases++;
      part = next;
    } else if (part === "all") for (const side of ["ours", "base", "theirs"] as const) sides[side] += line;
    else sides[part] += line;
  }
  if (part !== "all" || sets === 0) return undefined;
  return { ...sides, base: bases === sets ? sides.base : undefined };
}

/** Where a line leads: the same part if it is no marker; `undefined` for a marker out of order. */
function nextPart(part: Part, line: string): Part | undefined {
  if (OURS.test(line)) return part === "all" ? "ours" : undefined;
  if (BASE.test(line) && part === "ours") return "base";
  if (DIVIDER.test(line) && (part === "ours" || part === "base")) return "theirs";
  if (THEIRS.test(line)) return part === "theirs" ? "all" : undefined;
  return part;
}

/** The 1-based line of the first marker of any kind, also one that is left of a set; `undefined` if there is none. */
export function findMarker(text: string): number | undefined {
  const at = text
    .split(/\r\n|\r|\n/)
    .findIndex((line) => [OURS, BASE, DIVIDER, THEIRS].some((marker) => marker.test(line)));
  return at < 0 ? undefined : at + 1;
}

/** True if every line of a file with conflict markers is a marker, or a line of one of the texts it was made from. */
export function isUntouched(text: string, sources: readonly (string | undefined)[]): boolean {
  const lines = (source: string): string[] => source.split(/\r\n|\r|\n/);
  const known = new Set(sources.flatMap((source) => lines(source ?? "")));
  const isMarker = (line: string): boolean => [OURS, BASE, DIVIDER, THEIRS].some((marker) => marker.test(line));
  return lines(text).every((line) => known.has(line) || isMarker(line));
}
