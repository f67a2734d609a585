import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { edit, PATHS, type Run, SHAPES, writeAll } from "./replay/shapes.ts";
import { contentsOf, type Place, readGraph, threadFileIn, truthOf, type Writing } from "./replay/truth.ts";
import { type Result, run as runProgram, spawn } from "./support/binary.ts";
import { writeProject } from "./support/stored_project.ts";
import { environment, temporaryFolder, temporaryHome } from "./support/temp.ts";
import { notesIn } from "./support/thread_workspace.ts";

// Histories of every shape, made at random, with summaries written at random points of them; each note that `context`
// shows is compared with the truth, which is found by other means.
//   THREADMIND_REPLAY=long bun test --timeout 3600000 ./test/staleness_replay_test.ts   1,000 histories, the table of docs/performance.md
//   THREADMIND_SEED=12345 …                                                             other histories

const IS_LONG = process.env.THREADMIND_REPLAY === "long";
const HISTORIES = Number(process.env.THREADMIND_HISTORIES ?? (IS_LONG ? 1000 : 60));
const SEED = Number(process.env.THREADMIND_SEED ?? 20_261_130);
/** Only histories in which this shape comes last, to look closer at one. */
const ONLY = process.env.THREADMIND_SHAPE;
const STEPS = 5;
const THREADS = ["main", "auth", "ui"];
const TITLES: Readonly<Record<string, string>> = { App: "main", auth: "auth", ui: "ui" };

setDefaultTimeout(3_600_000);

/** What was found where a shape had been applied since the summary was written. */
interface Tally {
  applied: number;
  verdicts: number;
  stale: number;
  falseAlarms: number;
  misses: number;
  otherwise: number;
}

/** A history that is being replayed, with what was true at each writing. */
interface Replay {
  readonly name: string;
  readonly run: Run;
  readonly home: string;
  /** by the text of a summary, which no two share */
  readonly writings: Map<string, Writing & { readonly at: number }>;
  readonly done: string[];
}

const tallies = new Map<string, Tally>();
const failures: string[] = [];

function tallyOf(shape: string): Tally {
  const known = tallies.get(shape);
  if (known !== undefined) return known;
  const fresh = { applied: 0, verdicts: 0, stale: 0, falseAlarms: 0, misses: 0, otherwise: 0 };
  tallies.set(shape, fresh);
  return fresh;
}

function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** The tests share one home, whose git configuration no history changes. */
const home = temporaryHome();

async function openReplay(seed: number): Promise<Replay> {
  const random = randomOf(seed);
  const top = join(temporaryFolder("replay"), "app");
  const prefix = random(5) === 0 ? "app/" : "";
  const log: string[] = [];
  // Dates that differ, so that no two commits are the same by chance.
  let minutes = 0;
  const variables = (): Record<string, string> => {
    const date = new Date(Date.UTC(2026, 0, 1) + ++minutes * 60_000).toISOString();
    return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_EDITOR: ":", GIT_SEQUENCE_EDITOR: ":" };
  };
  const ask = async (folder: string, args: readonly string[], env = {}, stdin?: string): Promise<Result> =>
    await spawn(["git", ...args], {
      cwd: folder,
      env: environment(home, { ...variables(), ...env }),
      ...(stdin === undefined ? {} : { stdin }),
    });
  const run: Run = {
    top,
    prefix,
    workspace: join(top, prefix),
    log,
    random,
    async git(folder, ...args) {
      log.push(`git ${args.join(" ")}`);
      const { stdout, stderr, code } = await ask(folder, args);
      if (code !== 0) throw new Error(`git ${args.join(" ")} exited ${code}: ${stderr}`);
      return stdout.replace(/\n$/, "");
    },
    async gitWith(env, folder, ...args) {
      const words = args.filter((arg) => typeof arg === "string");
      const input = args.find((arg) => typeof arg !== "string")?.input;
      const { stdout, stderr, code } = await ask(folder, words, env, input);
      if (code !== 0) throw new Error(`git ${words.join(" ")} exited ${code}: ${stderr}`);
      return stdout;
    },
    async tryGit(folder, ...args) {
      const { stdout, code } = await ask(folder, args);
      log.push(`git ${args.join(" ")} → ${code}`);
      return code === 0 ? stdout.replace(/\n$/, "") : undefined;
    },
  };
  mkdirSync(run.workspace, { recursive: true });
  await run.git(top, "init", "--quiet", ...(random(8) === 0 ? ["--object-format=sha256"] : []));
  if (random(4) === 0) await run.git(top, "config", "core.autocrlf", "true");
  writeFileSync(join(top, ".gitignore"), "*.log\n");
  if (random(3) === 0) writeFileSync(join(top, ".gitattributes"), "*.ts text=auto\n");
  writeProject(run.workspace, { auth: {}, ui: { parentId: "auth" } });
  writeFileSync(join(run.workspace, ".threadmind/.gitignore"), "config.json\nlocal/\n");
  writeFileSync(join(run.workspace, ".threadmind/.gitattributes"), "threads/** merge=threadmind\n");
  return { name: `history of seed ${seed}`, run, home, writings: new Map(), done: [] };
}

