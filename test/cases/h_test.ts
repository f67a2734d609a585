import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPILED, PROGRAM, spawn } from "../support/binary.ts";
import { usageRecord } from "../support/hooks.ts";
import { openServer } from "../support/server.ts";
import { writeProject } from "../support/stored_project.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";

setDefaultTimeout(60_000);

/** Where the files of a hostile folder would lead. */
interface Lures {
  readonly elsewhere: string;
  readonly pwned: string;
}

function setTrap(folder: string, { elsewhere, pwned }: Lures): void {
  const files = {
    ".env": `THREADMIND_ROOT=${elsewhere}\nGIT_DIR=/tmp/x\n`,
    "bunfig.toml": 'preload = ["./evil.ts"]\n',
    "evil.ts": `require("node:fs").writeFileSync(${JSON.stringify(pwned)}, "x");\n`,
    "package.json": "{ broken",
    "tsconfig.json": "{ broken",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** What the program prints in a folder: its version, an MCP session, both hooks. */
async function outputsIn(top: string, home: string, transcript: string): Promise<unknown> {
  const env = environment(home, { CLAUDE_PID: String(process.pid) });
  const payload = JSON.stringify({
    cwd: top,
    session_id: "s1",
    source: "startup",
    reason: "clear",
    transcript_path: transcript,
  });
  const runs = [["--version"], ["tree"], ["hook", "session-start"], ["hook", "session-end"], ["stats"]];
  const results: unknown[] = [];
  for (const words of runs) {
    const stdin = words[0] === "hook" ? payload : "";
    results.push(await spawn([...PROGRAM, ...words], { cwd: top, env, stdin }));
  }
  const server = await openServer({ cwd: top, home });
  const answers = [
    await server.call("thread_list"),
    await server.call("context_get"),
    await server.request("tools/list"),
  ];
  await server.closeInput();
  const texts = [answers[0], answers[1], JSON.stringify((answers[2] as { readonly result?: unknown }).result)];
  return { results, texts, code: await server.exited, stderr: await server.stderr() };
}

test.skipIf(!COMPILED)(
  "version, server and hooks say the same beside a hostile .env, bunfig.toml, package.json and tsconfig.json",
  async () => {
    const away = temporaryFolder("away");
    const lures = { elsewhere: join(away, "elsewhere"), pwned: join(away, "pwned") };
    const [home, transcript] = [temporaryHome(), join(away, "t.jsonl")];
    writeFileSync(transcript, usageRecord(48_200));
    const [plain, trap] = [gitRepository(), gitRepository()];
    for (const { top } of [plain, trap]) writeProject(top, { auth: { body: "## Decisions\n- JWT\n" } });
    setTrap(trap.top, lures);
    const expected = await outputsIn(plain.top, home, transcript);
    expect(JSON.stringify(expected)).toContain("main ← active\\n└── auth");
    expect(JSON.stringify(expected)).toContain("48,200");
    expect(await outputsIn(trap.top, home, transcript)).toEqual(expected);
    expect([existsSync(lures.pwned), existsSync(lures.elsewhere)]).toEqual([false, false]);
  },
);

test.skipIf(!COMPILED)("the real environment counts all the same, whatever the folder's .env says", async () => {
  const away = temporaryFolder("away");
  const [named, trap] = [gitRepository(), gitRepository()];
  writeProject(named.top, { named: {} });
  writeProject(trap.top, { auth: {} });
  setTrap(trap.top, { elsewhere: join(away, "elsewhere"), pwned: join(away, "pwned") });
  const env = environment(temporaryHome(), { THREADMIND_ROOT: named.top, BUN_OPTIONS: "", BUN_INSPECT: "" });
  const { stdout, stderr, code } = await spawn([...PROGRAM, "tree"], { cwd: trap.top, env });
  expect([stdout, stderr, code]).toEqual(["main ← active\n└── named\n", "", 0]);
  expect(existsSync(join(away, "pwned"))).toBe(false);
});
