import { expect, test } from "bun:test";
import {
  byNewest,
  chainOf,
  findLoop,
  findThread,
  getThread,
  isOpen,
  linkedBranch,
  nearestOpen,
  soundChainOf,
  takenKeys,
  threadOfBranch,
} from "../../src/core/tree.ts";
import { ThreadMindError } from "../../src/errors.ts";
import {
  idsOfChain,
  sketchChain,
  sketchFault,
  sketchThread,
  sketchTree,
  type ThreadSketch,
  threadIn,
} from "./threads.ts";

const MAIN: ThreadSketch = { id: "main", parentId: null };

test("`buildTree()` finds parents without case and normalisation", () => {
  const tree = sketchTree(MAIN, { id: "café", parentId: "MAIN" }, { id: "menu", parentId: "CAFE\u0301" });
  expect(idsOfChain(tree, "menu")).toEqual(["main", "café", "menu"]);
  expect(tree.children.get("café")?.map(({ id }) => id as string)).toEqual(["menu"]);
});

test("`buildTree()` prefers the very id among case twins, and takes neither where none is", () => {
  const twins: ThreadSketch[] = [MAIN, { id: "Auth", parentId: "main" }, { id: "auth", parentId: "main" }];
  const tree = sketchTree(...twins, { id: "ui", parentId: "Auth" }, { id: "lost", parentId: "AUTH" });
  expect(idsOfChain(tree, "ui")).toEqual(["main", "Auth", "ui"]);
  expect(chainOf(tree, threadIn(tree, "lost")).missingParent).toEqual({
    parent: "AUTH",
    namedBy: threadIn(tree, "lost").id,
  });
});

test("`buildTree()` puts a thread that names no parent below the root, however the project spells that", () => {
  const tree = sketchTree({ id: "Main" }, { id: "auth" }, { id: "second", parentId: null });
  expect(tree.rootId).toBe("Main");
  expect(idsOfChain(tree, "auth")).toEqual(["Main", "auth"]);
  expect(idsOfChain(tree, "Main")).toEqual(["Main"]);
  expect(idsOfChain(tree, "second")).toEqual(["second"]);
});

test("`buildTree()` stands without a root", () => {
  const tree = sketchTree({ id: "auth" });
  expect(tree.rootId).toBe("main");
  expect(chainOf(tree, threadIn(tree, "auth"))).toEqual({
    threads: [threadIn(tree, "auth")],
    missingParent: undefined,
  });
});

test("`buildTree()` orders children by age, then by id", () => {
  const child = (id: string, createdAt?: string): ThreadSketch => ({ id, parentId: "main", createdAt });
  const tree = sketchTree(MAIN, child("b", "2026-02-01T00:00:00.000Z"), child("z", "2026-01-01T00:00:00.000Z"));
  expect(tree.children.get("main")?.map(({ id }) => id as string)).toEqual(["z", "b"]);
  const same = sketchTree(MAIN, child("b"), child("a"), child("c", "2026-01-01T00:00:00.000Z"));
  expect(same.children.get("main")?.map(({ id }) => id as string)).toEqual(["a", "b", "c"]);
});

test("`chainOf()` gives the sound part below a missing parent and names both", () => {
  const tree = sketchTree(MAIN, { id: "auth", parentId: "backend" }, { id: "ui", parentId: "auth" });
  const { threads, missingParent } = chainOf(tree, threadIn(tree, "ui"));
  expect(threads.map(({ id }) => id as string)).toEqual(["auth", "ui"]);
  expect(missingParent).toEqual({ parent: "backend", namedBy: threadIn(tree, "auth").id });
});

test("`chainOf()` ends at an unreadable parent, whose own parent nobody knows", () => {
  const unreadable: ThreadSketch = { id: "auth", parentId: "backend", fault: sketchFault("auth.md") };
  const tree = sketchTree(MAIN, unreadable, { id: "ui", parentId: "auth" });
  const { threads, missingParent } = chainOf(tree, threadIn(tree, "ui"));
  expect([threads.map(({ id }) => id as string), missingParent]).toEqual([["auth", "ui"], undefined]);
});

