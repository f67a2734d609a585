import { delimiter, resolve } from "node:path";
import { isCommitId } from "./git_folder.ts";
import type { Answer } from "./git_process.ts";
import { askTexts } from "./git_versions.ts";
import { withTemporaryFolder } from "./temporary_folder.ts";

/** A file that merged by itself, but that the merge commit holds otherwise; a text is absent where there is no file. */
export interface RemergedFile {
  /** relative to the repository's top */
  readonly path: string;
  readonly merged: string | undefined;
  readonly held: string | undefined;
  /** what was merged; absent where there are more than two sides */
  readonly sides: { readonly base: string | undefined; readonly ours: string; readonly theirs: string } | undefined;
}

/** Runs git, with variables of its own. */
export type AskWith = (
  variables: Readonly<Record<string, string>>,
) => (args: readonly string[], input?: string) => Promise<Answer>;

// git's own merge, whether or not this clone has ThreadMind's: the author's may not have had it.
const PLAIN_DRIVER = "merge.threadmind.driver=git merge-file -L ours -L base -L theirs %A %O %B";

/**
 * Makes a merge again, in objects that are thrown away, and compares: which files below a folder merged without a conflict,
 * but are others in the merge commit. `undefined` if git can't, which before 2.38 it never can.
 */
export async function askRemerge(
  askWith: AskWith,
  top: string,
  { id, parents }: { readonly id: string; readonly parents: readonly string[] },
  folder: string,
): Promise<readonly RemergedFile[] | undefined> {
  const { code, stdout } = await askWith({})(["rev-parse", "--git-path", "objects"]);
  if (code !== 0) return undefined;
  const objects = resolve(top, stdout.replace(/\r?\n$/, ""));
  return await withTemporaryFolder("threadmind-merge-", async (place) => {
    const isOdd = objects.includes(delimiter) || objects.startsWith('"');
    const ask = askWith({
      GIT_OBJECT_DIRECTORY: place,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: isOdd ? JSON.stringify(objects) : objects,
    });
    const again = await mergeAll(ask, parents);
    if (again === undefined) return undefined;
    const options = ["-r", "-z", "--name-only", "--no-renames", "--end-of-options"];
    const changed = await ask(["diff-tree", ...options, again.tree, id, "--", `:(top,literal)${folder}`]);
    if (changed.code !== 0) return undefined;
    const paths = changed.stdout.split("\0").filter((path) => path !== "" && !again.conflicts.has(path));
    return paths.length === 0 ? [] : await readFiles(ask, again.tree, id, parents, paths);
  });
}

type Ask = ReturnType<AskWith>;

interface Merged {
  readonly tree: string;
  readonly conflicts: ReadonlySet<string>;
}

/** Merges one parent after the other into the first, as git does with more than two. */
async function mergeAll(ask: Ask, parents: readonly string[]): Promise<Merged | undefined> {
  const [first = "", ...others] = parents;
  let side = first;
  let tree: string | undefined;
  const conflicts = new Set<string>();
  for (const [at, other] of others.entries()) {
    const options = ["--write-tree", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories"];
    const { code, stdout } = await ask(["-c", PLAIN_DRIVER, "merge-tree", ...options, side, other]);
    const [id = "", ...names] = stdout.split("\0");
    if ((code !== 0 && code !== 1) || !isCommitId(id)) return undefined;
    tree = id;
    for (const name of names) if (name !== "") conflicts.add(name);
    if (at === others.length - 1) break;
    const person = "ThreadMind <threadmind@localhost> 0 +0000";
    const commit = `tree ${id}\nparent ${side}\nparent ${other}\nauthor ${person}\ncommitter ${person}\n\nMerge\n`;
    const made = await ask(["hash-object", "-t", "commit", "-w", "--stdin"], commit);
    if (made.code !== 0) return undefined;
    side = made.stdout.trim();
  }
  return tree === undefined ? undefined : { tree, conflicts };
}

async function readFiles(
  ask: Ask,
  tree: string,
  merge: string,
  parents: readonly string[],
  paths: readonly string[],
): Promise<readonly RemergedFile[] | undefined> {
  const [ours = "", theirs = ""] = parents;
  const parting = (await ask(["merge-base", "--end-of-options", ours, theirs])).stdout.trim();
  const places = [tree, merge, ours, theirs, ...(isCommitId(parting) ? [parting] : [])];
  const texts = await askTexts(
    ask,
    paths.flatMap((path) => places.map((place) => `${place}:${path}`)),
  );
  return texts === undefined
    ? undefined
    : paths.map((path, at): RemergedFile => {
        const [merged, held, mine, other, base] = texts.slice(at * places.length, (at + 1) * places.length);
        const hasSides = parents.length === 2 && mine !== undefined && other !== undefined;
        return { path, merged, held, sides: hasSides ? { base, ours: mine, theirs: other } : undefined };
      });
}
