import { afterEach, expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DECISIONS, HEADINGS, type Machine, measuredIn, openMachine, statsLine, testsOf } from "./machine.ts";
import { callOf, countIn } from "./model_endpoint.ts";
import { fileOfPackage, findPlatformPackage } from "./packages.ts";

const test = testsOf("Codex", findPlatformPackage("@openai/codex") !== undefined);
const CODEX = fileOfPackage("@openai/codex/bin/codex.js");

/** The name that the server has for the model. */
const SERVER = "mcp__thread_mind";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A machine where `threadmind setup codex` was run, on a configuration that has Codex talk to the stand-in alone. */
async function openCodexMachine(): Promise<Machine> {
  const on = await openMachine(() => ({}));
  ends.push(() => on.close());
  const folder = join(on.repository.home, ".codex");
  mkdirSync(folder);
  const settings = [
    'model = "gpt-5.5-codex"',
    'model_provider = "loopback"',
    'approval_policy = "never"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.loopback]",
    'name = "loopback"',
    `base_url = "${on.endpoint.url}/v1"`,
    'wire_api = "responses"',
    `[projects.${JSON.stringify(on.repository.top)}]`,
    'trust_level = "trusted"',
  ];
  writeFileSync(join(folder, "config.toml"), `${settings.join("\n")}\n`);
  await on.run("threadmind", "setup", "codex");
  return on;
}

/** One run of Codex; the hooks are the ones that setup has just written. */
async function ask(on: Machine, ...words: readonly string[]): Promise<string> {
  return await on.run(
    "node",
    CODEX,
    "exec",
    ...words.slice(0, -1),
    "--dangerously-bypass-hook-trust",
    words.at(-1) ?? "",
  );
}

const textOf = ({ endpoint }: Machine, at: number): string => endpoint.requests.at(at)?.text ?? "";

test("Codex, set up by threadmind, lists the server", async () => {
  const on = await openCodexMachine();
  expect(await on.run("node", CODEX, "mcp", "list")).toMatch(/^thread-mind\s.*\senabled\s/m);
});

test("Codex starts with the context, calls tools, and its session is measured and resumed", async () => {
  const on = await openCodexMachine();
  await ask(on, callOf("thread_switch", { threadId: "pay" }, SERVER));
  expect(countIn(textOf(on, 0), HEADINGS.auth)).toBe(1);
  for (const decision of [DECISIONS.main, DECISIONS.auth]) expect(textOf(on, 0)).toContain(decision);
  expect(textOf(on, 0)).toContain("ThreadMind is this repository's memory");
  expect(on.endpoint.requests).toHaveLength(2);
  expect(textOf(on, 1)).toContain(HEADINGS.pay);
  expect(textOf(on, 1)).toContain(DECISIONS.pay);
  const size = on.endpoint.requests[1]?.size ?? 0;
  const [record, ...others] = measuredIn(on);
  expect(others).toEqual([]);
  expect(record).toMatchObject({ client: "codex", size });
  expect(await on.run("threadmind", "stats")).toContain(statsLine([size]));

  await on.run("threadmind", "switch", "main");
  await ask(on, "resume", record?.session ?? "", callOf("thread_list", {}, SERVER));
  expect(on.endpoint.requests).toHaveLength(4);
  expect(countIn(textOf(on, 2), HEADINGS.auth)).toBe(1);
  expect(textOf(on, 3)).toMatch(/pay.* ← active/);
  const resumed = on.endpoint.requests[3]?.size;
  expect(measuredIn(on)).toEqual([expect.objectContaining({ session: record?.session, size: resumed })]);
});
