import { expect, test } from "bun:test";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Head, openGit } from "../../src/io/git.ts";
import { fakeGit, underPath } from "../support/fake_git.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "../support/temp.ts";
import { useOwnHome } from "./stamped_repository.ts";

useOwnHome();

const MAIN: Head = { branch: "main", isUnborn: false };
const NO_BRANCH: Head = { branch: undefined, isUnborn: false };
const UNBORN: Head = { branch: undefined, isUnborn: true };

/** What is done to a repository with one commit on main, and the folder to ask in if that is another one. */
type Arrange = (repository: GitRepository) => string | undefined;

function checkOut(branch: string): Arrange {
  return ({ git }) => {
    git("update-ref", `refs/heads/${branch}`, "HEAD");
    git("symbolic-ref", "HEAD", `refs/heads/${branch}`);
    return undefined;
  };
}

function run(...commands: readonly string[]): Arrange {
  return ({ git }) => {
    for (const command of commands) git(...command.split(" "));
    return undefined;
  };
}

/** A linked worktree; `options` say what it checks out. */
function addWorktree(options: string, ...after: readonly string[]): Arrange {
  return (repository) => {
    const tree = join(temporaryFolder("worktree"), "tree");
    repository.git("worktree", "add", "--quiet", ...options.split(" "), tree);
    run(...after)(repository);
    return tree;
  };
}

function writeHead(text: string): Arrange {
  return ({ top }) => {
    writeFileSync(join(top, ".git/HEAD"), text);
    return undefined;
  };
}

/** Leaves a rebase of main onto another branch at its conflict. */
const stopRebase: Arrange = ({ git, commit }) => {
  git("checkout", "--quiet", "-b", "other");
  commit("Theirs", { "a.txt": "theirs\n" });
  git("checkout", "--quiet", "main");
  commit("Ours", { "a.txt": "ours\n" });
  expect(() => git("rebase", "--quiet", "other")).toThrow("could not apply");
  return undefined;
};

const addSubmodule: Arrange = ({ top, git }) => {
  const other = gitRepository();
  other.commit("Start");
  git("submodule", "--quiet", "add", other.top, "lib");
  git("-C", "lib", "checkout", "--quiet", "-b", "inside");
  return join(top, "lib");
};

const BRANCHES = ["feature/auth#2", "日本/機能", "-n", "HEAD", "a.b", "main2", "@"];

const READ: readonly (readonly [state: string, arrange: Arrange, head: Head])[] = [
  ["a branch", () => undefined, MAIN],
  ...BRANCHES.map((branch) => [`the branch ${branch}`, checkOut(branch), { ...MAIN, branch }] as const),
  ["a packed branch", run("pack-refs --all"), MAIN],
  ["a branch without a commit", ({ top }) => gitRepository({ top: join(top, "new") }).top, UNBORN],
  ["a branch that isn't there yet", run("symbolic-ref HEAD refs/heads/later"), UNBORN],
  [
    "one that isn't there yet beside packed ones",
    run("branch later2", "pack-refs --all", "checkout -q --orphan later"),
    UNBORN,
  ],
  ["no branch", run("checkout --quiet --detach"), NO_BRANCH],
  ["a rebase that has stopped", stopRebase, NO_BRANCH],
  ["a bisection", run("commit -q --allow-empty -m Bad", "bisect start HEAD HEAD~1", "checkout -q HEAD~1"), NO_BRANCH],
  ["a linked worktree's branch", addWorktree("-b feature/auth"), { ...MAIN, branch: "feature/auth" }],
  ["its packed branch", addWorktree("-b feature/auth", "pack-refs --all"), { ...MAIN, branch: "feature/auth" }],
  ["a linked worktree without a branch", addWorktree("--detach"), NO_BRANCH],
  ["a submodule's branch", addSubmodule, { ...MAIN, branch: "inside" }],
];

for (const [state, arrange, head] of READ) {
  test(`\`openGit().head()\` reads ${state} from git's files`, async () => {
    const repository = gitRepository();
    repository.commit("Start");
    const folder = arrange(repository) ?? repository.top;
    const isBroken = fakeGit("exit 128");
    expect(await underPath(isBroken, async () => openGit(folder)?.head())).toEqual(head);
  });
}

const ASKED: readonly (readonly [state: string, arrange: Arrange, head: Head])[] = [
  [
    "a branch that is another name of one",
    run("symbolic-ref refs/heads/alias refs/heads/main", "checkout -q alias"),
    MAIN,
  ],
  ["a name longer than a file's can be", writeHead(`ref: refs/heads/${"x".repeat(300)}\n`), UNBORN],
  ["a name that no file can have", writeHead("ref: refs/heads/a\0b\n"), UNBORN],
  ["another way to write HEAD", writeHead("ref:  refs/heads/main \n"), MAIN],
  [
    "a HEAD outside the branches",
    run("update-ref refs/remotes/origin/x HEAD", "symbolic-ref HEAD refs/remotes/origin/x"),
    NO_BRANCH,
  ],
  ["a HEAD that leads upwards", writeHead("ref: refs/heads/../heads/main\n"), UNBORN],
  ["a broken HEAD", writeHead("nonsense\n"), NO_BRANCH],
  [
    "a HEAD that is a link",
    ({ top }) => {
      rmSync(join(top, ".git/HEAD"));
      symlinkSync("refs/heads/main", join(top, ".git/HEAD"));
      return undefined;
    },
    MAIN,
  ],
];

for (const [state, arrange, head] of ASKED) {
  test(`\`openGit().head()\` asks git about ${state}`, async () => {
    const repository = gitRepository();
    repository.commit("Start");
    arrange(repository);
    expect(await openGit(repository.top)?.head()).toEqual(head);
  });
}

test("`openGit().head()` is on the branch again when a rebase ends", async () => {
  const repository = gitRepository();
  repository.commit("Start");
  stopRebase(repository);
  const git = openGit(repository.top);
  expect(await git?.head()).toEqual(NO_BRANCH);
  repository.git("rebase", "--abort");
  expect(await git?.head()).toEqual(MAIN);
});

const reftable = gitRepository();
const hasReftable = Bun.spawnSync(["git", "init", "--quiet", "--ref-format=reftable", "with"], {
  cwd: reftable.top,
  stderr: "ignore",
}).success;

test.skipIf(!hasReftable)("`openGit().head()` reads a repository that keeps its refs in tables", async () => {
  const repository = gitRepository({ top: join(reftable.top, "with") });
  expect(await openGit(repository.top)?.head()).toEqual(UNBORN);
  repository.commit("Start");
  expect(await openGit(repository.top)?.head()).toEqual(MAIN);
  repository.git("checkout", "--quiet", "-b", "feature/auth");
  expect(await openGit(repository.top)?.head()).toEqual({ ...MAIN, branch: "feature/auth" });
});