test("`chainOf()` names the threads of a loop in order", () => {
  const cases: readonly (readonly [readonly ThreadSketch[], string, string])[] = [
    [[{ id: "a", parentId: "a" }], "a", "a → a"],
    [[{ id: "a", parentId: "A" }], "a", "a → a"],
    [[sketch("a", "b"), sketch("b", "c"), sketch("c", "a")], "a", "a → b → c → a"],
    [[sketch("a", "b"), sketch("b", "c"), sketch("c", "b")], "a", "b → c → b"],
  ];
  for (const [sketches, id, loop] of cases) {
    const tree = sketchTree(MAIN, ...sketches);
    const error = errorOf(() => chainOf(tree, threadIn(tree, id)));
    expect([error.code, error.message]).toEqual([
      "parent-loop",
      `Cannot follow the parents of ${id}: they form a loop (${loop}).`,
    ]);
    const first = loop.split(" ")[0];
    expect(error.hint).toBe(`Correct the parentId in one of their files, e.g. .threadmind/threads/app/${first}.md.`);
  }
});

test("`chainOf()` names the first twenty threads of a long loop", () => {
  const loop = Array.from({ length: 1000 }, (_, at) => sketch(`t${at}`, `t${(at + 1) % 1000}`));
  const tree = sketchTree(MAIN, ...loop);
  const { message } = errorOf(() => chainOf(tree, threadIn(tree, "t0")));
  expect(message).toEndWith("t18 → t19 → 980 more threads → t0).");
  expect(message.length).toBeLessThan(300);
});

test("`findLoop()` starts at the least id, wherever it is asked from", () => {
  const tree = sketchTree(MAIN, sketch("x", "c"), sketch("c", "b"), sketch("b", "a"), sketch("a", "c"));
  for (const id of ["x", "a", "b", "c"]) {
    expect(findLoop(tree, threadIn(tree, id)).map((thread) => thread.id as string)).toEqual(["a", "c", "b"]);
  }
  expect(findLoop(tree, threadIn(tree, "main"))).toEqual([]);
});

test("`soundChainOf()` ends where the parents form a loop", () => {
  const tree = sketchTree(MAIN, sketch("x", "a"), sketch("a", "b"), sketch("b", "a"));
  expect(soundChainOf(tree, threadIn(tree, "x")).map(({ id }) => id as string)).toEqual(["b", "a", "x"]);
});

test("`chainOf()` and `getThread()` manage 10,000 threads below each other", () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => ({ id: at === 0 ? "main" : `t${at}` }));
  const tree = sketchChain(...ids);
  expect(chainOf(tree, getThread(tree, "T9999")).threads.map(({ id }) => id as string)).toEqual(
    ids.map(({ id }) => id),
  );
});

test("`getThread()` finds what was typed without case and normalisation", () => {
  const tree = sketchTree(MAIN, { id: "cafe\u0301" }, { id: "認証" });
  for (const typed of ["café", "CAFÉ", "app/Cafe\u0301"]) expect<string>(getThread(tree, typed).id).toBe("cafe\u0301");
  expect<string>(getThread(tree, "認証").id).toBe("認証");
});

test("`getThread()` says when two ids differ only in case, and takes the very one", () => {
  const tree = sketchTree(MAIN, { id: "Auth" }, { id: "auth" });
  expect<string>(getThread(tree, "Auth").id).toBe("Auth");
  const error = errorOf(() => getThread(tree, "AUTH"));
  expect([error.code, error.message, error.hint]).toEqual([
    "ambiguous-id",
    'Cannot tell which thread "AUTH" is: Auth, auth differ only in case or normalisation.',
    "Type the id exactly.",
  ]);
});

