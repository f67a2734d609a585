import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { writeClientSession } from "../../src/io/client_session.ts";
import { layoutOf } from "../../src/io/layout.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";

const ACTIVE = { project: "app", thread: "auth", branch: "main" };

test("writeClientSession() writes what a client has active under its process id, the last word only", () => {
  const layout = layoutOf(temporaryFolder());
  writeClientSession(layout, process.pid, ACTIVE);
  writeClientSession(layout, process.pid, { project: "app", thread: "日本", branch: undefined });
  expect(readdirSync(layout.sessions)).toEqual([`${process.pid}.json`]);
  expect(readFileSync(join(layout.sessions, `${process.pid}.json`), "utf8")).toBe(
    '{"project":"app","thread":"日本"}\n',
  );
  expect(readdirSync(layout.temporary)).toEqual([]);
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
