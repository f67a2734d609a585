import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRepositoryTop, type Git, openGit } from "../../src/io/git.ts";
import { isCommitId } from "../../src/io/git_folder.ts";
import { fakeGit, underPath } from "../support/fake_git.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { useOwnHome } from "./stamped_repository.ts";

useOwnHome();

const ABSENT = "1".repeat(40);

function open(folder: string): Git {
  const git = openGit(folder);
  if (git === undefined) throw new Error(`There is no repository in ${folder}`);
  return git;
}

test("`isCommitId()` knows full ids in lower case only", () => {
  expect(["a".repeat(40), "0".repeat(64)].filter(isCommitId)).toHaveLength(2);
  const others = [
    "",
    "HEAD",
    "main",
    "abc1234",
    "A".repeat(40),
    "a".repeat(41),
    "a".repeat(63),
    "--output=x",
    `${"a".repeat(40)}\n`,
  ];
  expect(others.filter(isCommitId)).toEqual([]);
});

test("`findRepositoryTop()` finds the nearest folder with git's folder or file", () => {
  const { top } = gitRepository();
  mkdirSync(join(top, "a/b"), { recursive: true });
  expect(findRepositoryTop(join(top, "a/b"))).toBe(top);
  expect(findRepositoryTop(top)).toBe(top);
  mkdirSync(join(top, "a/.git"));
  expect(findRepositoryTop(join(top, "a/b"))).toBe(top);
  writeFileSync(join(top, "a/b/.git"), "gitdir: elsewhere\n");
  expect(findRepositoryTop(join(top, "a/b"))).toBe(join(top, "a/b"));
});

test("`findRepositoryTop()` finds nothing outside a repository", () => {
  expect(findRepositoryTop(temporaryFolder())).toBeUndefined();
});

test("`openGit()` opens nothing outside a repository, or where git's file leads nowhere", () => {
  const folder = temporaryFolder();
  expect(openGit(folder)).toBeUndefined();
  writeFileSync(join(folder, ".git"), "gitdir: elsewhere\n");
  expect(openGit(folder)).toBeUndefined();
});

test("`openGit()` opens nothing without git on the PATH", async () => {
  const { top } = gitRepository();
  expect(await underPath(temporaryFolder(), async () => openGit(top))).toBeUndefined();
  expect(await underPath("", async () => openGit(top))).toBeUndefined();
});

test("`openGit()` passes over a git in the repository, in a relative folder, or that can't be run", async () => {
  const repository = gitRepository();
  const { top } = repository;
  const id = repository.commit("Start");
  const evil = `touch '${join(top, "ran")}'`;
  mkdirSync(join(top, "bin"));
  fakeGit(evil, join(top, "bin"));
  const inert = temporaryFolder();
  writeFileSync(join(inert, "git"), "no program");
  const path = ["bin", ".", "", join(top, "bin"), top, inert, process.env.PATH].join(":");
  expect(await underPath(path, () => open(top).commitId())).toBe(id);
  expect(existsSync(join(top, "ran"))).toBe(false);
});

test("`openGit().commitId()` gives the checked-out commit, and none before the first", async () => {
  const repository = gitRepository();
  const git = open(repository.top);
  expect(await git.commitId()).toBeUndefined();
  const id = repository.commit("Start");
  expect(await git.commitId()).toBe(id);
  repository.commit("More");
  repository.git("update-ref", "refs/heads/HEAD", id);
  expect(await git.commitId()).toBe(repository.git("rev-parse", "@"));
});

test("`openGit().isShallow` is true for as long as the clone is one", () => {
  const origin = gitRepository();
  origin.commit("One");
  origin.commit("Two");
  const clone = join(temporaryFolder("clone"), "clone");
  origin.git("clone", "--quiet", "--depth", "1", `file://${origin.top}`, clone);
  const git = open(clone);
  expect(git.isShallow).toBe(true);
  expect(git.shallowCommits().size).toBe(1);
  origin.git("-C", clone, "fetch", "--quiet", "--unshallow");
  expect(git.isShallow).toBe(false);
  expect(open(origin.top).isShallow).toBe(false);
});

const DEFAULT_BRANCHES: readonly (readonly [name: string, commands: readonly string[], branch: string | undefined])[] =
  [
    ["none while nothing is committed", [], undefined],
    ["main", ["branch -m main", "branch master", "config init.defaultBranch gone"], "main"],
    ["master without main", ["branch -m master"], "master"],
    ["the configured one that exists", ["branch trunk", "config init.defaultBranch trunk"], "trunk"],
    [
      "the remote's, before all others",
      ["update-ref refs/remotes/origin/dev HEAD", "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/dev"],
      "dev",
    ],
    ["none among other names", ["branch -m one", "branch two"], undefined],
  ];

