import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { gitRepository } from "./support/temp.ts";

const THREADS = ".threadmind/threads/shop";

/** A repository with a project whose root has a decision, and what runs the program there. */
async function shop() {
  const repository = gitRepository();
  repository.commit("Start", {
    "src/a.ts": "export const a = 1;\n",
    ".env": "SECRET=tell-nobody\n",
    "package.json": "{}\n",
  });
  const tm = (...args: readonly string[]) => run(args, { cwd: repository.top });
  await tm("project", "create", "Shop");
  await tm("summary", "--content", "## Decisions\n- Postgres\n");
  return { ...repository, tm };
}

test("a link in place of a file of ours writes to no other file of the repository", async () => {
  const places: readonly (readonly [string, string])[] = [
    [`${THREADS}/notes.md`, "../../../src/a.ts"],
    [`${THREADS}/env.md`, "../../../.env"],
    [".threadmind/config.json", "../package.json"],
    [".threadmind/.gitignore", "../src/a.ts"],
    [".threadmind/.gitattributes", "../src/a.ts"],
    [".threadmind/local", "../src"],
    [".threadmind/projects/other.json", "../../package.json"],
    ["AGENTS.md", ".git/config"],
    ["AGENTS.md", "src/a.ts"],
  ];
  for (const [place, target] of places) {
    const { top, tm, git } = await shop();
    rmSync(join(top, place), { recursive: true, force: true });
    symlinkSync(target, join(top, place));
    const before = git("status", "--porcelain", "--", "src", ".env", "package.json");
    const config = readFileSync(join(top, ".git/config"), "utf8");
    const outputs = [
      await tm("create", "Auth"),
      await tm("summary", "notes", "--content", "stolen"),
      await tm("summary", "notes", "--append", "--content", "- stolen"),
      await tm("context", "env"),
      await tm("--project", "other", "project", "update", "--title", "X"),
      await tm("init"),
    ];
    expect([place, git("status", "--porcelain", "--", "src", ".env", "package.json")]).toEqual([place, before]);
    expect(readFileSync(join(top, ".git/config"), "utf8")).toBe(config);
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain("tell-nobody");
  }
});

test("calls that were sent before a refusal was answered are refused as well", async () => {
  const { top, tm } = await shop();
  await tm("create", "Deep");
  const client = await openClient({ cwd: top });
  await client.call("context_get", {});
  await tm("delete", "deep");
  const answers = await Promise.all([
    client.call("summary_update", { section: "State", content: "- deep state" }),
    client.call("summary_update", { section: "Next steps", content: "- deep next" }),
    client.call("thread_status", { status: "done" }),
  ]);
  for (const { text, isError } of answers)
    expect([isError, text]).toEqual([true, expect.stringContaining("deep is gone")]);
  expect(readFileSync(join(top, THREADS, "main.md"), "utf8")).not.toContain("deep");
  const next = await client.call("summary_update", { section: "State", content: "- main state" });
  expect(next.isError).toBe(false);
  expect(next.text).toContain("the active thread is now main (was deep)");
  await client.close();
});

test("a blank summary merges as none does", async () => {
  const { top, tm } = await shop();
  await tm("create", "Kid");
  await tm("summary", "--content", "## Decisions\n- kid\n");
  const { stdout } = await tm("merge", "kid", "--summary", "  ");
  expect(stdout).toContain("1 added to its parent");
  expect(readFileSync(join(top, THREADS, "main.md"), "utf8")).toContain("- Postgres\n- kid");
});

test("restore brings back the newest text, whoever removed it", async () => {
  const { top, tm, git, commit } = await shop();
  await tm("create", "UI");
  await tm("summary", "--content", "- v1");
  await tm("delete", "ui");
  await tm("restore", "ui");
  await tm("summary", "ui", "--content", "- v2");
  commit("v2");
  git("rm", "-q", `${THREADS}/ui.md`);
  git("commit", "-qm", "Drop ui");
  expect((await tm("restore", "ui")).stdout).toContain("Restored ui");
  expect((await tm("show", "ui")).stdout).toContain("- v2");
  await tm("summary", "ui", "--content", "- v3");
  rmSync(join(top, THREADS, "ui.md"));
  commit("Gone by hand");
  await tm("restore", "ui");
  expect((await tm("show", "ui")).stdout).toMatch(/- v[23]\n/);
});

test("an answer names the project where it isn't the session's", async () => {
  const { top, tm } = await shop();
  await tm("project", "create", "Other");
  await tm("project", "switch", "shop");
  const client = await openClient({ cwd: top });
  await client.call("context_get", {});
  await client.call("summary_update", { threadId: "other/main", content: "- one" });
  const { text } = await client.call("summary_update", { threadId: "other/main", content: "- two" });
  expect(text).toContain("thread_restore other/main");
  await client.close();
});

