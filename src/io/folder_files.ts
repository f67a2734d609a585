import { sep } from "node:path";
import type { Fault } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { type FileStamp, kindOf, listNames, stampOf } from "./files.ts";
import { checkInside, type Layout, shownPath } from "./layout.ts";

/** A file of a folder, or a link, with what the system tells of the file it leads to. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
  readonly stamp: FileStamp | undefined;
}

/** Files and links of a folder that end with `extension`, hidden ones left out; what else has such a name is a fault. */
export function listFiles(
  layout: Layout,
  folder: string,
  extension: string,
): { readonly files: readonly NamedFile[]; readonly strangers: Fault[] } {
  checkInside(layout, folder);
  const files: NamedFile[] = [];
  const strangers: Fault[] = [];
  for (const name of listNames(folder) ?? []) {
    if (!name.endsWith(extension) || name.startsWith(".")) continue;
    const path = `${folder}${sep}${name}`;
    const stamp = stampIfTold(path);
    const kind = stamp?.isFile === true ? "file" : kindOf(path);
    if (kind === "folder" || kind === "other") strangers.push(strangerFault(shownPath(layout, path), kind));
    else files.push({ name, path, stamp });
  }
  return { files, strangers };
}

/** A link in a loop, or one into a folder that may not be looked into, is a finding of whoever reads it. */
function stampIfTold(path: string): FileStamp | undefined {
  try {
    return stampOf(path);
  } catch (error) {
    if (error instanceof ThreadMindError) return undefined;
    throw error;
  }
}

function strangerFault(file: string, kind: "folder" | "other"): Fault {
  const message = kind === "folder" ? "It is a folder, not a file." : "It is no regular file.";
  return { kind: "unreadable", file, line: undefined, message, hint: "Move it away." };
}
