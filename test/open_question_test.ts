import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { run } from "./support/binary.ts";
import { openSilent, projectToDelete, threadsOf, until, YES } from "./support/questions.ts";
import { type Message, openServer, type Server } from "./support/server.ts";
import { threadFile, writeProject } from "./support/stored_project.ts";

const DELETE_AUTH = { name: "thread_delete", arguments: { threadId: "auth" } };

const methodsOf = ({ lines }: Server): (string | undefined)[] =>
  lines.map((line): Message => JSON.parse(line)).map(({ method }) => method);

test("an open question holds up nothing else, and a yes then deletes what was asked about", async () => {
  const top = projectToDelete();
  const server = await openSilent(top);
  const deleting = server.call("thread_delete", { threadId: "auth" });
  await until(() => server.questions.length === 1);
  expect(server.questions[0]?.method).toBe("elicitation/create");
  const ref = { type: "ref/prompt", name: "tm-switch" };
  const requests: readonly (readonly [method: string, params?: object])[] = [
    ...(["ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list"] as const).map(
      (method) => [method] as const,
    ),
    ["prompts/get", { name: "tm-tree" }],
    ["resources/read", { uri: "threadmind://context" }],
    ["resources/subscribe", { uri: "threadmind://tree" }],
    ["completion/complete", { ref, argument: { name: "threadId", value: "au" } }],
  ];
  for (const [method, params] of requests)
    expect([method, (await server.request(method, params)).error]).toEqual([method, undefined]);
  expect(await server.call("context_get")).toContain("## Thread: ");
  expect(await server.call("summary_update", { threadId: "billing", content: "## Decisions\n- cents\n" })).toContain(
    "Updated the summary of billing",
  );
  const { stdout } = await run(["create", "Other", "--parent-id", "billing"], { cwd: top });
  expect(stdout).toContain("Created the thread other below billing");
  expect(await server.call("thread_list")).toContain("auth-ui");
  server.send({ id: server.questions[0]?.id, result: YES });
  expect(await deleting).toStartWith("Deleted auth, auth-ui.");
  expect(await server.call("thread_list")).not.toContain("auth");
  await server.closeInput();
  expect(await server.stderr()).toBe("");
});

const cli =
  (...args: readonly string[]) =>
  async (top: string): Promise<void> =>
    expect((await run(args, { cwd: top })).code).toBe(0);

const write =
  (id: string, change: (text: string) => string) =>
  async (top: string): Promise<void> =>
    writeFileSync(threadFile(top, id), change(readFileSync(threadFile(top, id), "utf8")));

/** What another session, or an editor, does while the question about `auth` is open, and how the refusal says so. */
const MEANWHILE: Readonly<Record<string, readonly [change: (top: string) => Promise<void>, said: string]>> = {
  "a thread is created below it": [cli("create", "Kid", "--parent-id", "auth"), "kid is new"],
  "a thread is created below its child": [cli("create", "Kid", "--parent-id", "auth-ui"), "kid is new"],
  "a thread is moved below it": [cli("rebase", "billing", "auth"), "billing is new"],
  "its child is moved away": [cli("rebase", "auth-ui", "main"), "auth-ui is no longer there"],
  "its child is deleted": [cli("delete", "auth-ui"), "auth-ui is no longer there"],
  "it is deleted": [cli("delete", "auth"), "auth is no longer there, auth-ui is no longer there"],
  "its text changes": [cli("summary", "auth", "--content", "## Decisions\n- JWT\n"), "auth has another text"],
  "its child's text changes": [write("auth-ui", (text) => `${text}More.\n`), "auth-ui has another text"],
  "it is moved": [cli("rebase", "auth", "billing"), "auth has another parent"],
  "its status changes": [
    write("auth", (text) => text.replace("\n---\n", "\nstatus: done\n---\n")),
    "auth has another status",
  ],
  "it is renamed": [cli("update", "auth", "--title", "Login"), "auth has another header"],
};

for (const [name, [change, said]] of Object.entries(MEANWHILE)) {
  test(`a yes deletes nothing when, while the question is open, ${name}`, async () => {
    const top = projectToDelete();
    const server = await openSilent(top);
    const deleting = server.call("thread_delete", { threadId: "auth" });
    await until(() => server.questions.length === 1);
    await change(top);
    const before = threadsOf(top);
    server.send({ id: server.questions[0]?.id, result: YES });
    const text = await deleting;
    expect(text).toStartWith(`Deleted nothing: what was to be deleted changed meanwhile (${said}).\nSee thread_list`);
    expect(threadsOf(top)).toEqual(before);
    await server.closeInput();
  });
}

