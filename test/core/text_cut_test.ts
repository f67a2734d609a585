import { expect, test } from "bun:test";
import { cutAtGrapheme, cutAtLineEnd } from "../../src/core/text_cut.ts";

test("`cutAtLineEnd()` ends at a line end where a line above it says something, else within the line, marked", () => {
  const cases = [
    ["one\ntwo\nthree", 13, "one\ntwo\nthree"],
    ["one\ntwo\nthree", 12, "one\ntwo"],
    ["one\ntwo\nthree", 7, "one\ntwo"],
    ["one\ntwo\nthree", 6, "one"],
    ["one\n\n \ntwo", 7, "one"],
    ["a\na very long line", 10, "a"],
    ["a very long line\nb", 10, "a very lo…"],
    ["\n\na very long line\nb", 10, "\n\na very…"],
    ["## D\n\n- a very long line\nb", 14, "## D\n\n- a ver…"],
    ["```\na very long line\nb", 10, "```\na ver…"],
    ["## Decisions\n- a", 13, "## Decisions"],
    ["## Decisions\n- a", 8, "## Deci…"],
    ["# One line of a heading", 12, "# One line…"],
    ["long", 2, "l…"],
    ["long", 1, ""],
    ["long", 0, ""],
    ["a\nlong", 0, ""],
  ] as const;
  for (const [text, room, kept] of cases) {
    expect([text, room, cutAtLineEnd(text, room)]).toEqual([text, room, kept]);
    expect(kept.length).toBeLessThanOrEqual(room);
  }
});

test("`cutAtGrapheme()` ends between grapheme clusters, however far the last certain place is", () => {
  for (const cluster of ["🇫🇷", "👨‍👩‍👧", "e\u0301", "क्षि", "🚀", "認"]) {
    for (const start of ["", "x", "xy", "x\n"]) {
      const text = start + cluster.repeat(9999);
      for (const room of [0, 1, 2, 3, 100, 101, 102, 103, 9000, 9001, 9002, 9003]) {
        const kept = cutAtGrapheme(text, room);
        const count = Math.floor((room - start.length) / cluster.length);
        expect(kept).toBe(count < 0 ? start.slice(0, room) : start + cluster.repeat(count));
      }
    }
  }
});

test("`cutAtGrapheme()` keeps nothing of a cluster that is longer than the room", () => {
  expect(cutAtGrapheme(`ab${"\u0301".repeat(3000)}c`, 2000)).toBe("a");
  expect(cutAtGrapheme(`x${"\u0301".repeat(3000)}`, 2000)).toBe("");
});
