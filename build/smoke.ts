import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { VERSION } from "../src/version.ts";

/** How a program is tried: `env` is added to the environment, and each step may take `timeoutMs`. */
export interface SmokeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/**
 * Tries a program, given as the words that start it, as its users do: its version, an MCP session that creates a project
 * and writes a summary, and the context on the command line, in a git repository. Returns what was seen, a line each;
 * throws at the first difference.
 */
export async function smoke(command: readonly string[], options: SmokeOptions = {}): Promise<readonly string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "threadmind-smoke-")));
  try {
    return await smokeIn(folder, command, options);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function smokeIn(folder: string, command: readonly string[], options: SmokeOptions): Promise<readonly string[]> {
  const home = { HOME: folder, USERPROFILE: folder, GIT_CONFIG_GLOBAL: join(folder, "gitconfig") };
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", ...home, ...options.env };
  const cwd = join(folder, "repository");
  mkdirSync(cwd);
  writeFileSync(join(folder, "gitconfig"), "[user]\n\tname = Sam Doe\n\temail = sam@example.org\n");
  const git = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync("git", args, { cwd, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("commit", "--quiet", "--allow-empty", "--message", "Start");

  const run = async (args: readonly string[], input?: string): Promise<string> => {
    const child = Bun.spawn([...command, ...args], {
      cwd,
      env,
      stdin: input === undefined ? "ignore" : Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
      timeout: options.timeoutMs ?? 60_000,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (child.exitCode !== 0)
      throw new Error(`${args.join(" ")} ended with ${child.exitCode ?? child.signalCode}:\n${stdout}${stderr}`);
    return stdout.replaceAll("\r\n", "\n");
  };
  const expect = (what: string, text: string, part: string): string => {
    if (!text.includes(part)) throw new Error(`${what} lacks ${JSON.stringify(part)}:\n${text}`);
    return `${what}: ok`;
  };

  const version = (await run(["--version"])).trim();
  if (version !== `threadmind ${VERSION}`) throw new Error(`--version says ${JSON.stringify(version)}, not ${VERSION}`);
  const answers = parseAnswers(await run([], session()));
  const text = (id: number): string => JSON.stringify(answers.get(id) ?? "no answer");
  return [
    `--version: ${version}`,
    expect("initialize", text(1), `"version":"${VERSION}"`),
    expect("tools/list", text(2), '"name":"context_get"'),
    expect("project_create", text(3), "project shop"),
    expect("summary_update", text(4), "main"),
    expect("context", await run(["context"]), "- Stripe decides"),
  ];
}

/** An MCP session as a client writes it, all at once and then the end of input. */
function session(): string {
  const clientInfo = { name: "smoke", version: "1" };
  const call = (id: number, name: string, args: object): object => ({
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const messages = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    call(3, "project_create", { title: "Shop" }),
    call(4, "summary_update", { content: "## Decisions\n- Stripe decides\n" }),
  ];
  return messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
}

function parseAnswers(output: string): ReadonlyMap<unknown, unknown> {
  const lines = output.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line): [unknown, unknown] => {
      const message: { id?: number; result?: unknown; error?: unknown } = JSON.parse(line);
      return [message.id, message.result ?? message.error];
    }),
  );
}

if (import.meta.main) {
  const [program = "", ...words] = process.argv.slice(2);
  for (const line of await smoke([program.includes("/") ? resolve(program) : program, ...words])) console.log(line);
}
