import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import {
  findConversation,
  listRunning,
  readClientSession,
  writeConversation,
  writeEdited,
  writePlace,
} from "../../src/io/client_session.ts";
import { type Layout, layoutOf } from "../../src/io/layout.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";

/** What this process's file says. */
function read(layout: Layout): unknown {
  return JSON.parse(readFileSync(join(layout.sessions, `${process.pid}.json`), "utf8"));
}

/** When this process began, where the system tells. */
const BORN = process.platform === "linux" ? { born: expect.stringMatching(/^\d+$/) } : {};
const ACTIVE = { project: "app", thread: "auth", branch: "main" };

test("writePlace() writes what a client has active under its process id, the last word only", () => {
  const layout = layoutOf(temporaryFolder());
  writePlace(layout, process.pid, ACTIVE);
  writePlace(layout, process.pid, { project: "app", thread: "日本", branch: undefined });
  expect(readdirSync(layout.sessions)).toEqual([`${process.pid}.json`]);
  expect(read(layout)).toEqual({ project: "app", thread: "日本", ...BORN });
  expect(readdirSync(layout.temporary)).toEqual([]);
});

test("writePlace() leaves what else the file says, and makes a new one of a file that is no JSON", () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.sessions, { recursive: true });
  const path = join(layout.sessions, `${process.pid}.json`);
  writeFileSync(path, '{"seen": {"app/auth": {"digest": "x"}}, "thread": "old", "branch": "gone"}');
  writePlace(layout, process.pid, { ...ACTIVE, branch: undefined });
  expect(read(layout)).toEqual({ seen: { "app/auth": { digest: "x" } }, project: "app", thread: "auth", ...BORN });
  writeFileSync(path, "{");
  writePlace(layout, process.pid, ACTIVE);
  expect(read(layout)).toEqual({ ...ACTIVE, ...BORN });
});

test("the file of a client that is a link out of the workspace is neither read nor written", () => {
  const layout = layoutOf(temporaryFolder());
  const outside = join(temporaryFolder(), "outside.json");
  const source = '{"seen":{"app/auth":{"digest":"x","isWhole":true}}}';
  writeFileSync(outside, source);
  mkdirSync(layout.sessions, { recursive: true });
  symlinkSync(outside, join(layout.sessions, `${process.pid}.json`));
  expect(readClientSession(layout, process.pid)).toBeUndefined();
  expect(() => writePlace(layout, process.pid, ACTIVE)).toThrow("leads out of the workspace");
  expect(readFileSync(outside, "utf8")).toBe(source);
});

test("writePlace() forgets clients that are gone, and nobody else's file", () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.sessions, { recursive: true });
  const dead = spawnSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout.trim();
  for (const name of [`${dead}.json`, `${process.ppid}.json`, "notes.json", `${dead}.txt`]) {
    writeFileSync(join(layout.sessions, name), "{}");
  }
  writePlace(layout, process.pid, ACTIVE);
  expect(readdirSync(layout.sessions).sort()).toEqual(
    [`${process.pid}.json`, `${process.ppid}.json`, "notes.json", `${dead}.txt`].sort(),
  );
});

test("writePlace() in a workspace that nothing was written to yet stays out of git's sight", () => {
  const { top, git } = gitRepository();
  const layout = layoutOf(top);
  writePlace(layout, process.pid, ACTIVE);
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
  expect(existsSync(join(layout.data, ".gitignore"))).toBe(false);
});

const WHOLE = { digest: "0123456789abcdef", status: "open", parentId: null, isWhole: true };
const CONVERSATION = {
  id: "s1",
  at: "2026-11-30T10:00:00.000Z",
  isFresh: true,
  place: ACTIVE,
  seen: new Map([["app/auth", WHOLE]]),
};

test("writeConversation() is read back whole, and forgets what the conversation before it was shown", () => {
  const layout = layoutOf(temporaryFolder());
  writeConversation(layout, process.pid, CONVERSATION);
  const nothingEdited = { conversation: undefined, files: [] };
  expect(readClientSession(layout, process.pid)).toEqual({
    place: ACTIVE,
    conversation: "s1",
    hookAt: CONVERSATION.at,
    freshAt: CONVERSATION.at,
    seen: CONVERSATION.seen,
    edited: nothingEdited,
  });
  writeEdited(layout, process.pid, { conversation: "s1", files: ["src/a.ts"] }, CONVERSATION.seen);
  expect(readClientSession(layout, process.pid)?.edited).toEqual({ conversation: "s1", files: ["src/a.ts"] });
  writeConversation(layout, process.pid, { ...CONVERSATION, id: undefined, place: undefined, seen: new Map() });
  const after = readClientSession(layout, process.pid);
  expect([after?.conversation, after?.seen.size, after?.place]).toEqual([undefined, 0, ACTIVE]);
});

test("readClientSession() takes nothing from an earlier process that had the same number", () => {
  const layout = layoutOf(temporaryFolder());
  writeConversation(layout, process.pid, CONVERSATION);
  const path = join(layout.sessions, `${process.pid}.json`);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), born: "1" }));
  const isTold = process.platform === "linux";
  expect(readClientSession(layout, process.pid) === undefined).toBe(isTold);
  expect(listRunning(layout).has("s1")).toBe(!isTold);
  writePlace(layout, process.pid, ACTIVE);
  if (isTold) expect(read(layout)).toEqual({ ...ACTIVE, ...BORN });
});

test("readClientSession() takes any JSON for what it can be, and throws for none", () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.sessions, { recursive: true });
  const path = join(layout.sessions, `${process.pid}.json`);
  const strange = [
    '{"project": 1, "thread": null, "seen": [], "edited": "x", "session": 7, "hookAt": {}}',
    '{"project": "app", "seen": {"app/a": 1, "app/b": {"digest": 2}, "app/c": null}, "edited": {"files": [1, null]}}',
    '{"__proto__": {"project": "x", "thread": "y"}, "born": 5}',
  ];
  for (const text of strange) {
    writeFileSync(path, text);
    const session = readClientSession(layout, process.pid);
    expect([session?.place, session?.seen.size, session?.edited.files]).toEqual([undefined, 0, []]);
  }
  for (const text of ["", "[]", "{", "null", `${"[".repeat(100_000)}`]) {
    writeFileSync(path, text);
    expect(readClientSession(layout, process.pid)).toBeUndefined();
  }
});

test("a conversation can be found after its client is gone, for a while and among fifty", () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.sessions, { recursive: true });
  const dead = Array.from({ length: 60 }, (_, at) => 4_190_000 + at);
  for (const [at, pid] of dead.entries()) {
    const file = join(layout.sessions, `${pid}.json`);
    writeFileSync(file, JSON.stringify({ ...ACTIVE, session: `gone-${at}`, hookAt: "x" }));
    const seconds = Date.now() / 1000 - (at < 5 ? 31 * 86_400 : 3600 - at);
    utimesSync(file, seconds, seconds);
  }
  writePlace(layout, process.pid, ACTIVE);
  expect(readdirSync(layout.sessions).length).toBe(51);
  expect(findConversation(layout, "gone-59")?.place).toEqual(ACTIVE);
  expect(findConversation(layout, "gone-3")).toBeUndefined();
  expect(listRunning(layout).size).toBe(0);
});
