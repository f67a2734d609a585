import { expect, test } from "bun:test";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { readThread, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { gitRepository, temporaryFolder } from "./support/temp.ts";

const SECRET = "the secret of another folder";

interface Trap {
  readonly top: string;
  readonly outside: string;
}

/** A project, and a folder elsewhere that holds a whole project of its own with a secret in each file. */
function trap(): Trap {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  const outside = temporaryFolder("outside");
  writeProject(outside, { auth: { body: `## Decisions\n- ${SECRET}\n` }, stolen: { title: SECRET } });
  writeFileSync(join(outside, ".threadmind/config.json"), JSON.stringify({ author: SECRET, activeThreadId: "stolen" }));
  mkdirSync(join(outside, ".threadmind/local/sessions"), { recursive: true });
  mkdirSync(join(outside, ".threadmind/local/tmp"));
  writeFileSync(join(outside, ".threadmind/local/tmp/1-0123456789ab.tmp"), SECRET);
  writeFileSync(join(outside, ".threadmind/.gitignore"), "node_modules\n");
  writeFileSync(join(outside, ".threadmind/.gitattributes"), "* text\n");
  return { top, outside };
}

/** Replaces a path of the workspace by a link to the same path outside. */
function divert({ top, outside }: Trap, path: string): void {
  rmSync(join(top, path), { recursive: true, force: true });
  mkdirSync(join(top, path, ".."), { recursive: true });
  symlinkSync(join(outside, path), join(top, path));
}

/** Every command there is, read and written from the command line and from a server. */
async function tryEverything(top: string): Promise<string> {
  const text: string[] = [];
  const lines = [
    ["tree"],
    ["context"],
    ["context", "auth"],
    ["show", "auth"],
    ["project", "list"],
    ["switch", "auth"],
    ["create", "New"],
    ["summary", "auth", "--content", "## Decisions\n- new\n"],
    ["summary", "main", "--content", "## Decisions\n- new\n"],
    ["project", "create", "Other"],
    ["project", "switch", "app"],
  ];
  for (const words of lines) {
    const { stdout, stderr, code } = await run(words, { cwd: top });
    expect([0, 1]).toContain(code);
    text.push(stdout, stderr);
  }
  const { call, close } = await openClient({ cwd: top });
  text.push((await call("context_get")).text, (await call("thread_switch", { threadId: "main" })).text);
  await close();
  return text.join("");
}

const DIVERTED: readonly (readonly [path: string, said: RegExp | undefined])[] = [
  [".threadmind", /Cannot use \.threadmind: it is a link that leads out of the workspace/],
  [".threadmind/threads", /Cannot use \.threadmind\/threads: it is a link/],
  [".threadmind/threads/app", /Cannot use \.threadmind\/threads\/app: it is a link/],
  [".threadmind/threads/app/auth.md", /threads\/app\/auth\.md:1: It is a link that leads out of the workspace/],
  [".threadmind/projects", /Cannot use \.threadmind\/projects: it is a link/],
  [".threadmind/projects/app.json", /projects\/app\.json: It is a link that leads out of the workspace/],
  [".threadmind/config.json", /config\.json: It is a link that leads out of the workspace/],
  [".threadmind/local", /Cannot use \.threadmind\/local: it is a link/],
  [".threadmind/local/tmp", /Cannot use \.threadmind\/local\/tmp: it is a link/],
  [".threadmind/local/sessions", undefined],
  [".threadmind/local/kept", /Cannot use \.threadmind\/local\/kept: it is a link/],
  [".threadmind/.gitignore", /Cannot use \.threadmind\/\.gitignore: it is a link/],
  [".threadmind/.gitattributes", /Cannot use \.threadmind\/\.gitattributes: it is a link/],
];

for (const [path, said] of DIVERTED) {
  test(`${path} as a link out of the workspace is neither read nor written through`, async () => {
    const made = trap();
    if (path.startsWith(".threadmind/local/kept")) {
      await run(["summary", "auth", "--content", "## Decisions\n- old\n"], { cwd: made.top });
      mkdirSync(join(made.outside, path));
    }
    divert(made, path);
    const before = snapshot(made.outside);
    const text = await tryEverything(made.top);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("a bug");
    if (said !== undefined) expect(text).toMatch(said);
    expect(snapshot(made.outside)).toEqual(before);
  });
}

test("a link into git's own folder is not followed", async () => {
  const { top } = gitRepository();
  writeProject(top);
  const hook = join(top, ".git/hooks/post-checkout");
  mkdirSync(join(top, ".git/hooks"), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\n");
  symlinkSync("../../../.git/hooks/post-checkout", threadFile(top, "auth"));
  const { stderr, code } = await run(["summary", "auth", "--content", "touch pwned"], { cwd: top });
  expect(stderr).toContain("It is a link that leads out of the workspace");
  expect(code).toBe(1);
  expect(readFileSync(hook, "utf8")).toBe("#!/bin/sh\n");
});

test("a link to nothing, a link to itself and a link to a folder are named, and the rest works", async () => {
  const { top } = gitRepository();
  writeProject(top);
  symlinkSync("nowhere.md", threadFile(top, "dangling"));
  symlinkSync("loop.md", threadFile(top, "loop"));
  symlinkSync(".", threadFile(top, "folder"));
  const { stdout } = await run(["tree"], { cwd: top });
  expect(stdout).toContain("main ← active\n");
  expect(stdout).toContain("threads/app/dangling.md:1: It is a link to nothing.");
  expect(stdout).toContain("threads/app/loop.md:1: It is a link to nothing.");
  expect(stdout).toContain("threads/app/folder.md:1: It can't be read: a folder stands in its place.");
  const before = snapshot(top);
  for (const id of ["dangling", "loop", "folder"]) {
    expect((await run(["summary", id, "--content", "x"], { cwd: top })).code).toBe(1);
  }
  expect(snapshot(top)).toEqual(before);
});

test("a thread file that is a link inside the workspace is read, and stays a link when it is written", async () => {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  mkdirSync(join(top, "docs"));
  writeFileSync(join(top, "docs/auth.md"), renderThread("auth", { body: "## Decisions\n- by link\n" }));
  rmSync(threadFile(top, "auth"));
  symlinkSync("../../../docs/auth.md", threadFile(top, "auth"));
  expect((await run(["show", "auth"], { cwd: top })).stdout).toContain("- by link");
  expect((await run(["summary", "auth", "--content", "## Decisions\n- anew\n"], { cwd: top })).code).toBe(0);
  expect(lstatSync(threadFile(top, "auth")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(top, "docs/auth.md"), "utf8")).toContain("\n\n## Decisions\n- anew\n");
  const kept = Object.entries(snapshot(join(top, ".threadmind/local/kept/app/auth")));
  expect(kept.map(([, text]) => text)).toEqual([renderThread("auth", { body: "## Decisions\n- by link\n" })]);
});

test("a folder of threads that is a link inside the workspace is used as it is", async () => {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  renameSync(join(top, ".threadmind/threads"), join(top, "decisions"));
  symlinkSync("../decisions", join(top, ".threadmind/threads"));
  expect((await run(["summary", "auth", "--content", "## Decisions\n- anew\n"], { cwd: top })).code).toBe(0);
  expect((await run(["create", "New"], { cwd: top })).code).toBe(0);
  expect(lstatSync(join(top, ".threadmind/threads")).isSymbolicLink()).toBe(true);
  expect(readThread(top, "auth")).toContain("- anew");
  expect(readThread(top, "new")).toContain("title: New");
});

test("a workspace that is reached through a link is the real one", async () => {
  const { top } = gitRepository();
  writeProject(top);
  const link = join(temporaryFolder(), "link");
  symlinkSync(top, link);
  const { stdout } = await run(["project", "list", "--json", "--root", link], { cwd: link });
  expect(JSON.parse(stdout).workspace).toBe(top);
  expect((await run(["create", "New"], { cwd: link })).code).toBe(0);
  expect(readThread(top, "new")).toContain("parentId: main");
});
