import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyWorkspace, type ThreadWorkspace, threadWorkspace } from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

// Two threads that describe src: of old, the code has been changed and committed since; of current it is as it was.
// HEAD is another commit than both were written on.
let start: ThreadWorkspace;

const BODY = "## Decisions\n- One\n\n## State\n- Two\n";

beforeAll(async () => {
  start = await threadWorkspace(["old", "current"]);
  start.commit("Start", { "src/a.ts": "1\n", "lib/b.ts": "1\n" });
  await start.threadmind("summary", "old", "--content", BODY, "--paths", "src");
  start.commit("Change", { "src/a.ts": "2\n" });
  await start.threadmind("summary", "current", "--content", BODY, "--paths", "src");
  start.commit("Another", { "README.md": "1\n" });
});

/** The header's lines by key, and the body. */
function parts(source: string): Record<string, string> {
  const [, header = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? [];
  const lines = header.split("\n").map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [line, ""]);
  return { ...Object.fromEntries(lines), body };
}

type Change = "kept" | "new" | "dropped";

/** What happened to each part of a thread's file; parts that were there neither before nor after are left out. */
function compare(before: string, after: string): Record<string, Change> {
  const [old, now] = [parts(before), parts(after)];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return Object.fromEntries(
    keys.map((key) => [key, now[key] === undefined ? "dropped" : now[key] === old[key] ? "kept" : "new"]),
  );
}

/** A file's text without the header lines, and the body, that are expected to change. */
function unchanged(source: string, changes: Readonly<Record<string, Change>>): string {
  const lines = Object.keys(changes).map((key) => new RegExp(`^${key}: .*\\n`, "m"));
  const rest = lines.reduce((text, line) => text.replace(line, ""), source);
  return changes.body === undefined ? rest : rest.slice(0, rest.lastIndexOf("\n---\n") + 5);
}

const KEPT = { id: "kept", title: "kept", parentId: "kept", author: "kept", createdAt: "kept" } as const;
const ALL_KEPT = {
  ...KEPT,
  updatedAt: "kept",
  commit: "kept",
  paths: "kept",
  fingerprint: "kept",
  body: "kept",
} as const;

type Row = readonly [
  name: string,
  thread: "old" | "current",
  args: readonly string[],
  changes: Readonly<Record<string, Change>>,
];

const STAMPED = { updatedAt: "new", commit: "new", fingerprint: "new", body: "new" } as const;

const ROWS: readonly Row[] = [
  ["a whole update", "old", ["--content", "## State\n- New"], STAMPED],
  ["a section's update", "old", ["--content", "- New", "--section", "State"], STAMPED],
  ["a section that goes", "old", ["--content", "", "--section", "State"], STAMPED],
  ["an append", "old", ["--content", "- New", "--append"], { updatedAt: "new", body: "new" }],
  [
    "an append to a section",
    "old",
    ["--content", "- New", "--append", "--section", "State"],
    { updatedAt: "new", body: "new" },
  ],
  ["the same text", "old", ["--content", BODY], { commit: "new", fingerprint: "new" }],
  [
    "the same text in a section",
    "old",
    ["--content", "- Two", "--section", "State"],
    { commit: "new", fingerprint: "new" },
  ],
  ["the same text and paths", "old", ["--content", BODY, "--paths", "./src/"], { commit: "new", fingerprint: "new" }],
  ["the same text where nothing differs but the commit", "current", ["--content", BODY], { commit: "new" }],
  [
    "the same text with other paths",
    "old",
    ["--content", BODY, "--paths", "src", "--paths", "lib"],
    { updatedAt: "new", commit: "new", fingerprint: "new", paths: "new" },
  ],
  ["a whole update with other paths", "old", ["--content", "New", "--paths", "lib"], { ...STAMPED, paths: "new" }],
  [
    "an append with other paths while the fingerprint matches",
    "current",
    ["--content", "- New", "--append", "--paths", "lib"],
    { updatedAt: "new", fingerprint: "new", paths: "new", body: "new" },
  ],
  [
    "an append with other paths after the code has changed",
    "old",
    ["--content", "- New", "--append", "--paths", "lib"],
    { updatedAt: "new", fingerprint: "dropped", paths: "new", body: "new" },
  ],
  [
    "an append with the same paths",
    "current",
    ["--content", "- New", "--append", "--paths", "src/"],
    { updatedAt: "new", body: "new" },
  ],
  [
    "an append without paths any more",
    "current",
    ["--content", "- New", "--append", "--paths", ""],
    { updatedAt: "new", fingerprint: "dropped", paths: "dropped", body: "new" },
  ],
  [
    "the same text without paths any more",
    "current",
    ["--content", BODY, "--paths", ""],
    { updatedAt: "new", commit: "new", fingerprint: "dropped", paths: "dropped" },
  ],
];

for (const [name, thread, args, changes] of ROWS) {
  test(`\`summary_update\`: ${name} sets what the contract says and nothing else`, async () => {
    const workspace = copyWorkspace(start);
    const before = workspace.source(thread);
    await workspace.threadmind("summary", thread, ...args);
    expect(compare(before, workspace.source(thread))).toEqual({ ...ALL_KEPT, ...changes });
    expect(unchanged(workspace.source(thread), changes)).toBe(unchanged(before, changes));
    await expectStamps(workspace, thread, changes);
  });
}

