import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { countingGit, pathWith } from "./support/fake_git.ts";
import { gitRepository, temporaryFolder } from "./support/temp.ts";
import {
  changed,
  copyWorkspace,
  elsewhere,
  openWorkspace,
  type ThreadWorkspace,
  threadWorkspace,
  uncommitted,
} from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

const ONE = 5;
const SEVERAL = 8;

/** A context's notes, and the git processes that were started for it. */
async function count(
  workspace: ThreadWorkspace,
  options: { readonly folder?: string; readonly thread?: string } = {},
): Promise<{ notes: Record<string, string>; starts: readonly string[] }> {
  const git = countingGit();
  const notes = await workspace.notes({ ...options, env: { PATH: pathWith(git.folder) } });
  return { notes, starts: git.takeStarts() };
}

// A chain of four that is all up to date; what main describes is uncommitted, so that it has to be hashed.
let chain: ThreadWorkspace;
let written = "";

beforeAll(async () => {
  chain = await threadWorkspace(["auth", "api", "ui"]);
  chain.commit("Start", { "main/a.ts": "1\n", "auth/a.ts": "1\n", "api/a.ts": "1\n", "src/a.ts": "1\n" });
  written = chain.commit("Code", { "src/a.ts": "2\n" });
  chain.write("main/a.ts", "2\n");
  for (const [thread, path] of [
    ["main", "main"],
    ["auth", "auth"],
    ["api", "api"],
    ["ui", "src"],
  ]) {
    await chain.summarise(thread ?? "", path ?? "");
  }
  chain.git("add", ".threadmind");
  chain.git("commit", "--quiet", "--message", "Summaries");
});

function commitCode({ git, write }: ThreadWorkspace, content = "3\n"): void {
  write("src/a.ts", content);
  git("add", "src");
  git("commit", "--quiet", "--message", "Change");
}

function dropStamps(workspace: ThreadWorkspace, thread: string, keys: string): void {
  workspace.edit(thread, (source) => source.replace(new RegExp(`^(?:${keys}): .*\\n`, "gm"), ""));
}

const ONE_DIFFERS: readonly (readonly [
  name: string,
  change: (workspace: ThreadWorkspace) => void,
  note: () => string,
])[] = [
  ["none differs", () => undefined, () => ""],
  [
    "one was settled by a merge",
    (workspace) => dropStamps(workspace, "ui", "commit|fingerprint"),
    () => "_⚠ Not verified since it was merged: check it is still accurate._",
  ],
  [
    "one was written on a commit that was amended",
    (workspace) => {
      workspace.write("src/a.ts", "3\n");
      workspace.git("reset", "--quiet", "--soft", "HEAD~1");
      workspace.git("commit", "--quiet", "--amend", "--message", "Amended", "--", "src", ".threadmind");
    },
    () => elsewhere(written),
  ],
  [
    "one was written on a commit that is nowhere",
    (workspace) => {
      commitCode(workspace);
      workspace.edit("ui", (source) => source.replace(/^commit: .*$/m, `commit: ${"1".repeat(40)}`));
    },
    () => elsewhere("1111111"),
  ],
  ["one was changed by a commit", commitCode, () => changed(1, "src")],
  [
    "one was changed by a commit and has no fingerprint",
    (workspace) => {
      commitCode(workspace);
      dropStamps(workspace, "ui", "fingerprint");
    },
    () => changed(1, "src"),
  ],
  ["one is changed on disk", ({ write }) => write("src/a.ts", "3\n"), () => uncommitted("src")],
  [
    "one is changed in the index",
    ({ write, git }) => {
      write("src/a.ts", "3\n");
      git("add", "src");
    },
    () => uncommitted("src"),
  ],
  [
    "one differs without a commit or a change",
    ({ edit }) => edit("ui", (source) => source.replace(/^fingerprint: .*$/m, "fingerprint: 1-0123456789abcdef")),
    () => "_⚠ src differs from what this summary was written on: check it is still accurate._",
  ],
  [
    "one has no commit",
    (workspace) => {
      dropStamps(workspace, "ui", "commit");
      commitCode(workspace);
    },
    () => "_⚠ src differs from what this summary was written on: check it is still accurate._",
  ],
  [
    "one has no paths",
    (workspace) => {
      dropStamps(workspace, "ui", "paths|fingerprint");
      commitCode(workspace);
    },
    () => "_Written 1 commit ago._",
  ],
  [
    "one is on a branch without commits",
    ({ write, git }) => {
      git("checkout", "--quiet", "--orphan", "fresh");
      write("src/a.ts", "3\n");
      git("add", "src");
    },
    () => uncommitted("src"),
  ],
];

