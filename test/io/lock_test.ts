import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ThreadMindError } from "../../src/errors.ts";
import { isAlive, withLock } from "../../src/io/lock.ts";
import { temporaryFolder } from "../support/temp.ts";

const SCRIPT = join(import.meta.dir, "lock_holder.ts");

/** A lock's path in a fresh folder, and what stands at it. */
function lockFile(content?: object | string, ageSeconds = 0): string {
  const path = join(temporaryFolder(), "lock");
  if (content !== undefined) put(path, content, ageSeconds);
  return path;
}

function put(path: string, content: object | string, ageSeconds = 0): void {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(path, time, time);
}

/** The id of a process that has ended. */
function deadPid(): number {
  return Number(spawnSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout);
}

const owner = (pid: number, host = hostname()) => ({ pid, host, token: "0123456789abcdef" });

/** How long it took to get the lock, in milliseconds; the error's text when it wasn't to be had. */
async function timeOf(path: string): Promise<number | string> {
  const begun = performance.now();
  try {
    await withLock(path, async () => undefined);
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.break`)).toBe(false);
    return performance.now() - begun;
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
    expect(performance.now() - begun).toBeWithin(4900, 6500);
    return `${error.code}: ${error.message}\n${error.hint}`;
  }
}

const TAKEN: readonly (readonly [says: string, path: () => string])[] = [
  ["a free lock", () => lockFile()],
  ["the lock of a dead process", () => lockFile(owner(deadPid()))],
  ["the lock of another machine, a minute old", () => lockFile(owner(1, "elsewhere"), 61)],
  ["the lock of a process that has had it for over a minute", () => lockFile(owner(process.ppid), 61)],
  ["an empty lock that is a second old", () => lockFile("", 2)],
  ["a lock that is no JSON", () => lockFile("{", 2)],
  ["a lock with a process id that is none", () => lockFile(owner(-1), 2)],
  ["a lock with process id 0", () => lockFile(owner(0), 2)],
  ["a lock with other things in it", () => lockFile({ pid: "x" }, 2)],
  ["a lock that is null", () => lockFile("null", 2)],
];

for (const [says, path] of TAKEN) {
  test(`withLock() gets ${says} at once`, async () => {
    expect(await timeOf(path())).toBeLessThan(800);
  });
}

test("withLock() waits for an empty lock until it is a second old", async () => {
  expect(await timeOf(lockFile(""))).toBeWithin(900, 2000);
});

test("withLock() takes over from processes that died while they took over", async () => {
  const path = lockFile(owner(deadPid()));
  put(`${path}.break`, owner(deadPid()));
  put(`${path}.break.break`, owner(deadPid()));
  expect(await timeOf(path)).toBeLessThan(800);
  put(path, owner(deadPid()));
  put(`${path}.break`, "", 2);
  expect(await timeOf(path)).toBeLessThan(800);
  expect(existsSync(`${path}.break.break`)).toBe(false);
});

test("withLock() gives up after five seconds and names the process and the machine that hold the lock", async () => {
  const [mine, foreign] = [lockFile(owner(process.ppid)), lockFile(owner(4711, "elsewhere"))];
  const breaking = lockFile(owner(deadPid()));
  put(`${breaking}.break`, owner(process.ppid));
  const texts = await Promise.all([timeOf(mine), timeOf(foreign), timeOf(breaking)]);
  expect(texts.slice(0, 2)).toEqual(
    [
      [`process ${process.ppid} on ${hostname()}`, mine],
      ["process 4711 on elsewhere", foreign],
    ].map(
      ([holder, path]) =>
        `locked: Cannot write: ${holder} has held the workspace's lock for 5 seconds.\n` +
        `Call again in a moment; if that process is stuck, end it, then remove ${path}.`,
    ),
  );
  expect(texts[2]).toStartWith("locked: ");
  expect(JSON.parse(readFileSync(mine, "utf8"))).toEqual(owner(process.ppid));
}, 20_000);

test("withLock() lets one call in at a time, in one process too, and frees the lock when the action throws", async () => {
  const path = lockFile();
  let inside = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      withLock(path, async () => {
        expect(++inside).toBe(1);
        await Bun.sleep(1);
        inside--;
        if (index % 5 === 0) throw new Error("on purpose");
        return index;
      }),
    ),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
  expect(existsSync(path)).toBe(false);
});

test("withLock() leaves a lock alone that is another's by the time it is done", async () => {
  const path = lockFile();
  await withLock(path, async () => put(path, owner(process.ppid)));
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(owner(process.ppid));
});

test("withLock() excludes processes from each other: no increment of a shared counter is lost", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "counter"), "0");
  const children = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, SCRIPT, folder, "50"]));
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  expect(readFileSync(join(folder, "counter"), "utf8")).toBe("200");
});

test("withLock() excludes processes from each other while some of them die inside", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "counter"), "0");
  writeFileSync(join(folder, "log"), "");
  const spawn = () => Bun.spawn([process.execPath, SCRIPT, folder, "100", "0.02"]);
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let done = false; !done; ) done = (await spawn().exited) === 0;
    }),
  );
  expect(Number(readFileSync(join(folder, "counter"), "utf8"))).toBe(readFileSync(join(folder, "log"), "utf8").length);
  expect(existsSync(join(folder, "lock"))).toBe(false);
});

test("isAlive() knows a running process, a dead one, and one that nobody has waited for", async () => {
  expect([isAlive(process.pid), isAlive(1), isAlive(deadPid())]).toEqual([true, true, false]);
  if (process.platform !== "linux") return;
  const parent = Bun.spawn(["sh", "-c", "sleep 0 & echo $!; exec sleep 5"], { stdout: "pipe" });
  const { value } = await parent.stdout.getReader().read();
  await Bun.sleep(200);
  const zombie = Number(new TextDecoder().decode(value));
  expect(readFileSync(`/proc/${zombie}/stat`, "utf8")).toContain(") Z ");
  expect(isAlive(zombie)).toBe(false);
  parent.kill();
});

test("withLock() says it when a folder stands in the lock's place", async () => {
  const path = join(temporaryFolder(), "lock");
  mkdirSync(path);
  utimesSync(path, 0, 0);
  expect(withLock(path, async () => undefined)).rejects.toThrow(/Cannot remove .*lock/);
  const link = join(temporaryFolder(), "lock");
  symlinkSync("/etc/hostname", link);
  expect(await timeOf(link)).toBeLessThan(800);
  expect(existsSync("/etc/hostname")).toBe(true);
});
