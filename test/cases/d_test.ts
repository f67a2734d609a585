import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, run } from "../support/binary.ts";
import { fakeGit, pathWith } from "../support/fake_git.ts";
import { openServer } from "../support/server.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { changed, elsewhere, notesIn, type ThreadWorkspace, threadWorkspace } from "../support/thread_workspace.ts";

setDefaultTimeout(60_000);

/** A workspace on the branch feature/auth, whose thread main is behind by one commit. */
async function onFeature(): Promise<ThreadWorkspace> {
  const workspace = await threadWorkspace();
  workspace.commit("Start", { "src/a.ts": "1\n" });
  await workspace.summarise("main", "src");
  workspace.commit("Summary");
  workspace.commit("Change", { "src/a.ts": "2\n" });
  workspace.git("checkout", "--quiet", "-b", "feature/auth");
  return workspace;
}

test("GIT_DIR and GIT_INDEX_FILE of another repository change neither branch, commit nor count", async () => {
  const workspace = await onFeature();
  const other = gitRepository({ home: workspace.home });
  other.commit("Start", { "src/a.ts": "wrong\n" });
  other.git("checkout", "--quiet", "-b", "wrong");
  const folder = join(other.top, ".git");
  const env = { GIT_DIR: folder, GIT_INDEX_FILE: join(folder, "index") };
  const { top, home } = workspace;
  expect(await workspace.notes({ env })).toEqual({ app: changed(1, "src") });
  const created = await run(["create", "Auth"], { cwd: top, home, env });
  expect(created.stdout).toContain("linked to the branch feature/auth");
  await run(["summary", "auth", "--content", "x"], { cwd: top, home, env });
  expect(workspace.source("auth")).toContain(`\ncommit: ${workspace.git("rev-parse", "HEAD")}\n`);
  expect(other.git("status", "--porcelain")).toBe("");
});

test("a pre-push hook in the workspace's own linked worktree sees that worktree's branch and counts", async () => {
  const workspace = await onFeature();
  const { git, home } = workspace;
  workspace.commit("Threads");
  const [tree, seen] = [join(temporaryFolder("worktree"), "tree"), temporaryFolder("seen")];
  git("worktree", "add", "--quiet", "-b", "feature/pay", tree);
  git("remote", "add", "origin", gitRepository({ home }).top);
  mkdirSync(join(workspace.top, ".git/hooks"), { recursive: true });
  const hook = join(workspace.top, ".git/hooks/pre-push");
  const program = PROGRAM.map((word) => `'${word}'`).join(" ");
  const lines = [
    "#!/bin/sh",
    `echo "$GIT_DIR" > folder`,
    `${program} context > context`,
    `${program} create Pay > created`,
  ];
  writeFileSync(hook, `${lines.join("\n").replaceAll("> ", `> ${seen}/`)}\n`);
  chmodSync(hook, 0o755);
  git("-C", tree, "push", "--quiet", "origin", "feature/pay");
  expect(readFileSync(join(seen, "folder"), "utf8")).toContain("/.git/worktrees/");
  expect(notesIn(readFileSync(join(seen, "context"), "utf8"))).toEqual({ app: changed(1, "src") });
  expect(readFileSync(join(seen, "created"), "utf8")).toContain("linked to the branch feature/pay");
});

/** What takes the commit that a summary was written on out of the history. */
const REWRITES: Readonly<Record<string, (workspace: ThreadWorkspace) => void>> = {
  "an amendment": ({ git }) => git("commit", "--quiet", "--all", "--amend", "--no-edit"),
  "an interactive rebase that squashes": ({ git, env, top }) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", "More");
    const rebase = ["git", "rebase", "--quiet", "--interactive", "HEAD~2"];
    const variables = { ...env, GIT_SEQUENCE_EDITOR: "sed -i -e '2s/^pick/squash/'", GIT_EDITOR: ":" };
    const { success, stderr } = Bun.spawnSync(rebase, { cwd: top, env: variables });
    if (!success) throw new Error(stderr.toString());
  },
  "a squash merge of a branch that is then deleted": ({ git }) => {
    git("checkout", "--quiet", "-b", "feature");
    git("add", "--all");
    git("commit", "--quiet", "--message", "More");
    git("branch", "--force", "main", "HEAD~2");
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--squash", "feature");
    git("commit", "--quiet", "--message", "Squashed");
    git("branch", "-D", "feature");
  },
};

for (const [name, rewrite] of Object.entries(REWRITES)) {
  for (const collected of [false, true]) {
    test(`after ${name}${collected ? " and a garbage collection" : ""} the note names the lost commit, and the summary is used`, async () => {
      const workspace = await threadWorkspace();
      const { git } = workspace;
      workspace.commit("Start", { "a.txt": "1\n" });
      const written = workspace.commit("Code", { "a.txt": "2\n" });
      await workspace.threadmind("summary", "main", "--content", "## Decisions\n- still used\n");
      rewrite(workspace);
      if (collected) {
        git("reflog", "expire", "--expire=now", "--all");
        git("gc", "--quiet", "--prune=now");
        expect(() => git("cat-file", "-e", written)).toThrow();
      } else git("cat-file", "-e", written);
      expect(await workspace.notes()).toEqual({ app: elsewhere(written) });
      expect(await workspace.threadmind("context")).toContain("- still used");
    });
  }
}

