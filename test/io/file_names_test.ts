import { expect, test } from "bun:test";
import { absolutePath, nameBelow } from "../../src/io/file_names.ts";

const WINDOWS: readonly (readonly [typed: string, name: string | undefined])[] = [
  ["src\\api\\a.ts", "src/api/a.ts"],
  ["src/api/../a.ts", "src/a.ts"],
  ["C:\\repo\\src\\a.ts", "src/a.ts"],
  ["c:/Repo/src/a.ts", "src/a.ts"],
  ["/c/repo/src/a.ts", "src/a.ts"],
  ["\\\\?\\C:\\repo\\src", "src"],
  ["\\repo\\src", "src"],
  ["C:\\repo", "."],
  ["C:\\repo2\\src", undefined],
  ["..\\repo2", undefined],
  ["D:\\repo\\src", undefined],
  ["C:", undefined],
  ["\\\\server\\share\\repo\\src", undefined],
  ["\\\\.\\C:\\repo\\src", undefined],
];

for (const [typed, name] of WINDOWS) {
  test(`on Windows ${JSON.stringify(typed)} is ${name ?? "outside"}`, () => {
    const path = absolutePath(typed, "C:\\repo", true);
    expect(path === undefined ? undefined : nameBelow("C:\\repo", path, true)).toBe(name as string);
  });
}

const ELSEWHERE: readonly (readonly [typed: string, name: string | undefined])[] = [
  ["src/a.ts", "src/a.ts"],
  ["./src//x/../a.ts", "src/a.ts"],
  ["/repo/src/a.ts", "src/a.ts"],
  ["/repo/", "."],
  ["src\\a.ts", "src\\a.ts"],
  ["..a/b", "..a/b"],
  ["a\nb", "a\nb"],
  ["/c/repo/src", undefined],
  ["/repo2", undefined],
  ["src/../..", undefined],
  ["C:\\repo\\src", undefined],
  ["c:/repo/src", undefined],
];

for (const [typed, name] of ELSEWHERE) {
  test(`elsewhere ${JSON.stringify(typed)} is ${name ?? "outside"}`, () => {
    const path = absolutePath(typed, "/repo", false);
    expect(path === undefined ? undefined : nameBelow("/repo", path, false)).toBe(name as string);
  });
}
