const FARTHEST_SAFE_PLACE = 65_536;
const LONGEST_CLUSTER = 256;
const SAFE_PLACE = /[ -~][ -~\n]/g;

/** What stands where a line was cut. */
export const CUT = "…";

/**
 * The longest beginning of at most `room` UTF-16 units that ends at a line end. Where no line above it says anything, a
 * line that is too long is cut between grapheme clusters, and ends with `…`.
 */
export function cutAtLineEnd(text: string, room: number): string {
  if (text.length <= room) return text;
  const whole = text.slice(0, Math.max(0, text.lastIndexOf("\n", room))).trimEnd();
  if (room < 1 || !saysNothing(whole)) return room < 1 ? "" : whole;
  const part = cutAtGrapheme(text, room - CUT.length).trimEnd();
  return part.length <= whole.length ? whole : `${part}${CUT}`;
}

/** True for a text of headings, fences and blank lines only. */
function saysNothing(text: string): boolean {
  return text.split("\n").every((line) => /^[ \t]*(?:$|#{1,6}(?:[ \t]|$)|`{3}|~{3})/.test(line));
}

/** The longest beginning of at most `room` UTF-16 units that ends between grapheme clusters. */
export function cutAtGrapheme(text: string, room: number): string {
  if (text.length <= room) return text;
  const start = safePlaceBefore(text, room);
  let end = start;
  const around = text.slice(start, room + LONGEST_CLUSTER);
  for (const { segment, index } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(around)) {
    if (start + index + segment.length > room) break;
    end = start + index + segment.length;
  }
  return text.slice(0, end);
}

/** A place between two grapheme clusters from which the others can be told: between two characters of ASCII. */
function safePlaceBefore(text: string, room: number): number {
  const from = Math.max(0, room - FARTHEST_SAFE_PLACE);
  for (let reach = 64; ; reach *= 8) {
    const start = Math.max(from, room - reach);
    const found = [...text.slice(start, room).matchAll(SAFE_PLACE)].at(-1);
    if (found !== undefined) return start + found.index + 1;
    if (start === from) return from;
  }
}
