import { expect, test } from "bun:test";
import {
  leadingBlankLines,
  lineEndOf,
  normaliseLineEnds,
  trimBlankLines,
  trimBlanksAtEnd,
} from "../../src/core/lines.ts";

test("`normaliseLineEnds()` makes every line end a line feed", () => {
  expect(normaliseLineEnds("a\r\nb\rc\n\r\n\rd")).toBe("a\nb\nc\n\n\nd");
  expect(normaliseLineEnds("a\nb")).toBe("a\nb");
});

test("`lineEndOf()` is the line end that is used most", () => {
  const cases = [
    ["", "\n"],
    ["a", "\n"],
    ["a\nb\r\n", "\n"],
    ["a\r\nb\r\nc\n", "\r\n"],
    ["a\rb\r", "\r"],
    ["a\rb\r\nc\r\n", "\r\n"],
  ] as const;
  for (const [text, end] of cases) expect([text, lineEndOf(text)]).toEqual([text, end]);
});

test("`trimBlankLines()` keeps the indentation of the first line and blanks that Markdown doesn't take for one", () => {
  expect(trimBlankLines(" \n\t\r\n    code\n\n text \n \n")).toBe("    code\n\n text");
  expect(trimBlankLines("\u00a0\n")).toBe("\u00a0");
  expect(trimBlankLines(" \n\t ")).toBe("");
  expect(trimBlanksAtEnd(" a \r\n\t")).toBe(" a");
  expect(leadingBlankLines(" \n\t\r\n  a")).toBe(" \n\t\r\n");
});
