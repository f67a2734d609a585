import { expect, test } from "bun:test";
import { importMarkdown } from "../../src/core/import_markdown.ts";
import { importMemory } from "../../src/core/import_memory.ts";
import { findNamedFiles } from "../../src/core/import_named_files.ts";
import type { ImportedProject } from "../../src/core/import_project.ts";
import { parseSummary, sectionText } from "../../src/core/summary.ts";
import { GUIDE, lostWords } from "../support/imported.ts";
import { seeded } from "./seeded.ts";

type Name = Parameters<typeof sectionText>[1];

const sectionOf = (body: string, name: Name): string => sectionText(parseSummary(body), name) ?? "";

function memory(...items: readonly (object | string)[]): ImportedProject {
  const lines = items.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  const made = importMemory(lines.join("\n"));
  if ("why" in made) throw new Error(made.why);
  return made;
}

const entity = (name: string, entityType: unknown, ...observations: readonly string[]) => {
  return { type: "entity", name, entityType, observations };
};
const relation = (from: string, relationType: string, to: string) => ({ type: "relation", from, to, relationType });

test("importMarkdown() places sections by their headings, what it can't place in State, and the title on the project", () => {
  const { title, body } = importMarkdown(GUIDE);
  expect(title).toBe("Shop guide");
  expect(parseSummary(body).sections.map(({ name }) => name)).toEqual([
    "Decisions",
    "Constraints",
    "State",
    "Next steps",
  ]);
  expect(sectionOf(body, "Decisions")).toBe(
    "- Stripe\n\n### Architecture\n- Next.js and PostgreSQL\n\n### Folders\n| Folder | What |\n|---|---|\n| src | code |",
  );
  expect(sectionOf(body, "Constraints")).toContain("### Coding conventions\nTabs, never spaces.");
  expect(sectionOf(body, "State")).toContain("Intro line with a [link]");
  expect(sectionOf(body, "State")).toContain("### Commands\n```sh\n# not a heading\nnpm test\n```");
  expect(sectionOf(body, "Next steps")).toBe("### Roadmap\n1. ship\n2. rest");
});

test("importMarkdown() places what it can behind frontmatter, text above the title, and more than one title", () => {
  const { title, body } = importMarkdown(
    "---\nname: front\n---\n\nAbove.\n\n# Shop\nIntro.\n\n## Decisions\n- Stripe\n\n# More\ntext\n\n## Constraints\n- fast\n",
  );
  expect(title).toBe("Shop");
  expect([sectionOf(body, "Decisions"), sectionOf(body, "Constraints")]).toEqual(["- Stripe", "- fast"]);
  expect(sectionOf(body, "State")).toBe("```yaml\n---\nname: front\n---\n```\n\nAbove.\n\nIntro.\n\n### More\ntext");
});

test("importMarkdown() keeps the headings of sections as typed", () => {
  for (const heading of [
    "Decisions (agreed with Bob on 2024-01-05)",
    "Decisions #infratag",
    "Decisions <!-- legalreview -->",
    "2. Décisions :",
    "**Decisions** {kim}",
  ]) {
    const { body } = importMarkdown(`# T\n\n## ${heading}\n- x\n`);
    expect(body).toBe(`## ${heading}\n- x\n`);
    expect(sectionOf(body, "Decisions")).toBe("- x");
    const second = importMarkdown(`# T\n\n## Decisions\n- x\n\n## ${heading}\n- y\n`).body;
    expect(second).toBe(`## Decisions\n- x\n\n### ${heading}\n- y\n`);
    expect(sectionOf(second, "Decisions")).toContain("- y");
  }
});

test("importMarkdown() ends a section at a heading of the first level, also where that is the title", () => {
  const { title, body } = importMarkdown("## Decisions\n- x\n# Late title\n- y\n");
  expect(title).toBe("Late title");
  expect(body).toBe("## Decisions\n- x\n\n## State\n### Late title\n- y\n");
});

test("importMarkdown() reads a near-heading as the section that its reader will take it for", () => {
  const { body } = importMarkdown("Intro\n\n**Decisions**\n- x\n\n## Commands\nnpm test\n");
  expect(sectionOf(body, "Decisions")).toBe("- x");
  expect(sectionOf(body, "State")).toBe("Intro\n\n### Commands\nnpm test");
});

test("importMarkdown() keeps a first heading in the text where it can't be, or isn't, the title", () => {
  const long = `W${"ord ".repeat(100)}`.trim();
  for (const { source, given, title, kept } of [
    { source: `# ${long}\ntext\n`, given: undefined, title: undefined, kept: long },
    { source: "# Shop\ntext\n", given: "Other", title: "Shop", kept: "### Shop\ntext" },
    { source: "# \n# Shop\ntext\n", given: undefined, title: "Shop", kept: "text" },
    { source: "# \n\ntext\n", given: undefined, title: undefined, kept: "text" },
    { source: "# Decisions\ntext\n", given: undefined, title: undefined, kept: "## Decisions\ntext" },
  ]) {
    const made = importMarkdown(source, given);
    expect(made.title).toBe(title);
    expect(made.body).toContain(kept);
  }
  expect(importMarkdown(`# ${long}\ntext\n`).remarks.join()).toContain("longer than 300 characters");
});

