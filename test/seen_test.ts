import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseThreadFile } from "../src/core/thread_file.ts";
import { sightingOf } from "../src/io/seen.ts";
import { COMPILED, run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { openServer } from "./support/server.ts";
import { readThread, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

/** Writes what a hook of this client would have noted of the root thread, and opens a server of the same client. */
async function shownByHook(change: (text: string) => string, isWhole: boolean) {
  const { top } = gitRepository();
  await run(["project", "create", "Shop"], { cwd: top });
  await run(["summary", "--content", "## Decisions\n- one\n"], { cwd: top });
  const path = join(top, ".threadmind/threads/shop/main.md");
  const file = await parseThreadFile(readFileSync(path, "utf8"));
  if ("message" in file) throw new Error(file.message);
  mkdirSync(join(top, ".threadmind/local/sessions"), { recursive: true });
  const seen = { "shop/main": sightingOf({ body: file.body, status: "open", parentId: null }, isWhole) };
  writeFileSync(join(top, `.threadmind/local/sessions/${process.pid}.json`), `${JSON.stringify({ seen })}\n`);
  writeFileSync(path, change(readFileSync(path, "utf8")));
  return openClient({ cwd: top });
}

const update = { threadId: "main", content: "## Decisions\n- mine" };

test.skipIf(!COMPILED)(
  "a text that only a hook has shown, and that changed since, is shown before it is replaced",
  async () => {
    const client = await shownByHook((text) => `${text}- by a colleague\n`, true);
    const { isError, text } = await client.call("summary_update", update);
    expect([isError, text]).toEqual([true, expect.stringContaining("- one\n- by a colleague")]);
    expect((await client.call("summary_update", update)).isError).toBe(false);
    await client.close();
  },
);

test.skipIf(!COMPILED)("a text that a hook has cut is shown before it is replaced", async () => {
  const client = await shownByHook((text) => text, false);
  expect((await client.call("summary_update", update)).text).toContain("has not seen all of it");
  await client.close();
});

test.skipIf(!COMPILED)("a text that a hook has shown whole is replaced at once", async () => {
  const client = await shownByHook((text) => text, true);
  expect((await client.call("summary_update", update)).isError).toBe(false);
  await client.close();
});

/** A thread below main with a text, as each of two clients sees it whole. */
async function seenByTwo() {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: "## Decisions\n- JWT\n" }, legacy: {}, "auth-ui": { parentId: "auth" } });
  const [one, other] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  await other.call("context_get", { threadId: "auth", alone: true });
  return { top, one, other, close: () => Promise.all([one.close(), other.close()]) };
}

const CHANGES: readonly [string, Readonly<Record<string, unknown>>, string][] = [
  ["thread_status", { status: "done" }, "it changed since this session saw it: its status is now done. This is"],
  [
    "thread_status",
    { status: "abandoned", reason: "too slow" },
    "it changed since this session saw it: its text changed, and its status is now abandoned. This is",
  ],
  ["thread_merge", {}, "it changed since this session saw it: its status is now done (merged into main). This is"],
  ["thread_rebase", { newParentId: "legacy" }, "it changed since this session saw it: it is now below legacy. This is"],
  ["summary_update", { content: "- X", append: true }, "it changed since this session saw it. This is"],
];

for (const [tool, args, why] of CHANGES) {
  test(`a refusal says what ${tool} ${JSON.stringify(args)} of another session changed, once`, async () => {
    const { one, other, close } = await seenByTwo();
    expect((await one.call(tool, { threadId: "auth", ...args })).isError).toBe(false);
    const replacement = { threadId: "auth", content: "## Decisions\n- JWT\n- mine" };
    const refused = await other.call("summary_update", replacement);
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(`summary of auth: ${why}`)]);
    expect(refused.text).toContain("- JWT");
    expect((await other.call("summary_update", replacement)).isError).toBe(false);
    await close();
  });
}

test("a part that was seen of a thread that was finished since is refused with both", async () => {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: "## Decisions\n- JWT\n\n## State\n- half\n" }, ui: { parentId: "auth" } });
  const [one, other] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  await other.call("context_get", { threadId: "ui" });
  await one.call("thread_status", { threadId: "auth", status: "done" });
  const { text } = await other.call("summary_update", { threadId: "auth", content: "- mine" });
  expect(text).toContain("this session has not seen all of it: its status is now done. This is all it says now:");
  await Promise.all([one.close(), other.close()]);
});

