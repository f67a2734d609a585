import { expect, test } from "bun:test";
import { SECTION_NAMES } from "../../src/core/headings.ts";
import { hasKnownSection, inheritedText, parseSummary, sectionText, statusReason } from "../../src/core/summary.ts";
import { randomMarkdown } from "./markdown_texts.ts";
import { seeded } from "./seeded.ts";

/** Sections as `line Name: content`, for reading. */
function sectionsOf(body: string): string[] {
  return parseSummary(body).sections.map(({ name, line, contentStart, end }) => {
    const content = body.slice(contentStart, end).replace(/\r\n?/g, "\n").trim().replaceAll("\n", "|");
    return `${line} ${name}: ${content}`;
  });
}

function check(cases: readonly (readonly [body: string, sections: readonly string[]])[]): void {
  for (const [body, sections] of cases) {
    expect([body, ...sectionsOf(body)]).toEqual([body, ...sections]);
    const inReturns = sectionsOf(body.replaceAll("\n", "\r\n"));
    expect([body, ...inReturns]).toEqual([body, ...sections]);
  }
}

const IN_CODE = `## Decisions
- template for new threads:
  \`\`\`md
  ## State
  - (fill in)
  \`\`\`
- nested example:

\`\`\`\`md
\`\`\`
## Constraints
\`\`\`
## Next steps
\`\`\`\`

~~~
\`\`\`
## State
~~~
- last decision

## State
- real state
`;

test("`parseSummary()` doesn't see headings in code", () => {
  const { sections } = parseSummary(IN_CODE);
  expect(sections.map(({ name, line, near }) => [name, line, near])).toEqual([
    ["Decisions", 1, false],
    ["State", 22, false],
  ]);
  const inherited = inheritedText(IN_CODE);
  expect(inherited).toBe(IN_CODE.slice(0, IN_CODE.indexOf("\n\n## State\n- real")));
  expect(inherited).toContain("last decision");
  expect(inherited).not.toContain("real state");
});

test("`parseSummary()` takes a rule after a list for a rule, and an underlined line for text", () => {
  const body = `## Decisions
- keep one database
---
- no ORM

## State
Login works
---
Logout doesn't yet

## Next steps
- logout
`;
  expect(sectionsOf(body)).toEqual([
    "1 Decisions: - keep one database|---|- no ORM",
    "6 State: Login works|---|Logout doesn't yet",
    "11 Next steps: - logout",
  ]);
  expect(inheritedText(body)).toBe("## Decisions\n- keep one database\n---\n- no ORM");
});

test("`inheritedText()` hands down a decision however its heading is written", () => {
  const headings = [
    ...["Decisions\n---------", "# Decisions", "## DECISIONS", "## Decisions ##", "## Decisions:"],
    ...["   ## **Decisions** <!-- keep -->", "##Decisions", "**Decisions**", "__Decisions:__", "## 1. Décisions"],
  ];
  for (const [at, heading] of headings.entries()) {
    for (const end of ["\n", "\r\n", "\r"]) {
      const body = `${heading}\n- D${at}\n\n## State\n- S\n`.replaceAll("\n", end);
      expect(inheritedText(body)).toBe(`${heading}\n- D${at}`);
    }
  }
});

test("`inheritedText()` joins a section that stands twice, in file order", () => {
  const body = "## Decisions\n- D1\n\n## State\n- S1\n\n## Decisions\n- D2\n";
  expect(sectionsOf(body)).toEqual(["1 Decisions: - D1", "4 State: - S1", "7 Decisions: - D2"]);
  expect(inheritedText(body)).toBe("## Decisions\n- D1\n- D2");
  expect(sectionText(parseSummary(body), "Decisions")).toBe("- D1\n- D2");
  const mixed =
    "## Constraints\nC1\n\n## Décisions\n- D1\n\n## State\n- S\n\n# Constraints\n\nC2\n\nDecisions\n---\nD2\n";
  expect(inheritedText(mixed)).toBe("## Constraints\nC1\n\nC2\n\n## Décisions\n- D1\n\nD2");
});

