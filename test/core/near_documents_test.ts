import { expect, test } from "bun:test";
import { foldIntoParent } from "../../src/core/fold.ts";
import { SECTION_NAMES } from "../../src/core/headings.ts";
import { appendToSection, setSection } from "../../src/core/section_edit.ts";
import { inheritedText, parseSummary } from "../../src/core/summary.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { type Seeded, seeded } from "./seeded.ts";

/** Headings of durable sections that are only meant as such, without and with words of their own. */
const BARE = ["##Decisions", "**Decisions**", "**Décisions :**", "Decisions:", "## Decision", "<h2>Decisions</h2>"];
const TELLING = [
  "## Key decisions",
  "##Key decisions",
  "**Key decisions**",
  "Key decisions\n---",
  "<h2>Key decisions</h2>",
];
/** Headings of what isn't inherited, which end what is. */
const ENDING = ["## State", "##State", "##Next steps ##", "# Open questions"];
/** The same, below what is only meant as a heading itself. */
const LINES = [
  "**State**",
  "**Next steps:**",
  "State:",
  "État :",
  "Questions ouvertes:",
  "Prochaines étapes",
  "<h2>State</h2>",
];
const OTHERS = ["## Notes", "## Rejected decisions", "## Décisions à prendre", "# Log"];

interface Words {
  next(kind: "held" | "apart"): string;
}

function countWords(): Words {
  let count = 0;
  return { next: (kind) => `${kind}${count++}` };
}

/** Bullets and paragraphs. */
function blocksOf(random: Seeded, word: () => string): string {
  const blocks = Array.from({ length: 1 + random.next(3) }, () =>
    random.pick([`- ${word()}`, word(), `- ${word()}\n  - ${word()}`]),
  );
  return blocks.join("\n\n");
}

/** A part that is inherited, with sub-headings or without. */
function heldPart(random: Seeded, heading: string, words: Words): string {
  const word = (): string => words.next("held");
  const subs = Array.from(
    { length: random.next(3) },
    () => `${random.pick(["### API", "### Rejected", "#### Deep"])}\n${blocksOf(random, word)}`,
  );
  return [heading, blocksOf(random, word), ...subs].join("\n\n");
}

function apartPart(random: Seeded, heading: string, words: Words): string {
  return `${heading}\n\n${blocksOf(random, () => words.next("apart"))}`;
}

/** A document whose words say whether they are inherited: `heldN` or `apartN`. */
function randomDocument(random: Seeded, words: Words): string {
  const isProper = random.next(2) === 0;
  const held = isProper ? ["## Decisions", "## Constraints", "## Décisions ##"] : [...BARE, ...TELLING];
  const apart = [...ENDING, ...OTHERS, ...(isProper ? [] : LINES)];
  let isHeld = false;
  const parts = Array.from({ length: 1 + random.next(5) }, () => {
    // What is inherited already is cut apart by nothing less than a heading or a name.
    const next = isHeld && !isProper ? ["##Decisions", "**Decisions**", "## Decision", "## Key decisions"] : held;
    isHeld = random.next(2) === 0;
    return isHeld ? heldPart(random, random.pick(next), words) : apartPart(random, random.pick(apart), words);
  });
  return `${[...parts, apartPart(random, "## Next steps", words)].join("\n\n")}\n`;
}

/** Each form of another section's heading. */
const ENDS = [...ENDING, ...LINES, "**État**", "###State", "_Next steps_"];

test("what is meant as the heading of another section ends what is inherited under one that is only meant as such", () => {
  for (const heading of [...BARE, ...TELLING]) {
    for (const end of ENDS.filter((each) => each !== "###State")) {
      for (const eol of ["\n", "\r\n"]) {
        const body = `${heading}\n\n- K1\n\n${end}\n\n- S1 deployed\n\n## Next steps\n- N1\n`.replaceAll("\n", eol);
        expect([body, inheritedText(body)]).toEqual([body, `${heading}\n- K1`]);
        expect(foldIntoParent("", body, undefined).body).not.toContain("S1");
        if (!parseSummary(body).sections.some(({ name }) => name === "Decisions")) continue;
        expect(setSection(body, "Decisions", "- K2").body).toContain(`- S1 deployed${eol}`);
        expect(setSection(body, "Decisions", "").body).toContain(`- S1 deployed${eol}`);
      }
    }
  }
  const inOneBlock = "<h2>Decisions</h2>\n<p>K1</p>\n<h2>State</h2>\n<p>S1</p>\n\n## Next steps\n- N1\n";
  expect(inheritedText(inOneBlock)).toBe("<h2>Decisions</h2>\n<p>K1</p>");
});

