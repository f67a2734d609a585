import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { readThread, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly file?: string;
  readonly message: string;
  readonly remedy: string;
}

const FIX = /^threadmind doctor --fix/;

/** A workspace as ThreadMind leaves it, committed. */
async function sound(): Promise<GitRepository> {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body: "## Decisions\n- JWT\n" } });
  await run(["switch", "main"], { cwd: repository.top, home: repository.home });
  repository.commit("Start");
  return repository;
}

async function report(
  { top, home }: GitRepository,
  ...words: readonly string[]
): Promise<{ readonly findings: readonly Finding[]; readonly fixed?: readonly string[] }> {
  const { stdout } = await run([...words, "--json"], { cwd: top, home });
  return JSON.parse(stdout);
}

const NOTHING = ["nothing; what is left needs a person."];

const BROKEN: Readonly<Record<string, readonly [(repository: GitRepository) => void, string]>> = {
  "a .gitignore that was removed": [({ top }) => rmSync(join(top, ".threadmind/.gitignore")), ".threadmind/.gitignore"],
  "a .gitignore that lacks a line": [
    ({ write }) => write(".threadmind/.gitignore", "local/\n"),
    ".threadmind/.gitignore",
  ],
  "a .gitattributes that was removed": [
    ({ top }) => rmSync(join(top, ".threadmind/.gitattributes")),
    ".threadmind/.gitattributes",
  ],
  "a .gitattributes that lacks its line": [
    ({ write }) => write(".threadmind/.gitattributes", "*.json -text\n"),
    ".threadmind/.gitattributes",
  ],
  "a local/.gitignore that was removed": [
    ({ top }) => rmSync(join(top, ".threadmind/local/.gitignore")),
    ".threadmind/local/.gitignore",
  ],
  "what a killed process left": [
    ({ write }) => write(".threadmind/local/tmp/4190001-0123456789ab.tmp", "half"),
    ".threadmind/local/tmp/4190001-0123456789ab.tmp",
  ],
  "a config.json that can't be read": [({ write }) => write(".threadmind/config.json", "{"), ""],
  "a title that other readers of YAML refuse": [
    ({ top }) =>
      writeFileSync(threadFile(top, "auth"), readThread(top, "auth").replace("title: auth", "title: Auth: JWT")),
    ".threadmind/threads/app/auth.md",
  ],
  "a key that stands twice": [
    ({ top }) =>
      writeFileSync(
        threadFile(top, "auth"),
        readThread(top, "auth").replace("updatedAt: ", "updatedAt: 2026-01-01T00:00:00.000Z\nupdatedAt: "),
      ),
    ".threadmind/threads/app/auth.md",
  ],
};

for (const [what, [arrange, file]] of Object.entries(BROKEN)) {
  test(`doctor finds without --fix what it mends with it: ${what}`, async () => {
    const repository = await sound();
    arrange(repository);
    const before = snapshot(repository.top);
    const found = (await report(repository, "doctor")).findings.filter(({ remedy }) => FIX.test(remedy));
    expect(found.map((finding) => finding.file ?? "")).toContain(file);
    for (const { message } of found) expect(message).toMatch(/\.$/);
    expect(snapshot(repository.top)).toEqual(before);
    const { findings, fixed } = await report(repository, "doctor", "--fix");
    expect(fixed).not.toEqual(NOTHING);
    expect(findings.filter(({ remedy }) => FIX.test(remedy))).toEqual([]);
    expect((await report(repository, "doctor", "--fix")).fixed).toEqual(NOTHING);
  });
}

test("doctor finds nothing to fix in a sound workspace, and --fix then writes nothing", async () => {
  const repository = await sound();
  const before = snapshot(repository.top);
  expect((await report(repository, "doctor")).findings.filter(({ remedy }) => FIX.test(remedy))).toEqual([]);
  expect((await report(repository, "doctor", "--fix")).fixed).toEqual(NOTHING);
  expect(snapshot(repository.top)).toEqual(before);
});

const THREADS = ".threadmind/threads";
const KID = renderThread("kid", { body: "## Decisions\n- kept\n" });

