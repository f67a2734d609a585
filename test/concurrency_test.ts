import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run, TOP } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { openServer } from "./support/server.ts";
import { activeIn, readThread, snapshot, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

setDefaultTimeout(60_000);

const WRITER = join(TOP, "test/support/writer.ts");

/** A project with these threads; the body of each begins its list. */
function project(...threads: readonly string[]): string {
  const { top } = gitRepository();
  writeProject(top, Object.fromEntries(threads.map((thread) => [thread, { body: "## Decisions\n- start\n" }])));
  return top;
}

/** The list items of a thread that begin with a word, in order. */
function items(top: string, thread: string, word: string): string[] {
  return readThread(top, thread)
    .split("\n")
    .filter((line) => line.startsWith(`- ${word} `));
}

/** What a crash must not leave: the lock, what takes it over, and temporary files. */
function leftovers(top: string): string[] {
  const local = join(top, ".threadmind/local");
  return [...readdirSync(local).filter((name) => name.startsWith("lock")), ...readdirSync(join(local, "tmp"))];
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("twenty threads that are asked for at once are twenty threads", async () => {
  const top = project();
  const { call, close } = await openClient({ cwd: top });
  const answers = await Promise.all(
    numbers(20).map((n) => call("thread_create", { title: `Topic ${n}`, parentId: "main" })),
  );
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  const { text } = await call("thread_list");
  expect(text.split("\n")).toHaveLength(21);
  for (const n of numbers(20)) expect(text).toMatch(new RegExp(`── topic-${n}(?: |$)`, "m"));
  await close();
});

test("five threads of one title that are asked for at once are five threads with ids of their own", async () => {
  const top = project();
  const clients = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  const answers = await Promise.all(
    numbers(5).map((n) => clients[n % 2]?.call("thread_create", { title: "Same title", parentId: "main" })),
  );
  const ids = answers.map((answer) => /Created the thread (\S+)/.exec(answer?.text ?? "")?.[1]);
  expect(ids.sort()).toEqual(["same-title", "same-title-2", "same-title-3", "same-title-4", "same-title-5"]);
  expect(readdirSync(join(top, ".threadmind/threads/app"))).toHaveLength(6);
  await Promise.all(clients.map(({ close }) => close()));
});

test("two servers that write and switch by turns lose nothing, and each keeps its own thread", async () => {
  const top = project("one", "two");
  const [a, b] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  await Promise.all(
    [[a, "one"] as const, [b, "two"] as const].map(async ([{ call }, thread]) => {
      for (const n of numbers(25)) {
        await call("thread_switch", { threadId: n % 2 === 0 ? "main" : thread });
        expect(
          (await call("summary_update", { threadId: thread, append: true, content: `- ${thread} ${n}` })).isError,
        ).toBe(false);
      }
      await call("thread_switch", { threadId: thread });
    }),
  );
  for (const thread of ["one", "two"])
    expect(items(top, thread, thread)).toEqual(numbers(25).map((n) => `- ${thread} ${n}`));
  expect(activeIn((await a.call("thread_list")).text)).toBe("one");
  expect(activeIn((await b.call("thread_list")).text)).toBe("two");
  await Promise.all([a.close(), b.close()]);
});

test("of two servers that replace one text the second is shown the first's, and writes when it calls again", async () => {
  const top = project("auth");
  const [a, b] = [await openClient({ cwd: top }), await openClient({ cwd: top })];
  for (const { call } of [a, b]) await call("context_get", { threadId: "auth" });
  const replaceBy = (content: string) => ({ threadId: "auth", content: `## Decisions\n- start\n${content}` });
  expect((await a.call("summary_update", replaceBy("- from a\n"))).isError).toBe(false);
  const refused = await b.call("summary_update", replaceBy("- from b\n"));
  expect(refused).toEqual({ isError: true, text: expect.stringContaining("\n\n## Decisions\n- start\n- from a\n") });
  expect(readThread(top, "auth")).toEndWith("\n\n## Decisions\n- start\n- from a\n");
  expect((await b.call("summary_update", replaceBy("- from a\n- from b\n"))).isError).toBe(false);
  expect(readThread(top, "auth")).toEndWith("\n- from a\n- from b\n");
  await Promise.all([a.close(), b.close()]);
});

test("four servers append fifty times each to one thread: 200 of 200 are kept", async () => {
  const top = project("shared");
  const clients = await Promise.all(numbers(4).map(() => openClient({ cwd: top })));
  await Promise.all(
    clients.map(async ({ call, close }, index) => {
      for (const n of numbers(50)) {
        const { isError, text } = await call("summary_update", {
          threadId: "shared",
          append: true,
          content: `- w${index} ${n}`,
        });
        if (isError) throw new Error(text);
      }
      await close();
    }),
  );
  for (const index of numbers(4))
    expect(items(top, "shared", `w${index}`)).toEqual(numbers(50).map((n) => `- w${index} ${n}`));
  expect(leftovers(top)).toEqual([]);
});

test("four processes that write without pause keep 200 of 200 lines and every word of config.json", async () => {
  const top = project("shared");
  const children = numbers(4).map((n) =>
    Bun.spawn([process.execPath, WRITER, top, `w${n}`, "50"], { stdout: "ignore" }),
  );
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  for (const index of numbers(4))
    expect(items(top, "shared", `w${index}`)).toEqual(numbers(50).map((n) => `- w${index} ${n}`));
  const { starts } = JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8"));
  expect(starts.app).toEqual(Object.fromEntries(numbers(4).map((n) => [`w${n}`, "t49"])));
  expect(leftovers(top)).toEqual([]);
});

test("twenty commands of the command line at once lose nothing", async () => {
  const top = project("shared");
  const results = await Promise.all(
    numbers(20).map((n) => run(["summary", "shared", "--append", "--content", `- cli ${n}`], { cwd: top })),
  );
  expect(results.map(({ code }) => code)).toEqual(Array(20).fill(0));
  expect(items(top, "shared", "cli").sort()).toEqual(
    numbers(20)
      .map((n) => `- cli ${n}`)
      .sort(),
  );
});

test("eight projects that are created at once in a folder without a workspace are eight projects", async () => {
  const { top } = gitRepository();
  const results = await Promise.all(numbers(8).map((n) => run(["project", "create", `P ${n}`], { cwd: top })));
  expect(results.map(({ stderr, code }) => [stderr, code])).toEqual(Array(8).fill(["", 0]));
  expect(readdirSync(join(top, ".threadmind/projects")).sort()).toEqual(numbers(8).map((n) => `p-${n}.json`));
  expect(readFileSync(join(top, ".threadmind/.gitignore"), "utf8")).toBe("config.json\nlocal/\n");
  expect(JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8")).activeProjectId).toMatch(/^p-\d$/);
  expect(leftovers(top)).toEqual([]);
});

/** Runs the writer until it has written something, kills it a moment later, and returns how many writes it reported. */
async function writeAndDie(top: string, name: string): Promise<number> {
  const child = Bun.spawn([process.execPath, WRITER, top, name], { stdout: "pipe", stderr: "inherit" });
  let reported = "";
  const reader = child.stdout.getReader();
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (reported === "") setTimeout(() => child.kill("SIGKILL"), Math.random() * 25);
      reported += new TextDecoder().decode(part.value);
    }
  })();
  await Promise.all([child.exited, reading]);
  return reported.split("\n").length - 1;
}

