import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { PROGRAM, spawn } from "../support/binary.ts";
import { type Message, openServer, type Server, type ServerOptions } from "../support/server.ts";
import { readThread, snapshot, threadFile, writeProject } from "../support/stored_project.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";

setDefaultTimeout(60_000);

/** A project whose only thread below the root has this name. */
function project(thread: string): string {
  const { top } = gitRepository();
  writeProject(top, { [thread]: {} });
  return top;
}

async function withServer<T>(options: ServerOptions, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await openServer(options);
  try {
    return await work(server);
  } finally {
    await server.closeInput();
    await server.exited;
  }
}

const rootsOf = (...uris: readonly string[]) => ({ roots: uris.map((uri) => ({ uri })) });

const ELSEWHERE = [
  "file:///c%3A/Users/lee/my%20app",
  "file:///C:/Users/lee/my app",
  "file://server/share/x",
  "untitled:Untitled-1",
  "vscode-remote://wsl/x",
  "C:\\x",
  "",
  "file:///tmp/%ZZ",
];

for (const uri of ELSEWHERE) {
  test(`the root ${JSON.stringify(uri)} makes no folder, throws nothing, and leaves the working directory as workspace`, async () => {
    const cwd = temporaryFolder();
    const before = snapshot(cwd);
    const server = await openServer({ cwd, answer: async () => rootsOf(uri) });
    expect(await server.call("project_list")).not.toContain("internal");
    const created = await server.call("project_create", { title: "Decoy" });
    await server.closeInput();
    expect(await server.exited).toBe(0);
    expect(created).toContain(`Created the project decoy in ${cwd}.`);
    const said = `threadmind: the client's root "${uri}" is passed over: it names no folder here.\n`;
    expect(await server.stderr()).toBe(/^file:\/\/\/c/i.test(uri) ? "" : said);
    const made = Object.keys(snapshot(cwd)).filter((path) => !(path in before));
    expect(made.filter((path) => !path.startsWith(".threadmind/"))).toEqual([]);
  });
}

for (const name of ["a#b", "café", "my app 100%", "a?b"]) {
  test(`a root whose folder is called ${name} is found by its escaped address`, async () => {
    const folder = join(temporaryFolder(), name);
    mkdirSync(folder);
    writeProject(folder, { inside: {} });
    const uri = pathToFileURL(folder).href;
    const options = { cwd: "/", answer: async () => rootsOf(uri) };
    expect(await withServer(options, ({ call }) => call("thread_list"))).toBe("main ← active\n└── inside");
  });
}

const UNKNOWN = /^Cannot tell which folder is the workspace[\s\S]*THREADMIND_ROOT/;

/** What a client says about its roots. */
const CLIENTS: Readonly<Record<string, ServerOptions["answer"] | undefined>> = {
  "never answers": () => new Promise(() => {}),
  "offers no roots": undefined,
  "has an empty list of roots": async () => rootsOf(),
};

for (const [name, answer] of Object.entries(CLIENTS)) {
  test(`a client that ${name} is answered in bounded time, and gets no store in /, the home folder or the program's`, async () => {
    const home = temporaryHome();
    const own = dirname(PROGRAM[0] ?? "/");
    const folders = ["/", home, own];
    const before = folders.map((folder) => existsSync(join(folder, ".threadmind")));
    await Promise.all(
      [...folders, project("here")].map(async (cwd, index) => {
        await withServer({ cwd, home, ...(answer === undefined ? {} : { answer }) }, async (server) => {
          const begun = performance.now();
          await server.request("tools/list");
          expect(performance.now() - begun).toBeLessThan(1000);
          const tree = await server.call("thread_list");
          expect(performance.now() - begun).toBeLessThan(3500);
          if (index === folders.length) expect(tree).toBe("main ← active\n└── here");
          else if (cwd !== own || !own.startsWith(home)) expect(tree).toMatch(/^Cannot /);
          if (index >= 2) return;
          for (const [tool, args] of [
            ["context_get", {}],
            ["project_create", { title: "Decoy" }],
            ["thread_create", { title: "Decoy" }],
            ["summary_update", { content: "x" }],
            ["threadmind_init", {}],
          ] as const) {
            expect([tool, await server.call(tool, args)]).toEqual([tool, expect.stringMatching(UNKNOWN)]);
          }
        });
      }),
    );
    expect(folders.map((folder) => existsSync(join(folder, ".threadmind")))).toEqual(before);
    expect(existsSync(join(home, "AGENTS.md"))).toBe(false);
  });
}

test("a call right after initialized works in the root that is answered 300 ms later, and in changed ones after that", async () => {
  const home = temporaryHome();
  const roots = [project("first"), project("second")].map((folder) => pathToFileURL(folder).href);
  for (const cwd of ["/", home, project("here")]) {
    let at = 0;
    const answer = async () => {
      await Bun.sleep(300);
      return rootsOf(roots[at] ?? "");
    };
    await withServer({ cwd, home, answer }, async (server) => {
      expect(await server.call("thread_list")).toBe("main ← active\n└── first");
      at = 1;
      server.send({ method: "notifications/roots/list_changed" });
      expect(await server.call("thread_list")).toBe("main ← active\n└── second");
    });
  }
});

