import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { listScenarios, runScenario } from "./support/scenario.ts";

const scenarios = listScenarios();

test("scenarios exist and each has a sentence of its own", () => {
  expect(scenarios.length).toBeGreaterThan(0);
  expect(scenarios.map(({ title }) => title)).toEqual([...new Set(scenarios.map(({ title }) => title))]);
});

// All start at once and queue here, so a scenario's time limit covers the whole queue.
const TIME_LIMIT_MS = 30 * 60_000;
let free = availableParallelism();
const waiting: (() => void)[] = [];

async function inTurn(play: () => Promise<void>): Promise<void> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    await play();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }
}

for (const { file, title } of scenarios) {
  test.concurrent(title, () => inTurn(() => runScenario(file)), TIME_LIMIT_MS);
}
