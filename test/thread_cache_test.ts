import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { renderThread, type ThreadText, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

const SETTLED_MS = 2200;

/** A project with threads of every kind, more than it takes for a cache. */
async function largeProject(): Promise<GitRepository> {
  const threads: Record<string, ThreadText> = {};
  for (let at = 0; at < 260; at++) {
    const status = at % 7 === 6 ? { status: at % 2 === 0 ? ("done" as const) : ("abandoned" as const) } : {};
    threads[`t${at}`] = {
      parentId: at < 4 ? (at === 0 ? "main" : `t${at - 1}`) : `t${at % 4}`,
      title: `Thread number ${at}`,
      body: `## Decisions\n- decision ${at} about JWT\n${at % 7 === 6 ? "- Abandoned: too slow\n" : ""}\n## State\n- begun\n`,
      ...status,
    };
  }
  threads.pay = { branch: "feature/pay", parentId: "t3", body: "## Decisions\n- cards\n" };
  const repository = gitRepository();
  writeProject(repository.top, threads);
  writeFileSync(threadFile(repository.top, "bad"), "---\nid: bad\n");
  writeFileSync(
    threadFile(repository.top, "torn"),
    renderThread("torn", { body: "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n" }),
  );
  writeFileSync(
    threadFile(repository.top, "rich"),
    renderThread("rich", {}).replace("title: rich", "title: >-\n  a rich\n  title"),
  );
  repository.write(".threadmind/.gitignore", "config.json\nlocal/\n");
  repository.write(".threadmind/.gitattributes", "threads/** merge=threadmind\n");
  repository.write("src/a.ts", "1\n");
  repository.commit("Start");
  for (const id of ["t3", "t2"]) await run(["update", id, "--paths", "src"], at(repository));
  for (const id of ["t3", "t2"]) await run(["verify", id], at(repository));
  repository.write("src/a.ts", "2\n");
  repository.commit("Change");
  await run(["switch", "t3"], at(repository));
  await Bun.sleep(SETTLED_MS);
  return repository;
}

const at = ({ top, home }: GitRepository): { readonly cwd: string; readonly home: string } => ({ cwd: top, home });
const cacheOf = ({ top }: GitRepository): string => join(top, ".threadmind/local/cache.json");

const VERBS: readonly (readonly string[])[] = [
  ["context"],
  ["context", "pay"],
  ["context", "t200", "--max-tokens", "80"],
  ["show", "t42"],
  ["tree", "--all"],
  ["tree", "--json"],
  ["stats", "--json"],
  ["search", "decision 77"],
  ["search", "--path", "src/a.ts"],
  ["history", "t5"],
  ["check", "--json"],
  ["context", "bad"],
  ["context", "torn"],
];

/** What every reading verb says. */
async function readAll(repository: GitRepository): Promise<readonly string[]> {
  const said: string[] = [];
  for (const words of VERBS) {
    const { stdout, stderr, code } = await run(words, at(repository));
    said.push(`$ ${words.join(" ")} [${code}]\n${stdout}${stderr}`);
  }
  return said;
}

test("with the cache of thread files, without it and with one that can't be, everything says the same", async () => {
  const repository = await largeProject();
  rmSync(cacheOf(repository), { force: true });
  const cold = await readAll(repository);
  expect(existsSync(cacheOf(repository))).toBe(true);
  expect(cold[0]).toContain("⚠ ");
  expect(await readAll(repository)).toEqual([...cold]);
  const good = readFileSync(cacheOf(repository), "utf8");
  const entries = JSON.parse(good).projects.app;
  expect(Object.keys(entries).length).toBeGreaterThan(250);
  for (const id of ["bad", "torn", "rich"]) expect(entries[id]).toBeUndefined();
  const strange = [
    "",
    "{",
    "[]",
    "null",
    '{"version":2}',
    '{"version":1,"projects":{"app":{"t3":[1]}}}',
    '{"version":1,"projects":null}',
  ];
  strange.push(
    good.replace(/"t3":\[\d+/, '"t3":[1'),
    '{"version":1,"projects":{"__proto__":{"t3":[1,1,1,null,"open",0,0]}}}',
  );
  for (const content of strange) {
    writeFileSync(cacheOf(repository), content);
    expect((await run(["context"], at(repository))).stdout).toBe(cold[0]?.slice(cold[0].indexOf("\n") + 1) ?? "");
  }
  expect(repository.git("status", "--porcelain")).toBe("");
});

test("a file that changed is read again, however it changed", async () => {
  const repository = await largeProject();
  const file = threadFile(repository.top, "t3");
  const shown = async (): Promise<string> => (await run(["context"], at(repository))).stdout;
  expect(await shown()).toContain("- decision 3 about JWT");
  const text = readFileSync(file, "utf8");
  const { mtime, atime } = statSync(file);
  // The same size and the same time of modification: only the time of change tells.
  writeFileSync(file, text.replace("decision 3 about JWT", "decision 3 about SSO"));
  utimesSync(file, atime, mtime);
  expect(await shown()).toContain("- decision 3 about SSO");
  writeFileSync(file, text.replace("decision 3 about JWT", "decision 3 about MFA"));
  expect(await shown()).toContain("- decision 3 about MFA");
  writeFileSync(file, text.replace("parentId: t2", "parentId: main"));
  expect(await shown()).not.toContain("Thread number 2");
  rmSync(threadFile(repository.top, "t2"));
  writeFileSync(threadFile(repository.top, "new"), renderThread("new", { parentId: "t3" }));
  const { stdout } = await run(["tree", "--all"], at(repository));
  expect([stdout.includes("── new"), /── t2(?: |$)/m.test(stdout)]).toEqual([true, false]);
});

test("a server sees each change of thousands of files at its next call, and writes through it", async () => {
  const repository = await largeProject();
  const { call, close } = await openClient({ cwd: repository.top, home: repository.home });
  expect((await call("context_get", { threadId: "t4" })).text).toContain("- decision 4 about JWT");
  for (let round = 0; round < 3; round++) {
    const file = threadFile(repository.top, "t4");
    writeFileSync(file, readFileSync(file, "utf8").replace(/about \w+/, `about r${round}`));
    expect((await call("context_get", { threadId: "t4" })).text).toContain(`- decision 4 about r${round}`);
  }
  expect((await call("summary_update", { threadId: "t4", content: "## Decisions\n- mine" })).isError).toBe(false);
  expect((await call("context_get", { threadId: "t4" })).text).toContain("- mine");
  await close();
});

test("a checkout that can't be written to is read all the same, and small projects have no cache", async () => {
  const repository = await largeProject();
  rmSync(join(repository.top, ".threadmind/local"), { recursive: true });
  writeFileSync(join(repository.top, ".threadmind/local"), "in the way");
  expect((await run(["context"], at(repository))).stdout).toContain("- decision 3 about JWT");
  const small = gitRepository();
  writeProject(small.top, { auth: {} });
  await run(["context"], at(small));
  expect(existsSync(cacheOf(small))).toBe(false);
});
