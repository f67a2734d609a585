import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { renderTable } from "./rounds.ts";
import { type Environment, outputOf, type RunOptions } from "./support.ts";
import { makeLastStale, makeWorkspace, type World } from "./world.ts";

/** How many processes each command starts, counted by the kernel's own account of them; a note where there is no strace. */
export function countProcesses(world: World): string {
  const { program, folder, env } = world;
  if (Bun.which("strace") === null) return "Processes: not counted, because there is no strace here.";
  const shape = { threads: 10, chain: 4, paths: [["src/1"], ["src/2"], ["src/3"], ["src/4"]] };
  const workspace = makeWorkspace(world, "counted", { commits: 200, files: 200 }, shape);
  const stale = makeWorkspace(world, "counted-stale", { commits: 200, files: 200 }, shape);
  makeLastStale(stale, 4, [10, 50, 90, 150]);
  const payload = (event: string): string =>
    JSON.stringify({ hook_event_name: event, session_id: "count", cwd: workspace.top, source: "startup" });
  const requests = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "b", version: "1" } },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "context_get", arguments: {} } };
  const runs: readonly (readonly [name: string, words: readonly string[], options: RunOptions])[] = [
    ["version", ["version"], {}],
    ["context", ["context"], {}],
    ["context, all four summaries stale, counted for the first time", ["context"], { cwd: stale.top }],
    ["context, all four summaries stale", ["context"], { cwd: stale.top }],
    ["tree", ["tree"], {}],
    ["search WORDS", ["search", "cookie"], {}],
    ["search --path FILE", ["search", "--path", "src/1/1.ts"], {}],
    ["summary ID", ["summary", "topic-5", "--content", "## Decisions\n- One"], {}],
    ["hook session-start", ["hook", "session-start"], { stdin: payload("SessionStart") }],
    ["hook session-end", ["hook", "session-end"], { stdin: payload("SessionEnd") }],
    ["serve: initialize, tools/list", ["serve"], { stdin: requests.join("") }],
    ["serve: and context_get", ["serve"], { stdin: `${requests.join("")}${JSON.stringify(call)}\n` }],
  ];
  const rows = runs.map(([name, words, options]) => {
    const started = startsOf([program, ...words], { cwd: workspace.top, env, ...options }, folder);
    const git = started.filter((file) => /(?:^|\/)git$/.test(file)).length;
    return [`\`${name.replace(/, (?=all|and)|$/, "`$&")}`, String(started.length), String(git)];
  });
  return renderTable(["Processes started by", "all", "of them git"], rows);
}

/** The programs that a command started, itself left out. */
function startsOf(
  argv: readonly string[],
  options: RunOptions & { readonly env: Environment },
  folder: string,
): string[] {
  const log = join(folder, "strace");
  outputOf(["strace", "-f", "-qq", "-e", "trace=execve", "-e", "signal=none", "-o", log, ...argv], options);
  const lines = readFileSync(log, "utf8").split("\n");
  rmSync(log);
  const started = lines.filter((line) => / = 0$/.test(line)).map((line) => /execve\("([^"]*)"/.exec(line)?.[1] ?? "");
  return started.slice(1);
}
