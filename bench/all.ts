// Measures ThreadMind next to an empty program, git and peers, and prints tables: `bun run bench [--long] [--rounds N]`.
// A short run takes a few minutes; a long one has the largest sizes too, and draws docs/images/scale.svg.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installPeers } from "./peers.ts";
import { renderPlot } from "./plot.ts";
import { countProcesses } from "./processes.ts";
import { type Reach, verdictOf } from "./reach.ts";
import { renderTable } from "./rounds.ts";
import { measureScale } from "./scale.ts";
import { measureStarts } from "./start.ts";
import { describeMachine, FOLDER, TOP } from "./support.ts";
import { withWorld } from "./world.ts";

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    rounds: { type: "string", default: "15" },
    only: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const isWanted = (part: string): boolean => values.only === undefined || values.only === part;
const reaches: Reach[] = [];
const started = performance.now();

console.log(
  `Machine: ${describeMachine()}.\n${rounds} rounds, in each of which all ran in turn; ratios are medians of a round's own.\n`,
);
installPeers();
await withWorld(async (world) => {
  if (isWanted("start")) {
    const part = await measureStarts(world, rounds);
    console.log(`${part.tables}\n`);
    reaches.push(...part.reaches);
    console.log(`${countProcesses(world)}\n`);
  }
  if (isWanted("scale")) {
    const scale = await measureScale(world, Math.max(3, Math.ceil(rounds / 3)), values.long);
    console.log(`${scale.tables}\n`);
    reaches.push(...scale.reaches);
    const folder = values.long ? join(TOP, "docs/images") : FOLDER;
    mkdirSync(folder, { recursive: true });
    await Bun.write(join(folder, "scale.svg"), renderPlot(scale.panels));
  }
});
const rows = reaches.map((reach) => [reach.what, reach.reach, reach.measured, verdictOf(reach)]);
console.log(renderTable(["What", "Reach", "Measured", "Verdict"], rows));
console.log(`\n${Math.round((performance.now() - started) / 1000)} s`);
