const MOST_CELLS = 4_000_000;

/**
 * A longest common subsequence: for each item of `one` the index of its match in `other`, or -1. Above four million pairs
 * only items that are unique on both sides are matched, in order.
 */
export function matchSequences(one: readonly string[], other: readonly string[]): readonly number[] {
  const matches = new Array<number>(one.length).fill(-1);
  let from = 0;
  while (from < one.length && from < other.length && one[from] === other[from]) matches[from] = from++;
  let end = 0;
  while (
    end < one.length - from &&
    end < other.length - from &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  ) {
    matches[one.length - 1 - end] = other.length - 1 - end;
    end++;
  }
  const [left, right] = [one.slice(from, one.length - end), other.slice(from, other.length - end)];
  const inner = left.length * right.length > MOST_CELLS ? matchUnique(left, right) : matchAll(left, right);
  for (const [index, match] of inner.entries()) if (match >= 0) matches[from + index] = from + match;
  return matches;
}

function matchAll(one: readonly string[], other: readonly string[]): readonly number[] {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const isSame = one[i] === other[j];
      const below = lengths[(i + 1) * width + j] ?? 0;
      const right = lengths[i * width + j + 1] ?? 0;
      const both = (lengths[(i + 1) * width + j + 1] ?? 0) + 1;
      lengths[i * width + j] = isSame ? both : Math.max(below, right);
    }
  }
  const matches = new Array<number>(one.length).fill(-1);
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) matches[i++] = j++;
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return matches;
}

function matchUnique(one: readonly string[], other: readonly string[]): readonly number[] {
  const places = uniquePlaces(other);
  const own = uniquePlaces(one);
  let last = -1;
  return one.map((item, index) => {
    const place = own.get(item) === index ? places.get(item) : undefined;
    if (place === undefined || place <= last) return -1;
    last = place;
    return place;
  });
}

function uniquePlaces(items: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const twice = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (places.has(item)) twice.add(item);
    places.set(item, index);
  }
  for (const item of twice) places.delete(item);
  return places;
}
