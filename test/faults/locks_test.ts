import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { run } from "../support/binary.ts";
import { hook, usageRecord } from "../support/hooks.ts";
import { readThread, renderThread, snapshot, threadFile, writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { changedPaths, leftovers, numbers, succeed, withClient } from "./faults.ts";

setDefaultTimeout(120_000);

const BODY = "## Decisions\n- first\n";
const FUTURE = "2099-01-01T00:00:00.000Z";

function project(): string {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: BODY } });
  mkdirSync(join(top, ".threadmind/local/tmp"), { recursive: true });
  return top;
}

function lock(top: string, content: string | object, ageSeconds = 0): void {
  const path = join(top, ".threadmind/local/lock");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(path, time, time);
}

const owner = (pid: number, host = hostname()) => ({ pid, host, token: "0123456789abcdef" });
const deadPid = (): number => Number(spawnSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout);

const HELD: readonly (readonly [says: string, lock: object, holder: string])[] = [
  ["a live process", owner(process.pid), `process ${process.pid} on ${hostname()}`],
  ["a process of another machine", owner(4711, "elsewhere"), "process 4711 on elsewhere"],
];

test("a lock that is held is waited for, then named with its holder; readers don't care, and no byte changes", async () => {
  await Promise.all(
    HELD.map(async ([, held, holder]) => {
      const top = project();
      const transcript = join(temporaryFolder(), "t.jsonl");
      writeFileSync(transcript, usageRecord(5000));
      await succeed(top, ["switch", "auth"]);
      lock(top, held);
      const before = snapshot(top);
      const begun = performance.now();
      const [cli, tool, ended] = await Promise.all([
        run(["summary", "auth", "--content", "x"], { cwd: top }),
        withClient(top, ({ call }) => call("summary_update", { threadId: "auth", content: "x" })),
        hook({ top }, "session-end", { session_id: "s", transcript_path: transcript }).then((result) => [
          result,
          performance.now() - begun,
        ]),
      ]);
      const says = `Cannot write: ${holder} has held the workspace's lock for 5 seconds.`;
      expect([cli.stdout, cli.code, cli.stderr.split("\n")[0]]).toEqual(["", 1, `threadmind: ${says}`]);
      expect([tool.isError, tool.text.split("\n")[0]]).toEqual([true, says]);
      expect(ended).toEqual([{ stdout: "", stderr: "", code: 0 }, expect.any(Number)]);
      expect(ended[1]).toBeLessThan(3000);
      for (const words of [["tree"], ["context"], ["search", "first"]]) await succeed(top, words);
      const start = await hook({ top }, "session-start", { session_id: "s", source: "startup" });
      expect([start.code, start.stdout.includes("- first")]).toEqual([0, true]);
      const after = snapshot(top);
      expect(Object.keys(after).filter((path) => !path.includes("/sessions/") && after[path] !== before[path])).toEqual(
        [],
      );
    }),
  );
});

const FREE: readonly (readonly [says: string, content: string | object, ageSeconds: number])[] = [
  ["a dead process", owner(deadPid()), 0],
  ["nobody: it is empty", "", 0],
  ["nobody: it is empty, and from tomorrow", "", -86_400],
  ["nobody: it is half a JSON text", '{"pid":12', 0],
  ["nobody: it is made of NUL bytes, as after a power cut", "\0".repeat(60), 0],
  ["a live process that has had it for a minute", owner(process.pid), 70],
  ["a live process, and from tomorrow", owner(process.pid), -86_400],
  ["another machine, a minute old", owner(4711, "elsewhere"), 70],
  ["another machine, and from next year", owner(4711, "elsewhere"), -365 * 86_400],
];

for (const [says, content, age] of FREE) {
  test(`a lock of ${says} blocks nobody`, async () => {
    const top = project();
    lock(top, content, age);
    const begun = performance.now();
    await succeed(top, ["summary", "auth", "--append", "--content", "- second"]);
    expect(performance.now() - begun).toBeLessThan(3500);
    expect(readThread(top, "auth")).toEndWith("\n\n## Decisions\n- first\n- second\n");
    expect(leftovers(top)).toEqual([]);
  });
}

test("many that wait for a dead process's lock all write, one after the other", async () => {
  const top = project();
  lock(top, owner(deadPid()));
  writeFileSync(join(top, ".threadmind/local/lock.break"), JSON.stringify(owner(deadPid())));
  await Promise.all(numbers(8).map((n) => succeed(top, ["summary", "auth", "--append", "--content", `- w${n}`])));
  const items = readThread(top, "auth")
    .split("\n")
    .filter((line) => /^- w\d$/.test(line));
  expect(items.sort()).toEqual(numbers(8).map((n) => `- w${n}`));
  expect(leftovers(top)).toEqual([]);
});

