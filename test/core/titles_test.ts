import { expect, test } from "bun:test";
import { nextInstant, parseTitle } from "../../src/core/titles.ts";
import { ThreadMindError } from "../../src/errors.ts";

test("`parseTitle()` keeps a title as typed", () => {
  const titles = [
    ...["Auth API", "認証", "🚀", "!!!", "CON", 'say "hi" #1: x', "Cafe\u0301", "a  b", "## x", "…", "x".repeat(300)],
    ...["👨‍👩‍👧", "🚀".repeat(300), "a\u200db", "\u05d0\u202e1"],
  ];
  for (const title of titles) expect(parseTitle(title)).toBe(title);
});

test("`parseTitle()` makes one line of a title", () => {
  const cases = [
    ["Q3 plan\nparentId: null\r\nstatus: done", "Q3 plan parentId: null status: done"],
    ["a\tb", "a b"],
    ["a\u2028b\u2029c\u0085d", "a b c d"],
    ["a\u0000\u001b[31mb\u007f", "a [31mb"],
    ["\n  Auth \t", "Auth"],
  ] as const;
  for (const [typed, title] of cases) expect([typed, parseTitle(typed)]).toEqual([typed, title]);
});

test("`parseTitle()` refuses what can't be a title", () => {
  const cases = [
    ["", "it is empty"],
    [" \n\t ", "it is empty"],
    ["\u200b\u202e\ufeff\u3164", "it is empty"],
    ["a\ud83d", "it is not valid Unicode"],
    ["x".repeat(301), "it is longer than 300 characters"],
  ] as const;
  for (const [typed, why] of cases) {
    let thrown: unknown;
    try {
      parseTitle(typed);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof ThreadMindError)) throw new Error(`${JSON.stringify(typed)} is taken`);
    expect([thrown.code, thrown.message, thrown.hint]).toEqual([
      "invalid-argument",
      `Cannot use this title: ${why}.`,
      "Give a title of one short line.",
    ]);
  }
});

test("`nextInstant()` is now, but always after the one before", () => {
  const now = new Date("2026-04-15T10:00:00.500Z");
  const cases = [
    [undefined, "2026-04-15T10:00:00.500Z"],
    ["", "2026-04-15T10:00:00.500Z"],
    ["yesterday", "2026-04-15T10:00:00.500Z"],
    ["2026-04-15T10:00:00.499Z", "2026-04-15T10:00:00.500Z"],
    ["2026-04-15T10:00:00.500Z", "2026-04-15T10:00:00.501Z"],
    ["2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.001Z"],
    ["2027-01-01", "2027-01-01T00:00:00.001Z"],
    ["2027-01-01 10:00", "2027-01-01T10:00:00.001Z"],
    ["2027-01-01T10:00:00+02:00", "2027-01-01T08:00:00.001Z"],
    ["Fri, 01 Jan 2027 00:00:00 GMT", "2027-01-01T00:00:00.001Z"],
  ] as const;
  for (const [previous, instant] of cases) expect([previous, nextInstant(previous, now)]).toEqual([previous, instant]);
});
