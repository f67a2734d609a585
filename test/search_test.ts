import { expect, test } from "bun:test";
import { lexer, type Tokens } from "marked";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

/** What a thread may say, so that lines put under it could become a part of it. */
const BODIES: Readonly<Record<string, string>> = {
  "a list":
    "## Decisions\n- Sessions last 30 days\n\n## Constraints\n- Refunds need two people\n\n## State\n- sessions half done\n",
  "a list inside a list": "## Decisions\n- Refunds\n  - need two people\n\n## State\n- sessions half done\n",
  "a paragraph": "## Decisions\nRefunds need two people\n\n## State\n- sessions half done\n",
  "a quote": "## Decisions\n> Refunds need two people\n\n## State\n- sessions half done\n",
  "no heading": "- Refunds need two people\n- sessions half done\n",
  "a fence that stays open": "## State\n- sessions half done\n\n## Decisions\n```ts\nrefund(two, people)\n",
  "a comment that stays open": "## State\n- sessions half done\n\n## Decisions\n- Refunds\n\n<!-- two people\n",
};

for (const [name, body] of Object.entries(BODIES)) {
  test(`lines that match stand for themselves below what a thread decided, also below ${name}`, async () => {
    const { top } = gitRepository();
    writeProject(top, { pay: { body }, other: { body: "## Decisions\n- Sessions of others\n" } });
    for (const id of ["pay", "other"]) await run(["update", id, "--paths", "src"], { cwd: top });
    const args = { query: "sessions", path: "src/a.ts" };
    const { stdout } = await run(["search", args.query, "--path", args.path], { cwd: top });
    const { call, close } = await openClient({ cwd: top });
    expect((await call("thread_search", args)).text).toBe(stdout.trimEnd());
    await close();
    const blocks = lexer(stdout).filter(({ type }) => type !== "space");
    const introductions = blocks.flatMap(({ raw }, index) => (raw.trim() === "Matching lines:" ? [index] : []));
    expect(introductions).toHaveLength(2);
    for (const at of introductions) {
      expect(blocks[at]?.type).toBe("paragraph");
      const list = blocks[at + 1] as Tokens.List;
      expect([list.type, list.items.every(({ text }) => /sessions/i.test(text))]).toEqual(["list", true]);
    }
  });
}
