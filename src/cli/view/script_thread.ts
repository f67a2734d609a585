/** First part of the page's script: small helpers, a context from its parts, and the panel that shows a thread. */
export const SCRIPT_THREAD = String.raw`
const data = JSON.parse(document.getElementById("data").textContent);
const NOUNS = { open: "open", done: "done", abandoned: "abandoned", unreadable: "can't be read" };
const state = { project: data.open.project, thread: data.open.thread, view: "thread", tab: "summary" };
const page = {};

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== undefined && child !== null) made.append(child);
  return made;
}

const digits = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const count = (value, noun) => digits(value) + " " + noun + (value === 1 ? "" : "s");
const hidden = (text) => el("span", { class: "vh" }, text);
const glyph = (name, text) => el("span", { class: name, "aria-hidden": "true" }, text);
const project = () => data.projects[state.project];
const isWarning = (note) => note !== undefined && note.startsWith("\u26a0");

/** A date and time as the files have it, to the minute; anything else as it stands. */
function when(text) {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::[\d.]+)?Z$/.exec(text || "");
  return found === null ? text : found[1] + " " + found[2] + " UTC";
}

/** The text that descendants of a thread get. */
const handedDown = (thread) => (thread.inherited === true ? thread.text : thread.inherited);

/** A thread's context, to the letter what "threadmind context ID" prints. */
function assemble(owner, thread) {
  const recipe = thread.context;
  const above = recipe.ancestors.map((at) => owner.threads[at]);
  const parts = [
    ...(owner.system === "" ? [] : ["## System Context\n\n" + owner.system]),
    ...above.map((each) => each.head + "\n\n" + handedDown(each)),
    (thread.lastHead || thread.head) + "\n\n" + thread.text,
  ];
  const notices = recipe.notices.map((at) => owner.lines[at]).join("\n");
  const footer = recipe.footer.map((at) => owner.lines[at]).join("\n");
  return (notices === "" ? "" : notices + "\n\n") + parts.join("\n\n---\n\n") + "\n\n---\n" + footer + "\n";
}

/** What each part of a context takes, the farthest first. */
function sharesOf(owner, thread) {
  const above = thread.context.ancestors.map((at) => {
    const each = owner.threads[at];
    return { name: each.id, at, tokens: each.inherited === true ? each.tokens : each.inheritedTokens };
  });
  return [
    ...(owner.system === "" ? [] : [{ name: "system context", tokens: owner.systemTokens }]),
    ...above,
    { name: thread.id, tokens: thread.tokens },
  ];
}

function drawInline(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [name, ...rest] = node;
  if (name !== "a") return el({ b: "strong", i: "em", s: "s", code: "code" }[name], {}, rest.map(drawInline));
  const [address, ...label] = rest;
  if (!/^(https?:\/\/|mailto:)/i.test(address)) return el("span", {}, label.map(drawInline));
  return el("a", { href: address, title: address, rel: "noopener noreferrer", target: "_blank" }, label.map(drawInline));
}

function drawGrid(alignments, rows) {
  const draw = (tag) => (cell, at) => el(tag, { class: alignments[at] || undefined, scope: tag === "th" ? "col" : undefined }, cell.map(drawInline));
  const [head, ...others] = rows;
  return el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, head.map(draw("th")))),
    el("tbody", {}, others.map((row) => el("tr", {}, row.map(draw("td")))))));
}

function drawBlock(node) {
  if (typeof node === "string") return drawInline(node);
  const [name, first, ...rest] = node;
  const all = node.slice(1);
  if (name === "h") return el("h" + Math.min(6, Math.max(3, first + 1)), {}, rest.map(drawInline));
  if (name === "pre") return el("pre", { class: "code", tabindex: "0" }, first);
  if (name === "html") return el("p", { class: "raw" }, first);
  if (name === "table") return drawGrid(first, rest);
  if (name === "hr") return el("hr", {});
  if (name === "ol") return el("ol", { start: first === 1 ? undefined : first }, rest.map(drawBlock));
  if (name === "quote") return el("blockquote", {}, all.map(drawBlock));
  if (name === "ul" || name === "li" || name === "p") return el(name, {}, all.map(drawBlock));
  return drawInline(node);
}

function linkTo(at, text, attributes) {
  const follows = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(state.project, at);
  };
  return el("a", { href: addressOf(state.project, at), on: { click: follows }, ...attributes }, text);
}

function parentOf(at) {
  const { threads } = project();
  const { level } = threads[at];
  for (let up = at - 1; level > 1 && up >= 0; up--) if (threads[up].level < level) return up;
  return -1;
}

function drawSummary(thread) {
  if (thread.problem !== undefined) return el("p", { class: "note warn" }, thread.problem);
  if (thread.isEmpty) {
    return el("div", { class: "empty" }, el("p", {}, "No summary yet."),
      el("p", {}, "A session writes one with summary_update, or you do: ", el("code", {}, "threadmind summary " + thread.id + " < FILE")));
  }
  if (thread.nodes === undefined) return el("pre", { class: "text", tabindex: "0" }, thread.text);
  return el("div", { class: "prose" }, thread.nodes.map(drawBlock));
}

function drawContext(thread) {
  if (thread.context.error !== undefined) return el("p", { class: "note warn error" }, thread.context.error);
  const owner = project();
  const shares = sharesOf(owner, thread);
  const sum = Math.max(1, shares.reduce((all, { tokens }) => all + tokens, 0));
  const bar = el("div", { class: "bar", "aria-hidden": "true" });
  const rows = shares.map(({ name, at, tokens }, index) => {
    const percent = Math.round((100 * tokens) / sum);
    const kind = index === shares.length - 1 ? "own" : at === undefined ? "system" : "kin";
    const piece = el("span", { class: "piece " + kind });
    piece.style.flexGrow = String(tokens);
    bar.append(piece);
    const fill = el("span", { class: "fill " + kind });
    fill.style.width = (100 * tokens) / sum + "%";
    const label = at === undefined ? el("span", { class: "part" }, name) : linkTo(at, name, { class: "part" });
    return el("li", {}, label, el("span", { class: "track", "aria-hidden": "true" }, fill),
      el("span", { class: "tokens" }, "~" + digits(tokens) + " tokens (" + percent + " %)"));
  });
  const copy = el("button", { type: "button", class: "quiet" }, "Copy");
  const text = el("pre", { class: "text context", tabindex: "0", "aria-label": "Context of " + thread.title });
  text.textContent = assemble(owner, thread);
  copy.addEventListener("click", () => copyText(text, copy));
  return el("div", {},
    el("p", { class: "lead" }, "What a model is given when a session starts on this thread: ~" + digits(thread.context.tokens) +
      " tokens, estimated at 3.5 characters a token."),
    bar, el("ul", { class: rows.length > 10 ? "shares long" : "shares" }, rows),
    el("div", { class: "above" }, el("h3", {}, "As the model gets it"), copy), text);
}

/** Copies where the browser lets a page do that, and else selects the text for the person. */
function copyText(from, button) {
  const select = () => {
    getSelection().selectAllChildren(from);
    button.textContent = "Selected";
  };
  if (navigator.clipboard === undefined) return select();
  navigator.clipboard.writeText(from.textContent).then(() => { button.textContent = "Copied"; }, select);
}

function drawFacts(thread, at) {
  const rows = [];
  const add = (name, ...value) => rows.push(el("dt", {}, name), el("dd", {}, ...value));
  const { threads } = project();
  add("Id", el("code", {}, thread.id));
  add("Status", NOUNS[thread.status] + (thread.why === undefined ? "" : ": " + thread.why));
  if (thread.mergedInto !== undefined) {
    const into = threads.findIndex(({ id }) => id === thread.mergedInto);
    add("Merged into", into < 0 ? thread.mergedInto : linkTo(into, thread.mergedInto));
  }
  if (thread.reason !== undefined) add("On top because", thread.reason);
  if (thread.note !== undefined) add("Still true?", thread.note);
  if (thread.branch !== undefined) add("Branch", el("code", {}, thread.branch));
  if (thread.author !== undefined) add("Author", thread.author);
  if (thread.created !== undefined) add("Created", when(thread.created));
  if (thread.updated !== undefined) add("Last written", when(thread.updated));
  if (thread.commit !== undefined) add("Written on commit", el("code", {}, thread.commit.slice(0, 12)));
  if (thread.paths !== undefined) add("Describes", el("ul", { class: "plain" }, thread.paths.map((path) => el("li", {}, el("code", {}, path)))));
  const below = [];
  for (let next = at + 1; next < threads.length && threads[next].level > thread.level; next++)
    if (threads[next].level === thread.level + 1) below.push(next);
  if (below.length > 0) add(below.length === 1 ? "Child" : "Children",
    el("ul", { class: "plain" }, below.slice(0, 50).map((child) => el("li", {}, linkTo(child, threads[child].title), childStatus(threads[child]))),
      below.length > 50 ? el("li", {}, "and " + digits(below.length - 50) + " more") : undefined));
  add("File", el("code", {}, thread.file));
  return el("dl", { class: "facts" }, rows);
}

const childStatus = ({ status }) => (status === "open" ? undefined : el("span", { class: "muted" }, " " + NOUNS[status]));
`;
