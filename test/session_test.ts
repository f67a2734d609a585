import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { activeIn, readThread, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

setDefaultTimeout(60_000);

/** A committed project with the branches feature/auth and feature/pay, each with its linked thread on all branches. */
function branched(): GitRepository {
  const repo = gitRepository();
  writeProject(repo.top, { auth: { branch: "feature/auth" }, pay: { branch: "feature/pay" }, docs: {} });
  repo.commit("Start");
  repo.git("branch", "feature/auth");
  repo.git("branch", "feature/pay");
  return repo;
}

async function cli(top: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(words, { cwd: top });
  return `${stdout}${stderr}`;
}

const SUMMARY = "## Decisions\n- one\n";

test("a reading call after a branch change moves the session and says so in one line, once", async () => {
  const repo = branched();
  repo.git("checkout", "--quiet", "feature/auth");
  const { call, close } = await openClient({ cwd: repo.top });
  expect(activeIn((await call("thread_list")).text)).toBe("auth");
  repo.git("checkout", "--quiet", "feature/pay");
  const { text } = await call("context_get");
  expect(text.split("\n", 2)).toEqual([
    "The branch changed to feature/pay: the active thread is now pay (was auth).",
    "",
  ]);
  expect(text).toContain("## Thread: pay (active)");
  expect((await call("context_get")).text).not.toContain("The branch changed");
  repo.git("checkout", "--quiet", "main");
  expect((await call("thread_list")).text).toMatch(/^main\n/);
  expect(activeIn((await call("thread_list")).text)).toBe("pay");
  repo.git("checkout", "--quiet", "feature/auth");
  expect((await call("thread_list")).text).toMatch(
    /^The branch changed to feature\/auth: .* is now auth \(was pay\)\.\n\n/,
  );
  await close();
});

test("a writing call that would meet another thread is refused once, and writes nothing", async () => {
  const repo = branched();
  repo.git("checkout", "--quiet", "feature/auth");
  const { call, close } = await openClient({ cwd: repo.top });
  await call("thread_switch", { threadId: "auth" });
  repo.git("checkout", "--quiet", "feature/pay");
  const before = snapshot(repo.top);
  const why = "the branch changed to feature/pay, so the active thread would be pay (was auth)";
  expect(await call("summary_update", { content: SUMMARY })).toEqual({
    text: `Cannot update the summary: ${why}. Call again with threadId.`,
    isError: true,
  });
  expect(snapshot(repo.top)).toEqual(before);
  expect((await call("summary_update", { content: SUMMARY })).text).toContain("Updated the summary of pay");
  expect(readThread(repo.top, "pay")).toContain("- one");
  repo.git("stash", "--quiet", "--include-untracked");
  repo.git("checkout", "--quiet", "feature/auth");
  const back = "the branch changed to feature/auth, so the active thread would be auth (was pay)";
  expect((await call("thread_create", { title: "New" })).text).toBe(
    `Cannot create the thread: ${back}. Call again with parentId.`,
  );
  expect((await call("thread_create", { title: "New" })).text).toContain("Created the thread new below auth");
  await close();
});

test("a write is refused again when the branch changed back and forth meanwhile", async () => {
  const repo = branched();
  repo.git("checkout", "--quiet", "feature/auth");
  const { call, close } = await openClient({ cwd: repo.top });
  await call("thread_list");
  for (const _ of [1, 2]) {
    repo.git("checkout", "--quiet", "feature/pay");
    expect((await call("thread_verify")).text).toContain("so the active thread would be pay (was auth)");
    repo.git("checkout", "--quiet", "feature/auth");
    expect((await call("thread_verify")).text).toContain("Cannot verify auth: it has no summary yet");
  }
  await close();
});

test("a writing call that names its thread is never refused and doesn't move the session", async () => {
  const repo = branched();
  repo.git("checkout", "--quiet", "feature/auth");
  const { call, close } = await openClient({ cwd: repo.top });
  await call("thread_list");
  repo.git("checkout", "--quiet", "feature/pay");
  expect((await call("summary_update", { content: SUMMARY, threadId: "auth" })).isError).toBe(false);
  expect((await call("summary_update", { content: SUMMARY, threadId: "app/docs" })).isError).toBe(false);
  expect((await call("thread_verify", { threadId: "auth" })).isError).toBe(false);
  expect((await call("summary_update", { content: "x" })).text).toMatch(/would be pay \(was auth\)/);
  expect((await call("thread_create", { title: "New", parentId: "docs" })).text).toContain("new below docs");
  expect(activeIn((await call("thread_list")).text)).toBe("new");
  await close();
});

test("an active thread whose file vanished is left, and a write is refused once", async () => {
  const { top } = branched();
  const { call, close } = await openClient({ cwd: top });
  await call("thread_switch", { threadId: "docs" });
  rmSync(threadFile(top, "docs"));
  const why = "the thread docs is gone from this checkout, so the active thread would be main (was docs)";
  expect((await call("thread_verify")).text).toBe(`Cannot verify the thread: ${why}. Call again with threadId.`);
  expect((await call("context_get")).text).toMatch(
    /^The thread docs is gone from this checkout: the active thread is now main \(was docs\)\.\n\n/,
  );
  await close();
});

test("a project that vanished is left for the one that remains, and no write goes there unasked", async () => {
  const { top } = branched();
  writeProject(top, { ideas: {} }, { id: "side", title: "Side" });
  await run(["project", "switch", "app"], { cwd: top });
  const { call, close } = await openClient({ cwd: top });
  await call("thread_switch", { threadId: "docs" });
  renameSync(join(top, ".threadmind/projects/app.json"), join(top, "app.json"));
  const before = snapshot(top);
  const why = "the project app is gone from this checkout, so the active thread would be side/main (was docs)";
  expect((await call("summary_update", { content: SUMMARY })).text).toBe(
    `Cannot update the summary: ${why}. Call again with threadId.`,
  );
  expect(snapshot(top)).toEqual(before);
  expect((await call("thread_list")).text).toMatch(
    /^The project app is gone .* is now side\/main \(was docs\)\.\n\nmain/,
  );
  await close();
});

test("two servers in one checkout keep their own active thread", async () => {
  const { top } = branched();
  const [one, two] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  await one.call("thread_switch", { threadId: "docs" });
  await two.call("thread_switch", { threadId: "pay" });
  await two.call("thread_create", { title: "Pay UI" });
  expect(activeIn((await one.call("thread_list")).text)).toBe("docs");
  expect(activeIn((await two.call("thread_list")).text)).toBe("pay-ui");
  await Promise.all([one.close(), two.close()]);
});

test("the command line sets where new sessions start, and moves none that runs", async () => {
  const { top } = branched();
  const { call, close } = await openClient({ cwd: top });
  expect(activeIn((await call("thread_list")).text)).toBe("main");
  await run(["switch", "docs"], { cwd: top });
  expect(activeIn((await call("thread_list")).text)).toBe("main");
  expect(activeIn(await cli(top, "tree"))).toBe("docs");
  await run(["create", "Docs FR"], { cwd: top });
  const later = await openClient({ cwd: top });
  expect(activeIn((await later.call("thread_list")).text)).toBe("docs-fr");
  expect(activeIn((await call("thread_list")).text)).toBe("main");
  await Promise.all([close(), later.close()]);
});

test("each branch has its own start, the one last active there", async () => {
  const repo = branched();
  await cli(repo.top, "switch", "docs");
  repo.git("checkout", "--quiet", "feature/auth");
  expect(activeIn(await cli(repo.top, "tree"))).toBe("auth");
  await cli(repo.top, "create", "Auth UI");
  await cli(repo.top, "switch", "docs");
  expect(activeIn(await cli(repo.top, "tree"))).toBe("auth");
  await cli(repo.top, "switch", "auth-ui");
  repo.git("checkout", "--quiet", "main");
  expect(activeIn(await cli(repo.top, "tree"))).toBe("docs");
  repo.git("checkout", "--quiet", "feature/auth");
  expect(activeIn(await cli(repo.top, "tree"))).toBe("auth-ui");
});

test("every switch of a server is written to local/sessions under its client's process id, unseen by git", async () => {
  const repo = branched();
  const file = join(repo.top, `.threadmind/local/sessions/${process.pid}.json`);
  const active = () => {
    const { born: _, ...session } = JSON.parse(readFileSync(file, "utf8"));
    return session;
  };
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(join(file, "../4194300.json"), "{}");
  const { call, close } = await openClient({ cwd: repo.top });
  await call("context_get");
  expect(existsSync(file)).toBe(false);
  await call("thread_switch", { threadId: "docs" });
  expect(active()).toEqual({ project: "app", thread: "docs", branch: "main" });
  expect(readdirSync(join(file, ".."))).toEqual([`${process.pid}.json`]);
  await call("thread_create", { title: "Docs FR" });
  expect(active()).toEqual({ project: "app", thread: "docs-fr", branch: "main" });
  repo.git("checkout", "--quiet", "feature/pay");
  await call("thread_list");
  expect(active()).toEqual({ project: "app", thread: "pay", branch: "feature/pay" });
  await call("project_create", { title: "Side" });
  expect(active()).toEqual({ project: "side", thread: "main", branch: "feature/pay" });
  await call("project_switch", { projectId: "app" });
  expect(active()).toEqual({ project: "app", thread: "pay", branch: "feature/pay" });
  await run(["switch", "docs"], { cwd: repo.top });
  expect(active().thread).toBe("pay");
  await close();
  expect(repo.git("status", "--porcelain", "--untracked-files=all", "--", ".threadmind/local")).toBe("");
});

test("a session that moves by itself leaves nothing that git sees, even where no write was before", async () => {
  const repo = branched();
  repo.git("checkout", "--quiet", "feature/auth");
  const { call, close } = await openClient({ cwd: repo.top });
  await call("thread_list");
  repo.git("checkout", "--quiet", "feature/pay");
  await call("thread_list");
  await close();
  expect(existsSync(join(repo.top, ".threadmind/local/sessions"))).toBe(true);
  expect(repo.git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

test("one project is selected without asking; of several, none before one is chosen", async () => {
  const { top } = branched();
  expect(activeIn(await cli(top, "tree"))).toBe("main");
  writeProject(top, { ideas: {} }, { id: "side", title: "Side" });
  expect(await cli(top, "tree")).toBe(
    `threadmind: Cannot tell which project is meant: none is active, and there are 2 (app, side).
Choose one with threadmind project switch ID.
`,
  );
  expect(await cli(top, "tree", "--project", "side")).toContain("ideas");
  expect(await cli(top, "tree", "--project", "sied")).toContain('Cannot find the project "sied"');
  expect(await cli(top, "show", "side/ideas")).toContain("## Thread: ideas");
  await cli(top, "project", "switch", "side");
  expect(await cli(top, "tree")).toBe("main ← active\n└── ideas\n");
  expect(await cli(top, "tree", "--project", "app")).toContain("docs");
});

test("--project that doesn't exist is an error even where there is but one project", async () => {
  const { top } = branched();
  expect(await cli(top, "tree", "--project", "ap")).toBe(
    'threadmind: Cannot find the project "ap": there is no such project.\nDid you mean app?\n',
  );
  expect(await cli(top, "summary", "--project", "nope", "--content", "x")).toContain("Cannot find the project");
  writeProject(top, { ideas: {} }, { id: "side", title: "Side" });
  expect(await cli(top, "summary", "side/ideas", "--project", "app", "--content", SUMMARY)).toContain(
    "summary of side/ideas",
  );
  expect(readThread(top, "ideas", "side")).toContain("- one");
});

test("the active thread is marked from the first call on, also when it is named with its project", async () => {
  const { top } = branched();
  const { call, close } = await openClient({ cwd: top });
  expect((await call("context_get", { threadId: "app/main" })).text).toContain("## Thread: App (active)");
  expect((await call("context_get", { threadId: "APP/Docs" })).text).not.toContain("(active)");
  await close();
});

test("an active project whose file is damaged is an error, not a reason to work in another", async () => {
  const { top } = branched();
  writeProject(top, { ideas: {} }, { id: "side", title: "Side" });
  await cli(top, "project", "switch", "app");
  writeFileSync(join(top, ".threadmind/projects/app.json"), "");
  const before = snapshot(top);
  expect(await cli(top, "summary", "--content", SUMMARY)).toMatch(
    /^threadmind: Cannot use the project: \.threadmind\/projects\/app\.json: It is empty\./,
  );
  expect(snapshot(top)).toEqual(before);
  expect(await cli(top, "project", "list")).toMatch(
    /^side "Side" \(solo\)\n⚠ \.threadmind\/projects\/app\.json: It is empty\./,
  );
  expect(await cli(top, "tree", "--project", "side")).toContain("ideas");
});

test("a thread that comes back under another letter case is the same one", async () => {
  const { top } = branched();
  rmSync(threadFile(top, "docs"));
  writeFileSync(threadFile(top, "Docs"), renderThread("Docs", {}));
  expect(await cli(top, "switch", "docs")).toContain("## Thread: Docs (active)");
  expect(activeIn(await cli(top, "tree"))).toBe("Docs");
});
