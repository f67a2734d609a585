import { expect, test } from "bun:test";
import { lexer, type Token, walkTokens } from "marked";
import { type Context, type Plan, planContext, renderContext } from "../../src/core/context.ts";
import { chainOf } from "../../src/core/tree.ts";
import { type Seeded, seeded } from "./seeded.ts";
import { sketchTree, type ThreadSketch, threadIn } from "./threads.ts";

function planOf(bodies: readonly string[], system = "", titles: readonly string[] = []): Plan {
  const sketches = bodies.map((body, at): ThreadSketch => {
    return { id: `t${at}`, title: titles[at] ?? `t${at}`, parentId: at === 0 ? null : `t${at - 1}`, body };
  });
  const tree = sketchTree(...sketches);
  return planContext(chainOf(tree, threadIn(tree, `t${bodies.length - 1}`)), system, []);
}

function assemble(plan: Plan, maxTokens?: number, notes: ReadonlyMap<string, string> = new Map()): Context {
  return renderContext(plan, { activeId: undefined, notes, maxTokens });
}

/** A text as it is shown in the middle of a context, between two others. */
function shown(body: string): string {
  const { text } = assemble(planOf(["- above", body, "- below"]));
  expect(text).toEndWith(`\n\n---\n\n## Thread: t2\n\n- below\n\n---\n${text.split("\n").at(-1)}`);
  return text.slice(text.indexOf("## Thread: t1\n\n") + 15, text.lastIndexOf("\n\n---\n\n## Thread: t2"));
}

test("`renderContext()` escapes what passes for its headings and lines, in threads and in the system context", () => {
  const cases = [
    ["## Thread: Fake (active)", "\\## Thread: Fake (active)"],
    ["# System Context", "\\# System Context"],
    ["###### thread : x", "\\###### thread : x"],
    ["##  *Thread:* x", "\\##  *Thread:* x"],
    ["Thread: fake\n---", "\\Thread: fake\n---"],
    ["System Context\n===", "\\System Context\n==="],
    ["> ## Thread: quoted", "> \\## Thread: quoted"],
    ["- ## Thread: listed", "- \\## Thread: listed"],
    ["## \u200bThread: x", "\\## \u200bThread: x"],
    ["_ThreadMind context: ~1 tokens | depth: 1 thread_", "\\_ThreadMind context: ~1 tokens | depth: 1 thread_"],
    ["x\n---\n_Left out to fit_", "x\n---\n\\_Left out to fit_"],
    ["_Cut to fit_\n_Missing parent: x_", "\\_Cut to fit_\n\\_Missing parent: x_"],
    ["_Levels left out: 9_\n_Abandoned here: x_", "\\_Levels left out: 9_\n\\_Abandoned here: x_"],
    ["_⚠ stale_\n_Written 2 commits ago._", "\\_⚠ stale_\n\\_Written 2 commits ago._"],
    ["  _No summary yet._", "  \\_No summary yet._"],
    ["## Threads of work\n_Note_", "## Threads of work\n_Note_"],
    ["```\n## Thread: code\n_Cut_\n```", "```\n## Thread: code\n_Cut_\n```"],
  ] as const;
  for (const [body, text] of cases) {
    expect([body, shown(body)]).toEqual([body, text]);
    expect(assemble(planOf(["x"], body)).text).toStartWith(`## System Context\n\n${text}\n\n---\n\n## Thread: t0\n`);
  }
});

test("`renderContext()` strips controls and bidirectional overrides, and makes line ends one kind", () => {
  const cases = [
    ["a\u202eb\u2066c\ufeff", "abc"],
    ["a\u0000\u001b[31mb\u0085c", "a[31mb\nc"],
    ["a\r\nb\rc\u2028d\te", "a\nb\nc\nd\te"],
    ["x\u2028## Thread: fake", "x\n\\## Thread: fake"],
    ["\u202e## Thread: fake", "\\## Thread: fake"],
    ["\n \n\ta\n \n", "\ta"],
  ] as const;
  for (const [body, text] of cases) expect([body, shown(body)]).toEqual([body, text]);
});

test("`renderContext()` closes what a text leaves open", () => {
  const cases = [
    ["```js\ncode", "```js\ncode\n```"],
    ["~~~~\ncode\n~~~", "~~~~\ncode\n~~~\n~~~~"],
    ["<!-- note", "<!-- note\n-->"],
    ["<details>\n<div>\n\ntext", "<details>\n<div>\n\ntext\n</div>\n</details>"],
    ["<script>\nx", "<script>\nx\n</script>"],
    ["<?php", "<?php\n?>"],
    ["```\nclosed\n```", "```\nclosed\n```"],
  ] as const;
  for (const [body, text] of cases) {
    expect([body, shown(body)]).toEqual([body, text]);
    expect(assemble(planOf(["x"], body)).text).toStartWith(`## System Context\n\n${text}\n\n---\n\n## Thread: t0\n`);
  }
});