test("a writer that is killed at any moment leaves every file whole, loses no finished write and blocks nobody", async () => {
  const top = project("shared");
  for (let kill = 0; kill < 40; kill++) {
    const reported = await writeAndDie(top, `k${kill}`);
    expect(reported).toBeGreaterThan(0);
    const lines = items(top, "shared", `k${kill}`);
    expect([reported, reported + 1]).toContain(lines.length);
    expect(lines).toEqual(numbers(lines.length).map((n) => `- k${kill} ${n}`));
    expect(readThread(top, "shared")).toMatch(
      /^---\nid: shared\n(?:\w+: .*\n)+---\n\n## Decisions\n- start\n(?:- k\d+ \d+\n)+$/,
    );
    const { starts, version } = JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8"));
    expect([version, typeof starts.app[`k${kill}`]]).toEqual([1, "string"]);
  }
  const begun = performance.now();
  expect((await run(["summary", "shared", "--append", "--content", "- after all"], { cwd: top })).code).toBe(0);
  expect(performance.now() - begun).toBeLessThan(2000);
  expect(leftovers(top)).toEqual([]);
  for (const text of Object.values(snapshot(join(top, ".threadmind/local/kept/app/shared")))) {
    expect(text).toMatch(/^---\nid: shared\n[\s\S]*\n- [\w ]+\n$/);
  }
});

test("a server that is killed in the middle of its writes leaves every file whole, and the next one works", async () => {
  const top = project("shared");
  const names: string[] = [];
  for (let kill = 0; kill < 20; kill++) {
    const server = await openServer({ cwd: top });
    for (const n of numbers(6)) {
      names.push(`t-${kill}-${n}`);
      server.send({
        id: n,
        method: "tools/call",
        params: { name: "thread_create", arguments: { title: names.at(-1), parentId: "main" } },
      });
    }
    await server.answerTo(0);
    await Bun.sleep(Math.random() * 30);
    server.kill("SIGKILL");
    await server.exited;
    expect(existsSync(join(top, `.threadmind/threads/app/t-${kill}-0.md`))).toBe(true);
    expect(JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8")).activeThreadId).toStartWith("t-");
  }
  const { stdout, code } = await run(["tree", "--json"], { cwd: top });
  const { threads, faults } = JSON.parse(stdout);
  expect([code, faults]).toEqual([0, []]);
  for (const { id } of threads) if (id.startsWith("t-")) expect(names).toContain(id);
  expect((await run(["create", "After all"], { cwd: top })).code).toBe(0);
  expect(leftovers(top)).toEqual([]);
});
