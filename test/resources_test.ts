import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { run } from "./support/binary.ts";
import { type ConnectedClient, openClient } from "./support/client.ts";
import { openServer } from "./support/server.ts";
import { renderThread, snapshot, type ThreadText, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

const CONTEXT = "threadmind://context";
const TREE = "threadmind://tree";
const TEMPLATE = { type: "ref/resource" as const, uri: "threadmind://thread/{id}" };
const NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

const address = (id: string): string => `threadmind://thread/${encodeURIComponent(id)}`;

/** What the server has told a client of changes. */
interface Listener extends ConnectedClient {
  /** updates by address, and `list` for a changed list, in the order of their arrival */
  readonly told: string[];
  /** waits until exactly these were told, in any order, and forgets them */
  hears(...expected: readonly string[]): Promise<void>;
}

async function listen(cwd: string): Promise<Listener> {
  const connected = await openClient({ cwd });
  const { client } = connected;
  const told: string[] = [];
  // Completions are answered in turn: after what is being told, and without moving anything.
  const settled = () => client.complete({ ref: TEMPLATE, argument: { name: "id", value: "" } });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push("list"));
  return {
    ...connected,
    told,
    async hears(...expected) {
      for (let waited = 0; told.length < expected.length && waited < 4000; waited += 20) await Bun.sleep(20);
      await settled();
      expect(told.splice(0).sort()).toEqual([...expected].sort());
    },
  };
}

async function subscribe({ client }: ConnectedClient, ...uris: readonly string[]): Promise<void> {
  for (const uri of uris) await client.subscribeResource({ uri });
}

/** Replaces a file as editors do: the new text beside it, then a rename over it. */
function save(path: string, text: string): void {
  writeFileSync(`${path}.swp`, text);
  renameSync(`${path}.swp`, path);
}

async function read({ client }: ConnectedClient, uri: string): Promise<{ text: string; mimeType: string | undefined }> {
  const { contents } = await client.readResource({ uri });
  expect(contents).toHaveLength(1);
  const [content] = contents;
  expect(content?.uri).toBe(uri);
  return { text: content !== undefined && "text" in content ? content.text : "", mimeType: content?.mimeType };
}

/** The protocol error that a request ends with. */
async function failure(request: Promise<unknown>): Promise<{ code: number; message: string }> {
  const error: unknown = await request.then(
    () => new Error("it was answered"),
    (reason) => reason,
  );
  const { code = 0, message } = error as { code?: number; message: string };
  return { code, message };
}

const THREADS: Readonly<Record<string, ThreadText>> = {
  auth: { title: "Auth", body: "## Decisions\n- JWT\n\n## State\n- half done\n" },
  "auth-ui": { title: "Auth UI", parentId: "auth", body: "## Decisions\n- React\n" },
  日本: { title: "日本語", body: "## Decisions\n- 東京\n" },
  "my thread": { title: "Mine", body: "plain text\n" },
};

function project(threads = THREADS, repository: GitRepository = gitRepository()): GitRepository {
  writeProject(repository.top, threads);
  return repository;
}

test("resources/list shows context, tree and the active project's threads", async () => {
  const { top } = project();
  writeProject(top, { cart: {} }, { id: "shop", title: "Shop" });
  const { client, call, close } = await openClient({ cwd: top });
  await call("project_switch", { projectId: "app" });
  const { resources, nextCursor } = await client.listResources();
  expect(nextCursor).toBeUndefined();
  expect(resources.map(({ uri, name, title, mimeType }) => [uri, name, title, mimeType])).toEqual([
    [CONTEXT, "context", "Context", "text/markdown"],
    [TREE, "tree", "Thread tree", "text/plain"],
    [address("auth"), "auth", "Auth", "text/markdown"],
    [address("auth-ui"), "auth-ui", "Auth UI", "text/markdown"],
    [address("main"), "main", "App", "text/markdown"],
    [address("my thread"), "my thread", "Mine", "text/markdown"],
    [address("日本"), "日本", "日本語", "text/markdown"],
  ]);
  await close();
});

test("resources/list without a workspace shows context and tree", async () => {
  const { client, close } = await openClient({ cwd: gitRepository().top });
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([CONTEXT, TREE]);
  const { code, message } = await failure(client.readResource({ uri: CONTEXT }));
  expect([code, message]).toEqual([NOT_FOUND, expect.stringContaining("project_create")]);
  await close();
});

