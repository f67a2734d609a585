import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, type Result, run, spawn } from "./support/binary.ts";
import { AS_NOBODY, CAN_DROP, CAN_MOUNT, onSmallDisk } from "./support/small_disk.ts";
import { readThread, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { environment, gitRepository, temporaryHome } from "./support/temp.ts";

setDefaultTimeout(60_000);

const BODY = "## Decisions\n- JWT in a cookie\n\n## State\n- login done\n";
const NEW_BODY = BODY.replace("cookie", "header");

/** A repository whose thread auth has a summary. */
function withAuth(): string {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: BODY } });
  return top;
}

/** Runs the program as a user without rights over a workspace that belongs to it. */
async function asNobody(top: string, ...words: readonly string[]): Promise<Result> {
  return spawn([...AS_NOBODY, ...PROGRAM, ...words], { cwd: top, env: environment(temporaryHome()) });
}

/** Gives a folder and all in it to the user without rights. */
function giveAway(folder: string): void {
  for (const name of ["", ...(readdirSync(folder, { recursive: true }) as string[])])
    chownSync(join(folder, name), 65534, 65534);
}

test.skipIf(!CAN_DROP)("a file without write permission is not written, and said", async () => {
  const top = withAuth();
  chmodSync(threadFile(top, "auth"), 0o444);
  giveAway(top);
  const before = readThread(top, "auth");
  const { stderr, code } = await asNobody(top, "summary", "auth", "--content", NEW_BODY);
  expect(stderr).toContain(`Cannot write ${threadFile(top, "auth")}: permission is denied.`);
  expect(code).toBe(1);
  expect(readThread(top, "auth")).toBe(before);
  expect(readdirSync(join(top, ".threadmind/local/tmp"))).toEqual([]);
  expect((await asNobody(top, "create", "New")).code).toBe(0);
});

test.skipIf(!CAN_DROP)("files that may not be read are named, and folders that may not be read are said", async () => {
  const top = withAuth();
  giveAway(top);
  chmodSync(threadFile(top, "auth"), 0o000);
  expect((await asNobody(top, "tree")).stdout).toContain("auth.md:1: It can't be read: permission is denied.");
  chmodSync(join(top, ".threadmind/threads/app"), 0o000);
  const { stderr, code } = await asNobody(top, "tree");
  expect(stderr).toBe(
    `threadmind: Cannot read ${join(top, ".threadmind/threads/app")}: permission is denied.
Check who owns the file and the .threadmind folder.
`,
  );
  expect(code).toBe(1);
});

test.skipIf(!CAN_DROP)(
  "a checkout that can't be written to is read by every reader, and writes fail clearly",
  async () => {
    const repo = gitRepository();
    writeProject(repo.top, { auth: { body: BODY, branch: "feature/auth" }, docs: {} });
    repo.commit("Start");
    repo.git("branch", "feature/auth");
    chmodSync(repo.top, 0o755);
    const before = snapshot(repo.top);
    for (const words of [["tree"], ["context"], ["context", "auth"], ["show", "auth"], ["project", "list"]]) {
      const { stderr, code } = await asNobody(repo.top, ...words);
      expect([stderr, code]).toEqual(["", 0]);
    }
    for (const words of [
      ["switch", "auth"],
      ["create", "New"],
      ["summary", "auth", "--content", "x"],
      ["project", "create", "B"],
    ]) {
      const { stderr, code } = await asNobody(repo.top, ...words);
      expect(stderr).toMatch(
        /^threadmind: Cannot make the folder .*\/\.threadmind\/local: permission is denied\.\nCheck who/,
      );
      expect(code).toBe(1);
    }
    expect(snapshot(repo.top)).toEqual(before);
  },
);

test.skipIf(!CAN_MOUNT)(
  "on a full disk the old file stays, no temporary file is left, and the reason is plain",
  async () => {
    await onSmallDisk(128, async (disk) => {
      writeProject(disk, { auth: { body: BODY } });
      await run(["switch", "auth"], { cwd: disk });
      const before = snapshot(disk);
      const content = `## Decisions\n${"- a long decision\n".repeat(10_000)}`;
      const { stderr, code } = await run(["summary", "auth"], { cwd: disk, stdin: content });
      expect(stderr).toMatch(/^threadmind: Cannot write .*\/auth\.md: there is no space left on the device\.\n/);
      expect(code).toBe(1);
      const after = snapshot(disk);
      const isKept = (path: string) => path.includes("/kept/");
      expect(Object.keys(after).filter((path) => !isKept(path))).toEqual(
        Object.keys(before).filter((path) => !isKept(path)),
      );
      expect(after[".threadmind/threads/app/auth.md"]).toBe(before[".threadmind/threads/app/auth.md"] ?? "");
      writeFileSync(join(disk, "filler"), "x".repeat(60_000));
      for (const words of [
        ["create", "New"],
        ["switch", "main"],
        ["summary", "auth", "--content", NEW_BODY.repeat(400)],
      ]) {
        const result = await run(words, { cwd: disk });
        expect(result.code === 0 || result.stderr.includes("there is no space left on the device")).toBe(true);
      }
      expect(JSON.parse(readFileSync(join(disk, ".threadmind/config.json"), "utf8")).version).toBe(1);
      rmSync(join(disk, "filler"));
      expect((await run(["summary", "auth", "--content", NEW_BODY], { cwd: disk })).code).toBe(0);
      expect(readThread(disk, "auth")).toContain("JWT in a header");
    });
  },
);

test.skipIf(!CAN_MOUNT)(
  "threads on another disk than local/ are written whole, and cleaned of what a killed process left",
  async () => {
    const { top, git } = gitRepository();
    writeProject(top);
    await onSmallDisk(
      256,
      async (threads) => {
        writeFileSync(threadFile(top, "auth"), renderThread("auth", { body: BODY }));
        writeFileSync(join(threads, ".4194300-0123456789ab.tmp"), "half");
        expect((await run(["summary", "auth", "--content", NEW_BODY], { cwd: top })).code).toBe(0);
        expect(readThread(top, "auth")).toEndWith(NEW_BODY);
        expect(readdirSync(threads)).toEqual(["auth.md"]);
        expect(git("status", "--porcelain", "--untracked-files=all")).not.toContain(".tmp");
      },
      join(top, ".threadmind/threads/app"),
    );
  },
);
