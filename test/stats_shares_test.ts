import { expect, test } from "bun:test";
import { run } from "./support/binary.ts";
import { gitRepository } from "./support/temp.ts";

interface Share {
  readonly name: string;
  readonly tokens: number;
  readonly percent: number;
}

test("the shares of stats are of the context that they stand under, and make it up", async () => {
  const { top, commit } = gitRepository();
  const tm = async (...args: readonly string[]): Promise<string> => (await run(args, { cwd: top })).stdout;
  await tm("project", "create", "Shop", "--system-context", "You build a shop.");
  await tm("summary", "--content", `## Decisions\n${"- Postgres and more\n".repeat(20)}`, "--paths", "src");
  await tm("create", "Auth");
  for (const stale of [false, true]) {
    if (stale) commit("Later", { "src/a.ts": "1" });
    const { context } = JSON.parse(await tm("stats", "--json"));
    const shares: readonly Share[] = context.shares;
    expect(context.tokens).toBe(JSON.parse(await tm("context", "--json")).tokens);
    expect(shares.map(({ name }) => name)).toEqual(["system context", "main", "auth", "headings and notes"]);
    expect(shares.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(context.tokens);
    for (const { tokens, percent } of shares) expect(percent).toBe(Math.round((100 * tokens) / context.tokens));
    const text = await tm("stats");
    for (const { name, tokens, percent } of shares)
      expect(text).toMatch(new RegExp(`^  ${name} +~${tokens} tokens \\(${percent} %\\)$`, "m"));
  }
});
