import { expect, setDefaultTimeout, test } from "bun:test";
import type { Seeded } from "../core/seeded.ts";
import { openServer, type Server } from "../support/server.ts";
import { snapshot, writeProject } from "../support/stored_project.ts";
import { gitRepository } from "../support/temp.ts";
import { amount, changedPaths, numbers, report } from "./faults.ts";
import { fuzz, junk, mutate, mutateJson, randomOf } from "./mutations.ts";

setDefaultTimeout(600_000);

const BATCHES = amount(60, 600);
const LINES = 25;
const LIMIT_MS = 5000;

const call = (name: string, args: unknown) => ({ method: "tools/call", params: { name, arguments: args } });

/** Requests that read: whatever a mutation makes of them, no file changes. */
const READS: readonly object[] = [
  { method: "ping" },
  { method: "tools/list", params: {} },
  { method: "prompts/list" },
  { method: "resources/list" },
  { method: "resources/templates/list" },
  { method: "resources/read", params: { uri: "threadmind://thread/good" } },
  { method: "resources/read", params: { uri: "threadmind://context" } },
  { method: "resources/subscribe", params: { uri: "threadmind://tree" } },
  { method: "resources/unsubscribe", params: { uri: "threadmind://tree" } },
  { method: "prompts/get", params: { name: "tm-context", arguments: { arguments: "good" } } },
  { method: "prompts/get", params: { name: "summarize-thread", arguments: { topic: "x" } } },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/resource", uri: "threadmind://thread/{id}" }, argument: { name: "id", value: "g" } },
  },
  { method: "logging/setLevel", params: { level: "debug" } },
  call("context_get", { threadId: "good", maxTokens: 500, alone: false }),
  call("thread_list", { threadId: "good", all: true }),
  call("thread_search", { query: "ever", path: "src/a.ts" }),
  call("thread_history", { threadId: "good", revision: "kept-1" }),
  call("project_list", {}),
  call("stats_show", {}),
];

/** Calls that would write, were it not for the argument that can't be. */
const INVALID_WRITES: readonly ((random: Seeded) => object)[] = [
  (random) => call("summary_update", { content: random.pick([5, null, {}, ["x"]]), threadId: "good" }),
  (random) => call("summary_update", { threadId: "good", contents: junk(random) }),
  () => call("summary_update", { threadId: "nobody", content: "x" }),
  () => call("summary_update", { threadId: "good", content: "x", section: "Sate" }),
  () => call("summary_update", { threadId: "good", content: "a\0b" }),
  () => call("summary_update", { threadId: "good", content: "<<<<<<< a\n=======\n>>>>>>> b\n" }),
  () => call("summary_update", { threadId: "../../../etc/passwd", content: "x" }),
  (random) =>
    call("thread_create", { title: random.pick([5, "", " ", "\u200b", null, {}, "x".repeat(5000)]), parentId: "main" }),
  (random) =>
    call("thread_create", { title: "x", parentId: random.pick(["nobody", "__proto__", 5, "a/b/c", "..", "good\0"]) }),
  (random) => call("thread_update", { threadId: "good", paths: random.pick([5, ["../x"], ["/etc"], [1], "\0"]) }),
  (random) => call("thread_status", { threadId: "good", status: random.pick(["maybe", 5, null, "DONE", ""]) }),
  () => call("thread_status", { threadId: "good", status: "abandoned" }),
  (random) =>
    call("thread_rebase", { threadId: "good", newParentId: random.pick(["good", "below", "nobody", null, 7]) }),
  () => call("thread_rebase", { threadId: "main", newParentId: "good" }),
  (random) => call("thread_delete", { threadId: random.pick(["main", "nobody", "", null, 5, ["good"]]) }),
  (random) => call("thread_restore", { threadId: "nobody", revision: junk(random) }),
  (random) => call("project_create", { title: "x", mode: random.pick(["duo", 1, {}]) }),
  (random) => call("project_update", { title: random.pick([5, [], {}]) }),
  (random) => call("project_switch", { projectId: random.pick(["nobody", "..", 5, null]) }),
  (random) =>
    call(String(random.pick(["thread_creat", "__proto__", "constructor", "toString", "", "x".repeat(9999)])), {}),
];

