import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, run } from "../support/binary.ts";
import { openClient } from "../support/client.ts";
import { end, usageRecord } from "../support/hooks.ts";
import { openServer } from "../support/server.ts";
import { CAN_MOUNT, onSmallDisk } from "../support/small_disk.ts";
import { activeIn, readThread, snapshot, threadFile, writeProject } from "../support/stored_project.ts";
import { environment, type GitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { BASE, changedLines, inSession, output, repositoryWith } from "./base_thread.ts";

setDefaultTimeout(120_000);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const configOf = (top: string) => JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8"));

/** Sends one request after the other without waiting, and returns the texts of all answers. */
async function sendAll(top: string, titles: readonly string[]): Promise<string[]> {
  const server = await openServer({ cwd: top });
  for (const [id, title] of titles.entries())
    server.send({
      id,
      method: "tools/call",
      params: { name: "thread_create", arguments: { title, parentId: "main" } },
    });
  const texts: string[] = [];
  for (const id of titles.keys()) texts.push((await server.answerTo(id)).result?.content?.[0]?.text ?? "");
  await server.closeInput();
  return texts;
}

test("twenty threads that one server is asked for without waiting are twenty in the tree", async () => {
  const { top } = repositoryWith({});
  await sendAll(
    top,
    numbers(20).map((n) => `Topic ${n}`),
  );
  const { threads } = JSON.parse(await output({ top }, "tree", "--json"));
  expect(threads.map(({ id }: { readonly id: string }) => id).sort()).toEqual(
    ["main", ...numbers(20).map((n) => `topic-${n}`)].sort(),
  );
});

test("five threads of one title that one server is asked for without waiting have five ids and five files", async () => {
  const { top } = repositoryWith({});
  const texts = await sendAll(top, Array<string>(5).fill("Same title"));
  const ids = texts.map((text) => /Created the thread (\S+)/.exec(text)?.[1]).sort();
  expect(ids).toEqual(["same-title", ...[2, 3, 4, 5].map((n) => `same-title-${n}`)]);
  expect(readdirSync(join(top, ".threadmind/threads/app")).sort()).toEqual(
    ["main.md", ...ids.map((id) => `${id}.md`)].sort(),
  );
});

test("two servers that replace summaries and switch by turns lose nothing, and each keeps its own thread", async () => {
  const { top } = repositoryWith({}, { one: {}, two: {} });
  const [a, b] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  for (const n of numbers(25)) {
    for (const [{ call }, thread] of [
      [a, "one"],
      [b, "two"],
    ] as const) {
      const content = `## Decisions\n- ${thread} ${n}\n`;
      expect((await call("summary_update", { threadId: thread, content })).isError).toBe(false);
      expect(readThread(top, thread)).toEndWith(content);
      await call("thread_switch", { threadId: n % 2 === 0 ? thread : "main" });
    }
  }
  expect([activeIn((await a.call("thread_list")).text), activeIn((await b.call("thread_list")).text)]).toEqual([
    "one",
    "two",
  ]);
  for (const thread of ["one", "two"]) expect(readThread(top, thread)).toContain(`- ${thread} 24\n`);
  await Promise.all([a.close(), b.close()]);
});

test("of two servers that replace one text the second is told, and nothing of the first's is gone", async () => {
  const { top } = repositoryWith({ auth: BASE });
  const [a, b] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  for (const { call } of [a, b])
    expect((await call("context_get", { threadId: "auth" })).text).toContain("- JWT in a cookie");
  const replaceBy = (bullet: string) => ({
    threadId: "auth",
    content: `## Decisions\n- JWT in a cookie\n- ${bullet}\n`,
  });
  expect((await a.call("summary_update", replaceBy("from a"))).isError).toBe(false);
  const { isError, text } = await b.call("summary_update", replaceBy("from b"));
  expect([isError, text]).toEqual([true, expect.stringContaining("- JWT in a cookie\n- from a\n")]);
  expect(readThread(top, "auth")).toEndWith("- JWT in a cookie\n- from a\n");
  await Promise.all([a.close(), b.close()]);
});

test("two hooks that record at once both leave their measurement, and 200 killed pairs leave a config.json that is whole", async () => {
  const repository = repositoryWith({});
  const { top } = repository;
  await output(repository, "create", "First");
  const transcripts = [1000, 2000].map((size) => {
    const file = join(temporaryFolder("transcript"), "t.jsonl");
    writeFileSync(file, usageRecord(size));
    return file;
  });
  await Promise.all(transcripts.map((file, at) => end(repository, `both-${at}`, file)));
  const sizes = () =>
    configOf(top).sessions.map(({ session, size }: { session: string; size: number }) => `${session} ${size}`);
  expect(sizes().sort()).toEqual(["both-0 1000", "both-1 2000"]);
  const env = environment(temporaryHome(), { CLAUDE_PID: String(process.pid) });
  for (const loop of numbers(200)) {
    const children = transcripts.map((file, at) => {
      const payload = { cwd: top, session_id: `s${loop}-${at}`, reason: "other", transcript_path: file };
      const stdin = Buffer.from(JSON.stringify(payload));
      return Bun.spawn([...PROGRAM, "hook", "session-end"], {
        cwd: top,
        env,
        stdin,
        stdout: "ignore",
        stderr: "ignore",
      });
    });
    await Promise.race([Bun.sleep(Math.random() * 90), Promise.all(children.map(({ exited }) => exited))]);
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map(({ exited }) => exited));
    expect(configOf(top)).toMatchObject({ version: 1, activeThreadId: "first" });
  }
  await end(repository, "last", transcripts[0] ?? "");
  expect(sizes()).toContain("last 1000");
  const local = join(top, ".threadmind/local");
  expect([...readdirSync(local).filter((name) => name.startsWith("lock")), ...readdirSync(join(local, "tmp"))]).toEqual(
    [],
  );
  expect(readdirSync(local).filter((name) => name.includes("unreadable"))).toEqual([]);
});