let summaries = 0;

/** False where a reset or another branch has taken the project away. */
function isThere(workspace: string): boolean {
  return ["projects/app.json", ...THREADS.map((thread) => `threads/app/${thread}.md`)].every((file) =>
    existsSync(join(workspace, ".threadmind", file)),
  );
}

/** Writes a thread's summary, and notes what is true of the code at that moment. */
async function writeSummary(
  { run, writings, done }: Replay,
  thread = THREADS[run.random(THREADS.length)] ?? "main",
  paths = PATHS[run.random(PATHS.length)] ?? [],
): Promise<void> {
  if (!isThere(run.workspace)) return;
  const key = `Decision ${++summaries}.`;
  const head = await run.tryGit(run.top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}");
  const options = paths.length === 0 ? ["--paths="] : paths.flatMap((path) => ["--paths", path]);
  run.log.push(`threadmind summary ${thread} ${options.join(" ")}`);
  const { code, stderr } = await runProgram(["summary", thread, "--content", `## Decisions\n- ${key}\n`, ...options], {
    cwd: run.workspace,
    home,
  });
  if (code !== 0) throw new Error(`threadmind summary exited ${code}: ${stderr}`);
  const contents = await contentsOf(run, run.workspace, paths);
  writings.set(key, { paths, contents, commit: head, at: done.length });
}

/** Compares the notes that a workspace shows with the truth. */
async function check(replay: Replay, place: Place, shape?: string): Promise<void> {
  const { run, writings, done } = replay;
  if (!isThere(place.workspace)) return;
  const shown = await notes(place);
  for (const [title, note] of Object.entries(shown)) {
    const thread = TITLES[title] ?? title;
    const text = readFileSync(threadFileIn(place.workspace, thread), "utf8");
    const writing = writings.get(/Decision \d+\./.exec(text)?.[0] ?? "");
    if (writing === undefined) continue;
    const truth = await truthOf(run, place, thread, writing);
    let found = note;
    // git has two seconds for each answer, and says nothing on a machine that stood still for so long.
    if (!truth.includes(found)) found = (await notes(place))[title] ?? "";
    const isStale = !truth.includes("");
    for (const name of new Set(["all", ...done.slice(writing.at), ...(shape === undefined ? [] : [shape])])) {
      const tally = tallyOf(name);
      tally.verdicts++;
      if (isStale) tally.stale++;
      if (truth.includes(found)) continue;
      if (found !== "" && truth[0] === "") tally.falseAlarms++;
      else if (found === "" && truth[0] !== "") tally.misses++;
      else tally.otherwise++;
    }
    if (!truth.includes(found)) {
      const expected = truth.map((each) => each || "(nothing)").join(" or ");
      failures.push(
        `${replay.name}: ${title} said ${found || "(nothing)"}\nbut ${expected}\n  ${run.log.slice(-60).join("\n  ")}`,
      );
    }
  }
}

async function notes({ workspace }: Place): Promise<Record<string, string>> {
  const { stdout, stderr, code } = await runProgram(["context", "ui"], { cwd: workspace, home });
  if (code !== 0) throw new Error(`threadmind context exited ${code}: ${stderr}`);
  return notesIn(stdout);
}

async function placeOf({ run }: Replay): Promise<Place> {
  return { workspace: run.workspace, prefix: run.prefix, graph: await readGraph(run, run.top), whole: undefined };
}

