import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePlainThreadFile } from "../src/core/thread_file.ts";
import { COMPILED, PROGRAM, run, spawn } from "./support/binary.ts";
import { renderThread, threadFile, writeProject } from "./support/stored_project.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const FILE = ".threadmind/threads/app/auth.md";
const CONFLICTED = /^(?:<{7}|={7}|>{7})/m;

const BASE = "## Decisions\n- JWT in a cookie\n- Argon2\n\n## Next steps\n- test it\n";
const OURS = "## Decisions\n- JWT in a cookie\n- Argon2\n- mine\n\n## Next steps\n- ship it\n";
const THEIRS = "## Decisions\n- JWT in a cookie\n- Argon2\n- theirs\n\n## Next steps\n- test it\n\n## State\n- half\n";
const MERGED =
  "## Decisions\n- JWT in a cookie\n- Argon2\n- mine\n- theirs\n\n## Next steps\n- ship it\n\n## State\n- half\n";

/** Writes the thread as a session would have: another body, a later stamp. */
function write({ top }: GitRepository, body: string, hour: number, more = ""): void {
  const updatedAt = `2026-04-15T${String(hour).padStart(2, "0")}:00:00.000Z`;
  const text = renderThread("auth", { body, updatedAt });
  writeFileSync(threadFile(top, "auth"), more === "" ? text : text.replace("\n---\n\n", `\n${more}\n---\n\n`));
}

/** A repository on main with a commit of ours, and on `side` one of theirs, both changing one thread. */
function diverged(ours = OURS, theirs = THEIRS, base = BASE): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body: base } });
  repository.write(".threadmind/.gitattributes", "threads/** merge=threadmind\n");
  repository.write(".threadmind/.gitignore", "config.json\nlocal/\n");
  repository.commit("Base");
  repository.git("checkout", "--quiet", "-b", "side");
  write(repository, theirs, 12);
  repository.commit("Theirs");
  repository.git("checkout", "--quiet", "main");
  write(repository, ours, 11);
  repository.commit("Ours");
  return repository;
}

/** Runs git, which may leave conflicts; returns whether it did. */
function merges(repository: GitRepository, ...args: readonly string[]): boolean {
  try {
    repository.git(...args);
    return true;
  } catch {
    return false;
  }
}

function bodyOf(repository: GitRepository): string {
  const file = parsePlainThreadFile(repository.read(FILE));
  if (file === undefined || "message" in file) throw new Error(repository.read(FILE));
  return file.body.replace(/^\n/, "");
}

async function resolve(repository: GitRepository, ...args: readonly string[]): Promise<{ out: string; code: number }> {
  const { stdout, stderr, code } = await run(["resolve", ...args], { cwd: repository.top, home: repository.home });
  return { out: stdout + stderr, code };
}

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  merge: ["merge", "--no-edit", "side"],
  rebase: ["rebase", "side"],
  "cherry-pick": ["cherry-pick", "side"],
};

for (const [name, command] of Object.entries(COMMANDS)) {
  test(`after a conflicting git ${name}, \`resolve --add\` merges both sides by section and bullet`, async () => {
    const repository = diverged();
    expect(merges(repository, ...command)).toBe(false);
    const { out, code } = await resolve(repository, "--add");
    expect([out, code]).toEqual([`Merged ${FILE}.\nStaged 1 file.\n`, 0]);
    const bullets = (text: string): string[] =>
      text
        .split("\n")
        .filter((line) => line !== "")
        .sort();
    expect(bullets(bodyOf(repository))).toEqual(bullets(MERGED));
    expect(repository.read(FILE)).toContain("updatedAt: 2026-04-15T12:00:00.000Z");
    expect(repository.git("status", "--porcelain")).toBe(`M  ${FILE}`);
    expect((await run(["show", "auth"], { cwd: repository.top })).stdout).toContain("- theirs");
  });
}

test("without --add nothing is staged, and the line that stages it is printed; again it is settled already", async () => {
  const repository = diverged();
  merges(repository, "merge", "side");
  expect(await resolve(repository)).toEqual({
    out: `Merged ${FILE}.\nLook at it, then: git add -- ${FILE}\n`,
    code: 0,
  });
  expect(bodyOf(repository)).toBe(MERGED);
  expect(repository.git("ls-files", "--unmerged")).not.toBe("");
  expect((await resolve(repository)).out).toContain("is settled in the file already.");
  expect((await resolve(repository, "--add")).code).toBe(0);
  expect(await resolve(repository)).toEqual({ out: "No file of ThreadMind is in conflict.\n", code: 0 });
});

