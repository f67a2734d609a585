import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, run } from "./support/binary.ts";
import { activeIn, readThread, renderThread, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

async function cli(top: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(words, { cwd: top });
  return `${stdout}${stderr}`;
}

/** The branch that a thread's file names. */
function branchOf(top: string, thread: string): string | undefined {
  return /^branch: (.*)$/m.exec(readThread(top, thread))?.[1];
}

/** A repository with a commit on each of these branches, the first one checked out first. */
function withBranches(first: string, ...others: readonly string[]): GitRepository {
  const repo = gitRepository();
  repo.git("checkout", "--quiet", "-b", first);
  writeProject(repo.top);
  repo.commit("Start");
  for (const branch of others) repo.git("branch", branch);
  return repo;
}

/** Checks a branch out and creates a thread there; returns the branch that was recorded. */
async function createOn(repo: GitRepository, branch: string, title = "New"): Promise<string | undefined> {
  repo.git("checkout", "--quiet", branch);
  await cli(repo.top, "create", title, "--parent-id", "main");
  return branchOf(repo.top, title.toLowerCase());
}

test("thread_create records every branch but main and master", async () => {
  const repo = withBranches("main", "master", "develop", "feature/auth#2", "日本/機能");
  expect(await createOn(repo, "main", "A")).toBeUndefined();
  expect(await createOn(repo, "master", "B")).toBeUndefined();
  expect(await createOn(repo, "develop", "C")).toBe("develop");
  expect(await createOn(repo, "feature/auth#2", "D")).toBe("feature/auth#2");
  expect(await createOn(repo, "日本/機能", "E")).toBe("日本/機能");
  expect(await cli(repo.top, "tree")).toContain("└── e [日本/機能] ← active");
});

test("the default branch is origin/HEAD's before init.defaultBranch, and both before main", async () => {
  const repo = withBranches("main", "trunk", "develop");
  repo.git("config", "init.defaultBranch", "trunk");
  expect(await createOn(repo, "trunk", "A")).toBeUndefined();
  expect(await createOn(repo, "develop", "B")).toBe("develop");
  repo.git("update-ref", "refs/remotes/origin/develop", "develop");
  repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop");
  expect(await createOn(repo, "develop", "C")).toBeUndefined();
  expect(await createOn(repo, "trunk", "D")).toBe("trunk");
  expect(await createOn(repo, "main", "E")).toBeUndefined();
});

test("a default branch that doesn't exist is passed over", async () => {
  const repo = withBranches("trunk", "main");
  repo.git("config", "init.defaultBranch", "gone");
  expect(await createOn(repo, "trunk", "A")).toBe("trunk");
  repo.git("branch", "--quiet", "-D", "main");
  expect(await createOn(repo, "trunk", "B")).toBe("trunk");
});

test("a clone knows its default branch by its remote", async () => {
  const origin = withBranches("develop", "feature/x");
  const top = join(temporaryFolder(), "clone");
  origin.git("clone", "--quiet", origin.top, top);
  const clone = { ...origin, top, git: (...args: readonly string[]) => origin.git("-C", top, ...args) };
  expect(await createOn(clone, "develop", "A")).toBeUndefined();
  expect(await createOn(clone, "feature/x", "B")).toBe("feature/x");
});

test("the branch is not recorded again below a thread that is linked to it", async () => {
  const repo = withBranches("main", "feature/auth", "feature/pay");
  expect(await createOn(repo, "feature/auth", "Auth")).toBe("feature/auth");
  await cli(repo.top, "create", "UI");
  await cli(repo.top, "create", "Form");
  expect([branchOf(repo.top, "ui"), branchOf(repo.top, "form")]).toEqual([undefined, undefined]);
  repo.git("checkout", "--quiet", "feature/pay");
  await cli(repo.top, "create", "Pay", "--parent-id", "form");
  expect(branchOf(repo.top, "pay")).toBe("feature/pay");
});

test("before the first commit a thread is created without commit and branch", async () => {
  const { top, git } = gitRepository();
  git("checkout", "--quiet", "-b", "feature/new");
  expect(await cli(top, "project", "create", "App")).toContain("Created the project app");
  expect(await cli(top, "create", "Auth")).toContain("Created the thread auth below main; it is now active");
  await cli(top, "summary", "--content", "## Decisions\n- one\n");
  expect(readThread(top, "auth")).not.toMatch(/^(?:branch|commit):/m);
  expect(activeIn(await cli(top, "tree"))).toBe("auth");
});

test("on a detached HEAD no branch is recorded and no thread becomes active by itself", async () => {
  const repo = withBranches("main", "feature/auth");
  await createOn(repo, "feature/auth", "Auth");
  writeFileSync(threadFile(repo.top, "head"), renderThread("head", { branch: "HEAD" }));
  repo.git("checkout", "--quiet", "main");
  await cli(repo.top, "switch", "main");
  repo.git("checkout", "--quiet", "--detach");
  expect(activeIn(await cli(repo.top, "tree"))).toBe("main");
  await cli(repo.top, "create", "Loose");
  expect(branchOf(repo.top, "loose")).toBeUndefined();
  expect(activeIn(await cli(repo.top, "tree"))).toBe("loose");
});

test("in the middle of a rebase no branch is recorded, and afterwards the branch's thread is active again", async () => {
  const repo = withBranches("main", "feature/auth");
  await createOn(repo, "feature/auth", "Auth");
  repo.commit("Ours", { "a.txt": "ours\n" });
  repo.git("checkout", "--quiet", "main");
  repo.commit("Theirs", { "a.txt": "theirs\n" });
  repo.git("checkout", "--quiet", "feature/auth");
  expect(() => repo.git("rebase", "main")).toThrow();
  writeFileSync(threadFile(repo.top, "auth"), renderThread("auth", { branch: "feature/auth" }));
  await cli(repo.top, "create", "Loose", "--parent-id", "main");
  expect(branchOf(repo.top, "loose")).toBeUndefined();
  expect(await cli(repo.top, "context")).toContain("## Thread: Loose (active)");
  repo.git("rebase", "--abort");
  expect(activeIn(await cli(repo.top, "tree"))).toBe("auth");
});

test("inherited GIT_ variables of a surrounding hook don't change which repository counts", async () => {
  const a = withBranches("main", "feature/auth");
  a.git("checkout", "--quiet", "feature/auth");
  const b = withBranches("wrong");
  const env = {
    GIT_DIR: join(b.top, ".git"),
    GIT_WORK_TREE: b.top,
    GIT_INDEX_FILE: join(b.top, ".git/index"),
    GIT_COMMON_DIR: join(b.top, ".git"),
    GIT_OBJECT_DIRECTORY: join(b.top, ".git/objects"),
    GIT_NAMESPACE: "x",
    GIT_CEILING_DIRECTORIES: a.top,
  };
  const before = b.git("rev-parse", "HEAD");
  expect((await run(["create", "Auth"], { cwd: a.top, env })).stdout).toContain("linked to the branch feature/auth");
  await run(["summary", "--content", "## Decisions\n- one\n"], { cwd: a.top, env });
  expect(readThread(a.top, "auth")).toContain(`commit: ${a.git("rev-parse", "HEAD")}`);
  expect([b.git("rev-parse", "HEAD"), b.git("status", "--porcelain")]).toEqual([before, ""]);
});

test("a hook of a linked worktree, where git sets GIT_DIR, sees the repository it is asked about", async () => {
  const a = withBranches("main", "feature/auth");
  a.git("checkout", "--quiet", "feature/auth");
  const b = withBranches("main");
  const [linked, bare, out] = [
    join(temporaryFolder(), "linked"),
    join(temporaryFolder(), "bare.git"),
    temporaryFolder(),
  ];
  b.git("worktree", "add", "--quiet", "-b", "wrong", linked);
  b.git("clone", "--quiet", "--bare", b.top, bare);
  b.git("remote", "add", "origin", bare);
  const program = PROGRAM.join(" ");
  const lines = [
    "#!/bin/sh",
    "env > env",
    `${program} -C ${a.top} create Auth > asked`,
    `${program} create Here > here`,
  ];
  const script = `${lines.join("\n").replaceAll("> ", `> ${out}/`)}\n`;
  writeFileSync(join(b.top, ".git/hooks/pre-push"), script, { mode: 0o755 });
  b.git("-C", linked, "push", "--quiet", "origin", "wrong");
  expect(readFileSync(join(out, "env"), "utf8")).toContain("GIT_DIR=");
  expect(readFileSync(join(out, "asked"), "utf8")).toContain("linked to the branch feature/auth");
  expect(readFileSync(join(out, "here"), "utf8")).toContain("linked to the branch wrong");
});
