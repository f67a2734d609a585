import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, run, spawn } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { openServer } from "./support/server.ts";
import { gitRepository } from "./support/temp.ts";

/** A project with the threads auth and pay below its root, of which pay is active. */
async function shop() {
  const repository = gitRepository();
  repository.commit("Start", { "a.ts": "" });
  const tm = (...args: readonly string[]) => run(args, { cwd: repository.top });
  await tm("project", "create", "Shop");
  await tm("create", "Auth");
  await tm("create", "Pay", "--parent-id", "main");
  const source = (id: string) => readFileSync(join(repository.top, `.threadmind/threads/shop/${id}.md`), "utf8");
  return { ...repository, tm, source };
}

test("`abandon` refuses words of which the first is a thread, and says both that may be meant", async () => {
  const { tm, source, top, env } = await shop();
  const before = ["main", "auth", "pay"].map(source);
  const typed: readonly (readonly [words: readonly string[], meant: string, said: string])[] = [
    [["auth"], 'threadmind abandon "why" --thread auth', 'threadmind abandon "auth" --thread pay'],
    [["auth", "dead end"], 'abandon "dead end" --thread auth', 'abandon "auth dead end" --thread pay'],
    [["AUTH", "it's", "slow"], 'abandon "it\'s slow" --thread AUTH', 'abandon "AUTH it\'s slow" --thread pay'],
    [["shop/auth", "costs $5"], "abandon 'costs $5' --thread shop/auth", "abandon 'shop/auth costs $5' --thread pay"],
    [["pay"], 'abandon "why" --thread pay', 'abandon "pay" --thread pay'],
    [["--", "auth"], 'abandon "why" --thread auth', 'abandon "auth" --thread pay'],
  ];
  for (const [words, meant, said] of typed) {
    const { code, stderr } = await tm("abandon", ...words);
    expect([words, code, stderr.includes(meant), stderr.includes(said)]).toEqual([words, 2, true, true]);
  }
  expect(["main", "auth", "pay"].map(source)).toEqual(before);
  expect(JSON.parse((await tm("abandon", "auth", "--json")).stdout).error.code).toBe("usage");
  const line = /To abandon auth: threadmind (.*)/.exec((await tm("abandon", "auth", "dead end")).stderr)?.[1] ?? "";
  await spawn(["sh", "-c", `${PROGRAM.join(" ")} ${line}`], { cwd: top, env });
  expect(source("auth")).toContain("- Abandoned: dead end\n");
});

test("`abandon` takes for a reason what is one", async () => {
  const reasons: readonly (readonly string[])[] = [
    ["auth is too slow"],
    ["too", "slow", "for", "auth"],
    ["and/or"],
    ["a/b/c"],
    ["other/auth"],
    ["a:b"],
    ["authentication"],
  ];
  for (const words of reasons) {
    const { tm, source } = await shop();
    expect((await tm("abandon", ...words)).stderr).toBe("");
    expect(source("pay")).toContain(`- Abandoned: ${words.join(" ")}\n`);
  }
  const { tm, source } = await shop();
  await tm("abandon", "auth", "--thread", "pay");
  await tm("abandon", "pay", "--thread-id", "auth");
  expect([source("pay").includes("- Abandoned: auth\n"), source("auth").includes("- Abandoned: pay\n")]).toEqual([
    true,
    true,
  ]);
});

test("a model's reason may be a thread's id", async () => {
  const { top, source } = await shop();
  const client = await openClient({ cwd: top });
  const { text } = await client.call("thread_status", { status: "abandoned", reason: "auth", threadId: "pay" });
  await client.close();
  expect([text, source("pay").includes("- Abandoned: auth")]).toEqual(["pay is abandoned now.", true]);
});

test("an argument that is given twice is refused, however it is spelt", async () => {
  const { tm, source } = await shop();
  const before = source("auth") + source("pay");
  const calls: readonly (readonly [words: readonly string[], said: string])[] = [
    [["abandon", "why", "--thread-id", "auth", "--thread", "pay"], "threadId is given twice"],
    [["abandon", "why", "--thread-id", "auth", "--thread-id", "pay"], "--thread-id is given twice"],
    [["done", "auth", "--thread", "pay"], "threadId is given twice"],
    [["done", "auth", "--reason", "a", "--reason", "b"], "--reason is given twice"],
    [["update", "auth", "--title", "A", "--title=B"], "--title is given twice"],
  ];
  for (const [words, said] of calls) {
    const { code, stderr } = await tm(...words);
    expect([words, code, stderr]).toEqual([words, 2, expect.stringContaining(said)]);
  }
  expect(source("auth") + source("pay")).toBe(before);
  expect((await tm("update", "auth", "--paths", "a.ts", "--paths", "b.ts")).stdout).toContain("paths a.ts, b.ts");
});

