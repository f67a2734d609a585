import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, run } from "./support/binary.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";
import { changed, notesIn, type ThreadWorkspace, threadWorkspace } from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

/** A workspace on the branch feature/auth, whose thread auth is behind by two commits, and a repository on the branch wrong. */
async function twoRepositories(): Promise<{ workspace: ThreadWorkspace; wrong: GitRepository }> {
  const workspace = await threadWorkspace();
  workspace.commit("Start", { "src/a.ts": "1\n" });
  workspace.git("checkout", "--quiet", "-b", "feature/auth");
  await workspace.threadmind("create", "Auth");
  await workspace.summarise("auth", "src");
  workspace.commit("Summary");
  workspace.commit("One", { "src/a.ts": "2\n" });
  workspace.commit("Two", { "src/a.ts": "3\n" });
  const wrong = gitRepository({ home: workspace.home });
  wrong.commit("Start", { "src/a.ts": "wrong\n" });
  wrong.git("checkout", "--quiet", "-b", "wrong");
  return { workspace, wrong };
}

function branchesIn(workspace: ThreadWorkspace, thread: string): string[] {
  return workspace.source(thread).match(/^branch: .*$/gm) ?? [];
}

test("`context` and `create` ask their own repository, whatever GIT_ variables name another", async () => {
  const { workspace, wrong } = await twoRepositories();
  const folder = join(wrong.top, ".git");
  const env = {
    ...{ GIT_DIR: folder, GIT_WORK_TREE: wrong.top, GIT_INDEX_FILE: join(folder, "index"), GIT_COMMON_DIR: folder },
    ...{ GIT_OBJECT_DIRECTORY: join(folder, "objects"), GIT_PREFIX: "src/", GIT_NAMESPACE: "other" },
    GIT_CEILING_DIRECTORIES: workspace.top,
  };
  expect(wrong.git("branch", "--show-current")).toBe("wrong");
  expect(await workspace.notes({ env })).toEqual({ Auth: changed(2, "src") });
  await run(["create", "Child"], { cwd: workspace.top, home: workspace.home, env });
  expect(await workspace.threadmind("tree")).toContain("auth [feature/auth]\n    └── child ← active");
  const written = await run(["summary", "child", "--content", "x"], { cwd: workspace.top, home: workspace.home, env });
  expect(written.stderr).toBe("");
  expect(workspace.source("child")).toContain(`\ncommit: ${workspace.git("rev-parse", "HEAD")}\n`);
});

test("`context` and `create` ask their own repository from a hook of another's linked worktree", async () => {
  const { workspace, wrong } = await twoRepositories();
  const tree = join(temporaryFolder("worktree"), "tree");
  wrong.git("worktree", "add", "--quiet", "-b", "pushed", tree);
  const remote = gitRepository({ home: wrong.home });
  const seen = temporaryFolder("seen");
  const program = PROGRAM.map((word) => `'${word}'`).join(" ");
  const hook = join(wrong.top, ".git/hooks/pre-push");
  mkdirSync(join(wrong.top, ".git/hooks"), { recursive: true });
  writeFileSync(
    hook,
    `#!/bin/sh
echo "$GIT_DIR" > '${seen}/folder'
${program} -C '${workspace.top}' context > '${seen}/context' < /dev/null || exit 1
${program} -C '${workspace.top}' create From the hook > '${seen}/created' < /dev/null
`,
  );
  chmodSync(hook, 0o755);
  wrong.git("-C", tree, "push", "--quiet", remote.top, "pushed");
  expect(readFileSync(join(seen, "folder"), "utf8")).toBe(`${wrong.top}/.git/worktrees/tree\n`);
  expect(notesIn(readFileSync(join(seen, "context"), "utf8"))).toEqual({ Auth: changed(2, "src") });
  expect(readFileSync(join(seen, "created"), "utf8")).toContain(
    "Created the thread from-the-hook below auth; it is now active",
  );
  expect(existsSync(join(tree, ".threadmind"))).toBe(false);
});

