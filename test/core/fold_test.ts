import { expect, test } from "bun:test";
import { foldIntoParent } from "../../src/core/fold.ts";
import { inheritedText } from "../../src/core/summary.ts";
import { type Seeded, seeded } from "./seeded.ts";

const PARENT = "## Decisions\n- one\n\n## State\n- here\n";

test("`foldIntoParent()` adds what the parent lacks of Decisions and Constraints, and nothing else", () => {
  const child =
    "## Decisions\n-  one \n- two\n  - below two\n\nA paragraph.\n\n## Constraints\n- must\n\n## State\n- child state\n";
  const { body, added } = foldIntoParent(PARENT, child, undefined);
  expect(added).toBe(3);
  expect(body).toBe(
    "## Decisions\n- one\n- two\n  - below two\n\nA paragraph.\n\n## Constraints\n- must\n\n## State\n- here\n",
  );
});

test("`foldIntoParent()` adds nothing the second time, with and without the source's name", () => {
  const children = [
    "## Decisions\n- two\n  - below\n- three\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "Just text.\n\n- a bullet\n",
    "# Title\n\ntext\n",
  ];
  for (const child of children) {
    for (const from of [undefined, "auth-ui"]) {
      const once = foldIntoParent(PARENT, child, from);
      expect(once.added).toBeGreaterThan(0);
      expect(foldIntoParent(once.body, child, from)).toEqual({ body: once.body, added: 0, movedToDecisions: false });
    }
  }
});

test("`foldIntoParent()` names the source of each bullet at the end of its first line", () => {
  const { body } = foldIntoParent(PARENT, "## Decisions\n- two\n  - below\n", "auth-ui");
  expect(body).toContain("- one\n- two (from auth-ui)\n  - below\n");
});

test("`foldIntoParent()` counts a child without sections as Decisions, and keeps a parent's plain text inherited", () => {
  expect(foldIntoParent(PARENT, "Use Redis.\n", undefined).body).toContain("- one\n\nUse Redis.\n");
  const { body, movedToDecisions } = foldIntoParent("Plain parent.\n", "## Decisions\n- two\n", undefined);
  expect(movedToDecisions).toBe(true);
  expect(body).toContain("## Decisions\nPlain parent.\n\n- two");
});

test("`foldIntoParent()` leaves the parent as it is when the child has nothing durable", () => {
  for (const child of ["", "\n", "## State\n- x\n"]) {
    expect(foldIntoParent(PARENT, child, undefined)).toEqual({ body: PARENT, added: 0, movedToDecisions: false });
  }
});

const HEADINGS = [
  ...["## Decisions", "# Constraints", "## State", "### Why", "## Notes", "Decisions", "Decisions:", "##Decsions"],
  ...["## Key decisions", "**Key constraints**", "# Constraint", "<h2>Decisions</h2>", "Key decisions\n---"],
];

/** Headings, bullets and paragraphs whose words all differ. */
function randomBody(random: Seeded, word: () => string): string {
  const lines = Array.from({ length: 2 + random.next(12) }, () => {
    if (random.next(3) === 0) return `\n${random.pick(HEADINGS)}`;
    return random.pick([`- ${word()}`, `  - ${word()}`, word(), `  ${word()}`, "", `- ${word()}\n\n  ${word()}`]);
  });
  return `${lines.join("\n")}\n`;
}

test("`foldIntoParent()` keeps every word of the parent, takes all that the child hands on, and adds nothing again", () => {
  const random = seeded(29);
  let count = 0;
  const word = (): string => `word${count++}`;
  const wordsOf = (text: string): string[] => text.match(/word\d+/g) ?? [];
  for (let round = 0; round < 2000; round++) {
    const [parent, child] = [randomBody(random, word), randomBody(random, word)];
    const { body } = foldIntoParent(parent, child, undefined);
    const shown = JSON.stringify({ parent, child, body });
    expect([shown, wordsOf(body)]).toEqual([shown, expect.arrayContaining(wordsOf(parent))]);
    expect([shown, wordsOf(inheritedText(body))]).toEqual([
      shown,
      expect.arrayContaining([...wordsOf(inheritedText(parent)), ...wordsOf(inheritedText(child))]),
    ]);
    expect([shown, foldIntoParent(body, child, undefined)]).toEqual([
      shown,
      { body, added: 0, movedToDecisions: false },
    ]);
  }
});