test("resources/list comes in pages of 100 that hold each thread once", async () => {
  const ids = Array.from({ length: 210 }, (_, index) => `t${String(index).padStart(3, "0")}`);
  const { top } = project(Object.fromEntries(ids.map((id) => [id, {}])));
  const { client, close } = await openClient({ cwd: top });
  const sizes: number[] = [];
  const names: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listResources(cursor === undefined ? {} : { cursor });
    sizes.push(page.resources.length);
    names.push(...page.resources.map(({ name }) => name));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(sizes).toEqual([100, 100, 13]);
  expect(names.sort()).toEqual(["context", "main", ...ids, "tree"]);
  for (const cursor of ["", "-1", "1.5", "x", "214", "1e1"]) {
    expect((await failure(client.listResources({ cursor }))).code).toBe(INVALID_PARAMS);
  }
  await close();
});

test("resources/list carries only dates that clients accept, whatever a file says", async () => {
  const { top } = project({
    auth: { updatedAt: "2026-04-15" },
    odd: { updatedAt: "yesterday" },
    local: { updatedAt: "2026-04-15T12:00:00+02:00" },
  });
  const { client, close } = await openClient({ cwd: top });
  const { resources } = await client.listResources();
  const dates = Object.fromEntries(resources.map(({ name, annotations }) => [name, annotations?.lastModified]));
  expect(dates).toMatchObject({
    auth: "2026-04-15T00:00:00.000Z",
    odd: undefined,
    local: "2026-04-15T10:00:00.000Z",
  });
  await close();
});

test("resources/templates/list shows the thread template, whose id completes", async () => {
  const { top } = project();
  const { client, close } = await openClient({ cwd: top });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate, name, mimeType }) => [uriTemplate, name, mimeType])).toEqual([
    ["threadmind://thread/{id}", "thread", "text/markdown"],
  ]);
  const complete = async (value: string) =>
    (await client.complete({ ref: TEMPLATE, argument: { name: "id", value } })).completion.values;
  expect(await complete("AU")).toEqual(["auth", "auth-ui"]);
  expect(await complete("日")).toEqual(["日本"]);
  const wrong = { ref: { ...TEMPLATE, uri: "threadmind://project/{id}" }, argument: { name: "id", value: "" } };
  expect((await failure(client.complete(wrong))).code).toBe(INVALID_PARAMS);
  await close();
});

test("resources/read gives each resource with the MIME type of the list", async () => {
  const { top } = project();
  const connected = await openClient({ cwd: top });
  for (const { uri, mimeType } of (await connected.client.listResources()).resources) {
    expect((await read(connected, uri)).mimeType).toBe(mimeType);
  }
  expect((await read(connected, CONTEXT)).text).toBe((await connected.call("context_get")).text);
  expect((await read(connected, TREE)).text).toBe((await connected.call("thread_list")).text);
  await connected.close();
});

test("a thread's resource is its heading and whole summary, without frontmatter and ancestors", async () => {
  const { top } = project();
  const connected = await openClient({ cwd: top });
  expect((await read(connected, address("auth"))).text).toBe(
    "## Thread: Auth\n\n## Decisions\n- JWT\n\n## State\n- half done",
  );
  expect((await read(connected, address("main"))).text).toBe("## Thread: App (active)\n\n_No summary yet._");
  await connected.close();
});

test("a thread's address may be escaped or raw, in another case, or name its project", async () => {
  const { top } = project();
  writeProject(top, { cart: { title: "Cart" } }, { id: "shop", title: "Shop" });
  const connected = await openClient({ cwd: top });
  await connected.call("project_switch", { projectId: "app" });
  const heading = async (uri: string) => (await read(connected, uri)).text.split("\n")[0];
  for (const uri of ["日本", "%E6%97%A5%E6%9C%AC", "%e6%97%a5%e6%9c%ac", "app/日本", "app%2F%E6%97%A5%E6%9C%AC"]) {
    expect(await heading(`threadmind://thread/${uri}`)).toBe("## Thread: 日本語");
  }
  for (const uri of ["my%20thread", "my thread", "MY%20Thread"]) {
    expect(await heading(`threadmind://thread/${uri}`)).toBe("## Thread: Mine");
  }
  for (const uri of ["shop/cart", "shop%2Fcart", "SHOP/Cart"]) {
    expect(await heading(`threadmind://thread/${uri}`)).toBe("## Thread: Cart");
  }
  await connected.close();
});

