import { dirname, join, resolve } from "node:path";
import { ThreadMindError } from "../errors.ts";
import { birthOf } from "./birth.ts";
import { readByteFile } from "./byte_file.ts";
import { isFolder, kindOf, listNames, readText } from "./files.ts";

/** Where HEAD stands. `branch` only when a branch with at least one commit is checked out. */
export interface Head {
  readonly branch: string | undefined;
  readonly isUnborn: boolean;
}

/** What git's own files say, without a process. */
export interface GitFolder {
  readonly path: string;
  /** where HEAD stands; `undefined` if only git itself can tell */
  readHead(): Head | undefined;
  /** the commit that is checked out; `undefined` if there is none, or only git itself can tell */
  readHeadCommit(): string | undefined;
  /** true if HEAD's own log says that it came from this commit by commits on top of each other alone */
  cameFrom(commit: string): boolean;
  /**
   * a text that no other clone has and nobody elsewhere can foretell, for what is remembered of this one's history; `undefined`
   * where the disk tells of none, or where git shows other commits than there are (replacements, grafts)
   */
  readMark(): string | undefined;
  /** a setting that git writes into a new repository's configuration, in lower case */
  readSetting(name: string): string | undefined;
  /** the commits at which a shallow clone breaks off; none in a whole one */
  readShallow(): ReadonlySet<string>;
}

/** What the full names of branches begin with. */
export const BRANCH_PREFIX = "refs/heads/";

const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MOST_BRANCH_BYTES = 250;

/** True for a full commit id, SHA-1 or SHA-256. */
export function isCommitId(text: string): boolean {
  return COMMIT_ID.test(text);
}

/** Opens git's folder of the repository at `top`, a linked worktree's and a submodule's too; `undefined` if it isn't there. */
export function openGitFolder(top: string): GitFolder | undefined {
  const own = findGitFolder(join(top, ".git"));
  if (own === undefined) return undefined;
  const common = resolve(own, readLine(join(own, "commondir")) ?? ".");
  const readSetting = (name: string): string | undefined =>
    new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*(\\w+)`, "im")
      .exec(readAll(join(common, "config")) ?? "")?.[1]
      ?.toLowerCase();
  return {
    path: own,
    readSetting,
    readHead: () => {
      const found = readSetting("refstorage") === undefined ? findHead(own, common) : undefined;
      return found === undefined ? undefined : { branch: found.branch, isUnborn: found.commit === undefined };
    },
    readHeadCommit: () => (readSetting("refstorage") === undefined ? findHead(own, common)?.commit : undefined),
    cameFrom: (commit) => cameFrom(join(own, "logs/HEAD"), commit),
    readMark: () => (replacesCommits(common) ? undefined : birthOf(own)),
    readShallow: () => new Set((readAll(join(common, "shallow")) ?? "").split("\n").filter(isCommitId)),
  };
}

function findGitFolder(dotGit: string): string | undefined {
  if (isFolder(dotGit)) return dotGit;
  const target = /^gitdir: (.+)$/.exec(readLine(dotGit) ?? "")?.[1];
  const folder = target === undefined ? undefined : resolve(dirname(dotGit), target);
  return folder !== undefined && isFolder(folder) ? folder : undefined;
}

interface FoundHead {
  readonly branch: string | undefined;
  readonly commit: string | undefined;
}

function findHead(own: string, common: string): FoundHead | undefined {
  const line = readLine(join(own, "HEAD"));
  if (line !== undefined && isCommitId(line)) return { branch: undefined, commit: line };
  const branch = line?.startsWith(`ref: ${BRANCH_PREFIX}`) ? line.slice(5 + BRANCH_PREFIX.length) : undefined;
  if (branch === undefined || !isPlainName(branch)) return undefined;
  const file = join(common, BRANCH_PREFIX, branch);
  const kind = kindOf(file);
  if (kind === "file") {
    const commit = readLine(file) ?? "";
    return isCommitId(commit) ? { branch, commit } : undefined;
  }
  const packed = readText(join(common, "packed-refs")) ?? { text: "" };
  if (kind === "link" || "fault" in packed) return undefined;
  const end = packed.text.indexOf(` ${BRANCH_PREFIX}${branch}\n`);
  const commit = packed.text.slice(packed.text.lastIndexOf("\n", end) + 1, Math.max(end, 0));
  return end < 0 ? { branch: undefined, commit: undefined } : isCommitId(commit) ? { branch, commit } : undefined;
}

const MOST_LOG_BYTES = 64 * 1024;
const ADDING = /\t(?:(?:commit(?: \(merge\))?|cherry-pick|revert): |.*: Fast-forward$|.*: Merge made by )/;

/** Follows a log of HEAD from its end, which is the last it was set to, as far back as each entry adds to the one before. */
function cameFrom(log: string, commit: string): boolean {
  const entries = readTail(log).split("\n").slice(0, -1).reverse();
  let expected: string | undefined;
  for (const entry of entries) {
    const [old = "", now = ""] = entry.split(" ", 2);
    if (now === commit) return true;
    if ((expected !== undefined && now !== expected) || !ADDING.test(entry)) return false;
    expected = old;
    if (old === commit) return true;
  }
  return false;
}

function replacesCommits(common: string): boolean {
  const isPacked = (): boolean => (readAll(join(common, "packed-refs")) ?? "").includes(" refs/replace/");
  const grafts = join(common, "info/grafts");
  return (listNames(join(common, "refs/replace")) ?? []).length > 0 || kindOf(grafts) !== undefined || isPacked();
}

function readTail(path: string): string {
  try {
    return (
      readByteFile(path, ({ size, fill }) => {
        const bytes = new Uint8Array(Math.min(size, MOST_LOG_BYTES));
        fill(bytes, size - bytes.length);
        return Buffer.from(bytes).toString("latin1");
      }) ?? ""
    );
  } catch (error) {
    // Without the log all is counted again.
    if (error instanceof ThreadMindError) return "";
    throw error;
  }
}

/** False for names that need git's care, or that no file can have. */
function isPlainName(branch: string): boolean {
  return branch !== "" && Buffer.byteLength(branch) <= MOST_BRANCH_BYTES && !/^\.|\/\.|\s|\p{Cc}/u.test(branch);
}

function readAll(path: string): string | undefined {
  const read = readText(path);
  return read !== undefined && "text" in read ? read.text : undefined;
}

/** A file's first line; links aren't followed. */
function readLine(path: string): string | undefined {
  const line = kindOf(path) === "file" ? readAll(path)?.split(/\r?\n/, 1)[0] : undefined;
  return line?.includes("\0") ? undefined : line;
}
