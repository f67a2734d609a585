import { read, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ThreadMindError } from "../errors.ts";
import { decodeText } from "../io/files.ts";
import { hasInput, isInputTerminal } from "./output.ts";

const CHUNK_BYTES = 65_536;
const MOST_PAYLOAD_BYTES = 64 * 1024 * 1024;
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** All of standard input as text. Throws `usage` at a terminal, when it is empty, and when it is not UTF-8. */
export function readInput(verb: string): string {
  const give = `Give the text on standard input: threadmind ${verb} < FILE. To empty it on purpose: threadmind ${verb} --content ""`;
  const refuse = (why: string, hint = give): ThreadMindError =>
    new ThreadMindError("usage", `Cannot run threadmind ${verb}: ${why}.`, hint);
  if (!hasInput() || isInputTerminal()) throw refuse("its text is missing");
  const read = decodeText(readFileSync(0));
  if ("fault" in read) throw refuse(`standard input ${read.fault}`, convertHint(verb, /UTF-16/.test(read.fault)));
  const text = read.text.replace(/^\ufeff/, "");
  if (text.trim() === "") throw refuse("standard input is empty");
  return text;
}

function convertHint(verb: string, isUtf16: boolean): string {
  const from = isUtf16 ? "utf-16" : "latin1";
  return `Convert it from the encoding it is in, e.g.: iconv -f ${from} -t utf-8 FILE | threadmind ${verb}`;
}

/**
 * The JSON object that a client writes to its hook's standard input, as soon as it is complete: clients may leave the pipe
 * open. What came within `limitMs` if it never is; nothing from a terminal.
 */
export async function readPayload(limitMs: number): Promise<string> {
  if (!hasInput() || isInputTerminal()) return "";
  const chunks: Uint8Array[] = [];
  const isComplete = openBraceCount();
  const late = sleep(limitMs);
  for (let size = 0; size < MOST_PAYLOAD_BYTES; ) {
    const chunk = await Promise.race([readChunk(), late]);
    if (chunk === undefined || chunk.length === 0) break;
    chunks.push(chunk);
    size += chunk.length;
    if (isComplete(chunk)) break;
  }
  const decoded = decodeText(Buffer.concat(chunks));
  return "text" in decoded ? decoded.text : "";
}

/** The next bytes of standard input; none at its end. */
async function readChunk(): Promise<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const result = await new Promise<number | string>((resolve) => {
      read(0, buffer, 0, buffer.length, null, (error, count) => resolve(error?.code ?? count));
    });
    if (typeof result === "number") return buffer.subarray(0, result);
    if (result !== "EAGAIN") return buffer.subarray(0, 0);
    await sleep(2);
  }
}

/** Tells, chunk by chunk, whether the object that the bytes begin with is closed. */
function openBraceCount(): (chunk: Uint8Array) => boolean {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (chunk) => {
    for (const byte of chunk) {
      if (isEscaped) isEscaped = false;
      else if (isText && byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isText = !isText;
      else if (!isText && byte === OPEN) depth++;
      else if (!isText && byte === CLOSE && --depth <= 0) return true;
    }
    return false;
  };
}
