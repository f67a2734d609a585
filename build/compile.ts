import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { isTargetName, TARGET_NAMES, TARGETS, type TargetName } from "./targets.ts";

const top = join(import.meta.dir, "..");

// The SDK's default validator serves clients that answer forms; ours is passed in, and ajv costs 11 ms at every start.
const withoutAjv: Bun.BunPlugin = {
  name: "without-ajv",
  setup(build) {
    build.onLoad({ filter: /validation[\\/]ajv-provider\.js$/ }, () => ({
      loader: "js",
      contents: "export class AjvJsonSchemaValidator { getValidator() { throw new Error('not bundled'); } }",
    }));
  },
};

/**
 * Compiles src/main.ts to one executable and returns its path: for this machine `<folder>/threadmind`, for a target
 * `<folder>/<target>/threadmind`. The same sources give the same bytes, in whatever folders they lie.
 */
export async function compile(target?: TargetName, folder = join(top, "dist")): Promise<string> {
  const isWindows = target === undefined ? process.platform === "win32" : target.startsWith("windows");
  // The program has its file's own name in it, and names of its parts that are made from paths below the working
  // directory: both are the same everywhere.
  process.chdir(top);
  const outfile = join(folder, target ?? "", isWindows ? "threadmind.exe" : "threadmind");
  await Bun.build({
    entrypoints: [join(top, "src/main.ts")],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    bytecode: true,
    plugins: [withoutAjv],
    compile: {
      outfile,
      ...(target === undefined ? {} : { target: TARGETS[target] }),
      ...(isWindows && process.platform === "win32" ? { windows: windowsDetails() } : {}),
      // Most of a run is start-up: code stays in the interpreter a little longer.
      jitPolicy: 4,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  const isForMacos = target === undefined || target.startsWith("darwin");
  if (process.platform === "darwin" && isForMacos) sign(outfile);
  return outfile;
}

/** Signs a program for macOS, without anybody's name: Bun leaves some with a signature that macOS finds broken. */
function sign(program: string): void {
  const { status, stderr } = spawnSync("codesign", ["--force", "--sign", "-", program], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot sign ${program}: ${stderr}`);
}

/** A version as Windows shows it: four numbers, whatever comes before a release. */
export function windowsVersion(version: string): string {
  return `${version.replace(/-.*/, "")}.0`;
}

/** What Windows shows of a program; only a build on Windows can write it. */
function windowsDetails() {
  return {
    title: "ThreadMind",
    publisher: "ThreadMind contributors",
    version: windowsVersion(manifest.version),
    description: "ThreadMind",
    copyright: `ThreadMind contributors, ${manifest.license} licence`,
  };
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { output: { type: "string" } }, allowPositionals: true });
  const folder = resolve(values.output ?? join(top, "dist"));
  const unknown = positionals.filter((name) => name !== "all" && !isTargetName(name));
  if (unknown.length > 0) {
    console.error(`Cannot compile for ${unknown.join(", ")}: the targets are all, ${TARGET_NAMES.join(", ")}`);
    process.exit(2);
  }
  const targets = positionals.includes("all") ? TARGET_NAMES : positionals.filter(isTargetName);
  const start = process.cwd();
  for (const target of targets.length > 0 ? targets : [undefined]) {
    const file = await compile(target, folder);
    console.log(`${relative(start, file)}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  }
}
