import { expect, test } from "bun:test";
import { findConflict } from "../../src/core/conflict.ts";

const SET = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> feature/auth\n";

test("`findConflict()` finds the first marker of a set, whatever the line ends", () => {
  const body = `## Decisions\n${SET}\n## State\n- login done\n`;
  for (const end of ["\n", "\r\n", "\r"]) expect(findConflict(body.replaceAll("\n", end))).toBe(2);
  expect(findConflict("createdAt: x\n<<<<<<< HEAD\nupdatedAt: a\n=======\nupdatedAt: b\n>>>>>>> b\n---\n")).toBe(2);
  expect(findConflict("<<<<<<<\na\n=======\nb\n>>>>>>>")).toBe(1);
  expect(findConflict("a\n<<<<<<< ours\na\n||||||| base\nc\n=======\nb\n>>>>>>> theirs")).toBe(2);
});

test("`findConflict()` finds what is left of a set", () => {
  const cases = [
    ["a\n<<<<<<< HEAD\n", 2],
    ["a\nb\n=======\nc\n>>>>>>> x", 5],
    [">>>>>>> x\n=======\n>>>>>>> y", 1],
    ["<!--\n<<<<<<< HEAD\n-->", 2],
    ["- a\n<<<<<<< HEAD\n- b", 2],
  ] as const;
  for (const [text, line] of cases) expect([text, findConflict(text)]).toEqual([text, line]);
});

test("`findConflict()` takes markers in a closed fenced block for an example", () => {
  const texts = [
    `\`\`\`\n${SET}\`\`\`\n`,
    `~~~~ diff\n${SET}~~~\n~~~~\ntext`,
    "```\n<<<<<<< HEAD\n```\ntext",
    `\`\`\`\`\n\`\`\`\n${SET}\`\`\`\n\`\`\`\``,
  ];
  for (const text of texts) {
    expect([text, findConflict(text)]).toEqual([text, undefined]);
    expect([text, findConflict(text.replaceAll("\n", "\r\n"))]).toEqual([text, undefined]);
  }
});

test("`findConflict()` isn't misled by fences that a conflict opens, cuts or leaves open", () => {
  const cases = [
    [`\`\`\`\n${SET}\`\`\`\n\n${SET}`, 9],
    [`\`\`\`\n${SET}`, 2],
    ["<<<<<<< HEAD\n```js\na\n=======\n```ts\nb\n>>>>>>> x\n```", 1],
    ["```\na\n<<<<<<< HEAD\nb\n```\n=======\nc\n```\n>>>>>>> x\n", 3],
    ["a\n<<<<<<<<<<<< HEAD\nb\n============\nc\n>>>>>>>>>>>> x\n", 2],
    [`- a\n  \`\`\`\n  b\n\n${SET}\n\`\`\`\nc\n\`\`\`\n`, 5],
  ] as const;
  for (const [text, line] of cases) expect([text, findConflict(text)]).toEqual([text, line]);
});

test("`findConflict()` finds nothing in other text", () => {
  const texts = [
    ...["", "a\n=======\nb", "<<<<<< HEAD", "<<<<<<<HEAD", " <<<<<<< HEAD", "a <<<<<<< HEAD", ">>>>>>>> a", ">>>>>> a"],
    ...["> > > > > > > a", "-------", "||||||| base", "    <<<<<<< HEAD", "> <<<<<<< HEAD", "x >>>>>>> y"],
  ];
  for (const text of texts) expect([text, findConflict(text)]).toEqual([text, undefined]);
});

test("`findConflict()` is quick, with markers and without", () => {
  const texts = [
    "text without any of them\n".repeat(40_000),
    `${"```a\n".repeat(100_000)}${SET}`,
    `${"~~~~~~~~~\n```\nx\n".repeat(30_000)}${SET}`,
    `${"```\nx\n```\n".repeat(50_000)}${SET}`,
    "<".repeat(1_000_000),
  ];
  for (const text of texts) {
    const start = performance.now();
    findConflict(text);
    expect(performance.now() - start).toBeLessThan(1000);
  }
});

test("`findConflict()` takes seven quote signs alone for a quote", () => {
  for (const text of [">>>>>>> x", "- a\n>>>>>>> deep\n- b"])
    expect([text, findConflict(text)]).toEqual([text, undefined]);
});