/** Looks at a shallow clone of what is committed. */
async function checkShallow(replay: Replay): Promise<void> {
  const { run } = replay;
  if ((await run.tryGit(run.top, "rev-parse", "--verify", "--quiet", "HEAD")) === undefined) return;
  const clone = join(run.top, "..", "clone");
  rmSync(clone, { recursive: true, force: true });
  const depth = String(1 + run.random(5));
  const config = ["-c", `core.autocrlf=${(await run.tryGit(run.top, "config", "core.autocrlf")) ?? "false"}`];
  await run.git(run.top, "clone", "--quiet", ...config, "--depth", depth, `file://${run.top}`, clone);
  const graph = await readGraph(run, clone);
  const whole = await readGraph(run, run.top);
  // A clone of all there is may be one that git takes for shallow.
  const isShallow = (await run.git(clone, "rev-parse", "--is-shallow-repository")) === "true";
  const place = { workspace: join(clone, run.prefix), prefix: run.prefix, graph, whole: isShallow ? whole : undefined };
  tallyOf("shallow clone").applied++;
  await check(replay, place, "shallow clone");
}

/** Looks at another working tree of the same repository. */
async function checkWorktree(replay: Replay): Promise<void> {
  const { run } = replay;
  if ((await run.tryGit(run.top, "rev-parse", "--verify", "--quiet", "HEAD")) === undefined) return;
  const folder = join(run.top, "..", "worktree");
  rmSync(folder, { recursive: true, force: true });
  await run.git(run.top, "worktree", "prune");
  await run.git(run.top, "worktree", "add", "--quiet", "--detach", folder, run.random(2) === 0 ? "HEAD" : "HEAD~1");
  const workspace = join(folder, run.prefix);
  if (run.random(2) === 0) edit({ ...run, top: folder, workspace });
  tallyOf("linked worktree").applied++;
  await check(
    replay,
    { workspace, prefix: run.prefix, graph: await readGraph(run, folder), whole: undefined },
    "linked worktree",
  );
}

const NAMES = Object.keys(SHAPES);

/** Makes one history, and checks its notes on the way. */
async function replayOne(seed: number): Promise<void> {
  const replay = await openReplay(seed);
  const { run, done } = replay;
  const apply = async (name: string): Promise<void> => {
    run.log.push(`# ${name}`);
    if ((await SHAPES[name]?.(run)) !== true) return;
    done.push(name);
    tallyOf(name).applied++;
  };
  writeAll(run);
  if (run.random(8) > 0) for (let left = 1 + run.random(3); left > 0; left--) await apply("commit of both");
  await writeSummary(replay);
  const lookAt = run.random(STEPS);
  for (let step = 0; step < STEPS; step++) {
    await apply(NAMES[run.random(NAMES.length)] ?? "");
    if (step === 2) await writeSummary(replay);
    if (step === lookAt) await check(replay, await placeOf(replay));
  }
  // Each shape has its turn, whatever the seed, and nothing but it stands between two summaries and their notes.
  await writeSummary(replay, "main", [["."], ["src", "lib"]][run.random(2)]);
  await writeSummary(replay, "ui");
  await apply(NAMES[seed % NAMES.length] ?? "");
  await check(replay, await placeOf(replay));
  if (seed % 3 === 0) await checkShallow(replay);
  if (seed % 3 === 1 && (await run.tryGit(run.top, "rev-parse", "--verify", "--quiet", "HEAD~1")) !== undefined)
    await checkWorktree(replay);
  rmSync(join(run.top, ".."), { recursive: true, force: true, maxRetries: 3 });
}

function renderTallies(): string {
  const rows = [...tallies].toSorted(([a], [b]) => Number(b === "all") - Number(a === "all") || a.localeCompare(b));
  const lines = rows.map(
    ([name, { applied, verdicts, stale, falseAlarms, misses, otherwise }]) =>
      `| ${name} | ${name === "all" ? "" : applied} | ${verdicts} | ${stale} | ${falseAlarms} | ${misses} | ${otherwise} |`,
  );
  const head =
    "| Since the summary was written | times | notes looked at | of them due | false alarms | misses | other words |";
  return [head, "|---|---:|---:|---:|---:|---:|---:|", ...lines].join("\n");
}

test(`the notes of ${HISTORIES} replayed histories are true: no false alarm, no miss, no wrong number`, async () => {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < HISTORIES; at = next++) {
      if (ONLY !== undefined && NAMES[(SEED + at) % NAMES.length] !== ONLY) continue;
      try {
        await replayOne(SEED + at);
      } catch (error) {
        throw new Error(`seed ${SEED}, history ${at}`, { cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(6, availableParallelism() + 1) }, work));
  if (IS_LONG) process.stderr.write(`${renderTallies()}\n`);
  expect(failures.slice(0, 3)).toEqual([]);
  expect([...NAMES, "shallow clone", "linked worktree"].filter((name) => !tallies.has(name))).toEqual([]);
  expect(tallyOf("all").verdicts).toBeGreaterThan(HISTORIES * 2);
});
