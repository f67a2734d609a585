import { expect, test } from "bun:test";
import { type Context, type Filling, LEAST_TOKENS, type Plan, renderContext } from "../../src/core/context.ts";
import { estimateTokens, unitsFor } from "../../src/core/tokens.ts";
import { findFault, planOf, randomCase } from "./context_fitting.ts";
import { seeded } from "./seeded.ts";
import type { ThreadSketch } from "./threads.ts";

function fit(plan: Plan, maxTokens: number | undefined): Context {
  return renderContext(plan, { activeId: "auth", notes: new Map(), maxTokens });
}

/** The footer's lines that follow the first. */
function footerOf({ text }: Context): string[] {
  return text
    .slice(text.lastIndexOf("\n---\n") + 5)
    .split("\n")
    .slice(1);
}

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `- ${word} ${at + 1}`).join("\n");
const CHAIN: readonly ThreadSketch[] = [
  { id: "main", parentId: null, body: `## Decisions\n${lines(10, "root")}` },
  { id: "backend", parentId: "main", body: `## Decisions\n${lines(10, "backend")}` },
  { id: "auth", parentId: "backend", body: `## Decisions\n${lines(30, "auth")}` },
  { id: "a", parentId: "main", status: "abandoned", body: "## Decisions\n- Abandoned: slow", updatedAt: "2026-01-02" },
  { id: "b", parentId: "main", status: "abandoned", body: "## Decisions\n- Abandoned: dear", updatedAt: "2026-01-01" },
];

test("`renderContext()` drops abandoned lines, the farthest ancestors, the system context, then cuts", () => {
  const plan = planOf(CHAIN, "auth", "Be brief. ".repeat(12));
  const whole = fit(plan, undefined);
  const seen: string[] = [];
  for (let tokens = estimateTokens(whole.text.length) + 1; tokens >= LEAST_TOKENS; tokens--) {
    const { text, leftOut, isCut } = fit(plan, tokens);
    expect(estimateTokens(text.length)).toBeLessThanOrEqual(tokens);
    const abandoned = [...text.matchAll(/^_Abandoned here: (\w)/gm)].map(([, id]) => id).join("");
    const state = `${abandoned}|${leftOut.join()}|${isCut}`;
    if (seen.at(-1) !== state) seen.push(state);
  }
  expect(seen).toEqual([
    ...["ab||false", "a||false", "||false", "|main|false", "|main,backend|false"],
    ...["|main,backend,system context|false", "|main,backend,system context|true"],
  ]);
});

test("`renderContext()` names what it left out and where the rest of a cut text is", () => {
  const plan = planOf(CHAIN, "auth", "Be brief.");
  expect(footerOf(fit(plan, 150))).toEqual([
    "_Left out to fit the token budget: main, backend (readable as threadmind://thread/{id} resources)_",
  ]);
  const cut = fit(plan, 100);
  expect(cut.text).toBe(`## Thread: auth (active)

## Decisions
- auth 1
- auth 2
- auth 3
- auth 4
- auth 5
- auth 6

---
_ThreadMind context: ~27 tokens | depth: 3 threads_
_Left out to fit the token budget: main, backend, system context (readable as threadmind://thread/{id} resources)_
_Cut to fit the budget: context_get or threadmind://thread/auth has all of it_`);
  expect(cut.isCut).toBe(true);
  expect(footerOf(fit(plan, LEAST_TOKENS))).toEqual([
    "_Left out: main, backend, system context_",
    "_Cut to fit the budget: context_get has all of it_",
  ]);
});

test("`renderContext()` closes the fence, comment and tag that a cut leaves open", () => {
  const cases = [
    ["```sql\n", "\n```\n- after", "```"],
    ["~~~~\n", "\n~~~~\n- after", "~~~~"],
    ["<!--\n", "\n-->\n- after", "-->"],
    ["<details>\n\n", "\n\n</details>\n- after", "</details>"],
  ] as const;
  for (const [opening, closing, closer] of cases) {
    const body = `## Decisions\n${opening}${lines(200, "row")}${closing}`;
    const { text } = fit(planOf([{ id: "auth", parentId: null, body }], "auth"), 200);
    expect(text).toMatch(new RegExp(`\\n- row \\d+\\n${closer}\\n\\n---\\n_ThreadMind`));
    expect(text).not.toContain("after");
  }
});

/** The text of a thread as it is shown in a context of so many tokens. */
function shown(body: string, tokens: number): string {
  const { text } = fit(planOf([{ id: "auth", parentId: null, body }], "auth"), tokens);
  return /^## Thread: [^\n]*\n\n([\s\S]*)\n\n---\n_ThreadMind/.exec(text)?.[1] ?? "";
}

test("`renderContext()` cuts the first line that says something between grapheme clusters, and marks it", () => {
  for (const cluster of ["👨‍👩‍👧", "🇫🇷", "n\u0303\u0323", "한", "क्षि", "🚀", "x"]) {
    const body = `## Decisions\n${cluster.repeat(3000)}\nnext`;
    const lengths = new Set<number>();
    for (let tokens = 90; tokens < 110; tokens++) {
      const kept = shown(body, tokens).replace("## Decisions\n", "");
      const count = (kept.length - 1) / cluster.length;
      expect(kept).toBe(`${cluster.repeat(count)}…`);
      const { text } = fit(planOf([{ id: "auth", parentId: null, body }], "auth"), tokens);
      expect(unitsFor(tokens) - text.length).toBeLessThan(cluster.length);
      lengths.add(kept.length);
    }
    expect(lengths.size).toBeGreaterThan(2);
  }
});

const RULE = `Delete rows in batches of ten thousand, ${"each in a transaction of its own, ".repeat(3)}but NEVER in production`;

