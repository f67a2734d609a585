import { Buffer } from "node:buffer";
import { guessLongLine, openTally, parseTranscriptLine, type Tally } from "../core/transcript_record.ts";
import { ThreadMindError } from "../errors.ts";
import { type ByteFile, readByteFile } from "./byte_file.ts";

/** How large a conversation was at the end and at most, in tokens as the provider counted them; `undefined` where unknown. */
export interface Measurement {
  readonly size: number | undefined;
  readonly peak: number | undefined;
}

const LIMIT_MS = 800;
const FIRST_READ = 64 * 1024;
/** Large enough that calls cost nothing, small enough to stay in the processor's cache. */
const USUAL_READ = 1024 * 1024;
/** Also the length of the longest line that is parsed. */
const LARGEST_READ = 4 * 1024 * 1024;
const GLIMPSE = 4096;
const NEWLINE = 0x0a;

// With both quotes: where such a text stands inside a JSON string, its quotes are escaped.
const [RESPONSE, BOUNDARY, TOKEN_COUNT, COMPACTED, LAST_USAGE, GEMINI, REWRITTEN] = [
  Buffer.from('"assistant"'),
  Buffer.from('"compact_boundary"'),
  Buffer.from('"token_count"'),
  Buffer.from('"compacted"'),
  Buffer.from('"last_token_usage"'),
  Buffer.from('"gemini"'),
  Buffer.from('"$set":{"messages"'),
];
/** What may tell the peak once the size is known. */
const PEAK_MARKS = { "claude-code": BOUNDARY, codex: LAST_USAGE, gemini: GEMINI };

const USAGE_INPUT = Buffer.from('"last_token_usage":{"input_tokens":');
const OUTPUT = Buffer.from('"output_tokens":');
const MOST_BETWEEN = 200;
const [QUOTE, COMMA, DIGIT_0, OPEN, CLOSE] = [0x22, 0x2c, 0x30, 0x7b, 0x7d];

/**
 * Measures a conversation from a Claude Code transcript, a Codex rollout or a Gemini chat, within about `limitMs`; `undefined` if there is
 * no such file, or it is no regular file. A file that can't be read, or that is cut while it is, leaves both numbers unknown.
 * Shapes: records of Claude Code 2.1, Codex 0.171 and Gemini CLI 0.61.
 */
export function measureTranscript(
  path: string,
  { limitMs = LIMIT_MS }: { readonly limitMs?: number } = {},
): Measurement | undefined {
  const deadline = performance.now() + limitMs;
  try {
    return readByteFile(path, (file) => measure(file, () => performance.now() >= deadline));
  } catch (error) {
    if (error instanceof ThreadMindError && error.code === "storage") return { size: undefined, peak: undefined };
    throw error;
  }
}

/** Reads whole lines backwards: all that may tell the size until that is settled, then those that may tell the peak. */
function measure(file: ByteFile, isLate: () => boolean): Measurement {
  const buffer = Buffer.allocUnsafe(Math.min(file.size, LARGEST_READ));
  const tally = openTally();
  const unfinished = (): Measurement => ({ size: tally.isSettled ? tally.size() : undefined, peak: undefined });
  let reach = FIRST_READ;
  for (let end = file.size; end > 0; ) {
    if (isLate()) return unfinished();
    const from = Math.max(0, end - reach);
    const bytes = buffer.subarray(0, end - from);
    file.fill(bytes, from);
    const start = from === 0 ? 0 : firstLineStart(bytes);
    if (start !== undefined) {
      if (!takeLines(bytes.subarray(start), tally, isLate)) return unfinished();
      end = from + start;
      reach = Math.min(reach * 2, USUAL_READ);
    } else if (reach < LARGEST_READ) {
      reach *= 2;
    } else {
      const lineStart = passLongLine(file, end, bytes, tally, isLate);
      if (lineStart === undefined) return unfinished();
      end = lineStart;
      reach = USUAL_READ;
    }
  }
  return { size: tally.size(), peak: tally.peak() };
}

/** Where the first line starts that these bytes hold from its start; the line break that ends them starts none. */
function firstLineStart(bytes: Buffer): number | undefined {
  const start = bytes.indexOf(NEWLINE) + 1;
  return start === 0 || start === bytes.length ? undefined : start;
}