test("a new reason takes the place of the old one, which is kept", async () => {
  const { tm, source, top } = await shop();
  expect((await tm("abandon", "one")).stdout).toStartWith("pay is abandoned now.\n");
  const once = source("pay");
  expect((await tm("abandon", "one", "--thread", "pay")).stdout).toBe("pay is abandoned already.\n");
  expect(source("pay")).toBe(once);
  expect((await tm("abandon", "two", "--thread", "pay")).stdout).toBe(
    'pay is abandoned already; its reason "- Abandoned: one" is replaced (the old one is kept: see threadmind history pay).\n',
  );
  expect(source("pay")).toEndWith("## Decisions\n- Abandoned: two\n");
  const kept = join(top, ".threadmind/local/kept/shop/pay");
  expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"))).toContain(once);
  await tm("reopen", "pay");
  expect(source("pay")).toEndWith("## Decisions\n- Reopened (was abandoned: two)\n");
});

test("`done` says what became of its reason, and writes nothing without a new one", async () => {
  const { tm, source } = await shop();
  const answers: string[] = [];
  for (const words of [[], ["--reason", "a"], [], ["--reason", "a"], ["--reason", "b"]]) {
    const before = source("auth");
    answers.push((await tm("done", "auth", ...words)).stdout.trim());
    if (answers.at(-1) === "auth is done already.") expect(source("auth")).toBe(before);
  }
  expect(answers).toEqual([
    "auth is done now.",
    "auth is done already; its reason is added.",
    "auth is done already.",
    "auth is done already.",
    'auth is done already; its reason "- Done: a" is replaced (the old one is kept: see threadmind history auth).',
  ]);
  expect(source("auth").match(/Done:/g)).toHaveLength(1);
});

test("a decision that reads like a reason is never rewritten or replaced", async () => {
  for (const isCommitted of [false, true]) {
    for (const [word, close] of [
      ["Done", ["done", "auth"]],
      ["Abandoned", ["abandon", "the old API", "--thread", "auth"]],
    ] as const) {
      const { tm, source, commit, top } = await shop();
      const own = `- ${word}: the old API`;
      await tm("summary", "auth", "--content", `## Decisions\n- D\n${own}`);
      if (isCommitted) commit("Threads");
      if (isCommitted) rmSync(join(top, ".threadmind/local/kept"), { recursive: true });
      expect((await tm(...close)).code).toBe(0);
      await tm("reopen", "auth");
      expect(source("auth")).toEndWith(`## Decisions\n- D\n${own}\n`);
      await tm(...close);
      const why = (reason: string) =>
        word === "Done" ? tm("done", "auth", "--reason", reason) : tm("abandon", reason, "--thread", "auth");
      expect((await why("shipped")).stdout).toContain("already; its reason is added.");
      expect(source("auth")).toEndWith(`## Decisions\n- D\n${own}\n- ${word}: shipped\n`);
      expect((await why("again")).stdout).toContain(`its reason "- ${word}: shipped" is replaced`);
      expect(source("auth")).toEndWith(`## Decisions\n- D\n${own}\n- ${word}: again\n`);
      await tm("reopen", "auth");
      expect(source("auth")).toEndWith(`${own}\n- Reopened (was ${word.toLowerCase()}: again)\n`);
    }
  }
});

test("where no earlier text tells a reason from a decision, another reason is added to it", async () => {
  const { tm, source, top } = await shop();
  await tm("done", "auth", "--reason", "a");
  rmSync(join(top, ".threadmind/local/kept"), { recursive: true });
  expect((await tm("done", "auth", "--reason", "b")).stdout).toBe("auth is done already; its reason is added.\n");
  expect(source("auth")).toEndWith("- Done: a\n- Done: b\n");
});

