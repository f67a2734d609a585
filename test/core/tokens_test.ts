import { expect, test } from "bun:test";
import { countOf, estimateTokens, groupDigits, unitsFor } from "../../src/core/tokens.ts";

test("`estimateTokens()` counts a token for each 3.5 UTF-16 units begun", () => {
  const cases = [
    [0, 0],
    [1, 1],
    [3, 1],
    [4, 2],
    [7, 2],
    [8, 3],
    [35, 10],
    [36, 11],
    [1_000_000, 285_715],
  ] as const;
  for (const [units, tokens] of cases) expect([units, estimateTokens(units)]).toEqual([units, tokens]);
});

test("`unitsFor()` is the most that is estimated as at most so many tokens", () => {
  for (let tokens = 0; tokens < 5000; tokens++) {
    const units = unitsFor(tokens);
    if (estimateTokens(units) > tokens || estimateTokens(units + 1) <= tokens) throw new Error(`wrong for ${tokens}`);
  }
  expect([unitsFor(60), unitsFor(61)]).toEqual([210, 213]);
});

test("`groupDigits()` groups thousands", () => {
  const cases = [
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1150, "1,150"],
    [96_000, "96,000"],
    [123_456, "123,456"],
    [1_234_567, "1,234,567"],
  ] as const;
  for (const [value, text] of cases) expect(groupDigits(value)).toBe(text);
});

test("`countOf()` has one thing in the singular", () => {
  expect([0, 1, 2, 1001].map((value) => countOf(value, "thread"))).toEqual([
    "0 threads",
    "1 thread",
    "2 threads",
    "1,001 threads",
  ]);
});