test("what one side deleted and the other changed is left between markers, and a person's choice is kept", async () => {
  const repository = diverged(
    BASE.replace("- JWT in a cookie\n", "").replace("- test it", "- ship it"),
    BASE.replace("- JWT in a cookie", "- JWT in an httpOnly cookie"),
  );
  merges(repository, "merge", "side");
  const first = await resolve(repository, "--add");
  expect([first.code, first.out]).toEqual([
    1,
    expect.stringContaining("A person has to choose in Decisions (line 11)"),
  ]);
  const left = repository.read(FILE);
  expect(left).toContain("<<<<<<< ours\n=======\n- JWT in an httpOnly cookie\n>>>>>>> theirs\n- Argon2");
  expect(left).toContain("- ship it");
  expect((await resolve(repository)).code).toBe(1);
  expect(repository.read(FILE)).toBe(left);
  const edited = left.replace("- Argon2", "- Argon2id");
  writeFileSync(join(repository.top, FILE), edited);
  expect((await resolve(repository)).out).toContain("It was edited by hand since.");
  expect(repository.read(FILE)).toBe(edited);
  writeFileSync(join(repository.top, FILE), edited.replace(/^(?:<{7}|={7}|>{7}).*\n/gm, ""));
  expect((await resolve(repository, "--add")).code).toBe(0);
  expect(bodyOf(repository)).toContain("- JWT in an httpOnly cookie\n- Argon2id");
});

test("the text with git's markers is kept, and comes back by restore", async () => {
  const repository = diverged();
  merges(repository, "merge", "side");
  const conflicted = repository.read(FILE);
  await resolve(repository, "--add");
  const { stdout } = await run(["history", "auth"], { cwd: repository.top });
  const revision = /kept-\S+/.exec(stdout)?.[0] ?? "";
  expect((await run(["history", "auth", "--revision", revision], { cwd: repository.top })).stdout).toContain("<<<<<<<");
  expect(conflicted).toMatch(CONFLICTED);
});

test("a thread that both sides made is merged without a base", async () => {
  const repository = gitRepository();
  writeProject(repository.top);
  repository.commit("Base");
  repository.git("checkout", "--quiet", "-b", "side");
  write(repository, "## Decisions\n- theirs\n", 12);
  repository.commit("Theirs");
  repository.git("checkout", "--quiet", "main");
  write(repository, "## Decisions\n- mine\n", 11);
  repository.commit("Ours");
  expect(merges(repository, "merge", "side")).toBe(false);
  expect((await resolve(repository, "--add")).code).toBe(0);
  expect(bodyOf(repository)).toBe("## Decisions\n- mine\n- theirs\n");
});

test("a thread that one side deleted and the other changed is left, and both ways out are named", async () => {
  for (const side of ["this side", "the other side"]) {
    const repository = diverged();
    repository.git("checkout", "--quiet", side === "this side" ? "main" : "side");
    repository.git("rm", "--quiet", FILE);
    repository.commit("Delete");
    repository.git("checkout", "--quiet", "main");
    expect(merges(repository, "merge", "side")).toBe(false);
    const { out, code } = await resolve(repository, "--add");
    expect([code, out]).toEqual([
      1,
      `Left ${FILE}: It was deleted on ${side} and changed on the other: git add keeps it, git rm deletes it.\n`,
    ]);
    expect(repository.git("ls-files", "--unmerged")).not.toBe("");
  }
});

test("markers that somebody committed are taken apart, also without git", async () => {
  const repository = diverged();
  merges(repository, "merge", "side");
  repository.commit("Oops");
  expect((await resolve(repository, "auth")).code).toBe(0);
  // Without a base nobody can tell what was there before: both forms stay.
  expect(bodyOf(repository)).toBe(MERGED.replace("- ship it\n", "- ship it\n- test it\n"));
  const folder = temporaryFolder();
  const text = renderThread("auth", { body: "## Decisions\n<<<<<<< a\n- mine\n=======\n- theirs\n>>>>>>> b\n" });
  writeProject(folder, {});
  writeFileSync(threadFile(folder, "auth"), text);
  const outside = await run(["resolve"], { cwd: folder });
  expect([outside.stdout, outside.code]).toEqual([`Merged ${FILE}.\n`, 0]);
  expect(readFileSync(threadFile(folder, "auth"), "utf8")).toContain("## Decisions\n- mine\n- theirs\n");
});

test("markers that are no whole sets are left as they are", async () => {
  const repository = diverged();
  const broken = renderThread("auth", { body: "## Decisions\n<<<<<<< a\n- mine\n=======\n- theirs\n" });
  writeFileSync(threadFile(repository.top, "auth"), broken);
  const { out, code } = await resolve(repository);
  expect([code, out]).toEqual([1, expect.stringContaining("aren't whole sets")]);
  expect(repository.read(FILE)).toBe(broken);
});

test("what git's union merge leaves is read, and is one line again after the next write", async () => {
  const repository = diverged();
  writeFileSync(join(repository.top, ".threadmind/.gitattributes"), "threads/** merge=union\n");
  expect(merges(repository, "merge", "side")).toBe(true);
  expect(repository.read(FILE).match(/^updatedAt:/gm)?.length).toBe(2);
  expect((await run(["show", "auth"], { cwd: repository.top })).stdout).toContain("- theirs");
  await run(["summary", "auth", "--append", "--section", "State", "--content", "- done"], { cwd: repository.top });
  expect(repository.read(FILE).match(/^updatedAt:/gm)?.length).toBe(1);
});

