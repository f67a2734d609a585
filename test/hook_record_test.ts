import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMPILED, run } from "./support/binary.ts";
import { end, openProcess, start } from "./support/hooks.ts";
import { openServer } from "./support/server.ts";
import { activeIn, readThread, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const LAUNCHER = ["sh", "-c", '"$@"; exit $?', "sh"];
const WHOLE = { threadId: "main", content: "## Decisions\n- A\n\n## State\n- precious" };
const OVER = { threadId: "main", content: "## Decisions\n- only" };
const PART = "this session has not seen all of it";

/** A server of a client process of its own, whose number its hooks are called with. */
const openOwn = ({ top }: GitRepository) => openServer({ cwd: top, launcher: LAUNCHER });

for (const [when, isThere] of [
  ["existed before", true],
  ["was made by it", false],
] as const) {
  test.skipIf(!COMPILED)(`after /clear a session whose project ${when} has seen what the hook showed`, async () => {
    const repository = gitRepository();
    if (isThere) await run(["project", "create", "Shop"], { cwd: repository.top });
    const server = await openOwn(repository);
    const { pid } = server;
    await start(repository, "startup", "f1", { pid });
    if (!isThere) await server.call("project_create", { title: "Shop" });
    await server.call("summary_update", WHOLE);
    await server.call("thread_create", { title: "Auth" });
    await end(repository, "f1", "", { pid });
    const shown = await start(repository, "clear", "f2", { pid });
    expect([shown.includes("## Thread: Auth (active)"), shown.includes("precious")]).toEqual([true, false]);
    expect(await server.call("summary_update", OVER)).toContain(PART);
    expect(readThread(repository.top, "main", "shop")).toContain("- precious");
    await server.closeInput();
  });

  for (const order of ["before", "after"]) {
    test.skipIf(!COMPILED)(
      `a session whose project ${when}, and whose end is told ${order} its server leaves, is resumed where it stood`,
      async () => {
        const repository = gitRepository();
        if (isThere) await run(["project", "create", "Shop"], { cwd: repository.top });
        const gone = join(temporaryFolder(), "gone");
        const launcher = ["sh", "-c", `"$@"; : > '${gone}'; exec sleep 600`, "sh"];
        const first = await openServer({ cwd: repository.top, launcher });
        const { pid } = first;
        await start(repository, "startup", "r1", { pid });
        if (!isThere) await first.call("project_create", { title: "Shop" });
        await first.call("thread_create", { title: "Mine" });
        await first.call("summary_update", { content: "## Decisions\n- one" });
        if (order === "before") await end(repository, "r1", "", { pid });
        await first.closeInput();
        while (!existsSync(gone)) await Bun.sleep(10);
        if (order === "after") await end(repository, "r1", "", { pid });
        first.kill("SIGKILL");
        await first.exited;
        await run(["switch", "main"], { cwd: repository.top });
        await run(["summary", "mine", "--append", "--content", "- a colleague's"], { cwd: repository.top });
        const again = await openOwn(repository);
        expect(await start(repository, "resume", "r1", { pid: again.pid })).toBe("");
        expect(activeIn(await again.call("thread_list"))).toBe("mine");
        const answer = await again.call("summary_update", { content: "## Decisions\n- my old view" });
        // Whom nobody told the id before it left has left no more than its place.
        const isKnown = isThere || order === "before";
        expect(answer.includes("it changed since this session saw it")).toBe(isKnown);
        await again.closeInput();
      },
    );
  }
}

test.skipIf(!COMPILED)("a first write remembers where its client stands, and reading remembers nothing", async () => {
  const repository = gitRepository();
  writeProject(repository.top, { docs: {} });
  await run(["switch", "docs"], { cwd: repository.top });
  const server = await openOwn(repository);
  const file = join(repository.top, `.threadmind/local/sessions/${server.pid}.json`);
  await server.call("context_get");
  expect(existsSync(file)).toBe(false);
  await server.call("summary_update", { content: "## Decisions\n- one" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ project: "app", thread: "docs" });
  await run(["switch", "main"], { cwd: repository.top });
  expect(await start(repository, "clear", "c1", { pid: server.pid })).toContain("## Thread: docs (active)");
  await server.closeInput();
});

test.skipIf(!COMPILED)("an end that nobody stands behind, or that is another conversation's, names none", async () => {
  const repository = gitRepository();
  writeProject(repository.top, { docs: {} });
  const client = openProcess();
  const file = join(repository.top, `.threadmind/local/sessions/${client.pid}.json`);
  await end(repository, "e1", "", { pid: client.pid });
  expect(existsSync(file)).toBe(false);
  await start(repository, "startup", "e2", { pid: client.pid });
  const before = readFileSync(file, "utf8");
  await end(repository, "e1", "", { pid: client.pid });
  expect(readFileSync(file, "utf8")).toBe(before);
  await client.end();
});

for (const source of ["clear", "compact", "startup"]) {
  test.skipIf(!COMPILED)(`after ${source} a text counts as the hook showed it, not as it was read before`, async () => {
    for (const shown of ["cut", "an excerpt"]) {
      const repository = gitRepository();
      const long = `## Decisions\n${"- a long decision, kept\n".repeat(800)}`;
      const body = "## Decisions\n- JWT\n\n## State\n- precious\n";
      writeProject(repository.top, { auth: { body: shown === "cut" ? long : body }, ui: { parentId: "auth" } });
      const server = await openOwn(repository);
      const { pid } = server;
      await start(repository, "startup", "s1", { pid });
      await server.call("context_get", { threadId: "auth", alone: true });
      await server.call("thread_switch", { threadId: shown === "cut" ? "auth" : "ui" });
      const text = await start(repository, source, source === "compact" ? "s1" : "s2", { pid });
      expect(text).toContain(`## Thread: ${shown === "cut" ? "auth" : "ui"} (active)`);
      expect(text.includes(shown === "cut" ? "_Cut to fit the budget" : "precious")).toBe(shown === "cut");
      const answer = await server.call("summary_update", { threadId: "auth", content: "## Decisions\n- less" });
      expect([source, shown, answer]).toEqual([source, shown, expect.stringContaining(PART)]);
      await server.closeInput();
    }
  });
}

for (const source of ["resume", "fork"]) {
  test.skipIf(!COMPILED)(`after ${source} in a running client what its session read counts as before`, async () => {
    const repository = gitRepository();
    writeProject(repository.top, { auth: { body: "## Decisions\n- JWT\n\n## State\n- half\n" } });
    const server = await openOwn(repository);
    const { pid } = server;
    await start(repository, "startup", "s1", { pid });
    await server.call("context_get", { threadId: "auth", alone: true });
    await start(repository, source, source === "fork" ? "s2" : "s1", { pid });
    await run(["summary", "auth", "--append", "--content", "- a colleague's"], { cwd: repository.top });
    const refused = await server.call("summary_update", { threadId: "auth", content: "- less" });
    expect(refused).toContain("it changed since this session saw it");
    expect(await server.call("summary_update", { threadId: "auth", content: "- less" })).toContain("Updated");
    await server.closeInput();
  });
}

test.skipIf(!COMPILED)("a compaction in one client takes nothing from what another one has read", async () => {
  const repository = gitRepository();
  writeProject(repository.top, {
    auth: { body: "## Decisions\n- JWT\n\n## State\n- half\n" },
    ui: { parentId: "auth" },
  });
  const [one, other] = [await openOwn(repository), await openOwn(repository)];
  for (const [server, id] of [
    [one, "o1"],
    [other, "o2"],
  ] as const) {
    await start(repository, "startup", id, { pid: server.pid });
    await server.call("context_get", { threadId: "auth", alone: true });
    await server.call("thread_switch", { threadId: "ui" });
  }
  await start(repository, "compact", "o1", { pid: one.pid });
  const replacement = { threadId: "auth", content: "## Decisions\n- less" };
  expect(await one.call("summary_update", replacement)).toContain(PART);
  expect(await other.call("summary_update", replacement)).toContain("Updated the summary of auth");
  for (const server of [one, other]) await server.closeInput();
});

test.skipIf(!COMPILED)(
  "a conversation that several clients had in their turn stands where the last of them left it",
  async () => {
    const repository = gitRepository();
    writeProject(repository.top, { auth: {}, pay: {}, ui: {} });
    let client = 0;
    // Numbers of processes come in any order: whose file is found first must not matter.
    for (const thread of ["auth", "pay", "ui", "auth"]) {
      const server = await openOwn(repository);
      const { pid } = server;
      await start(repository, client === 0 ? "startup" : "resume", "h1", { pid });
      const before = ["main", "auth", "pay", "ui"][client] ?? "";
      if (client > 0) expect(activeIn(await server.call("thread_list"))).toBe(before);
      await server.call("thread_switch", { threadId: thread });
      if (client === 1) {
        await start(repository, "clear", "h2", { pid });
        await server.call("thread_switch", { threadId: "main" });
        await start(repository, "resume", "h1", { pid });
        expect(activeIn(await server.call("thread_list"))).toBe(thread);
      }
      await end(repository, "h1", "", { pid });
      await server.closeInput();
      await server.exited;
      await run(["switch", "main"], { cwd: repository.top });
      client++;
    }
  },
);

test("what a session restored it has not been shown, and is told so", async () => {
  const repository = gitRepository();
  const server = await openServer({ cwd: repository.top });
  await server.call("project_create", { title: "Shop" });
  for (const decision of ["one", "two"])
    await server.call("summary_update", { content: `## Decisions\n- ${decision}` });
  expect(await server.call("thread_restore", { threadId: "main" })).toContain("Restored main");
  const refused = await server.call("summary_update", { content: "## Decisions\n- three" });
  expect(refused).toContain(`Cannot replace the summary of main: ${PART}.`);
  expect(refused).toContain("- one");
  expect(await server.call("thread_restore", { threadId: "main" })).toContain("Restored main");
  await server.closeInput();
});
