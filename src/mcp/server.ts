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
import { type InTurn, offerResources } from "./resources.ts";
import { followRoots } from "./roots.ts";
import type { ServeOptions } from "./serve.ts";
import type { Lines } from "./stdio.ts";
import { textContent } from "./text.ts";
import { TOOL_LIST } from "./tool_list.ts";
import { openTransport } from "./transport.ts";

const ANSWER_MS = 60_000;

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
  let cancelled: AbortSignal | undefined;
  const session = openSession({
    whereabouts: { root, directory },
    now: () => new Date(),
    clientPid: parentPid(),
    confirm: (question) => askClient(server, question, cancelled),
  });
  const rootsKnown = followRoots(server, session);
  let running: Promise<unknown> = Promise.resolve();
  const inTurn: InTurn = (action) => {
    const turn = running.then(async () => {
      await rootsKnown();
      return action();
    });
    running = turn.catch(() => undefined);
    return turn;
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
      session.take(number);
      if (signal.aborted) return textResult("Cancelled before it began.", false);
      cancelled = signal;
      const call = () => answerOf(() => command.call(session, params.arguments ?? {}));
      return command.effect === "read" ? call() : resources.around(call);
    });
  });

  const transport = openTransport(lines, received);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void transport.close());
  await server.connect(transport);
  await transport.closed;
  session.leave();
  process.exit(0);
}

/**
 * Asks the person through the client's form; a client without forms asks nothing. Other calls wait for the answer, so
 * the question is withdrawn after a minute. Throws `refused` without an answer, also when the call itself is cancelled.
 */
async function askClient(server: Server, question: string, cancelled: AbortSignal | undefined): Promise<Consent> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return "unasked";
  const requestedSchema = {
    type: "object" as const,
    properties: { confirm: { type: "boolean" as const, title: "Yes, do it", default: false } },
    required: ["confirm"],
  };
  const patience = { timeout: ANSWER_MS, ...(cancelled === undefined ? {} : { signal: cancelled }) };
  try {
    const { action, content } = await server.elicitInput({ message: question, requestedSchema }, patience);
    return action === "accept" && content?.confirm === true ? "yes" : "no";
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isLate = error instanceof McpError && error.code === ErrorCode.RequestTimeout;
    throw new ThreadMindError(
      "refused",
      `Nothing was done: ${isLate ? `nobody answered the question within ${ANSWER_MS / 1000} seconds` : `the client could not ask (${why})`}.`,
      "Call again when a person can answer.",
    );
  }
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
