import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { compile } from "./compile.ts";

const top = join(import.meta.dir, "..");
const bun = process.execPath;
const TIME_LIMIT_MS = 20 * 60_000;

/** What one check found; tests that ran inside it are counted beside the check itself. */
interface Outcome {
  readonly ok: boolean;
  readonly output: string;
  readonly passed?: number;
  readonly failed?: number;
}

interface Check {
  readonly name: string;
  run(): Promise<Outcome>;
}

const checks: readonly Check[] = [
  ...(existsSync(join(top, "build/generate.ts"))
    ? [{ name: "generated files are current", run: () => command(bun, "build/generate.ts", "--check") }]
    : []),
  { name: "lint and format", run: () => command("biome", "ci", "--error-on-warnings", "--colors=off") },
  { name: "types", run: () => command("tsc", "--project", ".", "--pretty", "false") },
  { name: "types under Deno", run: checkUnderDeno },
  { name: "compile", run: compileForThisMachine },
  { name: "tests over the compiled program", run: () => tests("dist/threadmind", "test") },
  { name: "foreign clients", run: testForeignClients },
  { name: "view in a browser", run: testInBrowser },
  { name: "release", run: testRelease },
  { name: "scenarios under Deno", run: testUnderDeno },
];

async function command(...words: readonly string[]): Promise<Outcome> {
  return await commandWith({}, ...words);
}

