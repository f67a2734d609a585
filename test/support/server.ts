import { PROGRAM } from "./binary.ts";
import { environment, temporaryHome, type Variables } from "./temp.ts";

/** A JSON-RPC message, as it stands on a line. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

/** How a server is started without a client. */
export interface ServerOptions {
  readonly cwd: string;
  readonly home?: string;
  readonly env?: Variables;
  readonly args?: readonly string[];
  /** A program that starts the server, and whose process id is the client's. */
  readonly launcher?: readonly string[];
  /** Answers the server's requests; without it the client offers nothing and answers nothing. */
  readonly answer?: (message: Message) => Promise<unknown>;
}

/** The program under test as a server, with each byte in the test's hands. */
export interface Server {
  readonly pid: number;
  /** All lines that standard output has carried so far. */
  readonly lines: readonly string[];
  readonly exited: Promise<number>;
  write(text: string | Uint8Array): void;
  send(message: object): void;
  /** Sends a request and waits for its answer. */
  request(method: string, params?: unknown): Promise<Message>;
  /** Calls a tool and returns its text. */
  call(tool: string, args?: object): Promise<string>;
  /** Waits for the answer to a request that was written by hand. */
  answerTo(id: number | string): Promise<Message>;
  closeInput(): Promise<void>;
  closeOutput(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  stderr(): Promise<string>;
}

/** Starts a server and, unless told otherwise, shakes hands with it. */
export async function openServer(options: ServerOptions, { shakesHands = true } = {}): Promise<Server> {
  const child = Bun.spawn([...(options.launcher ?? []), ...PROGRAM, ...(options.args ?? [])], {
    cwd: options.cwd,
    env: environment(options.home ?? temporaryHome(), options.env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines: string[] = [];
  const answers = new Map<number | string, Message>();
  const waiting = new Map<number | string, (message: Message) => void>();
  const errors = child.stderr.text();
  const reader = child.stdout.getReader();
  let number = 1000;

  const write = (text: string | Uint8Array): void => {
    child.stdin.write(text);
    child.stdin.flush();
  };
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const take = async (line: string): Promise<void> => {
    lines.push(line);
    const message: Message = JSON.parse(line);
    if (message.id === undefined) return;
    if (message.method === undefined) {
      answers.set(message.id, message);
      waiting.get(message.id)?.(message);
    } else if (options.answer !== undefined) {
      const result = await options.answer(message);
      if (result !== undefined) send({ id: message.id, result });
    }
  };
  const readAll = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) void take(line);
    }
  };
  const reading = readAll().catch(() => undefined);

  const answerTo = (id: number | string): Promise<Message> => {
    const known = answers.get(id);
    if (known !== undefined) return Promise.resolve(known);
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    waiting.set(id, resolve);
    void child.exited.then(async (code) => {
      await reading;
      if (!answers.has(id))
        reject(new Error(`The server ended with ${code} before it answered ${id}: ${await errors}`));
    });
    return promise;
  };
  const request = (method: string, params?: unknown): Promise<Message> => {
    const id = ++number;
    send(params === undefined ? { id, method } : { id, method, params });
    return answerTo(id);
  };
  const server: Server = {
    ...{ pid: child.pid, lines, exited: child.exited, write, send, request, answerTo },
    async call(tool, args = {}) {
      const { result, error } = await request("tools/call", { name: tool, arguments: args });
      return error?.message ?? (result?.content ?? []).map(({ text }) => text).join("\n");
    },
    closeInput: async () => void (await child.stdin.end()),
    closeOutput: () => reader.cancel(),
    kill: (signal) => child.kill(signal),
    stderr: () => errors,
  };
  if (shakesHands) await shakeHands(server, options.answer === undefined ? {} : { roots: { listChanged: true } });
  return server;
}

/** The three-way greeting that a session begins with. */
export async function shakeHands(server: Server, capabilities: object = {}): Promise<void> {
  const clientInfo = { name: "test", version: "1" };
  await server.request("initialize", { protocolVersion: "2025-06-18", capabilities, clientInfo });
  server.send({ method: "notifications/initialized" });
}
