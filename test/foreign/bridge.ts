import { PROGRAM } from "../support/binary.ts";
import type { Message } from "../support/server.ts";

const PATH = "/mcp";
const SESSION = "mcp-session-id";

/** The program under test behind an address: MCP's HTTP transport for clients that speak no stdio. */
export interface Bridge {
  readonly url: string;
  /** everything the servers wrote to standard error */
  stderr(): Promise<string>;
  close(): Promise<void>;
}

/** One client's server process. */
interface Session {
  send(message: Message): void;
  answerTo(id: number | string): Promise<Message>;
  /** what the server says of its own accord, a message each */
  readonly news: ReadableStream<string>;
  readonly stderr: Promise<string>;
  end(): Promise<void>;
}

/** Opens a bridge on the loopback address: each `initialize` starts a server of its own. */
export function openBridge(options: { readonly cwd: string; readonly env: Record<string, string> }): Bridge {
  const sessions = new Map<string, Session>();
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: (request) => answer(request) });

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, host } = new URL(request.url);
    if (pathname !== PATH) return new Response(null, { status: 404 });
    if (host !== server.url.host || isForeign(request.headers.get("origin"), server.url))
      return new Response("Forbidden", { status: 403 });
    const message = request.method === "POST" ? ((await request.json()) as Message) : undefined;
    if (message?.method === "initialize") return await start(message);
    const id = request.headers.get(SESSION);
    const session = sessions.get(id ?? "");
    if (session === undefined) return new Response("No such session", { status: id === null ? 400 : 404 });
    if (message !== undefined) return await forward(session, message);
    if (request.method === "GET")
      return new Response(session.news, { headers: { "content-type": "text/event-stream" } });
    await session.end();
    return new Response(null, { status: 204 });
  };
  const start = async (message: Message): Promise<Response> => {
    const id = crypto.randomUUID();
    const session = startServer(options);
    sessions.set(id, session);
    const response = await forward(session, message);
    response.headers.set(SESSION, id);
    return response;
  };
  return {
    url: new URL(PATH, server.url).href,
    stderr: async () => (await Promise.all([...sessions.values()].map(({ stderr }) => stderr))).join(""),
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.end()));
      await server.stop(true);
    },
  };
}

function isForeign(origin: string | null, { host }: URL): boolean {
  return origin !== null && URL.parse(origin)?.host !== host;
}

async function forward(session: Session, message: Message): Promise<Response> {
  session.send(message);
  if (message.method === undefined || message.id === undefined) return new Response(null, { status: 202 });
  return Response.json(await session.answerTo(message.id));
}

function startServer({ cwd, env }: { readonly cwd: string; readonly env: Record<string, string> }): Session {
  const child = Bun.spawn([...PROGRAM], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const waiting = new Map<number | string, (message: Message) => void>();
  const { readable: news, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const take = (line: string): void => {
    const message: Message = JSON.parse(line);
    const isAnswer = message.method === undefined && message.id !== undefined;
    if (isAnswer) waiting.get(message.id ?? "")?.(message);
    else void writer.write(`data: ${line}\n\n`).catch(() => undefined);
  };
  void readLines(child.stdout, take);
  return {
    news,
    stderr: child.stderr.text(),
    send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      child.stdin.flush();
    },
    answerTo: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    async end() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
}