test("a yes deletes from the project that was asked about, wherever the session has gone meanwhile", async () => {
  const top = projectToDelete();
  writeProject(top, { auth: {} }, { id: "shop", title: "Shop" });
  const server = await openSilent(top);
  await server.call("thread_switch", { threadId: "app/main" });
  const deleting = server.call("thread_delete", { threadId: "auth" });
  await until(() => server.questions.length === 1);
  await server.call("project_switch", { projectId: "shop" });
  server.send({ id: server.questions[0]?.id, result: YES });
  expect(await deleting).toContain("Deleted auth, auth-ui.\nTo bring them back: thread_restore app/auth");
  expect(Object.keys(threadsOf(top)).sort()).toEqual(["app/billing.md", "app/main.md", "shop/auth.md", "shop/main.md"]);
  expect(await server.call("context_get")).toContain("## Thread: Shop (active)");
  await server.closeInput();
});

test("a session that has gone to the thread while the question was open goes to its parent when it is deleted", async () => {
  const top = projectToDelete();
  const server = await openSilent(top);
  const deleting = server.call("thread_delete", { threadId: "auth" });
  await until(() => server.questions.length === 1);
  await server.call("thread_switch", { threadId: "auth-ui" });
  server.send({ id: server.questions[0]?.id, result: YES });
  expect(await deleting).toContain("\nActive thread: main.\n");
  expect(await server.call("thread_list")).toBe("main ← active\n└── billing");
  await server.closeInput();
});

test("each of several open questions is answered for itself", async () => {
  const top = projectToDelete();
  const server = await openSilent(top);
  const calls = ["auth", "auth-ui", "billing"].map((threadId) => server.call("thread_delete", { threadId }));
  await until(() => server.questions.length === 3);
  const [auth, ui, billing] = server.questions;
  server.send({ id: billing?.id, result: { action: "decline" } });
  expect(await calls[2]).toContain("the question about billing was answered with no");
  server.send({ id: auth?.id, result: YES });
  expect(await calls[0]).toStartWith("Deleted auth, auth-ui.");
  server.send({ id: ui?.id, result: YES });
  expect(await calls[1]).toContain("auth-ui is no longer there");
  expect(Object.keys(threadsOf(top))).toEqual(["app/billing.md", "app/main.md"]);
  await server.closeInput();
});

test("a client that can't be asked finds its calls done in their order", async () => {
  const top = projectToDelete();
  const server = await openServer({ cwd: top });
  const calls = [
    server.call("thread_delete", { threadId: "auth" }),
    server.call("thread_list"),
    server.call("thread_delete", { threadId: "billing" }),
    server.call("thread_list"),
  ];
  expect((await Promise.all(calls)).filter((_, index) => index % 2 === 1)).toEqual([
    "main ← active\n└── billing",
    "main ← active",
  ]);
  await server.closeInput();
});

test("a cancelled call withdraws its question, and an answer that comes too late deletes nothing", async () => {
  const top = projectToDelete();
  const before = threadsOf(top);
  const server = await openSilent(top);
  server.send({ id: 1, method: "tools/call", params: DELETE_AUTH });
  await until(() => server.questions.length === 1);
  server.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  expect(await server.call("thread_list")).toContain("auth-ui");
  expect(methodsOf(server)).toContain("notifications/cancelled");
  server.send({ id: server.questions[0]?.id, result: YES });
  expect(await server.call("thread_list")).toContain("auth-ui");
  expect(threadsOf(top)).toEqual(before);
  expect(server.lines.some((line) => JSON.parse(line).id === 1)).toBe(false);
  await server.closeInput();
  expect(await server.stderr()).toBe("");
});

const GOODBYES: Readonly<Record<string, (server: Server) => unknown>> = {
  "goes away": (server) => server.closeInput(),
  "sends SIGTERM": (server) => server.kill("SIGTERM"),
  "sends SIGINT": (server) => server.kill("SIGINT"),
};

for (const [name, goodbye] of Object.entries(GOODBYES)) {
  test.skipIf(process.platform === "win32" && name !== "goes away")(
    `a client that ${name} with a question open deletes nothing and leaves no process`,
    async () => {
      const top = projectToDelete();
      const before = threadsOf(top);
      const server = await openSilent(top);
      server.send({ id: 1, method: "tools/call", params: DELETE_AUTH });
      await until(() => server.questions.length === 1);
      expect(await server.call("thread_list")).toContain("auth-ui");
      const begun = performance.now();
      await goodbye(server);
      expect(await server.exited).toBe(0);
      expect(performance.now() - begun).toBeLessThan(1100);
      expect(threadsOf(top)).toEqual(before);
    },
  );
}
