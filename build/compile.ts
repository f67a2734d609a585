import { statSync } from "node:fs";
import { join } from "node:path";

const top = join(import.meta.dir, "..");

/** What can be compiled from any machine: Bun's name of the platform by ours, which archives carry too. */
export const TARGETS = {
  "linux-x64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "linux-x64-musl": "bun-linux-x64-musl",
  "linux-arm64-musl": "bun-linux-arm64-musl",
  "darwin-x64": "bun-darwin-x64",
  "darwin-arm64": "bun-darwin-arm64",
  "windows-x64": "bun-windows-x64",
  "windows-arm64": "bun-windows-arm64",
} as const satisfies Record<string, Bun.Build.CompileTarget>;

/** A name in `TARGETS`. */
export type TargetName = keyof typeof TARGETS;

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

/** Compiles src/main.ts to one executable, for this machine without a target; returns the file's path. */
export async function compile(target?: TargetName): Promise<string> {
  const folder = target === undefined ? "dist" : `dist/${target}`;
  const windows = target === undefined ? process.platform === "win32" : target.startsWith("windows");
  const outfile = join(top, folder, windows ? "threadmind.exe" : "threadmind");
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
      // Most of a run is start-up: code stays in the interpreter a little longer.
      jitPolicy: 4,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  return outfile;
}

function isTargetName(name: string): name is TargetName {
  return Object.hasOwn(TARGETS, name);
}

if (import.meta.main) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !isTargetName(name));
  if (unknown.length > 0) {
    console.error(`Cannot compile for ${unknown.join(", ")}: the targets are ${Object.keys(TARGETS).join(", ")}`);
    process.exit(2);
  }
  for (const target of names.length > 0 ? names.filter(isTargetName) : [undefined]) {
    const file = await compile(target);
    console.log(`${file.slice(top.length + 1)}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  }
}
