import { existsSync } from "node:fs";
import { join } from "node:path";
import { TOP } from "../support/binary.ts";

const FOLDER = join(TOP, "dist/foreign/node_modules");

/** A file of one of the foreign clients' packages. Throws where they aren't installed: they are never passed over. */
export function fileOfPackage(path: string): string {
  const file = join(FOLDER, path);
  if (!existsSync(file)) throw new Error(`${file} is missing: bun run ok installs the foreign clients`);
  return file;
}
