import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { ClientCapabilities, ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type ClientOptions, type ConnectedClient, openClient } from "./support/client.ts";
import { openSilent, projectToDelete, threadsOf, until, YES } from "./support/questions.ts";
import { threadFile } from "./support/stored_project.ts";

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

test("thread_delete asks a client that can be asked, naming all that would go, and a yes deletes", async () => {
  const top = projectToDelete();
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

const NO = "Deleted nothing: the question about auth, auth-ui was answered with no.";
const CLOSED = "Deleted nothing: the question about auth, auth-ui was closed without an answer.";
const GARBLED = "Nothing was done: the client's answer to the question can't be understood";
const AGAIN = "Call again when a person can answer.";

const REFUSALS: Readonly<Record<string, readonly [answer: ElicitResult, text: string]>> = {
  "accept without the tick": [{ action: "accept", content: { confirm: false } }, NO],
  decline: [{ action: "decline" }, NO],
  "decline with the tick": [{ action: "decline", content: { confirm: true } }, NO],
  cancel: [{ action: "cancel" }, CLOSED],
  "cancel with the tick": [{ action: "cancel", content: { confirm: true } }, CLOSED],
  "accept without content": [{ action: "accept" }, `${GARBLED}: it has no true or false for confirm.\n${AGAIN}`],
  "accept with a text for the tick": [
    { action: "accept", content: { confirm: "true" } },
    `${GARBLED}: it has no true or false for confirm.\n${AGAIN}`,
  ],
};

for (const [name, [answer, said]] of Object.entries(REFUSALS)) {
  test(`thread_delete leaves everything when the answer is ${name}, and says so`, async () => {
    const top = projectToDelete();
    const { call, questions, close } = await openAsked(top, () => answer);
    const before = threadsOf(top);
    const { text, isError } = await call("thread_delete", { threadId: "auth" });
    expect([text, isError]).toEqual([said, true]);
    expect(threadsOf(top)).toEqual(before);
    expect((await call("thread_list")).text).toContain("auth-ui");
    expect(questions).toHaveLength(1);
    await close();
  });
}

test("thread_delete leaves everything when the client fails to ask, and says that it is no bug", async () => {
  const top = projectToDelete();
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
    const top = projectToDelete();
    const { call, close } = await openClient({ cwd: top, capabilities });
    expect((await call("thread_delete", { threadId: "auth" })).text).toStartWith("Deleted auth, auth-ui.");
    expect(existsSync(threadFile(top, "auth"))).toBe(false);
    await close();
  });
}

test("thread_delete asks nothing where it would refuse anyway", async () => {
  const top = projectToDelete();
  const { call, questions, close } = await openAsked(top, () => YES);
  for (const threadId of ["main", "gone", "../x", ""]) {
    expect((await call("thread_delete", { threadId })).isError).toBe(true);
  }
  expect(questions).toEqual([]);
  await close();
});

test("no other tool asks", async () => {
  const top = projectToDelete();
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

for (const answer of [{}, { action: "maybe" }, { action: "accept", content: 7 }, { action: 1 }]) {
  test(`thread_delete leaves everything when the answer is ${JSON.stringify(answer)}, and says so in a sentence`, async () => {
    const top = projectToDelete();
    const before = threadsOf(top);
    const server = await openSilent(top);
    const deleting = server.call("thread_delete", { threadId: "auth" });
    await until(() => server.questions.length === 1);
    server.send({ id: server.questions[0]?.id, result: answer });
    expect(await deleting).toBe(`${GARBLED}.\n${AGAIN}`);
    expect(threadsOf(top)).toEqual(before);
    await server.closeInput();
  });
}
