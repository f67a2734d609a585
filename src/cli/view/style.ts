/** The page's style sheet. Colours come in pairs, for light and for dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #18191b);
  --raised: light-dark(#f3f0ea, #212326);
  --ink: light-dark(#23221f, #e8e5de);
  --muted: light-dark(#65615a, #a8a399);
  --rule: light-dark(#e2ded5, #34373b);
  --accent: light-dark(#1d5b86, #8fc3ea);
  --soft: light-dark(#dce8f1, #24394a);
  --above: light-dark(#9dbdd4, #47708f);
  --system: light-dark(#c9c3b6, #5b5e63);
  --warn: light-dark(#6f4400, #f2c879);
  --warn-paper: light-dark(#fdf2d6, #382c13);
  --warn-rule: light-dark(#dfae4c, #8d6a24);
  --done: light-dark(#2b6a4a, #85c9a3);
  --abandoned: light-dark(#8b3f3f, #e09a9a);
  --sans: ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
  --serif: Charter, "Bitstream Charter", "Sitka Text", Cambria, "Noto Serif", Georgia, "DejaVu Serif", serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", "DejaVu Sans Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { margin: 0; height: 100%; }
body { display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, h4, h5, h6, p, ul, ol, dl, dd, figure, blockquote, pre { margin: 0; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.vh, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; z-index: 2; inset: 8px auto auto 8px; padding: 6px 12px; background: var(--paper); }
.muted { color: var(--muted); }
code { font: .88em/1.4 var(--mono); background: var(--raised); padding: .1em .3em; border-radius: 3px; }
header { display: flex; align-items: center; gap: 10px 24px; flex-wrap: wrap; padding: 12px 24px; border-bottom: 1px solid var(--rule); }
.names { flex: 1 1 220px; min-width: 0; }
h1 { font: 600 19px/1.25 var(--serif); display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.place { color: var(--muted); font-size: 12.5px; }
.tools { display: flex; gap: 8px; flex: 2 1 300px; max-width: 560px; min-width: 0; }
.buttons { display: flex; gap: 8px; }
input, select, button { font: inherit; font-size: 14px; color: inherit; background: var(--paper); border: 1px solid light-dark(#8f8a80, #767a80); border-radius: 6px; padding: 5px 11px; min-width: 0; }
input { flex: 1 1 auto; }
select { max-width: 45%; }
input::placeholder { color: var(--muted); opacity: 1; }
button { cursor: pointer; }
button:hover { background: var(--raised); }
button[aria-pressed="true"] { background: var(--soft); border-color: var(--accent); }
.quiet { border-color: transparent; font-size: 12.5px; padding: 2px 8px; color: var(--muted); }
.quiet:hover, .quiet[aria-pressed="true"] { color: var(--ink); }
.layout { flex: 1 1 auto; min-height: 0; display: grid; grid-template-columns: minmax(250px, 350px) minmax(0, 1fr); }
.side { display: flex; flex-direction: column; min-height: 0; border-inline-end: 1px solid var(--rule); padding: 10px 0 0 12px; }
.above { display: flex; justify-content: space-between; align-items: baseline; gap: 8px; padding: 0 10px 6px 8px; }
.found { color: var(--muted); font-size: 12.5px; }
.tree { flex: 1 1 auto; min-height: 0; overflow: auto; overflow-x: hidden; padding: 2px 10px 24px 2px; position: relative; }
.row { padding: 4px 8px; border-radius: 6px; cursor: pointer; content-visibility: auto; contain-intrinsic-block-size: auto 30px; }
.line { display: flex; align-items: center; gap: 7px; }
.row:hover { background: var(--raised); }
.row[aria-selected="true"] { background: var(--soft); }
.row:focus-visible { outline-offset: -2px; }
.row.way .name { color: var(--muted); }
.twist { flex: none; width: 14px; height: 18px; position: relative; }
.row[aria-expanded] .twist::before { content: ""; position: absolute; inset: 5px 4px; border: solid var(--muted); border-width: 0 1.5px 1.5px 0; width: 6px; height: 6px; transform: rotate(-45deg); }
.row[aria-expanded="true"] .twist::before { transform: rotate(45deg); inset-block-start: 3px; }
.dot { flex: none; width: 8px; height: 8px; border-radius: 50%; border: 1.5px solid var(--accent); }
.done .dot { border-color: var(--done); background: var(--done); }
.abandoned .dot { border-color: var(--abandoned); border-radius: 1px; height: 0; border-width: 1px; }
.unreadable .dot { border-color: var(--warn); border-radius: 2px; }
.name { flex: 0 1 auto; min-width: 2em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.done .name { color: var(--muted); }
.abandoned .name { color: var(--muted); text-decoration: line-through; }
.tag { font-size: 11.5px; line-height: 1.5; padding: 0 6px; border-radius: 9px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: none; }
.tag.branch { flex: 0 4 auto; min-width: 3em; }
.tag.branch, .chip.branch { font-family: var(--mono); color: var(--muted); background: var(--raised); }
.row[aria-selected="true"] .tag.branch { background: var(--paper); }
.tag.active, .chip.active { background: var(--accent); color: var(--paper); }
.flag { color: var(--warn); }
.hit { display: block; padding-inline-start: 36px; font-size: 12.5px; color: var(--muted); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.faults { flex: none; max-height: 40%; overflow: auto; border-top: 1px solid var(--rule); padding: 8px; font-size: 12.5px; color: var(--warn); }
main { min-width: 0; overflow: auto; padding: 26px clamp(16px, 4vw, 56px) 64px; }
main > * { max-width: 780px; }
.crumbs { list-style: none; padding: 0; display: flex; flex-wrap: wrap; font-size: 13px; color: var(--muted); }
.crumbs li { min-width: 0; }
.crumbs li + li::before { content: "/"; padding: 0 7px; }
.crumbs a { color: var(--muted); text-decoration: none; }
.crumbs a:hover { text-decoration: underline; }
.title { font: 600 29px/1.22 var(--serif); margin: 4px 0 10px; text-wrap: balance; }
.chips { display: flex; flex-wrap: wrap; align-items: center; gap: 5px 10px; font-size: 13px; }
.chip { padding: 1px 9px; border-radius: 10px; border: 1px solid transparent; background: var(--raised); max-width: 100%; }
.chip.open { border-color: var(--accent); color: var(--accent); background: none; }
.chip.done { border-color: var(--done); color: var(--done); background: none; }
.chip.abandoned { border-color: var(--abandoned); color: var(--abandoned); background: none; }
.note { margin-top: 14px; padding: 8px 14px; border-inline-start: 3px solid var(--rule); color: var(--muted); background: var(--raised); border-radius: 0 6px 6px 0; white-space: pre-line; }
.note.warn, .chip.unreadable { color: var(--warn); background: var(--warn-paper); border-color: var(--warn-rule); }
[role="tablist"] { display: flex; gap: 22px; margin: 22px 0 18px; border-bottom: 1px solid var(--rule); }
[role="tab"] { border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; padding: 6px 1px; margin-bottom: -1px; color: var(--muted); }
[role="tab"]:hover { color: var(--ink); background: none; }
[role="tab"][aria-selected="true"] { color: var(--ink); border-color: var(--accent); }
.prose { font: 17px/1.62 var(--serif); }
.prose > * + * { margin-top: .75em; }
.prose :is(h3, h4, h5, h6) { font: 600 15px/1.4 var(--sans); letter-spacing: .01em; margin-top: 1.6em; }
.prose > :first-child { margin-top: 0; }
.prose h3 { color: var(--accent); }
.prose :is(ul, ol) { padding-inline-start: 1.35em; margin-top: .35em; }
.prose li { margin: .25em 0; white-space: pre-line; }
.prose li > * { white-space: normal; }
.prose li > :is(p, pre, blockquote) { margin-top: .5em; }
.prose p { white-space: pre-line; }
.prose .raw { font: 13px/1.55 var(--mono); color: var(--muted); white-space: pre-wrap; }
.prose hr { border: 0; border-top: 1px solid var(--rule); margin: 1.6em 0; }
blockquote { border-inline-start: 3px solid var(--rule); padding-inline-start: 14px; color: var(--muted); }
pre { font: 13px/1.6 var(--mono); background: var(--raised); border-radius: 8px; padding: 14px 16px; }
pre.code { overflow-x: auto; overflow-wrap: normal; }
pre.text { white-space: pre-wrap; }
.lead { color: var(--muted); font-size: 14px; }
.bar { display: flex; gap: 2px; height: 14px; margin: 16px 0 10px; border-radius: 4px; overflow: hidden; background: var(--raised); }
.piece { flex: 0 0 3px; }
.piece, .fill { background: var(--accent); }
.kin { background: var(--above); }
.system { background: var(--system); }
.shares { list-style: none; padding: 0; font-size: 13.5px; }
.shares li { display: grid; grid-template-columns: minmax(0, 11em) minmax(40px, 1fr) 11.5em; gap: 12px; align-items: center; padding: 2px 0; }
.shares.long { max-height: 250px; overflow-y: auto; padding-inline-end: 10px; }
.part { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.track { background: var(--raised); border-radius: 3px; height: 7px; overflow: hidden; }
.fill { display: block; height: 100%; min-width: 2px; border-radius: 3px; }
.tokens { text-align: end; font-variant-numeric: tabular-nums; color: var(--muted); }
main .above { padding: 22px 0 8px; }
main .above h3 { font: 600 14px/1.4 var(--sans); }
.facts { display: grid; grid-template-columns: minmax(90px, 10em) minmax(0, 1fr); gap: 9px 18px; }
.facts dt { color: var(--muted); }
.plain { list-style: none; padding: 0; }
.empty { color: var(--muted); padding: 8px; }
main .empty { padding: 0; display: grid; gap: 8px; }
figure { margin: 22px 0; }
.chart { width: 100%; height: auto; display: block; font: 11.5px var(--sans); }
.chart text { fill: var(--muted); }
.chart .grid { stroke: var(--rule); }
.chart .axis { stroke: var(--muted); }
.chart .size { fill: var(--above); }
.chart .peak { stroke: var(--muted); stroke-width: 1.5; }
.chart .loaded { fill: var(--accent); }
.legend { font-size: 12.5px; color: var(--muted); margin-top: 8px; }
.key { display: inline-block; width: 11px; height: 11px; margin: 0 6px 0 10px; vertical-align: -1px; border-radius: 2px; }
.key:first-child { margin-inline-start: 0; }
.key.size { background: var(--above); }
.key.peak { height: 2px; background: var(--muted); vertical-align: 4px; }
.key.loaded { background: var(--accent); }
summary { cursor: pointer; }
.scroll { overflow-x: auto; max-height: 420px; margin-top: 10px; }
table { border-collapse: collapse; font-size: 13px; width: 100%; overflow-wrap: normal; }
th, td { text-align: start; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--rule); }
.prose .wide { overflow-x: auto; white-space: normal; }
.prose table { width: auto; font: 15px/1.5 var(--serif); }
.prose :is(th, td), .prose th:nth-child(n) { text-align: start; vertical-align: top; padding-inline-end: 20px; }
.prose th { font-weight: 600; }
.prose :is(th, td).end { text-align: end; }
.prose :is(th, td).centre { text-align: center; }
.number, th:nth-child(n + 3) { text-align: end; font-variant-numeric: tabular-nums; }
.noscript { padding: 24px; }
@media (max-width: 760px) {
  html, body { height: auto; }
  header { padding: 12px 14px; }
  .layout { display: block; }
  .side { border: 0; border-bottom: 1px solid var(--rule); padding: 8px 4px 0; }
  .tree { max-height: 42vh; }
  main { overflow: visible; padding: 18px 14px 48px; }
  .title { font-size: 24px; }
  .shares li { grid-template-columns: minmax(0, 1fr) auto; gap: 2px 12px; padding: 5px 0; }
  .track { grid-column: 1 / -1; grid-row: 2; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  .facts dd { margin-bottom: 10px; }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  html, body { height: auto; }
  header, .side, [role="tablist"], .skip, button { display: none; }
  .layout, main { display: block; overflow: visible; padding: 0; }
  main > * { max-width: none; }
  [role="tabpanel"] { margin-top: 24px; }
  .shares.long { max-height: none; }
  pre { background: none; padding: 0; }
  a { color: inherit; }
}
`;
