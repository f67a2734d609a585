import { expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, run } from "./support/binary.ts";
import { readThread, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const OWNER = ["Sam Doe", "sam@example.org"] as const;
const KIM = ["Kim Lee", "kim@example.org"] as const;

async function check({ top, home }: GitRepository, ...args: readonly string[]): Promise<Result> {
  return await run(["check", ...args], { cwd: top, home });
}

/** A team's repository: the threads are Sam's. */
function team(
  threads = { auth: { body: "Sign-in.\n\n## Key decisions\n- Argon2\n\n## Notes\n- n\n\n## Decisions\n- JWT\n" } },
): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, threads);
  const file = ".threadmind/projects/app.json";
  repository.write(file, repository.read(file).replace('"solo"', '"team"'));
  for (const id of ["main", ...Object.keys(threads)])
    writeFileSync(
      threadFile(repository.top, id),
      readThread(repository.top, id).replace(/author: .*/, `author: ${sam()}`),
    );
  repository.commit("Start");
  repository.git("tag", "base");
  return repository;
}

/** Sam's id as ThreadMind makes it of name and e-mail. */
function sam(): string {
  const digits = new Bun.CryptoHasher("sha256").update(OWNER[1]).digest("hex").slice(0, 4);
  return `sam-doe-${digits}`;
}

function commitAs(repository: GitRepository, [name, email]: readonly [string, string]): void {
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message", "Change", "--author", `${name} <${email}>`);
}

function write(repository: GitRepository, id: string, edit: (text: string) => string): void {
  writeFileSync(threadFile(repository.top, id), edit(readThread(repository.top, id)));
}

const CHANGES: Readonly<Record<string, (repository: GitRepository) => void>> = {
  "a decision of": (repository) => write(repository, "auth", (text) => text.replace("- JWT", "- sessions")),
  "the status of": (repository) =>
    write(repository, "auth", (text) => text.replace("\n---\n\n", "\nstatus: done\n---\n\n")),
  "the parent of": (repository) =>
    write(repository, "auth", (text) => text.replace("parentId: main", "parentId: null")),
  "the title of": (repository) => write(repository, "auth", (text) => text.replace("title: auth", "title: Sign in")),
  "a bullet, with another one added and one removed, of": (repository) =>
    write(repository, "auth", (text) => text.replace("- JWT", "- more (from pay)")),
  "what stands under a near-heading in": (repository) =>
    write(repository, "auth", (text) => text.replace("- Argon2", "- bcrypt (from pay)")),
  "the text above the sections of": (repository) =>
    write(repository, "auth", (text) => text.replace("Sign-in.", "Sign-out.")),
  "a section of another name in": (repository) => write(repository, "auth", (text) => text.replace("- n\n", "")),
  "who owns": (repository) => write(repository, "auth", (text) => text.replace(/author: .*\n/, "")),
  "into a link the file of": ({ top, write: put, git }) => {
    put("docs/auth.md", readThread(top, "auth"));
    git("rm", "--quiet", ".threadmind/threads/app/auth.md");
    symlinkSync("../../../docs/auth.md", threadFile(top, "auth"));
  },
  "everything of": (repository) => repository.git("rm", "--quiet", ".threadmind/threads/app/auth.md"),
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`check --base names who changed ${what} another's thread, and lets its author`, async () => {
    for (const [who, code] of [
      [KIM, 3],
      [OWNER, 0],
    ] as const) {
      const repository = team();
      change(repository);
      commitAs(repository, who);
      const { stdout, code: exit } = await check(repository, "--base", "base");
      expect([exit, stdout.includes(`It belongs to ${sam()}, and Kim Lee`)]).toEqual([code, code === 3]);
      expect((await check(repository)).code).toBe(0);
    }
  });
}

const ALLOWED: Readonly<Record<string, (repository: GitRepository) => void>> = {
  "verifying a thread": (repository) =>
    write(repository, "auth", (text) => text.replace("\n---\n\n", `\ncommit: ${"a".repeat(40)}\n---\n\n`)),
  "adding bullets to a parent by a merge": (repository) =>
    write(repository, "auth", (text) => `${text}- cards (from pay)\n`),
  "adding what stood under a near-heading by a merge": (repository) =>
    write(repository, "auth", (text) => `${text}\n### Key decisions (from pay)\n\n- cards (from pay)\n`),
  "creating a thread below": ({ top }) =>
    writeFileSync(threadFile(top, "pay"), renderThread("pay", { parentId: "auth" })),
  "changing code": ({ write: put }) => put("src/a.ts", "1\n"),
};

for (const [what, change] of Object.entries(ALLOWED)) {
  test(`check --base lets anybody do what is open to all: ${what}`, async () => {
    const repository = team();
    change(repository);
    commitAs(repository, KIM);
    expect((await check(repository, "--base", "base")).code).toBe(0);
  });
}

test("check --base tells who took a thread over, and asks nobody in a solo project", async () => {
  const repository = team();
  write(repository, "auth", (text) =>
    text.replace(/author: .*/, "author: kim-lee-6b1c").replace("- JWT", "- sessions"),
  );
  commitAs(repository, KIM);
  const { stdout, code } = await check(repository, "--base", "base");
  expect([code, stdout]).toEqual([0, expect.stringContaining(`It was taken over: ${sam()} → kim-lee-6b1c.`)]);
  const solo = gitRepository();
  writeProject(solo.top, { auth: {} });
  solo.commit("Start");
  write(solo, "auth", (text) => `${text}mine\n`);
  commitAs(solo, KIM);
  expect((await check(solo, "--base", "HEAD~1")).code).toBe(0);
});