const deep = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);

/** A line that no client sends on purpose. */
function strangeLine(random: Seeded, id: number): string | Uint8Array {
  const request = JSON.stringify({ jsonrpc: "2.0", id, ...random.pick(READS) });
  switch (random.next(14)) {
    case 0:
      return mutate(random, request);
    case 1:
      return `[${request},${request}]`;
    case 2:
      return request.slice(0, random.next(request.length));
    case 3:
      return new Uint8Array(
        numbers(1 + random.next(60)).map(() => random.pick([0, 9, 32, 34, 91, 123, 195, 237, 255, 254, 128])),
      );
    case 4:
      return `{"jsonrpc":"2.0","id":${id},"method":"ping","params":${deep("[", "]", random.pick([100, 5000, 200_000]))}}`;
    case 5:
      return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"context_get","arguments":${deep('{"a":', "}", 20_000).replace('{"a":}', '{"a":1}')}}}`;
    case 6:
      return `{"jsonrpc":"2.0","id":${id},"id":"x","method":"ping","method":"tools/list","params":{},"params":null}`;
    case 7:
      return request.replace(
        '"jsonrpc":"2.0",',
        random.pick(["", '"jsonrpc":"1.0",', '"jsonrpc":2,', '"jsonrpc":null,']),
      );
    case 8:
      return request.replace(
        `"id":${id}`,
        `"id":${random.pick(["1e400", "-0", "123456789012345678901234567890", '"\\ud800"', "{}", "[]", "null", "1.5", "true", '"__proto__"'])}`,
      );
    case 9:
      return JSON.stringify({ jsonrpc: "2.0", id, result: junk(random) });
    case 10:
      return JSON.stringify({
        jsonrpc: "2.0",
        method: random.pick([
          "notifications/cancelled",
          "notifications/progress",
          "notifications/roots/list_changed",
          "x",
        ]),
        params: junk(random),
      });
    case 11:
      return JSON.stringify({ jsonrpc: "2.0", id, error: junk(random) });
    case 12:
      return `\ufeff${request}\r`;
    default:
      return JSON.stringify(junk(random)) ?? "";
  }
}

/** A request in the form of one, whatever it asks for: its id has to come back. */
function properRequest(random: Seeded, id: number): object {
  const base = random.next(3) === 0 ? random.pick(INVALID_WRITES)(random) : random.pick(READS);
  const isWrite = !READS.includes(base);
  const { method, params } = base as { readonly method: string; readonly params?: unknown };
  const mutated = isWrite || random.next(3) === 0 ? params : mutateJson(random, params);
  const isObject = typeof mutated === "object" && mutated !== null && !Array.isArray(mutated);
  return { jsonrpc: "2.0", id, method, ...(isObject ? { params: mutated } : {}) };
}

const WRITE = /^(?:summary|thread_(?:create|update|status|rebase|delete|restore)|project_(?:create|update|switch))/;

function isWrite(request: object): boolean {
  const { method, params } = request as { readonly method?: unknown; readonly params?: { readonly name?: unknown } };
  return method === "tools/call" && typeof params?.name === "string" && WRITE.test(params.name);
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Bun.sleep(LIMIT_MS).then(() => {
    throw new Error(`no answer within ${LIMIT_MS} ms: ${what}`);
  });
  return await Promise.race([promise, late]);
}

async function send(server: Server, lines: readonly (string | Uint8Array)[]): Promise<void> {
  for (const line of lines) {
    const bytes = Buffer.from(line as string);
    server.write(Buffer.concat([Buffer.from(bytes.filter((byte) => byte !== 10)), Buffer.from("\n")]));
  }
}

test(`a server survives ${BATCHES * LINES} lines of every kind, answers what can be answered, and changes no file`, async () => {
  const random = randomOf("rpc");
  const { top } = gitRepository();
  writeProject(top, { good: { body: "## Decisions\n- good as ever\n" }, below: { parentId: "good" } });
  const before = snapshot(top);
  const server = await openServer({ cwd: top });
  let id = 10_000;
  let answered = 0;
  for (const round of numbers(BATCHES)) {
    const requests: object[] = [];
    const lines = numbers(LINES).map(() => {
      id++;
      if (random.next(2) === 0) return strangeLine(random, -id);
      const request = properRequest(random, id);
      requests.push(request);
      return JSON.stringify(request);
    });
    const shown = lines.map((line) =>
      Buffer.from(line as string)
        .toString("latin1")
        .slice(0, 300),
    );
    await fuzz("rpc", round, shown, async () => {
      await send(server, lines);
      await within(server.request("ping"), "ping");
      for (const request of requests) {
        const { id: asked } = request as { id: number };
        const { result, error } = await within(server.answerTo(asked), JSON.stringify(request).slice(0, 500));
        answered++;
        const text = error?.message ?? (result?.content ?? []).map((part) => part.text).join("");
        expect([
          error?.code === -32603,
          text.includes("this is a bug"),
          /\bTypeError|RangeError|ReferenceError\b/.test(text),
        ]).toEqual([false, false, false]);
        if (isWrite(request))
          expect([JSON.stringify(request).slice(0, 300), error !== undefined || result?.isError === true]).toEqual([
            expect.any(String),
            true,
          ]);
      }
      expect(changedPaths(before, snapshot(top))).toEqual([]);
    });
  }
  for (const line of server.lines) expect(JSON.parse(line).jsonrpc).toBe("2.0");
  await server.closeInput();
  expect(await server.exited).toBe(0);
  report(
    `${BATCHES * LINES} JSON-RPC lines to one server, ${answered} requests of proper form among them, all answered`,
  );
});

test("lines of 5 MB of every kind end nothing", async () => {
  const { top } = gitRepository();
  writeProject(top, { good: { body: "## Decisions\n- good as ever\n" } });
  const before = snapshot(top);
  const server = await openServer({ cwd: top });
  const size = 5_000_000;
  const huge: readonly (string | Uint8Array)[] = [
    "x".repeat(size),
    deep("[", "]", size / 2),
    '{"a":'.repeat(size / 5),
    new Uint8Array(size).fill(255),
    `{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(size)}"}`,
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"thread_search","arguments":{"query":"${"q ".repeat(size / 2)}"}}}`,
    `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"context_get","arguments":{"${"k".repeat(size)}":1}}}`,
    `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"thread_create","arguments":{"title":"${"t".repeat(size)}"}}}`,
    `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"threadmind://thread/${"u".repeat(size)}"}}`,
    `{"jsonrpc":"2.0","id":"${"i".repeat(size)}","method":"ping"}`,
    `{"jsonrpc":"2.0","id":6,"method":"ping","params":{"_meta":{"x":[${"1,".repeat(size / 2)}1]}}}`,
  ];
  for (const [round, line] of huge.entries()) {
    await fuzz(
      "huge",
      round,
      Buffer.from(line as string)
        .toString("latin1")
        .slice(0, 200),
      async () => {
        await send(server, [line]);
        const begun = performance.now();
        await within(server.request("ping"), `ping after line ${round}`);
        expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
      },
    );
  }
  for (const id of numbers(7).slice(1)) await within(server.answerTo(id), String(id));
  for (const line of server.lines) expect(line.length).toBeLessThan(size + 1_000_000);
  expect(changedPaths(before, snapshot(top))).toEqual([]);
  await server.closeInput();
  expect(await server.exited).toBe(0);
});
