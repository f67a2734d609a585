/** Second part of the page's script: the tree, its keys, and the search that filters it. */
export const SCRIPT_TREE = String.raw`
const LONGEST_SEARCHED = 200000;
const tree = { rows: [], folded: new Set(), focus: 0, query: "", hides: false, texts: new Map() };

/** A text without case and accents. */
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Pixels before a row: less and less for each level, so that deep threads keep room for their titles. */
const indentOf = (above) => 16 * Math.min(6, above) + 5 * Math.max(0, Math.min(10, above - 6));

function buildTree() {
  const { threads } = project();
  tree.folded = new Set();
  tree.texts = new Map();
  tree.parents = [];
  const way = [];
  tree.rows = threads.map((thread, at) => {
    way.length = thread.level - 1;
    tree.parents[at] = way.length === 0 ? -1 : way[way.length - 1];
    way.push(at);
    const row = el("div", {
      role: "treeitem", class: "row " + thread.status, id: "row-" + at, tabindex: "-1", "data-at": at,
      "aria-level": thread.level, "aria-selected": "false", title: thread.title,
    });
    row.style.paddingInlineStart = 8 + indentOf(thread.level - 1) + "px";
    row.append(el("span", { class: "line" },
      glyph("twist", ""), glyph("dot", ""), el("bdi", { class: "name" }, thread.title),
      ...(thread.status === "open" ? [] : [hidden(", " + NOUNS[thread.status])]),
      ...(thread.isActive ? [el("span", { class: "tag active" }, "active")] : []),
      ...(thread.branch === undefined ? [] : [hidden(", branch "), el("bdi", { class: "tag branch" }, thread.branch)]),
      ...(isWarning(thread.note) || thread.problem !== undefined || thread.reason !== undefined
        ? [glyph("flag", "\u26a0"), hidden(thread.problem !== undefined ? ", can't be shown" : thread.reason !== undefined ? ", " + thread.reason : ", may be out of date")]
        : []),
    ), el("span", { class: "hit", hidden: true }));
    return row;
  });
  tree.heirs = threads.map((thread, at) => at + 1 < threads.length && threads[at + 1].level > thread.level);
  page.tree.setAttribute("aria-label", "Threads of " + project().title);
  page.tree.replaceChildren(...tree.rows);
  tree.focus = 0;
  filterTree("");
}

/** The folded id, title and text of a thread, made when they are first searched. */
function textsOf(at) {
  const known = tree.texts.get(at);
  if (known !== undefined) return known;
  const { id, title, text, isEmpty, problem } = project().threads[at];
  const texts = { title: fold(title + " " + id), text: isEmpty || problem !== undefined ? "" : fold(text) };
  tree.texts.set(at, texts);
  return texts;
}

/** The line of a text that holds most of these words, shortened around the first of them. */
function lineWith(text, words) {
  let best = "";
  let most = 0;
  for (const line of text.slice(0, LONGEST_SEARCHED).split("\n")) {
    const folded = fold(line);
    const held = words.filter((word) => folded.includes(word)).length;
    if (held > most) [best, most] = [line, held];
    if (most === words.length) break;
  }
  const places = words.map((word) => fold(best).indexOf(word)).filter((at) => at >= 0);
  const at = Math.min(...places, best.length);
  const from = at > 60 ? at - 40 : 0;
  return (from > 0 ? "\u2026" : "") + best.slice(from, from + 140).trim().replace(/^[-*+#>\s]+/, "");
}

function filterTree(query) {
  tree.query = query;
  const words = [...new Set(fold(query).split(/\s+/))].filter((word) => word !== "");
  const { threads } = project();
  const shows = new Array(threads.length).fill(false);
  let found = 0;
  for (let at = threads.length - 1; at >= 0; at--) {
    const { status } = threads[at];
    const texts = words.length === 0 ? undefined : textsOf(at);
    const isKept = !(tree.hides && (status === "done" || status === "abandoned"));
    const isFound = isKept && words.every((word) => texts.title.includes(word) || texts.text.includes(word));
    if (isFound) found++;
    if (isFound) shows[at] = true;
    if (shows[at] && tree.parents[at] >= 0) shows[tree.parents[at]] = true;
    const row = tree.rows[at];
    row.classList.toggle("way", !isFound);
    const hit = row.lastChild;
    const line = isFound && words.length > 0 && !words.every((word) => texts.title.includes(word))
      ? lineWith(threads[at].text, words) : "";
    hit.hidden = line === "";
    if (hit.textContent !== line) hit.textContent = line;
  }
  tree.shows = shows;
  const total = count(threads.length, "thread");
  page.found.textContent = words.length > 0 || tree.hides ? digits(found) + " of " + total : total;
  page.none.hidden = found > 0 || threads.length === 0;
  placeRows();
}

/** Hides what is filtered or folded away, and tells each row its place among those that show. */
function placeRows() {
  const { threads } = project();
  const searching = tree.query.trim() !== "";
  const counts = new Map();
  const visible = [];
  let under = Number.POSITIVE_INFINITY;
  for (let at = 0; at < threads.length; at++) {
    const { level } = threads[at];
    if (level <= under) under = Number.POSITIVE_INFINITY;
    const isVisible = tree.shows[at] && level <= under;
    const isFolded = !searching && tree.folded.has(at);
    tree.rows[at].hidden = !isVisible;
    if (!isVisible) continue;
    visible.push(at);
    const parent = tree.parents[at];
    counts.set(parent, (counts.get(parent) || 0) + 1);
    set(tree.rows[at], "aria-posinset", counts.get(parent));
    if (tree.heirs[at]) set(tree.rows[at], "aria-expanded", !isFolded);
    if (isFolded) under = level;
  }
  for (const at of visible) set(tree.rows[at], "aria-setsize", counts.get(tree.parents[at]));
  tree.visible = visible;
  if (!visible.includes(tree.focus)) focusRow(visible.length > 0 ? nearestVisible(tree.focus) : -1, false);
  else focusRow(tree.focus, false);
}

function set(row, name, value) {
  if (row.getAttribute(name) !== String(value)) row.setAttribute(name, String(value));
}

/** The thread, or what it is folded away under. */
function nearestVisible(at) {
  for (let up = at; up >= 0; up = tree.parents[up]) if (!tree.rows[up].hidden) return up;
  return tree.visible[0];
}

function focusRow(at, moves) {
  const before = tree.rows[tree.focus];
  if (before !== undefined) before.tabIndex = -1;
  if (at < 0) return;
  tree.focus = at;
  const row = tree.rows[at];
  row.tabIndex = 0;
  if (moves) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
}

function foldRow(at, folds) {
  if (!tree.heirs[at] || tree.query.trim() !== "") return;
  if (folds) tree.folded.add(at);
  else tree.folded.delete(at);
  placeRows();
}

/** Unfolds what a thread stands under, and marks it as the one that is shown. */
function selectRow(at) {
  for (const row of page.tree.querySelectorAll('[aria-selected="true"]')) row.setAttribute("aria-selected", "false");
  if (tree.rows[at] === undefined || state.view !== "thread") return;
  let isMoved = false;
  for (let up = tree.parents[at]; up >= 0; up = tree.parents[up]) isMoved = tree.folded.delete(up) || isMoved;
  if (isMoved) placeRows();
  tree.rows[at].setAttribute("aria-selected", "true");
  if (tree.rows[at].hidden) return;
  focusRow(at, false);
  // Only the tree's own box is moved: on a small screen the page itself stays where it is.
  const [row, box] = [tree.rows[at].getBoundingClientRect(), page.tree.getBoundingClientRect()];
  if (row.top < box.top || row.bottom > box.bottom) page.tree.scrollTop += row.top - box.top - box.height / 3;
}

function onTreeKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const at = tree.focus;
  const place = tree.visible.indexOf(at);
  const move = (next) => next !== undefined && focusRow(next, true);
  const isOpen = tree.heirs[at] && tree.rows[at].getAttribute("aria-expanded") === "true";
  const actions = {
    ArrowDown: () => move(tree.visible[place + 1]),
    ArrowUp: () => move(tree.visible[place - 1]),
    Home: () => move(tree.visible[0]),
    End: () => move(tree.visible.at(-1)),
    PageDown: () => move(tree.visible[Math.min(tree.visible.length - 1, place + 15)]),
    PageUp: () => move(tree.visible[Math.max(0, place - 15)]),
    ArrowRight: () => (tree.heirs[at] && !isOpen ? foldRow(at, false) : isOpen && move(tree.visible[place + 1])),
    ArrowLeft: () => (isOpen && tree.query.trim() === "" ? foldRow(at, true) : tree.parents[at] >= 0 && move(tree.parents[at])),
    Enter: () => goTo(state.project, at),
    " ": () => goTo(state.project, at),
  };
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

function onTreeClick(event) {
  const row = event.target.closest("[role=treeitem]");
  if (row === null) return;
  const at = Number(row.dataset.at);
  if (event.target.classList.contains("twist") && tree.heirs[at]) {
    focusRow(at, true);
    return foldRow(at, !tree.folded.has(at));
  }
  focusRow(at, true);
  goTo(state.project, at);
}
`;