for (const [name, commands, branch] of DEFAULT_BRANCHES) {
  test(`\`openGit().defaultBranch()\` is ${name}`, async () => {
    const repository = gitRepository();
    if (commands.length > 0) repository.commit("Start");
    for (const command of commands) repository.git(...command.split(" "));
    expect(await open(repository.top).defaultBranch()).toBe(branch);
  });
}

test("`openGit().user()` gives the name and e-mail that git would use", async () => {
  const repository = gitRepository();
  const git = open(repository.top);
  expect(await git.user()).toEqual({ name: "Sam Doe", email: "sam@example.org" });
  repository.git("config", "user.name", "Zoë\tDoe");
  expect(await git.user()).toEqual({ name: "Zoë\tDoe", email: "sam@example.org" });
});

test("`openGit().user()` knows no one where nothing is configured", async () => {
  const { top } = gitRepository();
  const home = process.env.HOME;
  process.env.HOME = temporaryFolder("empty-home");
  try {
    expect(await open(top).user()).toEqual({ name: undefined, email: undefined });
  } finally {
    process.env.HOME = home;
  }
});

test("`openGit().isAncestor()` tells ancestors, others, and commits that aren't there", async () => {
  const repository = gitRepository();
  const first = repository.commit("One");
  const other = repository.commit("Two");
  repository.git("reset", "--quiet", "--hard", first);
  const second = repository.commit("Three");
  const git = open(repository.top);
  const asked = [first, second, other, ABSENT, "--help"].map((id) => git.isAncestor(id));
  expect(await Promise.all(asked)).toEqual(["yes", "yes", "no", "unknown", "unknown"]);
});

test("`openGit().existing()` gives the commits that are there", async () => {
  const repository = gitRepository();
  const commit = repository.commit("One", { "a.txt": "a\n" });
  const blob = repository.git("rev-parse", "HEAD:a.txt");
  expect(await open(repository.top).existing([ABSENT, commit, blob])).toEqual(new Set([commit]));
});

test("`openGit().changes()` gives each commit's files as they are named, and no merges", async () => {
  const repository = gitRepository();
  const { git, commit, top } = repository;
  const start = commit("Start", { "src/a.txt": "a\n" });
  const strange = commit("Strange", { "src/\nx": "a\n", 'src/é \t"': "a\n", "lib/b.txt": "b\n" });
  git("checkout", "--quiet", "-b", "side", start);
  const side = commit("Side", { "src/[id]/a.txt": "a\n" });
  const empty = commit("Empty");
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "--no-edit", "side");
  const all = await open(top).changes(start, undefined);
  const byId = Object.fromEntries((all ?? []).map(({ id, files }) => [id, files.toSorted()]));
  expect(byId).toEqual({
    [start]: ["src/a.txt"],
    [strange]: ["lib/b.txt", "src/\nx", 'src/é \t"'],
    [side]: ["src/[id]/a.txt"],
    [empty]: [],
  });
  const some = await open(top).changes(strange, ["src/[id]", "src/a*"]);
  expect(some?.map(({ id, parents, files }) => ({ id, parents, files }))).toEqual([
    { id: side, parents: [start], files: ["src/[id]/a.txt"] },
  ]);
  expect(await open(top).changes(ABSENT, undefined)).toBeUndefined();
});

test("`openGit().parents()` names the commit it goes back to only where HEAD descends from it", async () => {
  const repository = gitRepository();
  const { commit, top } = repository;
  const one = commit("One");
  const two = commit("Two");
  const three = commit("Three");
  const git = open(top);
  const ids = async (since: string): Promise<string[] | undefined> => (await git.parents(since))?.map(({ id }) => id);
  expect(await ids(two)).toEqual([three, two]);
  expect(await ids(three)).toEqual([three]);
  expect(await ids(one)).toEqual([three, two, one]);
  repository.git("checkout", "--quiet", "--detach", one);
  expect(await ids(two)).toEqual([]);
});

test("`openGit().forkPoint()` gives the nearest commit that all descend from", async () => {
  const repository = gitRepository();
  const start = repository.commit("Start");
  const main = repository.commit("Main");
  repository.git("checkout", "--quiet", "-b", "side", start);
  const side = repository.commit("Side");
  const git = open(repository.top);
  expect(await git.forkPoint([main, side])).toBe(start);
  repository.git("checkout", "--quiet", "--orphan", "other");
  expect(await git.forkPoint([main, repository.commit("Other root")])).toBeUndefined();
});

test("`openGit()` gives no answers in a folder that has gone", async () => {
  const { top } = gitRepository();
  const git = open(top);
  rmSync(top, { recursive: true });
  expect(await git.commitId()).toBeUndefined();
  expect(await git.list(["."])).toBeUndefined();
  expect(await git.hash(["a"])).toBeUndefined();
  expect(await git.isAncestor(ABSENT)).toBeUndefined();
});