const PROJECT = ".threadmind/projects/app.json";

for (const [what, change] of Object.entries<(repository: GitRepository) => void>({
  mode: ({ write: put, read }) => put(PROJECT, read(PROJECT).replace('"team"', '"solo"')),
  title: ({ write: put, read }) => put(PROJECT, read(PROJECT).replace('"title": "App"', '"title": "Mine"')),
  file: ({ git }) => git("rm", "--quiet", PROJECT),
})) {
  test(`check --base judges by the mode at the base, and leaves a project's ${what} to the root thread's author`, async () => {
    for (const [who, count] of [
      [KIM, 2],
      [OWNER, 0],
    ] as const) {
      const repository = team();
      change(repository);
      write(repository, "auth", (text) => text.replace("- JWT", "- sessions"));
      commitAs(repository, who);
      const { stdout } = await check(repository, "--base", "base", "--json");
      const { findings } = JSON.parse(stdout) as { findings: { code: string; file: string }[] };
      const owned = findings.filter(({ code }) => code === "not-owner").map(({ file }) => file);
      expect(owned).toEqual([PROJECT, ".threadmind/threads/app/auth.md"].slice(0, count));
    }
  });
}

test("check --base knows a person by the e-mail, and counts co-authors as authors", async () => {
  const edit = (repository: GitRepository): void =>
    write(repository, "auth", (text) => text.replace("- JWT", "- sessions"));
  const renamed = team();
  edit(renamed);
  commitAs(renamed, ["Samantha Miller", OWNER[1]]);
  expect((await check(renamed, "--base", "base")).code).toBe(0);
  const trailer = (name: string, email: string): string => `Co-authored-by: ${name} <${email}>`;
  for (const [trailers, code] of [
    [[trailer("Ann", "ann@example.org"), trailer(...OWNER)], 0],
    [[trailer("Ann", "ann@example.org"), "Co-authored-by: nobody"], 3],
  ] as const) {
    const repository = team();
    edit(repository);
    repository.git("add", "--all");
    const message = `Change\n\n${trailers.join("\n")}`;
    repository.git("commit", "--quiet", "--message", message, "--author", `${KIM[0]} <${KIM[1]}>`);
    repository.write("src/a.ts", "1\n");
    commitAs(repository, KIM);
    expect((await check(repository, "--base", "base")).code).toBe(code);
  }
});

test("check --base is about what a branch did, not about what happened on its base meanwhile", async () => {
  const repository = team();
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.write("src/a.ts", "1\n");
  commitAs(repository, KIM);
  repository.git("checkout", "--quiet", "main");
  write(repository, "auth", (text) => text.replace("- JWT", "- sessions"));
  commitAs(repository, OWNER);
  repository.git("checkout", "--quiet", "feature");
  expect((await check(repository, "--base", "main")).code).toBe(0);
});

test("check refuses a base that git doesn't know, without git, and in a shallow clone says what to fetch", async () => {
  const repository = team();
  for (const base of ["nope", "--output=x", "HEAD:README.md", ""]) {
    const { code, stderr } = await check(repository, "--base", base);
    expect([code, stderr.startsWith("threadmind: Cannot")]).toEqual([2, true]);
  }
  repository.commit("Later", { "a.txt": "1" });
  const clone = join(temporaryFolder(), "clone");
  repository.git("clone", "--quiet", "--depth", "1", `file://${repository.top}`, clone);
  const shallow = await run(["check", "--base", "base"], { cwd: clone, home: repository.home });
  expect([shallow.code, shallow.stderr.includes("fetch-depth: 0")]).toEqual([2, true]);
  expect((await run(["check"], { cwd: clone, home: repository.home })).code).toBe(0);
  const outside = temporaryFolder();
  writeProject(outside);
  expect((await run(["check", "--base", "main"], { cwd: outside })).code).toBe(2);
  expect((await run(["check"], { cwd: outside })).code).toBe(0);
});

test("check prints one JSON document, or GitHub's annotations with paths from the repository's top", async () => {
  const repository = gitRepository();
  const inner = join(repository.top, "apps/shop, web");
  writeProject(inner, { auth: { title: '"100%: a"' } });
  writeFileSync(threadFile(inner, "bad"), "---\nid: bad\n");
  const json = await run(["check", "--json"], { cwd: inner, home: repository.home, env: { GITHUB_ACTIONS: "true" } });
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    3,
    {
      version: 1,
      projects: 1,
      threads: 3,
      errors: 1,
      findings: [{ code: "unreadable-file", severity: "error", line: 1 }],
    },
  ]);
  const { stdout } = await run(["check"], { cwd: inner, home: repository.home, env: { GITHUB_ACTIONS: "true" } });
  expect(stdout.split("\n")[0]).toBe(
    "::error file=apps/shop%2C web/.threadmind/threads/app/bad.md,line=1,title=ThreadMind%3A unreadable-file::Its header never closes. → Add a line that is only --- below the last key.",
  );
});

test("check changes nothing and refuses words it doesn't know", async () => {
  const repository = team();
  const before = snapshot(repository.top);
  await check(repository, "--base", "base", "--strict");
  expect(snapshot(repository.top)).toEqual(before);
  for (const words of [["--strct"], ["auth"], ["--base"]]) expect((await check(repository, ...words)).code).toBe(2);
});
