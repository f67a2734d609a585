const MARKER = /^(?:<{7,}|>{7,})(?=[ \t\r\n]|$)/m;
const OPENING = /^<{7,}(?=[ \t\r\n]|$)/m;
const DIVIDER = /^={7,}[ \t]*\r?$/m;
const OPENS_FENCE = /^(`{3,})[^`]*$|^(~{3,})/;

interface Marker {
  readonly line: number;
  readonly opens: boolean;
}

/**
 * The 1-based line of the first merge-conflict marker that is meant as one: a whole set, or what is left of it. Markers
 * within a closed fenced code block are an example.
 */
export function findConflict(text: string): number | undefined {
  if (!text.includes("<<<<<<<") && !text.includes(">>>>>>>")) return undefined;
  if (!MARKER.test(text)) return undefined;
  // Seven quote signs alone are a deep quote; what is left of a set has its divider at least.
  if (!OPENING.test(text) && !DIVIDER.test(text)) return undefined;
  const lines = text.split(/\r\n|\r|\n/);
  const unclosed = new Map<string, number>();
  const cut: Marker[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = fenceEnd(lines, at, unclosed);
    const markers = markersOf(lines, at, end);
    if (end === at + 1 && markers.length > 0) return (cut[0] ?? markers[0])?.line;
    // A fence that holds one end of a set hides nothing if the other end stands outside.
    if (markers.filter(({ opens }) => opens).length * 2 !== markers.length) cut.push(...markers);
    at = end;
  }
  return undefined;
}

/**
 * The index after the fenced block that starts at a line; after that line if none does or it is never closed. `unclosed`
 * holds, by character, the shortest fence that is known to stay open.
 */
function fenceEnd(lines: readonly string[], start: number, unclosed: Map<string, number>): number {
  const match = OPENS_FENCE.exec(lines[start] ?? "");
  const fence = match?.[1] ?? match?.[2];
  if (fence === undefined) return start + 1;
  const character = fence.charAt(0);
  if (fence.length >= (unclosed.get(character) ?? Number.POSITIVE_INFINITY)) return start + 1;
  const closes = new RegExp(`^ {0,3}${character}{${fence.length},}[ \\t]*$`);
  for (let at = start + 1; at < lines.length; at++) {
    if (closes.test(lines[at] ?? "")) return at + 1;
  }
  unclosed.set(character, fence.length);
  return start + 1;
}

function markersOf(lines: readonly string[], start: number, end: number): Marker[] {
  return lines
    .slice(start, end)
    .flatMap((line, index) => (MARKER.test(line) ? [{ line: start + index + 1, opens: line.startsWith("<") }] : []));
}
