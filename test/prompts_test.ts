import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ConnectedClient, openClient } from "./support/client.ts";
import { writeProject } from "./support/stored_project.ts";
import { gitRepository, temporaryFolder } from "./support/temp.ts";

const INVALID_PARAMS = -32602;

/** Every prompt with its arguments, `!` after a required one: §8 of the contract and the three written ones. */
const PROMPTS: Readonly<Record<string, readonly string[]>> = {
  "start-thread": ["topic!"],
  "summarize-thread": ["topic"],
  "tm-help": [],
  "tm-context": ["threadId"],
  "tm-tree": ["threadId"],
  "tm-create": ["title!"],
  "tm-switch": ["threadId!"],
  "tm-summary": ["threadId"],
  "tm-merge": ["threadId"],
  "tm-done": ["threadId"],
  "tm-abandon": ["reason!"],
  "tm-reopen": ["threadId"],
  "tm-rebase": ["threadId!", "newParentId!"],
  "tm-delete": ["threadId!"],
  "tm-verify": ["threadId"],
  "tm-search": ["query", "path"],
  "tm-stats": [],
  "tm-init": [],
  "tm-project": ["title!"],
  "tm-projects": [],
};

async function openProject(threads: readonly string[] = []): Promise<ConnectedClient> {
  const { top } = gitRepository();
  writeProject(top, Object.fromEntries(threads.map((id) => [id, {}])));
  return await openClient({ cwd: top });
}

async function get({ client }: ConnectedClient, name: string, args: Record<string, string> = {}): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args });
  expect(messages.map(({ role }) => role)).toEqual(["user"]);
  const content = messages[0]?.content;
  return content?.type === "text" ? content.text : "";
}

async function complete({ client }: ConnectedClient, name: string, argument: string, value: string) {
  const ref = { type: "ref/prompt" as const, name };
  return (await client.complete({ ref, argument: { name: argument, value } })).completion;
}

/** The protocol error that a request ends with, as `code: sentence`. */
async function failure(request: Promise<unknown>): Promise<string> {
  const error: unknown = await request.then(
    () => new Error("it was answered"),
    (reason) => reason,
  );
  const { code, message } = error as { code?: number; message: string };
  return `${code}: ${message.replace(`MCP error ${code}: `, "")}`;
}

test("prompts/list shows the written prompts and those of the table, each described", async () => {
  const { client, close } = await openProject();
  const { prompts, nextCursor } = await client.listPrompts();
  expect(nextCursor).toBeUndefined();
  const found = prompts.map(({ name, arguments: args = [] }) => [
    name,
    args.map((argument) => `${argument.name}${argument.required === true ? "!" : ""}`),
  ]);
  expect(Object.fromEntries(found)).toEqual(PROMPTS);
  expect(found).toHaveLength(Object.keys(PROMPTS).length);
  for (const { title, description, arguments: args = [] } of prompts) {
    expect([title, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/^[A-Z].*[^.]$/)]);
    for (const argument of args) expect(argument.description).toMatch(/\S/);
  }
  await close();
});

test("prompts/get gives every prompt, whose call names a tool that takes its arguments", async () => {
  const connected = await openProject();
  const { tools } = await connected.client.listTools();
  for (const [name, args] of Object.entries(PROMPTS)) {
    const values = Object.fromEntries(args.map((argument) => [argument.replace("!", ""), `a "quoted" ${argument}`]));
    const text = await get(connected, name, values);
    for (const value of Object.values(values))
      expect(text).toContain(name.startsWith("tm-") ? JSON.stringify(value) : value);
    if (!name.startsWith("tm-") || name === "tm-help") continue;
    const [, tool, json = "{}"] =
      /^Call ThreadMind's (\w+)(?: with (\{.*?\}))?(?: and show me the answer\.|; write its )/.exec(text) ?? [];
    const properties = tools.find((each) => each.name === tool)?.inputSchema.properties ?? {};
    expect([name, tool, Object.keys(JSON.parse(json)).filter((key) => !(key in properties))]).toEqual([name, tool, []]);
    expect(Object.keys(properties).length > 0 || json === "{}").toBe(true);
    expect(tool).toMatch(/^[a-z]+_[a-z]+$/);
  }
  await connected.close();
});