test("`context` takes paths for names, not for patterns, options or magic, and shows them as they were typed", async () => {
  const workspace = await threadWorkspace();
  const { commit, git } = workspace;
  const paths = ["src/[id]", "src/café", "src/gone", ":top", "-n", ":!src", ":(nonsense)x"];
  const files = paths.map((path) => [`${path}/a.ts`, "1\n"]);
  commit("Start", { ...Object.fromEntries(files), "src/i": "1\n", top: "1\n" });
  git("branch", "src");
  const written = await run(["summary", "main", "--content", "x", ...paths.map((path) => `--paths=${path}`)], {
    cwd: workspace.top,
    home: workspace.home,
  });
  expect(written).toEqual({
    stdout: "Updated the summary of main (no section headings: inherited whole).\n",
    stderr: "",
    code: 0,
  });
  commit("Summary");
  const note = async (): Promise<string | undefined> => (await workspace.notes()).app;
  commit("What a pattern would match", { "src/i": "2\n", top: "2\n", "README.md": "1\n" });
  expect(await note()).toBe("");
  git("rm", "--quiet", "-r", "src/gone");
  commit("Gone");
  expect(await note()).toBe(changed(1, paths.join(", ")));
  commit("Accents", { "src/café/é.ts": "1\n" });
  expect(await note()).toBe(changed(2, paths.join(", ")));
  commit("Brackets, magic, option", { "src/[id]/a.ts": "2\n", ":top/a.ts": "2\n", "-n/a.ts": "2\n" });
  expect(await note()).toBe(changed(3, paths.join(", ")));
});

test("`summary` records and questions a path that isn't there, and `context` compares it once it is", async () => {
  const workspace = await threadWorkspace();
  workspace.commit("Start");
  const args = ["summary", "main", "--content", "x", "--paths", "src/later"];
  expect(await workspace.threadmind(...args)).toContain(
    "src/later doesn't exist in the workspace: recorded as typed; check the spelling.",
  );
  expect(await workspace.notes()).toEqual({ app: "" });
  workspace.commit("Later", { "src/later": "1\n" });
  expect((await workspace.notes()).app).toContain("src/later differs from");
  workspace.commit("Later still", { "src/later": "2\n" });
  expect(await workspace.notes()).toEqual({ app: changed(1, "src/later") });
});

test("`create` and `summary` record neither commit nor branch before the first commit", async () => {
  const workspace = await threadWorkspace();
  expect(await workspace.threadmind("create", "Auth")).toContain(
    "Created the thread auth below main; it is now active",
  );
  await workspace.summarise("auth");
  expect(workspace.source("auth")).not.toMatch(/^(?:branch|commit|fingerprint):/m);
  expect(await workspace.notes()).toEqual({ Auth: "" });
});

test("`create` links no thread without a branch, and a thread linked to HEAD isn't meant", async () => {
  const workspace = await threadWorkspace(["Auth"]);
  workspace.edit("auth", (source) => source.replace(/^updatedAt: .*$/m, "$&\nbranch: HEAD"));
  workspace.commit("Start");
  workspace.git("checkout", "--quiet", "--detach");
  await workspace.threadmind("switch", "main");
  expect(await workspace.threadmind("tree")).toStartWith("main ← active\n└── auth [HEAD]");
  await workspace.threadmind("create", "Detached");
  expect(branchesIn(workspace, "detached")).toEqual([]);
});

test("`create` links nothing during a rebase, and after it the branch's thread is active again", async () => {
  const workspace = await threadWorkspace();
  const { git, commit } = workspace;
  commit("Start", { "a.txt": "1\n" });
  git("checkout", "--quiet", "-b", "feature/auth");
  await workspace.threadmind("create", "Auth");
  expect(branchesIn(workspace, "auth")).toEqual(["branch: feature/auth"]);
  commit("Ours", { "a.txt": "2\n" });
  git("checkout", "--quiet", "main");
  commit("Theirs", { "a.txt": "3\n" });
  git("checkout", "--quiet", "feature/auth");
  expect(() => git("rebase", "--quiet", "main")).toThrow("could not apply");
  expect(await workspace.threadmind("context")).toContain("## Thread: Auth (active)");
  await workspace.threadmind("create", "Meanwhile");
  expect(branchesIn(workspace, "meanwhile")).toEqual([]);
  git("rebase", "--abort");
  expect(await workspace.threadmind("context")).toContain("## Thread: Auth (active)");
});

const BRANCHES = ["feature/auth#2", "日本/機能", "-n", "HEAD", "no", "a'b\"c", "refs/heads/main", "v1.0;x"];

for (const branch of BRANCHES) {
  test(`\`create\` links to the branch ${branch}, which is matched and shown exactly`, async () => {
    const workspace = await threadWorkspace();
    const { git } = workspace;
    workspace.commit("Start");
    git("update-ref", `refs/heads/${branch}`, "HEAD");
    git("symbolic-ref", "HEAD", `refs/heads/${branch}`);
    expect(await workspace.threadmind("create", "Auth")).toContain(`linked to the branch ${branch};`);
    workspace.commit("Thread");
    git("symbolic-ref", "HEAD", "refs/heads/main");
    await workspace.threadmind("switch", "main");
    expect(await workspace.threadmind("tree")).toBe(`main ← active\n└── auth [${branch}]\n`);
    git("symbolic-ref", "HEAD", `refs/heads/${branch}`);
    expect(await workspace.threadmind("tree")).toBe(`main\n└── auth [${branch}] ← active\n`);
  });
}