test("it starts nothing, and is part of what stands under a heading, a deeper one, or in a list", () => {
  const kept = [
    "## Decisions\n\n**State**\n\n- in Redux\n\nState:\n- D",
    "##Decisions\n- D\n- **State**\n- State:\n  - x\n\n> **State**\n\n###State\n- D",
    "**Decisions**\n\n- D\n\nState is kept in Redux.\n\n**State** is global\n\nState\nis global",
  ];
  for (const text of kept) {
    expect(inheritedText(`${text}\n\n## Next steps\n- N\n`)).toBe(text.replace(/\n+/, "\n"));
    expect(parseSummary(`${text}\n\n## Next steps\n- N\n`).sections).toHaveLength(2);
  }
  expect(parseSummary("**State**\n\n- S\n\n##Next steps\n- N\n").sections).toEqual([]);
});

test("a summary without sections stays inherited whole when it is put under Decisions or merged, whatever it names", () => {
  for (const heading of ["##State", "#State", "<h2>State</h2>", "**State**", "State:", "##Next steps"]) {
    const text = `- D\n\n${heading}\n\n- S\n`;
    for (const edited of [
      setSection(text, "Next steps", "- N").body,
      foldIntoParent("## State\n- P\n", text, undefined).body,
      foldIntoParent(text, "## Decisions\n- K\n", undefined).body,
    ]) {
      const inherited = inheritedText(edited);
      for (const word of ["- D", "- S"]) expect([heading, inherited]).toEqual([heading, expect.stringContaining(word)]);
    }
  }
});

test("a lone line with a colon is the heading of a paragraph or table right below it", () => {
  for (const heading of ["Decisions:", "**Decisions:**", "**Décisions** :", "Décision :", "**Key decisions:**"]) {
    for (const below of ["We use Postgres.\nAnd Redis.", "| a | b |\n|---|---|\n| 1 | 2 |"]) {
      const text = `${heading}\n${below}`;
      expect(inheritedText(`intro\n\n${text}\n\n## State\n- S\n`)).toBe(text);
      expect(inheritedText(`## State\n- S\n\n${text}\n\n## Next steps\n- N\n`)).toBe(text);
    }
  }
  for (const text of ["Decisions: Postgres", "Decisions\nare in Linear", "We note\nDecisions:\nof old"])
    expect(inheritedText(`## State\n${text}\n`)).toBe("");
  expect(setSection("", "Decisions", "Decisions:\nWe use Postgres.").body).toBe("## Decisions\nWe use Postgres.\n");
});

test("a line that would end a section is refused with a way that works, for a section and for prose", () => {
  const lines = [
    "**Decisions**",
    "Décision :",
    "Constraints:",
    "##Decisions",
    "<h2>Decisions</h2>",
    "**Key decisions:**",
  ];
  for (const line of lines) {
    for (const below of ["\n\nare tracked in Linear.", "\n- x", ""]) {
      const content = `Blocked.\n\n${line}${below}`;
      expect(() => setSection("## State\n- S\n", "State", content)).toThrow("is a heading that would end it");
      try {
        setSection("## State\n- S\n", "State", content);
      } catch (error) {
        expect((error as ThreadMindError).hint).toEndWith(`If the line isn't meant as a heading, begin it with "- ".`);
      }
      const asItem = content.replace(line, `- ${line}`);
      expect(setSection("## State\n- S\n", "State", asItem).body).toBe(`## State\n${asItem}\n`);
    }
  }
  for (const prose of [
    "State:\nup",
    "Blocked.\n\n**Next steps**\n\nare in Linear.",
    "Decisions: in Linear",
    "Rejected decisions:\n- x",
  ])
    expect(setSection("## Constraints\n- C\n\n## State\n- S\n", "State", prose).body).toContain(
      prose.replace(/^State:\n/, ""),
    );
});

