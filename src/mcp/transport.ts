import { read, write } from "node:fs";
import process from "node:process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CancelledNotificationSchema,
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

/** A stdio transport and the moment when the client is gone and its last requests are answered. */
export interface StdioTransport extends Transport {
  readonly closed: Promise<void>;
}

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 65_536;
const MOST_LINE_BYTES = 64 * 1024 * 1024;
const LAST_ANSWERS_MS = 900;

/**
 * MCP's stdio transport over the file descriptors: process.stdin and process.stdout would load Node's streams at
 * every start. A line that can't be used is answered with a JSON-RPC error; it never ends the session.
 */
export function openStdio(): StdioTransport {
  const { promise: closed, resolve: settleClosed } = Promise.withResolvers<void>();
  const unanswered = new Set<RequestId>();
  let isEnding = false;
  let sending: Promise<void> = Promise.resolve();

  const sendLine = (line: string): Promise<void> => {
    sending = sending.then(() => writeAll(new TextEncoder().encode(`${line}\n`))).catch(() => finish());
    return sending;
  };
  const finish = (): void => {
    settleClosed();
    transport.onclose?.();
  };
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    const timer = setTimeout(finish, LAST_ANSWERS_MS);
    if (unanswered.size === 0) {
      clearTimeout(timer);
      sending.then(finish, finish);
    }
  };
  const receive = (line: string | undefined): void => {
    const parsed = parseMessage(line);
    if (parsed === undefined) return;
    if ("refusal" in parsed) {
      void sendLine(JSON.stringify(parsed.refusal));
      return;
    }
    const { message } = parsed;
    if ("method" in message && "id" in message) unanswered.add(message.id);
    const cancelled = CancelledNotificationSchema.safeParse(message);
    if (cancelled.success && cancelled.data.params.requestId !== undefined)
      unanswered.delete(cancelled.data.params.requestId);
    transport.onmessage?.(message);
  };

  const transport: StdioTransport = {
    closed,
    async start() {
      readLines(receive, end);
    },
    async send(message: JSONRPCMessage) {
      const isAnswer = !("method" in message) && "id" in message;
      await sendLine(JSON.stringify(withPlainError(message)));
      if (!isAnswer) return;
      if (message.id !== undefined) unanswered.delete(message.id);
      if (isEnding && unanswered.size === 0) finish();
    },
    async close() {
      end();
    },
  };
  return transport;
}

type Refusal = { readonly refusal: unknown };
type Parsed = { readonly message: JSONRPCMessage } | Refusal;

function parseMessage(line: string | undefined): Parsed | undefined {
  if (line === undefined) return refusal(undefined, -32600, "Invalid request: the line is longer than 64 MiB");
  if (line.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refusal(undefined, -32700, "Parse error: the line is not JSON");
  }
  const result = JSONRPCMessageSchema.safeParse(value);
  if (result.success) return { message: result.data };
  if (typeof value !== "object" || value === null) return refusal(undefined, -32600, "Invalid request: not an object");
  if (Array.isArray(value)) return refusal(undefined, -32600, "Invalid request: batches are not supported");
  const { id, method } = value as { readonly id?: unknown; readonly method?: unknown };
  if (method === undefined && ("result" in value || "error" in value)) return undefined;
  const hasId = typeof id === "string" || typeof id === "number";
  return refusal(hasId ? id : undefined, -32600, "Invalid request: not a JSON-RPC 2.0 message");
}

/** An error for a line that can't be used; MCP's has no id where JSON-RPC's has null, which clients take for no message. */
function refusal(id: string | number | undefined, code: number, message: string): Refusal {
  return { refusal: { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message } } };
}

/** The SDK answers parameters of a wrong shape as an internal error, with its checker's findings as JSON for a message. */
function withPlainError(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.code !== ErrorCode.InternalError) return message;
  const finding = /^\[\s*\{/.test(message.error.message) ? firstFinding(message.error.message) : undefined;
  if (finding === undefined) return message;
  return { ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid params: ${finding}` } };
}

function firstFinding(text: string): string | undefined {
  try {
    const [finding]: readonly { readonly path?: unknown; readonly message?: unknown }[] = JSON.parse(text);
    const place = Array.isArray(finding?.path) ? finding.path.join(".") : "";
    return typeof finding?.message === "string" ? `${place}: ${finding.message}` : undefined;
  } catch {
    return undefined;
  }
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
