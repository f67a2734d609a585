import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Result, run, spawn } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { countingGit, fakeGit, pathWith } from "./support/fake_git.ts";
import { hook } from "./support/hooks.ts";
import { snapshot, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const IGNORE = ".threadmind/.gitignore";
const CONFIG = ".threadmind/config.json";

/** A repository that has begun to use ThreadMind on the branch adopt, back on main. */
function adopted(): GitRepository {
  const repository = gitRepository();
  repository.commit("Code", { "src/a.ts": "1\n" });
  repository.git("checkout", "--quiet", "-b", "adopt");
  writeProject(repository.top);
  repository.write(IGNORE, "config.json\nlocal/\n");
  repository.write(".threadmind/.gitattributes", "threads/** merge=threadmind\n");
  repository.write(CONFIG, '{"version": 1, "activeProjectId": "app", "activeThreadId": "main"}\n');
  repository.commit("Adopt");
  repository.git("checkout", "--quiet", "main");
  return repository;
}

const cli = ({ top, home }: GitRepository, ...words: readonly string[]): Promise<Result> =>
  run(words, { cwd: top, home });

const status = ({ git }: GitRepository): string => git("status", "--porcelain", "--untracked-files=all");

/** Lets the SessionStart hook run on main, which hides the state. */
async function hidden(): Promise<GitRepository> {
  const repository = adopted();
  expect(status(repository)).toBe(`?? ${CONFIG}`);
  await hook(repository, "session-start", { source: "startup", session_id: "s1" });
  expect(status(repository)).toBe("");
  return repository;
}

const NAMED = /has no ThreadMind project on the branch main; adopt has one \(app\)/;

test("on a branch without a project every surface names the branch that has one", async () => {
  const repository = adopted();
  for (const words of [
    ["tree"],
    ["context"],
    ["summary", "--content", "x"],
    ["stats"],
    ["view", "--output", "v.html"],
  ]) {
    const { stderr, code } = await cli(repository, ...words);
    expect([code, stderr]).toEqual([1, expect.stringMatching(NAMED)]);
    expect(stderr).toContain("Check that branch out (git checkout adopt), or merge it (git merge adopt)");
    expect(stderr).toContain("to begin another project: threadmind project create TITLE.");
  }
  expect((await cli(repository, "project", "list")).stdout).toContain("on the branch main; adopt has one (app)");
  expect((await cli(repository, "doctor")).stdout).toContain("Project    none on the branch main; adopt has one (app)");
  const { call, close } = await openClient({ cwd: repository.top, home: repository.home });
  for (const tool of ["context_get", "thread_list"]) {
    const { text, isError } = await call(tool);
    expect([isError, text]).toEqual([true, expect.stringMatching(NAMED)]);
    expect(text).toContain("to begin another project: project_create.");
  }
  await close();
  rmSync(join(repository.top, ".threadmind"), { recursive: true });
  for (const verb of ["tree", "check", "doctor"])
    expect((await cli(repository, verb)).stderr).toContain("on the branch main; adopt has one (app)");
});

const PLACES: Readonly<Record<string, readonly [(repository: GitRepository) => GitRepository, string, string]>> = {
  "a branch of a remote": [
    (repository) => {
      const top = join(temporaryFolder(), "clone");
      repository.git("clone", "--quiet", `file://${repository.top}`, top);
      return { ...gitRepository({ top, home: repository.home }) };
    },
    "; origin/adopt has one (app)",
    "(git checkout adopt), or merge it (git merge origin/adopt)",
  ],
  "the history, where a commit removed it": [
    (repository) => {
      repository.git("merge", "--quiet", "adopt");
      repository.git("rm", "--quiet", "-r", ".threadmind");
      repository.commit("Away");
      repository.git("branch", "--quiet", "-D", "adopt");
      return repository;
    },
    "any more: the commit",
    '~1 -- ":(top,literal).threadmind" brings it back',
  ],
  "HEAD, whose files are gone from the disk": [
    (repository) => {
      repository.git("checkout", "--quiet", "adopt");
      rmSync(join(repository.top, ".threadmind/projects"), { recursive: true });
      return repository;
    },
    "git has one on this branch (app)",
    'git checkout HEAD -- ":(top,literal).threadmind',
  ],
  "config.json alone": [
    (repository) => {
      repository.git("branch", "--quiet", "-D", "adopt");
      return repository;
    },
    ", though app was active in this checkout",
    "No branch here has it; git stash list or git reflog may tell; to begin another project:",
  ],
  nothing: [
    (repository) => {
      repository.git("branch", "--quiet", "-D", "adopt");
      rmSync(join(repository.top, ".threadmind"), { recursive: true });
      return repository;
    },
    "has no ThreadMind project.",
    "Create one with threadmind project create TITLE.",
  ],
};

for (const [place, [arrange, state, step]] of Object.entries(PLACES)) {
  test(`the error without a project tells what is known from ${place}`, async () => {
    const { stderr, code } = await cli(arrange(adopted()), "tree");
    expect([code, stderr]).toEqual([1, expect.stringContaining(state)]);
    expect(stderr).toContain(step);
  });
}

test("the error without a project tells a branch's project from inside a folder of the repository, and works without git", async () => {
  const repository = gitRepository();
  repository.commit("Code", { "apps/shop/a.ts": "1\n" });
  repository.git("checkout", "--quiet", "-b", "feature/shop");
  writeProject(join(repository.top, "apps/shop"));
  repository.commit("Adopt");
  repository.git("checkout", "--quiet", "main");
  const shop = { ...repository, top: join(repository.top, "apps/shop") };
  const { stderr } = await cli(shop, "tree", "--root", ".");
  expect(stderr).toContain("on the branch main; feature/shop has one (app)");
  const without = await run(["tree", "--root", "."], { cwd: shop.top, home: shop.home, env: { PATH: "/nowhere" } });
  expect(without.stderr).toContain("has no ThreadMind project.\nCreate one with");
});

test("the error without a project costs a few git processes, and one that hangs costs it a single time limit", async () => {
  const { top, home } = adopted();
  const git = countingGit();
  await run(["tree"], { cwd: top, home, env: { PATH: pathWith(git.folder) } });
  expect(git.takeStarts().length).toBeLessThanOrEqual(4);
  const started = performance.now();
  const hanging = fakeGit("exec sleep 30");
  const { stderr } = await run(["tree"], { cwd: top, home, env: { PATH: pathWith(hanging) } });
  expect(stderr).toContain("has no ThreadMind project, though app was active in this checkout.");
  expect(performance.now() - started).toBeLessThan(6000);
});

test("check and doctor name state that git doesn't ignore, and doctor --fix hides it", async () => {
  const repository = adopted();
  for (const verb of ["check", "doctor"]) {
    const { stdout, code } = await cli(repository, verb);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`⚠ ${CONFIG}: git doesn't ignore 1 file of`)]);
    expect(stdout).toContain("→ threadmind doctor --fix");
  }
  expect(status(repository)).toBe(`?? ${CONFIG}`);
  expect((await cli(repository, "doctor", "--fix")).stdout).toContain(`Fixed: wrote ${IGNORE}`);
  expect(status(repository)).toBe("");
  for (const verb of ["check", "doctor"]) expect((await cli(repository, verb)).stdout).not.toContain(CONFIG);
});

