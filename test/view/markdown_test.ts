import { expect, test } from "bun:test";
import { parseInline, safeAddress } from "../../src/cli/view/inline.ts";
import { renderMarkdown } from "../../src/cli/view/markdown_nodes.ts";
import { HOSTILE } from "./workspaces.ts";

const INLINE: readonly (readonly [text: string, nodes: unknown])[] = [
  ["plain", ["plain"]],
  ["**bold** and *soft*, __b__ _i_", [["b", "bold"], " and ", ["i", "soft"], ", ", ["b", "b"], " ", ["i", "i"]]],
  ["~~gone~~", [["s", "gone"]]],
  ["**a *b* c**", [["b", "a ", ["i", "b"], " c"]]],
  ["`a * b` and ``x ` y``", [["code", "a * b"], " and ", ["code", "x ` y"]]],
  ["file_name_of.ts and 2 * 3 * 4", ["file_name_of.ts and 2 * 3 * 4"]],
  ["\\*not\\* \\_so\\_", ["*not* _so_"]],
  ["[a *b*](https://x.org/y)", [["a", "https://x.org/y", "a ", ["i", "b"]]]],
  ['[a](<https://x.org> "title")', [["a", "https://x.org", "a"]]],
  ["![a](https://x.org/i.png)", [["a", "https://x.org/i.png", "a"]]],
  ["[a](javascript:alert(1))", ["[a](javascript:alert(1))"]],
  ["[a](/relative) [b](file:///etc/passwd)", ["[a](/relative) [b](file:///etc/passwd)"]],
  [
    "see https://x.org/a.b. And <mailto:a@x.org>",
    ["see ", ["a", "https://x.org/a.b", "https://x.org/a.b"], ". And ", ["a", "mailto:a@x.org", "mailto:a@x.org"]],
  ],
  ["[https://a.org](https://b.org)", [["a", "https://b.org", "https://a.org"]]],
  ["<b>bold</b> &amp;", ["<b>bold</b> &amp;"]],
  ["** open *", ["** open *"]],
  ["`open", ["`open"]],
];

for (const [text, nodes] of INLINE)
  test(`\`parseInline()\` reads ${JSON.stringify(text)}`, () => expect(parseInline(text)).toEqual(nodes as never));

test("`parseInline()` loses no text, and is done in time however it is teased", () => {
  const textOf = (node: unknown): string =>
    typeof node === "string"
      ? node
      : Array.isArray(node)
        ? node
            .slice(node[0] === "a" ? 2 : 1)
            .map(textOf)
            .join("")
        : "";
  for (const piece of [
    "*",
    "**a",
    "_a ",
    "`",
    "``a",
    "[",
    "[a](",
    "[a](b",
    "![",
    "<",
    "http",
    "https://a",
    "~~",
    "\\",
    "a*b_c",
  ]) {
    const text = piece.repeat(20_000 / piece.length);
    const started = performance.now();
    const nodes = parseInline(text);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(nodes.map(textOf).join("").length).toBeGreaterThan(text.length / 4);
  }
});

test("`safeAddress()` lets http, https and mailto pass", () => {
  for (const address of ["https://x.org", "HTTP://x.org/a?b#c", "mailto:a@x.org"])
    expect(safeAddress(address)).toBe(address);
  const others = [
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc",
    "//x.org",
    "x",
    "",
    "https://",
    "https://a b",
    "https://x.org/\u0001",
    `https://x.org/${"a".repeat(3000)}`,
  ];
  for (const address of others) expect(safeAddress(address)).toBeUndefined();
});

test("`renderMarkdown()` reads blocks as nodes", () => {
  const text =
    "## Decisions\n\n- one\n- [x] two\n  - nested\n\n3. three\n\n> said\n\n```ts\nconst a = 1;\n```\n\n    indented\n\n---\n\n<div>raw</div>\n\nlast\nline";
  expect(renderMarkdown(text)).toEqual([
    ["h", 2, "Decisions"],
    ["ul", ["li", "one"], ["li", "☑ two", ["ul", ["li", "nested"]]]],
    ["ol", 3, ["li", "three"]],
    ["quote", ["p", "said"]],
    ["pre", "const a = 1;"],
    ["pre", "indented"],
    ["hr"],
    ["html", "<div>raw</div>"],
    ["p", "last\nline"],
  ]);
});

const TABLES: readonly (readonly [text: string, nodes: unknown])[] = [
  [
    "| a | **b** |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |",
    [["table", [null, "centre"], [["a"], [["b", "b"]]], [["1"], ["x | y"]], [["2"], []]]],
  ],
  ["a | b\n--: | ---\n1 | 2 | 3", [["table", ["end", null], [["a"], ["b"]], [["1"], ["2 | 3"]]]]],
  [
    "above\n| a |\n|---|\n| 1 |\n\nbelow",
    [
      ["p", "above"],
      ["table", [null], [["a"]], [["1"]]],
      ["p", "below"],
    ],
  ],
  ["- | a |\n  |---|\n  | 1 |", [["ul", ["li", ["table", [null], [["a"]], [["1"]]]]]]],
  ["| a |\n|---|", [["table", [null], [["a"]]]]],
  ["| a | b |\n|---|", [["p", "| a | b |\n|---|"]]],
  ["a | b\nc | d", [["p", "a | b\nc | d"]]],
  ["```\n| a |\n|---|\n```", [["pre", "| a |\n|---|"]]],
  [
    "| <img src=x onerror=alert(1)> |\n|---|\n| [x](javascript:a) |",
    [["table", [null], [["<img src=x onerror=alert(1)>"]], [["[x](javascript:a)"]]]],
  ],
];

for (const [text, nodes] of TABLES)
  test(`\`renderMarkdown()\` reads tables: ${JSON.stringify(text)}`, () =>
    expect(JSON.parse(JSON.stringify(renderMarkdown(text)))).toEqual(nodes as never));

test("`renderMarkdown()` reads a long table as one, in time", () => {
  const rows = Array.from({ length: 1500 }, (_, index) => `| ${index} | ${"text ".repeat(5)} |\n`).join("");
  const started = performance.now();
  const nodes = renderMarkdown(`| a | b |\n|---|---|\n${rows}`);
  expect(nodes?.map((node) => [node[0], node.length])).toEqual([["table", 1503]]);
  for (const piece of ["|", "|-", "| a ", "|---\n", "a|\n|-|\n", "\\|"])
    renderMarkdown(piece.repeat(90_000 / piece.length));
  expect(performance.now() - started).toBeLessThan(3000);
});

test("`renderMarkdown()` makes no node of a hostile text's own", () => {
  const names = new Set<unknown>();
  const walk = (node: unknown): void => {
    if (!Array.isArray(node)) return;
    names.add(node[0]);
    node.slice(1).forEach(walk);
  };
  for (const text of HOSTILE) renderMarkdown(`${text}\n\n- ${text}\n\n> ${text}\n`)?.forEach(walk);
  const known = ["b", "i", "s", "code", "a", "h", "p", "quote", "li", "ul", "ol", "pre", "html", "hr", "table"];
  expect([...names].filter((name) => !known.includes(String(name)))).toEqual([]);
});

test("`renderMarkdown()` leaves to the page what is too long or has too many parts", () => {
  expect(renderMarkdown("a".repeat(100_001))).toBeUndefined();
  expect(renderMarkdown("- a\n\n# b\n\n".repeat(5000))).toBeUndefined();
  expect(renderMarkdown(`${"> ".repeat(500)}deep`)).toBeDefined();
});
