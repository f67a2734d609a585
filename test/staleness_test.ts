import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { changed, elsewhere, type ThreadWorkspace, threadWorkspace, uncommitted } from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

const DIFFERS = "_⚠ src differs from what this summary was written on: check it is still accurate._";
const UNVERIFIED = "_⚠ Not verified since it was merged: check it is still accurate._";

/** A workspace whose root thread describes src, with code and summary committed. Returns the summary's commit too. */
async function described(...paths: readonly string[]): Promise<{ workspace: ThreadWorkspace; written: string }> {
  const workspace = await threadWorkspace();
  const written = workspace.commit("Code", { "src/a.ts": "1\n", "lib/b.ts": "1\n" });
  await workspace.summarise("main", ...paths);
  workspace.commit("Summary");
  return { workspace, written };
}

async function note(workspace: ThreadWorkspace): Promise<string | undefined> {
  return (await workspace.notes()).app;
}

test("`context` says nothing without a repository (rule 1)", async () => {
  const { workspace } = await described("src");
  workspace.commit("Change", { "src/a.ts": "2\n" });
  expect(await note(workspace)).toBe(changed(1, "src"));
  rmSync(join(workspace.top, ".git"), { recursive: true });
  expect(await note(workspace)).toBe("");
});

test("`context` says nothing when code and summary are committed as they were written (rule 2)", async () => {
  const workspace = await threadWorkspace();
  workspace.commit("Start", { "src/a.ts": "1\n" });
  workspace.write("src/a.ts", "2\n");
  workspace.write("src/new.ts", "1\n");
  await workspace.summarise("main", "src");
  expect(await note(workspace)).toBe("");
  workspace.git("add", "src");
  expect(await note(workspace)).toBe("");
  workspace.git("commit", "--quiet", "--message", "Code alone");
  expect(await note(workspace)).toBe("");
  workspace.commit("Summary");
  expect(await note(workspace)).toBe("");
});

const REWRITTEN: readonly (readonly [name: string, commands: readonly string[]])[] = [
  ["amended", ["commit --quiet --amend --message Again"]],
  ["squashed", ["reset --quiet --soft HEAD~2", "commit --quiet --message Squashed"]],
  ["rebased", ["checkout --quiet -b side HEAD~2", "commit --quiet --allow-empty -m Side", "rebase --quiet side main"]],
  [
    "left for good",
    [
      "checkout --quiet --orphan fresh",
      "commit --quiet -m Fresh",
      "branch -D main",
      "reflog expire --expire=now --all",
      "gc --quiet --prune=now",
    ],
  ],
];

for (const [name, commands] of REWRITTEN) {
  test(`\`context\` says nothing when the history was ${name} and the code is the same (rule 2)`, async () => {
    const workspace = await threadWorkspace();
    workspace.commit("Start", { "README.md": "1\n" });
    workspace.commit("Code", { "src/a.ts": "1\n" });
    await workspace.summarise("main", "src");
    workspace.commit("More", { "lib/b.ts": "1\n" });
    for (const command of commands) workspace.git(...command.split(" "));
    expect(await note(workspace)).toBe("");
  });
}

test("`context` says nothing when a change was reverted (rule 2)", async () => {
  const { workspace } = await described("src");
  workspace.commit("Change", { "src/a.ts": "2\n", "src/b.ts": "1\n" });
  expect(await note(workspace)).toBe(changed(1, "src"));
  workspace.git("revert", "--no-edit", "HEAD");
  expect(await note(workspace)).toBe("");
});

test("`context` says when code that was untracked was committed and is gone, and nothing of edits before that", async () => {
  for (const leave of ["rm --quiet -r src", "mv src lib"]) {
    const workspace = await threadWorkspace();
    workspace.commit("Start", { "README.md": "1\n" });
    workspace.write("src/a.ts", "1\n");
    await workspace.summarise("main", "src");
    workspace.write("src/a.ts", "2\n");
    expect(await note(workspace)).toBe("");
    workspace.write("src/a.ts", "1\n");
    workspace.commit("Code and summary");
    workspace.git(...leave.split(" "));
    workspace.git("commit", "--quiet", "--message", "Gone");
    expect(await note(workspace)).toBe(changed(1, "src"));
    workspace.write("src/later.ts", "1\n");
    expect(await note(workspace)).toBe(changed(1, "src"));
    workspace.git("revert", "--no-edit", "HEAD");
    rmSync(join(workspace.top, "src/later.ts"));
    expect(await note(workspace)).toBe("");
  }
});