test("`inheritedText()` leaves out what is commented out, sections and lines", () => {
  const body = `## Decisions
- D1
<!--

## Decisions
- dropped: session cookies

## State
- old
-->

## State
- S1
`;
  expect(sectionsOf(body)).toHaveLength(2);
  expect(inheritedText(body)).toBe("## Decisions\n- D1");
  expect(inheritedText("## Decisions\n<!-- later -->\n- D1\n<!-- a -->\n- D2")).toBe("## Decisions\n- D1\n- D2");
  expect(inheritedText("## Decisions\n- D1 <!-- why -->\n\n<!-- a --> text")).toBe(
    "## Decisions\n- D1 <!-- why -->\n\n<!-- a --> text",
  );
  expect(inheritedText("## Decisions\n- D1\n<!-- never closed\n- D2")).toBe(
    "## Decisions\n- D1\n<!-- never closed\n- D2",
  );
});

test("`inheritedText()` gives the whole summary when no name is known", () => {
  const body = "\n\nImplemented JWT auth.\r\n\r\n# API\r\n- access 15 min\r\n<!-- c -->\r\n\r\n";
  expect(inheritedText(body)).toBe("Implemented JWT auth.\n\n# API\n- access 15 min\n<!-- c -->");
  expect(inheritedText("    code\n")).toBe("    code");
});

test("`inheritedText()` is empty when nothing is handed down", () => {
  const bodies = [
    "",
    "\n \n",
    "## State\n- S",
    "## Decisions\n\n## State\n- S",
    "text\n\n## Next steps\n- N",
    "## Decisions",
  ];
  for (const body of bodies) expect([body, inheritedText(body)]).toEqual([body, ""]);
  expect(inheritedText("## Decisions\n<!-- none yet -->\n")).toBe("");
});

test("`inheritedText()` keeps text above the first section and unknown sections with the thread", () => {
  const body = "About auth.\n\n## Decisions\n- D\n\n## Notes\n- N\n\n## Constraints\n- C\n\n# Log\n- L\n";
  expect(inheritedText(body)).toBe("## Decisions\n- D\n\n## Constraints\n- C");
});

test("`parseSummary()` starts and ends sections by the levels of headings", () => {
  check([
    ["## Decisions\n- D\n### State\n- S\n", ["1 Decisions: - D|### State|- S"]],
    ["### Decisions\n- D\n### State\n- S\n", ["1 Decisions: - D", "3 State: - S"]],
    ["###### Decisions\n- D\n##### Notes\n- N\n", ["1 Decisions: - D"]],
    ["### Decisions\n- D\n#### Why\n- W\n", ["1 Decisions: - D|#### Why|- W"]],
    ["## Decisions\n- D\n## Notes\n### State\n- S\n", ["1 Decisions: - D", "4 State: - S"]],
    ["# Decisions\n- D\n## Why\n- W\n# Notes\n- N", ["1 Decisions: - D|## Why|- W"]],
    ["# Decisions\n- D\n## State\n- S\n### Constraints\n- C", ["1 Decisions: - D", "3 State: - S|### Constraints|- C"]],
    ["## State\n- S\nNotes\n-----\ntext\n", ["1 State: - S|Notes|-----|text"]],
    ["Notes\n=====\n\nState\n=====\n- S\n", ["4 State: - S"]],
    ["Open\nquestions\n---\n- Q\n", ["1 Open questions: - Q"]],
    ["## Decisions\n## State\n", ["1 Decisions: ", "2 State: "]],
    ["## Decisions", ["1 Decisions: "]],
    ["\n\n\n## Decisions\n- D", ["4 Decisions: - D"]],
  ]);
});

