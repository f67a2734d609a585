import { dirname, resolve } from "node:path";
import { quote } from "../core/id.ts";
import { logProjects } from "../core/project_log.ts";
import { ThreadMindError } from "../errors.ts";
import { isWithin, realPath } from "../io/files.ts";
import { type Git, openGit } from "../io/git.ts";
import { type Revision, readRevision } from "../io/revision.ts";
import { findWorkspace, noWorkspaceError, type Workspace } from "../io/workspace.ts";
import { renderProjects } from "./diff_text.ts";
import { type GlobalOptions, usageError } from "./options.ts";

/** A change log as a value and as Markdown. */
export interface DiffOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const SHALLOW_HINT = "This is a shallow clone: fetch more history (fetch-depth: 0 in a workflow).";

/** The change log of decisions between two commits, as Markdown for a pull request. Throws `usage` for what is no range. */
export async function runDiff({ root, directory }: GlobalOptions, words: readonly string[]): Promise<DiffOutcome> {
  const [range, extra] = words;
  const unknown = words.find((word) => word.startsWith("-"));
  if (unknown !== undefined) throw usageError(`it has no option ${quote(unknown)}`, "diff");
  if (range === undefined) throw usageError("the range is missing", "diff");
  if (extra !== undefined) throw usageError(`${quote(extra)} is one argument too many`, "diff");
  const workspace = findWorkspace({ root, directory });
  if (workspace === undefined) throw noWorkspaceError();
  const git = openGit(workspace.root);
  if (git === undefined) {
    throw new ThreadMindError(
      "refused",
      "Cannot compare commits: this is no git repository, or git was not found.",
      "Run it in a clone.",
    );
  }
  const cwd = resolve(directory ?? ".");
  const { base, head } = await parseRange(git, range);
  const sides = await readSides(git, workspace, realPath(cwd) ?? cwd, [base, head]);
  if (sides === undefined) {
    throw new ThreadMindError(
      "storage",
      `Cannot compare ${quote(range)}: git could not show the threads of both commits.`,
      git.isShallow ? SHALLOW_HINT : "Try again.",
    );
  }
  const [before, after] = sides;
  const projects = logProjects(before.projects, after.projects);
  return { value: { base, head, projects }, text: renderProjects(projects) };
}

/**
 * The workspace in both commits. Where the working tree has none, a commit may: then the nearest folder upwards for which
 * one does counts. Throws `no-workspace` where there is none at all.
 */
async function readSides(
  git: Git,
  { root, isPresent }: Workspace,
  cwd: string,
  [base, head]: readonly [string, string],
): Promise<readonly [Revision, Revision] | undefined> {
  const isInside = !isPresent && root === git.top && isWithin(git.top, cwd);
  for (let folder = isInside ? cwd : root; ; folder = dirname(folder)) {
    const [before, after] = await Promise.all([readRevision(git, folder, base), readRevision(git, folder, head)]);
    if (before === undefined || after === undefined) return undefined;
    if (isPresent || before.isPresent || after.isPresent) return [before, after];
    if (!isInside || folder === git.top) break;
  }
  throw new ThreadMindError(
    "no-workspace",
    `Cannot compare commits: neither of them has a .threadmind/ in ${root}, nor has the working tree.`,
    "Run it in the folder that has one, or give that with --root DIR.",
  );
}

/** `A..B`, `A...B` (from where they parted), `A` for `A...HEAD`. */
async function parseRange(git: Git, range: string): Promise<{ readonly base: string; readonly head: string }> {
  const [, from = "", dots = "", to = ""] = /^(.*?)(\.{2,3})(.*)$/.exec(range) ?? [undefined, range, "...", ""];
  const find = async (revision: string): Promise<string> => {
    const commit = await git.commitOf(revision === "" ? "HEAD" : revision);
    if (commit !== undefined) return commit;
    throw new ThreadMindError(
      "usage",
      `Cannot compare ${quote(range)}: git knows no commit ${quote(revision === "" ? "HEAD" : revision)}.`,
      git.isShallow ? SHALLOW_HINT : "Give two commits or branches, as in main...HEAD.",
    );
  };
  const [base, head] = [await find(from), await find(to)];
  if (dots !== "...") return { base, head };
  const parting = await git.mergeBase(base, head);
  if (parting !== undefined) return { base: parting, head };
  throw new ThreadMindError(
    "usage",
    `Cannot compare ${quote(range)}: git finds no commit that both have in common.`,
    git.isShallow ? SHALLOW_HINT : "Give two dots, as in main..HEAD, to compare the two as they are.",
  );
}
