import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, spawn, TOP } from "./support/binary.ts";
import { listScenarios } from "./support/scenario.ts";
import { environment, gitRepository, temporaryHome } from "./support/temp.ts";

const readme = readFileSync(join(TOP, "README.md"), "utf8");

test("the README names every scenario by its sentence", () => {
  const scenarios = listScenarios();
  expect(scenarios.length).toBeGreaterThan(0);
  for (const { title } of scenarios) expect(readme).toContain(`[${title}]`);
});

test("the README names every tool", () => {
  const files = readdirSync(join(TOP, "test/golden/tools")).map((file) => file.replace(".json", ""));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect(readme).toContain(`\`${name}\``);
});

test("the README's commands lead to a loaded context", async () => {
  const block = /## Use it\n[^`]*```\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const commands = block.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  expect(commands.length).toBeGreaterThan(4);
  const repository = gitRepository();
  repository.commit("Code", { "src/auth/login.ts": "export {};\n" });
  const script = `set -e\nthreadmind() { ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"; }\n${commands.join("\n")}`;
  const env = environment(temporaryHome(), {});
  const { stdout, stderr, code } = await spawn(["sh", "-c", script], { cwd: repository.top, env });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toContain("doesn't exist");
  expect(stdout).toContain("linked to the branch feature/auth");
  expect(stdout).toContain("## Thread: Auth (active)");
  expect(stdout).toContain("- Next.js, PostgreSQL, Stripe");
});

test("the README's two commands are scripts of package.json", () => {
  const scripts = JSON.parse(readFileSync(join(TOP, "package.json"), "utf8")).scripts;
  const named = [...readme.matchAll(/^npx --yes bun@([\d.]+) run (\w+)$/gm)];
  expect(named.map(([, , name]) => name)).toEqual(["demo", "ok"]);
  for (const [, version, name = ""] of named) {
    expect(version).toBe("1.4.5");
    expect(scripts[name]).toBeString();
  }
});
