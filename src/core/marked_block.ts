/** The line above ThreadMind's block in `AGENTS.md`. */
export const BLOCK_START = "<!-- threadmind:start -->";
/** The line below it. */
export const BLOCK_END = "<!-- threadmind:end -->";

/** A file's text with the block in or out, or why it can't be done. */
export type BlockEdit = { readonly text: string } | { readonly fault: string };

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Puts the block into a text: in place of the present one, else at the end after one blank line. */
export function putBlock(source: string, content: string): BlockEdit {
  const place = findBlock(source);
  if (typeof place === "string") return { fault: place };
  const eol = source.includes("\r\n") ? "\r\n" : "\n";
  const block = [BLOCK_START, ...content.trimEnd().split("\n"), BLOCK_END].join(eol);
  if (place !== undefined) return { text: source.slice(0, place.start) + block + source.slice(place.end) };
  const bare = source.replace(/^\ufeff/, "");
  if (bare.trim() === "") return { text: `${source.slice(0, source.length - bare.length)}${block}${eol}` };
  const gap = source.endsWith("\n") ? (/\n\r?\n$/.test(source) ? "" : eol) : eol + eol;
  return { text: `${source}${gap}${block}${eol}` };
}

/** Takes the block out of a text, with the blank line that stood above it; the text is unchanged if there is none. */
export function removeBlock(source: string): BlockEdit {
  const place = findBlock(source);
  if (typeof place === "string") return { fault: place };
  if (place === undefined) return { text: source };
  const above = source.slice(0, place.start);
  const below = source.slice(place.end).replace(/^\r?\n/, "");
  const trimmed = below.trim() === "" ? above.replace(/(\r?\n)(?:\r?\n)+$/, "$1") : above;
  return { text: trimmed + below };
}

/** Where the block stands; a sentence if its markers can't be trusted. Markers inside code fences are text. */
function findBlock(source: string): Place | string | undefined {
  const markers = markerLines(source);
  if (markers.length === 0) return undefined;
  const [start, end, ...more] = markers;
  const lines = markers.map(({ line }) => line).join(", ");
  if (more.length > 0) return `its markers stand more than once (lines ${lines})`;
  if (start?.isStart !== true || end === undefined || end.isStart) return `its markers are unbalanced (line ${lines})`;
  return { start: start.offset, end: end.offset + BLOCK_END.length };
}

interface Marker {
  readonly isStart: boolean;
  readonly line: number;
  readonly offset: number;
}

function markerLines(source: string): readonly Marker[] {
  const markers: Marker[] = [];
  let fence: string | undefined;
  let offset = 0;
  for (const [index, raw] of source.split("\n").entries()) {
    const line = raw.replace(/\r$/, "").replace(/^\ufeff/, "");
    const run = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && run !== undefined) fence = run;
    else if (fence !== undefined && run?.startsWith(fence) === true && line.trim() === run) fence = undefined;
    else if (fence === undefined && (line.trim() === BLOCK_START || line.trim() === BLOCK_END)) {
      const at = offset + raw.indexOf("<!--");
      markers.push({ isStart: line.trim() === BLOCK_START, line: index + 1, offset: at });
    }
    offset += raw.length + 1;
  }
  return markers;
}
