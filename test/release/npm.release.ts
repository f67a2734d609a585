import { afterAll, expect } from "bun:test";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smoke } from "../../build/smoke.ts";
import { VERSION } from "../../src/version.ts";
import { spawn } from "../support/binary.ts";
import { environment, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { testUnless } from "./built.ts";
import { openNpmRegistry } from "./npm_registry.ts";

const isHere = process.platform === "linux" && process.arch === "x64";
const reason = !isHere
  ? "its package is made for Linux on x64"
  : Bun.which("npm") === null
    ? "there is no npm"
    : undefined;
const each = testUnless(reason, "the npm packages");

const registry = openNpmRegistry();
afterAll(() => registry.close());

const home = temporaryHome();
const env = environment(home, {
  npm_config_registry: registry.url,
  npm_config_cache: join(home, "cache"),
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false",
});

/** A folder in which npm has installed the package. */
async function installed(...options: readonly string[]): Promise<string> {
  const cwd = temporaryFolder("npm");
  writeFileSync(join(cwd, "package.json"), '{"private":true}\n');
  const result = await spawn(["npm", "install", "thread-mind-mcp", ...options], { cwd, env });
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
  return cwd;
}

each("npm installs the launcher and this platform's program, and nothing for other platforms", async () => {
  const cwd = await installed();
  expect([...registry.downloaded].sort()).toEqual([
    `thread-mind-mcp-${VERSION}.tgz`,
    `thread-mind-mcp-linux-x64-${VERSION}.tgz`,
  ]);
  for (const name of ["threadmind", "thread-mind-mcp"])
    expect((await smoke([join(cwd, "node_modules/.bin", name)])).at(-1)).toBe("context: ok");
});

each("the configuration of 0.4, npx thread-mind-mcp, still connects", async () => {
  const command = ["npx", "--yes", "thread-mind-mcp"];
  expect(await smoke(command, { env })).toContain("initialize: ok");
});

each("the launcher passes on exit codes and signals", async () => {
  const cwd = await installed();
  const launcher = join(cwd, "node_modules/.bin/threadmind");
  expect((await spawn([launcher, "no-such-verb"], { cwd, env })).code).toBe(2);
  const serving = Bun.spawn([launcher, "serve"], { cwd, env, stdin: "pipe", stdout: "ignore", stderr: "ignore" });
  await Bun.sleep(500);
  serving.kill("SIGTERM");
  await serving.exited;
  expect(serving.signalCode ?? serving.exitCode).toBeOneOf(["SIGTERM", 0, 143]);
  serving.stdin.end();
});

each("without its program the launcher says what to install", async () => {
  const cwd = await installed("--omit=optional");
  const { code, stderr } = await spawn([join(cwd, "node_modules/.bin/threadmind"), "--version"], { cwd, env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "threadmind: Cannot start: the package thread-mind-mcp-linux-x64 is not installed\n" +
      `Install again without --omit=optional or --no-optional: npm install thread-mind-mcp@${VERSION}\n`,
  });
});

each("on a platform without a program the launcher names those that have one", async () => {
  const cwd = await installed("--omit=optional");
  const launcher = join(cwd, "node_modules/thread-mind-mcp/bin/launcher.js");
  for (const [platform, arch, named] of [
    ["linux", "ia32", "linux-ia32"],
    ["freebsd", "x64", "freebsd-x64"],
    ["win32", "ia32", "win32-ia32"],
  ]) {
    const pretend = join(cwd, `${named}.cjs`);
    writeFileSync(
      pretend,
      `Object.defineProperty(process, "platform", { value: "${platform}" });Object.defineProperty(process, "arch", { value: "${arch}" });`,
    );
    const { code, stderr } = await spawn(["node", "--require", pretend, launcher], { cwd, env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `threadmind: Cannot start: there is no program for ${named}\n` +
        "There are: linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl, darwin-x64, darwin-arm64, win32-x64, win32-arm64\n",
    });
  }
});

each("under Rosetta the launcher prefers the program for Apple silicon", async () => {
  const cwd = await installed("--omit=optional");
  const folder = join(cwd, "node_modules/thread-mind-mcp-darwin-arm64");
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"name":"thread-mind-mcp-darwin-arm64"}');
  writeFileSync(join(folder, "bin/threadmind"), "#!/bin/sh\necho arm64\n", { mode: 0o755 });
  const bin = join(cwd, "fake");
  mkdirSync(bin);
  writeFileSync(join(bin, "sysctl"), "#!/bin/sh\necho 1\n", { mode: 0o755 });
  const pretend = join(cwd, "intel_mac.cjs");
  writeFileSync(
    pretend,
    'Object.defineProperty(process, "platform", { value: "darwin" });Object.defineProperty(process, "arch", { value: "x64" });',
  );
  const launcher = join(cwd, "node_modules/thread-mind-mcp/bin/launcher.js");
  const run = () =>
    spawn(["node", "--require", pretend, launcher], { cwd, env: { ...env, PATH: `${bin}:${env.PATH}` } });
  expect((await run()).stdout).toBe("arm64\n");
  renameSync(folder, `${folder}-gone`);
  expect((await run()).stderr).toContain("the package thread-mind-mcp-darwin-arm64 is not installed");
  expect(existsSync(launcher)).toBe(true);
});
