/** Third part of the page's script: the measured sessions, each conversation's size beside the context that was loaded. */
export const SCRIPT_CHART = String.raw`
const SVG = "http://www.w3.org/2000/svg";
const CHART = { width: 760, height: 300, left: 64, right: 12, top: 14, bottom: 34 };

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** The least of 1, 2 and 5 times a power of ten that four steps of reach as high. */
function stepFor(most) {
  for (let power = 1; ; power *= 10)
    for (const factor of [1, 2, 5]) if (4 * factor * power >= most) return factor * power;
}

function drawSessions() {
  const { sessions, measured } = data;
  const lines = measured.map((line) => el("p", {}, line.trim()));
  const heading = el("h2", { class: "title" }, "Measured sessions");
  if (sessions.length === 0) return [heading, el("div", { class: "empty" }, lines)];
  const caption = el("p", { class: "legend" },
    el("span", { class: "key size" }), "conversation when it ended ",
    el("span", { class: "key peak" }), "the largest it was ",
    el("span", { class: "key loaded" }), "ThreadMind context at the start");
  return [heading, el("div", { class: "lead" }, lines.slice(1)),
    el("figure", {}, drawChart(sessions), caption), drawTable(sessions)];
}

function drawChart(sessions) {
  const { width, height, left, right, top, bottom } = CHART;
  const most = Math.max(1, ...sessions.flatMap(({ size, peak, context }) => [size || 0, peak || 0, context || 0]));
  const step = stepFor(most);
  const ceiling = step * Math.ceil(most / step);
  const y = (tokens) => height - bottom - ((height - bottom - top) * tokens) / ceiling;
  const room = (width - left - right) / Math.max(sessions.length, 8);
  const wide = Math.max(1.5, Math.min(36, room * 0.7));
  const svg = shape("svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-labelledby": "chart-name", class: "chart" },
    titled("Sizes of " + count(sessions.length, "session") + ", at most " + digits(most) + " tokens; the table below has the figures", "chart-name"));
  for (let tick = 0; tick <= ceiling; tick += step) {
    svg.append(shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: tick === 0 ? "axis" : "grid" }),
      shape("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, digits(tick)));
  }
  sessions.forEach(({ size, peak, context, at, client }, index) => {
    const x = left + room * (index + 0.5) - wide / 2;
    const group = shape("g", { class: "session" }, titled([dayOf(at), client, size === undefined ? undefined : "ended at ~" + digits(size) + " tokens",
      context === undefined ? undefined : "started with ~" + digits(context)].filter((part) => part !== undefined).join(", ")));
    if (size !== undefined) group.append(shape("rect", { x, y: y(size), width: wide, height: y(0) - y(size), class: "size" }));
    if (peak !== undefined && peak > (size || 0)) group.append(shape("line", { x1: x, x2: x + wide, y1: y(peak), y2: y(peak), class: "peak" }));
    if (context !== undefined) {
      const high = Math.max(2, y(0) - y(context));
      group.append(shape("rect", { x, y: y(0) - high, width: wide, height: high, class: "loaded" }));
    }
    svg.append(group);
  });
  const ends = [[sessions[0], left, "start"], [sessions.at(-1), left + room * sessions.length, "end"]];
  for (const [{ at }, x, anchor] of sessions.length > 2 ? ends : ends.slice(0, 1))
    svg.append(shape("text", { x, y: height - 10, "text-anchor": anchor }, dayOf(at) || ""));
  return svg;
}

function titled(text, id) {
  return shape("title", id === undefined ? {} : { id }, text);
}

function dayOf(at) {
  return at === undefined ? undefined : at.slice(0, 10);
}

function drawTable(sessions) {
  const cell = (value) => el("td", { class: "number" }, value === undefined ? "\u2013" : "~" + digits(value));
  const rows = sessions.map(({ at, client, context, size, peak }) =>
    el("tr", {}, el("td", {}, when(at) || "\u2013"), el("td", {}, client || "\u2013"), cell(context), cell(size), cell(peak)));
  const names = ["When", "Client", "Context at start", "Size at end", "Largest"];
  return el("details", {}, el("summary", {}, "The figures, in tokens"),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Figures of the sessions" },
      el("table", {}, el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows))));
}
`;