test("an earlier text is restored with its decision that reads like a reason", async () => {
  const { tm, source } = await shop();
  await tm("summary", "auth", "--content", "## Decisions\n- Done: v9");
  await tm("done", "auth");
  await tm("summary", "auth", "--content", "## Decisions\n- Done: v10");
  await tm("reopen", "auth");
  const [revision = ""] = [...(await tm("history", "auth")).stdout.matchAll(/kept-\w+/g)].map(String).slice(1);
  await tm("restore", "auth", revision);
  expect(source("auth")).toEndWith("## Decisions\n- Done: v9\n");
});

test("an earlier text is restored with the the reason that holds now, and with no other", async () => {
  const { tm, source, top } = await shop();
  await tm("summary", "pay", "--content", "## Decisions\n- old");
  await tm("abandon", "one", "--thread", "pay");
  await tm("summary", "pay", "--content", "## Decisions\n- new\n- Abandoned: one");
  await tm("abandon", "two", "--thread", "pay");
  const revisions = (await tm("history", "pay")).stdout.match(/kept-\w+/g) ?? [];
  const withOne = [];
  for (const revision of revisions) {
    const { stdout } = await tm("history", "pay", "--revision", revision);
    if (stdout.includes("- old") && stdout.includes("Abandoned: one")) withOne.push(revision);
  }
  const [revision = ""] = withOne;
  await tm("restore", "pay", revision);
  expect(source("pay")).toEndWith("## Decisions\n- old\n- Abandoned: two\n");
  await tm("reopen", "pay");
  await tm("restore", "pay", revision);
  expect(source("pay")).toEndWith("## Decisions\n- old\n- Reopened (was abandoned: one)\n");
  const file = join(top, ".threadmind/threads/shop/auth.md");
  writeFileSync(
    file,
    `${source("auth").replace("\n---\n", "\nstatus: done\n---\n")}\n## Decisions\n- Abandoned: Redis\n`,
  );
  await tm("reopen", "auth");
  expect(source("auth")).toEndWith("- Abandoned: Redis\n");
});

test("the help and the completions of a verb offer what it takes", async () => {
  const { tm } = await shop();
  expect((await tm("help", "reopen")).stdout).not.toContain("--reason");
  expect((await tm("help", "done")).stdout).toContain("--reason");
  expect((await tm("__complete", "--", "reopen", "--")).stdout).not.toContain("--reason");
  expect((await tm("__complete", "--", "done", "--")).stdout).toContain("--reason");
  const { code, stderr } = await tm("reopen", "auth", "--reason", "x");
  expect([code, stderr]).toEqual([2, expect.stringContaining("reason is for done and abandoned")]);
});

test("a session knows the reason that it wrote itself, and not what it hasn't read", async () => {
  const { top, tm, source } = await shop();
  await tm("summary", "pay", "--content", "## Decisions\n- old");
  const client = await openClient({ cwd: top });
  const call = async (tool: string, args: Readonly<Record<string, unknown>>) =>
    (await client.call(tool, { threadId: "pay", ...args })).isError;
  await call("context_get", {});
  await call("thread_status", { status: "abandoned", reason: "slow" });
  expect(await call("summary_update", { content: "## Decisions\n- new" })).toBe(false);
  expect(source("pay")).toContain("- new");
  await tm("summary", "pay", "--append", "--content", "- by hand");
  await call("thread_status", { status: "open" });
  expect(await call("summary_update", { content: "## Decisions\n- newer" })).toBe(true);
  expect(source("pay")).toContain("- by hand");
  await client.close();
});

test("a reason that is no text is refused as such, and the file stays as it was", async () => {
  const { top, home } = gitRepository();
  const server = await openServer({ cwd: top, home });
  await server.call("project_create", { title: "Shop" });
  await server.call("thread_create", { title: "Kid" });
  const file = join(top, ".threadmind/threads/shop/kid.md");
  const before = readFileSync(file, "utf8");
  for (const [reason, why] of [
    ["x\0y", "it holds a NUL character"],
    ["x\ud800y", "it is not valid Unicode"],
  ])
    expect(await server.call("thread_status", { status: "abandoned", reason })).toContain(
      `Cannot write this reason: ${why}.`,
    );
  expect(readFileSync(file, "utf8")).toBe(before);
  await server.closeInput();
});