test("prompts/get leaves out what isn't given", async () => {
  const connected = await openProject();
  expect(await get(connected, "tm-merge")).toBe("Call ThreadMind's thread_merge and show me the answer.");
  expect(await get(connected, "tm-merge", { threadId: " " })).toBe(await get(connected, "tm-merge"));
  expect(await get(connected, "tm-done", { threadId: "auth" })).toBe(
    'Call ThreadMind\'s thread_status with {"status":"done","threadId":"auth"} and show me the answer.',
  );
  expect(await get(connected, "tm-summary")).toStartWith(
    "Call ThreadMind's summary_update; write its content from this conversation",
  );
  expect(await get(connected, "summarize-thread")).toStartWith("Write what this conversation decided into the active");
  expect(await get(connected, "summarize-thread", { topic: " login " })).toStartWith(
    "Write what this conversation decided about login into the active",
  );
  expect((await connected.client.getPrompt({ name: "tm-tree" })).description).toBe("Show the thread tree");
  await connected.close();
});

test("a prompt that writes to another thread than the active one names how that one is read, whole", async () => {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: "## Decisions\n- JWT\n\n## State\n- half done\n" }, dash: {} });
  const connected = await openClient({ cwd: top });
  await connected.call("thread_switch", { threadId: "dash" });
  const text = await get(connected, "tm-summary", { threadId: "auth" });
  expect(text).toStartWith(`Call ThreadMind's summary_update with {"threadId":"auth"}; write its content`);
  const [, tool = "", json = ""] = /merged with what (\w+) with (\{.*?\}) shows/.exec(text) ?? [];
  expect((await connected.call(tool, JSON.parse(json))).text).toContain("- JWT\n\n## State\n- half done");
  expect(await get(connected, "tm-summary", { threadId: " " })).toContain("merged with what context_get shows");
  await connected.close();
});

test("start-thread has the parent's decisions written to the parent", async () => {
  const connected = await openProject();
  const created = (await connected.call("thread_create", { title: "Auth" })).text;
  expect(created).toContain(
    "main has no summary yet: write its decisions first with summary_update and threadId main,",
  );
  expect(await get(connected, "start-thread", { topic: "Auth" })).toContain(
    "write the parent's decisions with summary_update and the parent's threadId",
  );
  await connected.close();
});

test("tm-search takes words or a file, says which is which, and asks where neither is given", async () => {
  const connected = await openProject();
  const both = "query (words that must all occur, in any order) or path (file or folder, relative to the workspace)";
  expect(await get(connected, "tm-search", { path: "src/a.ts" })).toBe(
    `Call ThreadMind's thread_search with {"path":"src/a.ts"} and show me the answer. If I typed something into the wrong place, put it right first: it takes ${both}.`,
  );
  expect(await get(connected, "tm-search", { query: "jwt", path: "src" })).toStartWith(
    `Call ThreadMind's thread_search with {"query":"jwt","path":"src"} and show`,
  );
  for (const args of [{}, { query: "" }, { query: " ", path: " " }])
    expect(await get(connected, "tm-search", args)).toBe(
      `Ask me for ${both}. Then call ThreadMind's thread_search with it and show me the answer.`,
    );
  await connected.close();
});

test("tm-help lists every shortcut as it is typed", async () => {
  const connected = await openProject();
  const lines = (await get(connected, "tm-help")).split("\n").filter((line) => line.startsWith("tm: "));
  const usages = lines.map((line) => line.slice("tm: ".length).split(" — ")[0]);
  expect(usages.map((usage) => `tm-${usage?.split(" ")[0]}`).sort()).toEqual(
    Object.keys(PROMPTS)
      .filter((name) => name.startsWith("tm-") && name !== "tm-help")
      .sort(),
  );
  expect(usages).toEqual(
    expect.arrayContaining([
      "create TITLE",
      "switch ID",
      "merge [ID]",
      "abandon REASON",
      "rebase ID PARENT",
      "search [WORDS]",
      "stats",
    ]),
  );
  await connected.close();
});

