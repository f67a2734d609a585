import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { run } from "../support/binary.ts";
import { hook } from "../support/hooks.ts";
import { openServer, type Server } from "../support/server.ts";
import { renderThread, threadFile, writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryHome } from "../support/temp.ts";
import { BAD_FILES, type BadFile } from "./bad_files.ts";
import { changedPaths, copyOf, everythingIn, IS_LONG } from "./faults.ts";

setDefaultTimeout(120_000);

const LIMIT_MS = 10_000;
const GOOD = "## Decisions\n- good as ever\n";
const REFUSED = new Set(["unreadable", "conflict", "identity"]);
const home = temporaryHome();

const template = gitRepository({ home });
writeProject(template.top, { good: { body: GOOD }, below: { parentId: "bad", body: "## State\n- below\n" } });
template.commit("Start");

/** A workspace with good threads, one below the bad one among them. */
function workspaceWith(bad: BadFile): string {
  const top = copyOf(template.top);
  bad.put(top);
  return top;
}

interface Called {
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool of a running server, which has to answer in time. */
async function call(server: Server, name: string, args: object): Promise<Called> {
  const begun = performance.now();
  const { result, error } = await server.request("tools/call", { name, arguments: args });
  expect([name, performance.now() - begun < LIMIT_MS]).toEqual([name, true]);
  expect([name, error?.code === -32603]).toEqual([name, false]);
  const text = error?.message ?? (result?.content ?? []).map((part) => part.text).join("\n");
  expect(text).not.toContain("this is a bug");
  return { text, isError: error !== undefined || result?.isError === true };
}

/** Runs a command line, which has to end in time and well, or with the refusal of a thread. */
async function cli(top: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(words, { cwd: top, home, timeoutMs: LIMIT_MS });
  expect([words, code, stderr]).toEqual([words, 0, ""]);
  return stdout;
}

for (const bad of BAD_FILES) {
  const id = bad.id ?? "bad";
  const path = bad.names ?? (bad.verdict === "fine" ? id : `.threadmind/threads/app/${id}.md`);
  const isUsable = bad.verdict === "fine" || bad.verdict === "named";
  const isLoop = bad.says.includes("parent that has it") || bad.says.includes("itself as parent");

  test(`a thread beside good ones: ${bad.says}`, async () => {
    const top = workspaceWith(bad);
    const before = everythingIn(top);

    // Readers: the good threads are shown, the bad one is named, nothing changes.
    const tree = JSON.parse(await cli(top, "tree", "--json"));
    expect(tree.threads.map((thread: { id: string }) => thread.id)).toContain("good");
    if (bad.verdict !== "fine" && bad.names === undefined)
      expect(tree.faults.map((fault: { file: string }) => fault.file)).toContain(path);
    expect(await cli(top, "context", "good")).toContain("- good as ever");
    if (IS_LONG) {
      for (const words of [
        ["tree"],
        ["search", "ever"],
        ["stats"],
        ["history", "good"],
        ["project", "list"],
        ["show", "good"],
      ])
        await cli(top, ...words);
    }
    const begun = performance.now();
    const started = await hook({ top }, "session-start", { session_id: "s", source: "startup" });
    expect([started.code, started.stderr, performance.now() - begun < LIMIT_MS]).toEqual([0, "", true]);
    expect(started.stdout).toContain("## Thread: App (active)");

    const server = await openServer({ cwd: top, home });
    const list = await call(server, "thread_list", {});
    expect([list.isError, list.text.includes("── good")]).toEqual([false, true]);
    expect(list.text).toContain(path);
    expect((await call(server, "context_get", { threadId: "good" })).text).toContain("- good as ever");
    const search = await call(server, "thread_search", { query: "ever" });
    expect([search.isError, search.text.includes("- good as ever")]).toEqual([false, true]);
    expect((await call(server, "stats_show", {})).isError).toBe(false);
    expect((await call(server, "thread_history", { threadId: "good" })).isError).toBe(false);
    expect((await call(server, "project_list", {})).text).toContain("App");
    for (const uri of [
      "threadmind://tree",
      "threadmind://context",
      "threadmind://thread/good",
      "threadmind://thread/below",
    ]) {
      const { error } = await server.request("resources/read", { uri });
      expect([uri, error?.message]).toEqual([uri, undefined]);
    }
    expect((await server.request("resources/list")).error).toBeUndefined();
    const alone = await call(server, "context_get", { threadId: id, alone: true });
    const whole = await call(server, "context_get", { threadId: id });
    const resource = await server.request("resources/read", { uri: `threadmind://thread/${encodeURIComponent(id)}` });
    const texts = [alone, whole].map(({ isError, text }) => [isError, isError ? text.split("\n")[0] : ""]);
    if (isUsable) expect([texts[0], resource.error]).toEqual([[false, ""], undefined]);
    if (isUsable && !isLoop) expect(texts[1]).toEqual([false, ""]);
    if (isUsable) expect(alone.text).toContain("kept by bad");
    if (bad.verdict === "unreadable") {
      expect(texts).toEqual(Array(2).fill([true, expect.stringContaining(path)]));
      expect(resource.error?.message).toContain(path);
    }
    if (bad.verdict === "absent")
      expect([alone.isError, whole.isError, resource.error !== undefined]).toEqual([true, true, true]);
    await call(server, "thread_history", { threadId: id });
    await call(server, "context_get", { threadId: "below" });
    expect(changedPaths(before, everythingIn(top)).filter((name) => name !== ".threadmind/config.json")).toEqual([]);

    // Writers aimed at the bad one refuse and change nothing.
    const read = everythingIn(top);
    if (!isUsable) {
      for (const [tool, args] of [
        ["summary_update", { content: "## Decisions\n- over it\n" }],
        ["summary_update", { content: "- over it", append: true }],
        ["summary_update", { content: "- over it", section: "State" }],
        ["thread_update", { title: "Over it" }],
        ["thread_status", { status: "done" }],
        ["thread_status", { status: "abandoned", reason: "x" }],
        ["thread_verify", {}],
        ["thread_rebase", { newParentId: "good" }],
        ["thread_merge", {}],
        ["thread_merge", { summary: "## Decisions\n- over it\n" }],
        ["thread_delete", {}],
      ] as const) {
        const { isError, text } = await call(server, tool, { ...args, threadId: id });
        expect([tool, isError, text]).toEqual([tool, true, expect.stringMatching(/^Cannot /)]);
        if (REFUSED.has(bad.verdict)) expect(text).toContain(path);
        expect([tool, changedPaths(read, everythingIn(top))]).toEqual([tool, []]);
      }
      // Nor is a new thread or project put in its place.
      const made = await call(server, "thread_create", { title: id, parentId: "main" });
      const after = everythingIn(top);
      if (!made.isError)
        expect(changedPaths(read, after).every((name) => !(name in read) || name.endsWith("config.json"))).toBe(true);
      else expect(changedPaths(read, after)).toEqual([]);
    }

    // Writers aimed at a good one work, and change that one alone.
    const ready = everythingIn(top);
    const written = await call(server, "summary_update", { threadId: "good", append: true, content: "- more" });
    expect([written.isError, written.text]).toEqual([false, expect.stringContaining("Updated the summary of good")]);
    expect(changedPaths(ready, everythingIn(top))).toEqual([".threadmind/threads/app/good.md"]);
    if (isUsable) {
      const appended = await call(server, "summary_update", {
        threadId: id,
        append: true,
        content: "- appended at last",
      });
      expect([appended.isError, appended.text.split("\n")[0]]).toEqual([
        false,
        expect.stringContaining(`Updated the summary of ${id}`),
      ]);
      const [changed = "", ...others] = changedPaths(ready, everythingIn(top)).filter(
        (name) => !name.endsWith("/good.md"),
      );
      expect([changed, others]).toEqual([`.threadmind/threads/app/${id}.md`, []]);
      expect(everythingIn(top)[changed]).toContain("\n- appended at last\n");
      expect(everythingIn(top)[changed]).toContain("- kept by bad");
    }
    await server.closeInput();
    expect(await server.exited).toBe(0);
  });
}

test("fifty bad threads of all kinds at once are all named, and the good ones work", async () => {
  const repository = gitRepository({ home });
  const { top } = repository;
  const texts = [
    "",
    "---\n",
    "\0",
    "---\nid: other\n---\n",
    "<<<<<<< a\n=======\n>>>>>>> b\n",
    "---\n- a\n---\n",
    "---x\n",
  ];
  writeProject(top, { good: { body: GOOD } });
  const names = Array.from({ length: 50 }, (_, n) => `bad-${n}`);
  for (const [n, name] of names.entries()) writeFileSync(threadFile(top, name), texts[n % texts.length] ?? "");
  writeFileSync(threadFile(top, "last"), renderThread("last", { body: GOOD }));
  const before = everythingIn(top);
  const tree = await cli(top, "tree");
  for (const name of names) expect(tree).toContain(`.threadmind/threads/app/${name}.md`);
  expect(await cli(top, "context", "good")).toContain("- good as ever");
  expect(everythingIn(top)).toEqual(before);
  expect(await cli(top, "summary", "last", "--append", "--content", "- more")).toContain("Updated the summary of last");
  expect(changedPaths(before, everythingIn(top))).toEqual([".threadmind/threads/app/last.md"]);
});
