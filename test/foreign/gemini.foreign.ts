import { afterEach, expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DECISIONS, HEADINGS, type Machine, measuredIn, openMachine, testsOf, tokensSaid } from "./machine.ts";
import { callOf, countIn } from "./model_endpoint.ts";
import { fileOfPackage } from "./packages.ts";

const test = testsOf("Gemini CLI", true);
const GEMINI = fileOfPackage("@google/gemini-cli/bundle/gemini.js");

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A machine where `threadmind setup gemini` was run, with a folder that its person trusts. */
async function openGeminiMachine(): Promise<Machine> {
  const on = await openMachine((url) => ({ GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url }));
  ends.push(() => on.close());
  const folder = join(on.repository.home, ".gemini");
  mkdirSync(folder);
  const settings = {
    general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    security: { auth: { selectedType: "gemini-api-key" } },
  };
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings, undefined, 2));
  writeFileSync(join(folder, "trustedFolders.json"), JSON.stringify({ [on.repository.top]: "TRUST_FOLDER" }));
  await on.run("threadmind", "setup", "gemini");
  return on;
}

const gemini = (on: Machine, ...words: readonly string[]): Promise<string> => on.run("node", GEMINI, ...words);

test("Gemini CLI, set up by threadmind, connects to the server", async () => {
  const on = await openGeminiMachine();
  expect(await gemini(on, "mcp", "list")).toMatch(/thread-mind: .*threadmind serve.* - Connected/);
});

test("Gemini CLI starts with the context, and calls a tool", async () => {
  const on = await openGeminiMachine();
  const said = callOf("mcp_thread-mind_thread_switch", { threadId: "pay" });
  // A named model, because without one another model is asked first which to take.
  await gemini(on, "--model", "gemini-2.5-flash", "--approval-mode", "yolo", "--prompt", said);
  const [first, second, ...others] = on.endpoint.requests;
  expect(others).toEqual([]);
  expect(countIn(first?.text ?? "", HEADINGS.auth)).toBe(1);
  for (const decision of [DECISIONS.main, DECISIONS.auth]) expect(first?.text).toContain(decision);
  expect(first?.text).toContain("ThreadMind is this repository's memory");
  expect(second?.text).toContain(DECISIONS.pay);
  expect(measuredIn(on)).toEqual([
    expect.objectContaining({ client: "gemini", context: tokensSaid(first?.text ?? ""), size: second?.size }),
  ]);
});
