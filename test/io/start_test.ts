import { expect, test } from "bun:test";
import type { ProjectId } from "../../src/core/id.ts";
import type { Tree } from "../../src/core/tree.ts";
import type { Config } from "../../src/io/config.ts";
import { findMove, findStart } from "../../src/io/start.ts";
import type { Project } from "../../src/io/store.ts";
import { sketchFault, sketchTree, type ThreadSketch } from "../core/threads.ts";

const APP: Project = { id: "app" as ProjectId, title: "App", systemContext: "", mode: "solo", rootThreadId: "main" };

/** What a checkout remembers: where the last session was left, and the last thread by branch. */
function remembered(left?: string, last: Readonly<Record<string, string>> = {}, project = "app"): Config {
  return {
    ...{
      activeProjectId: project,
      activeThreadId: left,
      author: undefined,
      authors: [],
      sessions: [],
      fault: undefined,
    },
    starts: new Map([[project, new Map(Object.entries(last))]]),
  };
}

/** main ─ auth [feature/auth] ─ auth-ui ; main ─ pay [feature/pay] ; main ─ docs, with some of them changed. */
function tree(changes: Readonly<Record<string, Partial<ThreadSketch>>> = {}): Tree {
  const threads: readonly ThreadSketch[] = [
    { id: "main", parentId: null },
    { id: "auth", parentId: "main", branch: "feature/auth", updatedAt: "2026-04-15T10:00:00.000Z" },
    { id: "auth-ui", parentId: "auth" },
    { id: "pay", parentId: "main", branch: "feature/pay", updatedAt: "2026-04-15T10:00:00.000Z" },
    { id: "docs", parentId: "main" },
  ];
  return sketchTree(...threads.map((thread) => ({ ...thread, ...changes[thread.id] })));
}

interface Case {
  readonly says: string;
  readonly branch: string | undefined;
  readonly config?: Config;
  readonly changes?: Readonly<Record<string, Partial<ThreadSketch>>>;
  readonly start: string | undefined;
}

const done = { status: "done" } as const;
const abandoned = { status: "abandoned" } as const;

const CASES: readonly Case[] = [
  { says: "knows nothing: the root", branch: "main", start: "main" },
  {
    says: "was last below the linked thread: that one",
    branch: "feature/auth",
    start: "auth-ui",
    config: remembered("docs", { "feature/auth": "auth-ui" }),
  },
  {
    says: "was last at the linked thread: that one",
    branch: "feature/auth",
    start: "auth",
    config: remembered("docs", { "feature/auth": "auth" }),
  },
  {
    says: "was last elsewhere, but a thread is linked: the linked one",
    branch: "feature/auth",
    start: "auth",
    config: remembered("docs", { "feature/auth": "docs" }),
  },
  {
    says: "was last elsewhere, and nothing is linked: the last one",
    branch: "feature/new",
    start: "docs",
    config: remembered("main", { "feature/new": "docs" }),
  },
  { says: "was never on the branch: the linked one", branch: "feature/pay", start: "pay", config: remembered("docs") },
  {
    says: "was last on other branches only: the thread left",
    branch: "feature/new",
    start: "docs",
    config: remembered("docs", { main: "auth" }),
  },
  {
    says: "left a thread linked to another branch: the root",
    branch: "main",
    start: "main",
    config: remembered("auth"),
  },
  {
    says: "left a thread below one linked to another branch: the root",
    branch: "main",
    start: "main",
    config: remembered("auth-ui"),
  },
  {
    says: "was last at a thread that is linked elsewhere since: the one left",
    branch: "main",
    start: "docs",
    config: remembered("docs", { main: "pay" }),
  },
  {
    says: "left a thread of another project: the root",
    branch: "main",
    start: "main",
    config: remembered("docs", {}, "other"),
  },
  {
    says: "left a thread that is gone: the root",
    branch: "main",
    start: "main",
    config: remembered("gone", { main: "gone" }),
  },
  {
    says: "left a finished thread: its nearest open ancestor",
    branch: "main",
    start: "main",
    config: remembered("docs"),
    changes: { docs: done },
  },
  {
    says: "was last at a finished thread below the linked one: the linked one",
    branch: "feature/auth",
    start: "auth",
    config: remembered("docs", { "feature/auth": "auth-ui" }),
    changes: { "auth-ui": done },
  },
  {
    says: "finds the linked thread finished: where the last session was left",
    branch: "feature/auth",
    start: "docs",
    config: remembered("docs"),
    changes: { auth: done },
  },
  {
    says: "finds the linked and the last one abandoned: the nearest open ancestor of the last",
    branch: "feature/auth",
    start: "main",
    config: remembered("docs", { "feature/auth": "auth-ui" }),
    changes: { auth: abandoned, "auth-ui": abandoned },
  },
  {
    says: "finds all of it finished: the root all the same",
    branch: "main",
    start: "main",
    config: remembered("docs"),
    changes: { docs: done, main: done },
  },
  {
    says: "finds two threads linked: the one updated last",
    branch: "feature/pay",
    start: "docs",
    changes: { docs: { branch: "feature/pay", updatedAt: "2026-04-15T10:00:00.001Z" } },
  },
  {
    says: "finds two threads linked, the younger one done: the other",
    branch: "feature/pay",
    start: "pay",
    changes: { docs: { branch: "feature/pay", updatedAt: "2027-01-01T00:00:00.000Z", ...done } },
  },
  { says: "compares branches exactly", branch: "Feature/Pay", start: "main" },
  {
    says: "stands on a detached HEAD: the thread left, linked or not",
    branch: undefined,
    start: "auth",
    config: remembered("auth", { HEAD: "docs" }),
  },
  {
    says: "stands on a detached HEAD and a file says HEAD: no link",
    branch: undefined,
    start: "main",
    changes: { docs: { branch: "HEAD" } },
  },
  {
    says: "left a thread whose file can't be read: that one, so that nothing meant for it lands elsewhere",
    branch: "main",
    start: "docs",
    config: remembered("docs"),
    changes: { docs: { fault: sketchFault("docs.md") } },
  },
  {
    says: "left a thread in a loop of parents: that one",
    branch: "main",
    start: "docs",
    config: remembered("docs"),
    changes: { docs: { parentId: "pay" }, pay: { parentId: "docs", branch: undefined } },
  },
];

