import { isCommitId } from "./git_folder.ts";
import { LOG_OPTIONS, parseLog } from "./git_log.ts";
import type { Answer } from "./git_process.ts";
import { type AskWith, askRemerge, type RemergedFile } from "./git_remerge.ts";

/** A file of a commit. */
export interface CommittedFile {
  /** relative to the repository's top */
  readonly path: string;
  readonly blob: string;
  /** what it holds is where it leads */
  readonly isLink: boolean;
}

/** Somebody as commits name them. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Who made a commit, its author first, and which files it touched; a merge, beyond what merged by itself. */
export interface AuthoredCommit {
  readonly id: string;
  readonly isMerge?: boolean;
  readonly authors: readonly [Person, ...Person[]];
  readonly files: readonly string[];
}

/** A merge, and what it merged. */
export interface MergeCommit {
  readonly id: string;
  readonly authors: readonly [Person, ...Person[]];
  readonly parents: readonly string[];
}

/** Questions about commits other than HEAD; each answer is `undefined` when git fails, is too slow, or has no such commit. */
export interface RevisionQuestions {
  /** the commit that a person's words for it name */
  commitOf(revision: string): Promise<string | undefined>;
  mergeBase(one: string, other: string): Promise<string | undefined>;
  /** those of these objects that are there, named as `<commit>:<path>`, or `:<path>` for the index */
  present(names: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** the files and links of a commit below a folder */
  filesOf(commit: string, folder: string): Promise<readonly CommittedFile[] | undefined>;
  /** the commits from `base` to `head` that touched files below a folder, merges left out */
  authorsOf(base: string, head: string, folder: string): Promise<readonly AuthoredCommit[] | undefined>;
  /** the merges from `base` to `head` whose files below a folder are not those of all their parents */
  mergesOf(base: string, head: string, folder: string): Promise<readonly MergeCommit[] | undefined>;
  /** the files below a folder that merged by themselves, but are others in the merge commit */
  remerge(merge: MergeCommit, folder: string): Promise<readonly RemergedFile[] | undefined>;
}

type Ask = ReturnType<AskWith>;

/** Answers the questions with the git of a repository whose top folder this is. */
export function askRevisions(askWith: AskWith, top: string): RevisionQuestions {
  const ask = askWith({});
  const id = ({ code, stdout }: Answer): string | undefined =>
    code === 0 && isCommitId(stdout.trim()) ? stdout.trim() : undefined;
  return {
    commitOf: async (revision) =>
      id(await ask(["rev-parse", "-q", "--verify", "--end-of-options", `${revision}^{commit}`])),
    mergeBase: async (one, other) => id(await ask(["merge-base", "--end-of-options", one, other])),
    present: (names) => askPresent(ask, names),
    filesOf: (commit, folder) => askFiles(ask, commit, folder),
    authorsOf: (base, head, folder) => askAuthors(ask, base, head, folder),
    mergesOf: (base, head, folder) => askMerges(ask, base, head, folder),
    remerge: (merge, folder) => askRemerge(askWith, top, merge, folder),
  };
}

async function askPresent(ask: Ask, names: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const asked = names.filter((name) => !/[\r\n]/.test(name));
  if (asked.length === 0) return new Set();
  const { code, stdout } = await ask(["cat-file", "--batch-check"], asked.map((name) => `${name}\n`).join(""));
  const lines = stdout.split("\n");
  return code === 0 ? new Set(asked.filter((_, index) => / (?:blob|tree) \d+$/.test(lines[index] ?? ""))) : undefined;
}

async function askFiles(ask: Ask, commit: string, folder: string): Promise<readonly CommittedFile[] | undefined> {
  const { code, stdout } = await ask(["ls-tree", "-r", "-z", "--full-tree", commit, "--", folder]);
  if (code !== 0) return undefined;
  return stdout.split("\0").flatMap((record): CommittedFile[] => {
    const tab = record.indexOf("\t");
    const [mode = "", , blob = ""] = record.slice(0, tab).split(" ");
    const isLink = mode === "120000";
    return tab > 0 && (isLink || mode.startsWith("100")) ? [{ path: record.slice(tab + 1), blob, isLink }] : [];
  });
}

// Each field begins with a letter, since two NULs in a row end a record.
const CO_AUTHORS = "%(trailers:key=Co-authored-by,valueonly,unfold,separator=%x01)";
const AUTHORS_FORMAT = `--format=%x00%H%x00n%an%x00e%ae%x00c${CO_AUTHORS}`;

async function askAuthors(
  ask: Ask,
  base: string,
  head: string,
  folder: string,
): Promise<readonly AuthoredCommit[] | undefined> {
  const { code, stdout } = await ask([
    ...["log", "-z", "--no-merges", "--name-only", AUTHORS_FORMAT, ...LOG_OPTIONS],
    ...["--end-of-options", `${base}..${head}`, "--", `:(top,literal)${folder}`],
  ]);
  if (code !== 0) return undefined;
  return parseLog(stdout, 4).map(({ fields: [commit = "", name = "", email = "", others = ""], files }) => ({
    id: commit,
    authors: [{ name: name.slice(1), email: email.slice(1) }, ...coAuthors(others.slice(1))],
    files,
  }));
}

async function askMerges(
  ask: Ask,
  base: string,
  head: string,
  folder: string,
): Promise<readonly MergeCommit[] | undefined> {
  // A merge that takes all of one side is left out of a history that isn't full.
  const { code, stdout } = await ask([
    ...["log", "-z", "--merges", "--full-history", `${AUTHORS_FORMAT}%x00p%P`, ...LOG_OPTIONS],
    ...["--end-of-options", `${base}..${head}`, "--", `:(top,literal)${folder}`],
  ]);
  if (code !== 0) return undefined;
  return parseLog(stdout, 5).map(({ fields }) => {
    const [commit = "", name = "", email = "", others = "", parents = ""] = fields;
    const author = { name: name.slice(1), email: email.slice(1) };
    return {
      id: commit,
      authors: [author, ...coAuthors(others.slice(1))],
      parents: parents.slice(1).trim().split(" "),
    };
  });
}

function coAuthors(trailers: string): readonly Person[] {
  return trailers.split("\u0001").flatMap((trailer): Person[] => {
    const [, name, email] = /^([^<>]*)<([^<>]*)>/.exec(trailer) ?? [];
    return name === undefined || email === undefined ? [] : [{ name: name.trim(), email: email.trim() }];
  });
}