test("check and doctor name state that git tracks, with the line that takes it out", async () => {
  const repository = adopted();
  repository.commit("By accident");
  expect(repository.git("ls-files", ".threadmind")).toBe(CONFIG);
  await cli(repository, "doctor", "--fix");
  for (const verb of ["check", "doctor"]) {
    const { stdout, code } = await cli(repository, verb);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`→ git rm -r --cached -- ${CONFIG}, then commit`)]);
  }
  repository.git("rm", "--quiet", "-r", "--cached", "--", CONFIG);
  repository.git("commit", "--quiet", "--message", "Out again");
  expect((await cli(repository, "check")).stdout).toBe("0 threads checked: nothing to mend.\n");
  repository.git("checkout", "--quiet", "adopt");
  expect(existsSync(join(repository.top, CONFIG))).toBe(true);
});

test("check and doctor name files of local/ that git tracks or doesn't ignore, and their lines mend that", async () => {
  const repository = adopted();
  repository.git("checkout", "--quiet", "adopt");
  for (const name of ["a", "b", "c", "d"]) repository.write(`.threadmind/local/sessions/${name}.json`, "{}\n");
  repository.git("add", "--force", ".threadmind/local");
  repository.git("commit", "--quiet", "--message", "By accident");
  const [tracked] = (await cli(repository, "check")).stdout.match(/(?<=→ )git rm .*(?=, then commit)/) ?? [];
  expect(tracked).toBe("git rm -r --cached -- .threadmind/local");
  repository.git(...(tracked ?? "").split(" ").slice(1));
  repository.git("commit", "--quiet", "--message", "Out again");
  expect((await cli(repository, "check")).stdout).toContain("nothing to mend");
  repository.write(IGNORE, "config.json\n");
  const { stdout } = await cli(repository, "check");
  expect(stdout).toContain(
    "git doesn't ignore 4 files of this checkout's own state (.threadmind/local/sessions/a.json)",
  );
  await cli(repository, "doctor", "--fix");
  expect((await cli(repository, "check")).stdout).toContain("nothing to mend");
});