async function commandWith(variables: Record<string, string>, ...words: readonly string[]): Promise<Outcome> {
  const path = [join(top, "node_modules/.bin"), process.env.PATH].join(process.platform === "win32" ? ";" : ":");
  const child = Bun.spawn([...words], {
    cwd: top,
    env: { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: undefined, UPDATE: undefined, ...variables },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIME_LIMIT_MS,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const late = child.signalCode === null ? "" : `ended by ${child.signalCode}\n`;
  return { ok: child.exitCode === 0, output: stdout + stderr + late };
}

async function compileForThisMachine(): Promise<Outcome> {
  try {
    return { ok: true, output: await compile() };
  } catch (error) {
    return { ok: false, output: Bun.inspect(error) };
  }
}

async function tests(program: string, ...paths: readonly string[]): Promise<Outcome> {
  const variables = { THREADMIND_BIN: program };
  const outcome = await commandWith(
    variables,
    bun,
    "test",
    "--timeout",
    "60000",
    "--only-failures",
    ...paths.map((path) => `./${path}`),
  );
  const passed = Number(/^\s*(\d+) pass$/m.exec(outcome.output)?.[1] ?? 0);
  const failed = Number(/^\s*(\d+) fail$/m.exec(outcome.output)?.[1] ?? 0);
  const ran = passed + failed > 0;
  return { ok: outcome.ok && ran, output: outcome.output + (ran ? "" : "No test ran\n"), passed, failed };
}

/** The tests of assistants that people work with; a test that can't run on this machine is skipped and says so. */
const AGENTS = /^(?:claude_code|codex|gemini)\./;

/** Clients that nobody here wrote: large, and needed by nothing else, so they are installed apart from the rest. */
async function testForeignClients(): Promise<Outcome> {
  const [source, folder] = ["test/foreign", "dist/foreign"];
  mkdirSync(join(top, folder), { recursive: true });
  for (const file of ["package.json", "bun.lock"]) copyFileSync(join(top, source, file), join(top, folder, file));
  const installed = await command(bun, "install", "--cwd", folder, "--frozen-lockfile", "--no-summary");
  if (!installed.ok) return installed;
  const files = readdirSync(join(top, source)).filter((file) => file.endsWith(".foreign.ts"));
  const paths = (clients: boolean) =>
    files.filter((file) => AGENTS.test(file) === clients).map((file) => `${source}/${file}`);
  const suites = await tests("dist/threadmind", ...paths(false));
  // Apart, because a run in which nothing ran has failed: then no assistant could be tried at all.
  const agents = await tests("dist/threadmind", ...paths(true));
  for (const [line] of agents.output.matchAll(/^SKIPPED: .*$/gm)) console.log(line);
  return {
    ok: suites.ok && agents.ok,
    output: [suites, agents].flatMap(({ ok, output }) => (ok ? [] : [output.trimEnd()])).join("\n"),
    passed: (suites.passed ?? 0) + (agents.passed ?? 0),
    failed: (suites.failed ?? 0) + (agents.failed ?? 0),
  };
}

/** The page of `threadmind view` in a real browser: Debian's, which root's machine gets here; without one it is said. */
async function testInBrowser(): Promise<Outcome> {
  const [source, folder] = ["test/view", "dist/view"];
  const isThere = (): boolean =>
    ["chromium", "chromium-browser", "google-chrome", "chrome"].some((name) => Bun.which(name));
  if (!isThere() && process.getuid?.() === 0 && Bun.which("apt-get") !== null) {
    await command("apt-get", "update", "-qq");
    await commandWith({ DEBIAN_FRONTEND: "noninteractive" }, "apt-get", "install", "-y", "-qq", "chromium");
  }
  if (!isThere()) {
    console.log("SKIPPED: view in a browser: there is no Chromium here, and none could be installed");
    return { ok: true, output: "" };
  }
  mkdirSync(join(top, folder), { recursive: true });
  for (const file of ["package.json", "bun.lock"]) copyFileSync(join(top, source, file), join(top, folder, file));
  const installed = await command(bun, "install", "--cwd", folder, "--frozen-lockfile", "--no-summary");
  if (!installed.ok) return installed;
  return await tests("dist/threadmind", `${source}/page.browser.ts`);
}

/** Every target's program, the files of a release, and the installers; what can't run on this machine is said. */
async function testRelease(): Promise<Outcome> {
  const built = await command(bun, "test/release/build.ts");
  if (!built.ok) return built;
  const files = readdirSync(join(top, "test/release")).filter((file) => file.endsWith(".release.ts"));
  const outcome = await tests("dist/threadmind", ...files.map((file) => `test/release/${file}`));
  for (const [line] of outcome.output.matchAll(/^SKIPPED: .*$/gm)) console.log(line);
  return outcome;
}

async function testUnderDeno(): Promise<Outcome> {
  // The package puts its executable in place when it is first called. Called directly, it receives signals itself.
  const ready = await command("deno", "--version");
  if (!ready.ok) return ready;
  const deno = `node_modules/deno/${process.platform === "win32" ? "deno.exe" : "deno"}`;
  // Less is enough for all but one thing: only --allow-all lets a hook ask the system which process is its client.
  return await tests(`${deno} run --allow-all --no-lock src/main.ts`, "test/scenario_test.ts");
}

/**
 * Deno finds the SDK's types only under specifiers without `.js`, and rewrites node_modules where it may: so the check
 * has a configuration of its own that maps what src/ imports to packages in Deno's cache.
 */
async function checkUnderDeno(): Promise<Outcome> {
  const folder = join(top, "dist/deno");
  const sources = readdirSync(join(top, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(top, "src", path));
  const packages = Object.entries(manifest.dependencies).map(([name, version]) => [name, `npm:${name}@${version}`]);
  const sdk = "@modelcontextprotocol/sdk";
  const imported = sources.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/"@modelcontextprotocol\/sdk\/([^"]+)\.js"/g),
  ]);
  const entries = imported.map(([, entry]) => [
    `${sdk}/${entry}.js`,
    `npm:${sdk}@${manifest.dependencies[sdk]}/${entry}`,
  ]);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "deno.json");
  writeFileSync(
    config,
    JSON.stringify({ nodeModulesDir: "none", imports: Object.fromEntries([...packages, ...entries]) }),
  );
  try {
    // A network may vouch for itself with a certificate that only this machine's store knows.
    const store = { DENO_TLS_CA_STORE: process.env.DENO_TLS_CA_STORE ?? "system,mozilla" };
    return await commandWith(store, "deno", "check", "--quiet", "--no-lock", "--config", config, ...sources);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let passed = 0;
let failed = 0;
for (const { name, run } of checks) {
  const started = performance.now();
  const outcome = await run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const ran = outcome.passed === undefined ? "" : `, ${outcome.passed} passed, ${outcome.failed} failed`;
  if (!outcome.ok) console.log(outcome.output.trimEnd());
  console.log(`${outcome.ok ? "ok    " : "FAILED"}  ${name} (${seconds} s${ran})`);
  passed += (outcome.ok ? 1 : 0) + (outcome.passed ?? 0);
  failed += (outcome.ok ? 0 : 1) + (outcome.failed ?? 0);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
