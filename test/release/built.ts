import { test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { archiveName, isTargetName, programName, type TargetName } from "../../build/targets.ts";
import { TOP } from "../support/binary.ts";

/** Whether the tests that take minutes run too: THREADMIND_RELEASE=long. */
export const LONG = process.env.THREADMIND_RELEASE === "long";

/** The folder with what these tests need of npm. */
export const TOOLS = join(TOP, "dist/release_tools/node_modules");

function built(path: string): string {
  const file = join(TOP, "dist/release", path);
  if (!existsSync(file)) throw new Error(`${file} is missing: bun test/release/build.ts builds it`);
  return file;
}

/** A target's program, as it is released. */
export function programOf(target: TargetName): string {
  return built(`programs/${target}/${programName(target)}`);
}

/** A file of the release; a target's name stands for its archive. */
export function releasedFile(name: string): string {
  return built(`files/${isTargetName(name) ? archiveName(name) : name}`);
}

/** `test`, or where a reason is given a skipped one that says so where nobody overlooks it. */
export function testUnless(reason: string | undefined, what: string): typeof test {
  if (reason === undefined) return test;
  console.log(`SKIPPED: ${what}: ${reason}`);
  return test.skip as typeof test;
}