test("`findThread()` finds one thread or none", () => {
  const tree = sketchTree(MAIN, { id: "Auth" }, { id: "auth" }, { id: "café" });
  const cases = [
    ["MAIN", "main"],
    ["auth", "auth"],
    ["CAFE\u0301", "café"],
    ["AUTH", undefined],
    ["caf", undefined],
    ["../x", undefined],
  ] as const;
  for (const [id, found] of cases) expect<string | undefined>(findThread(tree, id)?.id).toBe(found);
});

test("`getThread()` suggests the nearest ids, or where to see them all", () => {
  const tree = sketchTree(MAIN, { id: "auth" }, { id: "auth-ui" });
  const near = errorOf(() => getThread(tree, "app/auht"));
  expect([near.code, near.message, near.hint]).toEqual([
    "unknown-thread",
    'Cannot find the thread "app/auht": this project has no such thread.',
    "Did you mean auth?",
  ]);
  expect(errorOf(() => getThread(tree, "payment")).hint).toStartWith("See thread_list");
  expect(errorOf(() => getThread(tree, "../../../notes")).code).toBe("unknown-thread");
});

test("`nearestOpen()` passes over finished and unreadable threads", () => {
  const done: ThreadSketch = { id: "auth", status: "done" };
  const tree = sketchChain(MAIN, done, { id: "ui", status: "abandoned" }, { id: "form" });
  expect(["main", "auth", "ui", "form"].map((id) => nearestOpen(tree, threadIn(tree, id))?.id as string)).toEqual([
    ...["main", "main", "main", "form"],
  ]);
  const closed = sketchTree({ ...MAIN, status: "done" });
  expect(nearestOpen(closed, threadIn(closed, "main"))).toBeUndefined();
  expect(isOpen(sketchThread({ id: "x", fault: sketchFault("x.md") }))).toBe(false);
});

test("`linkedBranch()` is the nearest one on the way to the root", () => {
  const tree = sketchChain({ ...MAIN, branch: "main" }, { id: "auth", branch: "feature/auth" }, { id: "ui" });
  expect(["main", "auth", "ui"].map((id) => linkedBranch(tree, threadIn(tree, id)))).toEqual([
    ...["main", "feature/auth", "feature/auth"],
  ]);
  const unlinked = sketchTree(MAIN);
  expect(linkedBranch(unlinked, threadIn(unlinked, "main"))).toBeUndefined();
});

test("`threadOfBranch()` is the open thread updated last, whatever its date looks like", () => {
  const on = (id: string, updatedAt: string | undefined, status: "open" | "done" = "open"): ThreadSketch => ({
    ...{ id, updatedAt, status, branch: "feature/auth" },
  });
  const tree = sketchTree(
    ...[MAIN, on("old", "2026-04-15T10:00:00.000Z"), on("new", "2026-04-15T09:00:00-02:00"), on("dateless", undefined)],
    ...[on("done", "2027-01-01T00:00:00.000Z", "done"), { id: "other", branch: "feature/Auth" }],
  );
  expect<string | undefined>(threadOfBranch(tree, "feature/auth")?.id).toBe("new");
  expect(threadOfBranch(tree, "feature")).toBeUndefined();
});

test("`byNewest()` orders by last update, then by id, those without a date last", () => {
  const dated = (id: string, updatedAt?: string) => sketchThread({ id, updatedAt });
  const [newest, older] = ["2026-05-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z"];
  const threads = [dated("z"), dated("y", older), dated("b", newest), dated("a", newest), dated("x", "soon")];
  expect(threads.sort(byNewest).map(({ id }) => id as string)).toEqual(["a", "b", "y", "x", "z"]);
});

test("`takenKeys()` holds every id as it is compared", () => {
  expect(takenKeys(sketchTree(MAIN, { id: "CAFÉ" }))).toEqual(new Set(["main", "café"]));
});

function sketch(id: string, parentId: string): ThreadSketch {
  return { id, parentId };
}

function errorOf(action: () => unknown): ThreadMindError {
  try {
    action();
  } catch (error) {
    if (error instanceof ThreadMindError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