test("headings of decisions that don't hold stay apart, and their text is told", () => {
  for (const heading of ["## Rejected decisions", "## Décisions à prendre", "## Open decisions", "# Old constraints"]) {
    const body = `## Decisions\n- D\n\n${heading}\n- R\n\n## State\n- S\n`;
    expect([heading, inheritedText(body)]).toEqual([heading, "## Decisions\n- D"]);
    expect(parseSummary(body).overlooked).toEqual([heading.replace(/^#+ /, "")]);
    expect(foldIntoParent("## State\n- P\n", body, undefined).body).toBe("## Decisions\n- D\n\n## State\n- P\n");
  }
  expect(parseSummary("## Decisions\n- D\n\n### Rejected decisions\n- R\n").overlooked).toEqual([]);
  expect(parseSummary("## Rejected decisions\n- R\n").overlooked).toEqual([]);
});

test("the title of a document that speaks of decisions hands on its own text and none of the sections below it", () => {
  for (const title of ["# Architecture decisions", "# Decision log", "<h1>Key decisions</h1>", "Key decisions\n==="]) {
    const rest = "## Context\n- c\n\n## Decisions\n- D\n\n## Notes\n- n\n\n## State\n- S\n";
    expect([title, inheritedText(`${title}\n\n${rest}`)]).toEqual([title, "## Decisions\n- D"]);
    const intro = `${title}\n\nWe use Postgres.\n\n${rest}`;
    expect(inheritedText(intro)).toMatch(/We use Postgres\.\n\n## Decisions\n- D$/);
    expect(inheritedText(intro)).not.toMatch(/- [cnS]/);
  }
  const log = "# Decision log\n\n## Storage\n- D\n\n# State\n- S\n";
  expect(inheritedText(log)).toBe("# Decision log\n## Storage\n- D");
  expect(inheritedText("# Decision: one database\n\n## State\n- S\n")).toBe("# Decision: one database");
});

const ROUNDS = 600;
const wordsIn = (text: string, kind: string): string[] => (text.match(new RegExp(`${kind}\\d+`, "g")) ?? []).sort();

test("of any document all that is under headings of decisions is inherited, once, and nothing else", () => {
  const random = seeded(41);
  for (let round = 0; round < ROUNDS; round++) {
    const body = randomDocument(random, countWords());
    const inherited = inheritedText(body);
    expect([body, wordsIn(inherited, "held")]).toEqual([body, wordsIn(body, "held")]);
    expect([body, wordsIn(inherited, "apart")]).toEqual([body, []]);
  }
});

/** The sub-headings under which each inherited word stands; none for what stands under none. */
function headingsOf(body: string): Map<string, string> {
  const places = new Map<string, string>();
  let open: string[] = [];
  for (const line of body.replace(/Key decisions\n---/g, "## Key decisions").split("\n")) {
    const [, hashes = "", text = ""] = /^(#{1,6}) ?(.*)$/.exec(line) ?? [];
    const telling = /^(?:#{2,3} ?|\*\*|<h2>)(Key decisions)/.exec(line)?.[1];
    if (telling !== undefined) open = [telling];
    else if (hashes.length > 3) open = [...open.filter((each) => each !== "Deep"), text];
    else if (hashes.length === 3) open = [text];
    else if (hashes !== "" || BARE.includes(line) || LINES.includes(line) || line.startsWith("<h2>")) open = [];
    for (const word of line.match(/held\d+/g) ?? []) places.set(word, open.join(" > "));
  }
  return places;
}

test("a merge of any two documents keeps every word below its sub-heading, and does nothing the second time", () => {
  const random = seeded(43);
  for (let round = 0; round < ROUNDS; round++) {
    const words = countWords();
    const [parent, child] = [randomDocument(random, words), randomDocument(random, words)];
    for (const from of [undefined, "kid"]) {
      const { body } = foldIntoParent(parent, child, from);
      const shown = JSON.stringify({ parent, child, body });
      expect([shown, wordsIn(body, "apart")]).toEqual([shown, wordsIn(parent, "apart")]);
      expect([shown, wordsIn(body, "held")]).toEqual([shown, wordsIn(parent + child, "held")]);
      expect([shown, wordsIn(inheritedText(body), "held")]).toEqual([shown, wordsIn(parent + child, "held")]);
      const again = foldIntoParent(body, child, from);
      expect([shown, again.body, again.added]).toEqual([shown, body, 0]);
      const after = headingsOf(body.replaceAll(" (from kid)", ""));
      for (const [word, place] of [...headingsOf(parent), ...headingsOf(child)])
        expect([shown, word, after.get(word)]).toEqual([shown, word, place]);
    }
  }
});

test("writing a section of any document leaves every byte beside it, and adding to it loses no word", () => {
  const random = seeded(47);
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const body = randomDocument(random, countWords()).replaceAll("\n", random.pick(["\n", "\r\n"]));
    const { sections } = parseSummary(body);
    for (const name of SECTION_NAMES) {
      const named = sections.filter((section) => section.name === name);
      const [section] = named;
      if (section === undefined || named.length > 1) continue;
      for (const content of ["- new", "new\n\n### API\n\n- new too", ""]) {
        const edited = edit(() => setSection(body, name, content).body);
        // Without sections all of a summary is inherited.
        if (edited === undefined || parseSummary(edited).sections.length === 0) continue;
        count++;
        const shown = JSON.stringify({ body, name, content, edited });
        expect([shown, edited.startsWith(body.slice(0, section.start))]).toEqual([shown, true]);
        expect([shown, edited.endsWith(body.slice(section.end))]).toEqual([shown, true]);
        expect([shown, wordsIn(inheritedText(edited), "apart")]).toEqual([shown, []]);
        const added = edit(() => appendToSection(body, name, content).body) ?? body;
        expect([shown, wordsIn(added, "\\w")]).toEqual([
          shown,
          wordsIn(body, "\\w").concat(wordsIn(content, "\\w")).sort(),
        ]);
        expect([shown, wordsIn(inheritedText(added), "held")]).toEqual([shown, wordsIn(body, "held")]);
      }
    }
  }
  expect(count).toBeGreaterThan(ROUNDS);
});

function edit(change: () => string): string | undefined {
  try {
    return change();
  } catch (error) {
    if (error instanceof ThreadMindError && error.code === "invalid-content") return undefined;
    throw error;
  }
}
