import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { isAlive } from "../src/io/lock.ts";
import { PROGRAM, spawn } from "./support/binary.ts";
import { fakeGit, pathWith } from "./support/fake_git.ts";
import { type Message, openServer, type Server, shakeHands } from "./support/server.ts";
import { readThread, threadFile, writeProject } from "./support/stored_project.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome } from "./support/temp.ts";

setDefaultTimeout(60_000);

/** A project with one thread below its root. */
function project(): string {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  return top;
}

/** Waits for a server's end, which must come within a second and with exit code 0. */
async function expectEnd({ exited }: Server): Promise<void> {
  const begun = performance.now();
  expect(await exited).toBe(0);
  expect(performance.now() - begun).toBeLessThan(1000);
}

/** Locks and temporary files that a server left. */
function leftovers(top: string): string[] {
  const local = join(top, ".threadmind/local");
  if (!existsSync(local)) return [];
  return [...readdirSync(local).filter((name) => name.startsWith("lock")), ...readdirSync(join(local, "tmp"))];
}

const SUMMARY = { name: "summary_update", arguments: { threadId: "auth", content: "## Decisions\n- last\n" } };

test("the end of input ends the server, after its last answers", async () => {
  const top = project();
  const server = await openServer({ cwd: top });
  server.send({ id: 1, method: "tools/call", params: SUMMARY });
  server.send({ id: 2, method: "tools/call", params: { name: "thread_list", arguments: {} } });
  await server.closeInput();
  await expectEnd(server);
  expect((await server.answerTo(1)).result?.content?.[0]?.text).toContain("Updated the summary of auth");
  expect((await server.answerTo(2)).result?.content?.[0]?.text).toContain("main ← active");
  expect([readThread(top, "auth").includes("- last"), leftovers(top), await server.stderr()]).toEqual([true, [], ""]);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} ends the server within a second, a write under way whole or not there`, async () => {
    const top = project();
    for (const delay of [0, 3, 6, 10, 15]) {
      const server = await openServer({ cwd: top });
      const before = readThread(top, "auth");
      const content = `## Decisions\n- ${signal} ${delay} ${"x".repeat(100_000)}\n`;
      server.send({ id: 1, method: "tools/call", params: { ...SUMMARY, arguments: { threadId: "auth", content } } });
      await Bun.sleep(delay);
      server.kill(signal);
      await expectEnd(server);
      const after = readThread(top, "auth");
      expect(after === before || after.endsWith(`\n\n${content}`)).toBe(true);
      expect(leftovers(top)).toEqual([]);
    }
  });
}

test("a server whose client is killed is gone within a second", async () => {
  const top = project();
  const script = join(temporaryFolder(), "client.ts");
  writeFileSync(
    script,
    `const child = Bun.spawn(${JSON.stringify(PROGRAM)}, { cwd: ${JSON.stringify(top)}, stdin: "pipe", stdout: "pipe" });
child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n');
child.stdin.flush();
await child.stdout.getReader().read();
console.log(child.pid);
await Bun.sleep(60_000);
`,
  );
  const client = Bun.spawn([process.execPath, script], { stdout: "pipe", env: environment(temporaryHome()) });
  const { value } = await client.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  expect(isAlive(pid)).toBe(true);
  client.kill("SIGKILL");
  await client.exited;
  await Bun.sleep(1000);
  expect(isAlive(pid)).toBe(false);
});

test("a closed standard output ends the server at its next answer, without a word", async () => {
  const server = await openServer({ cwd: project() });
  await server.closeOutput();
  server.send({ id: 1, method: "ping" });
  server.send({ id: 2, method: "tools/list" });
  await expectEnd(server);
  expect(await server.stderr()).toBe("");
});

