import { expect, test } from "bun:test";
import { mergeBodies } from "../../src/core/body_merge.ts";
import { describeChanges, type Version } from "../../src/core/changes.ts";
import { logDecisions } from "../../src/core/decision_log.ts";
import { besideDurable, durableUnits, otherText } from "../../src/core/durable.ts";
import { renderEditNote } from "../../src/core/edit_note.ts";
import { foldIntoParent } from "../../src/core/fold.ts";
import type { Governor } from "../../src/core/search.ts";
import { appendToSection, setSection } from "../../src/core/section_edit.ts";
import { inheritedText, parseSummary } from "../../src/core/summary.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { sketchThread } from "./threads.ts";

/** Headings that are near to a durable section's, and what a merge keeps of their words. */
const NEAR = [
  ["## Decision", ""],
  ["# Constraint", ""],
  ["## Contrainte", ""],
  ["## Decsions", ""],
  ["## Constrains", ""],
  ["## [Decisions](x)", ""],
  ["## Key decisions", "Key decisions"],
  ["## Decisions & constraints", "Decisions & constraints"],
  ["## Decisions — auth", "Decisions — auth"],
  ["## Décisions prises ##", "Décisions prises"],
  ["## Decision: one database", "Decision: one database"],
  ["Key decisions\n---", "Key decisions"],
  ["##Key decisions", "Key decisions"],
  ["**Key decisions**", "Key decisions"],
  ["Decisions:", ""],
  ["Decisions", ""],
  ["*Contraintes*", ""],
  ["<h2>Decisions</h2>", ""],
  ['<h2 align="center">\nKey decisions\n</h2>', "Key decisions"],
] as const;

/** The section as which a text under one of them is inherited. */
const nameOf = (heading: string): "Decisions" | "Constraints" =>
  /^\W*contra|^\W*constra/i.test(heading) ? "Constraints" : "Decisions";

const inBoth = (body: string): string[] => [body, body.replaceAll("\n", "\r\n")];

test("what stands under a near-heading of a durable section is inherited with it, wherever it stands", () => {
  for (const [heading] of NEAR) {
    const texts = [
      `${heading}\n- D\n\n## State\n- S\n`,
      `## State\n- S\n\n${heading}\n- D\n`,
      `# State\ntext\n\n${heading}\n- D\n\n## Next steps\n- N\n`,
      `## Notes\n- n\n\n${heading}\n- D\n\n## State\n- S\n`,
    ];
    for (const body of texts.flatMap(inBoth)) {
      expect([body, inheritedText(body)]).toEqual([body, `${heading}\n- D`]);
    }
    const beside = `## Decisions\n- D1\n\n## State\n- S\n\n${heading}\n\n- D2\n\n## Constraints\n- C\n`;
    expect(inheritedText(beside)).toBe(`## Decisions\n- D1\n\n${heading}\n- D2\n\n## Constraints\n- C`);
  }
});

test("a near-heading with nothing below it is inherited where it says something itself", () => {
  expect(inheritedText("## Decision: one database\n\n## State\n- S\n")).toBe("## Decision: one database");
  expect(inheritedText("## Decision\n\n## State\n- S\n\nConstraints:\n")).toBe("");
});

test("a summary whose only headings are near ones is inherited whole", () => {
  for (const [heading] of NEAR) {
    const body = `We looked around.\n\n${heading}\n- D\n\n## Notes\n- n`;
    expect(inheritedText(body)).toBe(body);
  }
});

test("a near-heading cuts nothing apart that is inherited, and none stands in lists, quotes, code and sentences", () => {
  const bodies = [
    "## Decisions\n- D\n\nConstraints:\n- C\n\n**Key decisions**\n\n- K\n\n### Decision 2\n- E",
    "# Decisions\n\n## Decision 1\n- D\n\n## Decision 2\n- E",
    "## Key decisions\n- K\n\nConstraints:\n- C\n\n## State\n- S",
    "## State\n- S\n- Decisions:\n  - x\n\n  Decisions:\n\n> Decisions:\n> - q\n\n```\n## Key decisions\nDecisions:\n```\n",
    "## State\nDecisions\nare JWT, and no cookies.\n\nOur key decisions:\n- x\n\n    Decisions:\n\n<!--\n## Key decisions\n-->\n",
    "## State\nWe took the decision to move on with it\n---\nThen we moved.\n\n- a\nDecisions:\n- b\n",
    "## State\n- S\n\n### Key decisions\n- K\n",
  ];
  const parts = bodies.map((body) => {
    const { sections, nearSections } = parseSummary(body);
    return [...sections, ...nearSections].map(({ name, start, end }) => `${name} ${end - start === body.length}`);
  });
  expect(parts).toEqual([
    ["Decisions true"],
    ["Decisions true"],
    ["State false", "Decisions false"],
    ["State true"],
    ["State true"],
    ["State true"],
    ["State true"],
  ]);
});

