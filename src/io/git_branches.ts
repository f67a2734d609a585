import type { Answer } from "./git_process.ts";

/** A branch of this clone, or of one of its remotes. */
export interface Branch {
  /** without `refs/heads/` or `refs/remotes/<remote>/` */
  readonly name: string;
  readonly ref: string;
  readonly tip: string;
  /** when its last commit was made, in milliseconds */
  readonly at: number;
}

type Ask = (args: readonly string[], input?: string) => Promise<Answer>;

// git dates commits in whole seconds.
const SECOND_MS = 1000;
const REF = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/;

/** All branches, local ones first; `undefined` if git fails. */
export async function askBranches(ask: Ask): Promise<readonly Branch[] | undefined> {
  const format = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(symref)";
  const { code, stdout } = await ask(["for-each-ref", `--format=${format}`, "refs/heads", "refs/remotes"]);
  if (code !== 0) return undefined;
  return stdout.split("\n").flatMap((line): Branch[] => {
    const [ref = "", tip = "", seconds = "", symref] = line.split("\0");
    const name = REF.exec(ref)?.[1];
    return name === undefined || symref !== "" ? [] : [{ name, ref, tip, at: Number(seconds) * 1000 }];
  });
}

const ALL_BRANCHES = /^\+?refs\/(?:heads\/)?\*:/;

/** Whether a fetch brings every branch of every remote, which a clone of a single branch doesn't; `undefined` if git fails. */
export async function askFetchesAll(ask: Ask): Promise<boolean | undefined> {
  const { code, stdout } = await ask(["config", "-z", "--get-regexp", "^remote\\..*\\.(url|fetch)$"]);
  if (code !== 0) return code === 1 ? true : undefined;
  const entries = stdout.split("\0").flatMap((entry) => {
    const [, remote, key, value = ""] = /^remote\.(.*)\.(url|fetch)\n(.*)$/s.exec(entry) ?? [];
    return remote === undefined ? [] : [{ remote, key, value }];
  });
  const fetches = (wanted: string): readonly string[] =>
    entries.flatMap(({ remote, key, value }) => (remote === wanted && key === "fetch" ? [value] : []));
  return [...new Set(entries.map(({ remote }) => remote))].every((remote) => {
    const specs = fetches(remote);
    return specs.some((spec) => ALL_BRANCHES.test(spec)) && !specs.some((spec) => spec.startsWith("^"));
  });
}

/**
 * Whether all that a branch brings is in another one, however it got there: merged, squashed or cherry-picked. A branch
 * without commits of its own since `since` is new rather than merged, and one that lies on the other's own line may have
 * been fast-forwarded or never used: that is no merge. `undefined` if git can't tell.
 */
export async function askMerged(ask: Ask, branch: Branch, into: Branch, since: number): Promise<boolean | undefined> {
  if (branch.tip === into.tip || branch.at + SECOND_MS <= since) return false;
  const { code } = await ask(["merge-base", "--is-ancestor", "--end-of-options", branch.tip, into.tip]);
  if (code === 0) {
    const isOnLine = await askFirstParent(ask, branch.tip, into.tip);
    return isOnLine === undefined ? undefined : !isOnLine;
  }
  if (code !== 1) return undefined;
  const [merged, tree] = await Promise.all([
    ask(["merge-tree", "--write-tree", "--no-messages", "--end-of-options", into.tip, branch.tip]),
    ask(["rev-parse", "-q", "--verify", "--end-of-options", `${into.tip}^{tree}`]),
  ]);
  if (merged.code === undefined || tree.code !== 0) return undefined;
  return merged.code === 0 && merged.stdout.trim() === tree.stdout.trim();
}

/** Whether a commit's ancestor lies on its line of first parents. */
async function askFirstParent(ask: Ask, ancestor: string, commit: string): Promise<boolean | undefined> {
  const { code, stdout } = await ask([
    ...["rev-list", "--first-parent", "--parents", "--end-of-options", commit, `^${ancestor}`],
  ]);
  if (code !== 0) return undefined;
  // The line ends above the first commit that the ancestor has in its history: that is itself, or one below it.
  const [, parent] = stdout.trimEnd().split("\n").at(-1)?.split(" ") ?? [];
  return parent === ancestor;
}

/** Which of these paths git ignores; `undefined` if git fails. */
export async function askIgnored(ask: Ask, paths: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const { code, stdout } = await ask(["check-ignore", "-z", "--stdin"], paths.join("\0"));
  return code === 0 || code === 1 ? new Set(stdout.split("\0").filter((path) => path !== "")) : undefined;
}
