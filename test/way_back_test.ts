import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, run, spawn } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { readThread, threadFile } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

interface Finding {
  readonly code: string;
  readonly file?: string;
  readonly remedy: string;
}

const cli = ({ top, home }: GitRepository, ...words: readonly string[]): Promise<Result> =>
  run(words, { cwd: top, home });

/** A project whose thread auth was written twice, so that one text of it is kept; nothing is committed. */
async function begun(): Promise<GitRepository> {
  const repository = gitRepository();
  repository.commit("Code", { "src/a.ts": "1\n" });
  await cli(repository, "project", "create", "App");
  await cli(repository, "create", "Auth");
  for (const text of ["- JWT", "- JWT, refreshed"])
    await cli(repository, "summary", "--content", `## Decisions\n${text}\n`);
  await cli(repository, "switch", "main");
  return repository;
}

const AUTH = ".threadmind/threads/app/auth.md";
const ASIDE = "rename the file to auth.md.bad, then threadmind restore app/auth";

/** The remedy that check and doctor have for a file, which is the same one. */
async function remedyOf(repository: GitRepository, file: string): Promise<string> {
  const remedies: string[] = [];
  for (const verb of ["check", "doctor"]) {
    const { stdout } = await cli(repository, verb, "--json");
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    remedies.push(findings.find((finding) => finding.file === file)?.remedy ?? "none");
  }
  expect(remedies[0]).toBe(remedies[1] ?? "");
  return remedies[0] ?? "";
}

/** Runs a line of a remedy in a shell in the repository. */
async function shell({ top, env }: GitRepository, line: string): Promise<number> {
  return (await spawn(["sh", "-c", line], { cwd: top, env })).code;
}

const DAMAGES: Readonly<Record<string, string>> = {
  empty: "",
  "of NUL bytes": "\0\0\0\0",
  "with a header that is no YAML": "---\nid: auth\njunk\ntitle: x\n---\n",
  "in Latin-1": "---\nid: auth\ntitle: Auth\n---\n\n## Decisions\n- caf\xe9, never committed\n",
  "in UTF-16": "\xff\xfe-\0-\0-\0\n\0",
};

for (const [what, text] of Object.entries(DAMAGES)) {
  test(`a thread's file ${what} that git never had comes back from the kept texts, as each surface says`, async () => {
    const repository = await begun();
    writeFileSync(threadFile(repository.top, "auth"), text, "latin1");
    for (const words of [["tree"], ["context", "auth"], ["restore", "auth"], ["delete", "auth"], ["verify", "auth"]]) {
      const { stdout, stderr } = await cli(repository, ...words);
      expect(`${stdout}${stderr}`).toContain("rename the file to auth.md.bad, then ");
      expect(`${stdout}${stderr}`).toContain("threadmind restore app/auth");
      expect(`${stdout}${stderr}`).not.toContain("git checkout");
    }
    expect(await remedyOf(repository, AUTH)).toContain(ASIDE);
    renameSync(threadFile(repository.top, "auth"), `${threadFile(repository.top, "auth")}.bad`);
    const { stdout } = await cli(repository, "restore", "app/auth");
    expect(stdout).toStartWith("Restored auth.");
    expect(readThread(repository.top, "auth")).toContain("## Decisions\n- JWT\n");
    expect(readFileSync(join(repository.top, `${AUTH}.bad`), "latin1")).toBe(text);
    expect((await cli(repository, "check")).stdout).toContain("nothing to mend");
  });

  test(`a thread's file ${what} that HEAD has is set aside before it comes back, as each surface says`, async () => {
    const repository = await begun();
    repository.commit("Threads");
    writeFileSync(threadFile(repository.top, "auth"), text, "latin1");
    rmSync(join(repository.top, ".threadmind/local/kept"), { recursive: true });
    const remedy = await remedyOf(repository, AUTH);
    expect(remedy).toEndWith(`ring an earlier text back: ${ASIDE}`);
    for (const words of [["tree"], ["context", "auth"], ["check"], ["doctor"]]) {
      const { stdout, stderr } = await cli(repository, ...words);
      expect([words, `${stdout}${stderr}`]).toEqual([words, expect.stringContaining(ASIDE)]);
      expect(`${stdout}${stderr}`).not.toContain("git checkout");
    }
    renameSync(threadFile(repository.top, "auth"), `${threadFile(repository.top, "auth")}.bad`);
    const { code } = await run(["restore", "app/auth"], { cwd: join(repository.top, "src"), home: repository.home });
    expect(code).toBe(0);
    expect(readThread(repository.top, "auth")).toContain("## Decisions\n- JWT, refreshed\n");
    expect(readFileSync(join(repository.top, `${AUTH}.bad`), "latin1")).toBe(text);
  });

  test(`a thread's file ${what} of which nothing has an earlier text isn't said to come back`, async () => {
    const repository = await begun();
    rmSync(join(repository.top, ".threadmind/local/kept"), { recursive: true });
    writeFileSync(threadFile(repository.top, "auth"), text, "latin1");
    expect(await remedyOf(repository, AUTH)).not.toMatch(/git checkout|restore|none/);
    const { stderr } = await cli(repository, "context", "auth");
    expect(stderr).toContain(`ring an earlier text back, if there is one: ${ASIDE}`);
  });
}

