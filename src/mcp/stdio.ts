import { read, write } from "node:fs";
import process from "node:process";

/** The client at standard input and output, a line at a time. */
export interface Lines {
  /** hands over each line to come; an over-long one is `undefined` */
  follow(onLine: (line: string | undefined) => void, onEnd: () => void): void;
  /** writes a line whole, after those before it; rejects when the client has closed its end */
  send(line: string): Promise<void>;
  /** settles once all that was sent is written, or can't be */
  flushed(): Promise<void>;
}

const MOST_LINE_BYTES = 64 * 1024 * 1024;

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 65_536;

/**
 * Opens the file descriptors themselves: process.stdin and process.stdout would load Node's streams at every start. Reading
 * begins with the first `follow()`; a later one takes over from it, and is told of an end that was there before.
 */
export function openLines(): Lines {
  let onLine: ((line: string | undefined) => void) | undefined;
  let onEnd: () => void = () => undefined;
  let isEnded = false;
  let sending: Promise<void> = Promise.resolve();
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    onEnd();
  };
  return {
    follow(nextLine, nextEnd) {
      const isFirst = onLine === undefined;
      onLine = nextLine;
      onEnd = nextEnd;
      if (isFirst) readLines((line) => onLine?.(line), end);
      else if (isEnded) nextEnd();
    },
    send(line) {
      sending = sending.then(() => writeAll(new TextEncoder().encode(`${line}\n`)));
      return sending;
    },
    flushed: () => sending.catch(() => undefined),
  };
}

/** Reads standard input to its end, a line at a time; an over-long line is `undefined`. */
function readLines(onLine: (line: string | undefined) => void, onEnd: () => void): void {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array): void => {
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      parts.push(chunk.slice(start, at));
      onLine(size > MOST_LINE_BYTES ? undefined : Buffer.concat(parts).toString("utf8"));
      parts = [];
      size = 0;
      start = at + 1;
    }
    size += chunk.length - start;
    if (size > MOST_LINE_BYTES) parts = [];
    else parts.push(chunk.slice(start));
  };
  const next = (): void => {
    read(STDIN, buffer, 0, CHUNK_BYTES, null, (error, count) => {
      if (error !== null && error.code === "EAGAIN") {
        followStream(take, onEnd);
      } else if (error !== null || count === 0) {
        onEnd();
      } else {
        take(buffer.subarray(0, count));
        next();
      }
    });
  };
  next();
}

/**
 * Standard input that doesn't block (a socket of some clients) is left to Node's stream once it has nothing to read:
 * asking it again and again would keep a processor busy for as long as the client is silent.
 */
function followStream(take: (chunk: Uint8Array) => void, onEnd: () => void): void {
  process.stdin.on("data", take);
  process.stdin.on("end", onEnd);
  process.stdin.on("close", onEnd);
  process.stdin.on("error", onEnd);
}

/** Writes all bytes to standard output; rejects when the client has closed it. */
function writeAll(bytes: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const next = (offset: number): void => {
    write(STDOUT, bytes, offset, bytes.length - offset, null, (error, count) => {
      if (error !== null && error.code === "EAGAIN") setTimeout(() => next(offset), 5);
      else if (error !== null) reject(error);
      else if (offset + count < bytes.length) next(offset + count);
      else resolve();
    });
  };
  next(0);
  return promise;
}
