const LINE_BREAKS = /\r\n|[\r\u0085\u2028\u2029]/g;
const BIDI_AND_MARKS = /[\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text with `\n` as its line breaks, without other control characters (tabs stay), bidirectional overrides and byte order marks. */
export function dropControls(text: string): string {
  return text
    .replace(LINE_BREAKS, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "")
    .replace(BIDI_AND_MARKS, "");
}

/** A title or other text for one line: a space for each run of line breaks and controls, no bidirectional overrides. */
export function stripControls(text: string): string {
  return text.replace(BIDI_AND_MARKS, "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
