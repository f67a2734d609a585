import { setImmediate as nextTurn } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CancelledNotificationSchema,
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { isInitialized, type ReceivedLine } from "./first_answers.ts";
import type { Lines } from "./stdio.ts";

/** A stdio transport and the moment when the client is gone and its last requests are answered. */
export interface StdioTransport extends Transport {
  readonly closed: Promise<void>;
}

const LAST_ANSWERS_MS = 900;

/**
 * MCP's stdio transport. `received` are the lines that came before it was there; those among them that are `answered` are
 * told to the SDK, which has to know of the handshake, and its answer goes nowhere. A line that can't be used is
 * answered with a JSON-RPC error; it never ends the session.
 */
export function openTransport(lines: Lines, received: readonly ReceivedLine[]): StdioTransport {
  const { promise: closed, resolve: settleClosed } = Promise.withResolvers<void>();
  const unanswered = new Set<RequestId>();
  const answered = new Set<RequestId>();
  let isEnding = false;
  let sending: Promise<void> = Promise.resolve();

  const sendLine = (line: string): Promise<void> => {
    sending = lines.send(line).catch(() => finish());
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
  const receive = (line: string | undefined, isAnswered = false): void => {
    const parsed = parseMessage(line);
    if (parsed === undefined) return;
    if ("refusal" in parsed) {
      void sendLine(JSON.stringify(parsed.refusal));
      return;
    }
    const { message } = parsed;
    if ("method" in message && "id" in message) (isAnswered ? answered : unanswered).add(message.id);
    const cancelled = CancelledNotificationSchema.safeParse(message);
    if (cancelled.success && cancelled.data.params.requestId !== undefined)
      unanswered.delete(cancelled.data.params.requestId);
    transport.onmessage?.(message);
  };

  const transport: StdioTransport = {
    closed,
    async start() {
      // More may come in meanwhile.
      for (let at = 0; at < received.length; at++) {
        const { line, isAnswered } = received[at] ?? { line: "", isAnswered: false };
        receive(line, isAnswered);
        // The handshake's steps follow each other as if they were read one by one.
        if (isAnswered || isInitialized(line ?? "")) await nextTurn();
      }
      lines.follow(receive, end);
    },
    async send(message: JSONRPCMessage) {
      const isAnswer = !("method" in message) && "id" in message;
      if (isAnswer && message.id !== undefined && answered.delete(message.id)) return;
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