const MISPLACED: Readonly<Record<string, readonly [file: string, remedy: string]>> = {
  "in a subfolder": [`${THREADS}/app/old/kid.md`, `Move it up, to ${THREADS}/app/kid.md`],
  "two folders down": [`${THREADS}/app/a/b/kid.markdown`, `Move it up, to ${THREADS}/app/kid.md`],
  "in a subfolder, where the name is taken": [
    `${THREADS}/app/old/auth.md`,
    `Move it up, to ${THREADS}/app/auth.md, under another name: that one is taken`,
  ],
  "with .MD": [`${THREADS}/app/kid.MD`, `Rename it to ${THREADS}/app/kid.md`],
  "with .markdown": [`${THREADS}/app/kid.markdown`, `Rename it to ${THREADS}/app/kid.md`],
  "with .md.txt": [`${THREADS}/app/kid.md.txt`, `Rename it to ${THREADS}/app/kid.md`],
  "in no project's folder": [`${THREADS}/kid.md`, "Move it into the folder of its project"],
};

for (const [where, [file, remedy]] of Object.entries(MISPLACED)) {
  test(`check and doctor name a thread's file that nothing reads: ${where}`, async () => {
    const repository = await sound();
    repository.write(file, KID);
    for (const verb of ["check", "doctor"]) {
      const found = (await report(repository, verb)).findings.filter(({ code }) => code === "misplaced-file");
      expect(found).toMatchObject([{ severity: "warning", file, remedy }]);
      expect(found[0]?.message).toEndWith(", so nothing reads it.");
    }
    const target = /(?:Rename it to|Move it up, to) (\S+)$/.exec(remedy)?.[1];
    if (target === undefined) return;
    renameSync(join(repository.top, file), join(repository.top, target));
    expect((await report(repository, "check")).findings.filter(({ code }) => code === "misplaced-file")).toEqual([]);
    const { stdout } = await run(["tree"], { cwd: repository.top, home: repository.home });
    expect(stdout).toContain("── kid");
  });
}

test("a project's file with another ending, or in a subfolder, is named too; what isn't meant to be read isn't", async () => {
  const repository = await sound();
  repository.write(".threadmind/projects/side.JSON", '{"title": "Side"}\n');
  repository.write(".threadmind/projects/old/shop.json", '{"title": "Shop"}\n');
  for (const file of ["app/auth.md.bad", "app/auth.md~", "app/notes.txt", "app/.hidden/x.md", "app/.kid.md"])
    repository.write(`${THREADS}/${file}`, KID);
  const { findings } = await report(repository, "check");
  expect(findings.map(({ code, file, remedy }) => [code, file, remedy])).toEqual([
    ["misplaced-file", ".threadmind/projects/old/shop.json", "Move it up, to .threadmind/projects/shop.json"],
    ["misplaced-file", ".threadmind/projects/side.JSON", "Rename it to .threadmind/projects/side.json"],
  ]);
});

test("a thread whose branch was renamed is to be linked to the new name, and that line does it", async () => {
  const repository = await sound();
  const cli = (...words: readonly string[]) => run(words, { cwd: repository.top, home: repository.home });
  repository.git("checkout", "--quiet", "-b", "feature/pay");
  await cli("create", "Pay");
  repository.commit("Pay");
  repository.git("branch", "--move", "feature/cards");
  for (const [branch, named] of [
    ["main", "NEW"],
    ["feature/cards", "feature/cards"],
  ] as const) {
    repository.git("checkout", "--quiet", branch);
    if (branch === "main") repository.git("merge", "--quiet", "--no-edit", "feature/cards");
    for (const verb of ["check", "doctor"]) {
      const [gone] = (await report(repository, verb)).findings.filter(({ code }) => code === "branch-gone");
      expect(gone?.remedy).toContain("threadmind merge pay folds it into its parent");
      expect(gone?.remedy).toEndWith(`if the branch was renamed: threadmind update pay --branch ${named}`);
    }
  }
  expect((await cli("update", "pay", "--branch", "feature/cards")).code).toBe(0);
  expect((await report(repository, "check")).findings.filter(({ code }) => code === "branch-gone")).toEqual([]);
});

test("a renamed branch isn't guessed where another thread is linked to the one that is checked out", async () => {
  const repository = await sound();
  for (const [id, branch] of [
    ["pay", "feature/gone"],
    ["other", "feature/here"],
  ])
    writeFileSync(threadFile(repository.top, id ?? ""), renderThread(id ?? "", { branch: branch ?? "" }));
  repository.git("checkout", "--quiet", "-b", "feature/here");
  const { findings } = await report(repository, "check");
  expect(findings.find(({ code }) => code === "branch-gone")?.remedy).toEndWith("--branch NEW");
});