test("a config.json that can't be read is set aside under another name, said once, and the author is the same", async () => {
  const repository = repositoryWith({});
  const { top } = repository;
  await output(repository, "create", "One");
  const damaged = '{"version": 1, "author": "sam-';
  writeFileSync(join(top, ".threadmind/config.json"), damaged);
  const said = await inSession(repository, async ({ call }) => [
    (await call("thread_create", { title: "Two", parentId: "main" })).text,
    (await call("thread_create", { title: "Three", parentId: "main" })).text,
  ]);
  expect(said.map((text) => text.includes("config.json"))).toEqual([true, false]);
  const aside = /set aside as (\S+?)\.\n/.exec(said[0] ?? "")?.[1] ?? "";
  expect(readFileSync(join(top, aside), "utf8")).toBe(damaged);
  const authors = ["one", "two", "three"].map((id) => /^author: .*$/m.exec(readThread(top, id))?.[0]);
  expect(new Set(authors).size).toBe(1);
  expect(configOf(top).version).toBe(1);
});

test.skipIf(!CAN_MOUNT)(
  "a summary of 20 kB on a disk of 64 kB that is full to the brim fails plainly, and every file is as before",
  async () => {
    await onSmallDisk(64, async (disk) => {
      writeProject(disk, {});
      writeFileSync(threadFile(disk, "auth"), BASE);
      await run(["switch", "auth"], { cwd: disk });
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(join(disk, "filler"), "x".repeat(bavail * bsize));
      expect(statfsSync(disk).bavail).toBe(0);
      const before = snapshot(disk);
      const { stderr, code } = await run(["summary", "auth"], {
        cwd: disk,
        stdin: `## Decisions\n${"- a decision of 20 B\n".repeat(1000)}`,
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining("there is no space left on the device")]);
      const after = snapshot(disk);
      for (const [path, text] of Object.entries(before)) expect([path, after[path]]).toEqual([path, text]);
      expect(Object.keys(after).filter((path) => /tmp.+|\.tmp$|lock/.test(path) && !path.endsWith("/"))).toEqual([]);
      rmSync(join(disk, "filler"));
      expect((await run(["summary", "auth", "--content", "## Decisions\n- after\n"], { cwd: disk })).code).toBe(0);
    });
  },
);

test("a thread, a project and a config.json of no bytes are named, hide nothing, and aren't made anew", async () => {
  const repository = repositoryWith({ auth: "" }, { good: { body: "## Decisions\n- fine\n" } });
  const { top } = repository;
  const side = join(top, ".threadmind/projects/side.json");
  for (const file of [side, join(top, ".threadmind/config.json")]) writeFileSync(file, "");
  await inSession(repository, async ({ call }) => {
    const tree = (await call("thread_list")).text;
    expect(tree).toContain("main ← active\n└── good\nauth ⚠ can't be read");
    expect(tree).toContain("rename the file to auth.md.bad, then thread_restore app/auth");
    const projects = (await call("project_list")).text;
    expect(projects).toContain("app");
    expect(`${projects}${tree}`).toContain(".threadmind/projects/side.json");
    expect((await call("context_get", { threadId: "good" })).text).toContain("- fine");
    expect((await call("summary_update", { threadId: "auth", content: "x" })).isError).toBe(true);
    expect((await call("thread_create", { title: "Auth", parentId: "main" })).text).toContain(
      "Created the thread auth-2",
    );
    expect((await call("project_create", { title: "Side" })).text).toContain("Created the project side-2");
  });
  expect([readThread(top, "auth"), readFileSync(side, "utf8")]).toEqual(["", ""]);
});