test("`parseSummary()` doesn't see headings in quotes, lists, comments, HTML, and indented or escaped ones", () => {
  check([
    ["> ## Decisions\n> - D\n", []],
    ["- ## Decisions\n  - D\n", []],
    ["1. a\n\n   ## Decisions\n", []],
    ["<!--\n## Decisions\n-->\n", []],
    ["<div>\n## Decisions\n</div>\n", []],
    ["<pre>\n\n## Decisions\n", []],
    ["    ## Decisions\n", []],
    ["\\## Decisions\n", []],
    ["`## Decisions`\n", []],
    ["- a\n## Decisions\n- D", ["2 Decisions: - D"]],
    ["> q\n## Decisions\n- D", ["2 Decisions: - D"]],
    ["text\n## Decisions\n- D", ["2 Decisions: - D"]],
    ["| a |\n|---|\n| b |\n## Decisions\n- D", ["4 Decisions: - D"]],
  ]);
});

test("`parseSummary()` takes near-headings of durable sections for sections, and of others for their end", () => {
  check([
    ["##Decisions\n- D\n\n## State\n- S\n", ["1 Decisions: - D", "4 State: - S"]],
    ["## State\n- S\n##Decisions\n- D\n", ["1 State: - S", "3 Decisions: - D"]],
    ["## State\n- S\n  ##Decisions\n- D\n", ["1 State: - S|  ##Decisions|- D"]],
    ["## State\n> S\n##Constraints\n- C\n", ["1 State: > S", "3 Constraints: - C"]],
    ["## State\ntext\n##Constraints\ntext\n", ["1 State: text", "3 Constraints: text"]],
    ["## State\n\n**Decisions**\n\nD\n", ["1 State: ", "3 Decisions: D"]],
    ["## State\n- S\n**Decisions**\n- D\n", ["1 State: - S", "3 Decisions: - D"]],
    ["## State\n- S\n\n**Decisions** are made\n", ["1 State: - S||**Decisions** are made"]],
    ["## State\n\n**Decisions**\nare made\n", ["1 State: **Decisions**|are made"]],
    ["## Decisions\n- D\n##State\n- S\n", ["1 Decisions: - D"]],
    ["## Decisions\n- D\n###State\n- S\n", ["1 Decisions: - D|###State|- S"]],
    ["## Decisions\n- D\n\n**State**\n\n- S\n", ["1 Decisions: - D||**State**||- S"]],
    ["## Decisions\n- D\n###Constraints\n- C\n", ["1 Decisions: - D|###Constraints|- C"]],
    ["###Constraints\n- C\n", ["1 Constraints: - C"]],
    ["text\n\n#decisions #auth\n", []],
    ["```\n##Decisions\n```\n", []],
    ["- ```\n  ##Decisions\n  ```\n", []],
    ["<!--\n##Decisions\n-->\n", []],
  ]);
  expect(parseSummary("##Decisions\n- D").sections).toEqual([
    { name: "Decisions", level: 2, start: 0, contentStart: 12, near: true, line: 1, end: 15 },
  ]);
});

test("`parseSummary()` gives offsets into the body as it is, whatever its line ends", () => {
  const body = "a\r\n\r\n## State\r\n- S\r\n\r\nDecisions\r\n---\r\n- D\r\n";
  const [state, decisions] = parseSummary(body).sections;
  expect(body.slice(state?.start, state?.contentStart)).toBe("## State\r\n");
  expect(body.slice(state?.contentStart, state?.end)).toBe("- S\r\n\r\n");
  expect(body.slice(decisions?.start, decisions?.contentStart)).toBe("Decisions\r\n---\r\n");
  expect(body.slice(decisions?.contentStart, decisions?.end)).toBe("- D\r\n");
  expect(decisions?.line).toBe(6);
});

