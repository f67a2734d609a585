import { expect, test } from "bun:test";
import { parseBlocks } from "../../src/core/markdown.ts";
import { maskedSource } from "../../src/core/markdown_mask.ts";
import { randomMarkdown } from "./markdown_texts.ts";
import { seeded } from "./seeded.ts";

function kinds(source: string): string[] {
  return parseBlocks(source)
    .filter(({ kind }) => kind !== "space")
    .map(({ kind, start, end }) => `${kind} ${JSON.stringify(source.slice(start, end).trim())}`);
}

test("`parseBlocks()` splits a text into its top-level blocks, whatever its line ends", () => {
  const source =
    "# A\n\ntext\nmore\n===\n- a\n  - b\n\n> q\nlazy\n\n```\n# c\n```\n    code\n---\n<!-- x\n\n-->\n[x]: /u\n";
  const expected = [
    'heading "# A"',
    'heading "text\\nmore\\n==="',
    'list "- a\\n  - b"',
    'quote "> q\\nlazy"',
    'code "```\\n# c\\n```"',
    'code "code"',
    'rule "---"',
    'html "<!-- x\\n\\n-->"',
    'definition "[x]: /u"',
  ];
  expect(kinds(source)).toEqual(expected);
  expect(kinds(source.replaceAll("\n", "\r\n")).map((each) => each.replaceAll("\\r\\n", "\\n"))).toEqual(expected);
  expect(kinds(source.replaceAll("\n", "\r")).map((each) => each.replaceAll("\\r", "\\n"))).toEqual(expected);
});

test("`parseBlocks()` tells heading from heading, code from code, and what lists and quotes hold", () => {
  expect(parseBlocks("## A ##\n")).toEqual([
    { kind: "heading", level: 2, text: "A", isSetext: false, start: 0, end: 8 },
  ]);
  expect(parseBlocks("A\n---")).toEqual([{ kind: "heading", level: 2, text: "A", isSetext: true, start: 0, end: 5 }]);
  expect(parseBlocks("~~~\na\n~~~")).toEqual([{ kind: "code", isFenced: true, start: 0, end: 9 }]);
  expect(parseBlocks("\tcode")).toEqual([{ kind: "code", isFenced: false, start: 0, end: 5 }]);
  expect(parseBlocks("- a\n\n  b\n- c")).toEqual([
    {
      kind: "list",
      inner: [
        { start: 0, end: 9, text: "a\n\nb" },
        { start: 9, end: 12, text: "c" },
      ],
      start: 0,
      end: 12,
    },
  ]);
  expect(parseBlocks("> a\n> > b\nlazy")).toMatchObject([{ kind: "quote", inner: [{ text: "a\n> b\n    lazy" }] }]);
  expect(parseBlocks(">\t## a")).toMatchObject([{ kind: "quote", inner: [{ text: "  ## a" }] }]);
});

test("`parseBlocks()` ends a quote where its last paragraph ends", () => {
  const cases = [
    ["> a\nb", ['quote "> a\\nb"']],
    ["> # a\nb", ['quote "> # a"', 'paragraph "b"']],
    ["> ```\nb", ['quote "> ```"', 'paragraph "b"']],
    ["> - a\nb\n> c", ['quote "> - a\\nb\\n> c"']],
    [">     a\nb", ['quote ">     a"', 'paragraph "b"']],
    ["> a\n>\nb", ['quote "> a\\n>"', 'paragraph "b"']],
    ["> > > a\nb", ['quote "> > > a\\nb"']],
    ["> a\n## b", ['quote "> a"', 'heading "## b"']],
  ] as const;
  for (const [source, expected] of cases) expect([source, ...kinds(source)]).toEqual([source, ...expected]);
});

test("`parseBlocks()` ends a link definition and a tag where `marked` would go on", () => {
  expect(kinds('[x]: /u "t\n\n## A\n- "b"\n')).toEqual([
    'paragraph "[x]: /u \\"t"',
    'heading "## A"',
    'list "- \\"b\\""',
  ]);
  expect(kinds('[x]: /u "t\n## A\n"')).toEqual(['paragraph "[x]: /u \\"t"', 'heading "## A"', 'paragraph "\\""']);
  expect(kinds("<details\n\n## A")).toEqual(['html "<details"', 'heading "## A"']);
  expect(kinds("```\na\n```\t\n## A")).toEqual(['code "```\\na\\n```"', 'heading "## A"']);
  expect(kinds("## A\u2028b\n")).toEqual(['heading "## A\u2028b"']);
});