test("restoring over a text that changed since it was seen is refused once, and says that it is kept", async () => {
  const { top, one, other, close } = await seenByTwo();
  await other.call("summary_update", { threadId: "auth", content: "## Decisions\n- Sessions" });
  await one.call("summary_update", { threadId: "auth", content: "- a colleague's", append: true });
  const before = readThread(top, "auth");
  const refused = await other.call("thread_restore", { threadId: "auth" });
  expect([refused.isError, refused.text]).toEqual([
    true,
    expect.stringMatching(
      /^Cannot restore auth: it changed since this session saw it\.[\s\S]*- a colleague's\n\nRestoring replaces it: call again/,
    ),
  ]);
  expect(readThread(top, "auth")).toBe(before);
  const restored = await other.call("thread_restore", { threadId: "auth" });
  expect([restored.isError, restored.text]).toEqual([
    false,
    expect.stringMatching(
      /^Restored auth as of kept-\S+\. The replaced text is kept: thread_restore auth brings it back\.$/,
    ),
  ]);
  expect(readThread(top, "auth")).not.toContain("colleague");
  // What it brought back was shown to nobody, so it doesn't count as read.
  const replaced = await other.call("summary_update", { threadId: "auth", content: "- blind" });
  expect(replaced.isError).toBe(true);
  await other.call("thread_restore", { threadId: "auth" });
  expect(readThread(top, "auth")).toContain("- a colleague's");
  await close();
});

test("restoring a text that was never seen, from a session or the command line, says what is kept", async () => {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: "## Decisions\n- JWT\n" } });
  await run(["summary", "auth", "--content", "## Decisions\n- Sessions"], { cwd: top });
  const { call, close } = await openClient({ cwd: top });
  const { isError, text } = await call("thread_restore", { threadId: "auth" });
  expect([isError, text]).toEqual([false, expect.stringContaining("The replaced text is kept: ")]);
  const { stdout } = await run(["restore", "auth"], { cwd: top });
  expect(stdout).toMatch(
    /^Restored auth as of kept-\S+\. The replaced text is kept: .*restore auth.* brings it back\.$/m,
  );
  expect(readThread(top, "auth")).toContain("- Sessions");
  await close();
});

test("what a session does to a thread itself is no change that it didn't see", async () => {
  const { one, other, close } = await seenByTwo();
  const own: readonly [string, Readonly<Record<string, unknown>>][] = [
    ["thread_status", { status: "done", reason: "shipped" }],
    ["thread_status", { status: "open" }],
    ["thread_rebase", { newParentId: "legacy" }],
    ["summary_update", { content: "- more", append: true }],
    ["thread_merge", {}],
  ];
  for (const [at, [tool, args]] of own.entries()) {
    expect((await other.call(tool, { threadId: "auth", ...args })).isError).toBe(false);
    const content = `## Decisions\n- text ${at}`;
    const { isError, text } = await other.call("summary_update", { threadId: "auth", content });
    expect([tool, isError, text]).toEqual([tool, false, expect.stringContaining("Updated")]);
  }
  await one.call("summary_update", { threadId: "auth", content: "- a colleague's", append: true });
  await other.call("thread_status", { threadId: "auth", status: "open" });
  const { text } = await other.call("summary_update", { threadId: "auth", content: "- blind" });
  expect(text).toContain("- a colleague's");
  await close();
});

test("a thread that was deleted and made again under its id is another one, which this session knows", async () => {
  const { top, home } = gitRepository();
  const server = await openServer({ cwd: top, home });
  await server.call("project_create", { title: "Shop" });
  await server.call("thread_create", { title: "Kid" });
  await server.call("summary_update", { content: "## Decisions\n- first" });
  await server.call("thread_delete", { threadId: "kid" });
  await server.call("thread_create", { title: "Kid" });
  expect(await server.call("summary_update", { content: "## Decisions\n- second" })).toBe(
    "Updated the summary of kid (Decisions).",
  );
  await server.closeInput();
});
