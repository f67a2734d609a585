import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, TOP } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { readThread, snapshot, threadFile } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

/** A repository with the workspace that release 0.4.1 wrote, committed as that release would have it. */
function oldWorkspace(): GitRepository {
  const repo = gitRepository();
  cpSync(join(TOP, "test/fixtures/v0.4.1/threadmind"), join(repo.top, ".threadmind"), { recursive: true });
  renameSync(join(repo.top, ".threadmind/gitignore"), join(repo.top, ".threadmind/.gitignore"));
  repo.git("add", "--all");
  repo.git("commit", "--quiet", "--message", "Start");
  return repo;
}

async function cli(top: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(words, { cwd: top });
  if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
  return stdout;
}

/** The paths whose bytes differ between two snapshots. */
function changed(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths.filter((path) => before[path] !== after[path]).sort();
}

test("reading a workspace of 0.4.1 with every command changes no byte and adds no file", async () => {
  const { top, git } = oldWorkspace();
  const before = snapshot(top);
  expect(await cli(top, "tree")).toContain(
    "├── auth-jwt-sessions (sam-doe-3039)\n│   └── auth-ui (sam-doe-3039) ← active\n",
  );
  expect(await cli(top, "project", "list")).toBe(
    'my-app "My App" (team) ← active\nside-project "Side Project" (solo)\n',
  );
  const shown: Readonly<Record<string, readonly string[]>> = {
    main: ["- Next.js 15, PostgreSQL", "- scaffolded"],
    "auth-jwt-sessions": ["- Next.js 15, PostgreSQL", "Implemented JWT auth.", "- refresh 7 d"],
    "auth-ui": [
      "You are building a Next.js shop.\nUse TypeScript.",
      "## Thread: Auth: JWT & sessions",
      "- access 15 min",
    ],
    "caf-menu-2": ["## Thread: Café – menu #2", "- one menu per day\n\n---\n\nnote after a rule"],
    "side-project/yes": ["## Thread: yes", "depth: 2 threads"],
    "side-project/main": ["_No summary yet._"],
  };
  for (const [thread, parts] of Object.entries(shown)) {
    const context = await cli(top, "context", thread);
    for (const part of parts) expect(context).toContain(part);
  }
  const { call, close } = await openClient({ cwd: top });
  expect((await call("context_get")).text).toContain("## Thread: Auth UI (active)");
  await close();
  expect(snapshot(top)).toEqual(before);
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

test("a switch in a workspace of 0.4.1 changes config.json's thread and what git must ignore, nothing else", async () => {
  const repo = oldWorkspace();
  const before = snapshot(repo.top);
  await cli(repo.top, "switch", "caf-menu-2");
  const after = snapshot(repo.top);
  const beside = (path: string) => !path.startsWith(".threadmind/local/");
  expect(changed(before, after).filter(beside)).toEqual([
    ".threadmind/.gitattributes",
    ".threadmind/.gitignore",
    ".threadmind/config.json",
  ]);
  expect(after[".threadmind/.gitignore"]).toBe(`${before[".threadmind/.gitignore"]}local/\n`);
  const config = before[".threadmind/config.json"] ?? "";
  expect(after[".threadmind/config.json"]).toStartWith(config.replace("auth-ui", "caf-menu-2").replace(/\n\}$/, ",\n"));
  expect(JSON.parse(after[".threadmind/config.json"] ?? "")).toEqual({
    ...JSON.parse(config),
    activeThreadId: "caf-menu-2",
    starts: { "my-app": { main: "caf-menu-2" } },
  });
  expect(repo.git("status", "--porcelain", "--untracked-files=all").split("\n")).toEqual([
    " M .threadmind/.gitignore",
    "?? .threadmind/.gitattributes",
  ]);
});

test("a summary written in a workspace of 0.4.1 changes that thread's file, and in it what was set", async () => {
  const { top } = oldWorkspace();
  await cli(top, "switch", "caf-menu-2");
  const [before, old] = [snapshot(top), readThread(top, "caf-menu-2", "my-app")];
  await cli(top, "summary", "--section", "State", "--content", "- printed\n");
  const now = readThread(top, "caf-menu-2", "my-app");
  expect(changed(before, snapshot(top)).filter((path) => !path.includes("/local/"))).toEqual([
    ".threadmind/threads/my-app/caf-menu-2.md",
  ]);
  const [header = "", oldHeader = ""] = [now, old].map((text) => text.slice(4, text.indexOf("\n---\n")));
  const lines = header.split("\n").filter((line) => !/^(?:updatedAt|commit):/.test(line));
  expect(lines.join("\n")).toBe(
    oldHeader.replace(/\nupdatedAt:.*/, "").replace("title: Café – menu #2", lines[1] ?? ""),
  );
  expect(lines[1]).toMatch(/^title: "?Café – menu #2"?$/);
  expect(now.slice(now.indexOf("\n---\n"))).toContain(
    "\n\n## Decisions\n- one menu per day\n\n---\n\nnote after a rule",
  );
  const kept = join(top, ".threadmind/local/kept/my-app/caf-menu-2");
  expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"))).toEqual([old]);
});

test("a new thread in a workspace of 0.4.1 is one that 0.5 can read in the same checkout", async () => {
  const { top } = oldWorkspace();
  const before = snapshot(top);
  await cli(top, "create", "Session: store #1");
  const config = JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8"));
  expect(config).toMatchObject({ activeProjectId: "my-app", activeThreadId: "session-store-1", version: 1 });
  expect(config.author).toBe("sam-doe-3039");
  const text = readThread(top, "session-store-1", "my-app");
  expect(text).toMatch(
    /^---\nid: session-store-1\ntitle: "Session: store #1"\nparentId: auth-ui\nauthor: [\w-]+\ncreatedAt: \S+Z\nupdatedAt: \S+Z\n---\n/,
  );
  for (const path of Object.keys(before).filter((name) =>
    /\.threadmind\/(?:threads|trees|stats|projects)\/.*\w$/.test(name),
  )) {
    expect(readFileSync(join(top, path), "latin1")).toBe(before[path] ?? "");
  }
});

test("an unknown key that 0.5 or a person put into a file is still there after every kind of write", async () => {
  const { top } = oldWorkspace();
  const path = threadFile(top, "main", "my-app");
  writeFileSync(path, readThread(top, "main", "my-app").replace("author:", "reviewer: lee   # until June\nauthor:"));
  await cli(top, "summary", "main", "--content", "## Decisions\n- Bun\n", "--paths", ".");
  await cli(top, "summary", "main", "--content", "- more\n", "--append");
  await cli(top, "verify", "main");
  await cli(top, "summary", "main", "--content", "## Decisions\n- Bun\n- more\n", "--paths", "");
  expect(readThread(top, "main", "my-app")).toContain("\nreviewer: lee   # until June\nauthor: sam-doe-3039\n");
});
