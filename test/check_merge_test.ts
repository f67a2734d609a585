import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Result, run } from "./support/binary.ts";
import { fakeGit, pathWith } from "./support/fake_git.ts";
import { readThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const BODY = "## Decisions\n- JWT\n- Argon2\n- cookies\n- rate limits\n- audit log\n";

/** A team's repository whose threads are Sam's, with Kim's branch checked out; main and the branch have each gone on. */
function parted({ inOther = "pay" }: { readonly inOther?: "pay" | "auth" } = {}): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body: BODY }, pay: { body: BODY } });
  const file = ".threadmind/projects/app.json";
  repository.write(file, repository.read(file).replace('"solo"', '"team"'));
  repository.commit("Start");
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.write("src/a.ts", "1\n");
  commitAsKim(repository, "Code");
  repository.git("checkout", "--quiet", "main");
  edit(repository, inOther, (text) => text.replace("- JWT", "- sessions"));
  repository.commit("Sam's own change");
  repository.git("checkout", "--quiet", "feature");
  return repository;
}

function edit({ top }: GitRepository, id: string, change: (text: string) => string): void {
  writeFileSync(threadFile(top, id), change(readThread(top, id)));
}

function commitAsKim({ git }: GitRepository, message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message, "--author", "Kim Lee <kim@example.org>");
}

/** Merges a branch as Kim, who then changes the files before the commit. */
function merge(repository: GitRepository, change: () => void, { other = "main", hasConflict = false } = {}): void {
  const start = ["merge", "--quiet", "--no-ff", "--no-commit", other];
  if (hasConflict) expect(() => repository.git(...start)).toThrow();
  else repository.git(...start);
  change();
  commitAsKim(repository, "Merge branch main");
}

async function check({ top, home }: GitRepository, env: Record<string, string> = {}): Promise<Result> {
  return await run(["check", "--base", "main"], { cwd: top, home, env });
}

const EDITS: Readonly<Record<string, (on: GitRepository) => void>> = {
  "a line of a file that only one side has": (on) =>
    edit(on, "auth", (text) => text.replace("- JWT", "- no auth at all")),
  "a line that main brought": (on) => edit(on, "pay", (text) => text.replace("- sessions", "- nothing")),
  "what main brought back to what it was": (on) => edit(on, "pay", (text) => text.replace("- sessions", "- JWT")),
  "a file away": ({ git }) => git("rm", "--quiet", "--force", ".threadmind/threads/app/auth.md"),
  "a project's mode": ({ write, read }) =>
    write(".threadmind/projects/app.json", read(".threadmind/projects/app.json").replace('"team"', '"solo"')),
};

for (const [what, change] of Object.entries(EDITS)) {
  test(`check --base counts it as an edit when a merge changes ${what}`, async () => {
    const repository = parted();
    merge(repository, () => change(repository));
    const before = snapshot(join(repository.top, ".git/objects"));
    const { code, stdout } = await check(repository);
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/It belongs to sam-doe-b3c8.* and Kim Lee (changed|deleted) it in a merge/),
    ]);
    // The merge was made again without a trace.
    expect(snapshot(join(repository.top, ".git/objects"))).toEqual(before);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("threadmind-merge-"))).toEqual([]);
  });
}

test("check --base lets a merge bring what main did, and its author settle conflicts and stamps", async () => {
  const clean = parted();
  merge(clean, () => undefined);
  expect(await check(clean)).toMatchObject({ code: 0, stdout: "3 threads checked: nothing to mend.\n" });

  const stamped = parted();
  merge(stamped, () =>
    edit(stamped, "auth", (text) => text.replace("\n---\n\n", `\ncommit: ${"a".repeat(40)}\n---\n\n`)),
  );
  expect((await check(stamped)).code).toBe(0);

  const settled = parted({ inOther: "auth" });
  edit(settled, "auth", (text) => `${text.replace("- JWT", "- tokens")}`);
  settled.commit("Sam, on the branch");
  merge(
    settled,
    () => edit(settled, "auth", (text) => text.replace(/<<<<<<<[\s\S]*>>>>>>>.*/, "- sessions and tokens")),
    { hasConflict: true },
  );
  expect((await check(settled)).code).toBe(0);
});

