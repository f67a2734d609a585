import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const NOTE = "(earlier history isn't in this shallow clone)";

/** A repository whose thread `a` was written in the first two of four commits, the others being someone else's. */
async function shop(): Promise<GitRepository> {
  const repository = gitRepository();
  const tm = (...args: readonly string[]) => run(args, { cwd: repository.top });
  await tm("project", "create", "Shop");
  await tm("create", "A");
  await tm("summary", "--content", "## Decisions\n- one");
  repository.commit("First");
  await tm("summary", "--content", "## Decisions\n- two");
  repository.commit("Second");
  repository.git("config", "user.name", "Stranger");
  repository.commit("Unrelated 1", { x: "1" });
  repository.commit("Unrelated 2", { x: "2" });
  return repository;
}

/** The thread's history in a clone of so many commits, without its ids and dates; `change` is made there first. */
async function historyIn({ top, git }: GitRepository, depth: number, change?: string): Promise<string[]> {
  const clone = join(temporaryFolder("clone"), "clone");
  git("clone", "--quiet", "--depth", String(depth), `file://${top}`, clone);
  if (change !== undefined) await run(["summary", "a", "--content", change], { cwd: clone });
  const { stdout } = await run(["history", "a"], { cwd: clone });
  const json = JSON.parse((await run(["history", "a", "--json"], { cwd: clone })).stdout);
  for (const { by, subject, changes } of json.versions)
    expect([subject, by === "Stranger", changes.includes("created")]).not.toEqual([undefined, true, true]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^(git|kept)-\w+/, "$1").replace(/ \d{4}-\S+ \S+ /, ""));
}

test("where a shallow clone ends, nobody is credited and nothing is said to be created", async () => {
  const repository = await shop();
  expect(await historyIn(repository, 1)).toEqual([`current  ${NOTE}`]);
  expect(await historyIn(repository, 2)).toEqual([`current  ${NOTE}`]);
  expect(await historyIn(repository, 3)).toEqual([`current  ${NOTE}`]);
  expect(await historyIn(repository, 1, "## Decisions\n- three")).toEqual([
    "current  (Decisions +1 −1)",
    `git  ${NOTE}`,
  ]);
});

test("a clone that has the real first commit tells who made it", async () => {
  const repository = await shop();
  const whole = ["current  (Decisions +1 −1)", "git  Sam Doe: First  (created, Decisions +1)"];
  expect(await historyIn(repository, 4)).toEqual(whole);
  expect(await historyIn(repository, 9)).toEqual(whole);
});

test("a thread that begins in a shallow clone is created there", async () => {
  const repository = await shop();
  const clone = join(temporaryFolder("clone"), "clone");
  repository.git("clone", "--quiet", "--depth", "1", `file://${repository.top}`, clone);
  await run(["create", "B"], { cwd: clone });
  expect((await run(["history", "b"], { cwd: clone })).stdout).toBe("current  (created)\n");
});

test("what a shallow clone doesn't know isn't said to be never there", async () => {
  const repository = await shop();
  await run(["create", "Gone"], { cwd: repository.top });
  repository.commit("Third");
  await run(["delete", "gone"], { cwd: repository.top });
  repository.commit("Fourth");
  repository.commit("Unrelated 3", { x: "3" });
  const clone = join(temporaryFolder("clone"), "clone");
  const whole = join(temporaryFolder("clone"), "whole");
  repository.git("clone", "--quiet", "--depth", "1", `file://${repository.top}`, clone);
  repository.git("clone", "--quiet", `file://${repository.top}`, whole);
  for (const [cwd, isCutOff] of [
    [clone, true],
    [whole, false],
  ] as const) {
    const { stdout } = await run(["history"], { cwd });
    expect([stdout.includes(NOTE), stdout.includes("gone")]).toEqual([isCutOff, !isCutOff]);
    expect(JSON.parse((await run(["history", "--json"], { cwd })).stdout).isCutOff).toBe(isCutOff);
    for (const words of [
      ["history", "lost"],
      ["restore", "lost"],
    ]) {
      const { stderr } = await run(words, { cwd });
      expect([stderr.includes('Cannot find the thread "lost"'), stderr.includes(NOTE)]).toEqual([true, isCutOff]);
    }
  }
  expect((await run(["restore", "gone"], { cwd: clone })).stderr).toContain(NOTE);
  expect((await run(["history", "gone"], { cwd: clone })).stderr).toContain(NOTE);
  await run(["create", "New"], { cwd: clone });
  await run(["delete", "new"], { cwd: clone });
  const { stdout } = await run(["history"], { cwd: clone });
  expect([stdout.includes("new"), stdout.includes(NOTE)]).toEqual([true, true]);
});

test("a thread whose file can't be read isn't said to have no versions", async () => {
  const { top } = await shop();
  const files = join(top, ".threadmind/threads/shop");
  writeFileSync(join(files, "bad.md"), "\xff", "latin1");
  const { code, stderr } = await run(["history", "bad"], { cwd: top });
  expect([code, stderr]).toEqual([1, expect.stringContaining("shop/bad.md:1: It is not UTF-8.")]);
  writeFileSync(join(files, "a.md"), "\xff", "latin1");
  const { stdout } = await run(["history", "a"], { cwd: top });
  expect(stdout).toContain("shop/a.md can't be read now: It is not UTF-8.");
  expect(stdout).toContain("Sam Doe: First");
});