for (const { says, branch, config = remembered(), changes, start } of CASES) {
  test(`findStart() ${says}`, () => {
    expect(findStart(tree(changes), APP, config, branch)?.id as string | undefined).toBe(start);
  });
}

test("findStart() takes another root when the project's own file is missing, else nothing", () => {
  expect(findStart(sketchTree({ id: "other", parentId: null }), APP, remembered(), "main")?.id as string).toBe("other");
  expect(findStart(sketchTree(), APP, remembered("main"), "main")).toBeUndefined();
});

const MOVES: readonly (readonly [
  says: string,
  from: string,
  was: string | undefined,
  is: string | undefined,
  to: string | undefined,
])[] = [
  ["stays on the same branch", "docs", "main", "main", undefined],
  ["goes to the branch's thread", "auth", "feature/auth", "feature/pay", "pay"],
  ["stays where the branch has no thread", "auth", "feature/auth", "main", undefined],
  ["stays below the branch's thread", "auth-ui", "main", "feature/auth", undefined],
  ["goes to the branch's thread from a detached HEAD", "docs", undefined, "feature/pay", "pay"],
  ["stays on a detached HEAD", "auth", "feature/auth", undefined, undefined],
  ["stays when it is at the branch's thread already", "pay", "feature/auth", "feature/pay", undefined],
];

for (const [says, from, was, is, to] of MOVES) {
  test(`findMove() ${says}`, () => {
    const move = findMove(tree(), APP, remembered(), is, { project: "app", thread: from, branch: was });
    expect(move?.thread?.id as string | undefined).toBe(to);
  });
}

test("findMove() leaves a thread or project that is gone, and says which", () => {
  const gone = findMove(tree(), APP, remembered("docs"), "main", { project: "app", thread: "gone", branch: "main" });
  expect(gone).toMatchObject({ thread: { id: "docs" }, because: "the thread gone is gone from this checkout" });
  const other = findMove(tree(), APP, remembered("x", {}, "old"), "main", {
    project: "old",
    thread: "docs",
    branch: "main",
  });
  expect(other).toMatchObject({ thread: { id: "main" }, because: "the project old is gone from this checkout" });
});
