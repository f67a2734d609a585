import { expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ThreadMindError } from "../../src/errors.ts";
import { createExclusive } from "../../src/io/exclusive_file.ts";
import { temporaryFolder } from "../support/temp.ts";

test("createExclusive() makes a file once, and leaves no temporary one", () => {
  const top = temporaryFolder();
  expect(createExclusive(join(top, "lock"), "mine")).toBe(true);
  expect(createExclusive(join(top, "lock"), "yours")).toBe(false);
  expect(readFileSync(join(top, "lock"), "utf8")).toBe("mine");
  symlinkSync("nowhere", join(top, "dangling"));
  expect(createExclusive(join(top, "dangling"), "x")).toBe(false);
  expect(() => createExclusive(join(top, "no/lock"), "x")).toThrow(ThreadMindError);
  expect(readdirSync(top).sort()).toEqual(["dangling", "lock"]);
});

test("createExclusive() lets one of many processes win, which nobody sees without its content", async () => {
  const top = temporaryFolder();
  const source = join(import.meta.dir, "../../src/io/exclusive_file.ts");
  const script = `
    import { createExclusive } from ${JSON.stringify(source)};
    import { readFileSync } from "node:fs";
    let wins = 0;
    for (let at = 0; at < 300; at++) {
      const file = ${JSON.stringify(top)} + "/" + at;
      if (createExclusive(file, "whole " + process.pid)) wins++;
      if (!readFileSync(file, "utf8").startsWith("whole ")) throw new Error("empty");
    }
    console.log(wins);`;
  const children = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" }));
  const wins = await Promise.all(children.map((child) => child.stdout.text()));
  expect(wins.reduce((sum, text) => sum + Number(text), 0)).toBe(300);
  expect(readdirSync(top).length).toBe(300);
});