test("an unknown resource is error -32002 with the nearest, or with what there is", async () => {
  const { top } = project();
  const { client, close } = await openClient({ cwd: top });
  const table = [
    [address("auht"), "has no such thread.\nDid you mean auth?"],
    ["threadmind://thread/ap/auth", "Did you mean app?"],
    ["threadmind://thread/", "it is empty"],
    ["threadmind://thread/%E6%97", "Its percent escapes are broken."],
    [
      "threadmind://threads/auth",
      "The resources are threadmind://context, threadmind://tree and threadmind://thread/{id}.",
    ],
    ["file:///etc/hostname", "The resources are threadmind://context"],
    ["", "The resources are threadmind://context"],
  ] as const;
  for (const [uri, part] of table) {
    const read = await failure(client.readResource({ uri }));
    expect([uri, read.code, read.message]).toEqual([uri, NOT_FOUND, expect.stringContaining(part)]);
    expect(await failure(client.subscribeResource({ uri }))).toEqual(read);
  }
  await close();
});

test("an address that leaves the workspace reads nothing, writes nothing and leaks nothing", async () => {
  const { top } = project();
  writeFileSync(join(top, "notes.md"), renderThread("notes", { body: "hidden words\n" }));
  symlinkSync(join(top, "notes.md"), threadFile(top, "linked"));
  const outside = join(top, "outside.md");
  symlinkSync("/etc/hostname", threadFile(top, "host"));
  writeFileSync(outside, "hidden words\n");
  const { client, close } = await openClient({ cwd: top });
  const before = snapshot(top);
  const ids = [
    ...[
      "..%2F..%2F..%2Fnotes",
      "../../../notes",
      "..%5C..%5C..%5Cnotes",
      "%2e%2e%2f%2e%2e%2fnotes",
      "app/../../../notes",
    ],
    ...[
      "..%252F..%252F..%252Fnotes",
      "%2Fetc%2Fhostname",
      "/etc/hostname",
      "notes%00",
      "..",
      ".",
      "C:%5Cnotes",
      "host",
    ],
    ...["..%2Fapp%2Fauth", "app%2F..", `..%2F${"..%2F".repeat(200)}etc%2Fhostname`],
  ];
  for (const id of ids) {
    const { code, message } = await failure(client.readResource({ uri: `threadmind://thread/${id}` }));
    expect([id, code === NOT_FOUND || code === INTERNAL_ERROR]).toEqual([id, true]);
    expect(message).not.toContain("hidden words");
    expect(message.length).toBeLessThan(400);
  }
  expect(snapshot(top)).toEqual(before);
  await close();
});

test("a thread that can't be read is no missing one, and hides no other", async () => {
  const { top } = project();
  writeFileSync(threadFile(top, "broken"), "---\nid: broken\n");
  const connected = await openClient({ cwd: top });
  const { code, message } = await failure(connected.client.readResource({ uri: address("broken") }));
  expect([code, message]).toEqual([INTERNAL_ERROR, expect.stringContaining(".threadmind/threads/app/broken.md")]);
  expect((await connected.client.listResources()).resources.map(({ name }) => name)).toContain("auth-ui");
  expect((await read(connected, address("auth"))).text).toContain("- JWT");
  await connected.close();
});

test("a tool call tells of the subscribed resources that it changed, and of no other", async () => {
  const { top } = project();
  const listener = await listen(top);
  await subscribe(listener, CONTEXT, TREE, address("auth"), address("日本"), "threadmind://thread/日本");
  await listener.call("summary_update", { threadId: "auth", content: "## Decisions\n- Sessions\n" });
  await listener.hears(address("auth"));
  await listener.call("summary_update", { threadId: "日本", content: "## Decisions\n- 京都\n" });
  await listener.hears(address("日本"), "threadmind://thread/日本");
  await listener.call("thread_switch", { threadId: "auth" });
  await listener.hears(CONTEXT, TREE, address("auth"));
  await listener.call("thread_status", { threadId: "auth-ui", status: "done" });
  await listener.hears(TREE);
  await listener.call("summary_update", { content: "## Decisions\n- Sessions\n" });
  await listener.call("context_get");
  await listener.client.unsubscribeResource({ uri: TREE });
  await listener.client.unsubscribeResource({ uri: CONTEXT });
  await listener.call("thread_switch", { threadId: "auth-ui" });
  await listener.hears(address("auth"));
  await listener.close();
});

