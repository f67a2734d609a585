import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readSighting, writeClientSession } from "../../src/io/client_session.ts";
import { type Layout, layoutOf } from "../../src/io/layout.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";

/** What this process's file says. */
function read(layout: Layout): unknown {
  return JSON.parse(readFileSync(join(layout.sessions, `${process.pid}.json`), "utf8"));
}

const ACTIVE = { project: "app", thread: "auth", branch: "main" };

test("writeClientSession() writes what a client has active under its process id, the last word only", () => {
  const layout = layoutOf(temporaryFolder());
  writeClientSession(layout, process.pid, ACTIVE);
  writeClientSession(layout, process.pid, { project: "app", thread: "日本", branch: undefined });
  expect(readdirSync(layout.sessions)).toEqual([`${process.pid}.json`]);
  expect(read(layout)).toEqual({ project: "app", thread: "日本" });
  expect(readdirSync(layout.temporary)).toEqual([]);
});

test("writeClientSession() leaves what else the file says, and makes a new one of a file that is no JSON", () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.sessions, { recursive: true });
  const path = join(layout.sessions, `${process.pid}.json`);
  writeFileSync(path, '{"seen": {"app/auth": {"digest": "x"}}, "thread": "old", "branch": "gone"}');
  writeClientSession(layout, process.pid, { ...ACTIVE, branch: undefined });
  expect(read(layout)).toEqual({ seen: { "app/auth": { digest: "x" } }, project: "app", thread: "auth" });
  writeFileSync(path, "{");
  writeClientSession(layout, process.pid, ACTIVE);
  expect(read(layout)).toEqual(ACTIVE);
});

test("the file of a client that is a link out of the workspace is neither read nor written", () => {
  const layout = layoutOf(temporaryFolder());
  const outside = join(temporaryFolder(), "outside.json");
  const source = '{"seen":{"app/auth":{"digest":"x","isWhole":true}}}';
  writeFileSync(outside, source);
  mkdirSync(layout.sessions, { recursive: true });
  symlinkSync(outside, join(layout.sessions, `${process.pid}.json`));
  expect(readSighting(layout, process.pid, "app/auth")).toBeUndefined();
  expect(() => writeClientSession(layout, process.pid, ACTIVE)).toThrow("leads out of the workspace");
  expect(readFileSync(outside, "utf8")).toBe(source);
});

test("writeClientSession() forgets clients that are gone, and nobody else's file", () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.sessions, { recursive: true });
  const dead = spawnSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout.trim();
  for (const name of [`${dead}.json`, `${process.ppid}.json`, "notes.json", `${dead}.txt`]) {
    writeFileSync(join(layout.sessions, name), "{}");
  }
  writeClientSession(layout, process.pid, ACTIVE);
  expect(readdirSync(layout.sessions).sort()).toEqual(
    [`${process.pid}.json`, `${process.ppid}.json`, "notes.json", `${dead}.txt`].sort(),
  );
});

test("writeClientSession() in a workspace that nothing was written to yet stays out of git's sight", () => {
  const { top, git } = gitRepository();
  const layout = layoutOf(top);
  writeClientSession(layout, process.pid, ACTIVE);
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
  expect(existsSync(join(layout.data, ".gitignore"))).toBe(false);
});
