import { join } from "node:path";
import { startServer, timeStart } from "./mcp_start.ts";
import { openPeers, type Peer } from "./peers.ts";
import { judge, type Reach } from "./reach.ts";
import { type Case, type Measured, measure, ms, renderTable, times } from "./rounds.ts";
import { timeRun } from "./support.ts";
import { writeClaudeTranscript, writeCodexTranscript, writeLongLine } from "./transcripts.ts";
import {
  emptyCase,
  firstTime,
  hookCase,
  makeLastStale,
  makeWorkspace,
  serverIn,
  settle,
  verbCase,
  type Workspace,
  type World,
} from "./world.ts";

const COMMITS = 20_000;
const CHAIN = 4;
const PATHS = [["src/1"], ["src/2"], ["src/3"], ["src/4", "src/5"]];

const CONTEXTS = ["context", "context, one summary of four stale", "context, all four stale"];
const FIRSTS = CONTEXTS.slice(1).map((name) => `${name}, counted for the first time`);
const STARTS = ["hook session-start", "hook session-start, one summary of four stale"];
const ENDS = ["1 MB", "100 MB", "100 MB, its last line 80 MB", "100 MB of token counts (Codex)"];

/** What the first part found: its tables in Markdown, and the rows to reach. */
export interface Part {
  readonly tables: string;
  readonly reaches: readonly Reach[];
}

/** Everything that a session waits for, next to an empty program, `git status` and peers, in one run. */
export async function measureStarts(world: World, rounds: number): Promise<Part> {
  const { folder, env } = world;
  const history = { commits: COMMITS, files: 2000 };
  const shape = { threads: 10, chain: CHAIN, paths: PATHS };
  const fresh = makeWorkspace(world, "fresh", history, shape);
  const one = makeWorkspace(world, "one-stale", history, shape);
  const all = makeWorkspace(world, "all-stale", history, shape);
  makeLastStale(one, 1, [1000]);
  makeLastStale(all, CHAIN, [100, 1000, 5000, 15_000]);
  const peers = openPeers(folder, env);
  const transcripts = [
    writeClaudeTranscript(join(folder, "small.jsonl"), 1),
    writeClaudeTranscript(join(folder, "typical.jsonl"), 100),
    writeLongLine(join(folder, "long.jsonl")),
    writeCodexTranscript(join(folder, "codex.jsonl"), 100),
  ];
  await settle(world, [fresh, one, all]);
  const cases: readonly Case[] = [
    emptyCase(world),
    { name: "git status", run: () => timeRun(["git", "status"], { cwd: fresh.top, env }) },
    verbCase(world, fresh, "version", "version"),
    ...[fresh, one, all].map((workspace, at) => verbCase(world, workspace, CONTEXTS[at] ?? "", "context")),
    ...[one, all].map((workspace, at) =>
      firstTime(workspace, FIRSTS[at] ?? "", verbCase(world, workspace, "", "context")),
    ),
    ...[fresh, one].map((workspace, at) => hookCase(world, workspace, STARTS[at] ?? "", "session-start")),
    ...ENDS.map((name, at) => hookCase(world, fresh, `hook session-end, ${name}`, "session-end", transcripts[at])),
    { name: "threadmind", run: () => timeStart(serverIn(world, fresh)) },
    ...peers.map(({ name, server }) => ({ name, run: () => timeStart(server) })),
  ];
  const measured = await measure(cases, rounds);
  const memory = await measureMemory(world, fresh, peers);
  return {
    tables: [renderRuns(measured, cases), renderServers(measured, peers), renderMemory(memory)].join("\n\n"),
    reaches: [...startReaches(measured, peers), ...runReaches(measured), memoryReach(memory)],
  };
}

function renderRuns(measured: Measured, cases: readonly Case[]): string {
  const names = cases.map(({ name }) => name).filter((name) => measured.has(name));
  const rows = names.map((name) => [
    name === "empty" ? "empty compiled Bun program" : name === "git status" ? name : `\`${name.replace(/,|$/, "`$&")}`,
    ms(measured.of(name)),
    times(measured.ratio(name, "empty")),
    times(measured.each((figure) => figure(name, "cpu") / figure("empty", "cpu"))),
  ]);
  return renderTable(["From start to end", "Median", "Ratio to empty", "Processor time to empty"], rows);
}

function renderServers(measured: Measured, peers: readonly Peer[]): string {
  const rows = ["threadmind", ...peers.map(({ name }) => name)].map((name) => [
    name,
    ...["initialize", "tools", "context"].map(
      (figure) => `${times(measured.ratio(name, "empty", figure))} (${ms(measured.of(name, figure))})`,
    ),
  ]);
  const head = ["From its start to an answer", "`initialize`", "`tools/list`", "first tool call"];
  return renderTable(head, rows);
}

