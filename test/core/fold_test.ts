import { expect, test } from "bun:test";
import { foldIntoParent } from "../../src/core/fold.ts";

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
