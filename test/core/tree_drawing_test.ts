import { expect, test } from "bun:test";
import type { Thread, Tree } from "../../src/core/tree.ts";
import { type DrawingOptions, drawTree } from "../../src/core/tree_drawing.ts";
import { sketchChain, sketchFault, sketchTree, type ThreadSketch, threadIn } from "./threads.ts";

const MAIN: ThreadSketch = { id: "main", title: "My App", parentId: null };

function draw(tree: Tree, options: Partial<DrawingOptions> = {}): string {
  return drawTree(tree, { activeId: undefined, showAuthors: false, ...options });
}

function child(id: string, more: Omit<Partial<Thread>, "id"> = {}): ThreadSketch {
  return { id, parentId: "main", ...more };
}

function drawTops(...sketches: readonly ThreadSketch[]): string[] {
  return draw(sketchTree(MAIN, ...sketches))
    .split("\n")
    .slice(1);
}

test("`drawTree()` draws branches, statuses and the active thread as documented", () => {
  const tree = sketchTree(
    MAIN,
    child("auth", { title: "Auth", branch: "feature/auth", createdAt: "2026-01-01" }),
    child("dashboard", { title: "Dashboard", status: "abandoned", createdAt: "2026-01-02" }),
    { id: "auth-ui", title: "Auth UI", parentId: "auth", createdAt: "2026-01-03" },
    {
      id: "auth-api",
      title: "Auth API",
      parentId: "auth",
      createdAt: "2026-01-04",
      status: "done",
      mergedInto: "auth",
    },
  );
  expect(draw(tree, { activeId: "auth-ui" })).toBe(`main
├── auth [feature/auth]
│   ├── auth-ui ← active
│   └── auth-api ✓ merged into auth
└── dashboard ✗ abandoned`);
});

test("`drawTree()` tells a thread that is done without a merge, and takes a merge only for done ones", () => {
  expect(
    drawTops(
      child("a", { status: "done" }),
      child("b", { mergedInto: "main" }),
      child("c", { status: "abandoned", mergedInto: "main" }),
    ),
  ).toEqual(["├── a ✓ done", "├── b", "└── c ✗ abandoned"]);
});

test("`drawTree()` shows authors where they are asked for", () => {
  const tree = sketchTree(
    { ...MAIN, author: "sam-3039" },
    child("auth", { author: "kim-17aa", branch: "x" }),
    child("b"),
  );
  expect(draw(tree, { showAuthors: true })).toBe("main (sam-3039)\n├── auth [x] (kim-17aa)\n└── b");
  expect(draw(tree)).toBe("main\n├── auth [x]\n└── b");
});

test("`drawTree()` shows a title that the id doesn't tell", () => {
  const cases = [
    ["auth", "Auth", ""],
    ["auth-2", "Auth", ""],
    ["cafe-strasse-2-x", 'Café: Straße #2 – "x"', ""],
    ["認証-2", "認証", ""],
    ["con-thread", "CON", ""],
    [`${"x".repeat(58)}-2`, "x".repeat(90), ""],
    ["Legacy Id", "legacy id", ""],
    ["thread", "🚀", ' "🚀"'],
    ["thread-2", "!!!", ' "!!!"'],
    ["auth", "Login", ' "Login"'],
    ["abandoned-ideas", "A", ' "A"'],
    ["auth-2", "Authorisation", ' "Authorisation"'],
    ["q3", "Q3 plan\nparentId: null", ' "Q3 plan parentId: null"'],
  ] as const;
  for (const [id, title, shown] of cases) expect(drawTops(child(id, { title }))).toEqual([`└── ${id}${shown}`]);
});

test("`drawTree()` marks conflicts, unreadable files, orphans and further roots", () => {
  const tree = sketchTree(
    MAIN,
    child("api", { conflictLine: 12, status: "done" }),
    { id: "zoo", title: "Second root", parentId: null },
    { id: "lost", parentId: "backend" },
    { id: "lost-ui", parentId: "lost" },
    { id: "bad", fault: sketchFault("bad.md") },
    { id: "bad-ui", parentId: "bad" },
  );
  expect(draw(tree, { activeId: "lost" })).toBe(`main
└── api ✓ done ⚠ merge conflicts (line 12)
bad ⚠ can't be read
└── bad-ui
lost ← active ⚠ parent backend is missing
└── lost-ui
zoo "Second root"`);
});

test("`drawTree()` draws a loop once, from its least id, with what hangs on it", () => {
  expect(
    drawTops(
      ...[child("x", { parentId: "b" }), child("c", { parentId: "b" }), child("b", { parentId: "a" })],
      ...[child("a", { parentId: "c" }), child("self", { parentId: "self" })],
    ),
  ).toEqual(["a ⚠ its parents form a loop", "└── b", "    ├── c", "    └── x", "self ⚠ its parents form a loop"]);
});

