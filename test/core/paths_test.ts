import { expect, test } from "bun:test";
import { isUnder, normalisePath, usablePaths } from "../../src/core/paths.ts";

const KEPT: readonly (readonly [typed: string, recorded: string])[] = [
  ["src/auth", "src/auth"],
  ["src/auth/", "src/auth"],
  ["./src//auth/.", "src/auth"],
  [".", "."],
  ["./", "."],
  ["./.", "."],
  ["src/[id]", "src/[id]"],
  ["src/*.ts", "src/*.ts"],
  [":top", ":top"],
  [":(glob)**", ":(glob)**"],
  ["-n", "-n"],
  ["--output=x", "--output=x"],
  ["!src", "!src"],
  ["src/café", "src/café"],
  ["日本/機能", "日本/機能"],
  ['"quoted"', '"quoted"'],
  [" src ", " src "],
  ["a\\b", "a\\b"],
  ["...", "..."],
  ["..a/b..", "..a/b.."],
  ["~", "~"],
];

for (const [typed, recorded] of KEPT) {
  test(`\`normalisePath()\` records ${JSON.stringify(typed)} as ${JSON.stringify(recorded)}`, () => {
    expect(normalisePath(typed, false)).toEqual({ path: recorded });
  });
}

const REFUSED: readonly (readonly [typed: string, fault: string])[] = [
  ["", "it is empty"],
  ["  ", "it is empty"],
  ["/", "it is absolute"],
  ["/src", "it is absolute"],
  ["//server/share", "it is absolute"],
  ["C:/src", "it is absolute"],
  ["c:src", "it is absolute"],
  ["..", "it leads out of the workspace"],
  ["../src", "it leads out of the workspace"],
  ["src/../../auth", "it leads out of the workspace"],
  ["src/../auth", ".. is not allowed in it"],
  ["src/..", ".. is not allowed in it"],
  ["src\nauth", "it holds a control character"],
  ["src\0", "it holds a control character"],
  ["src\u001b[31m", "it holds a control character"],
  ["src\ud800", "it holds a control character"],
];

for (const [typed, fault] of REFUSED) {
  test(`\`normalisePath()\` refuses ${JSON.stringify(typed)}: ${fault}`, () => {
    expect(normalisePath(typed, false)).toEqual({ fault });
  });
}

test("`normalisePath()` takes backslashes for separators where they are", () => {
  expect(normalisePath("src\\auth\\", true)).toEqual({ path: "src/auth" });
  expect(normalisePath(".\\", true)).toEqual({ path: "." });
  expect(normalisePath("src\\..\\auth", true)).toEqual({ fault: ".. is not allowed in it" });
  expect(normalisePath("\\src", true)).toEqual({ fault: "it is absolute" });
});

test("`normalisePath()` leaves what it made as it is", () => {
  for (const [typed, recorded] of KEPT) {
    expect(normalisePath(recorded, false)).toEqual(normalisePath(typed, false));
  }
});

test("`usablePaths()` normalises what was edited by hand, once each, and drops the rest", () => {
  expect(usablePaths(["./src/", "../up", "src", "", "/abs", "lib"])).toEqual(["src", "lib"]);
  expect(usablePaths([])).toEqual([]);
  expect(usablePaths(["a\\b"])).toEqual(["a\\b"]);
});

const UNDER: readonly (readonly [path: string, file: string, isIt: boolean])[] = [
  ["src", "src", true],
  ["src", "src/a.ts", true],
  ["src", "srcs/a.ts", false],
  ["src", "lib/src/a.ts", false],
  ["src/a", "src", false],
  [".", "src/a.ts", true],
  [".", ".", true],
  ["src", "Src/a.ts", false],
];

for (const [path, file, isIt] of UNDER) {
  test(`\`isUnder()\` ${isIt ? "finds" : "doesn't find"} ${file} under ${path}`, () => {
    expect(isUnder(path, file)).toBe(isIt);
  });
}