test("importMarkdown() says of a text that is too long for its headings to be read that it is, and takes its title", () => {
  const bullets = `- ${"bullet ".repeat(10)}\n`.repeat(65_000);
  const { title, body, remarks } = importMarkdown(`# Big\n\n## Decisions\n${bullets}`);
  expect(title).toBe("Big");
  expect(body.startsWith("## State\n## Decisions\n- bullet")).toBe(true);
  expect(remarks.join()).toContain("longer than 4 MiB");
});

const PIECES = [
  ...[
    "# Title\n",
    "# \n",
    "#\n",
    "## Rules\n",
    "## \n",
    "### Deep\n",
    "#### Deeper ##\n",
    "Setext\n===\n",
    "Other\n---\n",
  ],
  ...["Two\nlines\n===\n", "## Decisions (by kim)\n", "# Decisions of 2024\n", "## Constraints <!-- legal -->\n"],
  ...[
    "## Constraints <!-- open\n",
    "## State #tag #tag2 ##\n",
    "## 1.2) Next steps: [later]\n",
    "Décisions (août)\n---\n",
  ],
  ...["## Contraintes `code`\n", "##Decisions kim\n", "**Decisions**\n", "__Constraints__:\n", "###Constraints {a}\n"],
  ...["- bullet one\n", "  - nested\n", "```\n# code\n", "```\n", "~~~\n", "> quote\n> # in quote\n", "<!-- comment\n"],
  ...["-->\n", "plain text\n", "\n", "| a | b |\n|---|---|\n", "***\n", "<div>\n", "<script>\n", "---\nid: x\n---\n"],
  ...["été 日本\r\n", "lone\rreturn\n", "\ttab\n", "    # indented\n", "[ref]: http://x.y 'z'\n", "sep\u2028arated\n"],
  ...["# \u200b\n", `# ${"long ".repeat(80)}\n`, "@docs/rules.md\n"],
];

test("importMarkdown() loses no word of anything, with a title given or not", () => {
  const random = seeded(7);
  const sources = [GUIDE, "", "## Only\n", "# A\n\n# B\ntext\n", "\ufeff# BOM\r\ntext\r\n", "```\nnever closed\n# x\n"];
  for (let at = 0; at < 3000; at++)
    sources.push(Array.from({ length: random.next(14) }, () => random.pick(PIECES)).join(""));
  for (const [at, source] of sources.entries()) {
    const given = at % 3 === 0 ? "Given" : undefined;
    const made = importMarkdown(source, given);
    const lost = lostWords(source, `${given ?? made.title ?? ""} ${made.body}`);
    if (lost.length > 0) throw new Error(`Lost ${lost.join(", ")} of\n${source}\n---\n${made.title}\n${made.body}`);
  }
});

test("importMarkdown() and importMemory() take time in proportion to their input", () => {
  const headings = Array.from({ length: 40_000 }, (_, at) => `## Heading ${at}\ntext\n`).join("");
  const graph = Array.from({ length: 20_000 }, (_, at) => entity(`e${at}`, `t${at % 5000}`, "o"));
  const relations = graph.map(({ name }, at) => relation(name, "knows", `e${at + 1}`));
  const started = performance.now();
  importMarkdown(headings);
  memory(...graph, ...relations);
  expect(performance.now() - started).toBeLessThan(5000);
});

test("findNamedFiles() finds what Claude Code would bring in, and no other sign", () => {
  const names = findNamedFiles(
    "@docs/a.md\n- @~/.claude/b.md\nSee @README.md, @./c and (@/etc/d).\n@NOTES\n\n@alice said @types/node, a@b.md, `@x.md`\n\n```\n@code.md\n```\n",
  );
  expect(names).toEqual(["docs/a.md", "~/.claude/b.md", "NOTES", "README.md", "./c", "/etc/d"]);
});

test("importMemory() makes a thread of each type with its title as typed, and names the threads in the root", () => {
  const { body, children } = memory(
    entity("A", "api_endpoint", "x"),
    entity("B", "__proto__", "y"),
    entity("", "weird/../type", "z"),
    entity("C", "main"),
    entity("D", " ", "w"),
  );
  expect(children.map(({ id, title }) => `${id} ${title}`)).toEqual([
    "api-endpoint api_endpoint",
    "proto __proto__",
    "weird-type weird/../type",
    "main-2 main",
    "note Note",
  ]);
  expect(children[2]?.body).toBe("## State\n### (without a name)\n- z\n");
  expect(sectionOf(body, "State")).toContain("- api_endpoint: 1 entry, in the thread api-endpoint\n");
});