test("`drawTree()` draws only what is below a thread where one is given", () => {
  const tree = sketchTree(
    MAIN,
    child("auth"),
    { id: "auth-ui", parentId: "auth" },
    child("b"),
    child("x", { parentId: "x" }),
  );
  expect(draw(tree, { under: threadIn(tree, "auth") })).toBe("auth\n└── auth-ui");
  expect(draw(tree, { under: threadIn(tree, "x") })).toBe("x");
});

test("`drawTree()` lets no escape sequence, line break or bidirectional override through", () => {
  const hostile = "a\u001b[31m\u202eb\u2066\r\nc\u009b\u2028d";
  const tree = sketchTree(
    MAIN,
    { id: "evil\u202eid", parentId: "main", title: hostile, branch: hostile, author: hostile },
    child("merged", { status: "done", mergedInto: hostile }),
    { id: "lost", parentId: hostile },
  );
  const drawn = draw(tree, { showAuthors: true });
  expect(drawn).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
  expect(drawn.split("\n")).toEqual([
    "main",
    '├── evilid "a [31mb c d" [a [31mb c d] (a [31mb c d)',
    "└── merged ✓ merged into a [31mb c d",
    "lost ⚠ parent a [31mb c d is missing",
  ]);
});

const finished = (count: number, parentId: string, prefix: string): ThreadSketch[] =>
  Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, parentId, status: "done" as const }));

test("`drawTree()` folds finished subtrees into their count past 200 lines", () => {
  const open = [child("open"), child("kept", { status: "done" }), { id: "kept-open", parentId: "kept" }];
  const small = sketchTree(MAIN, ...open, ...finished(196, "main", "d"));
  expect(draw(small).split("\n")).toHaveLength(200);
  const large = sketchTree(MAIN, ...open, ...finished(1200, "main", "d"), ...finished(34, "d7", "below-d7-"));
  expect(draw(large)).toBe(`main
├── kept ✓ done
│   └── kept-open
├── open
└── … 1,234 finished (all: true shows them)`);
  expect(draw(large, { all: true }).split("\n")).toHaveLength(1238);
});

test("`drawTree()` folds no finished thread that the active one is or hangs on", () => {
  const tree = sketchTree(MAIN, ...finished(300, "main", "d"), ...finished(2, "d7", "deep"));
  expect(draw(tree, { activeId: "deep1" })).toBe(`main
├── d7 ✓ done
│   ├── deep1 ✓ done ← active
│   └── … 1 finished (all: true shows them)
└── … 299 finished (all: true shows them)`);
});

test("`drawTree()` counts the lines of what it draws, not of the whole tree", () => {
  const tree = sketchTree(MAIN, child("auth"), ...finished(2, "auth", "auth-"), ...finished(300, "main", "d"));
  expect(draw(tree, { under: threadIn(tree, "auth") })).toBe("auth\n├── auth-0 ✓ done\n└── auth-1 ✓ done");
});

test("`drawTree()` draws 50 levels and counts what is deeper", () => {
  const ids = Array.from({ length: 10_000 }, (_, at): ThreadSketch => ({ id: at === 0 ? "main" : `t${at}` }));
  const tree = sketchChain(...ids);
  for (const all of [false, true]) {
    const lines = draw(tree, { activeId: "t9999", all }).split("\n");
    expect(lines).toHaveLength(51);
    expect(lines[49]).toBe(`${"    ".repeat(48)}└── t49`);
    expect(lines[50]).toBe(
      `${"    ".repeat(49)}└── … 9,950 threads deeper, t9999 ← active among them (threadId: t49 shows them)`,
    );
  }
  const below = draw(tree, { under: threadIn(tree, "t9960") }).split("\n");
  expect([below[0], below.at(-1)?.trim()]).toEqual(["t9960", "└── t9999"]);
});

test("`drawTree()` takes time in proportion to the threads, whatever their shape", () => {
  const count = 10_000;
  const id = (at: number): string => (at === 0 ? "main" : `t${at}`);
  const parents: Record<string, (at: number) => number> = {
    chain: (at) => at - 1,
    flat: () => 0,
    pairs: (at) => (at - 1) >> 1,
    combs: (at) => (at % 100 === 0 ? 0 : at - 1),
  };
  for (const [shape, parent] of Object.entries(parents)) {
    for (const status of ["open", "done"] as const) {
      const sketches = Array.from({ length: count }, (_, at): ThreadSketch => {
        const isLast = at === count - 1;
        return {
          id: id(at),
          title: `Thread ${at}`,
          parentId: at === 0 ? null : id(parent(at)),
          status: isLast ? "open" : status,
        };
      });
      const tree = sketchTree(...sketches);
      const started = performance.now();
      const drawn = draw(tree);
      const spent = performance.now() - started;
      if (spent > 1000) throw new Error(`${shape}, ${status}: ${spent} ms`);
      expect(drawn.length).toBeLessThan(count * 300);
    }
  }
});
