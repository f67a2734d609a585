import { join } from "node:path";
import { timeStart } from "./mcp_start.ts";
import type { Panel } from "./plot.ts";
import { judge, type Reach } from "./reach.ts";
import { type Case, type Measured, measure, ms, renderTable, times } from "./rounds.ts";
import { writeClaudeTranscript } from "./transcripts.ts";
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

/** One thing that grows, and what is done at each of its sizes. */
interface Dimension {
  readonly title: string;
  readonly sizes: readonly number[];
  /** makes what has this size, and says what to measure there: a case's name is the command's */
  open(world: World, size: number): { readonly workspace: Workspace; readonly cases: readonly Case[] };
}

/** What the second part found. */
export interface Scale {
  readonly tables: string;
  readonly panels: readonly Panel[];
  readonly reaches: readonly Reach[];
}

const SMALL = { commits: 200, files: 200 };
const CHAIN = { threads: 10, chain: 4, paths: [["src/1"], ["src/2"], ["src/3"], ["src/4"]] };

/** The sizes of a short run, and of a long one. */
function dimensionsOf(isLong: boolean): readonly Dimension[] {
  const or = (short: readonly number[], long: readonly number[]): readonly number[] => (isLong ? long : short);
  return [
    {
      title: "threads in the project",
      sizes: or([10, 1000, 10_000], [10, 100, 1000, 10_000]),
      open(world, threads) {
        const workspace = makeWorkspace(world, `threads-${threads}`, SMALL, { ...CHAIN, threads });
        const transcript = writeClaudeTranscript(join(world.folder, `threads-${threads}.jsonl`), 1);
        const cases = [
          verbCase(world, workspace, "context", "context"),
          verbCase(world, workspace, "tree", "tree"),
          verbCase(world, workspace, "search", "search", "decision cookie"),
          { name: "start → context", run: async () => ({ ms: (await timeStart(serverIn(world, workspace))).context }) },
          hookCase(world, workspace, "session-start", "session-start"),
          hookCase(world, workspace, "session-end", "session-end", transcript),
        ];
        return { workspace, cases };
      },
    },
    {
      title: "levels of the chain",
      sizes: or([1, 10, 50], [1, 2, 4, 10, 25, 50]),
      open(world, chain) {
        const workspace = makeWorkspace(world, `chain-${chain}`, SMALL, { ...CHAIN, threads: chain, chain });
        const cases = [
          verbCase(world, workspace, "context", "context"),
          hookCase(world, workspace, "session-start", "session-start"),
        ];
        return { workspace, cases };
      },
    },
    {
      title: "commits, one summary of four stale",
      sizes: or([200, 2000, 20_000], [200, 2000, 20_000, 200_000]),
      open(world, commits) {
        const workspace = makeWorkspace(world, `commits-${commits}`, { commits, files: 500 }, CHAIN);
        makeLastStale(workspace, 1, [Math.floor(commits / 2)]);
        const context = verbCase(world, workspace, "context", "context");
        const cases = [
          context,
          firstTime(workspace, "context, first count", context),
          hookCase(world, workspace, "session-start", "session-start"),
        ];
        return { workspace, cases };
      },
    },
    {
      title: "files under one path",
      sizes: or([500, 5000, 50_000], [500, 5000, 50_000]),
      open(world, files) {
        const workspace = makeWorkspace(world, `files-${files}`, { commits: 2, files }, { ...CHAIN, paths: [["src"]] });
        return { workspace, cases: [verbCase(world, workspace, "context", "context")] };
      },
    },
    {
      title: "bytes of each of four summaries",
      sizes: or([1000, 100_000, 1_000_000], [1000, 10_000, 100_000, 1_000_000]),
      open(world, summaryBytes) {
        const workspace = makeWorkspace(world, `summary-${summaryBytes}`, SMALL, { ...CHAIN, summaryBytes });
        const cases = [
          verbCase(world, workspace, "context", "context"),
          verbCase(world, workspace, "search", "search", "decision cookie"),
          hookCase(world, workspace, "session-start", "session-start"),
        ];
        return { workspace, cases };
      },
    },
    {
      title: "branches",
      sizes: or([10, 100, 1000], [10, 100, 1000]),
      open(world, branches) {
        const workspace = makeWorkspace(world, `branches-${branches}`, { ...SMALL, branches }, CHAIN);
        const cases = [
          verbCase(world, workspace, "context", "context"),
          hookCase(world, workspace, "session-start", "session-start"),
          { name: "start → context", run: async () => ({ ms: (await timeStart(serverIn(world, workspace))).context }) },
        ];
        return { workspace, cases };
      },
    },
    {
      title: "megabytes of transcript",
      sizes: or([1, 10, 100], [1, 10, 100, 500]),
      open(world, megabytes) {
        const workspace = makeWorkspace(world, `transcript-${megabytes}`, SMALL, CHAIN);
        const transcript = writeClaudeTranscript(join(world.folder, `transcript-${megabytes}.jsonl`), megabytes);
        return { workspace, cases: [hookCase(world, workspace, "session-end", "session-end", transcript)] };
      },
    },
  ];
}