test("`context` says that a summary settled by a merge was not verified (rule 3)", async () => {
  const { workspace } = await described("src");
  workspace.edit("main", (source) => source.replace(/^(?:commit|fingerprint): .*\n/gm, ""));
  expect(await note(workspace)).toBe(UNVERIFIED);
  workspace.edit("main", (source) => source.replace(/^paths: .*\n/m, ""));
  expect(await note(workspace)).toBe("");
});

test("`context` names the commit when the code was changed by an amendment (rule 4)", async () => {
  const workspace = await threadWorkspace();
  workspace.commit("Start", { "src/a.ts": "1\n" });
  const written = workspace.commit("Code", { "src/a.ts": "2\n" });
  await workspace.summarise("main", "src");
  workspace.write("src/a.ts", "3\n");
  workspace.git("commit", "--quiet", "--all", "--amend", "--no-edit");
  workspace.git("cat-file", "-e", written);
  expect(await note(workspace)).toBe(elsewhere(written));
});

/** Three commits on a branch, the summary on the second. */
async function onFeature(paths: readonly string[]): Promise<{ workspace: ThreadWorkspace; written: string }> {
  const workspace = await threadWorkspace();
  workspace.commit("Start", { "src/a.ts": "1\n" });
  workspace.git("checkout", "--quiet", "-b", "feature");
  const written = workspace.commit("Code", { "src/a.ts": "2\n" });
  await workspace.summarise("main", ...paths);
  workspace.commit("Summary and more", { "src/a.ts": "3\n" });
  return { workspace, written };
}

const AWAY: readonly (readonly [name: string, leave: (workspace: ThreadWorkspace) => void])[] = [
  [
    "amended",
    ({ git }) => {
      git("reset", "--quiet", "--soft", "HEAD~1");
      git("commit", "--quiet", "--amend", "--no-edit");
    },
  ],
  [
    "fixed up in a rebase",
    ({ env, top }) => {
      const editor = "sed -i -e '2s/^pick/fixup/'";
      const rebase = ["git", "rebase", "--quiet", "--interactive", "main"];
      const { success, stderr } = Bun.spawnSync(rebase, {
        cwd: top,
        env: { ...env, GIT_SEQUENCE_EDITOR: editor, GIT_EDITOR: ":" },
      });
      if (!success) throw new Error(stderr.toString());
    },
  ],
  [
    "squashed into main and its branch deleted",
    ({ git }) => {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--squash", "feature");
      git("commit", "--quiet", "--message", "Squashed");
      git("branch", "-D", "feature");
    },
  ],
  [
    "squashed, deleted and collected",
    ({ git }) => {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--squash", "feature");
      git("commit", "--quiet", "--message", "Squashed");
      git("branch", "-D", "feature");
      git("reflog", "expire", "--expire=now", "--all");
      git("gc", "--quiet", "--prune=now");
    },
  ],
];

for (const [name, leave] of AWAY) {
  test(`\`context\` names the commit when it was ${name} (rule 4)`, async () => {
    for (const paths of [["src"], []]) {
      const { workspace, written } = await onFeature(paths);
      leave(workspace);
      expect(await note(workspace)).toBe(elsewhere(written));
    }
  });
}

test("`context` names the commit when an older one is checked out (rule 4)", async () => {
  const { workspace, written } = await onFeature(["src"]);
  workspace.git("checkout", "--quiet", "main", "--", "src");
  workspace.git("reset", "--quiet", "--soft", "main");
  expect(await note(workspace)).toBe(elsewhere(written));
});

test("`context` names the commit of each of several threads written on one that was amended (rule 4)", async () => {
  const workspace = await threadWorkspace(["auth", "api"]);
  workspace.commit("Start");
  const written = workspace.commit("Code", { "src/a.ts": "1\n", "lib/b.ts": "1\n" });
  await workspace.summarise("main");
  await workspace.summarise("auth", "src");
  await workspace.summarise("api", "lib");
  workspace.commit("Amended", { "src/a.ts": "2\n", "lib/b.ts": "2\n" });
  workspace.git("reset", "--quiet", "--soft", "HEAD~1");
  workspace.git("commit", "--quiet", "--amend", "--no-edit");
  const gone = elsewhere(written);
  expect(await workspace.notes()).toEqual({ app: gone, auth: gone, api: gone });
});

