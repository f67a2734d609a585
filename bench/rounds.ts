import { median } from "./support.ts";

/** One thing to measure, which gives one figure or several each time: `spawn` → ms, … */
export interface Case {
  readonly name: string;
  run(): Figures | Promise<Figures>;
}

/** Figures by what they measure; a single one is called `ms`. */
export type Figures = Readonly<Record<string, number>>;

/** All figures of a run, by case and figure, one for each round. */
export interface Measured {
  /** the median */
  of(name: string, figure?: string): number;
  /** the least: what a quiet machine would give */
  least(name: string, figure?: string): number;
  /** the median of what `how` makes of a round's figures */
  each(how: (figure: (name: string, figure?: string) => number) => number): number;
  /** the median of a round's ratios */
  ratio(name: string, base: string, figure?: string): number;
  has(name: string, figure?: string): boolean;
}

/**
 * Runs all cases in turn, so that what slows the machine slows all. Each round begins with another one; the first isn't
 * counted.
 */
export async function measure(cases: readonly Case[], rounds: number): Promise<Measured> {
  const found: Map<string, number>[] = [];
  for (let round = -1; round < rounds; round++) {
    const figures = new Map<string, number>();
    for (let at = 0; at < cases.length; at++) {
      const each = cases[(at + round + 1) % cases.length];
      if (each === undefined) continue;
      for (const [figure, value] of Object.entries(await each.run())) figures.set(keyOf(each.name, figure), value);
    }
    if (round >= 0) found.push(figures);
  }
  const each: Measured["each"] = (how) =>
    median(found.map((round) => how((name, figure) => round.get(keyOf(name, figure)) ?? Number.NaN)));
  return {
    each,
    of: (name, figure) => each((value) => value(name, figure)),
    least: (name, figure) => Math.min(...found.map((round) => round.get(keyOf(name, figure)) ?? Number.NaN)),
    ratio: (name, base, figure) => each((value) => value(name, figure) / value(base)),
    has: (name, figure) => found[0]?.has(keyOf(name, figure)) === true,
  };
}

const keyOf = (name: string, figure = "ms"): string => `${name}\n${figure}`;

/** A table in Markdown. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** Milliseconds as text. */
export function ms(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

/** A ratio as text. */
export function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}
