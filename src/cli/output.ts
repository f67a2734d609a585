import { fstatSync, writeSync } from "node:fs";
import process from "node:process";
import { ThreadMindError } from "../errors.ts";
import { paint } from "./color.ts";
import { isTerminal } from "./terminal.ts";

const STDOUT = 1;
const STDERR = 2;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must not reach a terminal
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Writes the answer to standard output, whole, with a line end; a reader that has gone away is no error. */
export function writeAnswer(text: string): void {
  writeWhole(STDOUT, clean(text));
}

/** Writes the answer as `writeAnswer()` does, in colours of ours alone. */
export function writePainted(text: string): void {
  writeWhole(STDOUT, paint(clean(text)));
}

/** Writes a line for the person to standard error. */
export function writeNotice(text: string): void {
  writeWhole(STDERR, clean(text));
}

/** Writes a JSON document to standard output. */
export function writeJson(value: unknown): void {
  writeWhole(STDOUT, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Text that can't carry escape sequences to a terminal. */
function clean(text: string): string {
  const safe = text.replace(CONTROLS, "");
  return safe === "" || safe.endsWith("\n") ? safe : `${safe}\n`;
}

function writeWhole(fd: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") process.exit(process.exitCode ?? 0);
      if (code !== "EAGAIN") throw unwritable(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

function unwritable(error: unknown): ThreadMindError {
  const why = error instanceof Error ? error.message : String(error);
  return new ThreadMindError("storage", `Cannot write the answer: ${why}.`, "");
}

/** True if standard input is a terminal. */
export function isInputTerminal(): boolean {
  return isTerminal(0);
}

/** True if standard input is open. */
export function hasInput(): boolean {
  try {
    fstatSync(0);
    return true;
  } catch {
    return false;
  }
}
