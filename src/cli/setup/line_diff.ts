const WIDTH = 160;
const MAX_SHOWN = 2000;
const MAX_CELLS = 4_000_000;
const MAX_STEPS = 200;

/** A step from one list to another: an item that both have, or that only the old or the new one has. */
interface Step {
  readonly kind: "same" | "old" | "new";
  readonly text: string;
  /** its place in its own list, from 0 */
  readonly at: number;
}

/** The lines that differ, as `- ` with the old file's line number and `+ ` with the new one's; no unchanged line, which might hold a secret. */
export function renderDiff(before: string, after: string): readonly string[] {
  const steps = compare(split(before), split(after));
  const width = String(Math.max(0, ...steps.filter(({ kind }) => kind !== "same").map(({ at }) => at + 1))).length;
  const lines: string[] = [];
  for (let from = 0; from < steps.length; ) {
    if (steps[from]?.kind === "same") {
      from++;
      continue;
    }
    let to = from;
    while (to < steps.length && steps[to]?.kind !== "same") to++;
    const [old, fresh] = (["old", "new"] as const).map((kind) =>
      steps.slice(from, to).filter((step) => step.kind === kind),
    );
    const show = (mark: string, { text, at }: Step, other: Step | undefined): void => {
      const shown = text.length <= WIDTH ? text : shorten(other?.text ?? "", text);
      if (shown !== "") lines.push(`  ${String(at + 1).padStart(width)} ${mark} ${shown}`);
    };
    for (const [index, step] of (old ?? []).entries()) show("-", step, fresh?.[index]);
    for (const [index, step] of (fresh ?? []).entries()) show("+", step, old?.[index]);
    from = to;
  }
  return lines;
}

function split(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function compare(old: readonly string[], fresh: readonly string[]): readonly Step[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  const same = { kind: "same", text: "…", at: 0 } as const;
  const middle = walk(old.slice(start, old.length - tail), fresh.slice(start, fresh.length - tail), start);
  return [...(start > 0 ? [same] : []), ...middle, ...(tail > 0 ? [same] : [])];
}

function walk(old: readonly string[], fresh: readonly string[], start: number): Step[] {
  const isLarge = old.length * fresh.length > MAX_CELLS;
  const common = isLarge ? distances(old, fresh) : commonLengths(old, fresh);
  const steps: Step[] = [];
  for (let [a, b] = [0, 0]; a < old.length || b < fresh.length; ) {
    if (a < old.length && b < fresh.length && old[a] === fresh[b]) {
      steps.push({ kind: "same", text: old[a] ?? "", at: start + a });
      a++;
      b++;
    } else if (b >= fresh.length || (a < old.length && common(a + 1, b) >= common(a, b + 1))) {
      steps.push({ kind: "old", text: old[a] ?? "", at: start + a });
      a++;
    } else {
      steps.push({ kind: "new", text: fresh[b] ?? "", at: start + b });
      b++;
    }
  }
  return steps;
}

/** The same for texts too large for a table: which list to pass over to come soonest to what both have. */
function distances(old: readonly string[], fresh: readonly string[]): (a: number, b: number) => number {
  const stepsFrom = (a: number, b: number): number => {
    for (let steps = 0; steps < MAX_STEPS; steps++)
      for (let i = 0; i <= steps; i++) {
        const [one, other] = [old[a + i], fresh[b + steps - i]];
        if (one !== undefined && one === other) return steps;
      }
    return MAX_STEPS;
  };
  return (a, b) => -stepsFrom(a, b);
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

/** What a long line has that the other hasn't, with `…` for the rest; nothing if that is nothing. */
function shorten(other: string, text: string): string {
  const steps = compare(pieces(other), pieces(text)).filter(({ kind }) => kind !== "old");
  if (steps.every(({ kind }) => kind === "same")) return "";
  const runs: { readonly kind: Step["kind"]; text: string }[] = [];
  for (const { kind, text: piece } of steps) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += piece;
    else runs.push({ kind, text: piece });
  }
  // Brackets between two changes are shown, so that what belongs together isn't torn apart.
  const shown = runs
    .map(({ kind, text: run }, at) => {
      const isBetween = at > 0 && at < runs.length - 1 && /^[\s{}[\],]*$/.test(run);
      return kind === "new" || isBetween ? run : "…";
    })
    .join("");
  return shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN)}…`;
}

/** A line in pieces that end with a bracket or a comma. */
function pieces(line: string): string[] {
  return line.split(/(?<=[{}[\]])|(?=[}\]])|(?<=,\s*)(?=\S)/);
}