test("a shallow clone shows no wrong count and no warning that can't be known there", async () => {
  const workspace = await threadWorkspace();
  for (let n = 1; n <= 3; n++) workspace.commit(`${n}`, { "src/a.ts": `${n}\n` });
  await workspace.summarise("main", "src");
  // The fourth commit brings the summary itself and is not counted.
  for (let n = 4; n <= 30; n++) workspace.commit(`${n}`, { "src/a.ts": `${n}\n` });
  for (const depth of [1, 5, 40]) {
    const folder = join(temporaryFolder("clones"), "clone");
    workspace.git("clone", "--quiet", "--depth", `${depth}`, `file://${workspace.top}`, folder);
    const { stdout, stderr, code } = await run(["context"], { cwd: folder, home: workspace.home });
    expect([stderr, code]).toEqual(["", 0]);
    const note = notesIn(stdout).app ?? "";
    if (depth === 40) expect(note).toBe(changed(26, "src"));
    else expect(note).toContain("(shallow clone: commits not counted)");
    expect(note).not.toContain("not in this repository's history");
  }
});

test("paths with brackets, accents, dashes and colons are names, and a branch called like a folder is none of them", async () => {
  const workspace = await threadWorkspace();
  const paths = ["src/[id]", "src/café", "src/gone", ":top", "-n"];
  workspace.commit("Start", { ...Object.fromEntries(paths.map((path) => [`${path}/a.ts`, "1\n"])), "src/i": "1\n" });
  workspace.git("branch", "src");
  const { top, home } = workspace;
  const server = await openServer({ cwd: top, home });
  const updated = await server.call("summary_update", { threadId: "main", content: "## Decisions\n- One\n", paths });
  expect(updated).toContain("Updated the summary of main");
  workspace.commit("Summary");
  const note = async () => notesIn(await server.call("context_get")).app;
  workspace.commit("What a pattern would match", { "src/i": "2\n" });
  expect(await note()).toBe("");
  workspace.git("rm", "--quiet", "-r", "src/gone");
  workspace.commit("Gone");
  expect(await note()).toBe(changed(1, paths.join(", ")));
  workspace.commit("Accents", { "src/café/é.ts": "1\n" });
  expect(await note()).toBe(changed(2, paths.join(", ")));
  await server.closeInput();
});

test("a rebase that goes on to its end makes the branch's thread active again, and links nothing meanwhile", async () => {
  const workspace = await threadWorkspace();
  const { git, commit } = workspace;
  commit("Start", { "a.txt": "1\n" });
  git("checkout", "--quiet", "-b", "feature/auth");
  await workspace.threadmind("create", "Auth");
  commit("Ours", { "a.txt": "2\n" });
  git("checkout", "--quiet", "main");
  commit("Theirs", { "a.txt": "3\n" });
  git("checkout", "--quiet", "feature/auth");
  expect(() => git("rebase", "--quiet", "main")).toThrow("could not apply");
  const before = await workspace.threadmind("context");
  await workspace.threadmind("create", "Meanwhile");
  expect(workspace.source("meanwhile")).not.toMatch(/^branch:/m);
  expect(before).not.toContain("## Thread: Meanwhile");
  workspace.write("a.txt", "4\n");
  git("add", "--all");
  git("-c", "core.editor=:", "rebase", "--continue");
  expect(git("branch", "--show-current")).toBe("feature/auth");
  expect(await workspace.threadmind("context")).toContain("## Thread: Auth (active)");
});

test("calls that were sent back to back are all answered at once, although git reads its standard input", async () => {
  const workspace = await onFeature();
  const bin = fakeGit('read -r line\nexec "$GIT" "$@"');
  const server = await openServer({ cwd: workspace.top, home: workspace.home, env: { PATH: pathWith(bin) } });
  const begun = performance.now();
  server.send({ id: 1, method: "tools/call", params: { name: "context_get", arguments: {} } });
  server.send({ id: 2, method: "tools/call", params: { name: "thread_list", arguments: {} } });
  const [context, tree] = [await server.answerTo(1), await server.answerTo(2)];
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(context.result?.content?.[0]?.text).toContain("## Thread: app (active)");
  expect(tree.result?.content?.[0]?.text).toBe("main ← active");
  await server.closeInput();
});

test("git gets no terminal, pager, editor or prompt, and what it says reaches nobody", async () => {
  const workspace = await onFeature();
  const seen = join(temporaryFolder("seen"), "env");
  const script = `env >> '${seen}'\nls -l /proc/$$/fd/0 /proc/$$/fd/2 >> '${seen}' 2> /dev/null\necho noise >&2\nexec "$GIT" "$@"`;
  const env = {
    PATH: pathWith(fakeGit(script)),
    GIT_PAGER: "less",
    GIT_EDITOR: "vi",
    GIT_TERMINAL_PROMPT: "1",
    GIT_TRACE: "1",
  };
  const { stderr, code } = await run(["context"], { cwd: workspace.top, home: workspace.home, env });
  expect([stderr, code]).toEqual(["", 0]);
  const text = readFileSync(seen, "utf8");
  const values = (name: string): string[] => {
    const all = [...text.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
    return [...new Set(all)];
  };
  expect(values("GIT_TERMINAL_PROMPT")).toEqual(["0"]);
  expect(values("GIT_PAGER")).toEqual(["cat"]);
  expect(values("GIT_EDITOR")).toEqual([":"]);
  expect(values("GIT_TRACE")).toEqual([]);
  if (process.platform === "linux") {
    const [input, errors] = ["0", "2"].map((fd) => text.match(new RegExp(`/fd/${fd} -> .*`, "g")) ?? []);
    expect(input?.length).toBeGreaterThan(0);
    expect(errors?.filter((line) => !line.endsWith("/dev/null"))).toEqual([]);
    expect(input?.filter((line) => !/\/dev\/null$|pipe:|socket:/.test(line))).toEqual([]);
  }
});
