import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openClient } from "./support/client.ts";
import { openServer } from "./support/server.ts";
import { activeIn, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { gitRepository, temporaryFolder, temporaryHome } from "./support/temp.ts";

setDefaultTimeout(60_000);

/** A repository whose project has one thread of this name below its root. */
function project(thread: string): string {
  const { top } = gitRepository();
  writeProject(top, { [thread]: {} }, { id: thread });
  return top;
}

/** Where a client is started that says nothing of a workspace, three of them. */
function places(): { readonly home: string; readonly cwds: readonly string[] } {
  const home = temporaryHome();
  return { home, cwds: ["/", home, project("here")] };
}

const UNKNOWN = /^Cannot tell which folder is the workspace.*\nSet THREADMIND_ROOT/;

test("a client that never answers roots/list is waited for once, two seconds at most", async () => {
  const { home, cwds } = places();
  await Promise.all(
    cwds.map(async (cwd) => {
      const begun = performance.now();
      const server = await openServer({ cwd, home, answer: () => new Promise(() => {}) });
      await server.request("tools/list");
      expect(performance.now() - begun).toBeLessThan(1500);
      const asked = performance.now();
      const first = await server.call("thread_list");
      const answered = performance.now();
      const second = await server.call("thread_list");
      const third = await server.call("project_list");
      expect(answered - asked).toBeLessThan(2500);
      expect(performance.now() - answered).toBeLessThan(1000);
      server.send({ method: "notifications/roots/list_changed" });
      const changed = performance.now();
      await server.call("thread_list");
      expect(performance.now() - changed).toBeLessThan(1000);
      if (cwd === cwds.at(-1)) {
        expect([first, second]).toEqual(Array(2).fill("main ← active\n└── here"));
      } else {
        for (const text of [first, second, third]) expect(text).toMatch(UNKNOWN);
        expect(await server.call("project_create", { title: "Decoy" })).toMatch(UNKNOWN);
        expect(existsSync(join(cwd, ".threadmind"))).toBe(false);
      }
      await server.closeInput();
    }),
  );
});

test("a client without roots, or with none, has the workspace of its working directory", async () => {
  const { home, cwds } = places();
  for (const roots of [undefined, []]) {
    for (const cwd of cwds) {
      const { call, close } = await openClient({ cwd, home, ...(roots === undefined ? {} : { roots }) });
      const { text, isError } = await call("thread_list");
      if (cwd === cwds.at(-1)) expect(text).toBe("main ← active\n└── here");
      else expect(text).toMatch(UNKNOWN);
      expect(isError).toBe(cwd !== cwds.at(-1));
      await close();
    }
  }
});

test("roots that are answered 300 ms after the first call are the ones it works with", async () => {
  const { home, cwds } = places();
  const root = project("there");
  for (const cwd of cwds) {
    const answer = async () => {
      await Bun.sleep(300);
      return { roots: [{ uri: pathToFileURL(root).href }] };
    };
    const server = await openServer({ cwd, home, answer });
    expect(await server.call("thread_list")).toBe("main ← active\n└── there");
    await server.closeInput();
  }
});

test("roots that come after the wait are used from the next call on", async () => {
  const root = project("there");
  const answer = async () => {
    await Bun.sleep(2400);
    return { roots: [{ uri: pathToFileURL(root).href }] };
  };
  const server = await openServer({ cwd: "/", answer });
  expect(await server.call("thread_list")).toMatch(UNKNOWN);
  await Bun.sleep(800);
  expect(await server.call("thread_list")).toBe("main ← active\n└── there");
  await server.closeInput();
});

test("of several roots the first from which the walk finds a workspace counts, else the first", async () => {
  const [bare, other] = [gitRepository().top, gitRepository().top];
  const held = project("held");
  mkdirSync(join(held, "packages/a"), { recursive: true });
  const cwd = project("here");
  const found = await openClient({ cwd, roots: [bare, join(held, "packages/a"), project("later")] });
  expect((await found.call("thread_list")).text).toBe("main ← active\n└── held");
  await found.close();
  const fresh = await openClient({ cwd, roots: [join(bare, "gone"), bare, other] });
  expect((await fresh.call("project_create", { title: "New" })).text).toContain(`Created the project new in ${bare}.`);
  await fresh.close();
});

test("roots are percent-decoded, and others than folders are passed over with a line on standard error", async () => {
  const folder = join(temporaryFolder(), "my app #1 (café) 100%");
  mkdirSync(folder);
  writeProject(folder, { odd: {} });
  const cwd = temporaryFolder();
  const before = snapshot(cwd);
  const strange = ["untitled://Untitled-1", "vscode-remote://wsl/x", "file:///tmp/%ZZ", "file://server/share"];
  const { call, close, stderr } = await openClient({ cwd, roots: [...strange, folder] });
  expect((await call("thread_list")).text).toBe("main ← active\n└── odd");
  expect(stderr().split("\n").slice(0, -1)).toEqual(
    strange.map((uri) => `threadmind: the client's root "${uri}" is passed over: it names no folder here.`),
  );
  await close();
  expect(snapshot(cwd)).toEqual(before);
});

test("roots go before CLAUDE_PROJECT_DIR and the working directory, THREADMIND_ROOT and --root before them", async () => {
  const [root, claude, cwd, named] = [project("root"), project("claude"), project("cwd"), project("named")];
  const env = { CLAUDE_PROJECT_DIR: claude };
  const table = [
    [{ cwd, env, roots: [root] }, "root"],
    [{ cwd, env, roots: [] }, "claude"],
    [{ cwd, env }, "claude"],
    [{ cwd }, "cwd"],
    [{ cwd: "/", args: ["-C", cwd] }, "cwd"],
    [{ cwd: "/", args: ["serve", "-C", cwd] }, "cwd"],
    [{ cwd, env: { ...env, THREADMIND_ROOT: named }, roots: [root] }, "named"],
    [{ cwd, env, roots: [root], args: ["--root", named] }, "named"],
    [{ cwd, env, roots: [root], args: [`--root=${named}`, "serve"] }, "named"],
  ] as const;
  for (const [options, expected] of table) {
    const { call, close } = await openClient(options);
    expect((await call("thread_list")).text).toBe(`main ← active\n└── ${expected}`);
    await close();
  }
});

test("changed roots move the session, which names the new workspace and keeps nothing of the old", async () => {
  const [first, second] = [project("one"), project("two")];
  const { call, close, setRoots } = await openClient({ cwd: "/", roots: [first] });
  await call("thread_switch", { threadId: "one" });
  expect((await call("thread_create", { title: "A" })).text).toContain(`(in ${first})`);
  await setRoots([second]);
  expect(activeIn((await call("thread_list")).text)).toBe("main");
  const { text } = await call("thread_create", { title: "B" });
  expect(text).toContain(`Created the thread b below main; it is now active (in ${second}).`);
  expect(existsSync(threadFile(second, "b", "two"))).toBe(true);
  await setRoots([first]);
  expect((await call("thread_list")).text).toContain("a ← active");
  await close();
});

test("roots that come while calls wait change the workspace between two calls, never within one", async () => {
  const [first, second] = [project("one"), project("two")];
  let roots = [first];
  const answer = async () => ({ roots: roots.map((root) => ({ uri: pathToFileURL(root).href })) });
  const server = await openServer({ cwd: "/", answer });
  await server.call("thread_list");
  const created = Array.from({ length: 12 }, (_, index) => server.call("thread_create", { title: `T${index}` }));
  roots = [second];
  server.send({ method: "notifications/roots/list_changed" });
  await Promise.all(created);
  for (let index = 0; index < 12; index++) {
    const [inFirst, inSecond] = [threadFile(first, `t${index}`, "one"), threadFile(second, `t${index}`, "two")];
    expect([existsSync(inFirst), existsSync(inSecond)].filter(Boolean)).toHaveLength(1);
  }
  expect(await server.call("thread_list")).toContain("two");
  await server.closeInput();
});

test("a repository that is made while the server runs is noticed", async () => {
  const cwd = temporaryFolder();
  writeProject(cwd, { auth: { branch: "feature/auth" } });
  const { call, close } = await openClient({ cwd });
  expect(activeIn((await call("thread_list")).text)).toBe("main");
  const repo = gitRepository({ top: cwd });
  repo.commit("Start");
  repo.git("checkout", "--quiet", "-b", "feature/auth");
  expect(activeIn((await call("thread_list")).text)).toBe("auth");
  await close();
});