/** Adds what these whole lines say, from the last to the first; false if time ran out. */
function takeLines(lines: Buffer, tally: Tally, isLate: () => boolean): boolean {
  let find = finderOf(lines, tally);
  for (let end = lines.length; end > 0; ) {
    if (isLate()) return false;
    const hit = find(end);
    if (hit === -1) return true;
    if (tally.isSettled && isBelow(lines, hit, tally.highest)) {
      end = hit;
      continue;
    }
    const lineStart = lines.lastIndexOf(NEWLINE, hit) + 1;
    const lineEnd = lines.indexOf(NEWLINE, hit);
    const wasSettled = tally.isSettled;
    const fact = parseTranscriptLine(lines.toString("utf8", lineStart, lineEnd === -1 ? lines.length : lineEnd));
    if (fact !== undefined) tally.add(fact);
    if (tally.isSettled !== wasSettled) find = finderOf(lines, tally);
    end = lineStart;
  }
  return true;
}

/** Finds the last place before a given one where a record of interest may be; -1 if there is none. */
function finderOf(bytes: Buffer, { isSettled, client }: Tally): (end: number) => number {
  const marks = isSettled
    ? [PEAK_MARKS[client ?? "claude-code"]]
    : [RESPONSE, BOUNDARY, TOKEN_COUNT, COMPACTED, GEMINI, REWRITTEN];
  const places = marks.map((mark) => ({ mark, at: Number.POSITIVE_INFINITY }));
  return (end) => {
    let last = -1;
    for (const place of places) {
      // Each mark's next place is kept, so that a rare one isn't sought again for every hit of another.
      if (place.at >= end) place.at = end === 0 ? -1 : bytes.lastIndexOf(place.mark, end - 1);
      last = Math.max(last, place.at);
    }
    return last;
  };
}

/** True if a count of Codex, written as Codex writes it, is no new peak: a rollout may hold 100,000 of them. */
function isBelow(bytes: Buffer, hit: number, highest: number): boolean {
  if (!standsAt(bytes, USAGE_INPUT, hit)) return false;
  const start = hit + USAGE_INPUT.length;
  const input = numberAt(bytes, start);
  if (input === undefined) return false;
  for (let place = start; place < start + MOST_BETWEEN; place++) {
    const byte = bytes[place];
    if (byte === OPEN || byte === CLOSE) return false;
    if (byte !== QUOTE || !standsAt(bytes, OUTPUT, place)) continue;
    const output = numberAt(bytes, place + OUTPUT.length);
    return output !== undefined && input + output <= highest;
  }
  return false;
}

function standsAt(bytes: Buffer, mark: Buffer, place: number): boolean {
  for (let at = 0; at < mark.length; at++) if (bytes[place + at] !== mark[at]) return false;
  return true;
}

/** The number of at most nine digits that is a value here. */
function numberAt(bytes: Buffer, start: number): number | undefined {
  let value = 0;
  for (let place = start; place < start + 10; place++) {
    const byte = bytes[place];
    if (place > start && (byte === COMMA || byte === CLOSE)) return value;
    const digit = (byte ?? 0) - DIGIT_0;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return undefined;
}

/** Looks at both ends of a line that is too long to parse, whose last part is given; returns where it starts, `undefined` if late. */
function passLongLine(
  file: ByteFile,
  end: number,
  last: Buffer,
  tally: Tally,
  isLate: () => boolean,
): number | undefined {
  const tail = last.toString("latin1", last.length - GLIMPSE);
  let start = end - last.length;
  while (start > 0) {
    if (isLate()) return undefined;
    const from = Math.max(0, start - USUAL_READ);
    const bytes = last.subarray(0, start - from);
    file.fill(bytes, from);
    const lineBreak = bytes.lastIndexOf(NEWLINE);
    start = lineBreak === -1 ? from : from + lineBreak + 1;
    if (lineBreak !== -1) break;
  }
  const head = last.subarray(0, GLIMPSE);
  file.fill(head, start);
  const fact = guessLongLine(head.toString("latin1"), tail);
  if (fact !== undefined) tally.add(fact);
  return start;
}