/** New stamps are HEAD's commit and the fingerprint that a new thread with the same paths gets. */
async function expectStamps(workspace: ThreadWorkspace, thread: string, changes: Row[3]): Promise<void> {
  const { commit, fingerprint, paths = "", updatedAt = "" } = parts(workspace.source(thread));
  if (changes.commit === "new") expect(commit).toBe(workspace.git("rev-parse", "HEAD"));
  if (changes.fingerprint === "new") {
    const options = paths
      .slice(1, -1)
      .split(", ")
      .flatMap((path) => ["--paths", path]);
    await workspace.threadmind("create", "Twin");
    await workspace.threadmind("summary", "twin", "--content", "x", ...options);
    expect(fingerprint).toBe(parts(workspace.source("twin")).fingerprint ?? "none");
  }
  if (changes.updatedAt === "new") expect(updatedAt > (parts(start.source(thread)).updatedAt ?? "")).toBe(true);
}

test("`thread_verify` sets commit and fingerprint and nothing else", async () => {
  const workspace = copyWorkspace(start);
  const before = workspace.source("old");
  const changes = { commit: "new", fingerprint: "new" } as const;
  expect(await workspace.threadmind("verify", "old")).toStartWith("Verified old on commit ");
  expect(compare(before, workspace.source("old"))).toEqual({ ...ALL_KEPT, ...changes });
  expect(unchanged(workspace.source("old"), changes)).toBe(unchanged(before, changes));
  await expectStamps(workspace, "old", changes);
  const verified = workspace.source("old");
  await workspace.threadmind("verify", "old");
  expect(workspace.source("old")).toBe(verified);
});

test("`thread_verify` drops a fingerprint where there are no paths any more", async () => {
  const workspace = copyWorkspace(start);
  workspace.edit("old", (source) => source.replace(/^paths: .*\n/m, ""));
  const before = workspace.source("old");
  await workspace.threadmind("verify", "old");
  const { paths: _, ...rest } = ALL_KEPT;
  expect(compare(before, workspace.source("old"))).toEqual({ ...rest, commit: "new", fingerprint: "dropped" });
});

test("`thread_verify` takes paths that were edited by hand for what they mean, and leaves them", async () => {
  const workspace = copyWorkspace(start);
  const verified = copyWorkspace(start);
  workspace.edit("old", (source) => source.replace("paths: [src]", "paths: [./src/]"));
  await workspace.threadmind("verify", "old");
  await verified.threadmind("verify", "old");
  expect(workspace.source("old")).toBe(verified.source("old").replace("paths: [src]", "paths: [./src/]"));
  expect((await workspace.notes({ thread: "old" })).old).toBe("");
});

test("`thread_verify` refuses where git knows no commit, and leaves the file", async () => {
  const workspace = copyWorkspace(start);
  rmSync(join(workspace.top, ".git"), { recursive: true });
  const before = workspace.source("old");
  await expect(workspace.threadmind("verify", "old")).rejects.toThrow("git knows no commit here");
  expect(workspace.source("old")).toBe(before);
});

test("`summary_update` drops a commit and a fingerprint that it can't renew", async () => {
  const workspace = copyWorkspace(start);
  rmSync(join(workspace.top, ".git"), { recursive: true });
  const before = workspace.source("old");
  await workspace.threadmind("summary", "old", "--content", "New");
  const changes = { updatedAt: "new", commit: "dropped", fingerprint: "dropped", body: "new" } as const;
  expect(compare(before, workspace.source("old"))).toEqual({ ...ALL_KEPT, ...changes });
});

test("`summary_update` adds a millisecond to a date in the future", async () => {
  const workspace = copyWorkspace(start);
  const date = (text: string): void =>
    workspace.edit("old", (source) => source.replace(/^updatedAt: .*$/m, `updatedAt: ${text}`));
  const update = async (...args: readonly string[]): Promise<string | undefined> => {
    await workspace.threadmind("summary", "old", "--append", "--content", ...args);
    return parts(workspace.source("old")).updatedAt;
  };
  date("2999-12-31T23:59:59.999Z");
  expect(await update("- One")).toBe("3000-01-01T00:00:00.000Z");
  expect(await update("- Two")).toBe("3000-01-01T00:00:00.001Z");
  date("2999-01-01T01:00:00.000+01:00");
  expect(await update("- Three")).toBe("2999-01-01T00:00:00.001Z");
  date("no date");
  const before = Date.now();
  expect(Date.parse((await update("- Four")) ?? "")).toBeWithin(before, Date.now() + 1);
});

test("`summary_update` refuses paths that can't be recorded, and leaves the file", async () => {
  const workspace = copyWorkspace(start);
  const before = workspace.source("old");
  const refused: readonly (readonly [string, string])[] = [
    [" ", "it is empty"],
    ["/etc", "it is absolute"],
    ["../up", "it leads out of the workspace"],
    ["src/../..", "it leads out of the workspace"],
    ["a\nb", "it holds a control character"],
  ];
  for (const [path, fault] of refused) {
    await expect(workspace.threadmind("summary", "old", "--content", "New", "--paths", path)).rejects.toThrow(
      `Cannot record the path ${JSON.stringify(path).replace("\\n", "\\u{a}")}: ${fault}.`,
    );
  }
  expect(workspace.source("old")).toBe(before);
});
