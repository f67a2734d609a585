import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readStaleNotes, type Subject } from "../../src/io/freshness.ts";
import { openGit } from "../../src/io/git.ts";
import { type Seeded, seeded } from "../core/seeded.ts";
import { type GitRepository, gitRepository } from "../support/temp.ts";
import { changed, elsewhere } from "../support/thread_workspace.ts";
import { threadFile, useOwnHome } from "./stamped_repository.ts";

setDefaultTimeout(60_000);

useOwnHome();

const THREADS = ["main", "auth", "api", "ui", "db", "log"];
const PATHS: readonly (readonly string[])[] = [["src"], ["src/a.ts", "lib"], ["."], [], ["src x"], ["src/b.ts"]];
const FILES = ["src/a.ts", "src/b.ts", "lib/c.ts", "src x/d.ts", "README.md", ...THREADS.map(threadFile)];

/** A seeded history of commits, side branches, merges and further roots, as `git fast-import` reads it. */
function makeHistory(random: Seeded, size: number): string {
  const trees: Readonly<Record<string, string>>[] = [];
  const lines: string[] = [];
  const tips = new Set<number>();
  const add = (mark: number, ref: string, parents: readonly number[], tree: Readonly<Record<string, string>>): void => {
    const [first, ...others] = parents;
    const committer = `committer Sam Doe <sam@example.org> ${1_700_000_000 + mark} +0000`;
    lines.push(`commit refs/heads/${ref}`, `mark :${mark}`, committer, "data 0");
    if (first !== undefined) lines.push(`from :${first}`);
    lines.push(...others.map((parent) => `merge :${parent}`), "deleteall");
    for (const [path, text] of Object.entries(tree)) lines.push(`M 100644 inline ${path}`, `data ${text.length}`, text);
    for (const parent of parents) tips.delete(parent);
    tips.add(mark);
    trees[mark] = tree;
  };
  for (let mark = 1; mark <= size; mark++) {
    const count = mark === 1 || random.next(25) === 0 ? 0 : 1 + Number(random.next(4) === 0);
    const parents = [...new Set(Array.from({ length: count }, () => Math.max(1, mark - 1 - random.next(5))))];
    const tree = Object.assign({}, ...parents.map((parent) => trees[parent]).toReversed());
    const changes = parents.length > 1 ? random.next(2) : 1 + random.next(3);
    for (let change = 0; change < changes; change++) tree[random.pick(FILES)] = `${random.next(4)}`;
    add(mark, `commit${mark}`, parents, tree);
  }
  const merged = [...tips].filter((tip) => tip === size || random.next(4) > 0);
  add(size + 1, "main", merged, trees[size] ?? {});
  return `${lines.join("\n")}\n`;
}

/** Imports a history and returns its commits' ids. */
function importHistory({ top, env }: GitRepository, history: string): string[] {
  const marks = join(top, ".git/marks");
  const args = ["fast-import", "--quiet", `--export-marks=${marks}`];
  const { status, stderr } = spawnSync("git", args, { cwd: top, env, input: history, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(marks, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
}

/** The files that each commit changed, by its id, merges left out. */
function changedFiles({ top, env, git }: GitRepository): Map<string, string[]> {
  const args = ["diff-tree", "--stdin", "--root", "-r", "--name-only"];
  const input = `${git("rev-list", "--all", "--no-merges")}\n`;
  const { stdout } = spawnSync("git", args, { cwd: top, env, input, encoding: "utf8" });
  const files = new Map<string, string[]>();
  let commit = "";
  for (const line of stdout.trimEnd().split("\n")) {
    if (/^[0-9a-f]{40}$/.test(line)) commit = line;
    else files.set(commit, [...(files.get(commit) ?? []), line]);
  }
  return files;
}

/** The note by the contract's rules 4, 5 and 8, from `git merge-base` and `git rev-list` alone. */
function expectedNote(
  { top, env, git }: GitRepository,
  files: ReadonlyMap<string, readonly string[]>,
  { commit = "", file, paths }: Subject,
): string | undefined {
  const { status } = spawnSync("git", ["merge-base", "--is-ancestor", commit, "HEAD"], { cwd: top, env });
  if (status === 1) return elsewhere(commit);
  const specs = paths.length === 0 ? ["."] : paths;
  const exclusion = ":(exclude,glob)**/.threadmind/**";
  const list = git("rev-list", "--full-history", "--no-merges", `${commit}..HEAD`, "--", ...specs, exclusion);
  const counted = list.split("\n").filter((id) => id !== "" && !files.get(id)?.includes(file)).length;
  if (counted === 0) return undefined;
  if (paths.length > 0) return changed(counted, paths.join(", "));
  return counted === 1 ? "_Written 1 commit ago._" : `_Written ${counted} commits ago._`;
}

const HISTORIES = 12;
const notes: (string | undefined)[] = [];

for (let seed = 1; seed <= HISTORIES; seed++) {
  test(`\`readStaleNotes()\` counts as \`git rev-list\` does in history ${seed}, one thread or several at a time`, async () => {
    const random = seeded(seed);
    const repository = gitRepository();
    const ids = importHistory(repository, makeHistory(random, 40 + random.next(60)));
    repository.git("config", "log.showRoot", "false");
    const files = changedFiles(repository);
    const subjects = THREADS.map((id, index): Subject => {
      const paths = PATHS[index] ?? [];
      return { id, file: threadFile(id), paths, commit: random.pick(ids), fingerprint: undefined };
    });
    const expected = new Map(subjects.map((subject) => [subject.id, expectedNote(repository, files, subject)]));
    notes.push(...expected.values());
    const git = openGit(repository.top);
    const together = await readStaleNotes(git, repository.top, subjects);
    const alone = await Promise.all(subjects.map((subject) => readStaleNotes(git, repository.top, [subject])));
    const list = (read: (id: string, index: number) => string | undefined): (string | undefined)[] =>
      THREADS.map((id, index) => read(id, index));
    expect(list((id) => together.get(id))).toEqual(list((id) => expected.get(id)));
    expect(list((id, index) => alone[index]?.get(id))).toEqual(list((id) => expected.get(id)));
  });
}

test("the histories give commits elsewhere, no, one and many commits to count", () => {
  expect(notes).toHaveLength(HISTORIES * THREADS.length);
  const kinds = [/not in this repository/, /^_⚠ 1 commit changed/, /^_⚠ \d\d commits changed/, /^_Written/];
  for (const kind of kinds) expect(notes.some((note) => kind.test(note ?? ""))).toBe(true);
  expect(notes).toContain(undefined);
});
