import process from "node:process";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { Command } from "../commands/command.ts";
import { INSTRUCTIONS } from "../commands/instructions.ts";
import { COMMANDS } from "../commands/registry.ts";
import { findNearest, quote } from "../core/id.ts";
import { describeError, ThreadMindError } from "../errors.ts";
import { openSession, parentPid } from "../io/session.ts";
import { VERSION } from "../version.ts";
import { followRoots } from "./roots.ts";
import { openStdio } from "./transport.ts";

/** How the server is started. */
export interface ServeOptions {
  readonly root?: string | undefined;
  readonly directory?: string | undefined;
}

/** Serves MCP on standard input and output until the client is gone. */
export async function serve({ root, directory }: ServeOptions): Promise<void> {
  const server = new Server(
    { name: "thread-mind", title: "ThreadMind", version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: { getValidator: () => () => ({ valid: true, data: undefined, errorMessage: "" }) as never },
    },
  );
  const session = openSession({ whereabouts: { root, directory }, now: () => new Date(), clientPid: parentPid() });
  const rootsKnown = followRoots(server, session);
  let running: Promise<unknown> = Promise.resolve();

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: COMMANDS.map(toolOf) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const command = COMMANDS.find(({ name }) => name === params.name);
    if (command === undefined) throw unknownTool(params.name);
    const answer = running.then(async () => {
      await rootsKnown();
      return answerOf(() => command.call(session, params.arguments ?? {}));
    });
    running = answer;
    return answer;
  });

  const transport = openStdio();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void transport.close());
  await server.connect(transport);
  await transport.closed;
  process.exit(0);
}

/** A command as a tool: the one place where effects become annotations. */
export function toolOf(command: Command): Tool {
  const { name, title, description, effect, isIdempotent } = command;
  return {
    ...{ name, title, description },
    inputSchema: command.inputSchema() as Tool["inputSchema"],
    annotations: {
      title,
      readOnlyHint: effect === "read",
      destructiveHint: effect === "destroy",
      idempotentHint: isIdempotent,
      openWorldHint: false,
    },
  };
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
  return isError ? { content: [{ type: "text", text }], isError } : { content: [{ type: "text", text }] };
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