const HIDERS: Readonly<Record<string, (repository: GitRepository) => Promise<unknown>>> = {
  "a SessionStart hook": (repository) => hook(repository, "session-start", { source: "startup", session_id: "s1" }),
  "a writing verb": (repository) => cli(repository, "summary", "--content", "x"),
  "a server's call": async ({ top, home }) => {
    const { call, close } = await openClient({ cwd: top, home });
    await call("context_get");
    await close();
  },
};

for (const [what, act] of Object.entries(HIDERS)) {
  test(`on a branch without a project ${what} hides this checkout's state from git`, async () => {
    const repository = adopted();
    await act(repository);
    expect(status(repository)).toBe("");
    repository.git("add", "--all");
    expect(repository.git("diff", "--cached", "--name-only")).toBe("");
  });
}

test("what only reads hides nothing, and nothing is hidden where no branch brings the file back", async () => {
  const repository = adopted();
  const before = snapshot(repository.top);
  for (const words of [
    ["tree"],
    ["context"],
    ["check"],
    ["doctor"],
    ["project", "list"],
    ["hook", "session-start", "--dry-run"],
  ])
    await cli(repository, ...words);
  expect(snapshot(repository.top)).toEqual(before);
  repository.git("branch", "--quiet", "-D", "adopt");
  for (const act of Object.values(HIDERS)) await act(repository);
  expect(existsSync(join(repository.top, IGNORE))).toBe(false);
});

const COMMANDS: Readonly<Record<string, (repository: GitRepository) => void>> = {
  checkout: ({ git }) => git("checkout", "--quiet", "adopt"),
  switch: ({ git }) => git("switch", "--quiet", "adopt"),
  "a fast-forward": ({ git }) => git("merge", "--quiet", "--ff-only", "adopt"),
  merge: ({ git, commit }) => {
    commit("Other", { "src/b.ts": "1\n" });
    git("merge", "--quiet", "--no-edit", "adopt");
  },
  rebase: ({ git, commit }) => {
    commit("Other", { "src/b.ts": "1\n" });
    git("rebase", "--quiet", "adopt");
  },
  "a rebase of the other branch": ({ git, commit }) => {
    commit("Other", { "src/b.ts": "1\n" });
    git("rebase", "--quiet", "main", "adopt");
  },
  "cherry-pick": ({ git }) => git("cherry-pick", "adopt"),
  pull: ({ git, top }) => git("pull", "--quiet", "--no-rebase", `file://${top}`, "adopt"),
  "pull --rebase": ({ git, top, commit }) => {
    commit("Other", { "src/b.ts": "1\n" });
    git("pull", "--quiet", "--rebase", `file://${top}`, "adopt");
  },
  "reset --hard": ({ git }) => git("reset", "--quiet", "--hard", "adopt"),
};

