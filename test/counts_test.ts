import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { VERSION } from "../src/version.ts";
import { PROGRAM, run, spawn, TOP } from "./support/binary.ts";
import { countingGit, pathWith } from "./support/fake_git.ts";
import { openServer } from "./support/server.ts";
import { type ThreadText, writeProject } from "./support/stored_project.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";
import { copyWorkspace, type ThreadWorkspace, threadWorkspace } from "./support/thread_workspace.ts";

// What a session costs, in counts that are the same on every machine: times are measured by bench/.

setDefaultTimeout(60_000);

// A chain of four, each summary up to date and committed.
let chain: ThreadWorkspace;

beforeAll(async () => {
  chain = await threadWorkspace(["auth", "api", "ui"]);
  chain.commit("Code", { "main/a.ts": "1\n", "auth/a.ts": "1\n", "api/a.ts": "1\n", "src/a.ts": "1\n" });
  for (const [thread = "", path = ""] of [
    ["main", "main"],
    ["auth", "auth"],
    ["api", "api"],
    ["ui", "src"],
  ])
    await chain.summarise(thread, path);
  chain.commit("Summaries");
});

const payload = (event: string, more: object = {}): string =>
  JSON.stringify({ hook_event_name: event, session_id: "counted", source: "startup", ...more });

const EDIT = payload("PreToolUse", { tool_name: "Edit", tool_input: { file_path: "src/a.ts" } });

/** The git processes of each command where all is up to date. A change of these needs a reason. */
const GIT_STARTS: readonly (readonly [words: readonly string[], git: number, stdin?: string])[] = [
  [["version"], 0],
  [["help"], 0],
  [["context"], 1],
  [["context", "auth"], 1],
  [["show", "auth"], 1],
  [["tree"], 0],
  [["search", "decision"], 0],
  [["search", "--path", "src/a.ts"], 1],
  [["stats"], 1],
  [["project", "list"], 0],
  [["switch", "ui"], 1],
  [["verify", "ui"], 2],
  [["summary", "ui", "--content", "## Decisions\n- Counted"], 2],
  [["create", "Counted"], 1],
  [["history", "ui"], 2],
  [["check"], 4],
  [["hook", "session-start"], 1, payload("SessionStart")],
  [["hook", "session-end"], 0, payload("SessionEnd")],
  [["hook", "pre-edit"], 1, EDIT],
];

for (const [words, count, stdin] of GIT_STARTS) {
  test(`\`${words.slice(0, 2).join(" ")}\` starts git ${count} times`, async () => {
    const { top, home } = copyWorkspace(chain);
    chain.git("-C", top, "update-index", "--refresh");
    const git = countingGit();
    const env = { PATH: pathWith(git.folder) };
    const { stderr, code } = await run(words, { cwd: top, home, env, ...(stdin === undefined ? {} : { stdin }) });
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    const starts = git.takeStarts();
    if (starts.length !== count) throw new Error(`It started ${starts.length}:\n${starts.join("\n")}`);
  });
}

test("stale summaries start git for the history once, and after a commit for what is new", async () => {
  const { top, home } = copyWorkspace(chain);
  const git = countingGit();
  const env = { PATH: pathWith(git.folder) };
  async function startsFor(words: readonly string[]): Promise<string[]> {
    const { stdout, code } = await run(words, { cwd: top, home, env });
    expect([code, stdout.includes("since this summary was written")]).toEqual([0, true]);
    return [...git.takeStarts()];
  }
  const commit = (text: string): void => {
    for (const path of ["auth/a.ts", "src/a.ts"]) writeFileSync(join(top, path), text);
    chain.git("-C", top, "commit", "--quiet", "--all", "--message", "Code");
  };
  commit("2\n");
  const first = await startsFor(["context", "ui"]);
  expect(first.length).toBeWithin(4, 9);
  for (const words of [
    ["context", "ui"],
    ["context", "ui"],
  ])
    expect(await startsFor(words)).toHaveLength(1);
  const head = chain.git("-C", top, "rev-parse", "HEAD");
  commit("3\n");
  const later = await startsFor(["context", "ui"]);
  expect(later.some((start) => start.includes(" log ") && start.includes(head))).toBe(true);
  rmSync(join(top, ".threadmind/local/counts.json"));
  expect(await startsFor(["context", "ui"])).toHaveLength(first.length);
});

