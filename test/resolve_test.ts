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
      `Left ${FILE}: It was deleted on ${side} and changed on ${side === "this side" ? "the other" : "this one"}: git add keeps it, git rm deletes it.\n`,
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
    expect(driverOf(repository)).toContain(`${PROGRAM[0]} resolve --driver %O %A %B %P`);
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

test("a side that nobody merged isn't settled: a driver that can't be started, or a rule that git doesn't merge the file", async () => {
  for (const arrange of [
    (on: GitRepository) =>
      on.git("config", "merge.threadmind.driver", "/nonexistent/threadmind resolve --driver %O %A %B"),
    (on: GitRepository) => writeFileSync(join(on.top, ".threadmind/.gitattributes"), "threads/** -merge\n"),
  ]) {
    const repository = diverged();
    arrange(repository);
    expect(merges(repository, "merge", "side")).toBe(false);
    expect(repository.read(FILE)).not.toMatch(CONFLICTED);
    const { out, code } = await resolve(repository, "--add");
    expect([code, out.startsWith(`Merged ${FILE}.`)]).toEqual([0, true]);
    expect(bodyOf(repository)).toBe(MERGED);
  }
});

test.skipIf(!COMPILED)("where the registered program is gone, git's own merge does it, with markers", async () => {
  const repository = diverged();
  await resolve(repository, "--install");
  const gone = driverOf(repository).replaceAll(PROGRAM[0] ?? "", "/nonexistent/threadmind");
  repository.git("config", "merge.threadmind.driver", gone);
  expect(merges(repository, "merge", "side")).toBe(false);
  expect(repository.read(FILE)).toMatch(CONFLICTED);
  expect((await resolve(repository, "--add")).code).toBe(0);
  expect(bodyOf(repository)).toBe(MERGED);
});

test("a marker line that was left over isn't settled", async () => {
  const repository = diverged();
  merges(repository, "merge", "side");
  writeFileSync(join(repository.top, FILE), repository.read(FILE).replace(/^(?:<{7}|>{7}).*\n/gm, ""));
  const { out, code } = await resolve(repository, "--add");
  expect([code, out]).toEqual([1, expect.stringContaining("is what a conflict marker looks like")]);
});

test("markers of any length are markers", async () => {
  const repository = diverged();
  repository.write(".gitattributes", "*.md conflict-marker-size=12\n");
  merges(repository, "merge", "side");
  expect(repository.read(FILE)).toContain("<<<<<<<<<<<< ");
  expect((await run(["context", "auth"], { cwd: repository.top })).stdout).toContain("This file has merge conflicts");
  expect((await run(["check"], { cwd: repository.top, home: repository.home })).code).toBe(3);
  expect((await resolve(repository, "--add")).code).toBe(0);
  expect(bodyOf(repository)).toBe(MERGED);
});

test("what both sides changed differently stays in both forms, and is named", async () => {
  const timeout = (seconds: number): string => `## Decisions\n- Timeout is ${seconds} s\n`;
  const repository = diverged(timeout(60), timeout(10), timeout(30));
  merges(repository, "merge", "side");
  const { out, code } = await resolve(repository);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining("keep what holds:\n  - Timeout is 60 s\n  - Timeout is 10 s\n"),
  ]);
});

test("a block of code that both sides changed differently is named with its first line", async () => {
  const block = (seconds: number): string =>
    `## Decisions\n- JWT\n\n\`\`\`ts\n\nconst timeout = ${seconds};\nconst retries = 3;\n\`\`\`\n`;
  const repository = diverged(block(60), block(10), block(30));
  merges(repository, "merge", "--quiet", "side");
  const { out } = await resolve(repository);
  for (const seconds of [60, 10]) expect(out).toContain(`\n  \`\`\`ts const timeout = ${seconds};\n`);
});

test("files are named from where one stands, and the line for git works there", async () => {
  const repository = diverged();
  repository.write("src/deep/a.ts", "1\n");
  merges(repository, "merge", "side");
  const from = join(repository.top, "src/deep");
  const { stdout, code } = await run(["resolve", `../../${FILE}`], { cwd: from, home: repository.home });
  expect(code).toBe(0);
  const line = /then: (git .*)$/m.exec(stdout)?.[1] ?? "false";
  expect((await spawn(["sh", "-c", line], { cwd: from, env: repository.env })).code).toBe(0);
  expect(repository.git("ls-files", "--unmerged")).toBe("");
});

test.skipIf(!COMPILED)("the driver leaves other files beside threads to git's own merge", async () => {
  const repository = diverged();
  const file = ".threadmind/threads/app/data.json";
  for (const [branch, value] of [
    ["side", 1],
    ["main", 2],
  ] as const) {
    repository.git("checkout", "--quiet", branch);
    repository.write(file, `{"a": ${value}}\n`);
    repository.commit(branch);
  }
  await resolve(repository, "--install");
  expect(merges(repository, "merge", "side")).toBe(false);
  expect(repository.read(file)).toMatch(CONFLICTED);
});

test("after a resolve `restore` brings back a text, never the markers", async () => {
  const repository = diverged();
  merges(repository, "merge", "side");
  await resolve(repository, "--add");
  repository.git("commit", "--quiet", "--no-edit");
  expect((await run(["restore", "auth"], { cwd: repository.top, home: repository.home })).code).toBe(0);
  expect(repository.read(FILE)).not.toMatch(CONFLICTED);
});
