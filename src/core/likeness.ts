/** How much of the shorter text's words the other has, from 0 to 1. */
export function likenessOf(one: string, other: string): number {
  const [left, right] = [wordsOf(one), wordsOf(other)];
  const least = Math.min(left.size, right.size);
  if (least === 0) return 0;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared++;
  return shared / least;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