test("check --base lets a merge be what git or ThreadMind makes of two sides, whichever this clone has", async () => {
  for (const hasOwn of [true, false]) {
    const repository = parted();
    const install = async (option: string): Promise<void> => {
      const { code } = await run(["resolve", option], { cwd: repository.top, home: repository.home });
      expect(code).toBe(0);
    };
    // Both decide the same in different places: git keeps it twice, ThreadMind once.
    repository.git("checkout", "--quiet", "main");
    edit(repository, "auth", (text) => text.replace("- JWT", "- CSRF tokens\n- JWT"));
    repository.commit("Sam, on main");
    repository.git("checkout", "--quiet", "feature");
    edit(repository, "auth", (text) => `${text}- CSRF tokens\n- webhooks\n`);
    repository.commit("Sam, on the branch");
    await install("--install");
    repository.commit("Attributes");
    if (!hasOwn) await install("--uninstall");
    merge(repository, () => undefined);
    expect(readThread(repository.top, "auth").split("CSRF")).toHaveLength(hasOwn ? 2 : 3);
    for (const option of ["--install", "--uninstall"]) {
      await install(option);
      expect((await check(repository)).stdout).not.toContain("It belongs to");
    }
  }
});

test("check --base finds an edit in a merge of more than two sides", async () => {
  for (const [change, code] of [
    [(text: string) => text.replace("- JWT", "- no auth at all"), 3],
    [(text: string) => text, 0],
  ] as const) {
    const repository = parted();
    repository.git("checkout", "--quiet", "-b", "other", "feature~1");
    repository.write("src/b.ts", "1\n");
    commitAsKim(repository, "More code");
    repository.git("checkout", "--quiet", "feature");
    repository.git("merge", "--quiet", "--no-ff", "--no-commit", "main", "other");
    edit(repository, "auth", change);
    commitAsKim(repository, "Merge both");
    expect(repository.git("rev-list", "--parents", "--max-count=1", "HEAD").split(" ")).toHaveLength(4);
    expect((await check(repository)).code).toBe(code);
  }
});

test("check --base asks nobody's leave for merges of one's own threads", async () => {
  const repository = parted();
  repository.git("merge", "--quiet", "--no-ff", "--no-commit", "main");
  edit(repository, "auth", (text) => text.replace("- JWT", "- mine"));
  repository.commit("Merge branch main");
  expect((await check(repository)).code).toBe(0);
});

test("check --base says of which merges an old git can't tell", async () => {
  const repository = parted();
  merge(repository, () => edit(repository, "auth", (text) => text.replace("- JWT", "- no auth at all")));
  const old = fakeGit('for word; do [ "$word" != merge-tree ] || exit 129; done\nexec "$GIT" "$@"');
  const { code, stdout } = await check(repository, { PATH: pathWith(old) });
  expect([code, stdout]).toEqual([0, expect.stringContaining("git can't tell what Kim Lee changed in the merge ")]);
  expect(stdout).toContain("git 2.38");
  expect(stdout).not.toContain("nothing to mend");
  const strict = await run(["check", "--base", "main", "--strict"], {
    cwd: repository.top,
    home: repository.home,
    env: { PATH: pathWith(old) },
  });
  expect(strict.code).toBe(3);
});

test("check --base leaves out what a branch has of its base over several merges", async () => {
  const repository = parted();
  repository.git("checkout", "--quiet", "main");
  edit(repository, "pay", (text) => text.replace("- cookies", "- headers"));
  commitAsKim(repository, "On main, as Sam agreed");
  // Two merges that cross, so that the two have two commits where they parted.
  repository.git("checkout", "--quiet", "feature");
  repository.write("src/b.ts", "1\n");
  // git names the newest of them first.
  repository.env.GIT_COMMITTER_DATE = "2038-01-01T00:00:00Z";
  commitAsKim(repository, "More code");
  delete repository.env.GIT_COMMITTER_DATE;
  repository.git("branch", "point");
  merge(repository, () => undefined);
  repository.git("checkout", "--quiet", "main");
  repository.git("merge", "--quiet", "--no-ff", "--no-edit", "point");
  for (const [from, to] of [
    ["main", "feature"],
    ["feature", "main"],
  ] as const) {
    repository.git("checkout", "--quiet", to);
    expect(repository.git("merge-base", "--all", from, to).split("\n")).toEqual([
      repository.git("rev-parse", "point"),
      expect.any(String),
    ]);
    const { code } = await run(["check", "--base", from], { cwd: repository.top, home: repository.home });
    expect([to, code]).toEqual([to, 0]);
  }
});

test("check --base blames nobody where a shallow clone's history ends", async () => {
  const repository = parted();
  const end = repository.git("rev-parse", "HEAD");
  edit(repository, "auth", (text) => text.replace("- JWT", "- tokens"));
  repository.commit("Sam, on the branch");
  merge(repository, () => undefined);
  const clone = join(temporaryFolder(), "clone");
  repository.git("clone", "--quiet", `file://${repository.top}`, clone);
  writeFileSync(join(clone, ".git/shallow"), `${end}\n`);
  const { code, stderr } = await run(["check", "--base", "origin/main"], { cwd: clone, home: repository.home });
  expect([code, stderr.includes("fetch-depth: 0")]).toEqual([2, true]);
});
