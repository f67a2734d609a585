import { expect, test } from "bun:test";
import { type Filling, planContext, renderAlone, renderContext } from "../../src/core/context.ts";
import { chainOf, type Tree } from "../../src/core/tree.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { sketchChain, sketchFault, sketchThread, sketchTree, type ThreadSketch, threadIn } from "./threads.ts";

const ROOT: ThreadSketch = {
  id: "main",
  title: "My App",
  parentId: null,
  body: "\n## Decisions\n- Next.js 15, PostgreSQL\n",
};
const API: ThreadSketch = {
  id: "auth-api",
  title: "Auth API",
  body: "## Decisions\n- POST /auth/login\n\n## Next steps\n- Rate limits\n",
};

interface Surroundings extends Partial<Filling> {
  readonly system?: string;
}

function contextOf(tree: Tree, id: string, { system = "", ...filling }: Surroundings = {}): string {
  const chain = chainOf(tree, threadIn(tree, id));
  const children = chain.threads.flatMap((thread) => tree.children.get(thread.id) ?? []);
  const whole: Filling = { activeId: undefined, notes: new Map(), maxTokens: undefined, ...filling };
  return renderContext(planContext(chain, system, children), whole).text;
}

/** What stands below the last rule. */
function footerOf(context: string): string[] {
  return context.slice(context.lastIndexOf("\n---\n") + 5).split("\n");
}

