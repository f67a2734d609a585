import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { countingGit, pathWith } from "./support/fake_git.ts";
import { gitRepository } from "./support/temp.ts";

/** A repository with a path of every kind, and a project. */
async function shop() {
  const library = gitRepository();
  library.commit("Library", { "a/x.ts": "" });
  const repository = gitRepository();
  const { top, git, write } = repository;
  repository.commit("Start", { ".gitignore": "gen/\nforced/\n", "src/a.ts": "" });
  write("gen/a.js", "");
  write("forced/kept.js", "");
  git("add", "--force", "forced/kept.js");
  git("submodule", "--quiet", "add", library.top, "lib");
  git("commit", "--quiet", "--message", "More");
  write("new/untracked.ts", "");
  write("gone/was.ts", "");
  git("init", "--quiet", "inner");
  write("inner/y.ts", "");
  mkdirSync(join(top, "empty"));
  symlinkSync("src", join(top, "link"));
  const tm = (...args: readonly string[]) => run(args, { cwd: top });
  await tm("project", "create", "Shop");
  return { ...repository, tm };
}

const QUESTIONED: readonly (readonly [path: string, line: string])[] = [
  ["gen", "gen: git ignores it, so nothing is checked there."],
  ["gen/a.js", "gen/a.js: git ignores it, so nothing is checked there."],
  ["lib/a", "lib/a is inside the submodule lib: nothing is checked there; use lib."],
  ["inner", "inner is another repository: nothing is checked there."],
  ["inner/y.ts", "inner/y.ts is inside inner, another repository: nothing is checked there."],
  ["empty", "empty: git sees no file there, so nothing is checked until there is one."],
  ["link", "link is a link: only where it leads is checked; use what it leads to."],
  ["link/a.ts", "link/a.ts is behind the link link: nothing is checked there; use what that leads to."],
  [".threadmind/threads", ".threadmind/threads: ThreadMind's own files are never checked."],
];
const WATCHED = [".", "src", "src/a.ts", "lib", "new", "new/untracked.ts", "forced", "forced/kept.js"];
const ABOUT = /^.*(?:checked|check the spelling).*$/gm;

test("every path under which git sees nothing is questioned, each with what is so, and no other", async () => {
  const { top, tm } = await shop();
  const all = [...QUESTIONED.map(([path]) => path), ...WATCHED].flatMap((path) => ["--paths", path]);
  const lines = QUESTIONED.map(([, line]) => line);
  const client = await openClient({ cwd: top });
  await tm("create", "Other");
  const answers = [
    await tm("summary", "main", "--content", "- x", ...all),
    await tm("summary", "main", "--append", "--content", "- y", ...all.slice(2), ...all.slice(0, 2)),
    await tm("update", "main", ...all),
    await tm("verify", "main"),
    await tm("update", "other", ...all),
  ].map(({ stdout }) => stdout);
  answers.push((await client.call("thread_verify", { threadId: "main" })).text);
  await client.close();
  for (const answer of answers) expect([...(answer.match(ABOUT) ?? [])].sort()).toEqual(lines.toSorted());
});

test("a path alone is questioned as it is among others", async () => {
  const { tm } = await shop();
  for (const [path, line] of QUESTIONED) {
    expect((await tm("summary", "--content", `- ${path}`, "--paths", path)).stdout.match(ABOUT)).toEqual([line]);
    expect((await tm("verify")).stdout.match(ABOUT)).toEqual([line]);
  }
  for (const path of WATCHED) {
    const { stdout } = await tm("summary", "--content", `- ${path}`, "--paths", path);
    expect([path, stdout.match(ABOUT) ?? []]).toEqual([path, []]);
  }
  expect((await tm("update", "--paths", "none")).stdout.match(ABOUT)).toEqual([
    "none doesn't exist in the workspace: recorded as typed; check the spelling.",
  ]);
});

test("`check` and `doctor` name such paths of open threads", async () => {
  const { tm } = await shop();
  await tm("summary", "main", "--content", "- x", "--paths", "gen", "--paths", "lib/a", "--paths", "src");
  await tm("create", "Other");
  await tm("update", "other", "--paths", "gen", "--paths", "none");
  await tm("create", "Done");
  await tm("update", "done", "--paths", "gen");
  await tm("done", "done");
  for (const verb of ["check", "doctor"]) {
    const { findings } = JSON.parse((await tm(verb, "--json")).stdout);
    const found = findings
      .filter(({ code }: { code: string }) => code === "unknown-path")
      .map(({ file, message }: { file: string; message: string }) => [file.slice(-8), message]);
    expect(found).toEqual([
      ["/main.md", "gen: git ignores it, so nothing is checked there."],
      ["/main.md", "lib/a is inside the submodule lib: nothing is checked there; use lib."],
      ["other.md", "none doesn't exist in the workspace, so nothing is checked there."],
      ["other.md", "gen: git ignores it, so nothing is checked there."],
    ]);
  }
});

test("a workspace below the repository's top is asked about its own paths", async () => {
  const { top, write, tm } = await shop();
  write("part/gen/a.js", "");
  write("part/src/a.ts", "");
  const inPart = (...args: readonly string[]) => tm("--root", "part", ...args);
  await inPart("project", "create", "Part");
  const { stdout } = await inPart("summary", "--content", "- x", "--paths", "gen", "--paths", "src");
  expect(stdout.match(ABOUT)).toEqual(["gen: git ignores it, so nothing is checked there."]);
  rmSync(join(top, ".git"), { recursive: true });
  expect((await inPart("summary", "--content", "- y", "--paths", "gen")).stdout.match(ABOUT)).toBeNull();
});

test("one process at most is added, and none without paths or with paths that git sees", async () => {
  const { top, tm } = await shop();
  await tm("summary", "--content", "- x");
  const counting = countingGit();
  const count = async (...args: readonly string[]): Promise<number> => {
    await run(args, { cwd: top, env: { PATH: pathWith(counting.folder) } });
    return counting.takeStarts().length;
  };
  const without = await count("summary", "--content", "- y");
  const seen = await count("summary", "--content", "- z", "--paths", "src");
  const ignored = await count("summary", "--content", "- a", "--paths", "gen", "--paths", "gen/a.js", "--paths", "src");
  expect([seen - without <= 1, ignored - seen]).toEqual([true, 1]);
  expect((await count("verify")) - seen).toBeLessThanOrEqual(1);
});
