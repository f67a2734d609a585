import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, run } from "../support/binary.ts";
import { hook, usageRecord } from "../support/hooks.ts";
import { openServer } from "../support/server.ts";
import { CAN_MOUNT, onSmallDisk } from "../support/small_disk.ts";
import { readThread, snapshot, writeProject } from "../support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { amount, changedPaths, changes, copyOf, leftovers, report, succeed } from "./faults.ts";
import { CAN_INJECT, injected } from "./injected.ts";

setDefaultTimeout(600_000);
if (!CAN_MOUNT) console.warn("SKIPPED: this user can't mount, so full and read-only disks are not tested");

const OLD = "## Decisions\n- JWT in a cookie\n";
const NEW = "## Decisions\n- JWT in a header\n";
const EBUSY = 16;
const ERRORS: Readonly<Record<string, number>> = { ENOSPC: 28, EIO: 5, EACCES: 13, EBUSY, EROFS: 30 };

/** A project of which every kind of file exists already, so that a snapshot shows each change. */
async function settled(top?: string, home?: string): Promise<string> {
  const repository = gitRepository({ ...(top === undefined ? {} : { top }), ...(home === undefined ? {} : { home }) });
  return await settle(repository);
}

async function settle({ top, home, commit }: GitRepository): Promise<string> {
  commit("Start");
  writeProject(top, { auth: { body: OLD }, api: { parentId: "auth", body: OLD }, doomed: {} });
  for (const words of [
    ["switch", "auth"],
    ["create", "Ui"],
    ["summary", "auth", "--content", OLD],
  ]) {
    const { stderr, code } = await run(words, { cwd: top, home });
    if (code !== 0) throw new Error(stderr);
  }
  return top;
}

/** Every verb that writes, each with what it changes below .threadmind/ when it works. */
const WRITES: readonly (readonly string[])[] = [
  ["summary", "auth", "--content", NEW],
  ["summary", "auth", "--append", "--content", "- more"],
  ["create", "New"],
  ["switch", "api"],
  ["done", "api", "--reason", "enough"],
  ["abandon", "wrong", "--thread", "api"],
  ["merge", "api"],
  ["update", "auth", "--title", "Authentication"],
  ["rebase", "api", "main"],
  ["verify", "auth"],
  ["delete", "doomed"],
  ["project", "create", "Second"],
  ["project", "update", "--title", "Renamed"],
];

const READS: readonly (readonly string[])[] = [
  ["tree"],
  ["tree", "--json"],
  ["context"],
  ["context", "auth"],
  ["show", "auth"],
  ["search", "cookie"],
  ["history", "auth"],
  ["history"],
  ["stats"],
  ["project", "list"],
];

async function readAll(top: string): Promise<void> {
  for (const words of READS) {
    const { stdout, stderr, code } = await run(words, { cwd: top });
    expect([words, stderr, code]).toEqual([words, "", 0]);
    expect(stdout).not.toBe("");
  }
  const start = await hook({ top }, "session-start", { session_id: "s", source: "startup" });
  expect([start.stderr, start.code]).toEqual(["", 0]);
  expect(start.stdout).toContain("## Thread: ");
}

function expectRefusal({ stdout, stderr, code }: Result, words: readonly string[], reason: RegExp): void {
  expect([words, stdout, code]).toEqual([words, "", 1]);
  expect(stderr).toMatch(/^threadmind: Cannot /);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain("bug");
}

test.skipIf(!CAN_MOUNT)(
  "on a disk without a free byte every write refuses and every reader works, and all goes on once there is room",
  async () => {
    await onSmallDisk(512, async (disk) => {
      await settled(disk);
      spawnSync("sh", ["-c", `cat /dev/zero > '${join(disk, "ballast")}'`], { stdio: "ignore" });
      const before = snapshot(join(disk, ".threadmind"));
      for (const words of WRITES)
        expectRefusal(await run(words, { cwd: disk }), words, /there is no space left on the device/);
      const transcript = join(temporaryFolder(), "t.jsonl");
      writeFileSync(transcript, usageRecord(5000));
      const end = await hook({ top: disk }, "session-end", { session_id: "s", transcript_path: transcript });
      expect([end.stdout, end.stderr, end.code]).toEqual(["", "", 0]);
      await readAll(disk);
      const server = await openServer({ cwd: disk });
      expect(await server.call("summary_update", { threadId: "auth", content: NEW })).toContain(
        "there is no space left",
      );
      expect(await server.call("thread_list")).toContain("── auth");
      expect(snapshot(join(disk, ".threadmind"))).toEqual(before);
      rmSync(join(disk, "ballast"));
      expect(await server.call("summary_update", { threadId: "auth", content: NEW })).toContain(
        "Updated the summary of auth",
      );
      await server.closeInput();
      expect(
        changedPaths(before, snapshot(join(disk, ".threadmind"))).filter((path) => !path.startsWith("local/")),
      ).toEqual(["threads/app/auth.md"]);
      expect(leftovers(disk)).toEqual([]);
    });
  },
);

