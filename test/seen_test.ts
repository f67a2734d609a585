import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseThreadFile } from "../src/core/thread_file.ts";
import { digestOf } from "../src/io/seen.ts";
import { COMPILED, run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { gitRepository } from "./support/temp.ts";

/** Writes what a hook of this client would have noted of the root thread, and opens a server of the same client. */
async function shownByHook(change: (text: string) => string, isWhole: boolean) {
  const { top } = gitRepository();
  await run(["project", "create", "Shop"], { cwd: top });
  await run(["summary", "--content", "## Decisions\n- one\n"], { cwd: top });
  const path = join(top, ".threadmind/threads/shop/main.md");
  const file = await parseThreadFile(readFileSync(path, "utf8"));
  if ("message" in file) throw new Error(file.message);
  const digest = digestOf({ body: file.body, status: "open", parentId: null });
  mkdirSync(join(top, ".threadmind/local/sessions"), { recursive: true });
  const seen = { "shop/main": { digest, isWhole } };
  writeFileSync(join(top, `.threadmind/local/sessions/${process.pid}.json`), `${JSON.stringify({ seen })}\n`);
  writeFileSync(path, change(readFileSync(path, "utf8")));
  return openClient({ cwd: top });
}

const update = { threadId: "main", content: "## Decisions\n- mine" };

test.skipIf(!COMPILED)(
  "a text that only a hook has shown, and that changed since, is shown before it is replaced",
  async () => {
    const client = await shownByHook((text) => `${text}- by a colleague\n`, true);
    const { isError, text } = await client.call("summary_update", update);
    expect([isError, text]).toEqual([true, expect.stringContaining("- one\n- by a colleague")]);
    expect((await client.call("summary_update", update)).isError).toBe(false);
    await client.close();
  },
);

test.skipIf(!COMPILED)("a text that a hook has cut is shown before it is replaced", async () => {
  const client = await shownByHook((text) => text, false);
  expect((await client.call("summary_update", update)).text).toContain("saw only a part of it");
  await client.close();
});

test.skipIf(!COMPILED)("a text that a hook has shown whole is replaced at once", async () => {
  const client = await shownByHook((text) => text, true);
  expect((await client.call("summary_update", update)).isError).toBe(false);
  await client.close();
});