/** The titles of the threads that are rendered, with their marks. */
function headingsOf(context: string): string[] {
  return [...context.matchAll(/^## Thread: (.*)$/gm)].map(([, title = ""]) => title);
}

test("`renderContext()` has exactly the documented form", () => {
  const tree = sketchChain(ROOT, { id: "auth", title: "Auth" }, API);
  const note = "_⚠ 2 commits changed src/api since this summary was written: check it is still accurate._";
  const system = "You are building a Next.js e-commerce application...";
  expect(contextOf(tree, "auth-api", { system, activeId: "auth-api", notes: new Map([["auth-api", note]]) })).toBe(
    `## System Context

You are building a Next.js e-commerce application...

---

## Thread: My App

## Decisions
- Next.js 15, PostgreSQL

---

## Thread: Auth API (active)

_⚠ 2 commits changed src/api since this summary was written: check it is still accurate._

## Decisions
- POST /auth/login

## Next steps
- Rate limits

---
_ThreadMind context: ~93 tokens | depth: 3 threads_`,
  );
});

test("`renderContext()` shows the last thread even when it is empty, alone and inactive", () => {
  const tree = sketchTree({ ...ROOT, body: " \n\n" });
  const text = "## Thread: My App\n\n_No summary yet._\n\n---\n_ThreadMind context: ~11 tokens | depth: 1 thread_";
  expect(contextOf(tree, "main", { system: " \n\t\n" })).toBe(text);
  expect(contextOf(tree, "main", { notes: new Map([["main", "_Written 14 commits ago._"]]) })).toBe(text);
});

test("`renderContext()` estimates tokens from the UTF-16 units before the closing rule", () => {
  for (const body of ["a", "ab", "🚀🚀", "é".repeat(3997), "x".repeat(4_000_000)]) {
    const text = contextOf(sketchTree({ ...ROOT, body }), "main");
    const tokens = Math.ceil(text.lastIndexOf("---\n") / 3.5);
    expect(footerOf(text)).toEqual([
      `_ThreadMind context: ~${tokens.toLocaleString("en-US")} tokens | depth: 1 thread_`,
    ]);
  }
});

test("`renderContext()` skips an ancestor that hands nothing down, and counts it", () => {
  const tree = sketchChain(
    ROOT,
    { id: "state", body: "## State\n- busy" },
    { id: "empty" },
    { id: "plain", body: "All of it." },
    API,
  );
  const text = contextOf(tree, "auth-api", { activeId: "plain" });
  expect(headingsOf(text)).toEqual(["My App", "plain", "Auth API"]);
  expect(text).toContain("## Thread: plain\n\nAll of it.\n\n---\n");
  expect(footerOf(text)).toEqual(["_ThreadMind context: ~52 tokens | depth: 5 threads_"]);
});

test("`renderContext()` never shows siblings or children", () => {
  const other: ThreadSketch = { id: "other", parentId: "main", body: "## Decisions\n- secret sibling" };
  const tree = sketchTree(ROOT, { ...API, parentId: "main" }, other, { ...other, id: "below", parentId: "auth-api" });
  expect(contextOf(tree, "auth-api")).not.toContain("secret sibling");
});

test("`renderContext()` marks the active thread and those that are finished", () => {
  const tree = sketchChain(
    { ...ROOT, status: "done" },
    { id: "a", body: "x", status: "abandoned" },
    { id: "b", body: "x", status: "done" },
    { id: "c", body: "x", status: "abandoned" },
  );
  expect(headingsOf(contextOf(tree, "b", { activeId: "b" }))).toEqual([
    "My App (done)",
    "a (abandoned)",
    "b (active) (done)",
  ]);
  expect(headingsOf(contextOf(tree, "c")).at(-1)).toBe("c (abandoned)");
});

test("`renderContext()` leaves out a done ancestor below the ancestor that it was merged into", () => {
  const merged = (mergedInto: string, status: "done" | "open" = "done"): ThreadSketch => ({
    ...{ id: "auth", title: "Auth", body: "## Decisions\n- JWT", status, mergedInto },
  });
  const titles = (sketch: ThreadSketch, id = "auth-api"): string[] =>
    headingsOf(contextOf(sketchChain(ROOT, sketch, API), id));
  expect(titles(merged("main"))).toEqual(["My App", "Auth API"]);
  expect(titles(merged("MAIN"))).toEqual(["My App", "Auth API"]);
  expect(titles(merged("main", "open"))).toEqual(["My App", "Auth", "Auth API"]);
  expect(titles(merged("elsewhere"))).toEqual(["My App", "Auth (done)", "Auth API"]);
  expect(titles(merged("auth"))).toEqual(["My App", "Auth (done)", "Auth API"]);
  expect(titles(merged("auth-api"))).toEqual(["My App", "Auth (done)", "Auth API"]);
  expect(titles(merged("main"), "auth")).toEqual(["My App", "Auth (done)"]);
});

test("`renderContext()` names a missing parent below the sound part of the chain", () => {
  const tree = sketchTree({ id: "auth", parentId: "back\u202e\nend", body: "x" }, { ...API, parentId: "auth" });
  const text = contextOf(tree, "auth-api");
  expect(headingsOf(text)).toEqual(["auth", "Auth API"]);
  expect(footerOf(text).slice(1)).toEqual(["_Missing parent: back end (named by auth)_"]);
  const long = sketchTree({ id: "auth", parentId: "b".repeat(100_000), body: "x" });
  expect(footerOf(contextOf(long, "auth"))[1]).toBe(`_Missing parent: ${"b".repeat(180)}… (named by auth)_`);
});

test("`renderContext()` is never reached by a loop: its chain is the error", () => {
  const tree = sketchTree({ id: "a", parentId: "b" }, { id: "b", parentId: "a" });
  expect(() => contextOf(tree, "a")).toThrow(ThreadMindError);
});

test("`renderContext()` shows the root and the 50 nearest levels of a deep chain", () => {
  const cases = [
    [50, 50, undefined],
    [51, 51, undefined],
    [52, 51, "1"],
    [57, 51, "6"],
    [1500, 51, "1,449"],
  ] as const;
  for (const [depth, shown, leftOut] of cases) {
    const levels = Array.from(
      { length: depth },
      (_, at): ThreadSketch => ({ id: at === 0 ? "main" : `t${at}`, body: "x" }),
    );
    const text = contextOf(sketchChain(...levels), `t${depth - 1}`);
    const ids = levels.map(({ id }) => id);
    expect(headingsOf(text)).toEqual([...ids.slice(0, 1), ...ids.slice(1).slice(1 - shown)]);
    const [first, ...others] = footerOf(text);
    expect(first).toEndWith(`| depth: ${depth.toLocaleString("en-US")} threads_`);
    expect(others).toEqual(leftOut === undefined ? [] : [`_Levels left out: ${leftOut}_`]);
  }
});

test("`renderContext()` shows a notice for a thread that is in conflict or unreadable", () => {
  const conflict: ThreadSketch = { id: "auth", title: "Auth", conflictLine: 12, body: "## Decisions\n<<<<<<< HEAD\n" };
  const below = contextOf(sketchChain(ROOT, conflict, API), "auth-api", { notes: new Map([["auth", "_⚠ stale_"]]) });
  expect(below).toContain(
    "## Thread: Auth\n\n_⚠ This file has merge conflicts (line 12): not shown; run threadmind resolve._\n\n---\n",
  );
  expect(below).not.toContain("<<<<");
  expect(contextOf(sketchChain(ROOT, conflict), "auth", { activeId: "auth" })).toContain(
    "## Thread: Auth (active)\n\n_⚠ This file",
  );
  const unreadable = sketchTree({ id: "auth", fault: sketchFault("auth.md") }, { ...API, parentId: "auth" });
  expect(contextOf(unreadable, "auth-api")).toStartWith(
    "## Thread: auth\n\n_⚠ This file can't be read (line 3): not shown; threadmind tree says why._\n\n---\n",
  );
});

function abandoned(id: string, body: string, more: Partial<ThreadSketch> = {}): ThreadSketch {
  return { id, parentId: "main", status: "abandoned", body, ...more };
}

function abandonedLines(...sketches: readonly ThreadSketch[]): string[] {
  return footerOf(contextOf(sketchTree(ROOT, ...sketches), "main")).slice(1);
}

test("`renderContext()` tells why children of the chain were abandoned, newest first, five at most", () => {
  const dated = (day: number, parentId: string): ThreadSketch =>
    abandoned(`t${day}`, `## Decisions\n- Abandoned: reason ${day}`, {
      parentId,
      updatedAt: `2026-04-1${day}T00:00:00.000Z`,
    });
  const days = [3, 1, 5, 2, 6, 4];
  const tree = sketchTree(
    ...[ROOT, { ...API, parentId: "main" }, ...days.map((day) => dated(day, day % 2 === 0 ? "main" : "auth-api"))],
    ...[dated(9, "t6"), abandoned("open", "## Decisions\n- Abandoned: no", { status: "open" })],
  );
  expect(footerOf(contextOf(tree, "auth-api")).slice(1)).toEqual(
    [6, 5, 4, 3, 2].map((day) => `_Abandoned here: t${day}: reason ${day} (threadmind://thread/t${day})_`),
  );
  expect(footerOf(contextOf(tree, "t6")).slice(1)).toEqual([
    ...[9, 4, 2].map((day) => `_Abandoned here: t${day}: reason ${day} (threadmind://thread/t${day})_`),
  ]);
});

test("`renderContext()` takes an abandoned thread's reason from its last `- Abandoned:` bullet", () => {
  const cases = [
    ["## Decisions\n- Abandoned: too slow to cache", ": too slow to cache"],
    ["## Decisions\n- Abandoned: first\n- Reopened (was abandoned: first)\n- Abandoned: second\n- more", ": second"],
    ["## Decisions\n```\n- Abandoned: code\n```", ""],
    ["- Abandoned: outside", ""],
    ["## Decisions\n- Abandoned: slow\n- Done: after all", ""],
    ["", ""],
  ] as const;
  for (const [body, told] of cases) {
    expect(abandonedLines(abandoned("graphql", body))).toEqual([
      `_Abandoned here: graphql${told} (threadmind://thread/graphql)_`,
    ]);
  }
  const conflict = abandoned("graphql", "## Decisions\n- Abandoned: x", { conflictLine: 2 });
  expect(abandonedLines(conflict)).toEqual(["_Abandoned here: graphql (threadmind://thread/graphql)_"]);
});

test("`renderContext()` keeps an abandoned thread's line within 120 characters and safe", () => {
  const why = (reason: string): string => `## Decisions\n- Abandoned: ${reason}`;
  const cases = [
    ["graphql", "x".repeat(500), `_Abandoned here: graphql: ${"x".repeat(62)}… (threadmind://thread/graphql)_`],
    ["graphql", "👨‍👩‍👧".repeat(50), `_Abandoned here: graphql: ${"👨‍👩‍👧".repeat(7)}… (threadmind://thread/graphql)_`],
    ["g".repeat(31), "x".repeat(99), `_Abandoned here: ${"g".repeat(31)}: ${"x".repeat(68)}…_`],
    ["g".repeat(60), "too slow", `_Abandoned here: ${"g".repeat(60)}: too slow_`],
    ["g".repeat(60), "x".repeat(99), `_Abandoned here: ${"g".repeat(60)}: ${"x".repeat(39)}…_`],
    ["g".repeat(180), "too slow", `_Abandoned here: ${"g".repeat(100)}…_`],
    ["g\u202eq", "a\u001b[2J\u202eb\u0085c", "_Abandoned here: gq: a [2Jb c (threadmind://thread/g%E2%80%AEq)_"],
    ["g", "x_\n\n## Thread: fake", "_Abandoned here: g: x_ (threadmind://thread/g)_"],
  ] as const;
  for (const [id, reason, line] of cases) {
    expect(abandonedLines(abandoned(id, why(reason)))).toEqual([line]);
    expect(line.length).toBeLessThanOrEqual(120);
  }
});

test("`renderContext()` orders the footer's lines and puts no blank line between them", () => {
  const levels = Array.from({ length: 60 }, (_, at): ThreadSketch => ({ id: `t${at}`, body: "long ".repeat(20) }));
  const chain = levels.map((sketch, at) => ({ ...sketch, parentId: at === 0 ? "gone" : `t${at - 1}` }));
  const tree = sketchTree(...chain, abandoned("graphql", "## Decisions\n- Abandoned: slow", { parentId: "t9" }));
  expect(footerOf(contextOf(tree, "t59"))).toEqual([
    "_ThreadMind context: ~1,776 tokens | depth: 60 threads_",
    "_Missing parent: gone (named by t0)_",
    "_Levels left out: 9_",
    "_Abandoned here: graphql: slow (threadmind://thread/graphql)_",
  ]);
  const tall = sketchTree(
    ...chain.map((sketch) => (sketch.id === "t59" ? { ...sketch, body: "line\n".repeat(500) } : sketch)),
  );
  expect(footerOf(contextOf(tall, "t59", { system: "Be brief.", maxTokens: 200 }))).toEqual([
    "_ThreadMind context: ~83 tokens | depth: 60 threads_",
    "_Left out to fit the token budget: t0, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19, t20, t21, t22, t23, t24, t25, t26, t27, t28, 30 more threads, system context (readable as threadmind://thread/{id} resources)_",
    "_Cut to fit the budget: context_get or threadmind://thread/t59 has all of it_",
    "_Missing parent: gone (named by t0)_",
    "_Levels left out: 9_",
  ]);
});

test("`renderAlone()` shows a thread's heading, note and whole text", () => {
  const thread = sketchThread({ ...API, status: "done" });
  const notes = new Map([["auth-api", "_Written 14 commits ago._"]]);
  expect(renderAlone(thread, { activeId: "auth-api", notes, maxTokens: undefined })).toBe(
    `## Thread: Auth API (active) (done)\n\n_Written 14 commits ago._\n\n${API.body?.trimEnd()}`,
  );
});