test.skipIf(!CAN_MOUNT)(
  "on a disk that fills up in the middle of a write, each file is as it was or as it was to be",
  async () => {
    for (const room of [0, 4, 8, 12, 16, 20, 24]) {
      await onSmallDisk(512, async (disk) => {
        await settled(disk);
        const before = snapshot(join(disk, ".threadmind"));
        // The ballast leaves this many kilobytes for the write.
        spawnSync(
          "sh",
          ["-c", `cat /dev/zero > '${join(disk, "ballast")}'; truncate -s -${room * 1024} '${join(disk, "ballast")}'`],
          {
            stdio: "ignore",
          },
        );
        const content = `## Decisions\n- ${"y".repeat(9000)}\n`;
        const { code } = await run(["summary", "auth", "--content", content], { cwd: disk });
        const changed = Object.entries(changes(before, snapshot(join(disk, ".threadmind")))).filter(
          ([path]) => !path.startsWith("local/kept/"),
        );
        if (code === 0) expect(changed).toEqual([["threads/app/auth.md", expect.stringContaining(`\n\n${content}`)]]);
        else expect(changed).toEqual([]);
        expect(leftovers(disk)).toEqual([]);
      });
    }
  },
);

test.skipIf(!CAN_MOUNT)(
  "a workspace on a read-only file system is read by every reader, and no byte of it changes",
  async () => {
    const top = await settled();
    const place = join(temporaryFolder("ro"), "place");
    mkdirSync(place);
    expect(spawnSync("mount", ["--bind", top, place]).status).toBe(0);
    try {
      expect(spawnSync("mount", ["-o", "remount,ro,bind", place]).status).toBe(0);
      const before = snapshot(place);
      await readAll(place);
      for (const words of WRITES) {
        if (words[0] === "switch") continue;
        expectRefusal(await run(words, { cwd: place }), words, /the file system is read-only/);
      }
      const server = await openServer({ cwd: place });
      expect(await server.call("thread_switch", { threadId: "api" })).toContain("## Thread: api (active)");
      expect(await server.call("context_get")).toContain("## Thread: api (active)");
      expect(await server.call("summary_update", { threadId: "api", content: NEW })).toContain(
        "the file system is read-only",
      );
      await server.closeInput();
      await server.exited;
      expect(snapshot(place)).toEqual(before);
    } finally {
      spawnSync("umount", ["--lazy", place]);
    }
  },
);

