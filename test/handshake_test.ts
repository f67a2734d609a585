import { expect, test } from "bun:test";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import manifest from "../package.json" with { type: "json" };
import { type Message, openServer, type Server } from "./support/server.ts";
import { writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

const NEWEST = "2025-11-25";
const TREE = "main ← active\n└── auth";

function project(): string {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  return top;
}

const openRaw = (): Promise<Server> => openServer({ cwd: project() }, { shakesHands: false });

interface Greeting {
  readonly protocolVersion?: string;
  readonly serverInfo?: object;
  readonly capabilities?: object;
  readonly instructions?: string;
}

async function initialize(server: Server, protocolVersion: string, capabilities: object = {}): Promise<Greeting> {
  const clientInfo = { name: "raw", version: "1" };
  const { result } = await server.request("initialize", { protocolVersion, capabilities, clientInfo });
  return result as Greeting;
}

/** Ends a server, whose standard output must have carried nothing but messages, one a line. */
async function finish(server: Server): Promise<Message[]> {
  await server.closeInput();
  expect(await server.exited).toBe(0);
  return server.lines.map((line) => {
    const message: Message = JSON.parse(line);
    expect(JSONRPCMessageSchema.safeParse(message).success).toBe(true);
    return message;
  });
}

for (const version of ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", NEWEST]) {
  test(`a client of ${version} is answered in it, and its calls work`, async () => {
    const server = await openRaw();
    expect(await initialize(server, version)).toEqual({
      protocolVersion: version,
      serverInfo: { name: "thread-mind", title: "ThreadMind", version: manifest.version },
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {}, completions: {} },
      instructions: expect.stringContaining("context_get"),
    });
    server.send({ method: "notifications/initialized" });
    expect((await server.request("tools/list")).result).toMatchObject({ tools: expect.any(Array) });
    expect(await server.call("thread_list")).toBe(TREE);
    const uri = "threadmind://tree";
    expect((await server.request("resources/read", { uri })).result).toEqual({
      contents: [{ uri, mimeType: "text/plain", text: TREE }],
    } as never);
    await finish(server);
  });
}

for (const version of ["1999-01-01", "2026-07-28", "DRAFT"]) {
  test(`a client of the unknown version ${version} is offered the newest, and its calls work`, async () => {
    const server = await openRaw();
    expect((await initialize(server, version)).protocolVersion).toBe(NEWEST);
    expect(await server.call("thread_list")).toBe(TREE);
    await finish(server);
  });
}

test("a client that asks server/discover first is told that there is no such method, and then initialises", async () => {
  const server = await openRaw();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "new", version: "2" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  expect((await server.request("server/discover", { _meta })).error).toEqual({
    code: -32601,
    message: "Method not found",
  });
  expect((await initialize(server, NEWEST)).protocolVersion).toBe(NEWEST);
  server.send({ method: "notifications/initialized" });
  expect(await server.call("thread_list")).toBe(TREE);
  await finish(server);
});

test("calls before initialized, and before initialize, are answered", async () => {
  const server = await openRaw();
  expect((await server.request("ping")).result).toEqual({});
  expect(await server.call("thread_list")).toBe(TREE);
  expect((await initialize(server, NEWEST)).protocolVersion).toBe(NEWEST);
  expect(await server.call("thread_switch", { threadId: "auth" })).toContain("## Thread: auth (active)");
  server.send({ method: "notifications/initialized" });
  expect(await server.call("thread_list")).toBe("main\n└── auth ← active");
  await finish(server);
});

test("capabilities and metadata that no version knows are passed over", async () => {
  const server = await openRaw();
  const capabilities = { sampling: {}, experimental: { x: { y: 1 } }, tasks: {}, future: { z: true } };
  expect((await initialize(server, NEWEST, capabilities)).protocolVersion).toBe(NEWEST);
  const _meta = { progressToken: "p1", "example.org/trace": { id: 7 } };
  const answer = await server.request("tools/call", { name: "thread_list", arguments: {}, _meta });
  expect(answer.result?.content?.[0]?.text).toBe(TREE);
  const methods = (await finish(server)).map(({ method }) => method).filter((method) => method !== undefined);
  expect(methods).toEqual([]);
});

test("unknown notifications are ignored, and unknown requests are no such method", async () => {
  const server = await openRaw();
  await initialize(server, NEWEST);
  const notifications = ["notifications/initialized", "notifications/future", "x", "$/cancelRequest"];
  for (const method of notifications) server.send({ method, params: { a: 1 } });
  server.send({ method: "notifications/cancelled", params: { requestId: 999, reason: "never sent" } });
  server.send({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
  for (const method of ["logging/setLevel", "tasks/list", "subscriptions/listen", "initialized", "toString"]) {
    const { error } = await server.request(method, { level: "debug" });
    expect([method, error?.code]).toEqual([method, -32601]);
  }
  expect((await server.request("ping")).result).toEqual({});
  expect((await finish(server)).filter(({ id }) => id === undefined)).toEqual([]);
  expect(await server.stderr()).toBe("");
});

test("cancelled calls get no answer, those around them do", async () => {
  const server = await openRaw();
  await initialize(server, NEWEST);
  for (let id = 1; id <= 20; id++) {
    server.send({ id, method: "tools/call", params: { name: "thread_list", arguments: {} } });
  }
  for (const requestId of [17, 19]) server.send({ method: "notifications/cancelled", params: { requestId } });
  await server.answerTo(20);
  const ids = (await finish(server)).map(({ id }) => id).filter((id) => Number(id) <= 20);
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20]);
});
