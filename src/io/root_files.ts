import { dirname, join, relative, sep } from "node:path";
import { ThreadMindError } from "../errors.ts";
import { isWithin, kindOf, readText, realPath, removeFile, writeWhole } from "./files.ts";

/** The text of a file at the workspace's top that a person asked to change; `undefined` if absent. Throws `storage` if it is no text. */
export function readRootFile(root: string, name: string): string | undefined {
  const path = join(root, name);
  checkReal(root, path, name);
  const read = readText(path);
  if (read === undefined) return undefined;
  if ("text" in read) return read.text;
  throw new ThreadMindError("storage", `Cannot change ${name}: it ${read.fault}.`, "Save it as UTF-8 and call again.");
}

/** Writes a file at the workspace's top whole; an empty one is removed. A link is written through. */
export function writeRootFile(root: string, name: string, text: string): void {
  const path = join(root, name);
  checkReal(root, path, name);
  if (text.trim() === "") removeFile(path);
  else writeWhole(path, text, dirname(realPath(path) ?? path));
}

function checkReal(root: string, path: string, name: string): void {
  if (kindOf(path) !== "link") return;
  const real = realPath(path);
  const top = realPath(root) ?? root;
  const isText = real !== undefined && /\.md$/i.test(real) && !relative(top, real).split(sep).includes(".git");
  if (isText && isWithin(top, real)) return;
  throw new ThreadMindError(
    "storage",
    `Cannot change ${name}: it is a link, and not to a Markdown file of this workspace.`,
    "Replace it with a file.",
  );
}