test("a closed standard error ends nothing", async () => {
  const [program = ""] = PROGRAM;
  const command = `printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' | ${PROGRAM.join(" ")} 2>&-`;
  expect(program).not.toBe("");
  const { stdout, code } = await spawn(["sh", "-c", command], { cwd: project(), env: environment(temporaryHome()) });
  expect([JSON.parse(stdout), code]).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }, 0]);
});

test.skipIf(process.platform !== "linux")("a server that waits uses no processor time", async () => {
  const server = await openServer({ cwd: project() });
  await server.call("thread_list");
  const ticks = () => {
    const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  await Bun.sleep(200);
  const before = ticks();
  await Bun.sleep(1000);
  expect(ticks() - before).toBeLessThan(5);
  await server.closeInput();
});

test("a git that hangs doesn't keep the server from ending with its client", async () => {
  const begun = join(temporaryFolder(), "begun");
  const bin = fakeGit(`: > ${begun}\nexec sleep 3`);
  const server = await openServer({ cwd: project(), env: { PATH: pathWith(bin) } });
  server.send({ id: 1, method: "tools/call", params: SUMMARY });
  while (!existsSync(begun)) await Bun.sleep(10);
  await server.closeInput();
  await expectEnd(server);
});

test("no input, an empty one and a closed one end the server at once, with exit code 0 and nothing said", async () => {
  const env = environment(temporaryHome());
  const cwd = project();
  for (const input of ["< /dev/null", "<&-", "< empty", "serve < /dev/null"]) {
    writeFileSync(join(cwd, "empty"), "");
    const begun = performance.now();
    expect(await spawn(["sh", "-c", `${PROGRAM.join(" ")} ${input}`], { cwd, env })).toEqual({
      ...{ stdout: "", stderr: "", code: 0 },
    });
    expect(performance.now() - begun).toBeLessThan(1000);
  }
});

const LINES: readonly (readonly [line: string, code: number | undefined, id?: number | string])[] = [
  ["{bad", -32700],
  ["", undefined],
  ["   ", undefined],
  ["\u0000", -32700],
  ["echo hello; exit", -32700],
  ['{"jsonrpc":"2.0","id":1', -32700],
  ["[]", -32600],
  ['[{"jsonrpc":"2.0","id":"b","method":"ping"}]', -32600],
  ["null", -32600],
  ["7", -32600],
  ["{}", -32600],
  ['{"id":"v","method":"ping"}', -32600, "v"],
  ['{"jsonrpc":"1.0","id":"w","method":"ping"}', -32600, "w"],
  ['{"jsonrpc":"2.0","id":"n","method":"tools/call","params":null}', -32600, "n"],
  ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":"m","method":7}', -32600, "m"],
  ['{"jsonrpc":"2.0","id":"u","method":"no/such"}', -32601, "u"],
  ['{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{}}', -32602, "t"],
  ['{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"no_such"}}', -32602, "x"],
  ['{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":7}}', -32602, "y"],
  ['{"jsonrpc":"2.0","id":4711,"result":{}}', undefined],
  ['{"jsonrpc":"2.0","id":4712,"error":{"code":1,"message":"x"}}', undefined],
  ['{"jsonrpc":"2.0","method":"no/such/notification"}', undefined],
];

for (const [line, code, id] of LINES) {
  test(`the line ${JSON.stringify(line)} ends nothing and is answered ${code ?? "by nothing"}`, async () => {
    const server = await openServer({ cwd: project() });
    server.write(`${line}\n`);
    expect((await server.request("tools/list")).result).toBeDefined();
    await server.closeInput();
    await expectEnd(server);
    const answers = server.lines.map((text): Message => JSON.parse(text)).filter(({ error }) => error !== undefined);
    expect(answers.map(({ id: of, error }) => [of, error?.code])).toEqual(code === undefined ? [] : [[id, code]]);
    for (const text of server.lines) expect(JSONRPCMessageSchema.safeParse(JSON.parse(text)).success).toBe(true);
  });
}

test("an unknown tool is named with the nearest, and an unknown or misspelt argument too", async () => {
  const server = await openServer({ cwd: project() });
  const call = (name: string, args: object) => server.request("tools/call", { name, arguments: args });
  expect((await call("thread_lst", {})).error).toEqual({
    code: -32602,
    message: 'Unknown tool "thread_lst": did you mean thread_list?',
  });
  const wrong = await call("thread_list", { x: 1 });
  expect(wrong.result?.isError).toBe(true);
  expect(wrong.result?.content?.[0]?.text).toStartWith('Cannot call thread_list: it has no argument "x".\n');
  expect(await server.call("summary_update", { content: "x", threadid: "auth" })).toBe(
    'Cannot call summary_update: it has no argument "threadid".\nDid you mean threadId?',
  );
  await server.closeInput();
});

test("line ends of Windows, messages in one write and single bytes are understood", async () => {
  const server = await openServer({ cwd: project() }, { shakesHands: false });
  await shakeHands(server);
  const ping = (id: string) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
  server.write(`${ping("a")}\r\n\r\n${ping("b")}\n${ping("c")}\r\n`);
  for (const id of ["a", "b", "c"]) expect((await server.answerTo(id)).result).toEqual({});
  for (const byte of new TextEncoder().encode(`${ping("日本")}\n`)) server.write(new Uint8Array([byte]));
  expect((await server.answerTo("日本")).result).toEqual({});
  await server.closeInput();
});

test("a message that is cut in the middle of a character arrives whole", async () => {
  const top = project();
  const server = await openServer({ cwd: top });
  const content = "## Decisions\n- naïve 🚀 日本 é\n";
  const params = { name: "summary_update", arguments: { threadId: "auth", content } };
  const bytes = new TextEncoder().encode(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`,
  );
  const cut = bytes.findIndex((byte) => byte >= 0xf0) + 2;
  server.write(bytes.slice(0, cut));
  await Bun.sleep(50);
  server.write(bytes.slice(cut));
  await server.answerTo(1);
  expect(readThread(top, "auth")).toEndWith(content);
  await server.closeInput();
});

test("a summary of 5 MB is written whole and comes back whole", async () => {
  const top = project();
  const server = await openServer({ cwd: top });
  const content = `## Decisions\n${"- a decision in é words, number 日\n".repeat(150_000)}`;
  expect(new TextEncoder().encode(content).length).toBeGreaterThan(5_000_000);
  expect(await server.call("summary_update", { threadId: "auth", content })).toContain("Updated the summary of auth");
  expect(readThread(top, "auth")).toEndWith(content);
  expect(await server.call("context_get", { threadId: "auth" })).toContain(content.trimEnd());
  await server.closeInput();
  await expectEnd(server);
});

test("a line of more than 64 MiB is refused, and the next one is answered", async () => {
  const server = await openServer({ cwd: project() });
  const part = "x".repeat(1024 * 1024);
  for (let written = 0; written <= 64; written++) server.write(part);
  server.write("\n");
  expect((await server.request("ping")).result).toEqual({});
  expect(server.lines.map((line) => JSON.parse(line).error?.code).filter(Boolean)).toEqual([-32600]);
  await server.closeInput();
});

test("a call that is cancelled while it waits writes nothing, and the server ends without waiting for it", async () => {
  const top = project();
  const server = await openServer({ cwd: top });
  for (let id = 1; id <= 30; id++) {
    server.send({ id, method: "tools/call", params: { name: "thread_create", arguments: { title: `T${id}` } } });
  }
  server.send({ method: "notifications/cancelled", params: { requestId: 30 } });
  await server.answerTo(29);
  expect(existsSync(threadFile(top, "t29"))).toBe(true);
  await server.call("thread_list");
  expect(existsSync(threadFile(top, "t30"))).toBe(false);
  const begun = performance.now();
  await server.closeInput();
  await expectEnd(server);
  expect(performance.now() - begun).toBeLessThan(600);
});
