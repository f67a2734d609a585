import { expect, test } from "bun:test";
import { BLOCK_END, BLOCK_START, putBlock, removeBlock } from "../../src/core/marked_block.ts";

const BLOCK = `${BLOCK_START}\nnew\n${BLOCK_END}`;

test("`putBlock()` puts the block in the place of the present one, else below one blank line", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["", `${BLOCK}\n`],
    ["# Rules\n", `# Rules\n\n${BLOCK}\n`],
    ["# Rules\n\n", `# Rules\n\n${BLOCK}\n`],
    ["# Rules", `# Rules\n\n${BLOCK}\n`],
    ["\ufeff# Rules\n", `\ufeff# Rules\n\n${BLOCK}\n`],
    ["a\r\n", `a\r\n\r\n${BLOCK.replaceAll("\n", "\r\n")}\r\n`],
    [`a\n\n${BLOCK_START}\nold\nolder\n${BLOCK_END}\n\nb\n`, `a\n\n${BLOCK}\n\nb\n`],
    [`  ${BLOCK_START}\n${BLOCK_END}`, `  ${BLOCK}`],
  ];
  for (const [source, text] of cases) expect([source, putBlock(source, "new\n")]).toEqual([source, { text }]);
});

test("`putBlock()` changes nothing the second time", () => {
  for (const source of ["", "a", "a\r\n\r\nb\r\n", "```\nx\n```\n"]) {
    const once = putBlock(source, "new");
    expect("text" in once && putBlock(once.text, "new")).toEqual(once);
  }
});

test("`putBlock()` takes markers in a code fence for text", () => {
  const example = `\`\`\`\n${BLOCK_START}\n${BLOCK_END}\n\`\`\`\n`;
  expect(putBlock(example, "new")).toEqual({ text: `${example}\n${BLOCK}\n` });
  const tildes = `~~~~ md\n~~~\n${BLOCK_START}\n~~~~\n`;
  expect(putBlock(tildes, "new")).toEqual({ text: `${tildes}\n${BLOCK}\n` });
});

test("`putBlock()` and `removeBlock()` refuse markers that can't be trusted, and name their lines", () => {
  const cases: readonly (readonly [string, string])[] = [
    [`a\n${BLOCK_START}\n`, "its markers are unbalanced (line 2)"],
    [`${BLOCK_END}\n`, "its markers are unbalanced (line 1)"],
    [`${BLOCK_END}\n${BLOCK_START}\n`, "its markers are unbalanced (line 1, 2)"],
    [`${BLOCK}\n${BLOCK}\n`, "its markers stand more than once (lines 1, 3, 4, 6)"],
    [`${BLOCK_START}\n${BLOCK_START}\n${BLOCK_END}\n`, "its markers stand more than once (lines 1, 2, 3)"],
  ];
  for (const [source, fault] of cases) {
    expect([source, putBlock(source, "new")]).toEqual([source, { fault }]);
    expect([source, removeBlock(source)]).toEqual([source, { fault }]);
  }
});

test("`removeBlock()` gives back what stood around the block", () => {
  for (const source of ["# Rules\n", "a\n\nb\n", "a\r\nb\r\n", "\ufeffa\n"]) {
    const put = putBlock(source, "new");
    expect("text" in put && removeBlock(put.text)).toEqual({ text: source });
  }
  expect(removeBlock(`a\n\n${BLOCK}\n\nb\n`)).toEqual({ text: "a\n\n\nb\n" });
  expect(removeBlock("a\n")).toEqual({ text: "a\n" });
});
