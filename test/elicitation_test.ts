import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ClientCapabilities, ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type ClientOptions, type ConnectedClient, openClient } from "./support/client.ts";
import { type Message, openServer, type Server, shakeHands } from "./support/server.ts";
import { snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

const YES: ElicitResult = { action: "accept", content: { confirm: true } };
const DELETE_AUTH = { name: "thread_delete", arguments: { threadId: "auth" } };

/** A project with `auth`, `auth-ui` below it, and `billing`. */
function project(): string {
  const { top, commit } = gitRepository();
  writeProject(top, { auth: {}, "auth-ui": { parentId: "auth" }, billing: {} });
  commit("Start");
  return top;
}

const threadsOf = (top: string): Record<string, string> => snapshot(join(top, ".threadmind/threads"));

interface Asked extends ConnectedClient {
  readonly questions: ElicitRequest["params"][];
}

async function openAsked(
  cwd: string,
  answer: () => ElicitResult,
  options: Partial<ClientOptions> = {},
): Promise<Asked> {
  const questions: ElicitRequest["params"][] = [];
  const elicit = ({ params }: ElicitRequest): ElicitResult => {
    questions.push(params);
    return answer();
  };
  return { ...(await openClient({ cwd, elicit, ...options })), questions };
}

/** A raw client that is asked and keeps the questions for itself. */
async function openSilent(cwd: string): Promise<Server & { readonly questions: Message[] }> {
  const questions: Message[] = [];
  const answer = async (message: Message): Promise<undefined> => void questions.push(message);
  const server = await openServer({ cwd, answer }, { shakesHands: false });
  await shakeHands(server, { elicitation: {} });
  return { ...server, questions };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 5000; waited += 10) await Bun.sleep(10);
  expect(holds()).toBe(true);
}

const methodsOf = ({ lines }: Server): (string | undefined)[] =>
  lines.map((line): Message => JSON.parse(line)).map(({ method }) => method);

test("thread_delete asks a client that can be asked, naming all that would go, and a yes deletes", async () => {
  const top = project();
  const { call, questions, close } = await openAsked(top, () => YES);
  expect((await call("thread_delete", { threadId: "auth" })).text).toStartWith("Deleted auth, auth-ui.");
  expect(existsSync(threadFile(top, "auth")) || existsSync(threadFile(top, "auth-ui"))).toBe(false);
  expect(questions).toEqual([
    {
      mode: "form",
      message: "Delete auth, auth-ui from the project app? thread_restore can bring them back.",
      requestedSchema: {
        type: "object",
        properties: { confirm: { type: "boolean", title: "Yes, do it", default: false } },
        required: ["confirm"],
      },
    },
  ]);
  await close();
});

const REFUSALS: Readonly<Record<string, ElicitResult>> = {
  "accept without the tick": { action: "accept", content: { confirm: false } },
  "accept without content": { action: "accept" },
  "accept with a text for the tick": { action: "accept", content: { confirm: "true" } },
  decline: { action: "decline" },
  "decline with the tick": { action: "decline", content: { confirm: true } },
  cancel: { action: "cancel" },
};

for (const [name, answer] of Object.entries(REFUSALS)) {
  test(`thread_delete leaves everything when the answer is ${name}, and says so`, async () => {
    const top = project();
    const { call, questions, close } = await openAsked(top, () => answer);
    const before = threadsOf(top);
    const { text, isError } = await call("thread_delete", { threadId: "auth" });
    expect([text, isError]).toEqual(["Deleted nothing: the question about auth, auth-ui was answered with no.", true]);
    expect(threadsOf(top)).toEqual(before);
    expect((await call("thread_list")).text).toContain("auth-ui");
    expect(questions).toHaveLength(1);
    await close();
  });
}

test("thread_delete leaves everything when the client fails to ask, and says that it is no bug", async () => {
  const top = project();
  const { call, stderr, close } = await openAsked(top, () => {
    throw new Error("the window is closed");
  });
  const before = threadsOf(top);
  const { text, isError } = await call("thread_delete", { threadId: "auth" });
  expect([text, isError]).toEqual([
    expect.stringMatching(/^Nothing was done: the client could not ask \(.*the window is closed\)\.\nCall again/),
    true,
  ]);
  expect(threadsOf(top)).toEqual(before);
  expect(stderr()).toBe("");
  await close();
});