const stampOf = (top: string, thread: string): string =>
  /^updatedAt: (.*?) *$/m.exec(readThread(top, thread))?.[1] ?? "";

test("updatedAt never goes back, however far ahead of the clock it is, by any write", async () => {
  const top = project();
  for (const at of [FUTURE, "2099-12-31T23:59:59.999Z", new Date(Date.now() + 3_600_000).toISOString()]) {
    for (const words of [
      ["summary", "auth", "--append", "--content", `- at ${at}`],
      ["update", "auth", "--title", `Auth ${at.slice(0, 16)}`],
      ["done", "auth", "--reason", "enough"],
      ["reopen", "auth"],
    ]) {
      writeFileSync(
        threadFile(top, "auth"),
        renderThread("auth", { updatedAt: at, body: BODY, ...(words[0] === "reopen" ? { status: "done" } : {}) }),
      );
      await succeed(top, words);
      expect(stampOf(top, "auth")).toBe(new Date(Date.parse(at) + 1).toISOString());
    }
  }
});

test("what isn't a date in a date's place doesn't stop a write", async () => {
  const top = project();
  for (const at of [
    "tomorrow",
    "",
    "0000-00-00",
    "9999-99-99T99:99:99.999Z",
    "+275760-09-13T00:00:00.000Z",
    "2026-04-15",
    "1e400",
  ]) {
    writeFileSync(threadFile(top, "auth"), renderThread("auth", { updatedAt: at, body: BODY }));
    await succeed(top, ["summary", "auth", "--append", "--content", "- second"]);
    expect(Number.isNaN(Date.parse(stampOf(top, "auth")))).toBe(false);
    expect(readThread(top, "auth")).toEndWith("\n- first\n- second\n");
  }
});

test("a clock that has been ahead and is right again loses no kept text: the one before each write can be brought back", async () => {
  const top = project();
  const folder = join(top, ".threadmind/local/kept/app/auth");
  mkdirSync(folder, { recursive: true });
  for (const n of numbers(50)) {
    const name = `20990101T0000${String(n).padStart(2, "0")}000Z-${n.toString(16).padStart(12, "0")}.md`;
    writeFileSync(join(folder, name), renderThread("auth", { body: `## Decisions\n- of 2099: ${n}\n` }));
  }
  const before = readThread(top, "auth");
  await succeed(top, ["summary", "auth", "--content", "## Decisions\n- replaced\n"]);
  const kept = Object.entries(snapshot(folder));
  expect(kept).toHaveLength(50);
  expect(kept.at(-1)?.[1]).toBe(before);
  await succeed(top, ["restore", "auth"]);
  expect(readThread(top, "auth")).toEndWith(`\n\n${BODY}`);
  // A deletion of now is the newest too.
  const deletions = join(top, ".threadmind/local/kept/app/.deletions");
  mkdirSync(deletions, { recursive: true });
  for (const n of numbers(50))
    writeFileSync(join(deletions, `20990101T0000${String(n).padStart(2, "0")}000Z.json`), '{"threads":[]}\n');
  await succeed(top, ["delete", "auth"]);
  await succeed(top, ["restore", "auth"]);
  expect(readThread(top, "auth")).toEndWith(`\n\n${BODY}`);
});

test("files whose times lie in the future are read, written and cleaned up like any other", async () => {
  const top = project();
  const later = Date.now() / 1000 + 10 * 365 * 86_400;
  writeFileSync(join(top, ".threadmind/local/tmp/4194300-0123456789ab.tmp"), "half");
  await succeed(top, ["switch", "auth"]);
  writeFileSync(join(top, ".threadmind/local/4194300-0123456789ab.tmp"), "half");
  const before = snapshot(top);
  for (const path of Object.keys(before)) utimesSync(join(top, path), later, later);
  expect(await succeed(top, ["tree"])).toBe("main\n└── auth ← active\n");
  await succeed(top, ["summary", "auth", "--append", "--content", "- second"]);
  expect(changedPaths(before, snapshot(top))).toEqual([".threadmind/threads/app/auth.md"]);
  expect(leftovers(top)).toEqual([]);
  expect(JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8")).activeThreadId).toBe("auth");
});
