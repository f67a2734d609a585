import { expect, test } from "bun:test";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { readThread, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

/** A project whose thread auth another command has finished. */
async function finished(...words: readonly string[]) {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: "## Decisions\n- JWT\n" }, ui: { parentId: "auth" } });
  await run(["switch", "auth"], { cwd: top });
  await run(words, { cwd: top });
  return { top, ...(await openClient({ cwd: top })) };
}

const FINISHES: readonly [readonly string[], string][] = [
  [["done", "auth"], "auth is done: no new session starts here. Write to main, or reopen it with thread_status."],
  [["abandon", "too slow"], "auth is abandoned: no new session starts here. Write to main, or reopen it"],
  [["merge", "auth"], "auth is done (merged into main): main does not get what is written here. Write to main, or"],
];

const WRITES: readonly Readonly<Record<string, unknown>>[] = [
  { content: "- more", append: true },
  { content: "- more", section: "State" },
  { content: "## Decisions\n- new" },
];

for (const [words, note] of FINISHES) {
  test(`a write into a thread after \`${words.join(" ")}\` says that it is finished, and where to go on`, async () => {
    const { call, close } = await finished(...words);
    for (const write of WRITES) {
      const { isError, text } = await call("summary_update", { threadId: "auth", ...write });
      expect([isError, text]).toEqual([false, expect.stringContaining(note)]);
    }
    expect((await call("summary_update", { threadId: "auth", content: "## Decisions\n- new" })).text).not.toContain(
      "no new session",
    );
    expect((await call("thread_restore", { threadId: "auth" })).text).toContain(note);
    await call("thread_status", { threadId: "auth", status: "open" });
    expect((await call("summary_update", { threadId: "auth", content: "- x", append: true })).text).toBe(
      "Updated the summary of auth (Decisions).",
    );
    await close();
  });
}

test("a root that is done has no thread to write to instead", async () => {
  const { top, call, close } = await finished("done", "main");
  expect((await call("summary_update", { threadId: "main", content: "- x", append: true })).text).toContain(
    "main is done: reopen it with thread_status, if work on it goes on.",
  );
  const { stdout } = await run(["summary", "main", "--append", "--content", "- y"], { cwd: top });
  expect(stdout).toContain("threadmind reopen main");
  await close();
});

test("why a thread is finished outlives every replacement of its text, and the answer says so", async () => {
  const { top, call, close } = await finished("abandon", "too slow");
  const replacements: readonly [Readonly<Record<string, unknown>>, string][] = [
    [
      { content: "## Decisions\n- new\n\n## State\n- x" },
      "## Decisions\n- new\n- Abandoned: too slow\n\n## State\n- x\n",
    ],
    [{ content: "- other", section: "Decisions" }, "## Decisions\n- other\n- Abandoned: too slow\n\n## State\n- x\n"],
    [{ content: "", section: "Decisions" }, "## Decisions\n- Abandoned: too slow\n\n## State\n- x\n"],
    [{ content: "Plain text." }, "## Decisions\nPlain text.\n\n- Abandoned: too slow\n"],
    [{ content: "" }, "## Decisions\n- Abandoned: too slow\n"],
  ];
  for (const [args, body] of replacements) {
    const { isError, text } = await call("summary_update", { threadId: "auth", ...args });
    expect([isError, text]).toEqual([
      false,
      expect.stringMatching(
        /^Updated the summary of auth .*\nKept in Decisions, since it is abandoned: "- Abandoned: too slow"\./,
      ),
    ]);
    expect(readThread(top, "auth")).toEndWith(`---\n\n${body}`);
    expect((await call("context_get", { threadId: "main" })).text).toContain("_Abandoned here: auth: too slow (");
  }
  const nothing = await call("summary_update", { threadId: "auth", content: "" });
  expect([nothing.isError, nothing.text]).toEqual([
    true,
    expect.stringContaining("only the reason of its status is left"),
  ]);
  await close();
});

test("a reason that the new text gives itself, and one of a thread that was reopened, are left as they are", async () => {
  const { top, call, close } = await finished("abandon", "too slow");
  const own = "## Decisions\n- Abandoned: too dear";
  expect((await call("summary_update", { threadId: "auth", content: own })).text).not.toContain("Kept in Decisions");
  expect(readThread(top, "auth")).toEndWith(`${own}\n`);
  await call("thread_status", { threadId: "auth", status: "open" });
  await call("context_get", { threadId: "auth", alone: true });
  await call("summary_update", { threadId: "auth", content: "## Decisions\n- fresh" });
  expect(readThread(top, "auth")).toEndWith("---\n\n## Decisions\n- fresh\n");
  await close();
});
