import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { kindOf } from "./files.ts";
import { askBranches, askFetchesAll, askIgnored, askMerged, type Branch } from "./git_branches.ts";
import { askSetting, askToAdd, askToConfigure, askUnmerged, type Unmerged } from "./git_conflicts.ts";
import { BRANCH_PREFIX, type GitFolder, type Head, isCommitId, openGitFolder } from "./git_folder.ts";
import { LOG_OPTIONS, parseLog } from "./git_log.ts";
import { type Answer, findGitProgram, runGit } from "./git_process.ts";
import { askRevisions, type RevisionQuestions } from "./git_revisions.ts";
import { askDeletions, askTexts, askVersions, type DeletingCommit, type FileCommit } from "./git_versions.ts";

export type { Head } from "./git_folder.ts";

/** A file as git's index or working tree knows it, path relative to the repository's top. */
export interface IndexEntry {
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
  /** the working tree's content differs from the index, or the entry is unmerged */
  readonly isDirty: boolean;
}

/** Tracked and untracked files under some paths, and the object format by the length of its ids. */
export interface Listing {
  readonly tracked: readonly IndexEntry[];
  readonly untracked: readonly string[];
}

/** One commit of a walk: its parents, and the files it changed among those asked for. */
export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly files: readonly string[];
}