/** Measures how the cost of commands grows with the size of what they work on. */
export async function measureScale(world: World, rounds: number, isLong: boolean): Promise<Scale> {
  const panels: Panel[] = [];
  const tables: string[] = [];
  const reaches: Reach[] = [];
  for (const dimension of dimensionsOf(isLong)) {
    const opened = dimension.sizes.map((size) => ({ size, ...dimension.open(world, size) }));
    await settle(
      world,
      opened.map(({ workspace }) => workspace),
    );
    const cases = opened.flatMap((each) => each.cases.map(({ name, run }) => ({ name: `${name} ${each.size}`, run })));
    const measured = await measure([emptyCase(world), ...cases], rounds);
    const names = opened[0]?.cases.map(({ name }) => name) ?? [];
    const lines = names.map((name) => ({
      name,
      points: dimension.sizes.map((size) => [size, measured.ratio(`${name} ${size}`, "empty")] as const),
    }));
    panels.push({ title: dimension.title, lines });
    tables.push(renderDimension(dimension, names, measured));
    reaches.push(growthReach(dimension, names, measured));
    if (dimension.title === "threads in the project") reaches.push(...threadReaches(measured));
  }
  return { panels, tables: tables.join("\n\n"), reaches };
}

function renderDimension({ title, sizes }: Dimension, names: readonly string[], measured: Measured): string {
  const rows = names.map((name) => [
    `\`${name.replace(/,|$/, "`$&")}`,
    ...sizes.map(
      (size) => `${ms(measured.of(`${name} ${size}`))} (${times(measured.ratio(`${name} ${size}`, "empty"))})`,
    ),
    growthOf(sizes, name, measured).toFixed(2),
  ]);
  const head = [title[0]?.toUpperCase() + title.slice(1), ...sizes.map((size) => size.toLocaleString("en")), "growth"];
  return renderTable(head, rows);
}

/** The exponent with which a cost grows from the last size but one to the last: 1 is linearly. */
function growthOf(sizes: readonly number[], name: string, measured: Measured): number {
  const [before = 1, last = 1] = sizes.slice(-2);
  return Math.log(measured.ratio(`${name} ${last}`, `${name} ${before}`)) / Math.log(last / before);
}

/** What is added by noise. */
const LINEAR = 1.1;

function growthReach(dimension: Dimension, names: readonly string[], measured: Measured): Reach {
  const most = Math.max(...names.map((name) => growthOf(dimension.sizes, name, measured)));
  const last = dimension.sizes.at(-1)?.toLocaleString("en");
  return {
    what: `growth with ${dimension.title}, up to ${last}`,
    reach: "at most linear",
    measured: `size to the power of ${most.toFixed(2)}`,
    isReached: most <= LINEAR,
  };
}

function threadReaches(measured: Measured): Reach[] {
  const rows: readonly (readonly [size: number, most: number])[] = [
    [1000, 1.5],
    [10_000, 2.5],
  ];
  const contexts = rows.map(([size, most]) => {
    const ratio = measured.ratio(`context ${size}`, "context 10");
    const least = measured.least(`context ${size}`) / measured.least("context 10");
    const cpu = measured.each((of) => of(`context ${size}`, "cpu") / of("context 10", "cpu"));
    return {
      what: `context with ${size.toLocaleString("en")} threads`,
      reach: `≤ ${most} × with 10`,
      measured: `${times(ratio)} (least times ${times(least)}, processor time ${times(cpu)})`,
      isReached: judge(ratio, least, most),
    };
  });
  const readers = ["tree", "search"].map((name) => {
    const taken = measured.of(`${name} 10000`);
    return {
      what: `\`${name}\` with 10,000 threads`,
      reach: "≤ 1 s",
      measured: ms(taken),
      isReached: taken <= 1000,
    };
  });
  return [...contexts, ...readers];
}