test("what a search shows is seen in part", async () => {
  const { top, tm } = await shop();
  const bullets = Array.from({ length: 9 }, (_, index) => `- lorem ${index}`).join("\n");
  await tm("summary", "--content", `## Decisions\n${bullets}\n`);
  const client = await openClient({ cwd: top });
  expect((await client.call("thread_search", { query: "lorem" })).text).toContain("… 4 more lines");
  const first = await client.call("summary_update", { threadId: "main", content: "- short" });
  expect([first.isError, first.text]).toEqual([true, expect.stringContaining("lorem 8")]);
  expect((await client.call("summary_update", { threadId: "main", content: "- short" })).isError).toBe(false);
  await client.close();
});

test("a project whose root file is gone still restores it", async () => {
  const { top, tm } = await shop();
  await tm("summary", "--content", "- later");
  rmSync(join(top, THREADS, "main.md"));
  expect((await tm("context")).stderr).toContain("threadmind restore main");
  expect((await tm("restore", "main")).stdout).toContain("Restored main");
  expect((await tm("context")).stdout).toContain("- Postgres");
});

test("a summary that children would miss, or that is too large, is questioned", async () => {
  const { tm } = await shop();
  const missed = await tm("summary", "--content", "## State\n- y\n\n### Key Decisions\n- x\n");
  expect(missed.stdout).toContain('Not inherited: what stands under "Key Decisions".');
  const handedDown = await tm("summary", "--content", "## Key Decisions\n- x\n\n## State\n- y\n");
  expect(handedDown.stdout).not.toContain("Not inherited");
  const large = await tm("summary", "--content", `## State\n${"- words and words\n".repeat(1000)}`);
  expect(large.stdout).toMatch(/It is ~5,\d{3} tokens long/);
});

test("removing what isn't there verifies nothing", async () => {
  const { top, tm } = await shop();
  const before = readFileSync(join(top, THREADS, "main.md"), "utf8");
  const { code, stderr } = await tm("summary", "--section", "Constraints", "--content", "");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("Cannot remove the section Constraints of main: there is none."),
  ]);
  expect(readFileSync(join(top, THREADS, "main.md"), "utf8")).toBe(before);
});

test("verifying against paths that are gone questions them", async () => {
  const { tm } = await shop();
  await tm("summary", "--paths", "src/typo", "--content", "- x");
  expect((await tm("verify")).stdout).toContain("There is nothing at src/typo");
});

test("search says what it could not read, and what file there isn't", async () => {
  const { top, tm } = await shop();
  writeFileSync(join(top, THREADS, "c.md"), "---\nid: c\n---\n\n<<<<<<< HEAD\nredis\n=======\nvalkey\n>>>>>>> x\n");
  expect((await tm("search", "redis")).stdout).toContain("Not searched, because of conflicts or damage: c.");
  expect((await tm("search", "--path", "src/none.ts")).stdout).toContain("There is no src/none.ts in the workspace");
});

test("a thread named twice is refused on the command line", async () => {
  const { tm } = await shop();
  await tm("create", "Auth");
  expect((await tm("--thread", "main", "context", "auth")).stderr).toContain("threadId is given twice");
  expect((await tm("--thread", "main", "show", "auth")).code).toBe(2);
  expect((await tm("--thread", "main", "context")).stdout).toStartWith("## Thread: Shop\n");
});

test("nothing is written in the place of a folder or a device", async () => {
  const { top, tm } = await shop();
  mkdirSync(join(top, THREADS, "auth.md"));
  expect((await tm("create", "Auth")).code).toBe(1);
  const { stdout } = await tm("project", "create", "Shop");
  expect(stdout).toContain("Created the project shop-2");
});

test("a session switches where nothing can be written, and says so", async () => {
  const { top, tm } = await shop();
  await tm("create", "Auth");
  rmSync(join(top, ".threadmind/local"), { recursive: true });
  symlinkSync("../src", join(top, ".threadmind/local"));
  const client = await openClient({ cwd: top });
  const { text, isError } = await client.call("thread_switch", { threadId: "main" });
  expect([isError, text]).toEqual([
    false,
    expect.stringContaining("Only this session switched: Cannot use .threadmind/local"),
  ]);
  expect((await client.call("thread_list", {})).text).toStartWith("main ← active");
  await client.close();
  expect((await tm("switch", "main")).code).toBe(1);
});

test("a secret is refused wherever a text is written, and the hint works", async () => {
  const { top, tm } = await shop();
  const secret = `ghp_${"a1B2".repeat(9)}`;
  await tm("create", "Auth");
  const refused = [
    await tm("project", "create", "X", "--system-context", secret),
    await tm("project", "update", "--system-context", secret),
    await tm("abandon", secret),
    await tm("merge", "auth", "--summary", secret),
    await tm("summary", "--content", secret),
  ];
  for (const { code, stderr } of refused) {
    expect([code, stderr]).toEqual([1, expect.stringContaining("what looks like a GitHub token")]);
  }
  expect(refused.map(({ stderr }) => stderr.includes("--allow-secret"))).toEqual([false, false, false, true, true]);
  expect((await tm("summary", "--content", secret, "--allow-secret")).code).toBe(0);
  expect(readFileSync(join(top, THREADS, "main.md"), "utf8")).not.toContain(secret);
});

