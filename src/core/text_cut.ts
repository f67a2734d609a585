const FARTHEST_SAFE_PLACE = 65_536;
const LONGEST_CLUSTER = 256;
const SAFE_PLACE = /[ -~][ -~\n]/g;

/** The longest beginning of at most `room` UTF-16 units that ends at a line end; an over-long line is cut between graphemes. */
export function cutAtLineEnd(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = text.lastIndexOf("\n", room);
  const nextEnd = text.indexOf("\n", end + 1);
  const nextLength = (nextEnd < 0 ? text.length : nextEnd) - end - 1;
  const kept = end > 0 && nextLength <= room ? text.slice(0, end) : cutAtGrapheme(text, room);
  return kept.trimEnd();
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