test("what was set aside before is never named as the place to set a file aside", async () => {
  const repository = await begun();
  for (const name of ["", ".bad", ".bad2"])
    writeFileSync(`${threadFile(repository.top, "auth")}${name}`, "\xff", "latin1");
  expect(await remedyOf(repository, AUTH)).toContain("rename the file to auth.md.bad3, then");
  expect((await cli(repository, "context", "auth")).stderr).toContain("rename the file to auth.md.bad3, then");
});

test("a missing parent is to be restored only where that brings it back", async () => {
  for (const isCommitted of [true, false]) {
    const repository = await begun();
    await cli(repository, "create", "Kid", "--parent-id", "auth");
    await cli(repository, "create", "Lost", "--parent-id", "main");
    if (isCommitted) repository.commit("Threads");
    if (isCommitted) rmSync(join(repository.top, ".threadmind/local/kept"), { recursive: true });
    rmSync(threadFile(repository.top, "auth"));
    const lost = threadFile(repository.top, "lost");
    writeFileSync(lost, readFileSync(lost, "utf8").replace("parentId: main", "parentId: zzz"));
    expect(await remedyOf(repository, ".threadmind/threads/app/lost.md")).toBe("threadmind rebase lost main");
    const remedy = await remedyOf(repository, ".threadmind/threads/app/kid.md");
    expect(remedy).toBe("threadmind rebase kid main, or threadmind restore app/auth");
    expect((await cli(repository, "restore", "app/auth")).code).toBe(0);
    expect(await remedyOf(repository, ".threadmind/threads/app/kid.md")).toBe("none");
  }
});

test("a model is told of the tool that restores a damaged thread, and it does", async () => {
  const repository = await begun();
  writeFileSync(threadFile(repository.top, "auth"), "");
  const { call, close } = await openClient({ cwd: repository.top, home: repository.home });
  const { text, isError } = await call("context_get", { threadId: "auth" });
  expect([isError, text]).toEqual([true, expect.stringContaining("then thread_restore app/auth.")]);
  renameSync(threadFile(repository.top, "auth"), `${threadFile(repository.top, "auth")}.bad`);
  expect((await call("thread_restore", { threadId: "app/auth" })).text).toStartWith("Restored auth.");
  await close();
});