const WHOLE = `${BASE.replace("## State", "## Constraints\n- works offline\n\n## State")}\n## Next steps\n- logout\n`;

/** A repository in which main changed the next steps, and b1 the decisions, both through the tool. */
async function diverged(files: Readonly<Record<string, string>> = {}): Promise<GitRepository> {
  const repository = repositoryWith({ auth: WHOLE });
  const { git, commit } = repository;
  commit("Attributes", files);
  git("checkout", "--quiet", "-b", "b1");
  await output(repository, "summary", "auth", "--section", "Decisions", "--content", "- JWT in a header");
  commit("Decisions");
  git("checkout", "--quiet", "main");
  await output(repository, "summary", "auth", "--section", "Next steps", "--content", "- logout\n- tests");
  commit("Next steps");
  return repository;
}

const MERGED = WHOLE.slice(WHOLE.indexOf("## Decisions"))
  .replace("cookie", "header")
  .replace("- logout\n", "- logout\n- tests\n");
const bodyOf = (top: string): string => readThread(top, "auth").split(/^---\n\n/m)[1] ?? "";

const UNION = { ".gitattributes": ".threadmind/threads/** merge=union\n" };

for (const [name, files] of [
  ["", {}],
  [", whatever the repository's own attributes say", UNION],
] as const)
  test(`edits of different sections conflict in the stamps at most, and one command settles those${name}`, async () => {
    const repository = await diverged(files);
    const { git, top } = repository;
    try {
      git("merge", "--quiet", "--no-edit", "b1");
    } catch {
      const source = readThread(top, "auth");
      const between = [...source.matchAll(/^<{7}.*\n([\s\S]*?)^>{7}.*\n/gm)].flatMap(([, lines = ""]) =>
        lines.trim().split("\n"),
      );
      for (const line of between) expect(line).toMatch(/^(?:updatedAt|commit|fingerprint): |^={7}$/);
      expect(await output(repository, "tree")).toMatch(/auth ⚠ merge conflicts[\s\S]*Run threadmind resolve/);
      await output(repository, "resolve", "--add");
    }
    expect(bodyOf(top)).toBe(MERGED);
    const stamps = readThread(top, "auth").match(/^updatedAt: .*$/gm) ?? [];
    const both = ["main", "b1"].map(
      (branch) => /^updatedAt: .*$/m.exec(git("show", `${branch}:.threadmind/threads/app/auth.md`))?.[0] ?? "",
    );
    expect(stamps).toEqual([both.sort().at(-1) ?? ""]);
    expect(git("status", "--porcelain", "--", ".threadmind")).not.toMatch(/^(?:UU|AA)/m);
    expect(await output(repository, "tree")).toBe("main ← active\n└── auth\n");
  });

test("a header with two stamps, which a union merge leaves, is read with a note and is one line after the next write", async () => {
  const repository = await diverged({ ".threadmind/.gitattributes": "threads/** merge=union\n" });
  const { git, top } = repository;
  git("merge", "--quiet", "--no-edit", "b1");
  expect(readThread(top, "auth").match(/^updatedAt:/gm)).toHaveLength(2);
  expect(bodyOf(top)).toBe(MERGED);
  expect(await output(repository, "tree")).toMatch(/main ← active\n└── auth\n⚠ .*auth\.md:\d+: updatedAt stands twice/);
  expect(await output(repository, "context", "auth")).toContain("- JWT in a header");
  await output(repository, "summary", "auth", "--section", "State", "--content", "- logout done");
  expect(readThread(top, "auth").match(/^updatedAt:/gm)).toHaveLength(1);
  expect(readThread(top, "auth").match(/^commit:/gm)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(bodyOf(top)).toBe(MERGED.replace("- login done", "- logout done"));
  expect(await output(repository, "tree")).toBe("main ← active\n└── auth\n");
  expect(changedLines(repository).length).toBeGreaterThan(0);
  expect(existsSync(threadFile(top, "auth"))).toBe(true);
});
