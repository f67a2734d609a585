import { expect, test } from "bun:test";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { firstAnswer, PROTOCOL_VERSIONS } from "../src/mcp/first_answers.ts";
import { openServer } from "./support/server.ts";
import { writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

const clientInfo = { name: "raw", version: "1" };
const GREETING = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };

const line = (method: string, params?: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

test("the revisions that are answered at once are those of the SDK", () => {
  expect(PROTOCOL_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});

test("what is answered before the SDK is there, it answers the same afterwards", async () => {
  const { top } = gitRepository();
  writeProject(top);
  const server = await openServer({ cwd: top }, { shakesHands: false });
  const ask = async (): Promise<unknown[]> => [
    await server.request("server/discover").then(({ error }) => error),
    await server.request("initialize", GREETING).then(({ result }) => result),
    await server.request("tools/list").then(({ result }) => result),
    await server.request("tools/list", { _meta: { progressToken: 1 } }).then(({ result }) => result),
    await server.request("ping").then(({ result }) => result),
  ];
  const before = await ask();
  server.send({ method: "notifications/initialized" });
  await server.call("thread_list");
  expect(await ask()).toEqual(before);
  await server.closeInput();
  expect(await server.exited).toBe(0);
});

test("firstAnswer() leaves to the SDK what isn't of the usual form", () => {
  const left = [
    line("initialize"),
    line("initialize", { ...GREETING, clientInfo: {} }),
    line("initialize", { ...GREETING, capabilities: [] }),
    line("initialize", { ...GREETING, protocolVersion: 7 }),
    line("initialize", GREETING, null),
    line("initialize", GREETING, 1.5),
    line("tools/list", { cursor: "x" }),
    line("tools/list", []),
    line("tools/call", { name: "thread_list" }),
    line("resources/list"),
    JSON.stringify({ jsonrpc: "1.0", id: 1, method: "ping" }),
    JSON.stringify({ jsonrpc: "2.0", method: "ping" }),
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", result: {} }),
    `[${line("ping")}]`,
    "null",
    "{",
    "",
  ];
  expect(left.map(firstAnswer)).toEqual(left.map(() => undefined));
  expect(JSON.parse(firstAnswer(line("ping", undefined, 'a"b')) ?? "")).toEqual({
    jsonrpc: "2.0",
    id: 'a"b',
    result: {},
  });
});
