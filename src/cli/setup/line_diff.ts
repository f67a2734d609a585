const WIDTH = 160;
const MAX_CELLS = 4_000_000;

/** The lines that differ, as `- ` and `+ ` under their line number; no unchanged line, which might hold a secret. */
export function renderDiff(before: string, after: string): readonly string[] {
  const [old, fresh] = [split(before), split(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  return render(old.slice(start, old.length - tail), fresh.slice(start, fresh.length - tail), start);
}

function split(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function render(old: readonly string[], fresh: readonly string[], start: number): string[] {
  const common = old.length * fresh.length > MAX_CELLS ? () => 0 : commonLengths(old, fresh);
  const lines: string[] = [];
  let isOpen = false;
  const put = (mark: string, text: string, other: string | undefined, at: number): void => {
    if (!isOpen) lines.push(`  line ${start + at + 1}:`);
    isOpen = true;
    lines.push(`  ${mark} ${clip(text, other)}`);
  };
  for (let [a, b] = [0, 0]; a < old.length || b < fresh.length; ) {
    if (a < old.length && b < fresh.length && old[a] === fresh[b]) {
      isOpen = false;
      a++;
      b++;
    } else if (b >= fresh.length || (a < old.length && common(a + 1, b) >= common(a, b + 1))) {
      put("-", old[a] ?? "", fresh[b], b);
      a++;
    } else {
      put("+", fresh[b] ?? "", old[a - 1], b);
      b++;
    }
  }
  return lines;
}

/** How many lines the remainders from two positions have in common. */
function commonLengths(old: readonly string[], fresh: readonly string[]): (a: number, b: number) => number {
  const width = fresh.length + 1;
  const cells = new Uint32Array((old.length + 1) * width);
  const at = (a: number, b: number): number => cells[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = fresh.length - 1; b >= 0; b--)
      cells[a * width + b] = old[a] === fresh[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
  return at;
}

/** A long line from a little before where it differs. */
function clip(text: string, other: string | undefined): string {
  if (text.length <= WIDTH) return text;
  let start = 0;
  while (other !== undefined && start < other.length && text[start] === other[start]) start++;
  const from = other === undefined || start < WIDTH / 2 ? 0 : start - 8;
  return `${from > 0 ? "…" : ""}${text.slice(from, from + WIDTH)}${from + WIDTH < text.length ? "…" : ""}`;
}
