/** A row of the figures that are to be reached, with what was measured. */
export interface Reach {
  readonly what: string;
  readonly reach: string;
  readonly measured: string;
  /** `"limit"` where the median and the quietest moments disagree, `undefined` when another check measures it */
  readonly isReached: boolean | "limit" | undefined;
}

/** The row's answer in a word. */
export function verdictOf({ isReached }: Reach): string {
  if (isReached === "limit") return "at the limit";
  return isReached === undefined ? "not measured" : isReached ? "reached" : "**not reached**";
}

/** Judges a figure by its median, and by the quietest moments of a machine that others use too. */
export function judge(median: number, least: number, most: number): boolean | "limit" {
  return median <= most === least <= most ? median <= most : "limit";
}
