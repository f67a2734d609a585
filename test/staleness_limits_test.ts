import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "./support/temp.ts";
import { changed, type ThreadWorkspace, threadWorkspace, uncommitted } from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

const DIFFERS = "_⚠ src differs from what this summary was written on: check it is still accurate._";
const SHALLOW =
  "_⚠ src changed since this summary was written (shallow clone: commits not counted): check it is still accurate._";

async function described(...paths: readonly string[]): Promise<ThreadWorkspace> {
  const workspace = await threadWorkspace();
  workspace.commit("Code", { "src/a.ts": "1\n", "lib/b.ts": "1\n" });
  await workspace.summarise("main", ...paths);
  workspace.commit("Summary");
  return workspace;
}

async function note(workspace: ThreadWorkspace): Promise<string | undefined> {
  return (await workspace.notes()).app;
}

test("`context` says that the code differs when uncommitted work was thrown away (rule 7)", async () => {
  const workspace = await described("src");
  workspace.write("src/a.ts", "2\n");
  await workspace.summarise("main", "src");
  expect(await note(workspace)).toBe("");
  workspace.git("stash");
  workspace.git("checkout", "stash@{0}", "--", ".threadmind");
  expect(await note(workspace)).toBe(DIFFERS);
  workspace.git("checkout", "stash@{0}", "--", "src");
  expect(await note(workspace)).toBe("");
});

test("`context` says that several paths differ (rule 7)", async () => {
  const workspace = await described("src", "lib");
  workspace.write("src/a.ts", "2\n");
  workspace.edit("main", (source) => source.replace("Decision", "Later decision"));
  workspace.commit("Code with its summary");
  expect(await note(workspace)).toBe(DIFFERS.replace("src differs", "src, lib differ"));
});

test("`context` says how many commits ago a summary without paths was written (rule 8)", async () => {
  const workspace = await described();
  expect(await note(workspace)).toBe("");
  workspace.write("src/a.ts", "uncommitted\n");
  expect(await note(workspace)).toBe("");
  workspace.commit("One");
  expect(await note(workspace)).toBe("_Written 1 commit ago._");
  await workspace.threadmind("create", "Other thread");
  workspace.commit("Threads only");
  workspace.write("lib/b.ts", "2\n");
  workspace.edit("main", (source) => source.replace("Decision", "Later decision"));
  workspace.commit("With its summary");
  expect(await workspace.notes({ thread: "main" })).toEqual({ app: "_Written 1 commit ago._" });
  workspace.commit("Two", { "README.md": "1\n" });
  expect(await workspace.notes({ thread: "main" })).toEqual({ app: "_Written 2 commits ago._" });
});

test("`context` minds an untracked file only once a tracked one has changed too", async () => {
  const workspace = await described("src");
  workspace.write("src/new.ts", "1\n");
  expect(await note(workspace)).toBe("");
  workspace.write("src/a.ts", "2\n");
  expect(await note(workspace)).toBe(uncommitted("src"));
  await workspace.summarise("main", "src");
  workspace.write("src/new.ts", "2\n");
  expect(await note(workspace)).toBe("");
  workspace.git("add", "src");
  expect(await note(workspace)).toBe(uncommitted("src"));
  workspace.write("src/new.ts", "1\n");
  expect(await note(workspace)).toBe("");
});

test("`context` takes a later version's fingerprint for none", async () => {
  const workspace = await described("src");
  workspace.edit("main", (source) => source.replace(/^fingerprint: 1-/m, "fingerprint: 2-"));
  expect(workspace.source("main")).toMatch(/^fingerprint: 2-[0-9a-f]{16}$/m);
  workspace.write("src/a.ts", "2\n");
  expect(await note(workspace)).toBe("");
  workspace.git("commit", "--quiet", "--message", "Change", "src");
  expect(await note(workspace)).toBe(changed(1, "src"));
});

const HOSTILE = [
  "--output=stolen",
  "HEAD",
  "main",
  "HEAD~1",
  "-n",
  "abc1234",
  ":/Code",
  "@{upstream}",
  "A".repeat(40),
  "0",
  "null",
];

test("`context` takes what is no full commit id for none", async () => {
  const workspace = await described("src");
  const id = workspace.git("rev-parse", "HEAD~1");
  workspace.commit("Change", { "src/a.ts": "2\n" });
  expect(await note(workspace)).toBe(changed(1, "src"));
  for (const commit of [...HOSTILE, id.toUpperCase(), id.slice(0, 12), `${id}^`]) {
    workspace.edit("main", (source) => source.replace(/^commit: .*$/m, () => `commit: ${JSON.stringify(commit)}`));
    expect([commit, await note(workspace)]).toEqual([commit, DIFFERS]);
  }
  expect(workspace.git("status", "--porcelain", "--", "stolen", "--output=stolen")).toBe("");
});

test("`context` counts in a shallow clone only what it can see all of", async () => {
  const workspace = await threadWorkspace(["auth"]);
  for (let n = 1; n <= 3; n++) workspace.commit(`${n}`, { "src/a.ts": `${n}\n` });
  await workspace.summarise("main", "src");
  await workspace.summarise("auth");
  for (let n = 4; n <= 30; n++) workspace.commit(`${n}`, { [n % 3 === 0 ? "src/a.ts" : "lib/b.ts"]: `${n}\n` });
  const folder = temporaryFolder("clones");
  const clone = async (depth: number): Promise<Record<string, string>[]> => {
    const top = join(folder, `${depth}`);
    workspace.git("clone", "--quiet", "--depth", `${depth}`, `file://${workspace.top}`, top);
    return [
      await workspace.notes({ folder: top, thread: "main" }),
      await workspace.notes({ folder: top, thread: "auth" }),
    ];
  };
  const uncounted = [{ app: SHALLOW }, { app: SHALLOW, auth: "" }];
  const counted = [{ app: changed(9, "src") }, { app: changed(9, "src"), auth: "_Written 26 commits ago._" }];
  expect(await clone(1)).toEqual(uncounted);
  expect(await clone(5)).toEqual(uncounted);
  expect(await clone(27)).toEqual(uncounted);
  expect(await clone(28)).toEqual(counted);
  expect(await clone(40)).toEqual(counted);
});

test("`context` counts nothing in a shallow clone where a merged branch breaks off", async () => {
  const workspace = await threadWorkspace();
  const { git, commit } = workspace;
  commit("Start", { "src/a.ts": "1\n" });
  git("checkout", "--quiet", "-b", "side");
  for (let n = 1; n <= 5; n++) commit(`Side ${n}`, { "src/b.ts": `${n}\n` });
  git("checkout", "--quiet", "main");
  await workspace.summarise("main", "src");
  commit("Summary");
  git("merge", "--quiet", "--no-edit", "side");
  expect(await note(workspace)).toBe(changed(5, "src"));
  const top = join(temporaryFolder("clones"), "clone");
  git("clone", "--quiet", "--depth", "3", `file://${workspace.top}`, top);
  expect((await workspace.notes({ folder: top })).app).toBe(SHALLOW);
});