const MOST_INITIALIZE = 2.5;
const MOST_TOOLS = 2.7;
const NODE_TIMES = 5;
const MOST_CONTEXT = 3;

function startReaches(measured: Measured, peers: readonly Peer[]): Reach[] {
  const initialize = measured.ratio("threadmind", "empty", "initialize");
  const tools = measured.ratio("threadmind", "empty", "tools");
  const node = peers.find(({ name }) => name.includes("(Node)"))?.name;
  const faster =
    node === undefined
      ? undefined
      : measured.each((figure) => figure(node, "initialize") / figure("threadmind", "initialize"));
  return [
    {
      what: "spawn → `initialize`",
      reach: `≤ ${MOST_INITIALIZE} × empty`,
      measured: times(initialize),
      isReached: judge(
        initialize,
        measured.least("threadmind", "initialize") / measured.least("empty"),
        MOST_INITIALIZE,
      ),
    },
    {
      what: "spawn → `initialize`, next to a Node server with the same SDK",
      reach: "≤ 1/5",
      measured: faster === undefined ? "no Node here" : `1/${faster.toFixed(0)}`,
      isReached: faster === undefined ? undefined : faster >= NODE_TIMES,
    },
    {
      what: "spawn → `tools/list`",
      reach: `≤ ${MOST_TOOLS} × empty`,
      measured: times(tools),
      isReached: judge(tools, measured.least("threadmind", "tools") / measured.least("empty"), MOST_TOOLS),
    },
  ];
}

function runReaches(measured: Measured): Reach[] {
  const contexts = [...CONTEXTS, ...FIRSTS, ...STARTS].map((name) => {
    const bounded = (figure: string): number =>
      measured.each((of) => of(name, figure) / (of("git status", figure) + of("empty", figure)));
    const [ratio, cpu] = [bounded("ms"), bounded("cpu")];
    const least = measured.least(name) / (measured.least("git status") + measured.least("empty"));
    return {
      what: `\`${name.replace(/,|$/, "`$&")}; chain of ${CHAIN}, ${COMMITS.toLocaleString("en")} commits`,
      reach: `≤ ${MOST_CONTEXT} × (git status + empty)`,
      measured: `${times(ratio)} (least times ${times(least)}, processor time ${times(cpu)})`,
      isReached: judge(ratio, least, MOST_CONTEXT),
    };
  });
  const ends = ENDS.map((name) => {
    const over = measured.each((of) => of(`hook session-end, ${name}`) - 1.5 * of("empty"));
    return {
      what: `\`hook session-end\`, transcript of ${name}`,
      reach: "≤ 1.5 × empty + 100 ms",
      measured: `1.5 × empty + ${over.toFixed(0)} ms`,
      isReached: over <= 100,
    };
  });
  return [...contexts, ...ends];
}

/** Memory of a server in MiB: after the handshake, after its first answer, after this many calls. */
interface Memory {
  readonly name: string;
  readonly start: number;
  readonly first: number;
  readonly last: number;
}

const CALLS = 1000;
const MOST_MIB = 60;

async function measureMemory(world: World, workspace: Workspace, peers: readonly Peer[]): Promise<Memory[]> {
  const servers = [{ name: "threadmind", server: serverIn(world, workspace) }, ...peers];
  const found: Memory[] = [];
  for (const { name, server } of servers) {
    const running = await startServer(server);
    await running.request("tools/list", {});
    const start = residentMiB(running.pid);
    await running.call(server.tool, server.input);
    const first = residentMiB(running.pid);
    for (let call = 1; call < CALLS; call++) await running.call(server.tool, server.input);
    found.push({ name, start, first, last: residentMiB(running.pid) });
    await running.close();
  }
  return found;
}

/** What a process holds of the machine's memory, in MiB. */
export function residentMiB(pid: number): number {
  const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]);
  return Number(stdout.toString()) / 1024;
}

function renderMemory(memory: readonly Memory[]): string {
  const rows = memory.map(({ name, ...figures }) => [
    name,
    ...Object.values(figures).map((value) => `${value.toFixed(0)} MiB`),
  ]);
  const head = ["Resident memory of a server", "after `tools/list`", "after a call", `after ${CALLS} calls`];
  return renderTable(head, rows);
}

function memoryReach(memory: readonly Memory[]): Reach {
  const { start = Number.NaN, last = Number.NaN } = memory.find(({ name }) => name === "threadmind") ?? {};
  return {
    what: `memory, serving, after ${CALLS} contexts`,
    reach: `≤ ${MOST_MIB} MiB`,
    measured: `${last.toFixed(0)} MiB (${start.toFixed(0)} MiB before the first)`,
    isReached: last <= MOST_MIB,
  };
}
