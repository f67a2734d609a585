import { expect, test } from "bun:test";
import { SECTION_NAMES, type SectionName } from "../../src/core/headings.ts";
import { normaliseLineEnds, trimBlankLines } from "../../src/core/lines.ts";
import { closeLastBlock } from "../../src/core/open_blocks.ts";
import { appendToSection, type SectionEdit, setSection } from "../../src/core/section_edit.ts";
import { contentOf, inheritedText, parseSummary, sectionText } from "../../src/core/summary.ts";
import { splitUnits, type Unit } from "../../src/core/units.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { randomMarkdown } from "./markdown_texts.ts";
import { seeded } from "./seeded.ts";

const BODY = "## Decisions\n- D1\n\n## State\n- S1\n\n## Next steps\n- N1\n";

type Case = readonly [body: string, name: SectionName, content: string, expected: string];

function check(edit: (body: string, name: SectionName, content: string) => SectionEdit, cases: readonly Case[]): void {
  for (const [body, name, content, expected] of cases) {
    expect([body, edit(body, name, content).body]).toEqual([body, expected]);
    const [inReturns, wanted] = [body.replaceAll("\n", "\r\n"), expected.replaceAll("\n", "\r\n")];
    if (body.includes("\n")) expect([body, edit(inReturns, name, content).body]).toEqual([body, wanted]);
  }
}

function failure(change: () => unknown): ThreadMindError | undefined {
  try {
    change();
  } catch (error) {
    if (error instanceof ThreadMindError) return error;
    throw error;
  }
  return undefined;
}

test("`setSection()` replaces the content of one section and nothing else", () => {
  check(setSection, [
    [BODY, "State", "- S2", "## Decisions\n- D1\n\n## State\n- S2\n\n## Next steps\n- N1\n"],
    [BODY, "State", "\n\n- S2\n- S3\n\n", "## Decisions\n- D1\n\n## State\n- S2\n- S3\n\n## Next steps\n- N1\n"],
    [BODY, "Next steps", "text", "## Decisions\n- D1\n\n## State\n- S1\n\n## Next steps\ntext\n"],
    ["a\n\n## State\n\n- S1  \n\n\n\n# Log\n", "State", "- S2", "a\n\n## State\n\n- S2\n\n\n\n# Log\n"],
    ["## State\n- S1\n## Notes\n- N", "State", "text", "## State\ntext\n## Notes\n- N"],
    ["## State\n\n## Notes\n", "State", "- S", "## State\n- S\n\n## Notes\n"],
    ["## State\n## Notes\n", "State", "- S", "## State\n- S\n\n## Notes\n"],
    ["## State\n", "State", "- S", "## State\n- S\n"],
    ["## State", "State", "- S", "## State\n- S"],
    ["## State\n- S1", "State", "- S2", "## State\n- S2"],
    ["```\nx\n```\nState\n---\n- S1\n", "State", "- S2\n", "```\nx\n```\nState\n---\n- S2\n"],
    ["## State\n```\nx\n```\nDecisions\n---\n- D", "State", "text", "## State\ntext\n\nDecisions\n---\n- D"],
  ]);
});

test("`setSection()` takes all of a section in which a line is underlined, and leaves the next", () => {
  const body = "## State\nLogin works\n---\nLogout doesn't yet\n\n## Next steps\n- logout\n";
  expect(setSection(body, "State", "All works").body).toBe("## State\nAll works\n\n## Next steps\n- logout\n");
});

test("`setSection()` keeps the heading as it is, and makes one of what was only meant as one", () => {
  check(setSection, [
    ["   ## **Décisions** <!-- keep -->\n- D1\n", "Decisions", "- D2", "   ## **Décisions** <!-- keep -->\n- D2\n"],
    ["Decisions\n=========\n- D1\n", "Decisions", "- D2", "Decisions\n=========\n- D2\n"],
    ["### Decisions ###\n- D1\n", "Decisions", "- D2", "### Decisions ###\n- D2\n"],
    ["##Décisions :\n- D1\n", "Decisions", "- D2", "## Décisions :\n- D2\n"],
    ["**Decisions**\n\n- D1\n", "Decisions", "- D2", "## Decisions\n\n- D2\n"],
    ["## State\n- S\n##Decisions\n- D1\n", "Decisions", "- D2", "## State\n- S\n## Decisions\n- D2\n"],
    ["##Decisions\n- D1\n\n## State\n- S1\n", "State", "- S2", "##Decisions\n- D1\n\n## State\n- S2\n"],
  ]);
});

