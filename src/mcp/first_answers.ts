import { INSTRUCTIONS } from "../commands/instructions.ts";
import { VERSION } from "../version.ts";
import { TOOL_LIST } from "./tool_list.ts";

/** A line that came before the SDK was there. */
export interface ReceivedLine {
  readonly line: string | undefined;
  readonly isAnswered: boolean;
}

/** What the server says of itself. */
export const SERVER_INFO = { name: "thread-mind", title: "ThreadMind", version: VERSION };

/** What the server offers. */
export const CAPABILITIES = {
  tools: {},
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
};

/** The revisions of the protocol that the SDK speaks, the newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

const METHOD_NOT_FOUND = -32601;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The answer to one of the requests with which every client begins, as the SDK would give it; `undefined` for any other
 * line, and for one that isn't of the usual form. Nothing is read for it: it is what a client waits for at each start.
 */
export function firstAnswer(line: string): string | undefined {
  const request = parseRequest(line);
  if (request === undefined) return undefined;
  const { id, method, params } = request;
  const give = (result: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  if (method === "initialize") {
    const version = greetingVersion(params);
    return version === undefined ? undefined : give(JSON.stringify(greeting(version)));
  }
  if (method === "tools/list" && isPlain(params)) return give(`{"tools":${TOOL_LIST}}`);
  if (method === "ping" && isPlain(params)) return give("{}");
  // Newer clients ask this before they fall back to the handshake.
  if (method !== "server/discover") return undefined;
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } });
}

/** True for the notification that ends the handshake, which asks for nothing at once. */
export function isInitialized(line: string): boolean {
  const message = parseFields(line);
  return message?.method === "notifications/initialized" && !("id" in message);
}

interface Request {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
}

function parseRequest(line: string): Request | undefined {
  const message = parseFields(line);
  if (message === undefined || message.jsonrpc !== "2.0" || "result" in message || "error" in message) return undefined;
  const { id, method, params } = message;
  const isId = typeof id === "string" || Number.isInteger(id);
  return isId && typeof method === "string" ? { id: id as string | number, method, params } : undefined;
}

function parseFields(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    // the SDK's side says what is wrong with it
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for parameters that ask for nothing special. */
function isPlain(params: unknown): boolean {
  return params === undefined || (isFields(params) && Object.keys(params).every((key) => key === "_meta"));
}

/** The revision to speak with a client, if it introduces itself as it should: its own where that is known, else the newest. */
function greetingVersion(params: unknown): string | undefined {
  if (!isFields(params)) return undefined;
  const { protocolVersion, capabilities, clientInfo } = params;
  const isClient =
    isFields(clientInfo) && typeof clientInfo.name === "string" && typeof clientInfo.version === "string";
  if (typeof protocolVersion !== "string" || !isFields(capabilities) || !isClient) return undefined;
  return PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : PROTOCOL_VERSIONS[0];
}

function greeting(protocolVersion: string): object {
  return { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER_INFO, instructions: INSTRUCTIONS };
}
