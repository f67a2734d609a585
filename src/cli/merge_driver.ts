import { mergeThreadFiles } from "../core/thread_merge.ts";
import { ThreadMindError } from "../errors.ts";
import { decodeText, readBytes, writePlain } from "../io/files.ts";
import type { Git } from "../io/git.ts";
import { mergeLines } from "../io/git_process.ts";
import type { Layout } from "../io/layout.ts";
import { openStore } from "../io/store.ts";
import { usageError } from "./options.ts";
import { writeNotice } from "./output.ts";
import { type ResolveOutcome, renderDoubled } from "./resolve_text.ts";
import { findProgram } from "./setup/program.ts";

const NAME_KEY = "merge.threadmind.name";
const DRIVER_KEY = "merge.threadmind.driver";

/**
 * git's merge driver: merges the three files that git names and writes the result over the second, which holds ours. Exit
 * code 1 tells git that conflicts are left; what is no thread file is merged line by line, as git does.
 */
export async function runMergeDriver(words: readonly string[]): Promise<number> {
  const [base, ours, theirs, path] = words;
  if (base === undefined || ours === undefined || theirs === undefined)
    throw usageError("it needs the three files that git names: %O %A %B", "resolve --driver");
  const [old, mine, other] = [base, ours, theirs].map(readPlain);
  // Other files may lie beside threads, and git gives the driver those too.
  const isThread = path === undefined || /(?:^|\/)threads\/[^/]+\/[^/]+\.md$/.test(path);
  const isText = isThread && mine !== undefined && other !== undefined;
  // git gives an empty base where both sides made the file.
  const merged = isText ? await mergeThreadFiles(old === "" ? undefined : old, mine, other) : undefined;
  if (merged === undefined) return await mergeLines([ours, base, theirs]);
  writePlain(ours, merged.text);
  if (merged.doubled.length > 0) writeNotice(`threadmind: ${path ?? "a thread"}:${renderDoubled(merged.doubled)}`);
  return merged.conflicts.length === 0 ? 0 : 1;
}

function readPlain(path: string): string | undefined {
  const bytes = readBytes(path);
  const decoded = bytes === undefined ? undefined : decodeText(bytes);
  return decoded !== undefined && "text" in decoded ? decoded.text : undefined;
}

/**
 * The command line that git gives its shell as merge driver. Where the program is gone, after an upgrade or in a container,
 * git's own merge does it: a driver that can't be started would leave one side alone, without a word.
 */
export function driverCommand(): string {
  const { command } = findProgram();
  const quoted = /^[\w./:-]+$/.test(command) ? command : `'${command.replaceAll("\\", "/").replaceAll("'", "'\\''")}'`;
  const own = `${quoted} resolve --driver %O %A %B %P`;
  return `if command -v ${quoted} >/dev/null 2>&1; then ${own}; else git merge-file -L ours -L base -L theirs %A %O %B; fi`;
}

/** Registers the driver in this clone's own git configuration, which `.gitattributes` then names. */
export async function installDriver(layout: Layout, git: Git | undefined): Promise<ResolveOutcome> {
  if (git === undefined) throw noGit();
  const command = driverCommand();
  const isSame = (await git.setting(DRIVER_KEY)) === command;
  if (!isSame) await configure(git, { [NAME_KEY]: "ThreadMind thread files", [DRIVER_KEY]: command });
  // The first write makes .gitattributes, or adds its line to one that is there.
  await openStore(layout.root, () => new Date()).change(async () => undefined);
  const text = isSame
    ? "The merge driver is registered already."
    : "Registered the merge driver in this clone's git configuration (.git/config): git now merges thread files by section and bullet. Each clone registers its own.";
  return { value: { installed: true, isChanged: !isSame, driver: command }, text, code: 0 };
}

/** Takes the driver out of this clone's git configuration. */
export async function uninstallDriver(git: Git | undefined): Promise<ResolveOutcome> {
  if (git === undefined) throw noGit();
  const isThere = (await git.setting(DRIVER_KEY)) !== undefined;
  if (isThere) await configure(git, { [NAME_KEY]: undefined, [DRIVER_KEY]: undefined });
  const text = isThere
    ? "Took the merge driver out of this clone's git configuration."
    : "No merge driver is registered in this clone.";
  return { value: { installed: false, isChanged: isThere }, text, code: 0 };
}

async function configure(git: Git, values: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (await git.configure(values)) return;
  throw new ThreadMindError(
    "storage",
    "Cannot change this clone's git configuration: git config failed.",
    "Look at .git/config, and whether you may write it.",
  );
}

function noGit(): ThreadMindError {
  return new ThreadMindError(
    "refused",
    "Cannot register a merge driver: this is no git repository, or git was not found.",
    "Run it in a clone.",
  );
}
