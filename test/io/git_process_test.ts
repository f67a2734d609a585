import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findGitProgram, runGit } from "../../src/io/git_process.ts";
import { fakeGit, underPath } from "../support/fake_git.ts";
import { temporaryFolder } from "../support/temp.ts";

setDefaultTimeout(60_000);

test("`runGit()` gives git's exit code and output", async () => {
  const folder = fakeGit("printf 'a\\0é\\n'; exit 3");
  expect(await runGit(join(folder, "git"), folder, [])).toMatchObject({ code: 3, stdout: "a\0é\n" });
});

test("`runGit()` closes git's input, or gives it what it is to read", async () => {
  const folder = fakeGit('read line; printf "%s" "$line"');
  expect((await runGit(join(folder, "git"), folder, [])).stdout).toBe("");
  expect((await runGit(join(folder, "git"), folder, [], "a line\n")).stdout).toBe("a line");
});

test("`runGit()` doesn't mind a git that reads none of a long input", async () => {
  const folder = fakeGit("exit 1");
  expect((await runGit(join(folder, "git"), folder, [], "x".repeat(4_000_000))).code).toBe(1);
});

test("`runGit()` has no answer from a git that takes more than two seconds", async () => {
  const folder = fakeGit("sleep 30");
  const started = performance.now();
  const answer = await runGit(join(folder, "git"), folder, []);
  expect(answer).toMatchObject({ code: undefined, stdout: "" });
  expect(performance.now() - started).toBeWithin(1900, 6000);
});

test("`runGit()` has no answer from what isn't a program", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "git");
  writeFileSync(file, "#!/no/such/interpreter\n");
  chmodSync(file, 0o755);
  const started = performance.now();
  expect(await runGit(file, folder, [])).toMatchObject({ code: undefined, stdout: "" });
  expect(await runGit(join(folder, "gone"), folder, [])).toMatchObject({ code: undefined, stdout: "" });
  expect(performance.now() - started).toBeLessThan(1900);
});

test("`runGit()` passes on none of git's variables, and its own", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "variables");
  fakeGit(`env > '${file}'`, folder);
  const variables = [
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_TRACE",
    "GIT_EXTERNAL_DIFF",
    "BUN_OPTIONS",
  ];
  for (const name of variables) process.env[name] = join(folder, "wrong");
  try {
    await runGit(join(folder, "git"), folder, []);
  } finally {
    for (const name of variables) delete process.env[name];
  }
  const seen = readFileSync(file, "utf8").split("\n");
  expect(seen.filter((line) => line.endsWith("/wrong"))).toEqual([]);
  for (const line of [
    ...["GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"],
    ...["LC_ALL=C", "GIT_PAGER=cat", "GIT_EDITOR=:"],
  ]) {
    expect(seen).toContain(line);
  }
});

test("`findGitProgram()` passes over folders that are relative or inside the repository", async () => {
  const top = temporaryFolder();
  fakeGit("exit 0", top);
  const outside = fakeGit("exit 0");
  expect(await underPath(top, async () => findGitProgram(top))).toBeUndefined();
  expect(await underPath(`${top}:relative::${outside}`, async () => findGitProgram(top))).toBe(join(outside, "git"));
});