test.skipIf(!CAN_INJECT)(
  "a rename that fails twice refuses twice, and the third call writes; one that fails for good always refuses",
  async () => {
    const top = await settled();
    const before = snapshot(top);
    const write = (at: string) =>
      run(["summary", "auth", "--content", NEW], { cwd: top, env: injected({ call: "rename", at, errno: EBUSY }) });
    for (const at of ["1", "2", "1-1000000"]) {
      expectRefusal(await write(at), [], /another program has it open/);
      // The text that was to be replaced may have been kept before.
      expect(changedPaths(before, snapshot(top))).toEqual([]);
      expect(leftovers(top)).toEqual([]);
    }
    const server = await openServer({ cwd: top, env: injected({ call: "rename", at: "1-2", errno: EBUSY }) });
    const answers: string[] = [];
    for (const content of [NEW, NEW, NEW])
      answers.push(await server.call("summary_update", { threadId: "auth", content }));
    await server.closeInput();
    expect(answers.map((text) => text.split(/[.:(]/)[0])).toEqual([
      expect.stringMatching(/^Cannot write/),
      expect.stringMatching(/^Cannot write/),
      expect.stringMatching(/^Updated the summary of auth/),
    ]);
    expect(readThread(top, "auth")).toEndWith(`\n\n${NEW}`);
    expect(changedPaths(before, snapshot(top))).toEqual([".threadmind/threads/app/auth.md"]);
  },
);

test.skipIf(!CAN_INJECT)("whichever system call of a write fails, the answer tells what is on disk", async () => {
  const home = temporaryHome();
  const template = await settled(undefined, home);
  const writes: readonly (readonly [path: string, words: readonly string[]])[] = [
    ["threads/app/auth.md", ["summary", "auth", "--content", NEW]],
    ["threads/app/new.md", ["create", "New"]],
    ["threads/app/doomed.md", ["delete", "doomed"]],
    ["projects/app.json", ["project", "update", "--title", "Renamed"]],
  ];
  let injections = 0;
  for (const [path, words] of writes.slice(0, amount(2, 4))) {
    for (const [name, errno] of Object.entries(ERRORS).slice(0, amount(1, 5))) {
      // So many calls in a row without an effect can only be behind the last one.
      for (let at = 1, idle = 0; idle < 4; at++) {
        const top = copyOf(template);
        const before = snapshot(top);
        const { stderr, code } = await run(words, { cwd: top, home, env: injected({ at, errno }) });
        const changed = changedPaths(before, snapshot(top)).filter(
          (path) => code === 1 || !path.endsWith("config.json"),
        );
        expect([name, at, words[0], stderr, code, changed]).toEqual([
          ...[name, at, words[0], code === 0 ? "" : expect.stringMatching(/^threadmind: Cannot /), code === 0 ? 0 : 1],
          code === 0 ? [`.threadmind/${path}`] : [],
        ]);
        await succeed(top, ["summary", "main", "--append", "--content", "- after"]);
        expect(leftovers(top)).toEqual([]);
        idle = code === 0 ? idle + 1 : 0;
        injections++;
      }
    }
  }
  report(`${injections} system calls of writes made to fail`);
});

const PLACES: readonly (readonly [place: string, says: RegExp, refused: readonly (readonly string[])[]])[] = [
  ["config.json", /config\.json/, []],
  ["local/tmp", /local\/tmp/, WRITES],
  [
    "local/kept",
    /local\/kept/,
    [
      ["summary", "auth", "--content", NEW],
      ["delete", "doomed"],
    ],
  ],
  ["local/lock", /lock/, WRITES],
  [
    "projects/app.json",
    /projects\/app\.json/,
    [
      ["create", "New"],
      ["project", "update", "--title", "X"],
    ],
  ],
  [
    "threads/app/auth.md",
    /threads\/app\/auth\.md|no such thread/,
    [
      ["summary", "auth", "--content", NEW],
      ["verify", "auth"],
    ],
  ],
];

for (const [place, says, refused] of PLACES) {
  test(`a folder in the place of ${place}, or a file in the folder's, is never removed or written over`, async () => {
    const top = await settled();
    const path = join(top, ".threadmind", place);
    const isFolder = place === "local/tmp" || place === "local/kept";
    rmSync(path, { recursive: true, force: true });
    if (isFolder) writeFileSync(path, "mine\n");
    else {
      mkdirSync(path);
      writeFileSync(join(path, "mine"), "mine\n");
    }
    const before = snapshot(top);
    for (const words of READS.slice(0, amount(4, READS.length))) {
      const { code, stderr } = await run(words, { cwd: top });
      expect([words, stderr.includes("bug"), code === 0 || code === 1]).toEqual([words, false, true]);
    }
    expect(snapshot(top)).toEqual(before);
    for (const words of refused) {
      const result = await run(words, { cwd: top, timeoutMs: 20_000 });
      expect([words, result.stdout, result.code]).toEqual([words, "", 1]);
      expect(result.stderr).toMatch(says);
      expect(result.stderr).not.toContain("bug");
      expect(changedPaths(before, snapshot(top))).toEqual([]);
      if (place.startsWith("local/lock")) break;
    }
    // What stood in the way goes away, and everything works.
    rmSync(path, { recursive: true });
    if (place === "projects/app.json") writeProject(top, {}, {});
    await succeed(top, ["create", "Later"]);
    expect(leftovers(top)).toEqual([]);
  });
}

test("threads whose folder has gone away are written to by nobody, and are whole when it comes back", async () => {
  const top = await settled();
  const whole = snapshot(top);
  const folder = join(top, ".threadmind/threads/app");
  renameSync(folder, `${folder}-away`);
  const before = snapshot(top);
  for (const words of [
    ["summary", "auth", "--content", NEW],
    ["done", "auth"],
    ["delete", "doomed"],
  ]) {
    const { stdout, stderr, code } = await run(words, { cwd: top });
    expect([words, stdout, code]).toEqual([words, "", 1]);
    expect(stderr).toMatch(/^threadmind: Cannot /);
    expect(changedPaths(before, snapshot(top))).toEqual([]);
  }
  renameSync(`${folder}-away`, folder);
  expect(changedPaths(whole, snapshot(top))).toEqual([]);
});
