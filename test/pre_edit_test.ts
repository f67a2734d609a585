import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { hook, start } from "./support/hooks.ts";
import { type ThreadText, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const isWindows = process.platform === "win32";
const REST = "… (thread_search with this path has all of it)";

/** A repository with threads that govern these paths, by id. */
async function repositoryWith(
  threads: Readonly<Record<string, ThreadText>>,
  paths: Readonly<Record<string, string>>,
): Promise<GitRepository> {
  const repository = gitRepository();
  writeProject(repository.top, threads);
  for (const [id, path] of Object.entries(paths)) await run(["update", id, "--paths", path], { cwd: repository.top });
  return repository;
}

/** What the hook gives the model before this file is changed; empty for nothing. */
async function told(
  repository: GitRepository,
  file: string,
  payload: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { stdout, stderr, code } = await hook(repository, "pre-edit", {
    ...{ session_id: `${Math.random()}`, tool_input: { file_path: file }, ...payload },
  });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  if (stdout === "") return "";
  const { hookEventName, additionalContext } = JSON.parse(stdout).hookSpecificOutput;
  expect(hookEventName).toBe("PreToolUse");
  expect(additionalContext.length).toBeLessThanOrEqual(600);
  return additionalContext;
}

const bullets = (count: number, text: string): string =>
  Array.from({ length: count }, (_, index) => `- ${text} ${index}\n`).join("");

test("decisions are shown before an edit once a file and conversation, of this workspace only", async () => {
  const repository = await repositoryWith(
    { auth: { body: `## Decisions\n${bullets(40, "JWT in an httpOnly cookie é")}` }, old: {} },
    { auth: "src/auth" },
  );
  await start(repository, "startup", "s1");
  const edit = (file: string, session = "s1"): Promise<string> => told(repository, file, { session_id: session });
  const text = await edit(join(repository.top, "src/auth/deep/login.ts"));
  expect(text).toMatch(/^Decided earlier about src\/auth\/deep\/login\.ts \(ThreadMind\):\nThread auth/);
  expect(text).toEndWith(REST);
  for (const file of ["src/auth/deep/login.ts", "src/other.ts", "../outside.ts", "/etc/passwd", "", "."])
    expect(await edit(file)).toBe("");
  expect(await edit("src/auth/other.ts")).toContain("src/auth/other.ts");
  expect(await edit("src/auth/other.ts", "s2")).toContain("src/auth/other.ts");
  const { call, close } = await openClient({ cwd: repository.top });
  const replaced = await call("summary_update", { threadId: "auth", content: "## Decisions\n- none" });
  expect([replaced.isError, replaced.text]).toEqual([true, expect.stringContaining("has not seen all of it")]);
  await close();
});

test("a patch tells of all its files at once, whichever of them is governed", async () => {
  const repository = await repositoryWith(
    { auth: { body: "## Decisions\n- JWT\n" }, pay: { body: "## Decisions\n- Cards\n" } },
    { auth: "src/auth", pay: "src/pay" },
  );
  const patch = ["docs/a.md", "src/auth/b.ts", "src/pay/c.ts"].map((file) => `*** Update File: ${file}\n@@\n-a\n+b\n`);
  const payload = { session_id: "s1", tool_input: { command: `*** Begin Patch\n${patch.join("")}*** End Patch\n` } };
  const text = await told(repository, "", payload);
  expect(text).toStartWith("Decided earlier about src/auth/b.ts and 1 more file (ThreadMind):");
  expect(text).toContain("- JWT");
  expect(text).toContain("- Cards");
  expect(await told(repository, "", payload)).toBe("");
});

/** How tools name two files that they are about to change. */
const TWO_FILES: Readonly<Record<string, unknown>> = {
  "a list of files": { files: ["src/auth/b.ts", "src/pay/c.ts"] },
  "a list of paths": { filePaths: ["src/auth/b.ts", "src/pay/c.ts"] },
  "replacements in each": { replacements: [{ filePath: "src/auth/b.ts" }, { filePath: "src/pay/c.ts" }] },
  "a patch that moves one": { input: "*** Begin Patch\n*** Update File: src/auth/b.ts\n*** Move to: src/pay/c.ts\n" },
};

for (const [name, tool_input] of Object.entries(TWO_FILES)) {
  test(`both files are told of that a tool names by ${name}`, async () => {
    const repository = await repositoryWith(
      { auth: { body: "## Decisions\n- JWT\n" }, pay: { body: "## Decisions\n- Cards\n" } },
      { auth: "src/auth", pay: "src/pay" },
    );
    const text = await told(repository, "", { sessionId: "v1", hookEventName: "PreToolUse", tool_input });
    expect(text).toStartWith("Decided earlier about src/auth/b.ts and 1 more file (ThreadMind):");
    expect([text.includes("- JWT"), text.includes("- Cards")]).toEqual([true, true]);
  });
}

test("each of many threads is heard, the nearest first; what is cut or left out is said", async () => {
  const long = (id: string): string => `## Decisions\n${bullets(6, `${id} has decided something rather long`)}`;
  const near = { body: "## Decisions\n- never log a token\n" };
  const repository = await repositoryWith(
    {
      one: { body: long("one") },
      two: { body: long("two") },
      three: { body: long("three") },
      four: { body: long("four") },
      near,
    },
    { near: "src/a/b/c/d", one: "src/a/b/c", two: "src/a/b", three: "src/a", four: "src" },
  );
  await run(["summary", "main", "--paths", ".", "--content", "## Decisions\n- money in cents\n"], {
    cwd: repository.top,
  });
  const text = await told(repository, "src/a/b/c/d/e.ts");
  expect([...text.matchAll(/^Thread (\w+)/gm)].map(([, id]) => id)).toEqual([
    ..."near one two three four main".split(" "),
  ]);
  expect(text).toContain("- never log a token");
  expect(text).toContain("- money in cents");
  expect(text).toEndWith(`\n${REST}`);
  expect(text).not.toContain("## ");
});

test("threads for which there is no room are named, and those in conflict", async () => {
  const ids = Array.from({ length: 30 }, (_, index) => `thread-${index}`);
  const repository = await repositoryWith(
    Object.fromEntries(ids.map((id) => [id, { body: `## Decisions\n- ${id} says ${"x".repeat(90)}\n` }])),
    Object.fromEntries(ids.map((id, index) => [id, Array.from({ length: index + 1 }, () => "d").join("/")])),
  );
  const deep = `${Array.from({ length: 40 }, () => "d").join("/")}/a.ts`;
  const text = await told(repository, deep);
  expect(text).toMatch(/Thread thread-29 ⚠, about …d\/.*\n- thread-29 says/);
  expect(text).toMatch(/\nAlso: thread-\d+, .* and \d+ more\n… \(thread_search/);
  writeFileSync(
    threadFile(repository.top, "thread-29"),
    "---\nid: thread-29\ntitle: a\nparentId: main\npaths: [d]\n---\n\n<<<<<<< a\n- b\n=======\n- c\n>>>>>>> d\n",
  );
  expect(await told(repository, "d/only.ts")).toMatch(/Also: thread-29 \(in conflict\)\n…/);
});

test("a decision that was merged into the parent is told once, by the thread that rules now", async () => {
  const repository = gitRepository();
  const tm = (...args: readonly string[]) => run(args, { cwd: repository.top, home: repository.home });
  await tm("project", "create", "App");
  await tm("summary", "main", "--content", "## Decisions\n- Money in cents\n", "--paths", ".");
  await tm("create", "M");
  await tm("summary", "m", "--content", "## Decisions\n- JWT in cookies\n  and no other\n", "--paths", "src");
  expect((await tm("merge", "m")).code).toBe(0);
  const merged = await told(repository, "src/a.ts");
  expect(merged.match(/JWT in cookies/g)).toHaveLength(1);
  expect(merged).toContain("Thread main, about src:");
  expect(merged).not.toContain("Thread m (done)");
  await tm(
    "summary",
    "main",
    "--content",
    "## Decisions\n- Money in cents\n- JWT in cookies (from m)\n  and no other\n",
  );
  const fromTeam = await told(repository, "src/b.ts");
  expect(fromTeam.match(/JWT in cookies/g)).toHaveLength(1);
  expect(fromTeam).not.toContain("Thread m (done)");
  await tm("summary", "main", "--content", "## Decisions\n- Money in cents\n");
  expect(await told(repository, "src/c.ts")).toMatch(
    /Thread main[\s\S]*Thread m \(done\), about src:\n[\s\S]*JWT in cookies/,
  );
});

/** How one file, `src/api/a.ts`, may be spelt, and by which of its threads it is then known. */
function spellingsOf(top: string, rootLink: string): readonly (readonly [string, readonly string[]])[] {
  return [
    ["src/api/a.ts", ["api"]],
    ["./src/api/../api/./a.ts", ["api"]],
    ["lib/../src//api/a.ts", ["api"]],
    [join(top, "src/api/a.ts"), ["api"]],
    [`${top}/lib/../src/api/a.ts`, ["api"]],
    ["src/api/two\nlines.ts", ["api"]],
    ["src/api/new/not/there.ts", ["api"]],
    ...(isWindows
      ? ([
          [join(top, "src/api/a.ts").replace(/^[a-z]:/i, (drive) => drive.toLowerCase()), ["api"]],
          [
            join(top, "src/api/a.ts")
              .replace(/^([a-z]):/i, "/$1")
              .replaceAll("\\", "/"),
            ["api"],
          ],
        ] as const)
      : ([
          ["apilink/a.ts", ["api", "link"]],
          ["apilink/new.ts", ["api", "link"]],
          [join(rootLink, "src/api/a.ts"), ["api"]],
          [join(rootLink, "apilink/a.ts"), ["api", "link"]],
          ["filelink.ts", ["api"]],
          ["looplink/src/api/a.ts", ["api"]],
        ] as const)),
  ];
}

/** Paths that are no file of the workspace. */
const OUTSIDE = ["../x.ts", "src/../../x.ts", "/etc/passwd", "/etc/no/such", "/", "C:\\x\\a.ts", "//server/share/a.ts"];

test("search, thread_search and the hook understand the same paths", async () => {
  const repository = await repositoryWith(
    { api: { body: "## Decisions\n- REST\n" }, link: { body: "## Decisions\n- linked\n" } },
    { api: "src/api", link: "apilink" },
  );
  const { top } = repository;
  const folder = temporaryFolder();
  const rootLink = join(folder, "link");
  mkdirSync(join(top, "src/api"), { recursive: true });
  writeFileSync(join(top, "src/api/a.ts"), "1\n");
  if (!isWindows) {
    symlinkSync(top, rootLink);
    symlinkSync("src/api", join(top, "apilink"));
    symlinkSync("src/api/a.ts", join(top, "filelink.ts"));
    symlinkSync(".", join(top, "looplink"));
  }
  const { call, close } = await openClient({ cwd: top });
  for (const [spelling, ids] of spellingsOf(top, rootLink)) {
    const { stdout } = await run(["search", "--path", spelling, "--json"], { cwd: top });
    const found = JSON.parse(stdout).found.map(({ thread }: { thread: string }) => thread);
    expect([spelling, found.sort()]).toEqual([spelling, [...ids]]);
    const answer = await call("thread_search", { path: spelling });
    expect([spelling, answer.isError, answer.text]).toEqual([spelling, false, expect.stringContaining("- REST")]);
    expect([spelling, await told(repository, spelling)]).toEqual([spelling, expect.stringContaining("- REST")]);
  }
  for (const spelling of OUTSIDE) {
    const { stderr, code } = await run(["search", "--path", spelling], { cwd: top });
    expect([spelling, code, stderr]).toEqual([spelling, 2, expect.stringContaining("it leads out of the workspace")]);
    expect((await call("thread_search", { path: spelling })).text).toContain("it leads out of the workspace");
    expect(await told(repository, spelling)).toBe("");
  }
  await close();
});

test.skipIf(isWindows)("a path says nothing of what is outside the workspace, through whichever link", async () => {
  const repository = await repositoryWith({}, {});
  const outside = temporaryFolder();
  writeFileSync(join(outside, "there"), "");
  symlinkSync(outside, join(repository.top, "out"));
  symlinkSync(join(outside, "there"), join(repository.top, "file"));
  symlinkSync(join(outside, "nowhere"), join(repository.top, "dangling"));
  const ask = async (path: string): Promise<string> =>
    (await run(["search", "--path", path], { cwd: repository.top })).stdout.replace(path, "PATH");
  for (const path of ["out/there", "out/not-there", "out/there/x", "file", "dangling", "dangling/x"])
    expect([path, await ask(path)]).toEqual([path, "No thread governs PATH.\n"]);
  expect(await ask("not-there")).toContain("There is no not-there in the workspace");
});

test("what thread_search has no room for is named, and so are threads that can't be read", async () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const repository = await repositoryWith(
    Object.fromEntries([...ids, "broken"].map((id) => [id, { body: `## Decisions\n- ${id}\n` }])),
    Object.fromEntries(ids.map((id, index) => [id, ids.slice(0, index + 1).join("/")])),
  );
  writeFileSync(threadFile(repository.top, "broken"), "---\nid: broken\n");
  const { stdout } = await run(["search", "--path", ids.join("/")], { cwd: repository.top });
  expect(stdout).toContain("… and 2 more: b, a (threadmind show ID shows one).");
  expect(stdout).toContain("Not searched, because of conflicts or damage: broken.");
});
