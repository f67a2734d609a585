import { expect, test } from "bun:test";
import { joinBlocks, splitUnits } from "../../src/core/units.ts";

test("`splitUnits()` splits into list items with all under them, and else blocks", () => {
  const text = `- a
  - nested
    more

  paragraph of a
- b
lazy

Some text
goes on.

1. one
2. two

\`\`\`
- code

- code
\`\`\`
> quote

### Why
because
`;
  expect(splitUnits(text).map((unit) => unit.text)).toEqual([
    "- a\n  - nested\n    more\n\n  paragraph of a",
    "- b\nlazy",
    "Some text\ngoes on.",
    "1. one",
    "2. two",
    "```\n- code\n\n- code\n```",
    "> quote",
    "### Why",
    "because",
  ]);
});

test("`splitUnits()` gives units that differ in blanks only one key", () => {
  const keys = (text: string) => splitUnits(text).map(({ key }) => key);
  expect(keys("-  a   b\r\n\tc \r\n\r\n")).toEqual(["a b c"]);
  for (const item of ["* a b c", "+ a b c", "7. a b c", "12) a b c"]) expect(keys(item)).toEqual(["a b c"]);
  expect(keys("- a b\n  c")).toEqual(["a b c"]);
  expect(keys("    code\n")).toEqual(["code"]);
  expect(keys("")).toEqual([]);
  expect(keys(" \n\n")).toEqual([]);
});

test("`joinBlocks()` joins lists without a blank line and everything else with one", () => {
  const cases = [
    [["- a", "- b"], "- a\n- b"],
    [["- a", "text", "- b"], "- a\n\ntext\n\n- b"],
    [["text", "text"], "text\n\ntext"],
    [["# A\n- a", "1. b\n\ntext", "- c"], "# A\n- a\n1. b\n\ntext\n\n- c"],
    [["", "- a", " ", ""], "- a"],
    [[], ""],
  ] as const;
  for (const [parts, joined] of cases) expect([parts, joinBlocks(parts)]).toEqual([parts, joined]);
});
