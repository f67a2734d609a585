import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { TOP } from "../support/binary.ts";
import { temporaryFolder } from "../support/temp.ts";

const WANTED =
  /^(?:src|build|plugin|packaging)\/|^(?:package\.json|tsconfig\.json|bunfig\.toml|bun\.lock|install\.sh)$/;

/** A copy of this checkout as it stands, without its packages, in a folder of this name. */
export function copyOfTree(name: string): string {
  const folder = join(temporaryFolder("tree"), name);
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: TOP });
  for (const path of listed.stdout.toString().split("\0")) {
    if (!WANTED.test(path) || !existsSync(join(TOP, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(TOP, path), join(folder, path));
  }
  return folder;
}

/** Puts the packages of this checkout into a copy: real files and no link, whose target would say where they are from. */
export function copyPackages(folder: string): void {
  const [from, to] = [join(TOP, "node_modules"), join(folder, "node_modules")];
  if (spawnSync("cp", ["-al", from, to]).status !== 0) cpSync(from, to, { recursive: true });
}