const WITHOUT_FORMS: Readonly<Record<string, ClientCapabilities>> = {
  "no elicitation": {},
  "elicitation by address only": { elicitation: { url: {} } },
};

for (const [name, capabilities] of Object.entries(WITHOUT_FORMS)) {
  test(`thread_delete deletes without a question for a client with ${name}`, async () => {
    const top = project();
    const { call, close } = await openClient({ cwd: top, capabilities });
    expect((await call("thread_delete", { threadId: "auth" })).text).toStartWith("Deleted auth, auth-ui.");
    expect(existsSync(threadFile(top, "auth"))).toBe(false);
    await close();
  });
}

test("thread_delete asks nothing where it would refuse anyway", async () => {
  const top = project();
  const { call, questions, close } = await openAsked(top, () => YES);
  for (const threadId of ["main", "gone", "../x", ""]) {
    expect((await call("thread_delete", { threadId })).isError).toBe(true);
  }
  expect(questions).toEqual([]);
  await close();
});

test("no other tool asks", async () => {
  const top = project();
  const { client, call, questions, close } = await openAsked(top, () => YES);
  const calls: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
    ["project_create", { title: "Shop" }],
    ["project_list", {}],
    ["project_switch", { projectId: "app" }],
    ["project_update", { title: "The app" }],
    ["thread_create", { title: "New" }],
    ["thread_switch", { threadId: "auth" }],
    ["thread_list", {}],
    ["thread_update", { title: "Login" }],
    ["summary_update", { content: "## Decisions\n- one\n" }],
    ["summary_update", { content: "## Decisions\n- two\n" }],
    ["thread_verify", {}],
    ["summary_update", { content: "" }],
    ["thread_status", { status: "abandoned", reason: "too slow" }],
    ["thread_status", { status: "open" }],
    ["thread_rebase", { threadId: "new", newParentId: "billing" }],
    ["thread_merge", { threadId: "new" }],
    ["thread_search", { query: "one" }],
    ["thread_history", { threadId: "auth" }],
    ["thread_restore", { threadId: "auth" }],
    ["context_get", {}],
    ["stats_show", {}],
    ["threadmind_init", {}],
    ["threadmind_init", { remove: true }],
  ];
  for (const [tool, args] of calls) expect([tool, await call(tool, args)]).toMatchObject([tool, { isError: false }]);
  expect(questions).toEqual([]);
  const called = new Set([...calls.map(([tool]) => tool), "thread_delete"]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  await close();
});

test("an unanswered question keeps other requests answered, and a cancelled call withdraws it and deletes nothing", async () => {
  const top = project();
  const before = threadsOf(top);
  const server = await openSilent(top);
  server.send({ id: 1, method: "tools/call", params: DELETE_AUTH });
  await until(() => server.questions.length === 1);
  const [question] = server.questions;
  expect(question?.method).toBe("elicitation/create");
  for (const method of ["ping", "tools/list", "prompts/list", "resources/templates/list"]) {
    expect((await server.request(method)).error).toBeUndefined();
  }
  const waiting = server.call("thread_list");
  expect(await Promise.race([waiting, Bun.sleep(150)])).toBeUndefined();
  server.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  expect(await waiting).toContain("auth-ui");
  expect(methodsOf(server)).toContain("notifications/cancelled");
  server.send({ id: question?.id, result: YES });
  expect(await server.call("thread_list")).toContain("auth-ui");
  expect(threadsOf(top)).toEqual(before);
  expect(server.lines.some((line) => JSON.parse(line).id === 1)).toBe(false);
  await server.closeInput();
  expect(await server.stderr()).toBe("");
});

test("a client that goes away with a question open deletes nothing and leaves no process", async () => {
  const top = project();
  const before = threadsOf(top);
  const server = await openSilent(top);
  server.send({ id: 1, method: "tools/call", params: DELETE_AUTH });
  await until(() => server.questions.length === 1);
  const begun = performance.now();
  await server.closeInput();
  expect(await server.exited).toBe(0);
  expect(performance.now() - begun).toBeLessThan(1100);
  expect(threadsOf(top)).toEqual(before);
});
