import process from "node:process";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { INSTRUCTIONS } from "../commands/instructions.ts";
import { COMMANDS } from "../commands/registry.ts";
import { findNearest, quote } from "../core/id.ts";
import { describeError, ThreadMindError } from "../errors.ts";
import { parentPid } from "../io/client_process_id.ts";
import type { Consent } from "../io/scene.ts";
import { openSession } from "../io/session.ts";
import { CAPABILITIES, type ReceivedLine, SERVER_INFO } from "./first_answers.ts";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";
import { followRoots } from "./roots.ts";
import type { ServeOptions } from "./serve.ts";
import type { Lines } from "./stdio.ts";
import { textContent } from "./text.ts";
import { TOOL_LIST } from "./tool_list.ts";
import { openTransport } from "./transport.ts";
import { openTurns } from "./turns.ts";

const ANSWER_MINUTES = 5;
const CANCELLED = "the call was cancelled";
const GARBLED = "the client's answer to the question can't be understood";

/** Serves what the first answers don't, with the SDK; `received` are the lines that came before. */
export async function serveWithSdk(
  { root, directory }: ServeOptions,
  lines: Lines,
  received: readonly ReceivedLine[],
): Promise<void> {
  const server = new Server(SERVER_INFO, {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: { getValidator: () => () => ({ valid: true, data: undefined, errorMessage: "" }) as never },
  });
  let call: Call | undefined;
  const session = openSession({
    whereabouts: { root, directory },
    now: () => new Date(),
    clientPid: parentPid(),
    confirm: (question) => confirm(question),
  });
  const { inTurn, letOthersGoOn } = openTurns(followRoots(server, session));
  const begin = (next: Call): void => {
    call = next;
    session.take(next.number);
  };
  const confirm = async (question: string): Promise<Consent> => {
    if (call === undefined || server.getClientCapabilities()?.elicitation?.form === undefined) return "unasked";
    const asking = call;
    const { signal } = asking;
    const answer = await letOthersGoOn(() => askClient(server, question, signal)).finally(() => begin(asking));
    if (signal.aborted) throw noAnswer(CANCELLED);
    return answer;
  };
  const resources = offerResources(server, session, inTurn);
  offerPrompts(server, session, inTurn);

  const tools: Tool[] = JSON.parse(TOOL_LIST);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const command = COMMANDS.find(({ name }) => name === params.name);
    if (command === undefined) throw unknownTool(params.name);
    const number = session.hear();
    return inTurn(async () => {
      begin({ number, signal });
      if (signal.aborted) return textResult("Cancelled before it began.", false);
      const run = () => answerOf(() => command.call(session, params.arguments ?? {}));
      return command.effect === "read" ? run() : resources.around(run);
    });
  });

  const transport = openTransport(lines, received);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void transport.close());
  await server.connect(transport);
  await transport.closed;
  session.leave();
  process.exit(0);
}

/** A tool's call: the number it got when it arrived, and whether the client has cancelled it. */
interface Call {
  readonly number: number;
  readonly signal: AbortSignal;
}

/**
 * Asks the person through the client's form. The question is withdrawn after five minutes, and when the call itself is
 * cancelled. Throws `refused` without an answer that can be understood.
 */
async function askClient(server: Server, question: string, signal: AbortSignal): Promise<Consent> {
  const requestedSchema = {
    type: "object" as const,
    properties: { confirm: { type: "boolean" as const, title: "Yes, do it", default: false } },
    required: ["confirm"],
  };
  const { action, content } = await server
    .elicitInput({ message: question, requestedSchema }, { timeout: ANSWER_MINUTES * 60_000, signal })
    .catch((error: unknown) => {
      throw noAnswer(signal.aborted ? CANCELLED : whyUnanswered(error));
    });
  if (action !== "accept") return action === "cancel" ? "closed" : "no";
  if (typeof content?.confirm !== "boolean") throw noAnswer(`${GARBLED}: it has no true or false for confirm`);
  return content.confirm ? "yes" : "no";
}

/** The SDK's own errors are for people; its checker's findings, which are JSON, are not. */
function whyUnanswered(error: unknown): string {
  if (!(error instanceof McpError)) return GARBLED;
  if (error.code === ErrorCode.RequestTimeout) return `nobody answered the question within ${ANSWER_MINUTES} minutes`;
  return `the client could not ask (${error.message.replace(/^MCP error -?\d+: /, "")})`;
}

function noAnswer(why: string): ThreadMindError {
  return new ThreadMindError("refused", `Nothing was done: ${why}.`, "Call again when a person can answer.");
}

async function answerOf(call: () => Promise<{ readonly text: string }>): Promise<CallToolResult> {
  try {
    return textResult((await call()).text, false);
  } catch (error) {
    if (error instanceof ThreadMindError) return textResult(describeError(error), true);
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`threadmind: a bug: ${detail}\n`);
    return textResult(`This is a bug in ThreadMind: ${error instanceof Error ? error.message : String(error)}`, true);
  }
}

function textResult(text: string, isError: boolean): CallToolResult {
  return isError ? { content: [textContent(text)], isError } : { content: [textContent(text)] };
}

/** No `McpError`: that one writes its code into the message, and so does the client. */
function unknownTool(name: string): Error {
  const [nearest] = findNearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  const hint = nearest === undefined ? "see tools/list" : `did you mean ${nearest}?`;
  return Object.assign(new Error(`Unknown tool ${quote(name)}: ${hint}`), { code: ErrorCode.InvalidParams });
}