test("`setSection()` changes no byte when the content is the same", () => {
  const bodies = ["##Decisions\n\n- D1\n- D2  \n\n\n", "## Decisions\r\n- D1\n- D2\r", "# Décisions\n- D1\n- D2"];
  for (const body of bodies)
    expect(setSection(body, "Decisions", "- D1\n- D2\n")).toEqual({ body, movedToDecisions: false });
});

test("`setSection()` creates an absent section in standard order", () => {
  check(setSection, [
    ["", "State", "- S", "## State\n- S\n"],
    ["\n", "State", "- S", "\n## State\n- S\n"],
    ["   ", "State", "- S", "   \n## State\n- S"],
    [BODY, "Constraints", "- C", BODY.replace("## State", "## Constraints\n- C\n\n## State")],
    [BODY, "Open questions", "- Q", BODY.replace("## Next", "## Open questions\n- Q\n\n## Next")],
    ["## State\n- S", "Next steps", "- N", "## State\n- S\n\n## Next steps\n- N"],
    ["## State\n- S\n", "Next steps", "- N", "## State\n- S\n\n## Next steps\n- N\n"],
    ["a\n\n## State\n- S\n", "Decisions", "- D", "a\n\n## Decisions\n- D\n\n## State\n- S\n"],
    ["## Decisions\n- D\n\n## Notes\n- N\n", "State", "- S", "## Decisions\n- D\n\n## State\n- S\n\n## Notes\n- N\n"],
    [
      "## State\n- S\n##Constraints\n- C\n",
      "Decisions",
      "- D",
      "## Decisions\n- D\n\n## State\n- S\n##Constraints\n- C\n",
    ],
    ["### State\n- S\n", "Decisions", "- D", "### Decisions\n- D\n\n### State\n- S\n"],
    [
      "### Decisions\n- D\n### Notes\n- N\n",
      "State",
      "- S",
      "### Decisions\n- D\n\n### State\n- S\n\n### Notes\n- N\n",
    ],
    ["## Decisions\n```\nD", "State", "- S", "## Decisions\n```\nD\n```\n\n## State\n- S"],
    ["## Decisions\n<!-- D\n\n", "State", "- S", "## Decisions\n<!-- D\n-->\n\n## State\n- S\n"],
  ]);
});

test("`setSection()` removes a section with empty content", () => {
  check(setSection, [
    [BODY, "State", "", "## Decisions\n- D1\n\n## Next steps\n- N1\n"],
    [BODY, "State", " \n## State\n\n", "## Decisions\n- D1\n\n## Next steps\n- N1\n"],
    [BODY, "Next steps", "\n", "## Decisions\n- D1\n\n## State\n- S1\n\n"],
    [BODY, "Constraints", "", BODY],
    ["text\n", "State", "", "text\n"],
    ["# Decisions\n- D\n## State\n- S\n## Notes\n- N\n", "State", "", "# Decisions\n- D\n## State\n\n## Notes\n- N\n"],
  ]);
});

test("`setSection()` drops a repeated own heading", () => {
  const headings = ["## State", "# État:", "### State", "State\n-----", "##State", "**State**", "## 3. State ##\n"];
  for (const heading of headings) {
    expect([heading, setSection(BODY, "State", `\n${heading}\n- S2\n`).body]).toEqual([
      heading,
      BODY.replace("- S1", "- S2"),
    ]);
  }
  expect(setSection(BODY, "State", "**State**\nof affairs").body).toBe(BODY.replace("- S1", "**State**\nof affairs"));
});

