import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importMarkdown } from "../src/core/import_markdown.ts";
import { importMemory } from "../src/core/import_memory.ts";
import { parseSummary, sectionText } from "../src/core/summary.ts";
import { seeded } from "./core/seeded.ts";
import { run } from "./support/binary.ts";
import { readThread } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

const GUIDE = `# Shop guide

Intro line with a [link](https://example.org).

## Architecture
- Next.js and PostgreSQL

### Folders
| Folder | What |
|---|---|
| src | code |

## Coding conventions
Tabs, never spaces.

Setext heading
--------------
below it

## Commands
\`\`\`sh
# not a heading
npm test
\`\`\`

## Décisions
- Stripe

## Roadmap
1. ship
2. rest
`;

/** What of a text no change of headings, blanks and markers may take away. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

function lostWords(source: string, made: string): string[] {
  const left = new Map<string, number>();
  for (const word of wordsOf(made)) left.set(word, (left.get(word) ?? 0) + 1);
  // The name of a known section may be written in the other language.
  return wordsOf(source).filter((word) => {
    if (/^d[eé]cisions$/i.test(word)) return false;
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}

test("importMarkdown() places sections by their headings, what it can't place in State, and the title on the project", () => {
  const { title, body } = importMarkdown(GUIDE);
  const summary = parseSummary(body);
  const of = (name: Parameters<typeof sectionText>[1]): string => sectionText(summary, name) ?? "";
  expect(title).toBe("Shop guide");
  expect(summary.sections.map(({ name }) => name)).toEqual(["Decisions", "Constraints", "State", "Next steps"]);
  expect(of("Decisions")).toContain("### Architecture\n- Next.js and PostgreSQL");
  expect(of("Decisions")).toContain("- Stripe");
  expect(of("Constraints")).toContain("### Coding conventions\nTabs, never spaces.");
  expect(of("State")).toContain("Intro line with a [link]");
  expect(of("State")).toContain("### Commands\n```sh\n# not a heading\nnpm test\n```");
  expect(of("Next steps")).toBe("### Roadmap\n1. ship\n2. rest");
});

const PIECES = [
  "# Title\n",
  "## Rules\n",
  "### Deep\n",
  "Setext\n===\n",
  "Other\n---\n",
  "- bullet one\n",
  "  - nested\n",
  "```\n# code\n",
  "```\n",
  "> quote\n",
  "<!-- comment\n",
  "-->\n",
  "plain text\n",
  "\n",
  "##Decisions\n",
  "**Decisions**\n",
  "| a | b |\n|---|---|\n",
  "***\n",
  "<div>\n",
  "---\nid: x\n---\n",
  "été 日本\r\n",
];

test("importMarkdown() places what it can behind frontmatter, text above the title, and more than one title", () => {
  const { title, body } = importMarkdown(
    "---\nname: front\n---\n\nAbove.\n\n# Shop\nIntro.\n\n## Decisions\n- Stripe\n\n# More\ntext\n\n## Constraints\n- fast\n",
  );
  expect(title).toBe("Shop");
  const of = (name: Parameters<typeof sectionText>[1]): string => sectionText(parseSummary(body), name) ?? "";
  expect([of("Decisions"), of("Constraints")]).toEqual(["- Stripe", "- fast"]);
  expect(of("State")).toBe("```yaml\n---\nname: front\n---\n```\n\nAbove.\n\nIntro.\n\n### More\ntext");
});

test("importMemory() keeps fields that the format doesn't have", () => {
  const entity = { type: "entity", name: "A", entityType: "rule", observations: ["b"], createdBy: "kim", at: [1] };
  const relation = { type: "relation", from: "A", to: "B", relationType: "uses", since: "v2 only" };
  const { children } = importMemory(`${JSON.stringify(entity)}\n${JSON.stringify(relation)}`);
  expect(children[0]?.body).toBe(
    "## Constraints\n### A\n- b\n- createdBy: kim\n- at: [1]\n- uses B (since: v2 only)\n",
  );
});

test("importMarkdown() loses no word of anything", () => {
  const random = seeded(7);
  const sources = [
    GUIDE,
    "",
    "no heading at all\n",
    "## Only\n",
    "# A\n\n# B\ntext\n",
    "\ufeff# BOM\r\ntext\r\n",
    "```\nnever closed\n# x\n",
  ];
  for (let at = 0; at < 2000; at++)
    sources.push(Array.from({ length: random.next(14) }, () => random.pick(PIECES)).join(""));
  for (const source of sources) {
    const { title = "", body } = importMarkdown(source);
    const lost = lostWords(source, `${title} ${body}`);
    if (lost.length > 0) throw new Error(`Lost ${lost.join(", ")} of\n${source}\n---\n${title}\n${body}`);
  }
});

test("importMemory() loses no word of a graph, in either form, and of what is none", () => {
  const entity = {
    type: "entity",
    name: "Auth flow",
    entityType: "decision",
    observations: ["JWT", "two\nlines", "`code`"],
  };
  const person = { type: "entity", name: "Kim", entityType: "person", observations: ["likes tabs"] };
  const relation = { type: "relation", from: "Kim", to: "Auth flow", relationType: "wrote" };
  const loose = { type: "relation", from: "Nobody", to: "Kim", relationType: "knows" };
  const lines = [entity, person, relation, loose].map((item) => JSON.stringify(item)).join("\n");
  const graph = { entities: [entity, person].map(({ type: _, ...rest }) => rest), relations: [relation, loose] };
  for (const source of [
    lines,
    `${lines}\nbroken {\n{"type":"other","x":"kept"}\n`,
    JSON.stringify(graph),
    "[]",
    "null",
    "x",
  ]) {
    const { body, children } = importMemory(source);
    const made = `${body} ${children.map((child) => `${child.title} ${child.body}`).join(" ")}`;
    const values = wordsOf(source.replace(/\\n/g, " ")).filter(
      (word) =>
        !/^(?:type|entity|relation|name|entityType|observations|from|to|relationType|entities|relations|decision|person)$/.test(
          word,
        ),
    );
    for (const word of values) expect(made).toContain(word);
  }
  const { children } = importMemory(lines);
  expect(children.map(({ title }) => title)).toEqual(["Decision", "Person"]);
  expect(children[0]?.body).toBe("## Decisions\n### Auth flow\n- JWT\n- two\n  lines\n- `code`\n");
  expect(children[1]?.body).toBe("## State\n### Kim\n- likes tabs\n- wrote Auth flow\n");
});

test("`import` makes a project of a file, leaves it as it is, and refuses what isn't one", async () => {
  const repository = gitRepository();
  const file = join(repository.top, "CLAUDE.md");
  writeFileSync(file, GUIDE);
  const { stdout, code } = await run(["import", "claude-md", "CLAUDE.md"], {
    cwd: repository.top,
    home: repository.home,
  });
  expect([code, stdout.includes("into the new project shop-guide")]).toEqual([0, true]);
  expect(readFileSync(file, "utf8")).toBe(GUIDE);
  expect(lostWords(GUIDE, `Shop guide ${readThread(repository.top, "main", "shop-guide")}`)).toEqual([]);
  const again = await run(["import", "claude-md", file, "--title", "Other", "--json"], {
    cwd: repository.top,
    home: repository.home,
  });
  expect(JSON.parse(again.stdout)).toEqual({ version: 1, project: "other", threads: ["main"] });
  writeFileSync(
    join(repository.top, "memory.json"),
    '{"type":"entity","name":"A","entityType":"rule","observations":["b"]}\n',
  );
  const memory = await run(["import", "memory-json", "memory.json"], { cwd: repository.top, home: repository.home });
  expect([memory.code, memory.stdout.includes("1 thread below it")]).toEqual([0, true]);
  expect((await run(["context", "memory/rule"], { cwd: repository.top })).stdout).toContain(
    "## Constraints\n### A\n- b",
  );
  const before = readdirSync(join(repository.top, ".threadmind/projects"));
  writeFileSync(join(repository.top, "secret.md"), `# S\n\nkey ghp_${"a1".repeat(18)}\n`);
  writeFileSync(join(repository.top, "empty.md"), "\n");
  writeFileSync(join(repository.top, "bytes.md"), Buffer.from([0xff, 0xfe, 0, 1]));
  const refused = [
    ["claude-md", "none.md"],
    ["claude-md", "."],
    ["claude-md", "secret.md"],
    ["claude-md", "empty.md"],
    ["claude-md", "bytes.md"],
  ];
  for (const words of refused) expect((await run(["import", ...words], { cwd: repository.top })).code).toBe(1);
  for (const words of [[], ["claude"], ["claude-md"], ["claude-md", "a", "b"], ["claude-md", "a", "--x"]])
    expect((await run(["import", ...words], { cwd: repository.top })).code).toBe(2);
  expect(readdirSync(join(repository.top, ".threadmind/projects"))).toEqual(before);
  expect((await run(["import", "claude-md", "secret.md", "--allow-secret"], { cwd: repository.top })).code).toBe(0);
});
