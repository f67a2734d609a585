/** The lines of `expected` and `actual` as `- `, `+ ` and `  `, or an empty text when they are equal. */
export function renderDifference(expected: readonly string[], actual: readonly string[]): string {
  if (expected.length === actual.length && expected.every((line, at) => line === actual[at])) return "";
  const common = commonLengths(expected, actual);
  const lines: string[] = [];
  let [e, a] = [0, 0];
  while (e < expected.length || a < actual.length) {
    if (e < expected.length && a < actual.length && expected[e] === actual[a]) {
      lines.push(`  ${expected[e]}`);
      e++;
      a++;
    } else if (a >= actual.length || (e < expected.length && at(common, e + 1, a) >= at(common, e, a + 1))) {
      lines.push(`- ${expected[e++]}`);
    } else {
      lines.push(`+ ${actual[a++]}`);
    }
  }
  return lines.join("\n");
}

/** For each pair of positions, how many lines the two remainders have in common. */
function commonLengths(expected: readonly string[], actual: readonly string[]): number[][] {
  const table = expected.map(() => actual.map(() => 0));
  for (let e = expected.length - 1; e >= 0; e--) {
    const row = table[e] ?? [];
    for (let a = actual.length - 1; a >= 0; a--) {
      row[a] =
        expected[e] === actual[a] ? at(table, e + 1, a + 1) + 1 : Math.max(at(table, e + 1, a), at(table, e, a + 1));
    }
  }
  return table;
}

function at(table: readonly (readonly number[])[], e: number, a: number): number {
  return table[e]?.[a] ?? 0;
}