test("an editor's save tells of the thread it changed, once, and of no other", async () => {
  const { top } = project();
  const listener = await listen(top);
  await subscribe(listener, CONTEXT, address("auth"), address("auth-ui"));
  const root = (body: string) => renderThread("main", { title: "App", parentId: null, body });
  const saved = (body: string) => renderThread("auth", { ...THREADS.auth, body });
  save(threadFile(top, "auth"), saved("## Decisions\n- Sessions\n"));
  await listener.hears(address("auth"));
  writeFileSync(threadFile(top, "auth"), saved("## Decisions\n- Cookies\n"));
  await listener.hears(address("auth"));
  save(threadFile(top, "auth"), saved("## Decisions\n- Cookies\n"));
  save(threadFile(top, "main"), root("## Decisions\n- Bun\n"));
  await listener.hears(CONTEXT);
  rmSync(threadFile(top, "auth-ui"));
  await listener.hears(address("auth-ui"), "list");
  expect((await failure(listener.client.readResource({ uri: address("auth-ui") }))).code).toBe(NOT_FOUND);
  await listener.client.unsubscribeResource({ uri: CONTEXT });
  save(threadFile(top, "main"), root("## Decisions\n- Deno\n"));
  save(threadFile(top, "auth"), saved("## Decisions\n- Tokens\n"));
  await listener.hears(address("auth"));
  await listener.close();
});

test("a checkout of another branch tells of what it changed, and of no other", async () => {
  const repository = project({ ...THREADS, auth: { ...THREADS.auth, branch: "feature/auth" } });
  const { top, git } = repository;
  repository.commit("Start");
  git("checkout", "--quiet", "-b", "feature/ui");
  repository.commit("UI", {
    ".threadmind/threads/app/auth-ui.md": renderThread("auth-ui", { title: "Auth UI", body: "other\n" }),
  });
  git("checkout", "--quiet", "main");
  git("branch", "feature/auth");
  const listener = await listen(top);
  await subscribe(listener, CONTEXT, TREE, address("auth-ui"), address("日本"));
  git("checkout", "--quiet", "feature/ui");
  await listener.hears(address("auth-ui"), TREE);
  git("checkout", "--quiet", "main");
  await listener.hears(address("auth-ui"), TREE);
  git("checkout", "--quiet", "feature/auth");
  await listener.hears(CONTEXT, TREE);
  expect((await read(listener, CONTEXT)).text).toContain("## Thread: Auth (active)");
  expect((await read(listener, TREE)).text).toContain("auth [feature/auth] ← active");
  save(threadFile(top, "日本"), renderThread("日本", { ...THREADS.日本, body: "new\n" }));
  await listener.hears(address("日本"));
  await listener.close();
});

test("a commit tells of the summary whose code it changed", async () => {
  const repository = project();
  const { top } = repository;
  repository.commit("Start", { "src/auth.ts": "one\n" });
  const listener = await listen(top);
  await listener.call("summary_update", { content: "## Decisions\n- Bun\n", threadId: "auth", paths: ["src"] });
  repository.commit("Summary");
  await subscribe(listener, address("auth"), address("auth-ui"));
  repository.commit("Change", { "src/auth.ts": "two\n" });
  await listener.hears(address("auth"));
  expect((await read(listener, address("auth"))).text).toContain("⚠ 1 commit changed src since");
  await listener.close();
});

test("threads that come and go tell of a changed list, by tools always and on disk while something is subscribed", async () => {
  const { top } = project();
  const listener = await listen(top);
  await listener.call("thread_create", { title: "New" });
  await listener.hears("list");
  await listener.call("summary_update", { content: "## State\n- begun\n" });
  await listener.call("thread_delete", { threadId: "new" });
  await listener.hears("list");
  await subscribe(listener, address("auth"));
  writeFileSync(threadFile(top, "late"), renderThread("late", {}));
  await listener.hears("list");
  expect((await listener.client.listResources()).resources.map(({ name }) => name)).toContain("late");
  await listener.call("thread_update", { threadId: "late", title: "Later" });
  await listener.hears("list");
  await listener.client.unsubscribeResource({ uri: address("auth") });
  writeFileSync(threadFile(top, "unheard"), renderThread("unheard", {}));
  await Bun.sleep(400);
  await listener.hears();
  await listener.call("thread_status", { threadId: "late", status: "done" });
  await listener.hears("list");
  await listener.close();
});

test("folders that come, go and come again are still followed", async () => {
  const repository = gitRepository();
  const { top, git } = repository;
  repository.commit("Bare");
  git("branch", "bare");
  project(THREADS, repository);
  repository.commit("Project");
  const listener = await listen(top);
  await subscribe(listener, address("auth"));
  git("checkout", "--quiet", "bare");
  await listener.hears(address("auth"), "list");
  git("checkout", "--quiet", "main");
  await listener.hears(address("auth"), "list");
  save(threadFile(top, "auth"), renderThread("auth", { title: "Auth", body: "after the return\n" }));
  await listener.hears(address("auth"));
  mkdirSync(join(top, ".threadmind/threads/shop"));
  writeProject(top, { cart: {} }, { id: "shop", title: "Shop" });
  await Bun.sleep(300);
  await subscribe(listener, "threadmind://thread/shop/cart");
  save(threadFile(top, "cart", "shop"), renderThread("cart", { body: "in another project\n" }));
  await listener.hears("threadmind://thread/shop/cart");
  await listener.close();
});

