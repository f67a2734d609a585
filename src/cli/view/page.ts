import { createHash } from "node:crypto";
import type { PageData } from "./page_data.ts";
import { SCRIPT_CHART } from "./script_chart.ts";
import { SCRIPT_START } from "./script_start.ts";
import { SCRIPT_THREAD } from "./script_thread.ts";
import { SCRIPT_TREE } from "./script_tree.ts";
import { STYLE } from "./style.ts";

const SCRIPT = `(() => {\n"use strict";\n${SCRIPT_THREAD}${SCRIPT_TREE}${SCRIPT_CHART}${SCRIPT_START}})();\n`;
// What a page's text must not carry to a terminal or an editor as it is; JSON writes it as escapes.
const UNSEEN = /[<\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** What each page begins with, by which a file is known to be one. */
export const PAGE_START = "<!doctype html>\n<!-- A page of threadmind view, which may replace it. -->\n";

/** The page as one HTML document that needs no network; the same for the same data. */
export function renderPage(data: PageData): string {
  const title = escapeHtml(`${data.projects[data.open.project]?.title ?? data.folder} · ThreadMind`);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(SCRIPT)}'`,
    `style-src '${hashOf(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `${PAGE_START}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<noscript><p class="noscript">This page draws the threads with the script that is in it: allow scripts to read it.</p></noscript>
<script type="application/json" id="data">${escapeJson(data)}</script>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** A text's hash as a Content Security Policy names it. */
export function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}

/** A value as JSON that can stand in a script element: without `<` and without characters that aren't seen. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