test("a server starts no git before its first tool call, and one for a first context", async () => {
  const git = countingGit();
  const { top: cwd, home } = chain;
  const server = await openServer({ cwd, home, env: { PATH: pathWith(git.folder) } });
  await server.request("tools/list");
  expect(git.takeStarts()).toEqual([]);
  expect(await server.call("context_get")).toContain("## Thread: ");
  expect(git.takeStarts()).toHaveLength(1);
  await server.closeInput();
  await server.exited;
});

const MOST_TOOLS = 11_000;
const MOST_INSTRUCTIONS = 2_000;

test("the tools and the instructions cost a model no more than they may", async () => {
  const server = await openServer({ cwd: chain.top, home: chain.home }, { shakesHands: false });
  const clientInfo = { name: "counted", version: "1" };
  const { result } = await server.request("initialize", {
    ...{ protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  const { instructions } = result as { readonly instructions?: string };
  const tools = await server.request("tools/list");
  expect(JSON.stringify(tools.result).length).toBeWithin(1000, MOST_TOOLS);
  expect((instructions ?? "").length).toBeWithin(200, MOST_INSTRUCTIONS);
  await server.closeInput();
  await server.exited;
});

/** The cache counts no file that changed less than two seconds ago. */
const SETTLED_MS = 2200;

async function projectOf(threads: number): Promise<GitRepository> {
  const all: Record<string, ThreadText> = {};
  for (let at = 1; at < threads; at++) {
    const parentId = at === 1 ? "main" : at < 4 ? `t${at - 1}` : `t${at % 4 || 1}`;
    all[`t${at}`] = { parentId, body: `## Decisions\n- decision ${at}\n` };
  }
  const repository = gitRepository();
  writeProject(repository.top, all);
  repository.write(".threadmind/.gitignore", "config.json\nlocal/\n");
  repository.commit("Start", { "src/a.ts": "1\n" });
  await run(["switch", "t3"], { cwd: repository.top, home: repository.home });
  return repository;
}

/** What a command does to thread files, by the system's calls: names that were opened, and how often one was asked about. */
async function filesTouched(
  { top, home }: GitRepository,
  words: readonly string[],
): Promise<{ readonly opened: readonly string[]; readonly stats: number; readonly lists: number }> {
  const log = join(temporaryFolder("strace"), "log");
  const options = ["-f", "-qq", "-e", "trace=openat,open,stat,lstat,statx,newfstatat", "-e", "signal=none", "-o", log];
  const command = ["strace", ...options, ...PROGRAM, ...words];
  const { stderr, code } = await spawn(command, { cwd: top, env: environment(home) });
  if (code !== 0) throw new Error(`It exited ${code}: ${stderr}`);
  const lines = readFileSync(log, "utf8").split("\n");
  rmSync(log);
  const calls = lines.map((line) => /^\d+\s+(\w+)\(.*?"([^"]*\.threadmind\/threads\/app\/?[^"]*)"/.exec(line) ?? []);
  const isThread = (path = ""): boolean => path.endsWith(".md");
  const opened = calls.flatMap(([, name = "", path = ""]) =>
    /open/.test(name) && isThread(path) ? [path.replace(/^.*\//, "")] : [],
  );
  return {
    opened: opened.toSorted(),
    stats: calls.filter(([, name = "", path]) => /stat/.test(name) && isThread(path)).length,
    lists: calls.filter(([, name = "", path = ""]) => /open/.test(name) && /\/threads\/app\/?$/.test(path)).length,
  };
}

const hasStrace = Bun.which("strace") !== null;
if (!hasStrace) console.log("SKIPPED: the files that a context opens: there is no strace here");

test.skipIf(!hasStrace)(
  "`context` opens the chain's files alone, whether a project has 10 threads or 1,000",
  async () => {
    const CHAIN = ["main.md", "t1.md", "t2.md", "t3.md"];
    const large = await projectOf(1000);
    await Bun.sleep(SETTLED_MS);
    const { stdout } = await run(["context"], { cwd: large.top, home: large.home });
    expect(stdout).toContain("depth: 4 threads");
    for (const words of [["context"], ["context", "t2"]]) {
      const { opened, stats, lists } = await filesTouched(large, words);
      expect([...new Set(opened)]).toEqual(words.length === 1 ? CHAIN : CHAIN.slice(0, 3));
      expect(opened.length).toBeLessThanOrEqual(2 * CHAIN.length);
      // One for each file, and a few more for those that are read.
      expect(stats).toBeWithin(1000, 1000 + 8 * CHAIN.length);
      expect(lists).toBeLessThanOrEqual(2);
    }
    const small = await filesTouched(await projectOf(10), ["context"]);
    expect(new Set(small.opened).size).toBe(10);
    expect(small.opened.length).toBeLessThanOrEqual(20);
  },
);

/** A part of the compiled program: what it is made of, and the parts that are loaded before it runs. */
interface Chunk {
  readonly inputs: readonly string[];
  readonly before: readonly string[];
  readonly bytes: number;
  readonly entry: string | undefined;
}

/** The parts that the program is compiled to, found as the compiler makes them. */
async function readChunks(): Promise<ReadonlyMap<string, Chunk>> {
  const { metafile, success } = await Bun.build({
    ...{ entrypoints: [join(TOP, "src/main.ts")], target: "bun", format: "esm", splitting: true, minify: true },
    ...{ root: TOP, metafile: true },
  });
  if (!success || metafile === undefined) throw new Error("Cannot build src/main.ts");
  const chunks = Object.entries(metafile.outputs).map(([name, { inputs, imports, bytes, entryPoint }]) => {
    const before = imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
    const entry = entryPoint === undefined ? undefined : relativeToTop(entryPoint);
    return [name, { inputs: Object.keys(inputs).map(relativeToTop), before, bytes, entry }] as const;
  });
  return new Map(chunks);
}

const relativeToTop = (path: string): string =>
  relative(TOP, join(process.cwd(), path))
    .replaceAll("\\", "/")
    .replace(/^(?:\.\.\/)+/, "");

/** The files and bytes that are loaded when main.ts and then these files are imported. */
function loadedBy(
  chunks: ReadonlyMap<string, Chunk>,
  ...entries: readonly string[]
): { readonly files: readonly string[]; readonly bytes: number } {
  const waiting = ["src/main.ts", ...entries].map((entry) => {
    const name = [...chunks].find(([, chunk]) => chunk.entry === entry)?.[0];
    if (name === undefined) throw new Error(`${entry} is no part of its own: it is loaded with something else`);
    return name;
  });
  const found = new Map<string, Chunk>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const chunk = chunks.get(name);
    if (chunk === undefined || found.has(name)) continue;
    found.set(name, chunk);
    waiting.push(...chunk.before);
  }
  const all = [...found.values()];
  return { files: all.flatMap(({ inputs }) => inputs), bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
}

interface Loaded {
  readonly what: string;
  readonly entries: readonly string[];
  /** packages that it needs; no other may be loaded */
  readonly packages: readonly string[];
  /** thousands of characters of minified code, a little more than now */
  readonly kilobytes: number;
}

const HOOK = ["src/cli/cli.ts", "src/cli/hook.ts"];

const LOADED: readonly Loaded[] = [
  { what: "`version`", entries: ["src/cli/cli.ts"], packages: [], kilobytes: 10 },
  { what: "`serve` until the first tool call", entries: ["src/mcp/serve.ts"], packages: [], kilobytes: 22 },
  { what: "`hook session-end`", entries: [...HOOK, "src/cli/hook_end.ts"], packages: ["valibot"], kilobytes: 118 },
  {
    what: "`hook session-start`",
    entries: [...HOOK, "src/cli/hook_start.ts"],
    packages: ["marked", "valibot"],
    kilobytes: 225,
  },
  {
    what: "`context` and the other verbs",
    entries: ["src/cli/cli.ts", "src/cli/verb.ts"],
    packages: ["@valibot/to-json-schema", "marked", "valibot"],
    kilobytes: 318,
  },
];

for (const { what, entries, packages, kilobytes } of LOADED) {
  test(`${what} loads ${packages.join(", ") || "no package"} and no more than ${kilobytes} kB`, async () => {
    const { files, bytes } = loadedBy(await readChunks(), ...entries);
    expect(files).toContain("src/main.ts");
    const modules = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
    const found = new Set(modules.filter((name) => name !== undefined));
    expect([...found].filter((name) => !packages.includes(name))).toEqual([]);
    expect(bytes).toBeLessThan(kilobytes * 1000);
  });
}

test("the counted program is this one", async () => {
  expect((await run(["version"])).stdout).toBe(`threadmind ${VERSION}\n`);
});
