import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { COMPILED, PROGRAM, spawn } from "./support/binary.ts";
import { fakeGit, pathWith } from "./support/fake_git.ts";
import { openServer } from "./support/server.ts";
import { threadFile, writeProject } from "./support/stored_project.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome } from "./support/temp.ts";

/** A project with one thread below its root. */
function project(): string {
  const { top } = gitRepository();
  writeProject(top, { auth: {} });
  return top;
}

test("standard output carries messages only, with debug variables set and a broken store", async () => {
  const top = project();
  writeFileSync(threadFile(top, "broken"), "---\ntitle: [\n");
  writeFileSync(join(top, ".threadmind/projects/broken.json"), "{");
  writeFileSync(join(top, ".threadmind/config.json"), "");
  symlinkSync("/etc/hostname", threadFile(top, "link"));
  const names = [
    "DEBUG",
    "NODE_DEBUG",
    "BUN_DEBUG",
    "BUN_DEBUG_ALL",
    "BUN_DEBUG_QUIET_LOGS",
    "GIT_TRACE",
    "MCP_DEBUG",
    "LOG_TOKENS",
  ];
  const env = Object.fromEntries(
    names.map((name) => [name, name === "NODE_DEBUG" ? "fs,child_process,net,stream" : "1"]),
  );
  const server = await openServer({ cwd: top, env, answer: async () => ({ roots: [{ uri: "untitled:x" }] }) });
  const list = await server.request("tools/list");
  const tools = (list.result as { readonly tools: readonly { readonly name: string }[] }).tools;
  for (const { name } of tools) await server.call(name, {});
  for (const id of ["auth", "broken", "link", "../../x"]) await server.call("context_get", { threadId: id });
  await server.closeInput();
  expect(await server.exited).toBe(0);
  expect(server.lines.length).toBeGreaterThan(tools.length + 4);
  for (const line of server.lines) expect(JSONRPCMessageSchema.safeParse(JSON.parse(line)).success).toBe(true);
});

test.skipIf(!COMPILED)(
  "the folder's own .env, bunfig.toml, package.json and tsconfig.json change nothing",
  async () => {
    const [plain, trap, elsewhere] = [project(), project(), temporaryFolder("elsewhere")];
    const pwned = join(elsewhere, "pwned");
    const evil = `require("node:fs").writeFileSync(${JSON.stringify(pwned)}, "x");\n`;
    writeProject(elsewhere, { stolen: {} });
    for (const folder of [trap, join(trap, "src")]) {
      mkdirSync(folder, { recursive: true });
      for (const name of [".env", ".env.local", ".env.production", ".env.development"]) {
        writeFileSync(
          join(folder, name),
          `THREADMIND_ROOT=${elsewhere}\nGIT_DIR=/tmp/x\nHOME=${elsewhere}\nBUN_OPTIONS=--preload=./evil.ts\n`,
        );
      }
      writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n[run]\nbun = true\n');
      writeFileSync(join(folder, "evil.ts"), evil);
      writeFileSync(join(folder, "package.json"), "{ broken");
      writeFileSync(join(folder, "tsconfig.json"), '{ "compilerOptions": { "paths": { "*": ["./evil.ts"] } ');
      mkdirSync(join(folder, "node_modules/yaml"), { recursive: true });
      writeFileSync(join(folder, "node_modules/yaml/index.js"), evil);
    }
    const home = temporaryHome();
    const outputs = async (cwd: string) => {
      const env = environment(home);
      const commands = [["--version"], ["version", "--json"], ["tree"], ["help"], ["context", "auth"]];
      const results = await Promise.all(commands.map((words) => spawn([...PROGRAM, ...words], { cwd, env })));
      const server = await openServer({ cwd, home });
      const texts = [await server.call("thread_list"), await server.call("context_get")];
      await server.closeInput();
      return { results, texts, stderr: await server.stderr() };
    };
    const expected = await outputs(plain);
    expect(expected.texts[0]).toBe("main ← active\n└── auth");
    expect([await outputs(trap), await outputs(join(trap, "src"))]).toEqual([expected, expected]);
    expect([existsSync(pwned), readdirSync(elsewhere)]).toEqual([false, [".threadmind"]]);
  },
);

test("git children get none of the protocol's input", async () => {
  const stolen = join(temporaryFolder(), "stolen");
  const bin = fakeGit(`read -r line && echo "$line" >> ${stolen}\nexec "$GIT" "$@"`);
  const server = await openServer({ cwd: project(), env: { PATH: pathWith(bin) } });
  const calls = [
    { name: "summary_update", arguments: { threadId: "auth", content: "## Decisions\n- one\n" } },
    { name: "context_get", arguments: {} },
    { name: "thread_list", arguments: {} },
  ];
  for (const [id, params] of calls.entries()) server.send({ id, method: "tools/call", params });
  for (const id of calls.keys()) expect((await server.answerTo(id)).result?.isError).toBeUndefined();
  expect(existsSync(stolen)).toBe(false);
  await server.closeInput();
});
