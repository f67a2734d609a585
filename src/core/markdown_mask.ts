const RUN_OF_MARKERS = /^(?:[ \t]*(?:[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|>)){17,}/gm;
const MARKERS_KEPT = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)]|>)){16}/;
const RULE = /^[ \t]*([-*])(?:[ \t]*\1)*[ \t]*$/;
const FENCE_WITH_TAB = /^ {0,3}(?:`{3,}|~{3,})[ \t]*\t[ \t]*$/gm;
const LIST_MARKERS = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))+/gm;
const STARTS_BLOCK = /^[ \t]*(?:[-*+>#]|\d{1,9}[.)])/;

/** Below this length no list can be long enough to be slow. */
const SHORT = 8192;
/** Lines times characters that may follow a list's marker without another one. */
const LONGEST_TAIL = 2 ** 25;

/**
 * The text that is given to the lexer: as long as the source, character for character, but with line ends that are all
 * `\n`, and with letters in place of list and quote markers that are too many to be meant.
 */
export function maskedSource(source: string): string {
  let masked = source;
  if (/[\r\u2028\u2029]/.test(masked)) {
    masked = masked
      .replace(/\r\n/g, " \n")
      .replaceAll("\r", "\n")
      .replace(/[\u2028\u2029]/g, "\ufffd");
  }
  if (masked.includes("\t")) masked = masked.replace(FENCE_WITH_TAB, (fence) => fence.replaceAll("\t", " "));
  masked = masked.replace(RUN_OF_MARKERS, maskDeepMarkers);
  return masked.length > SHORT ? maskLongItems(masked) : masked;
}

function maskDeepMarkers(run: string, offset: number, text: string): string {
  const lineEnd = text.indexOf("\n", offset);
  if (RULE.test(text.slice(offset, lineEnd === -1 ? text.length : lineEnd))) return run;
  const kept = MARKERS_KEPT.exec(run)?.[0].length ?? 0;
  return run.slice(0, kept) + letters(run.slice(kept));
}

function letters(markers: string): string {
  return markers.replace(/[^ \t]/g, "x");
}

/** Makes a paragraph of each stretch between blank lines where very much follows a list marker. */
function maskLongItems(text: string): string {
  let masked = "";
  let copied = 0;
  for (const { start, end } of longStretches(text)) {
    masked += text.slice(copied, start) + text.slice(start, end).replace(LIST_MARKERS, letters);
    copied = end;
  }
  return masked + text.slice(copied);
}

function longStretches(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let start = 0;
  let lines = 0;
  let characters = 0;
  let isLong = false;
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf("\n", at);
    const next = feed === -1 ? text.length : feed + 1;
    const line = text.slice(at, next);
    if (STARTS_BLOCK.test(line)) lines = characters = 0;
    lines++;
    characters += line.length;
    if (lines * characters > LONGEST_TAIL) isLong = true;
    at = next;
    if (line.trim() !== "" && at < text.length) continue;
    if (isLong) found.push({ start, end: at });
    start = at;
    lines = characters = 0;
    isLong = false;
  }
  return found;
}
