import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CallToolResultSchema,
  type ClientCapabilities,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  type Implementation,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { PROGRAM } from "./binary.ts";
import { environment, temporaryHome, type Variables } from "./temp.ts";

/** What a tool answered, as a person reads it. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** How a client connects and what it says it can do. */
export interface ClientOptions {
  readonly cwd: string;
  readonly home?: string;
  readonly env?: Variables;
  /** Arguments after the program; by default none, as clients start it. */
  readonly args?: readonly string[];
  /** Folders or addresses the client offers as roots; "unanswered" offers them and then keeps silent. */
  readonly roots?: readonly string[] | "unanswered";
  /** Answers the server's questions to the person. */
  readonly elicit?: (request: ElicitRequest) => ElicitResult;
  readonly capabilities?: ClientCapabilities;
  readonly clientInfo?: Implementation;
}

/** A connected client over stdio, as the SDK makes it. */
export interface ConnectedClient {
  readonly client: Client;
  readonly pid: number;
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Replaces the offered roots and tells the server. */
  setRoots(roots: readonly string[]): Promise<void>;
  /** Everything the server has written to standard error so far. */
  stderr(): string;
  close(): Promise<void>;
}

/** Starts the program under test as an MCP server and connects to it. */
export async function openClient(options: ClientOptions): Promise<ConnectedClient> {
  const [command = "", ...words] = PROGRAM;
  const transport = new StdioClientTransport({
    command,
    args: [...words, ...(options.args ?? [])],
    cwd: options.cwd,
    env: environment(options.home ?? temporaryHome(), options.env),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => {
    stderr += String(chunk);
  });

  const client = new Client(options.clientInfo ?? { name: "test-client", version: "1.0.0" }, {
    capabilities: {
      ...(options.roots === undefined ? {} : { roots: { listChanged: true } }),
      ...(options.elicit === undefined ? {} : { elicitation: { form: {} } }),
      ...options.capabilities,
    },
  });
  let roots = options.roots;
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () =>
      roots === undefined || roots === "unanswered"
        ? new Promise<never>(() => {})
        : { roots: roots.map((root) => ({ uri: root.includes("://") ? root : pathToFileURL(root).href })) },
    );
  }
  const { elicit } = options;
  if (elicit !== undefined) client.setRequestHandler(ElicitRequestSchema, (request) => elicit(request));

  try {
    await client.connect(transport);
  } catch (error) {
    await client.close();
    throw new Error(`The server did not connect: ${error}\n${stderr}`, { cause: error });
  }
  return {
    client,
    pid: transport.pid ?? 0,
    async call(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: { ...args } }, CallToolResultSchema);
      const { content, isError } = CallToolResultSchema.parse(result);
      const text = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      return { text, isError: isError === true };
    },
    async setRoots(next) {
      roots = next;
      await client.sendRootsListChanged();
    },
    stderr: () => stderr,
    close: () => client.close(),
  };
}
