import { LOG_OPTIONS, parseLog } from "./git_log.ts";
import type { Answer } from "./git_process.ts";

/** A commit that touched a file, as history shows it. */
export interface FileCommit {
  readonly id: string;
  /** ISO 8601 */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
}

/** A commit that deleted files. */
export interface DeletingCommit extends FileCommit {
  readonly files: readonly string[];
}

type Ask = (args: readonly string[], input?: string) => Promise<Answer>;

const MOST_COMMITS = "200";
const FORMAT = "%H%x00%cI%x00%an%x00%s";
const FIELDS = 4;

/** The commits of HEAD's history that touched a file, newest first; `undefined` if git fails. */
export async function askVersions(ask: Ask, path: string): Promise<readonly FileCommit[] | undefined> {
  const { code, stdout } = await ask([
    ...["log", "-z", "-n", MOST_COMMITS, `--format=${FORMAT}`, ...LOG_OPTIONS, "--end-of-options", "HEAD", "--"],
    `:(top,literal)${path}`,
  ]);
  if (code !== 0) return undefined;
  const fields = stdout.split("\0");
  return Array.from({ length: Math.floor(fields.length / FIELDS) }, (_, index) =>
    commitOf(fields.slice(index * FIELDS)),
  );
}

function commitOf([id = "", at = "", author = "", subject = ""]: readonly string[]): FileCommit {
  return { id, at: new Date(at).toISOString(), author, subject };
}

/** The commits that deleted files below a folder, newest first, each with what it deleted there. */
export async function askDeletions(ask: Ask, folder: string): Promise<readonly DeletingCommit[] | undefined> {
  const { code, stdout } = await ask([
    ...["log", "-z", "-n", MOST_COMMITS, "--diff-filter=D", "--name-only", `--format=%x00${FORMAT}`, ...LOG_OPTIONS],
    ...["--end-of-options", "HEAD", "--", `:(top,literal)${folder}`],
  ]);
  if (code !== 0) return undefined;
  return parseLog(stdout, FIELDS).map(({ fields, files }) => ({ ...commitOf(fields), files }));
}

/** The texts of objects such as `<commit>:<path>`, or of commits, in order; `undefined` for one that isn't there. */
export async function askTexts(
  ask: Ask,
  names: readonly string[],
): Promise<readonly (string | undefined)[] | undefined> {
  if (names.length === 0) return [];
  const answer = await ask(["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""));
  if (answer.code !== 0) return undefined;
  const bytes = Buffer.from(answer.bytes);
  const texts: (string | undefined)[] = [];
  let at = 0;
  for (const _ of names) {
    const end = bytes.indexOf(10, at);
    if (end < 0) return undefined;
    const size = Number(/ (?:blob|commit) (\d+)$/.exec(bytes.toString("utf8", at, end))?.[1] ?? Number.NaN);
    at = end + 1;
    if (Number.isNaN(size)) {
      texts.push(undefined);
    } else {
      texts.push(bytes.toString("utf8", at, at + size));
      at += size + 1;
    }
  }
  return texts;
}