test("`parseBlocks()` gives blocks that joined are the source, from the first character to the last", () => {
  const random = seeded(42);
  for (let round = 0; round < 20000; round++) {
    const source = randomMarkdown(random);
    let end = 0;
    for (const block of parseBlocks(source)) {
      expect(block.start).toBe(end);
      end = block.end;
    }
    expect(end).toBe(source.length);
    const isWhole = parseBlocks(source).length === 1 && /^ {0,3}#{1,6} /.test(source) && /[\r\n]./.test(source.trim());
    if (isWhole) throw new Error(`taken for one block: ${JSON.stringify(source)}`);
  }
});

test("`parseBlocks()` takes what is out of all proportion for text", () => {
  expect(kinds(`${"- ".repeat(17)}a`)).toHaveLength(1);
  expect(parseBlocks("a", 17)).toEqual([{ kind: "paragraph", start: 0, end: 1 }]);
  const huge = `## Decisions\n\n${"x".repeat(5_000_000)}`;
  expect(parseBlocks(huge)).toEqual([{ kind: "paragraph", start: 0, end: huge.length }]);
});

test("`maskedSource()` keeps the length, ordinary Markdown as it is, and rules of many dashes", () => {
  const kept = [
    "- a\n  - b\n> > c\n",
    `${"- ".repeat(40)}\n`,
    `${"* ".repeat(40)}`,
    `a\n${"-".repeat(80)}\n`,
    "1. a\n2. b",
  ];
  for (const source of kept) expect(maskedSource(source)).toBe(source);
  expect(maskedSource("a\r\nb\rc\u2028d")).toBe("a \nb\nc\ufffdd");
  expect(maskedSource(`${">".repeat(20)} a`)).toBe(`${">".repeat(16)}xxxx a`);
  expect(maskedSource(`${"- + ".repeat(10)}a`)).toBe(`${"- + ".repeat(8)}x x x x a`);
});

const PATHOLOGICAL: Readonly<Record<string, string>> = {
  "3,000 quotes in one another": `${"> ".repeat(3000)}a\nlazy\n`,
  "quotes that deepen line by line": Array.from({ length: 1000 }, (_, at) => `${">".repeat(at)} a`).join("\n"),
  "3,000 lists in one another": `${"- ".repeat(3000)}a\nlazy\n`,
  "50,000 lists in one another": `${"- ".repeat(50_000)}a\nlazy\n`,
  "lists that deepen line by line": Array.from({ length: 1500 }, (_, at) => `${" ".repeat(2 * at)}- a`).join("\n"),
  "quotes and lists in one another": `${"- > ".repeat(3000)}a\nlazy\n`,
  "lazy lines in deep quotes": `${">".repeat(15)} a\nb\n`.repeat(4000),
  "lazy lines in quoted lists": "> - a\nb\n".repeat(10_000),
  "a list item with lazy lines": `- a\n${"text text text\n".repeat(20_000)}`,
  "an item with very many lines": `- a\n${"  text text text\n".repeat(20_000)}`,
  "100 kB of [": "[".repeat(100_000),
  "100 kB of <": "<".repeat(100_000),
  "100 kB of backticks": `${"`".repeat(100_000)}x\``,
  "100 kB of *": `${"*".repeat(100_000)}x`,
  "100 kB of _": "_".repeat(100_000),
  "100 kB of dashes": `${"-".repeat(100_000)}x`,
  "100 kB of blanks": `${" ".repeat(100_000)}x`,
  "a paragraph of 300,000 lines": "a\n".repeat(300_000),
  "a quote of 100,000 lines": "> a\nb\n".repeat(50_000),
  "code of 100,000 lines": "    x\n".repeat(100_000),
  "labels that never end": "[a\n".repeat(50_000),
  "titles that never end": '[a]: /x "t\n'.repeat(20_000),
  "a tag with 20,000 attributes": `<a${" b=c".repeat(20_000)}`,
  "20,000 blank lines": `a\n${"\n".repeat(20_000)}b\n`,
  "20,000 blank lines in a list": `- a\n${"\n".repeat(20_000)}- b\n`,
  "a table with 10,000 cells": `|${" a |".repeat(10_000)}\n|${"---|".repeat(10_000)}\n`,
  "tables that are none": "a|b\n|-|\n".repeat(10_000),
  "open tags": "<div>\n\n".repeat(20_000),
  "open comments": "<!--\n".repeat(50_000),
  "fences that stay open": "```a\n".repeat(50_000),
  "paragraphs between fences": "```\nx\n".repeat(20_000),
};

test("`parseBlocks()` is quick whatever it is given", () => {
  for (const [name, source] of Object.entries(PATHOLOGICAL)) {
    const start = performance.now();
    parseBlocks(source);
    const took = performance.now() - start;
    if (took > 1000) throw new Error(`${name}: ${Math.round(took)} ms`);
  }
});