test("headings of durable sections that belong to another section are told, as their text isn't inherited", () => {
  const body =
    "## State\n\n### Key decisions\n- K\n\n#### Constraints ##\n- C\n\n## Decisions\n\n### Decision 1\n- D\n";
  expect(parseSummary(body).overlooked).toEqual(["Key decisions", "Constraints"]);
  for (const [heading] of NEAR) {
    const { overlooked } = parseSummary(`## State\n- S\n\n${heading}\n- D\n`);
    expect([heading, overlooked]).toEqual([heading, []]);
  }
});

function tryEdit(edit: () => { readonly body: string }): string | undefined {
  try {
    return edit().body;
  } catch (error) {
    if (error instanceof ThreadMindError && error.code === "invalid-content") return undefined;
    throw error;
  }
}

test("writing, adding to and removing sections leaves every near section as it is", () => {
  for (const [heading] of NEAR) {
    const near = `${heading}\n- mine\n`;
    for (const body of [
      `## Decisions\n- D\n\n## State\n- S\n\n${near}`,
      `${near}\n## State\n- S\n`,
      `## State\n- S\n\n${near}\n## Next steps\n- N\n`,
    ].flatMap(inBoth)) {
      const kept = near.replaceAll("\n", body.includes("\r") ? "\r\n" : "\n");
      for (const name of ["Decisions", "Constraints", "State", "Next steps"] as const) {
        const edits = [
          () => setSection(body, name, "- new"),
          () => setSection(body, name, "text\n\nmore"),
          () => setSection(body, name, ""),
          () => appendToSection(body, name, "- new"),
        ];
        for (const [at, edit] of edits.entries()) {
          const edited = tryEdit(edit) ?? body;
          expect([at, name, edited]).toEqual([at, name, expect.stringContaining(kept)]);
          if (parseSummary(edited).sections.length > 0) expect(inheritedText(edited)).toContain(`\n- mine`);
          if (at < 2) expect(edited).toContain(at === 0 ? "- new" : "more");
        }
      }
    }
  }
});

test("content for a section drops a near-heading that only repeats its name, and is refused where one would end it", () => {
  for (const heading of ["## Decision", "Decisions:", "**Decsions**", "##Decisions", "Décision\n---"]) {
    expect(setSection("", "Decisions", `${heading}\n- D`).body).toBe("## Decisions\n- D\n");
  }
  expect(setSection("", "Decisions", "Decisions").body).toBe("## Decisions\nDecisions\n");
  expect(setSection("", "Decisions", "**Key decisions**\n\n- D").body).toBe("## Decisions\n**Key decisions**\n\n- D\n");
  const hintOf = (edit: () => unknown): string => {
    try {
      edit();
    } catch (error) {
      if (error instanceof ThreadMindError) return `${error.message} ${error.hint}`;
    }
    return "";
  };
  expect(hintOf(() => setSection("", "State", "- S\n\nConstraints:\n- C"))).toBe(
    'Cannot write the section State: line 3 of the content is a heading that would end it: Constraints: Write Constraints in a call of its own, or the whole summary without section. If the line isn\'t meant as a heading, begin it with "- ".',
  );
  expect(hintOf(() => setSection("", "Decisions", "- D\n\n## Key decisions\n- K"))).toContain("Use ### or deeper");
});

test("a merge into the parent takes what stands under near-headings, with headings that say more than the name", () => {
  for (const [heading, words] of NEAR) {
    const child = `## State\n- S\n\n${heading}\n- K1\n- K2\n`;
    const { body, added } = foldIntoParent("## State\n- P\n", child, undefined);
    const expected = `## ${nameOf(heading)}\n${words === "" ? "" : `### ${words}\n\n`}- K1\n- K2\n\n## State\n- P\n`;
    expect([heading, added, body]).toEqual([heading, 2, expected]);
    expect(foldIntoParent(body, child, undefined)).toMatchObject({ body, added: 0 });
    const parent = `## State\n- P\n\n${heading}\n- K1\n- K2\n`;
    expect(foldIntoParent(parent, child, undefined)).toMatchObject({ body: parent, added: 0 });
    const foreign = foldIntoParent("## State\n- P\n", child, "kid").body;
    expect(foreign).toContain("- K1 (from kid)\n- K2 (from kid)\n");
    if (words !== "") expect(foreign).toContain(`### ${words} (from kid)\n`);
    expect(foldIntoParent(foreign, child, "kid")).toMatchObject({ body: foreign, added: 0 });
  }
});