test("`renderContext()` ends at no place where a rule says the contrary of what it says whole, unmarked", () => {
  const words = RULE.split(" ");
  const wrapped = words.map((word, at) => (at === 0 ? word : at % 6 === 0 ? `\n  ${word}` : ` ${word}`)).join("");
  const bodies = [
    `- short one\n- ${RULE}`,
    `- short one\n- ${wrapped}`,
    `short one\n\n${wrapped.replaceAll("\n  ", "\n")}\n\nlast`,
    `- short one\n- Delete rows in batches\n  - of ten thousand\n\n  but NEVER in production, ${"where others read them ".repeat(4)}`,
    `## Decisions\n- ${RULE}\n- next`,
    RULE,
    `short one\n\n> ${wrapped.replaceAll("\n  ", "\n> ")}\n\nlast`,
  ];
  const ends = new Set<string>();
  for (const body of bodies) {
    for (let tokens = LEAST_TOKENS; tokens < 160; tokens++) {
      const kept = shown(body, tokens);
      const isMarked = kept.endsWith("…");
      const source = isMarked ? kept.slice(0, -1) : kept;
      expect([tokens, body.startsWith(source)]).toEqual([tokens, true]);
      const unit = source.slice(source.lastIndexOf("Delete"));
      const isTurned = source.includes("Delete") && !unit.includes("NEVER");
      expect([tokens, kept, isMarked]).toEqual([tokens, kept, isTurned]);
      ends.add(`${bodies.indexOf(body)} ${isMarked}`);
    }
  }
  expect([...ends].sort()).toEqual([
    "0 false",
    "1 false",
    "1 true",
    "2 false",
    "2 true",
    "3 false",
    "3 true",
    "4 false",
    "4 true",
    "5 false",
    "5 true",
    "6 false",
    "6 true",
  ]);
});

test("`renderContext()` marks no cut between two lines of code, headings or items", () => {
  const bodies = ["```\na\nb\n```\n", "- a\n- b\n", "1. a\n2. b\n", "> a\n>\n", "> - a\n", "## A\n\ntext\n\n"];
  for (const body of bodies) {
    for (let tokens = LEAST_TOKENS; tokens < 120; tokens++) expect(shown(body.repeat(99), tokens)).not.toContain("…");
  }
});

test("`renderContext()` cuts nothing without a budget", () => {
  const body = lines(100_000, "row");
  const { text, leftOut, isCut } = fit(
    planOf([...CHAIN, { id: "deep", parentId: "auth", body }], "deep", "Be brief."),
    undefined,
  );
  expect(text).toContain(`\n\n${body}\n\n---\n`);
  expect([leftOut, isCut]).toEqual([[], false]);
});

test("`renderContext()` drops neither ancestors nor text only to name very many ids", () => {
  const ids = Array.from({ length: 40 }, (_, at) => `${"long-id-".repeat(7)}${at}`);
  const chain = ids.map((id, at): ThreadSketch => ({ id, parentId: ids[at - 1] ?? null, body: "x ".repeat(99) }));
  const plan = planOf([...chain, { id: "auth", parentId: ids[39], body: lines(40, "row") }], "auth");
  const cases = [
    [300, 2],
    [800, 8],
  ] as const;
  for (const [tokens, shown] of cases) {
    const context = fit(plan, tokens);
    expect(context.isCut).toBe(false);
    expect(context.text.split("## Thread: ")).toHaveLength(shown + 1);
    expect(footerOf(context)[0]).toMatch(
      /^_Left out to fit the token budget: (?:long-id-)+0, .*\d+ more threads \(readable/,
    );
  }
});

test("`renderContext()` goes back no farther than to what fits with its closing fence or tag", () => {
  const bodies = ["- a\n```\nb\n```\n", "- a\n\n~~~~~~~~\nb\n\nc\n~~~~~~~~\n", "<details>\n\nb\n\n</details>\n\n"];
  for (const body of bodies) {
    const plan = planOf([{ id: "auth", parentId: null, body: body.repeat(99) }], "auth");
    const filling: Filling = { activeId: undefined, notes: new Map(), maxTokens: undefined };
    for (let maxTokens = 80; maxTokens < 200; maxTokens++) {
      const fault = findFault({ plan, filling }, renderContext(plan, { ...filling, maxTokens }), maxTokens);
      if (fault !== undefined) throw new Error(`${maxTokens} tokens: ${fault}`);
    }
  }
});

test("`renderContext()` fits random chains into every budget and drops nothing that would have fitted", () => {
  const random = seeded(20260417);
  for (let round = 0; round < 300; round++) {
    const { plan, filling } = randomCase(random);
    for (const maxTokens of [LEAST_TOKENS, LEAST_TOKENS + random.next(100), LEAST_TOKENS + random.next(4000)]) {
      const context = renderContext(plan, { ...filling, maxTokens });
      const fault = findFault({ plan, filling }, context, maxTokens);
      if (fault !== undefined) throw new Error(`round ${round}, ${maxTokens} tokens: ${fault}\n${context.text}`);
    }
  }
});

test("`renderContext()` takes time in proportion to a very long text", () => {
  const bodies = ["- a line of the summary\n", "x", "認", "🇫🇷", "```\ncode\n", "<div>\n"].map((unit) =>
    unit.repeat(Math.ceil(1_000_000 / unit.length)),
  );
  for (const body of bodies) {
    const started = performance.now();
    const plan = planOf([...CHAIN, { id: "deep", parentId: "auth", body }], "deep", "Be brief.");
    const planned = performance.now();
    for (const maxTokens of [LEAST_TOKENS, 10_000, 250_000]) fit(plan, maxTokens);
    const spent = performance.now() - planned;
    if (spent > 3000) throw new Error(`${body.slice(0, 9)}: ${spent} ms, after ${planned - started} ms of planning`);
  }
});