test("`context` counts the commits that changed the paths (rule 5)", async () => {
  const { workspace } = await described("src");
  workspace.commit("Elsewhere", { "lib/b.ts": "2\n" });
  expect(await note(workspace)).toBe("");
  workspace.commit("One", { "src/a.ts": "2\n" });
  expect(await note(workspace)).toBe(changed(1, "src"));
  workspace.write("src/a.ts", "uncommitted\n");
  expect(await note(workspace)).toBe(changed(1, "src"));
  workspace.commit("Two", { "src/a.ts": "3\n", "lib/b.ts": "3\n" });
  expect(await note(workspace)).toBe(changed(2, "src"));
});

test("`context` counts what was picked from a branch once, and what was merged with its side branches (rule 5)", async () => {
  const { workspace } = await described("src");
  const { git, commit } = workspace;
  git("checkout", "--quiet", "-b", "side");
  const picked = commit("Picked", { "src/b.ts": "1\n" });
  git("checkout", "--quiet", "main");
  commit("Elsewhere", { "lib/b.ts": "2\n" });
  git("cherry-pick", picked);
  expect(await note(workspace)).toBe(changed(1, "src"));
  git("checkout", "--quiet", "side");
  commit("Side", { "src/c.ts": "1\n" });
  commit("Undone", { "src/c.ts": "2\n" });
  commit("Again", { "src/c.ts": "1\n" });
  git("checkout", "--quiet", "main");
  commit("Main", { "src/a.ts": "2\n" });
  git("merge", "--quiet", "--no-edit", "side");
  expect(await note(workspace)).toBe(changed(6, "src"));
});

test("`context` doesn't count commits that also changed the thread's file (rule 5)", async () => {
  const { workspace } = await described("src");
  workspace.write("src/a.ts", "2\n");
  workspace.edit("main", (source) => source.replace("Decision", "Later decision"));
  workspace.commit("Code with its summary");
  expect(await note(workspace)).toBe(DIFFERS);
  workspace.commit("Code", { "src/a.ts": "3\n" });
  expect(await note(workspace)).toBe(changed(1, "src"));
});

const UNCOMMITTED: readonly (readonly [name: string, change: (workspace: ThreadWorkspace) => void])[] = [
  ["edited", ({ write }) => write("src/a.ts", "2\n")],
  ["deleted", ({ top }) => rmSync(join(top, "src/a.ts"))],
  [
    "staged",
    ({ write, git }) => {
      write("src/a.ts", "2\n");
      git("add", "src");
    },
  ],
  ["staged as deleted", ({ git }) => void git("rm", "--quiet", "src/a.ts")],
  [
    "staged as new",
    ({ write, git }) => {
      write("src/new.ts", "2\n");
      git("add", "src");
    },
  ],
];

for (const [name, change] of UNCOMMITTED) {
  test(`\`context\` names uncommitted changes when a file was ${name}, until it is undone (rule 6)`, async () => {
    const { workspace } = await described("src");
    change(workspace);
    expect(await note(workspace)).toBe(uncommitted("src"));
    workspace.git("reset", "--quiet", "--hard");
    expect(await note(workspace)).toBe("");
  });
}

test("`context` names uncommitted changes for a summary from before the first commit (rule 6)", async () => {
  const workspace = await threadWorkspace();
  workspace.write("src/a.ts", "1\n");
  workspace.git("add", "src");
  await workspace.summarise("main", "src");
  expect(await note(workspace)).toBe("");
  expect(workspace.source("main")).not.toMatch(/^commit:/m);
  workspace.write("src/a.ts", "2\n");
  expect(await note(workspace)).toBe(uncommitted("src"));
  workspace.git("add", "src");
  expect(await note(workspace)).toBe(uncommitted("src"));
  workspace.commit("Start");
  expect(await note(workspace)).toBe(DIFFERS);
  workspace.commit("Back", { "src/a.ts": "1\n" });
  expect(await note(workspace)).toBe("");
});
