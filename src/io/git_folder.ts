import { dirname, join, resolve } from "node:path";
import { isFolder, kindOf, readText } from "./files.ts";

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
    readHead: () => (readSetting("refstorage") === undefined ? readHead(own, common) : undefined),
    readShallow: () => new Set((readAll(join(common, "shallow")) ?? "").split("\n").filter(isCommitId)),
  };
}

function findGitFolder(dotGit: string): string | undefined {
  if (isFolder(dotGit)) return dotGit;
  const target = /^gitdir: (.+)$/.exec(readLine(dotGit) ?? "")?.[1];
  const folder = target === undefined ? undefined : resolve(dirname(dotGit), target);
  return folder !== undefined && isFolder(folder) ? folder : undefined;
}

function readHead(own: string, common: string): Head | undefined {
  const line = readLine(join(own, "HEAD"));
  if (line !== undefined && isCommitId(line)) return { branch: undefined, isUnborn: false };
  const branch = line?.startsWith(`ref: ${BRANCH_PREFIX}`) ? line.slice(5 + BRANCH_PREFIX.length) : undefined;
  if (branch === undefined || !isPlainName(branch)) return undefined;
  const file = join(common, BRANCH_PREFIX, branch);
  const kind = kindOf(file);
  if (kind === "file") return isCommitId(readLine(file) ?? "") ? { branch, isUnborn: false } : undefined;
  const packed = readText(join(common, "packed-refs")) ?? { text: "" };
  if (kind === "link" || "fault" in packed) return undefined;
  const isPacked = packed.text.includes(` ${BRANCH_PREFIX}${branch}\n`);
  return isPacked ? { branch, isUnborn: false } : { branch: undefined, isUnborn: true };
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
