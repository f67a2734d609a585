import { isCommitId } from "./git_folder.ts";
import { LOG_OPTIONS, parseLog } from "./git_log.ts";
import type { Answer } from "./git_process.ts";

/** A file of a commit. */
export interface CommittedFile {
  /** relative to the repository's top */
  readonly path: string;
  readonly blob: string;
}

/** Somebody as commits name them. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Who made a commit, its author first, and which files it touched. */
export interface AuthoredCommit {
  readonly id: string;
  readonly authors: readonly [Person, ...Person[]];
  readonly files: readonly string[];
}

/** Questions about commits other than HEAD; each answer is `undefined` when git fails, is too slow, or has no such commit. */
export interface RevisionQuestions {
  /** the commit that a person's words for it name */
  commitOf(revision: string): Promise<string | undefined>;
  mergeBase(one: string, other: string): Promise<string | undefined>;
  /** the plain files of a commit below a folder */
  filesOf(commit: string, folder: string): Promise<readonly CommittedFile[] | undefined>;
  /** the commits from `base` to `head` that touched files below a folder, merges left out */
  authorsOf(base: string, head: string, folder: string): Promise<readonly AuthoredCommit[] | undefined>;
}

type Ask = (args: readonly string[], input?: string) => Promise<Answer>;

/** Answers the questions with this git. */
export function askRevisions(ask: Ask): RevisionQuestions {
  const id = ({ code, stdout }: Answer): string | undefined =>
    code === 0 && isCommitId(stdout.trim()) ? stdout.trim() : undefined;
  return {
    commitOf: async (revision) =>
      id(await ask(["rev-parse", "-q", "--verify", "--end-of-options", `${revision}^{commit}`])),
    mergeBase: async (one, other) => id(await ask(["merge-base", "--end-of-options", one, other])),
    filesOf: (commit, folder) => askFiles(ask, commit, folder),
    authorsOf: (base, head, folder) => askAuthors(ask, base, head, folder),
  };
}

async function askFiles(ask: Ask, commit: string, folder: string): Promise<readonly CommittedFile[] | undefined> {
  const { code, stdout } = await ask(["ls-tree", "-r", "-z", "--full-tree", commit, "--", folder]);
  if (code !== 0) return undefined;
  return stdout.split("\0").flatMap((record): CommittedFile[] => {
    const tab = record.indexOf("\t");
    const [mode = "", , blob = ""] = record.slice(0, tab).split(" ");
    return tab > 0 && mode.startsWith("100") ? [{ path: record.slice(tab + 1), blob }] : [];
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

function coAuthors(trailers: string): readonly Person[] {
  return trailers.split("\u0001").flatMap((trailer): Person[] => {
    const [, name, email] = /^([^<>]*)<([^<>]*)>/.exec(trailer) ?? [];
    return name === undefined || email === undefined ? [] : [{ name: name.trim(), email: email.trim() }];
  });
}
