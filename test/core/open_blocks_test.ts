import { expect, test } from "bun:test";
import { closeLastBlock, closeOpenBlocks } from "../../src/core/open_blocks.ts";
import { parseSummary, sectionText } from "../../src/core/summary.ts";
import { randomMarkdown } from "./markdown_texts.ts";
import { seeded } from "./seeded.ts";

test("`closeOpenBlocks()` appends what closes a fence, a comment or a tag", () => {
  const cases = [
    ["```js\ncode", "```"],
    ["```js\ncode\n", "```"],
    ["```", "```"],
    ["~~~~\ncode\n~~~", "~~~~"],
    ["```\ncode\n    ```", "```"],
    ["  ```\ncode\n ~~~", "```"],
    ["- a\n\n````\n```\n", "````"],
    ["<!-- note", "-->"],
    ["<!-- a --> <!-- b", "-->"],
    ["<div>\n<!-- a\n\ntext", "-->\n</div>"],
    ["<pre>\n\ntext", "</pre>"],
    ["<SCRIPT>\nx", "</SCRIPT>"],
    ["<?php", "?>"],
    ["<![CDATA[ x", "]]>"],
    ["<!DOCTYPE", ">"],
    ["text\n\n<details", ">\n</details>"],
    ["<details>\n<summary>a</summary>\n\ntext", "</details>"],
    ["<div>\n\n<details>\n\n- a", "</details>\n</div>"],
    ["<details>\n\n- <details> b </details>", "</details>"],
  ] as const;
  for (const [text, closers] of cases) {
    const expected = `${text}${text.endsWith("\n") ? "" : "\n"}${closers}`;
    expect([text, closeOpenBlocks(text)]).toEqual([text, expected]);
    expect([text, closeOpenBlocks(expected)]).toEqual([text, expected]);
  }
});

test("`closeOpenBlocks()` returns a text that leaves nothing open unchanged", () => {
  const texts = [
    ...["", "text", "- a\n", "```\na\n```", "```\na\n````\n\n", "~~~\n```\n~~~", "<!-- a -->\n", "<!-->", "<br>\n"],
    ...["<div>\n</div>", "<details>\n\n- a\n\n</details>", "<div>\n\ntext </div>", "<p>\ntext", "<img src=x>", "<hr/>"],
    ...["`<details>` is a tag", "    ```\n", "a < b", "<pre>a</pre>", "<div/>", "- ```\n  code", "> ```"],
    "<div>\n\n".repeat(40),
  ];
  for (const text of texts) expect([text, closeOpenBlocks(text)]).toEqual([text, text]);
});

test("`closeLastBlock()` closes what runs on to the end, and no tags", () => {
  expect(closeLastBlock("<details>\n\n```\na")).toBe("<details>\n\n```\na\n```");
  expect(closeLastBlock("<details>\n\na")).toBe("<details>\n\na");
});

test("`closeOpenBlocks()` keeps any text from swallowing the next, and closes it once", () => {
  const random = seeded(11);
  for (let round = 0; round < 10000; round++) {
    const text = randomMarkdown(random);
    const closed = closeOpenBlocks(text);
    expect([text, closed.startsWith(text)]).toEqual([text, true]);
    expect([text, closeOpenBlocks(closed)]).toEqual([text, closed]);
    const next = parseSummary(`${closed}\n\n---\n\n## Open questions\n- last`);
    expect([text, sectionText(next, "Open questions")?.endsWith("- last")]).toEqual([text, true]);
  }
});