for (const [what, act] of Object.entries(COMMANDS)) {
  test(`git puts the other branch's .gitignore in the place of the one that hides the state: ${what}`, async () => {
    const repository = await hidden();
    act(repository);
    expect(repository.read(IGNORE)).toBe("config.json\nlocal/\n");
    expect(repository.read(CONFIG)).toContain('"activeProjectId": "app"');
    expect(status(repository)).toBe("");
    expect((await cli(repository, "tree")).stdout).toBe("main ← active\n");
  });
}

test("the hidden state stays through stash, clean and the way to the other branch and back", async () => {
  const repository = await hidden();
  repository.write("src/a.ts", "2\n");
  repository.git("stash", "--quiet", "--include-untracked");
  repository.git("clean", "--quiet", "--force", "-d");
  expect(repository.read(CONFIG)).toContain("app");
  repository.git("stash", "pop", "--quiet");
  expect(status(repository)).toBe(" M src/a.ts");
  repository.git("checkout", "--quiet", "adopt");
  repository.git("checkout", "--quiet", "main");
  expect(status(repository)).toBe(` M src/a.ts\n?? ${CONFIG}`);
  await cli(repository, "create", "Auth");
  expect(status(repository)).toBe(" M src/a.ts");
});

test("a project that was stashed with its .gitignore can be taken out of the stash again", async () => {
  const repository = adopted();
  await cli(repository, "project", "create", "Second");
  repository.git("stash", "--quiet", "--include-untracked");
  for (const act of Object.values(HIDERS)) await act(repository);
  repository.git("stash", "pop", "--quiet");
  expect((await cli(repository, "project", "list")).stdout).toContain("second");
});

test("a project that is created where the state was hidden brings the ordinary .gitignore", async () => {
  const repository = await hidden();
  expect((await cli(repository, "project", "create", "Second")).code).toBe(0);
  expect(repository.read(IGNORE)).toBe("config.json\nlocal/\n");
  expect(status(repository).split("\n")).toEqual([
    "?? .threadmind/.gitattributes",
    "?? .threadmind/.gitignore",
    "?? .threadmind/projects/second.json",
    "?? .threadmind/threads/second/main.md",
  ]);
  expect((await cli(repository, "check")).code).toBe(0);
});

test("where a project's file is gone or in conflict, no advice is given that would overwrite what was edited", async () => {
  const repository = adopted();
  repository.git("checkout", "--quiet", "adopt");
  const thread = ".threadmind/threads/app/main.md";
  const edited = `${readFileSync(join(repository.top, thread), "utf8")}- edited by hand\n`;
  repository.write(thread, edited);
  rmSync(join(repository.top, ".threadmind/projects/app.json"));
  const { stdout } = await cli(repository, "doctor");
  const [, line = ""] = /Bring its files back: (git checkout HEAD -- \S+?)(?=[.;]?\s)/.exec(stdout) ?? [];
  const { code } = await spawn(["sh", "-c", line], { cwd: join(repository.top, ".threadmind"), env: repository.env });
  expect([line, code]).toEqual([expect.stringContaining("projects"), 0]);
  expect(readFileSync(join(repository.top, thread), "utf8")).toBe(edited);
  expect((await cli(repository, "tree")).stdout).toContain("main");
  repository.write(".threadmind/projects/app.json", "<<<<<<< ours\n{}\n=======\n[]\n>>>>>>> theirs\n");
  const conflicted = (await cli(repository, "doctor")).stdout;
  expect(conflicted).toContain("Project    none that can be read: see below");
  expect(conflicted).not.toContain("git checkout");
});