test("`setSection()` refuses content whose headings would end the section, and names the line", () => {
  const cases = [
    ["State", "- S\n\n## Decisions\n- D", 3, "## Decisions"],
    ["State", "\n## State\n- S\n# Contraintes\n- C", 4, "# Contraintes"],
    ["State", "- S\n##Decisions\n- D", 2, "##Decisions"],
    ["Decisions", "a\n\n**Constraints**\n\n- C", 3, "**Constraints**"],
    ["Decisions", "- a\n\nDecisions\n---\n- b", 3, "Decisions"],
    ["State", "- S\r\n## Notes\r\n- N", 2, "## Notes"],
  ] as const;
  for (const [name, content, line, heading] of cases) {
    for (const edit of [setSection, appendToSection]) {
      const error = failure(() => edit(BODY, name, content));
      expect([content, error?.code]).toEqual([content, "invalid-content"]);
      expect(error?.message).toBe(
        `Cannot write the section ${name}: line ${line} of the content is a heading that would end it: ${heading}`,
      );
    }
  }
  expect(failure(() => setSection(BODY, "State", "## Next steps\n- N"))?.hint).toContain("Next steps");
  expect(failure(() => setSection(BODY, "State", "## Notes\n- N"))?.hint).toContain("###");
});

test("`setSection()` takes deeper headings, known ones too, and headings in code", () => {
  const contents = [
    "### Decisions\n- D",
    "- S\n\n#### Notes\n\nNotes\n---\ntext",
    "```\n## Decisions\n```",
    "> ## Decisions",
  ];
  for (const content of contents) {
    expect(sectionText(parseSummary(setSection(BODY, "State", content).body), "State")).toBe(content);
  }
  expect(setSection("# State\n- S", "State", "## Notes\n- N").body).toBe("# State\n## Notes\n- N");
});

test("`setSection()` closes what the content leaves open", () => {
  const { body } = setSection(BODY, "State", "- S2\n\n```js\ncode");
  expect(body).toBe(BODY.replace("- S1", "- S2\n\n```js\ncode\n```"));
  expect(setSection(body, "State", "- S2\n\n```js\ncode").body).toBe(body);
});

test("`setSection()` and `appendToSection()` refuse a section that stands twice, and name its lines", () => {
  const body = "## Decisions\n- D1\n\n## State\n- S1\n\n## Decisions\n- D2\n";
  for (const edit of [setSection, appendToSection]) {
    const error = failure(() => edit(body, "Decisions", "- D3"));
    expect(error?.code).toBe("conflicting-sections");
    expect(error?.message).toBe(
      "Cannot change the section Decisions: it stands twice in the summary (lines 1, 7 of its file).",
    );
  }
  expect(setSection(body, "State", "- S2").body).toBe(body.replace("S1", "S2"));
  expect(appendToSection(body, "Decisions", "- D3", { intoLast: true }).body).toBe(`${body}- D3\n`);
});

test("`setSection()` puts what a summary without sections says under Decisions first", () => {
  const cases = [
    ["JWT auth.\n\n- access 15 min", "State", "- S", "## Decisions\nJWT auth.\n\n- access 15 min\n\n## State\n- S"],
    ["\n- a\n", "Decisions", "- b", "\n## Decisions\n- a\n- b\n"],
    ["text\n", "Decisions", "- b", "## Decisions\ntext\n\n- b\n"],
    ["# Auth\ntext\n## API\n- a\n", "State", "- S", "## Decisions\n### Auth\ntext\n#### API\n- a\n\n## State\n- S\n"],
    ["##### API\n- a\n", "State", "- S", "## Decisions\n##### API\n- a\n\n## State\n- S\n"],
    ["```\na", "State", "- S", "## Decisions\n```\na\n```\n\n## State\n- S"],
  ] as const;
  for (const [body, name, content, expected] of cases) {
    for (const edit of [setSection, appendToSection]) {
      expect([body, edit(body, name, content)]).toEqual([body, { body: expected, movedToDecisions: true }]);
      const inReturns = body.replaceAll("\n", "\r\n");
      if (body.includes("\n")) expect(edit(inReturns, name, content).body).toBe(expected.replaceAll("\n", "\r\n"));
    }
  }
  expect(setSection("\n\n", "State", "- S").movedToDecisions).toBe(false);
});