for (const [name, change, note] of ONE_DIFFERS) {
  test(`\`context\` starts git five times at most in a chain of four of which ${name}`, async () => {
    const workspace = copyWorkspace(chain);
    change(workspace);
    const { notes, starts } = await count(workspace);
    expect(notes).toEqual({ app: "", auth: "", api: "", ui: note() });
    expect(starts.length).toBeWithin(1, ONE + 1);
  });
}

const IN_SHALLOW: readonly (readonly [name: string, depth: number, commits: number, note: string])[] = [
  [
    "that can't be counted",
    2,
    3,
    "_⚠ src changed since this summary was written (shallow clone: commits not counted): check it is still accurate._",
  ],
  ["that can be counted", 5, 3, changed(3, "src")],
  ["without a commit", 5, 0, "_⚠ src differs from what this summary was written on: check it is still accurate._"],
];

for (const [name, depth, commits, note] of IN_SHALLOW) {
  test(`\`context\` starts git five times at most in a shallow clone where one of four differs by a change ${name}`, async () => {
    const workspace = copyWorkspace(chain);
    workspace.git("checkout", "--quiet", "--", "main");
    for (let n = 0; n < commits; n++) commitCode(workspace, `${n + 5}\n`);
    for (let n = commits; n < 3; n++) workspace.commit("Elsewhere", { "lib/b.ts": `${n}\n` });
    const folder = join(temporaryFolder("clones"), "clone");
    workspace.git("clone", "--quiet", "--depth", `${depth}`, `file://${workspace.top}`, folder);
    const clone = openWorkspace(gitRepository({ top: folder, home: workspace.home }));
    clone.write("main/a.ts", "2\n");
    if (commits === 0)
      clone.edit("ui", (source) => source.replace(/^fingerprint: .*$/m, "fingerprint: 1-0123456789abcdef"));
    const { notes, starts } = await count(clone, { thread: "ui" });
    expect(notes).toEqual({ app: "", auth: "", api: "", ui: note });
    expect(starts.length).toBeWithin(1, ONE + 1);
  });
}

test("`context` starts git five times at most for a chain of one", async () => {
  const workspace = copyWorkspace(chain);
  commitCode(workspace);
  workspace.git("checkout", "--quiet", "--", "main");
  const { notes, starts } = await count(workspace, { thread: "main" });
  expect(notes.app).toContain("main differs from");
  expect(starts.length).toBeWithin(1, ONE + 1);
});

test("`context` starts git eight times at most for a chain of four in four states", async () => {
  const workspace = copyWorkspace(chain);
  commitCode(workspace);
  workspace.write("main/a.ts", "3\n");
  workspace.edit("auth", (source) => source.replace(/^fingerprint: .*$/m, "fingerprint: 1-0123456789abcdef"));
  workspace.edit("api", (source) => source.replace(/^commit: .*$/m, `commit: ${"1".repeat(40)}`));
  workspace.write("api/a.ts", "3\n");
  const { notes, starts } = await count(workspace);
  expect(notes).toEqual({
    app: uncommitted("main"),
    auth: "_⚠ auth differs from what this summary was written on: check it is still accurate._",
    api: elsewhere("1111111"),
    ui: changed(1, "src"),
  });
  expect(starts.length).toBeWithin(1, SEVERAL + 1);
});
