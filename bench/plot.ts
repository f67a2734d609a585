/** Costs against one size, each command a line of points: size, and cost as a multiple of an empty program. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
}

const [WIDTH, HEIGHT, COLUMNS] = [300, 220, 3];
const MARGIN = { left: 44, right: 12, top: 34, bottom: 30 };
const LEGEND = 30;

const COLORS: Readonly<Record<string, string>> = {
  context: "a",
  "context, first count": "g",
  tree: "b",
  search: "c",
  "start → context": "d",
  "session-start": "e",
  "session-end": "f",
};

const STYLE = `
    text { font: 11px system-ui, sans-serif; fill: #333 }
    .title { font-weight: 600 } .tick { font-size: 10px; fill: #666 }
    .back { fill: #fff } .grid { stroke: #ddd } .guide { stroke: #999; stroke-dasharray: 3 4 }
    .line { fill: none; stroke-width: 2 }
    .a { stroke: #0b62c4; color: #0b62c4 } .b { stroke: #a15c00; color: #a15c00 } .c { stroke: #0c7a43; color: #0c7a43 }
    .d { stroke: #8a2be2; color: #8a2be2 } .e { stroke: #c2185b; color: #c2185b } .f { stroke: #555; color: #555 }
    .g { stroke: #008b9c; color: #008b9c }
    circle { fill: currentColor; stroke: none }
    @media (prefers-color-scheme: dark) {
      text { fill: #ddd } .tick { fill: #aaa } .back { fill: #14171c } .grid { stroke: #333a44 } .guide { stroke: #77808c }
      .a { stroke: #6bb0ff; color: #6bb0ff } .b { stroke: #f0a94a; color: #f0a94a } .c { stroke: #5fd394; color: #5fd394 }
      .d { stroke: #c39bff; color: #c39bff } .e { stroke: #ff7fae; color: #ff7fae } .f { stroke: #bbb; color: #bbb }
      .g { stroke: #4fd0e0; color: #4fd0e0 }
    }`;

/** Draws all panels as one SVG, both axes logarithmic; a dashed line shows what grows linearly. */
export function renderPlot(panels: readonly Panel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [WIDTH * COLUMNS + MARGIN.right, HEIGHT * rows + LEGEND];
  const drawn = panels.map((panel, at) => {
    const [x, y] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${renderPanel(panel)}\n</g>`;
  });
  const used = Object.entries(COLORS).filter(([name]) =>
    panels.some(({ lines }) => lines.some((each) => each.name === name)),
  );
  const legend = used.map(([name, color], at) => {
    const x = MARGIN.left + at * 122;
    return `<g class="${color}"><path class="line" d="M${x} ${height - 16}h18"/><circle cx="${x + 9}" cy="${height - 16}" r="3"/></g><text x="${x + 24}" y="${height - 12}">${name}</text>`;
  });
  const label = "Cost of ThreadMind's commands against sizes, as multiples of an empty compiled Bun program";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<style>${STYLE}
</style>
<rect class="back" width="${width}" height="${height}"/>
${drawn.join("\n")}
${legend.join("\n")}
</svg>
`;
}

function renderPanel({ title, lines }: Panel): string {
  const points = lines.flatMap((line) => line.points);
  const sizes = points.map(([size]) => size);
  const costs = points.map(([, cost]) => cost);
  const x = scaleOf(Math.min(...sizes), Math.max(...sizes), MARGIN.left, WIDTH - MARGIN.right);
  const [low, high] = [1, 10 ** Math.ceil(Math.log10(Math.max(...costs)) + 0.001)];
  const y = scaleOf(low, high, HEIGHT - MARGIN.bottom, MARGIN.top);
  const parts = [`<text class="title" x="${MARGIN.left}" y="18">${title}</text>`];
  for (const cost of powersBetween(low, high)) {
    parts.push(`<path class="grid" d="M${MARGIN.left} ${y(cost)}H${WIDTH - MARGIN.right}"/>`);
    parts.push(
      `<text class="tick" x="${MARGIN.left - 6}" y="${y(cost) + 4}" text-anchor="end">${short(cost)} ×</text>`,
    );
  }
  for (const size of ticksOf(sizes)) {
    parts.push(`<text class="tick" x="${x(size)}" y="${HEIGHT - 12}" text-anchor="middle">${short(size)}</text>`);
  }
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const reach = Math.min(most, (least * high) / low);
  parts.push(`<path class="guide" d="M${x(least)} ${y(low)}L${x(reach)} ${y((low * reach) / least)}"/>`);
  for (const line of lines) {
    const path = line.points.map(([size, cost], at) => `${at === 0 ? "M" : "L"}${x(size)} ${y(cost)}`).join("");
    const dots = line.points.map(([size, cost]) => `<circle cx="${x(size)}" cy="${y(cost)}" r="3"/>`).join("");
    parts.push(`<g class="${COLORS[line.name] ?? "f"}"><path class="line" d="${path}"/>${dots}</g>`);
  }
  return parts.join("\n");
}

function scaleOf(low: number, high: number, from: number, to: number): (value: number) => number {
  const [start, end] = [Math.log10(low), Math.log10(high)];
  return (value) => Math.round((from + ((Math.log10(value) - start) / (end - start)) * (to - from)) * 10) / 10;
}

function powersBetween(low: number, high: number): readonly number[] {
  const first = Math.ceil(Math.log10(low) - 0.001);
  const last = Math.floor(Math.log10(high) + 0.001);
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}

function ticksOf(sizes: readonly number[]): readonly number[] {
  const all = [...new Set(sizes)].toSorted((a, b) => a - b);
  return all.length <= 4 ? all : all.filter((_, at) => at % 2 === 0 || at === all.length - 1);
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1000 ? `${value / 1000} k` : String(value);
}
