import { join, resolve } from "node:path";
import process from "node:process";
import { findConflict } from "../core/conflict.ts";
import { findMarker, isUntouched, splitConflict } from "../core/conflict_sides.ts";
import { normaliseLineEnds } from "../core/lines.ts";
import { eolOf } from "../core/text_edit.ts";
import { type MergedFile, mergeThreadFiles } from "../core/thread_merge.ts";
import { countOf } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { listFolder, readText, realPath } from "../io/files.ts";
import { prefixOf } from "../io/fingerprint.ts";
import { type Git, openGit } from "../io/git.ts";
import type { Unmerged } from "../io/git_conflicts.ts";
import { type Layout, layoutOf } from "../io/layout.ts";
import { openStore } from "../io/store.ts";
import { DATA_FOLDER, findWorkspace, noWorkspaceError } from "../io/workspace.ts";
import { installDriver, uninstallDriver } from "./merge_driver.ts";
import type { GlobalOptions } from "./options.ts";
import { usageError } from "./options.ts";
import { type ResolveOutcome, renderDoubled } from "./resolve_text.ts";

/** A conflicted file and what became of it. */
interface Report {
  /** relative to the workspace */
  readonly file: string;
  readonly state: "merged" | "settled" | "left";
  /** why it is left, as a sentence with the next step */
  readonly why?: string;
  /** first lines of what both sides changed differently, and of which both forms are in the file */
  readonly doubled?: readonly string[];
}

interface Conflicted {
  /** relative to the workspace */
  readonly file: string;
  /** what git has of it; absent for a file that git takes for settled, but that has markers */
  readonly unmerged: Unmerged | undefined;
}

const FLAGS = ["--add", "--install", "--uninstall"];
const THREAD_FILE = /^\.threadmind\/threads\/([^/]+)\/([^/]+)\.md$/;

/**
 * Settles conflicted thread files from git's stages, or from their markers where git has none; with `--add` they are staged.
 * `--install` registers the merge driver in this clone. A real conflict is left, and makes the exit code 1.
 */
export async function runResolve(options: GlobalOptions, words: readonly string[]): Promise<ResolveOutcome> {
  const flags = new Set(words.filter((word) => word.startsWith("-")));
  const named = words.filter((word) => !word.startsWith("-"));
  const unknown = [...flags].find((flag) => !FLAGS.includes(flag));
  if (unknown !== undefined) throw usageError(`it has no option ${JSON.stringify(unknown)}`, "resolve");
  const workspace = findWorkspace({ root: options.root, directory: options.directory });
  if (workspace === undefined) throw noWorkspaceError();
  if (!workspace.isPresent) {
    throw new ThreadMindError(
      "no-workspace",
      `Cannot resolve anything: ${workspace.root} has no .threadmind/.`,
      "Go to the folder that has one, or name it with --root DIR.",
    );
  }
  const layout = layoutOf(workspace.root);
  const git = openGit(workspace.root);
  if (flags.has("--install") || flags.has("--uninstall")) {
    if (named.length > 0) throw usageError("it takes no file there", "resolve");
    return flags.has("--install") ? installDriver(layout, git) : uninstallDriver(git);
  }
  const conflicted = select(layout, await findConflicted(layout, git), named, options.directory);
  const reports: Report[] = [];
  for (const each of conflicted) reports.push(await settle(layout, git, each));
  return await conclude(layout, git, reports, flags.has("--add"));
}

/** The files that git left unmerged, and thread files with markers that git takes for settled. */
async function findConflicted(layout: Layout, git: Git | undefined): Promise<readonly Conflicted[]> {
  const prefix = git === undefined ? "" : prefixOf(git, layout.root);
  const unmerged = git === undefined ? [] : await git.unmerged(`${prefix}${DATA_FOLDER}`);
  if (unmerged === undefined) {
    throw new ThreadMindError(
      "storage",
      "Cannot ask git which files are in conflict: it failed, or took too long.",
      "Run git status, and try again.",
    );
  }
  const known = unmerged.map((each): Conflicted => ({ file: each.path.slice(prefix.length), unmerged: each }));
  const files = new Set(known.map(({ file }) => file));
  const marked = listThreadFiles(layout).filter((file) => {
    const read = files.has(file) ? undefined : readText(join(layout.root, file));
    return read !== undefined && "text" in read && findConflict(read.text) !== undefined;
  });
  return [...known, ...marked.map((file): Conflicted => ({ file, unmerged: undefined }))];
}

function listThreadFiles({ threads, root }: Layout): readonly string[] {
  const projects = (listFolder(threads) ?? []).map(({ name }) => name);
  return projects
    .flatMap((project) => (listFolder(join(threads, project)) ?? []).map(({ name }) => join(threads, project, name)))
    .filter((path) => path.endsWith(".md"))
    .map((path) => path.slice(root.length + 1).replaceAll("\\", "/"));
}

/** The files that were named by path or thread id; all without a name. */
function select(
  { root }: Layout,
  conflicted: readonly Conflicted[],
  named: readonly string[],
  directory = ".",
): readonly Conflicted[] {
  if (named.length === 0) return conflicted;
  const isNamed = (file: string, name: string): boolean => {
    const folder = realPath(resolve(directory)) ?? resolve(directory);
    if (resolve(folder, name) === join(root, file)) return true;
    const typed = name.replaceAll("\\", "/");
    const id = THREAD_FILE.exec(file);
    return file === typed || file.endsWith(`/${typed}`) || id?.[2] === typed || `${id?.[1]}/${id?.[2]}` === typed;
  };
  const missing = named.find((name) => !conflicted.some(({ file }) => isNamed(file, name)));
  if (missing !== undefined) {
    const files = conflicted.map(({ file }) => file).join(", ");
    throw new ThreadMindError(
      "unknown-thread",
      `Cannot resolve ${JSON.stringify(missing)}: it is in no conflict.`,
      files === "" ? "No file is." : `In conflict: ${files}.`,
    );
  }
  return conflicted.filter(({ file }) => named.some((name) => isNamed(file, name)));
}

