// Builds what the tests of this folder look at: all programs, the files of a release, and the tools of package.json. With
// THREADMIND_RELEASE=long the files are those of a real release, else two targets' with less compression.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../build/compile.ts";
import { release } from "../../build/release.ts";
import { TARGET_NAMES, type TargetName } from "../../build/targets.ts";

const top = join(import.meta.dir, "../..");
const isLong = process.env.THREADMIND_RELEASE === "long";
const tools = join(top, "dist/release_tools");
mkdirSync(tools, { recursive: true });
for (const file of ["package.json", "bun.lock"]) copyFileSync(join(import.meta.dir, file), join(tools, file));
// Scripts of packages would build what these tests don't use.
const install = ["install", "--cwd", tools, "--frozen-lockfile", "--no-summary", "--ignore-scripts"];
const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...install]);
if (exitCode !== 0) throw new Error(stderr.toString());

const programs = join(top, "dist/release/programs");
rmSync(programs, { recursive: true, force: true });
for (const target of TARGET_NAMES) await compile(target, programs);
const some: readonly TargetName[] = ["linux-x64", "windows-x64"];
await release({
  programs,
  output: join(top, "dist/release/files"),
  targets: isLong ? TARGET_NAMES : some,
  level: isLong ? 9 : 1,
});