test("telling of a change counts as no reading, and moves no session", async () => {
  const repository = project({ ...THREADS, auth: { ...THREADS.auth, branch: "feature/auth" } });
  const { top, git } = repository;
  repository.commit("Start");
  git("branch", "feature/auth");
  const listener = await listen(top);
  await listener.call("context_get", { threadId: "auth-ui" });
  await subscribe(listener, CONTEXT, address("auth-ui"));
  save(
    threadFile(top, "auth-ui"),
    renderThread("auth-ui", { title: "Auth UI", parentId: "auth", body: "a teammate's\n" }),
  );
  await listener.hears(address("auth-ui"));
  const late = await listener.call("summary_update", { threadId: "auth-ui", content: "mine\n" });
  expect([late.isError, late.text]).toEqual([true, expect.stringContaining("a teammate's")]);
  git("checkout", "--quiet", "feature/auth");
  await listener.hears(CONTEXT);
  const astray = await listener.call("summary_update", { content: "for main\n" });
  expect([astray.isError, astray.text]).toEqual([true, expect.stringContaining("the branch changed to feature/auth")]);
  expect((await run(["show", "main"], { cwd: top })).stdout).toContain("_No summary yet._");
  await listener.close();
});

for (const uri of [CONTEXT, TREE, address("auth"), address("main")]) {
  test(`a client's reading of ${uri} moves no session, and a write after a checkout is still refused`, async () => {
    const repository = project({ ...THREADS, auth: { ...THREADS.auth, branch: "feature/auth" } });
    const { top, git } = repository;
    repository.commit("Start");
    git("branch", "feature/auth");
    const connected = await openClient({ cwd: top });
    await connected.call("thread_list");
    git("checkout", "--quiet", "feature/auth");
    const before = snapshot(top);
    const { text } = await read(connected, uri);
    const move = "The branch changed to feature/auth: the active thread is now auth (was main).\n\n";
    expect(text.startsWith(move)).toBe(uri === CONTEXT || uri === TREE);
    expect(/## Thread: Auth \(active\)|auth \[feature\/auth\] ← active/.test(text)).toBe(uri !== address("main"));
    expect((await read(connected, uri)).text).toBe(text);
    expect(snapshot(top)).toEqual(before);
    const astray = await connected.call("summary_update", { content: "for main\n" });
    expect([astray.isError, astray.text]).toEqual([
      true,
      expect.stringContaining("the branch changed to feature/auth, so the active thread would be auth (was main)"),
    ]);
    await read(connected, uri);
    expect((await connected.call("summary_update", { content: "for auth\n" })).text).toContain("summary of auth");
    expect((await read(connected, uri)).text).not.toContain("The branch changed");
    await connected.close();
  });

  test(`what a client read as ${uri} counts as read by no model, and as said to none`, async () => {
    const { top } = project();
    const connected = await openClient({ cwd: top });
    await connected.call("context_get", { threadId: "auth", alone: true });
    await connected.call("context_get", { threadId: "main", alone: true });
    const changed = uri === address("auth") ? "auth" : "main";
    const parentId = changed === "auth" ? "main" : null;
    save(threadFile(top, changed), renderThread(changed, { parentId, body: "## Decisions\n- a teammate's\n" }));
    writeFileSync(join(top, ".threadmind/config.json"), "{");
    const { text } = await read(connected, uri);
    if (uri === CONTEXT) expect(text).toMatch(/^⚠ .*config\.json.* counts as empty[\s\S]*- a teammate's/);
    const late = await connected.call("summary_update", { threadId: changed, content: "mine\n" });
    expect([late.isError, late.text]).toEqual([true, expect.stringContaining("- a teammate's")]);
    expect((await connected.call("thread_list")).text).toMatch(/^⚠ .*config\.json.* counts as empty/);
    expect((await connected.call("thread_list")).text).not.toContain("config.json");
    await connected.close();
  });
}

test("subscriptions keep no process alive", async () => {
  const { top } = project();
  const server = await openServer({ cwd: top });
  await server.request("resources/subscribe", { uri: CONTEXT });
  await server.request("resources/subscribe", { uri: address("auth") });
  save(threadFile(top, "auth"), renderThread("auth", { body: "new\n" }));
  const begun = performance.now();
  await server.closeInput();
  expect(await server.exited).toBe(0);
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(await server.stderr()).toBe("");
});