test("files with CRLF stay so", async () => {
  const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
  const repository = gitRepository();
  repository.git("config", "core.autocrlf", "true");
  writeProject(repository.top, { auth: { body: BASE } });
  const convert = (): void => writeFileSync(threadFile(repository.top, "auth"), crlf(repository.read(FILE)));
  convert();
  repository.commit("Base");
  repository.git("checkout", "--quiet", "-b", "side");
  write(repository, THEIRS, 12);
  convert();
  repository.commit("Theirs");
  repository.git("checkout", "--quiet", "main");
  write(repository, OURS, 11);
  convert();
  repository.commit("Ours");
  expect(merges(repository, "merge", "side")).toBe(false);
  expect((await resolve(repository, "--add")).code).toBe(0);
  expect(repository.read(FILE)).toContain(crlf(MERGED));
  expect(repository.read(FILE)).not.toMatch(/[^\r]\n/);
});

test("other conflicted files of the workspace are named and left, and the project's own files too", async () => {
  const repository = diverged();
  const project = ".threadmind/projects/app.json";
  for (const [branch, title] of [
    ["side", "Theirs"],
    ["main", "Ours"],
  ] as const) {
    repository.git("checkout", "--quiet", branch);
    repository.write(project, repository.read(project).replace('"App"', `"${title}"`));
    repository.write("src/a.ts", title);
    repository.commit(title);
  }
  merges(repository, "merge", "side");
  const { out, code } = await resolve(repository, "--add");
  expect([code, out]).toEqual([1, expect.stringContaining(`Left ${project}: It is no thread file.`)]);
  expect(out).not.toContain("src/a.ts");
  expect(out).toContain(`Merged ${FILE}.`);
});

test("`resolve` with names, unknown ones and wrong options", async () => {
  const repository = diverged();
  merges(repository, "merge", "side");
  expect((await resolve(repository, "pay")).out).toContain(`In conflict: ${FILE}.`);
  expect((await resolve(repository, "--ad")).code).toBe(2);
  const { stdout } = await run(["resolve", "app/auth", "--json"], { cwd: repository.top });
  expect(JSON.parse(stdout)).toEqual({ version: 1, files: [{ file: FILE, state: "merged" }], staged: [] });
  expect((await run(["resolve"], { cwd: temporaryFolder() })).code).toBe(1);
});

/** An environment in which git finds the program as its merge driver would. */
function driverOf(repository: GitRepository): string {
  return repository.git("config", "--get", "merge.threadmind.driver");
}

test.skipIf(!COMPILED)("the merge driver, once installed, leaves nothing to resolve", async () => {
  for (const command of Object.values(COMMANDS)) {
    const repository = diverged();
    expect((await resolve(repository, "--install")).out).toContain("Registered the merge driver");
    expect((await resolve(repository, "--install")).out).toContain("registered already");
    expect(driverOf(repository)).toBe(`${PROGRAM[0]} resolve --driver %O %A %B`);
    expect(merges(repository, ...command)).toBe(true);
    expect(repository.read(FILE)).not.toMatch(CONFLICTED);
    for (const line of ["- mine", "- theirs", "- half"]) expect(repository.read(FILE)).toContain(line);
    expect((await resolve(repository, "--uninstall")).code).toBe(0);
    expect(() => driverOf(repository)).toThrow();
    expect((await resolve(repository, "--uninstall")).out).toContain("No merge driver is registered");
  }
});

test.skipIf(!COMPILED)(
  "the driver leaves a real conflict to git, and what is no thread file to git's own merge",
  async () => {
    const real = diverged(
      BASE.replace("- JWT in a cookie\n", ""),
      BASE.replace("- JWT in a cookie", "- JWT in an httpOnly cookie"),
    );
    await resolve(real, "--install");
    real.commit("Attributes");
    expect(merges(real, "merge", "side")).toBe(false);
    expect(real.git("status", "--porcelain")).toBe(`UU ${FILE}`);
    expect(real.read(FILE)).toContain("<<<<<<< ours\n=======\n- JWT in an httpOnly cookie\n>>>>>>> theirs\n");
    const broken = diverged();
    await resolve(broken, "--install");
    broken.commit("Attributes");
    writeFileSync(join(broken.top, FILE), "---\nid: auth\nno end\nmine\n");
    broken.commit("Broken");
    expect(merges(broken, "merge", "side")).toBe(false);
    expect(broken.read(FILE)).toMatch(CONFLICTED);
    expect(broken.read(FILE)).toContain("mine");
    expect(broken.read(FILE)).toContain("- theirs");
  },
);

test("the driver says what it needs, and changes nothing without it", async () => {
  const env = environment(temporaryFolder());
  const { code, stderr } = await spawn([...PROGRAM, "resolve", "--driver", "a"], { cwd: temporaryFolder(), env });
  expect([code, stderr.includes("three files")]).toEqual([2, true]);
  const folder = temporaryFolder();
  const missing = await spawn([...PROGRAM, "resolve", "--driver", "a", "b", "c"], { cwd: folder, env });
  expect([missing.code, existsSync(join(folder, "b"))]).toEqual([1, false]);
});