test("`appendToSection()` adds to the end of a section, a list item to its list", () => {
  check(appendToSection, [
    [BODY, "State", "- S2", BODY.replace("- S1", "- S1\n- S2")],
    [BODY, "State", "\n\n- S2\n- S3\n\n", BODY.replace("- S1", "- S1\n- S2\n- S3")],
    [BODY, "State", "text", BODY.replace("- S1", "- S1\n\ntext")],
    [BODY, "State", "  text", BODY.replace("- S1", "- S1\n\ntext")],
    [BODY, "State", "    code", BODY.replace("- S1", "- S1\n\n<!-- -->\n\n    code")],
    [BODY, "State", "## State\n- S2", BODY.replace("- S1", "- S1\n- S2")],
    [BODY, "State", "", BODY],
    ["## State\ntext\n\n\n# Log\n", "State", "- S", "## State\ntext\n\n- S\n\n\n# Log\n"],
    ["## State\n- S1", "State", "- S2", "## State\n- S1\n- S2"],
    ["## State\n", "State", "- S", "## State\n- S\n"],
    ["##Decisions\n- D1\n", "Decisions", "- D2", "## Decisions\n- D1\n- D2\n"],
    ["## State\n```\na", "State", "- S", "## State\n```\na\n```\n\n- S"],
    [BODY, "Constraints", "- C", BODY.replace("## State", "## Constraints\n- C\n\n## State")],
  ]);
  expect(appendToSection("## State\n- a\r\n- b\r\n", "State", "- c").body).toBe("## State\n- a\r\n- b\r\n- c\r\n");
});

test("`appendToSection()` adds below the sub-heading that the text has, and what has none above the first one", () => {
  const old = "## Decisions\n- a\n\n### Rejected\n- r\n\n#### Deep\n- d\n### API\n- p\n\n## State\n- S\n";
  const added = (from: string, to: string): string => old.replace(from, to);
  check(appendToSection, [
    [old, "Decisions", "- new\n- more", added("- a\n", "- a\n- new\n- more\n")],
    [old, "Decisions", "text", added("- a\n", "- a\n\ntext\n")],
    [old, "Decisions", "### Rejected\n- new", added("- r\n", "- r\n- new\n")],
    [old, "Decisions", "- new\n\n### API\n\n- q", added("- a\n", "- a\n- new\n").replace("- p\n", "- p\n- q\n")],
    [old, "Decisions", "### Rejected\n#### Deep\n- new", added("- d\n", "- d\n- new\n\n")],
    [old, "Decisions", "### Rejected\n#### Old\n- new", added("- d\n", "- d\n\n#### Old\n- new\n\n")],
    [old, "Decisions", "### New\n- new", added("- p\n", "- p\n\n### New\n- new\n")],
    [
      old,
      "Decisions",
      "#### API\n- new",
      added("- p\n", "- p\n\n### API\n- new\n")
        .replace("### API\n- new", "- new")
        .replace("- p\n\n- new", "- p\n- new"),
    ],
    ["## Decisions\n### API\n- p\n", "Decisions", "- new", "## Decisions\n- new\n\n### API\n- p\n"],
    [
      "# Decisions\n- a\n\n## API\n- p\n",
      "Decisions",
      "### New\n- n",
      "# Decisions\n- a\n\n## API\n- p\n\n## New\n- n\n",
    ],
    ["## State\n- a\n\n### API\n<div>\n### no\n", "State", "- b", "## State\n- a\n- b\n\n### API\n<div>\n### no\n"],
    ["## State\n```\n### no\n```\n", "State", "- b", "## State\n```\n### no\n```\n\n- b\n"],
  ]);
  const reason = appendToSection(old, "Decisions", "- Done: shipped", { intoLast: true }).body;
  expect(reason).toBe(added("- p\n", "- p\n- Done: shipped\n"));
});

/** What a refused edit is, so that only documented refusals are passed over. */
function tryEdit(edit: () => SectionEdit): SectionEdit | undefined {
  try {
    return edit();
  } catch (error) {
    if (error instanceof ThreadMindError && /^(?:invalid-content|conflicting-sections)$/.test(error.code))
      return undefined;
    throw error;
  }
}

