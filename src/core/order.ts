/** Orders texts by their UTF-16 units; ISO 8601 dates by time. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