async function settle(layout: Layout, git: Git | undefined, { file, unmerged }: Conflicted): Promise<Report> {
  const left = (why: string): Report => ({ file, state: "left", why });
  const [, project, id] = THREAD_FILE.exec(file) ?? [];
  if (project === undefined || id === undefined)
    return left("It is no thread file. Settle it by hand, then git add it.");
  const read = readText(join(layout.root, file));
  if (read === undefined)
    return left("The file is gone from the working tree. git add keeps that, git checkout -m brings it back.");
  if (!("text" in read)) return left(`It ${read.fault}. Settle it by hand, then git add it.`);
  const sides = unmerged === undefined ? splitConflict(read.text) : await readSides(git, unmerged);
  if (sides === undefined)
    return left("Its conflict markers aren't whole sets. Settle it by hand, or bring it back from git.");
  if (typeof sides === "string") return left(sides);
  if (unmerged !== undefined && findConflict(read.text) === undefined && !isOneSide(read.text, sides)) {
    const line = findMarker(read.text);
    if (line === undefined) return { file, state: "settled" };
    return left(`Line ${line} is what a conflict marker looks like. Remove it, or git add the file if it is meant.`);
  }
  const merged = await mergeThreadFiles(sides.base, sides.ours, sides.theirs);
  if (merged === undefined) return left("One side is no readable thread file. Settle it by hand, then git add it.");
  const sources = [sides.base, sides.ours, sides.theirs, merged.text];
  if (unmerged !== undefined && !isUntouched(read.text, sources))
    return left("It was edited by hand since. Finish it there and git add it, or begin again with git checkout -m.");
  const text = eolOf(read.text) === "\r\n" ? merged.text.replace(/\r?\n/g, "\r\n") : merged.text;
  if (text !== read.text) {
    const store = openStore(layout.root, () => new Date());
    await store.change(async (writer) => writer.putThread(project as never, id as never, text));
  }
  if (merged.conflicts.length > 0) return left(explain(merged));
  return { file, state: "merged", ...(merged.doubled.length === 0 ? {} : { doubled: merged.doubled }) };
}

/** True for a text that only one side wrote: nobody has merged anything, as when a merge driver can't be started. */
function isOneSide(text: string, { ours, theirs }: Sides): boolean {
  const [own, mine, other] = [text, ours, theirs].map(normaliseLineEnds);
  return mine !== other && (own === mine || own === other);
}

function explain({ text, conflicts }: MergedFile): string {
  const line = findConflict(text);
  return `A person has to choose in ${conflicts.join(", ")} (line ${line}): what one side deleted, the other changed, or both set it differently. Keep what holds, remove the marker lines, then git add it.`;
}

interface Sides {
  readonly base: string | undefined;
  readonly ours: string;
  readonly theirs: string;
}

/** The texts that git merged; a sentence where they make no three-way merge. */
async function readSides(git: Git | undefined, { base, ours, theirs }: Unmerged): Promise<Sides | string> {
  if (ours === undefined || theirs === undefined) {
    if (ours === undefined && theirs === undefined) return "Both sides deleted or moved it: git rm settles that.";
    const [gone, kept] = ours === undefined ? ["this side", "the other"] : ["the other side", "this one"];
    if (base === undefined)
      return `Only ${kept === "this one" ? "this side" : "the other side"} has it under this name, as when both renamed it: git add keeps it, git rm deletes it.`;
    return `It was deleted on ${gone} and changed on ${kept}: git add keeps it, git rm deletes it.`;
  }
  const names = [ours, theirs, ...(base === undefined ? [] : [base])];
  const texts = await git?.texts(names);
  const [mine, other, old] = texts ?? [];
  if (mine === undefined || other === undefined) return "git could not show both sides. Settle it by hand.";
  if (texts?.some((text) => text?.includes("\ufffd")))
    return "One side is not text in UTF-8. Settle it by hand, then git add it.";
  return { base: old, ours: mine, theirs: other };
}

async function conclude(
  layout: Layout,
  git: Git | undefined,
  reports: readonly Report[],
  isToAdd: boolean,
): Promise<ResolveOutcome> {
  const done = reports.filter(({ state }) => state !== "left").map(({ file }) => file);
  const left = reports.filter(({ state }) => state === "left");
  const prefix = git === undefined ? "" : prefixOf(git, layout.root);
  const isAdded = isToAdd && done.length > 0 && (await git?.add(done.map((file) => prefix + file))) === true;
  const lines = reports.map(({ file, state, why, doubled }) => {
    if (state === "merged") return `Merged ${file}.${doubled === undefined ? "" : renderDoubled(doubled)}`;
    return state === "settled" ? `${file} is settled in the file already.` : `Left ${file}: ${why}`;
  });
  if (reports.length === 0) lines.push("No file of ThreadMind is in conflict.");
  if (isAdded) lines.push(`Staged ${countOf(done.length, "file")}.`);
  else if (done.length > 0 && git !== undefined) {
    if (isToAdd) lines.push("git could not stage them.");
    const here = realPath(process.cwd()) === (realPath(layout.root) ?? layout.root) ? "" : ` -C ${quoted(layout.root)}`;
    lines.push(`Look at ${done.length === 1 ? "it" : "them"}, then: git${here} add -- ${done.map(quoted).join(" ")}`);
  }
  const value = { files: reports, staged: isAdded ? done : [] };
  return { value, text: lines.join("\n"), code: left.length > 0 ? 1 : 0 };
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