function othersOf(body: string, name: SectionName): string[] {
  const summary = parseSummary(body);
  const others = summary.sections.filter((section) => section.name !== name);
  return [
    ...others.map((section) => `${section.name}\n${closeLastBlock(contentOf(summary, section))}`),
    ...summary.nearSections.map((near) => `near ${near.words}\n${closeLastBlock(contentOf(summary, near))}`),
  ];
}

/** The units of each place where a section stands. */
function unitsIn(body: string, name: SectionName): readonly Unit[] {
  const summary = parseSummary(body);
  const named = summary.sections.filter((section) => section.name === name);
  return named.flatMap((section) => splitUnits(closeLastBlock(contentOf(summary, section))));
}

/** True if every character of a text stands in another one, in the same order. */
function isWithin(text: string, longer: string): boolean {
  let at = 0;
  for (let from = 0; from < longer.length && at < text.length; from++) if (longer[from] === text[at]) at++;
  return at === text.length;
}

const ROUNDS = 6000;

test("`setSection()` gives the content back, leaves every other section, and does nothing the second time", () => {
  const random = seeded(17);
  let edits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const body = randomMarkdown(random);
    const content = randomMarkdown(random, 5, ["\n"]);
    const name = random.pick(SECTION_NAMES);
    const edit = tryEdit(() => setSection(body, name, content));
    if (edit === undefined || edit.movedToDecisions) continue;
    edits++;
    const shown = JSON.stringify({ body, name, content, edited: edit.body });
    const found = sectionText(parseSummary(edit.body), name) ?? "";
    expect([shown, closeLastBlock(trimBlankLines(content)).endsWith(found)]).toEqual([shown, true]);
    expect([shown, othersOf(edit.body, name)]).toEqual([shown, othersOf(body, name)]);
    expect([shown, tryEdit(() => setSection(edit.body, name, content))?.body]).toEqual([shown, edit.body]);
    const section = parseSummary(body).sections.find((each) => each.name === name);
    if (section === undefined) expect([shown, isWithin(body, edit.body)]).toEqual([shown, true]);
    else {
      expect([shown, edit.body.startsWith(body.slice(0, section.start))]).toEqual([shown, true]);
      expect([shown, edit.body.endsWith(body.slice(section.end))]).toEqual([shown, true]);
    }
  }
  expect(edits).toBeGreaterThan(ROUNDS / 6);
});

test("`appendToSection()` keeps every unit that was there, and every other section", () => {
  const random = seeded(19);
  for (let round = 0; round < ROUNDS; round++) {
    const body = randomMarkdown(random);
    const content = randomMarkdown(random, 5, ["\n"]);
    const name = random.pick(SECTION_NAMES);
    const edit = tryEdit(() => appendToSection(body, name, content, { intoLast: true }));
    if (edit === undefined || edit.movedToDecisions) continue;
    const shown = JSON.stringify({ body, name, content, edited: edit.body });
    expect([shown, othersOf(edit.body, name)]).toEqual([shown, othersOf(body, name)]);
    const keys = new Set(unitsIn(edit.body, name).map(({ key }) => key));
    const lost = unitsIn(body, name).filter(({ key }) => !keys.has(key));
    expect([shown, lost]).toEqual([shown, []]);
  }
});

test("a summary without sections stays inherited whole when it gets its first one", () => {
  const random = seeded(23);
  const bare = (text: string) => normaliseLineEnds(text).replace(/[#\s]/g, "");
  let moved = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const body = randomMarkdown(random);
    const edit = tryEdit(() => setSection(body, "State", "- S"));
    if (edit?.movedToDecisions !== true) continue;
    moved++;
    const shown = JSON.stringify({ body, edited: edit.body });
    const kept = sectionText(parseSummary(edit.body), "Decisions") ?? "";
    expect([shown, bare(kept).startsWith(bare(body))]).toEqual([shown, true]);
    if (!body.includes("<!--")) expect(inheritedText(edit.body)).toBe(`## Decisions\n${kept}`);
    expect(sectionText(parseSummary(edit.body), "State")).toBe("- S");
  }
  expect(moved).toBeGreaterThan(100);
});