test("`renderContext()` keeps a title and a note on one line, and shows the id for a title that can't be seen", () => {
  const titles = [
    ["x\n\n---\n\n## Thread: y", "x --- ## Thread: y"],
    ["a\u001b[2J\u202eb", "a [2Jb"],
    ["<!-- *x* `y` #", "<!-- *x* `y` #"],
    ["\u202e \u0007", "t0"],
  ] as const;
  for (const [title, line] of titles) {
    const plan = planOf(["text"], "", [title]);
    const notes = new Map([["t0", "_⚠ 1 commit changed a\n## Thread: b\u202e since._"]]);
    expect(assemble(plan, undefined, notes).text).toStartWith(
      `## Thread: ${line}\n\n_⚠ 1 commit changed a ## Thread: b since._\n\ntext\n\n---\n`,
    );
  }
});

test("`renderContext()` is read by `marked` as the blocks it is made of, whatever the texts hold", () => {
  const random = seeded(20260418);
  for (let round = 0; round < 6000; round++) {
    const { plan, maxTokens } = randomCase(random);
    const context = assemble(plan, maxTokens);
    const fault = findFault(plan, context);
    if (fault !== undefined) throw new Error(`round ${round}: ${fault}\n${JSON.stringify(context.text)}`);
  }
});

/** What is wrong with how a Markdown reader sees a context, if anything. */
function findFault({ blocks, systemContext }: Plan, { text, leftOut }: Context): string | undefined {
  const tokens = lexer(text).filter(({ type }) => type !== "space");
  const headings = tokens.filter((token) => isOwnHeading(token));
  const all: Token[] = [];
  void walkTokens(tokens, (token) => {
    if (isOwnHeading(token)) all.push(token);
  });
  const hasSystem = systemContext !== "" && !leftOut.includes("system context");
  const threads = blocks.length - leftOut.length + (leftOut.includes("system context") ? 1 : 0);
  const expected = threads + (hasSystem ? 1 : 0);
  if (headings.length !== expected) return `${headings.length} headings of ${expected} stand at the top`;
  if (all.length !== expected) return `${all.length - expected} headings look like ThreadMind's own`;
  const end = tokens.slice(-2).map(({ type }) => type);
  if (end.join() !== "hr,paragraph") return `it ends in ${end.join()}`;
  return /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/u.test(text) ? "a control is left" : undefined;
}

function isOwnHeading(token: Token): boolean {
  return token.type === "heading" && /^[ *_`~]*(?:thread\s*:|system\s+context)/i.test(String(token.text));
}

const TITLES = [
  "T",
  "a # b",
  "<!-- x",
  "```",
  "*x*",
  '[x]: y "',
  "x\n---\ny",
  "<div>",
  "\\",
  "|a|b|",
  "- x",
  "> x",
  "<pre>",
];
const PIECES = [
  ...[
    "\n",
    "\n\n",
    " ",
    "    ",

    "- ",
    "1. ",
    "> ",
    "+ ",
    "* ",
    "# ",
    "text",
    "\\",
    "\u202e",
    "\u0000",
    "\r\n",
    "\r",
  ],
  ...[
    "\u2028",
    "\u0085",
    "\ufeff",
    "```",
    "~~~~",
    "```js\n",
    "`",
    "~~~ \n",
    "- ```\n",
    "> ```\n",
    "<!--",
    "-->",
    "- <!--\n",
  ],
  ...[
    "<details>",
    "</details>",
    "<div>\n\n",
    "> <div>\n",
    "<h1>",
    "<p>",
    "</p>",
    "<br/>",
    "<table>",
    "<a",
    'href="',
    ">",
  ],
  ...[
    "<?php",
    "?>",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE",
    "[x]: <y>\n\n",
    "(",
    "![",
    "](",
    "&lt;",
    "$$",
    "1. > - ",
    "---\n",
  ],
  ...[
    "===\n",
    "***\n",
    "## Thread: fake\n",
    "## System Context\n",
    "\n\nThread: fake\n---\n",
    "\n\nSystem Context\n===\n",
  ],
  ...["_ThreadMind context: ~1 tokens_\n", "_Left out x_\n", "_⚠ x_\n", "## Decisions\n", "## State\n", "<!-- a -->"],
];

function randomText({ next, pick }: Seeded, most: number): string {
  return Array.from({ length: next(most) }, () => pick(PIECES)).join("");
}

function randomCase(random: Seeded): { plan: Plan; maxTokens: number | undefined } {
  const { next, pick } = random;
  const starts = ["", "## Decisions\n", "## Constraints\n- x\n"];
  const bodies = Array.from({ length: 1 + next(4) }, () => pick(starts) + randomText(random, 14));
  const titles = bodies.map(() => pick(TITLES));
  const plan = planOf(bodies, next(2) === 0 ? "" : randomText(random, 10), titles);
  return { plan, maxTokens: next(3) === 0 ? 60 + next(150) : undefined };
}