/** Locks and temporary files that a server left. */
function leftovers(top: string): string[] {
  const local = join(top, ".threadmind/local");
  return [...readdirSync(local).filter((name) => name.startsWith("lock")), ...readdirSync(join(local, "tmp"))];
}

test("a server whose pipe is closed after a write is gone within a second, with exit code 0, and the next one writes", async () => {
  const top = project("auth");
  for (const content of ["- one", "- two"]) {
    const server = await openServer({ cwd: top });
    expect(await server.call("summary_update", { threadId: "auth", append: true, content })).toContain("Updated");
    const begun = performance.now();
    await server.closeInput();
    expect([await server.exited, await server.stderr()]).toEqual([0, ""]);
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(leftovers(top)).toEqual([]);
  }
  expect(readThread(top, "auth")).toEndWith("- one\n- two\n");
});

test("a server that is terminated while it writes leaves the file whole, and one whose reader is gone ends without a trace", async () => {
  const top = project("auth");
  const content = `## Decisions\n- ${"x".repeat(200_000)}\n`;
  for (let delay = 0; delay < 30; delay += 3) {
    const before = readThread(top, "auth");
    const server = await openServer({ cwd: top });
    server.send({
      id: 1,
      method: "tools/call",
      params: { name: "summary_update", arguments: { threadId: "auth", content: `${content}- ${delay}\n` } },
    });
    await Bun.sleep(delay);
    server.kill("SIGTERM");
    const begun = performance.now();
    await server.exited;
    expect(performance.now() - begun).toBeLessThan(1000);
    expect([before.length, readThread(top, "auth")]).toEqual([
      before.length,
      expect.stringMatching(/^---\nid: auth\n[\s\S]*\n---\n\n(?:## Decisions\n- x{200000}\n- \d+\n)?$/),
    ]);
    if (existsSync(join(top, ".threadmind/local"))) expect(leftovers(top)).toEqual([]);
  }
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  const script = `(printf '%s' '${call.repeat(50)}'; sleep 1) | ${PROGRAM.join(" ")} | head -c 1; true`;
  const { stderr } = await spawn(["sh", "-c", script], { cwd: top, env: environment(temporaryHome()) });
  expect(stderr).toBe("");
});

test("bad lines, one after the other in one session, end nothing, and every line of output is a message", async () => {
  const top = project("auth");
  writeFileSync(threadFile(top, "broken"), "---\nid: broken\ntitle: never closed\n");
  const env = { DEBUG: "*", NODE_DEBUG: "fs,net,stream", BUN_DEBUG: "1", MCP_DEBUG: "1", GIT_TRACE: "1" };
  const server = await openServer({ cwd: top, env });
  const large = `## Decisions\n${"- a decision in é words, number 日\n".repeat(150_000)}`;
  expect(Buffer.byteLength(large)).toBeGreaterThan(5_000_000);
  const requests = [
    { jsonrpc: "2.0", id: 2, method: "no/such" },
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: null },
    { jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "thread_list", arguments: { x: 1 } } },
  ];
  server.write("{bad\n\n\r\n[]\n");
  for (const request of requests) server.write(`${JSON.stringify(request)}\r\n`);
  const update = { name: "summary_update", arguments: { threadId: "auth", content: large } };
  server.send({ id: 5, method: "tools/call", params: update });
  const title = "naïve 🚀 日本";
  const bytes = new TextEncoder().encode(
    `${JSON.stringify({ jsonrpc: "2.0", id: 6, method: "tools/call", params: { name: "thread_create", arguments: { title, parentId: "main" } } })}\n`,
  );
  const cut = bytes.findIndex((byte) => byte >= 0xf0) + 2;
  server.write(bytes.slice(0, cut));
  await Bun.sleep(50);
  server.write(bytes.slice(cut));
  server.send({ id: 7, method: "tools/list" });
  const codes = [(await server.answerTo(2)).error?.code, (await server.answerTo(3)).error?.code];
  expect(codes).toEqual([-32601, -32600]);
  expect((await server.answerTo(4)).result).toMatchObject({ isError: true });
  expect((await server.answerTo(5)).result?.content?.[0]?.text).toContain("Updated the summary of auth");
  expect((await server.answerTo(6)).result?.content?.[0]?.text).toContain("Created the thread naive-日本");
  expect(readThread(top, "naive-日本")).toContain(`\ntitle: ${title}\n`);
  expect((await server.answerTo(7)).result).toMatchObject({ tools: expect.any(Array) });
  expect(readThread(top, "auth")).toEndWith(large);
  await server.closeInput();
  expect(await server.exited).toBe(0);
  for (const line of server.lines) expect(JSONRPCMessageSchema.safeParse(JSON.parse(line)).success).toBe(true);
  const answered = server.lines
    .map((line): Message => JSON.parse(line))
    .filter(({ id }) => typeof id === "number" && id < 10);
  expect(answered.map(({ id }) => id).sort()).toEqual([2, 3, 4, 5, 6, 7]);
});