test("`parseSummary()` keeps a summary with merge conflicts in one piece", () => {
  const body = `## Decisions
<<<<<<< HEAD
Tokens live in cookies
=======
Tokens live in headers
>>>>>>> feature/auth

## State
- login done
`;
  expect(parseSummary(body).sections.map(({ name }) => name)).toEqual(["Decisions", "State"]);
});

test("`parseSummary()` reads a rule and YAML in the body as content", () => {
  const body =
    "\n## Decisions\n- keep the header below\n\n---\n\n```yaml\n---\nkind: example\n---\n```\n\n## State\n- ok\n";
  expect(sectionsOf(body)).toEqual([
    "2 Decisions: - keep the header below||---||```yaml|---|kind: example|---|```",
    "13 State: - ok",
  ]);
});

test("`parseSummary()` gives any text sections that lie one after the other", () => {
  const random = seeded(7);
  for (let round = 0; round < 10000; round++) {
    const body = randomMarkdown(random);
    let end = 0;
    for (const section of parseSummary(body).sections) {
      expect(section.start).toBeGreaterThanOrEqual(end);
      expect(section.contentStart).toBeGreaterThan(section.start);
      expect(section.end).toBeGreaterThanOrEqual(section.contentStart);
      expect(section.line).toBe(body.slice(0, section.start).split(/\r\n|\r|\n/).length);
      end = section.end;
    }
    expect(end).toBeLessThanOrEqual(body.length);
    inheritedText(body);
    statusReason(body);
  }
});

test("`sectionText()` is the content alone, `undefined` where the section is absent", () => {
  const summary = parseSummary("## Decisions\r\n\r\n    code\r\n\r\n## State\r\n");
  expect(SECTION_NAMES.map((name) => sectionText(summary, name))).toEqual([
    "    code",
    undefined,
    "",
    undefined,
    undefined,
  ]);
});

test("`hasKnownSection()` is true for one section, also a near one", () => {
  const cases = [
    ["", false],
    ["text\n\n# Notes\n", false],
    ["##Decisions\n- D", true],
    ["## Next steps", true],
  ] as const;
  for (const [body, isKnown] of cases) expect([body, hasKnownSection(body)]).toEqual([body, isKnown]);
});

test("`statusReason()` is the last bullet of Decisions that gives one", () => {
  const cases = [
    ["## Decisions\n- D\n- Abandoned: too slow to cache\n", "Abandoned", "too slow to cache"],
    ["## Decisions\r\n- D\r\n* Done:  shipped in 1.2 \r\n\r\n## State\r\n- S", "Done", "shipped in 1.2"],
    [
      "## Décisions\n- Abandoned: a\n- Reopened (was abandoned: needed (after all))\n",
      "Reopened",
      "needed (after all)",
    ],
    ["## Decisions\n- Reopened (was done)\n", "Reopened", ""],
    ["## Decisions\n- Abandoned: a\n- later\n", "Abandoned", "a"],
    ["## Decisions\n- Done: a\n\n## State\n- S\n\n## Decisions\n- Abandoned: b\n", "Abandoned", "b"],
  ] as const;
  for (const [body, word, reason] of cases) {
    const found = statusReason(body);
    expect([body, found?.word, found?.reason]).toEqual([body, word, reason]);
    expect(body.slice(found?.start, found?.end)).toMatch(/^[-*] (?:Abandoned|Done|Reopened)[^\r\n]*$/);
  }
});

test("`statusReason()` is `undefined` for bullets elsewhere, nested ones and others", () => {
  const bodies = [
    ...["", "- Abandoned: a", "## State\n- Abandoned: a", "## Decisions\n- D\n  - Abandoned: a"],
    ...["## Decisions\nAbandoned: a", "## Decisions\n- Abandoned:", "## Decisions\n```\n- Abandoned: a\n```"],
    ...["## Decisions\n- Abandoned idea: a", "## Decisions\n> - Done: a", "## Decisions\n- Reopened the shop"],
  ];
  for (const body of bodies) expect([body, statusReason(body)]).toEqual([body, undefined]);
});
