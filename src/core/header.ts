/** A file that can't be used as it is, with the place and what to do. */
export interface Unreadable {
  readonly line: number;
  readonly column?: number;
  readonly message: string;
  readonly hint: string;
  /** 1-based line of the first merge-conflict marker, if that is what makes it unreadable */
  readonly conflictLine?: number;
}

/** A line of the header: `to` is its end without the line break, `next` the start of the line below. */
export interface HeaderLine {
  readonly from: number;
  readonly to: number;
  readonly next: number;
  readonly number: number;
  readonly text: string;
}

/** Where a thread file's header is: offsets into the source, and its lines without those of a conflict's other side. */
export interface Header {
  /** 1-based line of the opening fence */
  readonly firstLine: number;
  /** blank lines stand above it, so other readers see no header */
  readonly isDisplaced: boolean;
  readonly open: number;
  /** offset of the closing fence */
  readonly close: number;
  readonly bodyFrom: number;
  readonly bodyLine: number;
  readonly lines: readonly HeaderLine[];
  readonly conflictLine: number | undefined;
}

type Side = "both" | "ours" | "theirs";

const FENCE = /^---[ \t]*$/;
const MARKER = /^(?:={7,}|(?:<{7,}|\|{7,}|>{7,})(?: .*)?)$/s;

/** The number of byte order marks a text starts with. */
export function countByteOrderMarks(source: string): number {
  let count = 0;
  while (source.charCodeAt(count) === 0xfeff) count++;
  return count;
}

/** The line that starts at `from`; `\n`, `\r\n` and a lone `\r` end a line. */
export function lineAt(source: string, from: number, number: number): HeaderLine {
  const feed = source.indexOf("\n", from);
  const end = feed === -1 ? source.length : feed;
  const line = source.slice(from, end);
  const back = line.indexOf("\r");
  if (back === -1) return { from, to: end, next: feed === -1 ? end : end + 1, number, text: line };
  const to = from + back;
  const isPair = to === end - 1 && feed !== -1;
  return { from, to, next: isPair ? to + 2 : to + 1, number, text: line.slice(0, back) };
}

/**
 * Finds the header of a thread file; `undefined` if it has none. A fence is a line that is only `---`. Of a merge
 * conflict the first side counts.
 */
export function findHeader(source: string): Header | Unreadable | undefined {
  const fault = findTextFault(source);
  if (fault !== undefined) return fault;
  const lines: HeaderLine[] = [];
  let opening: HeaderLine | undefined;
  let isDisplaced = false;
  let conflictLine: number | undefined;
  let side: Side = "both";
  let line = lineAt(source, countByteOrderMarks(source), 1);
  for (; line.from < source.length; line = lineAt(source, line.next, line.number + 1)) {
    const { text } = line;
    if (MARKER.test(text)) {
      conflictLine ??= line.number;
      side = sideAfter(text, side);
      continue;
    }
    if (side === "theirs") continue;
    if (opening !== undefined) {
      if (FENCE.test(text)) return { ...span(opening, line), isDisplaced, lines, conflictLine };
      lines.push(line);
    } else if (FENCE.test(text)) opening = line;
    else if (line.number === 1 && text.startsWith("---")) return notAFence(text);
    else if (text.trim() === "") isDisplaced = true;
    else return undefined;
  }
  return opening === undefined || isDisplaced ? undefined : neverCloses(opening.number, conflictLine);
}

function span(
  opening: HeaderLine,
  closing: HeaderLine,
): Pick<Header, "firstLine" | "open" | "close" | "bodyFrom" | "bodyLine"> {
  const [firstLine, open, close] = [opening.number, opening.next, closing.from];
  return { firstLine, open, close, bodyFrom: closing.next, bodyLine: closing.number + 1 };
}

/** What makes a text no thread file at all: nothing in it, or bytes that no text has. */
function findTextFault(source: string): Unreadable | undefined {
  const hint = "Bring an earlier text back: <restore>.";
  const zero = source.indexOf("\0");
  if (zero !== -1) {
    const line = source.slice(0, zero).split("\n").length;
    const message = "It holds a NUL byte, so it is not text in UTF-8.";
    return { line, message, hint: "Save it as UTF-8, or bring an earlier text back: <restore>." };
  }
  return /\S/.test(source) ? undefined : { line: 1, message: "It is empty.", hint };
}

function sideAfter(marker: string, side: Side): Side {
  if (marker.startsWith("<")) return "ours";
  if (marker.startsWith(">")) return "both";
  return side === "both" ? "both" : "theirs";
}

function notAFence(text: string): Unreadable {
  const start = text.length > 20 ? `${text.slice(0, 20)}…` : text;
  const message = `Its first line, ${start}, starts like a header's fence and is none.`;
  return { line: 1, message, hint: "Make the first line exactly ---, and put the rest of it on a line of its own." };
}

function neverCloses(line: number, conflictLine: number | undefined): Unreadable {
  const message = "Its header never closes.";
  if (conflictLine === undefined) return { line, message, hint: "Add a line that is only --- below the last key." };
  return { line, message, hint: "Run threadmind resolve, or settle the merge conflict in the file.", conflictLine };
}