test("a root thread that is gone comes back from git, also where its removal is staged, or from the kept texts", async () => {
  const file = ".threadmind/threads/app/main.md";
  for (const isCommitted of [true, false]) {
    const repository = await begun();
    for (const text of ["- Bun", "- Bun, Deno"])
      await cli(repository, "summary", "main", "--content", `## Decisions\n${text}\n`);
    if (isCommitted) repository.commit("Threads");
    if (isCommitted) repository.git("rm", "--quiet", file);
    else rmSync(join(repository.top, file));
    const remedy = await remedyOf(repository, file);
    expect(remedy).toEndWith("back: threadmind restore app/main");
    expect((await cli(repository, "restore", "app/main")).code).toBe(0);
    expect(existsSync(join(repository.top, file))).toBe(true);
  }
});

test("another project whose only thread is gone is restored as its error says", async () => {
  const repository = await begun();
  await cli(repository, "project", "create", "Side");
  for (const text of ["- one", "- two"]) await cli(repository, "summary", "--content", `## Decisions\n${text}\n`);
  await cli(repository, "project", "switch", "app");
  rmSync(threadFile(repository.top, "main", "side"));
  const { stderr } = await cli(repository, "project", "switch", "side");
  expect(stderr).toContain("Bring it back: threadmind restore side/main.");
  expect((await cli(repository, "restore", "side/main")).code).toBe(0);
  expect((await cli(repository, "project", "switch", "side")).code).toBe(0);
});

const APP = ".threadmind/projects/app.json";

test("a damaged project file is set aside before git's line, which works in each folder of the repository", async () => {
  for (const folder of ["", "pkg/"]) {
    const repository = await begun();
    if (folder !== "") {
      mkdirSync(join(repository.top, "pkg"));
      renameSync(join(repository.top, ".threadmind"), join(repository.top, "pkg/.threadmind"));
    }
    repository.commit("Threads");
    const file = join(repository.top, folder, APP);
    const before = readFileSync(file, "utf8");
    writeFileSync(file, '{"title": "Never committed"');
    const within = { ...repository, top: join(repository.top, folder) };
    const remedy = await remedyOf(within, APP);
    const line = `git checkout HEAD -- ":(top,literal)${folder}${APP}"`;
    expect(remedy).toBe(`Correct it, or bring an earlier text back: rename the file to app.json.bad, then ${line}`);
    expect((await cli(within, "tree")).stderr).not.toContain("git checkout");
    renameSync(file, `${file}.bad`);
    expect(await shell({ ...repository, top: join(repository.top, "src") }, line)).toBe(0);
    expect([readFileSync(file, "utf8"), readFileSync(`${file}.bad`, "utf8")]).toEqual([
      before,
      '{"title": "Never committed"',
    ]);
  }
});

test("a project file of which HEAD has no readable text isn't said to come back", async () => {
  for (const isCommitted of [true, false]) {
    const repository = await begun();
    repository.write(APP, "{");
    if (isCommitted) repository.commit("Damaged");
    expect(await remedyOf(repository, APP)).toBe("Correct it.");
  }
});

test("a project file that is gone comes back with git's line only where HEAD has it, else as it says", async () => {
  for (const isCommitted of [true, false]) {
    const repository = await begun();
    if (isCommitted) repository.commit("Threads");
    if (isCommitted) repository.git("rm", "--quiet", APP);
    else rmSync(join(repository.top, APP));
    const remedy = await remedyOf(repository, APP);
    if (isCommitted) expect(await shell(repository, remedy)).toBe(0);
    else repository.write(APP, /\{.*\}/.exec(remedy)?.[0] ?? "");
    expect((await cli(repository, "check")).code).toBe(0);
    expect((await cli(repository, "tree")).stdout).toContain("auth");
  }
});

test("a project's folder that was renamed is to be renamed back", async () => {
  const repository = await begun();
  const folder = join(repository.top, ".threadmind/threads");
  renameSync(join(folder, "app"), join(folder, "boutique"));
  const remedy = "Rename the folder .threadmind/threads/boutique back to app";
  for (const file of [".threadmind/projects/boutique.json", ".threadmind/threads/app/main.md"])
    expect(await remedyOf(repository, file)).toBe(remedy);
  renameSync(join(folder, "boutique"), join(folder, "app"));
  expect((await cli(repository, "check")).code).toBe(0);
});
