import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openServer } from "./support/server.ts";
import { gitRepository } from "./support/temp.ts";

test("a system context that is replaced or cleared is kept, and the answer says where", async () => {
  const { top, home } = gitRepository();
  const server = await openServer({ cwd: top, home });
  await server.call("project_create", { title: "Shop", systemContext: "Never log e-mail addresses." });
  const kept = async (input: object): Promise<string | undefined> => {
    const text = await server.call("project_update", input);
    const [, path] = /The system context it had is kept in (\S+)\.$/m.exec(text) ?? [];
    return path === undefined ? undefined : readFileSync(join(top, path), "utf8");
  };
  expect(await kept({ systemContext: "Prices are in cents." })).toContain("Never log e-mail addresses.");
  expect(await kept({ systemContext: "Prices are in cents." })).toBeUndefined();
  expect(await kept({ title: "The shop" })).toBeUndefined();
  expect(await kept({ systemContext: "" })).toContain("Prices are in cents.");
  expect(await kept({ systemContext: "Again." })).toBeUndefined();
  expect(await server.call("thread_history", {})).not.toContain(".project");
  await server.closeInput();
});