test("an unknown prompt and a missing or misspelt argument are error -32602 with the nearest", async () => {
  const { client, close } = await openProject();
  const attempt = (name: string, args: Record<string, string> = {}) =>
    failure(client.getPrompt({ name, arguments: args }));
  expect(await attempt("tm-swich")).toBe(`${INVALID_PARAMS}: Unknown prompt "tm-swich": did you mean tm-switch?`);
  expect(await attempt("sumarize-thread")).toBe(
    `${INVALID_PARAMS}: Unknown prompt "sumarize-thread": did you mean summarize-thread?`,
  );
  expect(await attempt("xyzzy")).toBe(`${INVALID_PARAMS}: Unknown prompt "xyzzy": see prompts/list`);
  expect(await attempt("tm-create")).toBe(
    `${INVALID_PARAMS}: The prompt tm-create needs title: Topic of the thread in a few words; its id is made from it`,
  );
  expect(await attempt("tm-create", { title: "  " })).toStartWith(
    `${INVALID_PARAMS}: The prompt tm-create needs title`,
  );
  expect(await attempt("tm-rebase", { threadId: "auth" })).toStartWith(
    `${INVALID_PARAMS}: The prompt tm-rebase needs newParentId`,
  );
  expect(await attempt("tm-done", { threadID: "auth" })).toBe(
    `${INVALID_PARAMS}: The prompt tm-done has no argument "threadID": did you mean threadId?`,
  );
  expect(await attempt("start-thread", { title: "Auth" })).toBe(
    `${INVALID_PARAMS}: The prompt start-thread has no argument "title": did you mean topic?`,
  );
  expect(await attempt("tm-stats", { all: "1" })).toBe(
    `${INVALID_PARAMS}: The prompt tm-stats has no argument "all": it takes none`,
  );
  await close();
});

test("thread ids complete: those that begin with it, those that hold it, without regard to case, else near misses", async () => {
  const connected = await openProject(["auth", "auth-ui", "OAuth", "billing", "naïve", "日本語"]);
  const values = async (value: string) => (await complete(connected, "tm-switch", "threadId", value)).values;
  expect(await values("AUTH")).toEqual(["auth", "auth-ui", "OAuth"]);
  expect(await values("ui")).toEqual(["auth-ui"]);
  expect(await values("本")).toEqual(["日本語"]);
  expect(await values("nai\u0308")).toEqual(["naïve"]);
  expect(await values("biling")).toEqual(["billing"]);
  expect(await values("zzz")).toEqual([]);
  expect(await values("")).toEqual(["OAuth", "auth", "auth-ui", "billing", "main", "naïve", "日本語"]);
  for (const [prompt, argument] of [
    ["tm-rebase", "newParentId"],
    ["tm-delete", "threadId"],
    ["tm-context", "threadId"],
  ] as const) {
    expect((await complete(connected, prompt, argument, "bill")).values).toEqual(["billing"]);
  }
  await connected.close();
});

test("thread ids of another project complete behind its name", async () => {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  writeProject(top, { cart: {}, checkout: {} }, { id: "shop", title: "Shop" });
  const connected = await openClient({ cwd: top });
  await connected.call("project_switch", { projectId: "app" });
  const values = async (value: string) => (await complete(connected, "tm-switch", "threadId", value)).values;
  expect(await values("shop/c")).toEqual(["shop/cart", "shop/checkout"]);
  expect(await values("app/au")).toEqual(["app/auth"]);
  expect(await values("gone/")).toEqual([]);
  expect(await values("c")).toEqual([]);
  expect(await values("../")).toEqual([]);
  await connected.close();
});

test("completion gives at most 100 of many ids, and says how many there are", async () => {
  const connected = await openProject(Array.from({ length: 250 }, (_, index) => `t${String(index).padStart(3, "0")}`));
  const all = await complete(connected, "tm-switch", "threadId", "t");
  expect([all.values.length, all.values[0], all.values[99], all.total, all.hasMore]).toEqual([
    100,
    "t000",
    "t099",
    250,
    true,
  ]);
  const some = await complete(connected, "tm-switch", "threadId", "t1");
  expect([some.values.length, some.total, some.hasMore]).toEqual([100, 100, false]);
  const one = await complete(connected, "tm-switch", "threadId", "t249");
  expect([one.values, one.total, one.hasMore]).toEqual([["t249"], 1, false]);
  await connected.close();
});

test("what can't be completed gives nothing, and an unknown prompt is an error", async () => {
  const connected = await openProject(["auth"]);
  for (const [prompt, argument] of [
    ["tm-create", "title"],
    ["tm-abandon", "reason"],
    ["summarize-thread", "topic"],
    ["tm-stats", "x"],
  ] as const) {
    expect(await complete(connected, prompt, argument, "a")).toEqual({ values: [], total: 0, hasMore: false });
  }
  expect(await failure(complete(connected, "tm-swich", "threadId", ""))).toBe(
    `${INVALID_PARAMS}: Unknown prompt "tm-swich": did you mean tm-switch?`,
  );
  await connected.close();
  const outside = temporaryFolder();
  mkdirSync(join(outside, ".threadmind"));
  const bare = await openClient({ cwd: outside });
  expect((await complete(bare, "tm-switch", "threadId", "a")).values).toEqual([]);
  await bare.close();
});