/** The questions ThreadMind asks git; each answer is `undefined` when git fails, is missing or too slow. */
export interface Git extends RevisionQuestions {
  /** the repository's top folder */
  readonly top: string;
  /** git's own folder of this working tree */
  readonly folder: string;
  /** true in a shallow clone, for as long as it is one */
  readonly isShallow: boolean;
  /** hex digits of an object id */
  readonly idLength: 40 | 64;
  /** true if git takes a file's executable bit from the disk */
  readonly hasFileModes: boolean;
  head(): Promise<Head>;
  commitId(): Promise<string | undefined>;
  /** the same where git's files tell, without a process */
  headCommit(): string | undefined;
  /** true if HEAD came from this commit by commits on top of each other alone, as far as its log tells */
  cameFrom(commit: string): boolean;
  /** what no other clone has; `undefined` where nothing may be remembered of the history */
  mark(): string | undefined;
  defaultBranch(): Promise<string | undefined>;
  hasBranch(branch: string): Promise<boolean | undefined>;
  user(): Promise<{ readonly name: string | undefined; readonly email: string | undefined } | undefined>;
  list(paths: readonly string[]): Promise<Listing | undefined>;
  hash(paths: readonly string[]): Promise<readonly string[] | undefined>;
  differsFromHead(paths: readonly string[]): Promise<readonly string[] | undefined>;
  isAncestor(commit: string): Promise<"yes" | "no" | "unknown" | undefined>;
  existing(commits: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  forkPoint(commits: readonly string[]): Promise<string | undefined>;
  /** the commits from HEAD back to `since`, which is in the answer if HEAD is or descends from it */
  parents(since: string | undefined): Promise<readonly Commit[] | undefined>;
  /** what those commits changed under the paths, merges left out */
  changes(since: string | undefined, paths: readonly string[] | undefined): Promise<readonly Commit[] | undefined>;
  shallowCommits(): ReadonlySet<string>;
  /** the commits that touched a file, newest first */
  versions(path: string): Promise<readonly FileCommit[] | undefined>;
  /** the commits that deleted files below a folder, newest first */
  deletions(folder: string): Promise<readonly DeletingCommit[] | undefined>;
  /** the texts of objects such as `<commit>:<path>` */
  texts(names: readonly string[]): Promise<readonly (string | undefined)[] | undefined>;
  /** what git left unmerged below a folder */
  unmerged(folder: string): Promise<readonly Unmerged[] | undefined>;
  setting(key: string): Promise<string | undefined>;
  branches(): Promise<readonly Branch[] | undefined>;
  /** whether this clone learns of every branch that its remotes have; true without remotes */
  fetchesAll(): Promise<boolean | undefined>;
  /** whether all that a branch brings is in another, however it got there */
  isMerged(branch: Branch, into: Branch, since: number): Promise<boolean | undefined>;
  /** which of these paths git ignores */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** stages files; only when a person asked for it */
  add(paths: readonly string[]): Promise<boolean>;
  /** changes this clone's configuration; only when a person asked for it */
  configure(values: Readonly<Record<string, string | undefined>>): Promise<boolean>;
}

/** The nearest folder from `start` upwards that holds git's folder, or a file or link to it; `undefined` outside a repository. */
export function findRepositoryTop(start: string): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const kind = kindOf(join(folder, ".git"));
    if (kind === "file" || kind === "link" || kindOf(join(folder, ".git", "HEAD")) !== undefined) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Opens the repository that `folder` is in; `undefined` without a repository or without git. */
export function openGit(folder: string): Git | undefined {
  const top = findRepositoryTop(folder);
  const gitFolder = top === undefined ? undefined : openGitFolder(top);
  if (top === undefined || gitFolder === undefined) return undefined;
  const program = findGitProgram(top);
  if (program === undefined) return undefined;
  const ask: Ask = (args, input) => runGit(program, top, args, input);
  return {
    top,
    folder: gitFolder.path,
    get isShallow() {
      return gitFolder.readShallow().size > 0;
    },
    get idLength() {
      return gitFolder.readSetting("objectformat") === "sha256" ? 64 : 40;
    },
    get hasFileModes() {
      return process.platform !== "win32" && gitFolder.readSetting("filemode") !== "false";
    },
    head: () => readHead(gitFolder, ask),
    commitId: async () => idOrNothing(await ask(["rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}"])),
    headCommit: () => gitFolder.readHeadCommit(),
    cameFrom: (commit) => gitFolder.cameFrom(commit),
    mark: () => gitFolder.readMark(),
    defaultBranch: () => askDefaultBranch(ask),
    hasBranch: async (branch) => {
      const { code } = await ask(["show-ref", "-q", "--verify", "--", `${BRANCH_PREFIX}${branch}`]);
      return code === undefined ? undefined : code === 0;
    },
    user: () => askUser(ask),
    list: (paths) => askListing(ask, paths),
    hash: (paths) => askHashes(ask, paths),
    differsFromHead: (paths) => askStaged(ask, paths),
    isAncestor: (commit) => askAncestor(ask, commit),
    existing: (commits) => askExisting(ask, commits),
    forkPoint: async (commits) => idOrNothing(await ask(["merge-base", "--octopus", "--end-of-options", ...commits])),
    parents: (since) => askParents(ask, since),
    changes: (since, paths) => askChanges(ask, since, paths),
    shallowCommits: () => gitFolder.readShallow(),
    versions: (path) => askVersions(ask, path),
    deletions: (folder) => askDeletions(ask, folder),
    texts: (names) => askTexts(ask, names),
    unmerged: (folder) => askUnmerged(ask, folder),
    setting: (key) => askSetting(ask, key),
    branches: () => askBranches(ask),
    fetchesAll: () => askFetchesAll(ask),
    isMerged: (branch, into, since) => askMerged(ask, branch, into, since),
    ignored: (paths) => askIgnored(ask, paths),
    add: (paths) => askToAdd(ask, paths),
    configure: (values) => askToConfigure(ask, values),
    ...askRevisions((variables) => (args, input) => runGit(program, top, args, input, variables), top),
  };
}

type Ask = (args: readonly string[], input?: string) => Promise<Answer>;

function idOrNothing({ code, stdout }: Answer): string | undefined {
  const id = stdout.trim();
  return code === 0 && isCommitId(id) ? id : undefined;
}

/** HEAD is read from its file: no process for the question that each call asks. */
async function readHead(folder: GitFolder, ask: Ask): Promise<Head> {
  const head = folder.readHead();
  if (head !== undefined) return head;
  const { code, stdout } = await ask(["rev-parse", "-q", "--verify", "--symbolic-full-name", "HEAD"]);
  const name = stdout.trim();
  if (code !== 0 || !name.startsWith(BRANCH_PREFIX)) return { branch: undefined, isUnborn: code === 1 };
  return { branch: name.slice(BRANCH_PREFIX.length), isUnborn: false };
}

async function askDefaultBranch(ask: Ask): Promise<string | undefined> {
  const [refs, configured] = await Promise.all([
    ask(["for-each-ref", "--format=%(refname) %(symref)", "refs/remotes/origin", "refs/heads"]),
    ask(["config", "--get", "init.defaultBranch"]),
  ]);
  const lines = refs.stdout.split("\n").map((line) => line.split(" "));
  const remote = "refs/remotes/origin/";
  const exists = (branch: string): boolean =>
    lines.some(([name]) => name === `${BRANCH_PREFIX}${branch}` || name === `${remote}${branch}`);
  const pointed = lines.find(([name]) => name === `${remote}HEAD`)?.[1];
  const candidates = [
    pointed?.startsWith(remote) ? pointed.slice(remote.length) : "",
    configured.code === 0 ? configured.stdout.trim() : "",
    "main",
    "master",
  ];
  return candidates.find((branch) => branch !== "" && exists(branch));
}

async function askUser(ask: Ask): ReturnType<Git["user"]> {
  const { code, stdout } = await ask(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]);
  if (code === undefined) return undefined;
  const find = (key: string): string | undefined =>
    stdout
      .split("\0")
      .findLast((entry) => entry.startsWith(`${key}\n`))
      ?.slice(key.length + 1);
  return { name: find("user.name"), email: find("user.email") };
}

