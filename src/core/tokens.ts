const UNITS_PER_TOKEN = 3.5;

/** Estimated tokens of a text of `units` UTF-16 units. */
export function estimateTokens(units: number): number {
  return Math.ceil(units / UNITS_PER_TOKEN);
}

/** The most UTF-16 units that are still estimated as at most `tokens`. */
export function unitsFor(tokens: number): number {
  return Math.floor(tokens * UNITS_PER_TOKEN);
}

/** The most tokens that a text of `units` UTF-16 units is estimated as, without going over it. */
export function tokensIn(units: number): number {
  return Math.floor(units / UNITS_PER_TOKEN);
}

/** A whole number with its thousands grouped: `1,150`. */
export function groupDigits(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 thread`, `2 threads`. */
export function countOf(value: number, noun: string): string {
  return `${groupDigits(value)} ${noun}${value === 1 ? "" : "s"}`;
}