test("the hint of a refusal in team mode names the thread with its project, and works", async () => {
  const { top, git, tm } = await shop();
  await tm("project", "create", "Team", "--mode", "team");
  await tm("project", "switch", "shop");
  rmSync(join(top, ".threadmind/config.json"));
  git("config", "user.name", "Lee Roe");
  git("config", "user.email", "lee@example.org");
  const { stderr } = await tm("--project", "team", "project", "update", "--title", "Z");
  const command = /threadmind (update team\/main --author \S+)\./.exec(stderr)?.[1] ?? "";
  expect((await tm(...command.split(" "))).stdout).toContain("taken over from sam-doe");
  expect((await tm("--project", "team", "project", "update", "--title", "Z")).code).toBe(0);
});

test("merging again adds nothing, in team mode too", async () => {
  const { top, git, tm } = await shop();
  await tm("project", "update", "--mode", "team");
  rmSync(join(top, ".threadmind/config.json"));
  git("config", "user.name", "Lee Roe");
  git("config", "user.email", "lee@example.org");
  await tm("create", "UI");
  await tm("summary", "--content", "## Decisions\n- one\n- react\n  - sub\n\n```\ncode\n```\n\nA paragraph.\n");
  await tm("merge", "ui");
  const first = readFileSync(join(top, THREADS, "main.md"), "utf8");
  expect(first).toContain("- react (from ui)\n  - sub");
  expect((await tm("merge", "ui")).stdout).toContain("its parent has all its decisions and constraints already");
  expect(readFileSync(join(top, THREADS, "main.md"), "utf8")).toBe(first);
});

test("hints name the project that --project chose", async () => {
  const { tm } = await shop();
  await tm("create", "Kid");
  await tm("project", "create", "Other");
  const { stdout } = await tm("--project", "shop", "delete", "kid");
  expect(stdout).toContain("threadmind restore shop/kid");
  expect((await tm("restore", "shop/kid")).stdout).toContain("Restored kid");
});

test("a status that is left leaves no reason that reads as if it held", async () => {
  const { top, tm } = await shop();
  await tm("create", "Auth");
  await tm("done", "auth", "--reason", "yes");
  await tm("--thread", "auth", "abandon", "no");
  await tm("reopen", "auth");
  const text = readFileSync(join(top, THREADS, "auth.md"), "utf8");
  expect(text).toContain("- Reopened (was done: yes)\n- Reopened (was abandoned: no)\n");
  expect(text).not.toMatch(/^- (?:Done|Abandoned):/m);
});

test("--thread stands for the thread of every verb", async () => {
  const { tm } = await shop();
  await tm("create", "A");
  await tm("create", "B", "--parent-id", "main");
  expect((await tm("--thread", "b", "rebase", "a")).stdout).toContain("Moved b below a");
  expect((await tm("--thread", "a", "show")).stdout).toStartWith("## Thread: A");
  expect((await tm("--thread", "a", "delete")).stdout).toContain("Deleted a, b.");
});

test("restoring an abandoned thread's text keeps why it was abandoned", async () => {
  const { top, tm } = await shop();
  await tm("create", "Auth");
  await tm("summary", "--content", "## Decisions\n- one\n");
  await tm("summary", "--content", "## Decisions\n- two\n");
  await tm("abandon", "too slow");
  const { stdout } = await tm("history", "auth");
  const revision =
    stdout
      .split("\n")
      .find((line) => line.endsWith("  (Decisions +1)"))
      ?.split(" ")[0] ?? "";
  expect((await tm("restore", "auth", revision)).stdout).toContain("Restored auth");
  expect(readFileSync(join(top, THREADS, "auth.md"), "utf8")).toContain("## Decisions\n- one\n- Abandoned: too slow\n");
  for (const same of [revision, "current"]) {
    expect((await tm("restore", "auth", same)).stderr).toContain("Cannot restore auth: that is its text now.");
  }
});

test("an update that changes nothing says so, and a branch that isn't there is questioned", async () => {
  const { top, git, tm } = await shop();
  const before = readFileSync(join(top, ".threadmind/projects/shop.json"), "utf8");
  expect((await tm("project", "update", "--title", "Shop")).stdout).toBe("shop is so already: nothing changed.\n");
  expect(readFileSync(join(top, ".threadmind/projects/shop.json"), "utf8")).toBe(before);
  expect((await tm("project", "update", "--title", "Store")).stdout).toContain("Updated the project shop (title)");
  git("branch", "feature/there");
  expect((await tm("update", "--branch", "feature/there")).stdout).not.toContain("There is no branch");
  expect((await tm("update", "--branch", "feature/typo")).stdout).toContain("There is no branch feature/typo here yet");
});
