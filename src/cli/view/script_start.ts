/** Last part of the page's script: the frame, where one is in it, and the keys that hold everywhere. */
export const SCRIPT_START = String.raw`
const TABS = [["summary", "Summary", drawSummary], ["context", "Context", drawContext], ["facts", "Facts", drawFacts]];

function addressOf(projectAt, threadAt) {
  const { id, threads } = data.projects[projectAt];
  const thread = threads[threadAt];
  return "#/" + encodeURIComponent(id) + "/" + (thread === undefined ? "" : encodeURIComponent(thread.id));
}

function goTo(projectAt, threadAt) {
  state.jumps = matchMedia("(max-width: 760px)").matches;
  follow(addressOf(projectAt, threadAt));
}

/** Goes to an address and draws at once, so that the next key meets what it leads to: browsers change theirs when they like. */
function follow(address) {
  location.hash = address;
  show(address);
}

/** Back, Forward and an address typed by hand; what was followed is drawn by then. */
function onAddress() {
  if (location.hash !== page.address) show(location.hash);
}

/** Takes project, thread and view from an address; one without any is that of the start, and what names nothing changes nothing. */
function readAddress(address) {
  if (address === "#sessions") state.view = "sessions";
  if (address === "") return Object.assign(state, { view: "thread", ...data.open });
  const [, owner, named] = /^#\/([^/]+)\/([^/]*)$/.exec(address) || [];
  const at = data.projects.findIndex(({ id }) => encodeURIComponent(id) === owner);
  if (at < 0) return;
  const { threads } = data.projects[at];
  const thread = named === "" ? 0 : threads.findIndex(({ id }) => encodeURIComponent(id) === named);
  if (thread >= 0) Object.assign(state, { view: "thread", project: at, thread });
}

function show(address) {
  page.address = address;
  readAddress(address);
  if (page.shown !== state.project) {
    page.shown = state.project;
    page.title.textContent = project().title;
    if (page.projects !== undefined) page.projects.value = String(state.project);
    document.title = project().title + " \u00b7 ThreadMind";
    page.search.value = "";
    drawFaults();
    buildTree();
  }
  page.sessions.setAttribute("aria-pressed", String(state.view === "sessions"));
  selectRow(state.thread);
  if (state.view === "sessions") page.main.replaceChildren(...drawSessions());
  else showThread();
  page.main.scrollTop = 0;
  // On a small screen the thread is below the tree.
  if (state.jumps) page.main.scrollIntoView();
  state.jumps = false;
}

function showThread() {
  const thread = project().threads[state.thread];
  if (thread === undefined) {
    page.main.replaceChildren(el("div", { class: "empty" }, el("p", {}, "This project has no threads yet."),
      el("p", {}, "Its root thread is missing: ", el("code", {}, "threadmind doctor"), " says what to do.")));
    return;
  }
  const way = [];
  for (let up = parentOf(state.thread); up >= 0; up = parentOf(up)) way.unshift(up);
  const shown = way.length > 5 ? [way[0], ...way.slice(-3)] : way;
  const crumbs = shown.flatMap((at, index) => [
    ...(way.length > 5 && index === 1 ? [el("li", {}, "\u2026")] : []), el("li", {}, linkTo(at, project().threads[at].title))]);
  const chips = [
    el("span", { class: "chip " + thread.status }, NOUNS[thread.status]),
    ...(thread.isActive ? [el("span", { class: "chip active" }, "active")] : []),
    ...(thread.branch === undefined ? [] : [el("bdi", { class: "chip branch" }, hidden("branch "), thread.branch)]),
    ...(thread.author === undefined ? [] : [el("bdi", { class: "muted" }, thread.author)]),
    ...(thread.updated === undefined ? [] : [el("span", { class: "muted" }, "written " + when(thread.updated))]),
  ];
  const notes = [thread.note, thread.reason].filter((text) => text !== undefined).map((text) =>
    el("p", { class: "note" + (isWarning(text) || text === thread.reason ? " warn" : "") }, text === thread.reason ? "On top of the tree: " + text + "." : text));
  page.tabs = TABS.map(([name, label]) => el("button", {
    type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel", on: { click: () => showTab(name, false) } }, label));
  page.panel = el("div", { role: "tabpanel", id: "panel", tabindex: "0" });
  page.main.replaceChildren(
    ...(crumbs.length === 0 ? [] : [el("nav", { "aria-label": "Ancestors" }, el("ol", { class: "crumbs" }, crumbs))]),
    el("h2", { class: "title", dir: "auto" }, thread.title), el("div", { class: "chips" }, chips), ...notes,
    el("div", { role: "tablist", "aria-label": "What to show of the thread", on: { keydown: onTabKey } }, page.tabs), page.panel);
  showTab(state.tab, false);
  page.said.textContent = "Showing " + thread.title;
}

function showTab(name, moves) {
  state.tab = name;
  TABS.forEach(([each, , draw], index) => {
    const tab = page.tabs[index];
    tab.setAttribute("aria-selected", String(each === name));
    tab.tabIndex = each === name ? 0 : -1;
    if (each !== name) return;
    page.panel.setAttribute("aria-labelledby", tab.id);
    page.panel.replaceChildren(draw(project().threads[state.thread], state.thread));
    if (moves) tab.focus();
  });
}

function onTabKey(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const at = TABS.findIndex(([name]) => name === state.tab);
  showTab(TABS[(at + step + TABS.length) % TABS.length][0], true);
}

function drawFaults() {
  const { faults } = project();
  page.faults.hidden = faults.length === 0;
  page.faults.replaceChildren(el("summary", {}, count(faults.length, "finding") + " in the files"),
    el("ul", { class: "plain" }, faults.slice(0, 100).map((line) => el("li", {}, line))));
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

function nameTheme() {
  page.theme.textContent = isDark() ? "Light" : "Dark";
  page.theme.setAttribute("aria-label", "Switch to " + (isDark() ? "light" : "dark") + " colours");
}

function onSearchKey(event) {
  if (event.key === "Escape") {
    event.preventDefault();
    page.search.value = "";
    filterTree("");
    if (tree.visible.length > 0) focusRow(nearestVisible(Math.max(0, state.thread)), true);
  } else if (event.key === "ArrowDown" || event.key === "Enter") {
    event.preventDefault();
    const first = tree.visible.find((at) => !tree.rows[at].classList.contains("way"));
    if (first === undefined) return;
    focusRow(first, true);
    if (event.key === "Enter") goTo(state.project, first);
  }
}

function onKey(event) {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    page.search.focus();
    page.search.select();
  } else if (event.key === "Escape" && !isTyping) {
    if (tree.query !== "") {
      page.search.value = "";
      filterTree("");
    }
    if (tree.visible.length > 0) focusRow(nearestVisible(tree.focus), true);
  }
}

function start() {
  page.title = el("h1", { dir: "auto" });
  page.search = el("input", { type: "search", placeholder: "Search titles and texts ( / )", "aria-label": "Search titles and texts", "aria-keyshortcuts": "/",
    autocomplete: "off", spellcheck: "false", on: { input: () => filterTree(page.search.value), keydown: onSearchKey } });
  page.sessions = el("button", { type: "button", "aria-pressed": "false", on: { click: () => {
    if (state.view !== "sessions") return follow("#sessions");
    state.view = "thread";
    goTo(state.project, state.thread);
  } } }, "Sessions");
  page.theme = el("button", { type: "button", on: { click: () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  } } });
  if (data.projects.length > 1) {
    page.projects = el("select", { "aria-label": "Project", on: { change: () => {
      const at = Number(page.projects.value);
      const { threads } = data.projects[at];
      goTo(at, Math.max(0, threads.findIndex(({ isActive }) => isActive)));
    } } }, data.projects.map(({ title, id }, at) => el("option", { value: at }, title === id ? id : title + " (" + id + ")")));
  }
  page.hide = el("button", { type: "button", class: "quiet", "aria-pressed": "false", on: { click: () => {
    tree.hides = !tree.hides;
    page.hide.setAttribute("aria-pressed", String(tree.hides));
    filterTree(page.search.value);
  } } }, "Hide finished");
  page.found = el("p", { class: "found", role: "status" });
  page.said = el("p", { class: "vh", role: "status" });
  page.none = el("p", { class: "empty", hidden: true }, "No thread has these words.");
  page.tree = el("div", { role: "tree", class: "tree", on: { keydown: onTreeKey, click: onTreeClick } });
  page.faults = el("details", { class: "faults" });
  page.main = el("main", { id: "main", tabindex: "-1" });
  const place = [data.folder, data.branch, data.commit].filter((part) => part !== undefined);
  document.body.append(
    el("a", { class: "skip", href: "#main", on: { click: (event) => { event.preventDefault(); page.main.focus(); } } }, "Skip to the thread"),
    el("header", {}, el("div", { class: "names" }, page.title, el("p", { class: "place" }, place.join(" \u00b7 "))),
      el("div", { class: "tools", role: "search" }, page.projects, page.search), el("div", { class: "buttons" }, page.sessions, page.theme)),
    el("div", { class: "layout" },
      el("nav", { class: "side", "aria-label": "Threads" }, el("div", { class: "above" }, page.found, page.hide), page.tree, page.none, page.faults),
      page.main), page.said);
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", onAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  nameTheme();
  show(location.hash);
}

start();
`;
