import type { Environment } from "./support.ts";

/** A server to start, and what it is asked first. */
export interface ServerShape {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** the tool that gives the model what it begins with */
  readonly tool: string;
  readonly input?: object;
}

/** A server that runs, asked one thing after the other. */
export interface RunningServer {
  readonly pid: number;
  /** Sends a request and waits for its result; throws if it is an error, or there is no answer in a minute. */
  request(method: string, params: object): Promise<unknown>;
  call(tool: string, input?: object): Promise<void>;
  notify(method: string): void;
  close(): Promise<void>;
}

const LIMIT_MS = 60_000;

const GREETING = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

/** Milliseconds from the start of a server to its answers: `initialize`, `tools/list`, and the first call of its tool. */
export async function timeStart(shape: ServerShape): Promise<Record<"initialize" | "tools" | "context", number>> {
  const start = Bun.nanoseconds();
  const since = (): number => (Bun.nanoseconds() - start) / 1e6;
  const server = openServer(shape);
  await server.request("initialize", GREETING);
  const initialize = since();
  server.notify("notifications/initialized");
  await server.request("tools/list", {});
  const tools = since();
  await server.call(shape.tool, shape.input);
  const context = since();
  await server.close();
  return { initialize, tools, context };
}

/** Starts a server and shakes hands with it. */
export async function startServer(shape: ServerShape): Promise<RunningServer> {
  const server = openServer(shape);
  await server.request("initialize", GREETING);
  server.notify("notifications/initialized");
  return server;
}

function openServer({ argv, cwd, env }: ServerShape): RunningServer {
  const child = Bun.spawn([...argv], { cwd, env: { ...env }, stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let number = 0;
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.flush();
  };
  const receive = async (id: number): Promise<unknown> => {
    for (;;) {
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const message = JSON.parse(rest.slice(0, end));
        rest = rest.slice(end + 1);
        if (message.id !== id || message.method !== undefined) continue;
        if (message.error !== undefined || message.result?.isError === true)
          throw new Error(`${argv.join(" ")} answered ${JSON.stringify(message.error ?? message.result)}`);
        return message.result;
      }
      const { done, value } = await reader.read();
      if (done) throw new Error(`${argv.join(" ")} ended before it answered`);
      rest += decoder.decode(value, { stream: true });
    }
  };
  const request = async (method: string, params: object): Promise<unknown> => {
    const id = ++number;
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    try {
      send({ id, method, params });
      return await receive(id);
    } finally {
      clearTimeout(limit);
    }
  };
  return {
    pid: child.pid,
    request,
    call: async (tool, input = {}) => void (await request("tools/call", { name: tool, arguments: input })),
    notify: (method) => send({ method }),
    async close() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