test("a merge adds no heading of which the parent has all that stands below, and one that stands alone", () => {
  const parent = "## Decisions\n- K1\n- K2\n";
  expect(foldIntoParent(parent, "## Key decisions\n- K1\n\n## State\n- S\n", undefined).body).toBe(parent);
  expect(foldIntoParent(parent, "## Decision: one database\n\n## State\n- S\n", undefined)).toMatchObject({
    body: `${parent.trimEnd()}\n\n### Decision: one database\n`,
    added: 1,
  });
  const nested = "# Decisions\n- a\n\n## Storage\n- b\n";
  expect(foldIntoParent(parent, nested, undefined)).toMatchObject({
    body: `${parent}- a\n\n### Storage\n\n- b\n`,
    added: 2,
  });
});

test("what a thread says of a section, and beside all of them, divides its text", () => {
  const body =
    "intro\n\n## Key decisions\n- K\n\n## Decisions\n- D\n\nDecision:\n\n## Notes\n- n\n\n## State\n\nDecisions:\n- X\n";
  const summary = parseSummary(body);
  const textsOf = (name: "Decisions" | "Constraints"): string[] => durableUnits(summary, name).map(({ text }) => text);
  expect(textsOf("Decisions")).toEqual(["- D", "Decision:", "- X", "### Key decisions", "- K"]);
  expect(textsOf("Constraints")).toEqual([]);
  expect(otherText(summary).split(/\n+/)).toEqual(["intro", "## Notes", "- n"]);
  expect(besideDurable(summary)).toEqual(["other text"]);
  expect(besideDurable(parseSummary("## State\n- S\n\n## Next steps\n\n## Open questions\n- q"))).toEqual([
    "State",
    "Open questions",
  ]);
});

test("two sides of a conflict keep every word under near-headings, each under its own", () => {
  for (const [heading] of NEAR) {
    const base = `intro\n\n## Decisions\n- D\n\n## State\n- S\n\n${heading}\n- K\n\n## Next steps\n- N\n`;
    const ours = base.replace("- K", "- K\n- ours").replace("- D", "- D\n- ours too");
    const theirs = base.replace("- K", "- theirs\n- K").replace("intro", "intro of theirs");
    const { body, conflicts } = mergeBodies(base, ours, theirs);
    expect([heading, conflicts]).toEqual([heading, []]);
    const inherited = inheritedText(body).split("\n");
    expect(inherited).toEqual(expect.arrayContaining(["- D", "- ours too", "- K", "- ours", "- theirs"]));
    expect(body).toBe(
      `intro of theirs\n\n## Decisions\n- D\n- ours too\n\n## State\n- S\n\n${heading}\n- theirs\n- K\n- ours\n\n## Next steps\n- N\n`,
    );
  }
});

test("the change log, the history and the note before an edit tell what stands under a near-heading", () => {
  for (const [heading] of NEAR) {
    const bodies = ["- K", "- K\n- added"].map((text) => `## State\n- S\n\n${heading}\n${text}\n`);
    const [before, after] = bodies.map(
      (body) => new Map([["a", { ...sketchThread({ id: "a", body }), hasHeader: true }]]),
    );
    const [change] = logDecisions(before ?? new Map(), after ?? new Map());
    expect(change?.decisions).toEqual([{ kind: "added", section: nameOf(heading), text: "- added" }]);
    expect(change?.otherSections).toEqual([]);
    const [older, newer] = bodies.map((body) => ({ fields: {}, body })) as never as [Version, Version];
    expect(describeChanges(older, newer)).toEqual([`${nameOf(heading)} +1`]);
    const thread = sketchThread({ id: "a", body: bodies[1] ?? "" });
    expect(renderEditNote(["x"], [{ thread, path: "." } as Governor], new Map()).text).toContain("\n- K\n- added");
  }
  const body = "## Decision: one database\n\n## Decision\n- D\n\n## State\n- S\n";
  const { text } = renderEditNote(
    ["x"],
    [{ thread: sketchThread({ id: "a", body }), path: "." } as Governor],
    new Map(),
  );
  expect(text).toBe("Decided earlier about x (ThreadMind):\nThread a, about .:\n## Decision: one database\n- D");
});