test("importMemory() gives the relations of an entity that stands twice to the first of them", () => {
  const { children } = memory(
    entity("A", "person", "one"),
    entity("A", "person", "two"),
    relation("A", "knows", "B"),
    relation("B", "knows", "A"),
  );
  expect(children[0]?.body).toBe("## State\n### A\n- one\n- knows B\n\n### A\n- two\n");
});

test("importMemory() keeps fields that the format doesn't have, twins, and numbers of any size", () => {
  const { children } = memory(
    '{"type":"entity","name":"A","name":"A2","entityType":"rule","observations":["b"],"at":[1],"n":12345678901234567890}',
    { ...relation("A2", "uses", "B"), since: "v2 only" },
    entity("T", `${"t".repeat(301)}`),
    entity("U", 7),
  );
  expect(children[0]?.body).toBe(
    "## Constraints\n### A2\n- b\n- name: A\n- at: [1]\n- n: 12345678901234567890\n- uses B (since: v2 only)\n",
  );
  expect(children[1]?.body).toBe(`## State\n### T\n- entityType: ${"t".repeat(301)}\n\n### U\n- entityType: 7\n`);
});

const GRAPH = [
  entity("Auth flow", "decision", "JWT", "two\nlines", "`code`"),
  entity("Kim", "person", 'likes tabs, "quotes" and [brackets], {braces}\\'),
  relation("Kim", "wrote", "Auth flow"),
  relation("Nobody", "knows", "Kim"),
];

test("importMemory() reads a line for each, a graph, and a list alike, and tells the lines of what is none", () => {
  const bare = GRAPH.map(({ type: _, ...rest }) => rest);
  const lists = { entities: bare.slice(0, 2), relations: bare.slice(2) };
  const forms = [
    GRAPH.map((item) => JSON.stringify(item)).join("\r\n"),
    `\ufeff${JSON.stringify(lists, undefined, 2)}`,
    JSON.stringify(GRAPH),
    JSON.stringify(bare, undefined, 1),
  ];
  for (const form of forms) {
    const { body, children, unread } = memory(form);
    expect(unread).toEqual([]);
    expect(children.map(({ title }) => title)).toEqual(["decision", "person"]);
    expect(children[0]?.body).toBe("## Decisions\n### Auth flow\n- JWT\n- two\n  lines\n- `code`\n");
    expect(sectionOf(body, "State")).toEndWith("- Nobody knows Kim");
  }
  expect(memory(...GRAPH, "broken {", "", '{"type":"other","x":"kept"}').unread).toEqual([5, 7]);
  const odd = memory(
    `{\n"version": 12345678901234567890,\n"entities": [\n${JSON.stringify(bare[0])},\n{"x": 1.50}\n]\n}`,
  );
  expect(odd.unread).toEqual([2, 5]);
  expect(odd.body).toContain('```\n"version": 12345678901234567890\n{"x": 1.50}\n```');
});

test("importMemory() takes no file for a memory that holds no entity and no relation", () => {
  const manifest = JSON.stringify({ name: "app", version: "1.0.0", dependencies: { a: "1" } }, undefined, 2);
  for (const source of [
    "{}",
    "[]",
    "null",
    "x",
    manifest,
    GUIDE,
    '{"entities":[],"relations":[]}',
    "[{}]",
    "[[]]",
    '["',
  ])
    expect(importMemory(source)).toMatchObject({ why: expect.stringContaining("no entity and no relation") });
});

test("importMemory() loses no word of odd memories", () => {
  const random = seeded(11);
  const texts = [
    "",
    " ",
    "a  b",
    "```\nopen",
    "# h\n## Decisions\n- x",
    "<!-- c",
    "\ttab",
    "x\r\ny",
    "été 日本",
    "- i\n\n  j",
  ];
  const keys = /^(?:type|entity|relation|name|entityType|observations|from|to|relationType)$/;
  for (let at = 0; at < 1000; at++) {
    const text = (): string => random.pick(texts);
    const items = Array.from({ length: 1 + random.next(6) }, () =>
      random.pick([
        () => entity(text(), text(), text(), text()),
        () => ({ ...entity(text(), random.next(9)), extra: text() }),
        () => relation(text(), text(), text()),
        () => ({ ...relation(text(), text(), text()), more: [text()] }),
        () => "broken { line",
      ])(),
    );
    const made = memory(entity("First", "t"), ...items);
    const values = JSON.stringify(items).replace(/\\[nrt]/g, " ");
    const all = [made, ...made.children]
      .map(({ title, body }) => `${title} ${body.replace(/\\[nrt]/g, " ")}`)
      .join(" ");
    // What a relation starts from is its entity's heading.
    const lost = lostWords(values, `${all} ${all}`.repeat(9)).filter((word) => !keys.test(word));
    if (lost.length > 0) throw new Error(`Lost ${lost.join(", ")} of\n${values}\n---\n${all}`);
  }
});
