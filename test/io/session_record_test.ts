import { expect, test } from "bun:test";
import { checkSessionId, checkTranscript, parseRecords, withRecords } from "../../src/io/session_record.ts";

test("parseRecords() takes records as they are and passes over what can't be one", () => {
  const whole = {
    ...{ session: "s1", client: "codex", transcript: "/t/a.jsonl", startedAt: "2026-11-30T10:00:00.000Z" },
    ...{ context: 1150, size: 48_200, peak: 96_000, at: "2026-11-30T11:00:00.000Z" },
  };
  const strange = [
    null,
    1,
    "x",
    [],
    {},
    { session: 7 },
    { session: "" },
    { session: "a\nb" },
    { session: "x".repeat(201) },
  ];
  expect(parseRecords([whole, ...strange])).toEqual([whole]);
  for (const value of [undefined, null, {}, "x", 7]) expect(parseRecords(value)).toEqual([]);
});

test("parseRecords() keeps no number that can't be a number of tokens", () => {
  const numbers = [-1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, "7", null, [1], 1e9 + 1];
  for (const size of numbers) expect(parseRecords([{ session: "s", size }])[0]?.size).toBeUndefined();
  for (const size of [0, 1, 1e9]) expect(parseRecords([{ session: "s", size }])[0]?.size).toBe(size);
});

test("withRecords() replaces a session's record field by field, removes what is unset, and keeps what it doesn't know", () => {
  const list = [{ session: "a", size: 1, at: "x", mine: true }, "strange", { session: "b" }];
  expect(withRecords(list, [{ session: "a", size: 2, at: undefined }])).toEqual([
    "strange",
    { session: "b" },
    { session: "a", size: 2, mine: true },
  ]);
  expect(withRecords(undefined, [{ session: "a" }, { session: "a", size: 3 }])).toEqual([{ session: "a", size: 3 }]);
  const many = Array.from({ length: 500 }, (_, at) => ({ session: `s${at}` }));
  const last = withRecords(many, [{ session: "new" }]);
  expect([last.length, last[0], last.at(-1)]).toEqual([200, { session: "s301" }, { session: "new" }]);
});

test("only absolute paths of this machine are transcripts, and only short lines are ids", () => {
  for (const path of ["/a/b.jsonl", "C:\\a\\b.jsonl", "d:/a"]) expect(checkTranscript(path)).toBe(path);
  for (const path of ["//host/x", "\\\\host\\x", "a/b", "", "/a\nb", `/${"x".repeat(5000)}`, "file:///a", undefined])
    expect(checkTranscript(path)).toBeUndefined();
  for (const id of ["", "a\u0000", "x".repeat(201), undefined]) expect(checkSessionId(id)).toBeUndefined();
  expect(checkSessionId("117d6829-a630-4cae-9b61-9b2825eab320")).toBe("117d6829-a630-4cae-9b61-9b2825eab320");
});
