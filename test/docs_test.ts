import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { lexer, type Token, walkTokens } from "marked";
import manifest from "../package.json" with { type: "json" };
import { listVerbs } from "../src/cli/args.ts";
import { OWN_VERBS } from "../src/cli/own_verbs.ts";
import { COMMANDS } from "../src/commands/registry.ts";
import { TOP } from "./support/binary.ts";
import { runScenario, UPDATING } from "./support/scenario.ts";

/** A page taken apart; its path is relative to the top folder. */
interface Page {
  readonly path: string;
  readonly headings: readonly { depth: number; text: string }[];
  /** the targets of its links and images, as written */
  readonly links: readonly string[];
  /** its code blocks, each with its language */
  readonly blocks: readonly string[];
  /** its code within lines */
  readonly spans: readonly string[];
  /** what it says outside code and targets */
  readonly prose: string;
}

const read = (path: string) => readFileSync(join(TOP, path), "utf8");

function readPage(path: string): Page {
  const tokens = lexer(read(path));
  const headings: { depth: number; text: string }[] = [];
  const [links, blocks, spans, prose]: [string[], string[], string[], string[]] = [[], [], [], []];
  void walkTokens(tokens, (token) => {
    if (token.type === "heading") headings.push({ depth: token.depth, text: plain(token.tokens ?? []) });
    else if (token.type === "link" || token.type === "image") links.push(token.href);
    else if (token.type === "code") blocks.push(`${token.lang}\n${token.text}`);
    else if (token.type === "codespan") spans.push(token.text);
    else if (token.type === "text" && token.tokens === undefined) prose.push(token.text);
  });
  return { path, headings, links, blocks, spans, prose: prose.join("\n") };
}

/** The text of a heading without its marks. */
function plain(tokens: readonly Token[]): string {
  return tokens.map((token) => ("tokens" in token && token.tokens ? plain(token.tokens) : textOf(token))).join("");
}

function textOf(token: Token): string {
  return "text" in token ? String(token.text) : token.raw;
}

test("the French guides quote the program's English letter for letter", () => {
  const folder = join(TOP, "docs/fr");
  const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  const lines = pages.flatMap(({ name, text }) => text.split("\n").map((line) => `${name}: ${line}`));
  expect(lines.filter((line) => /’(?:s|t|re|ve|ll|d)\b/.test(line))).toEqual([]);
});

/** The anchors that GitHub gives a page's headings. */
function anchorsOf({ headings }: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { text } of headings) {
    const anchor = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let name = anchor;
    for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

function pagesBelow(folder: string): string[] {
  return readdirSync(join(TOP, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .sort();
}

const LINKING = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "plugin/README.md", ...pagesBelow("docs")];
const GUIDES = pagesBelow("docs/guide");
const FRENCH = pagesBelow("docs/fr");

function brokenLinks(path: string): string[] {
  return readPage(path).links.flatMap((link) => {
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link)) return [];
    const [file = "", anchor] = decodeURI(link).split("#");
    const target = file === "" ? path : posix.join(posix.dirname(path), file);
    if (target.startsWith("../") || !existsSync(join(TOP, target))) return [`${path}: ${link}: no such file`];
    if (anchor === undefined || !target.endsWith(".md")) return [];
    return anchorsOf(readPage(target)).has(anchor) ? [] : [`${path}: ${link}: no such heading`];
  });
}

test("every relative link leads to a file, and every anchor to a heading", () => {
  expect(LINKING.length).toBeGreaterThan(20);
  expect(LINKING.flatMap(brokenLinks)).toEqual([]);
});

test("each language's index leads to each of its guides", () => {
  for (const [index = "", ...guides] of [GUIDES, FRENCH]) {
    const { links } = readPage(index);
    for (const guide of guides) expect(links).toContain(posix.basename(guide));
  }
});

test("both languages have the same guides, headings, blocks and commands", () => {
  const shapeOf = (path: string) => {
    const { headings, blocks, spans } = readPage(path);
    return {
      name: posix.basename(path),
      levels: headings.map(({ depth }) => depth),
      blocks,
      commands: spans.filter((span) => /^(?:threadmind|tm:|git|claude) /.test(span)).sort(),
    };
  };
  expect(FRENCH.map(shapeOf)).toEqual(GUIDES.map(shapeOf));
});

test("French prose has its own apostrophes and spaces", () => {
  const found = FRENCH.flatMap((path) => {
    const { prose } = readPage(path);
    const places = prose.match(/.{0,20}(?:'|&#39;|«(?!\u00a0)|(?<!\u00a0)»| [:;!?](?=\s|$)).{0,10}/gm) ?? [];
    return places.map((place) => `${path}: ${place}`);
  });
  expect(found).toEqual([]);
});

test("every verb and every tool stands in a guide or in the reference", () => {
  const text = [...GUIDES, "docs/reference.md"].map(read).join("\n");
  const verbs = [...listVerbs().map(({ usage }) => usage.verb), ...Object.keys(OWN_VERBS)];
  const isNamed = (words: string) => new RegExp(`\\bthreadmind ${words}\\b`).test(text);
  expect(verbs.filter((verb) => !isNamed(verb))).toEqual([]);
  expect(COMMANDS.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("pages name this version of the action", () => {
  const named = pagesBelow("docs").flatMap((path) =>
    [...read(path).matchAll(/\bthread-mind-mcp@v([\w.]*\w)/g)].map(([, version]) => `${path}: ${version}`),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((place) => !place.endsWith(`: ${manifest.version}`))).toEqual([]);
});

// The French guides hold the same blocks, as a test above demands; only an update has to write both.
const replayed = [...GUIDES, ...(UPDATING ? FRENCH : [])].filter((path) => posix.basename(path) !== "README.md");

for (const path of replayed) {
  test.concurrent(`what ${path} shows is what comes out`, () => runScenario(join(TOP, path)), 600_000);
}
