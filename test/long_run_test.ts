import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { openServer, type Server } from "./support/server.ts";
import { type ThreadText, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

// One server that is called for a long time holds no more than after a while, and opens nothing for good.
//   THREADMIND_LONG_RUN=long bun test --timeout 3600000 ./test/long_run_test.ts   10,000 calls, each tool in its turn

const IS_LONG = process.env.THREADMIND_LONG_RUN === "long";
const CALLS = IS_LONG ? 10_000 : 2_000;
const MIB = 1024;
/** What the second half may add to what the server holds: collections of garbage come when they will. */
const SPARE_MIB = 25;
/** What it may hold for itself, its program's own pages left out. */
const MOST_MIB = 100;

setDefaultTimeout(3_600_000);

/** What a process holds, from the kernel's account of it. */
interface Held {
  readonly residentMiB: number;
  /** without the pages of the program's file, which all servers of a machine share */
  readonly ownMiB: number;
  readonly descriptors: number;
}

function heldBy({ pid }: Server): Held {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / MIB;
  return { residentMiB: of("VmRSS"), ownMiB: of("RssAnon"), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

type Call = readonly [tool: string, input: object];

/** What is called in turn: mostly what starts no other program; those that do come often enough to leak if they could. */
function callAt(at: number): Call {
  if (at % 100 === 99) return ["summary_update", { threadId: "t7", content: `## Decisions\n- Decision ${at}\n` }];
  if (at % 50 === 49) return ["thread_switch", { threadId: `t${at % 30}` }];
  if (at % (IS_LONG ? 4 : 25) === 3) return ["context_get", {}];
  if (at % 50 === 20) return ["context_get", { threadId: "no such thread" }];
  if (at % 50 === 30) return ["stats_show", {}];
  if (at % 50 === 40) return ["no_such_tool", {}];
  return at % 2 === 0 ? ["thread_list", {}] : ["thread_search", { query: "cookie decision" }];
}

async function callAll(server: Server, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) {
    const [tool, input] = callAt(at);
    const text = await server.call(tool, input);
    if (text === "") throw new Error(`Call ${at} of ${tool} answered nothing`);
  }
}

const runs = process.platform === "linux" ? test : test.skip;
if (process.platform !== "linux") console.log("SKIPPED: a server's memory and handles: only Linux shows them in /proc");

runs(`a server holds no more after ${CALLS} calls than after half of them, and no file`, async () => {
  const threads: Record<string, ThreadText> = {};
  for (let at = 0; at < 40; at++)
    threads[`t${at}`] = {
      parentId: at < 10 ? "main" : `t${at % 10}`,
      body: `## Decisions\n${`- decision ${at}: JWT in a cookie\n`.repeat(20)}`,
    };
  const repository = gitRepository();
  writeProject(repository.top, threads);
  repository.commit("Start", { "src/a.ts": "1\n" });
  const server = await openServer({ cwd: repository.top, home: repository.home });
  await callAll(server, 0, CALLS / 10);
  const early = heldBy(server);
  await callAll(server, CALLS / 10, CALLS / 2);
  const half = heldBy(server);
  await callAll(server, CALLS / 2, CALLS);
  const late = heldBy(server);
  if (IS_LONG) process.stderr.write(`# ${JSON.stringify({ early, half, late })}\n`);
  expect(late.ownMiB - half.ownMiB).toBeLessThan(SPARE_MIB);
  expect(late.ownMiB).toBeLessThan(MOST_MIB);
  // A collection may be on its way: what matters is that they don't add up.
  expect(late.descriptors).toBeLessThanOrEqual(early.descriptors + 1);
  await server.closeInput();
  expect(await server.exited).toBe(0);
});
