/** Random numbers that are the same in every run: `next(n)` is an integer below `n`. */
export interface Seeded {
  next(below: number): number;
  pick<T>(items: readonly T[]): T;
}

/** A generator of random numbers from a seed (mulberry32). */
export function seeded(seed: number): Seeded {
  let state = seed;
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[next(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  return { next, pick };
}