/** Pathspecs that mean just these paths from the top, whatever characters they hold. */
function literal(paths: readonly string[]): string[] {
  return paths.map((path) => `:(top,literal)${path === "." ? "" : path}`);
}

async function askListing(ask: Ask, paths: readonly string[]): Promise<Listing | undefined> {
  const { code, stdout } = await ask([
    ...["ls-files", "-z", "-t", "--stage", "--cached", "--modified", "--deleted", "--others", "--exclude-standard"],
    "--",
    ...literal(paths),
  ]);
  if (code !== 0) return undefined;
  const tracked = new Map<string, IndexEntry>();
  const untracked: string[] = [];
  for (const record of stdout.split("\0")) {
    const tab = record.indexOf("\t");
    if (record.startsWith("? ")) untracked.push(record.slice(2));
    if (record.startsWith("? ") || tab < 0) continue;
    const [tag = "", mode = "", blob = "", stage = "0"] = record.slice(0, tab).split(" ");
    const path = record.slice(tab + 1);
    const known = tracked.get(path);
    const isDirty = tag === "C" || tag === "R" || tag === "M" || stage !== "0" || (known?.isDirty ?? false);
    tracked.set(path, known === undefined ? { path, mode, blob, isDirty } : { ...known, isDirty });
  }
  return { tracked: [...tracked.values()], untracked };
}

async function askHashes(ask: Ask, paths: readonly string[]): Promise<readonly string[] | undefined> {
  if (paths.length === 0) return [];
  const { code, stdout } = await ask(
    ["hash-object", "--stdin-paths"],
    paths.map((path) => `${asInputLine(path)}\n`).join(""),
  );
  const ids = stdout.split("\n").filter((line) => line !== "");
  return code === 0 && ids.length === paths.length && ids.every(isCommitId) ? ids : undefined;
}

/** git takes an input line that begins with a quote for a C string. */
function asInputLine(path: string): string {
  return path.startsWith('"') ? `"${path.replace(/["\\]/g, "\\$&")}"` : path;
}

async function askStaged(ask: Ask, paths: readonly string[]): Promise<readonly string[] | undefined> {
  const { code, stdout } = await ask([
    ...["diff-index", "--cached", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"],
    ...["--end-of-options", "HEAD", "--"],
    ...literal(paths),
  ]);
  return code === 0 ? stdout.split("\0").filter((path) => path !== "") : undefined;
}

async function askAncestor(ask: Ask, commit: string): Promise<"yes" | "no" | "unknown" | undefined> {
  const { code } = await ask(["merge-base", "--is-ancestor", "--end-of-options", commit, "HEAD"]);
  if (code === undefined) return undefined;
  return code === 0 ? "yes" : code === 1 ? "no" : "unknown";
}

async function askExisting(ask: Ask, commits: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const { code, stdout } = await ask(["cat-file", "--batch-check"], commits.map((id) => `${id}^{commit}\n`).join(""));
  if (code !== 0) return undefined;
  const lines = stdout.split("\n").slice(0, -1);
  const isThere = (id: string, index: number): boolean => lines[index]?.startsWith(`${id} commit `) ?? false;
  const isTold = (id: string, index: number): boolean =>
    isThere(id, index) || lines[index] === `${id}^{commit} missing`;
  return lines.length === commits.length && commits.every(isTold) ? new Set(commits.filter(isThere)) : undefined;
}

async function askParents(ask: Ask, since: string | undefined): Promise<readonly Commit[] | undefined> {
  const { code, stdout } = await ask(["rev-list", "--parents", "--end-of-options", ...range(since)]);
  if (code !== 0) return undefined;
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [id = "", ...parents] = line.split(" ");
    return { id, parents, files: [] };
  });
}

/** HEAD and its ancestors down to `since`, which is among them only if it is one. */
function range(since: string | undefined): string[] {
  return since === undefined ? ["HEAD"] : ["HEAD", `^${since}^@`];
}

async function askChanges(
  ask: Ask,
  since: string | undefined,
  paths: readonly string[] | undefined,
): Promise<readonly Commit[] | undefined> {
  const { code, stdout } = await ask([
    ...["log", "-z", "--full-history", "--no-merges", "--format=%x00%H%x20%P", "--name-only", ...LOG_OPTIONS],
    ...["--end-of-options", ...range(since), "--"],
    ...(paths === undefined ? [] : literal(paths)),
  ]);
  if (code !== 0) return undefined;
  return parseLog(stdout, 1).map(({ fields: [header = ""], files }) => {
    const [id = "", ...parents] = header.split(" ");
    return { id, parents, files };
  });
}
