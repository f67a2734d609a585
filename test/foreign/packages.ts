import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TOP } from "../support/binary.ts";

const FOLDER = join(TOP, "dist/foreign/node_modules");

/** The first of these files of the foreign clients' packages that is there. Throws where none is: they are never passed over. */
export function fileOfPackage(...paths: readonly string[]): string {
  const files = paths.map((path) => join(FOLDER, path));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${files[0]} is missing: bun run ok installs the foreign clients`);
  return found;
}

/** The name of the package in which a client brings its program for this machine; `undefined` if there is none. */
export function findPlatformPackage(name: string): string | undefined {
  const manifest: { optionalDependencies?: Record<string, string> } = JSON.parse(
    readFileSync(fileOfPackage(`${name}/package.json`), "utf8"),
  );
  const wanted = `${name}-${process.platform}-${process.arch}`;
  return Object.keys(manifest.optionalDependencies ?? {}).find((each) => each === wanted);
}
