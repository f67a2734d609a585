import type { Seeded } from "./seeded.ts";

const LINES = [
  ...["## Decisions", "## State", "# Constraints", "### State", "## Open questions <!-- k -->", "   ## Next steps ##"],
  ...[
    "## Notes",
    "# X",
    "### y",
    "##Decisions",
    "**Decisions**",
    "**Constraints:**",
    "Decisions",
    "State",
    "---",
    "===",
  ],
  ...["## Key decisions", "# Constraint", "##Decsions", "**Key constraints**", "Decisions:", "<h2>Decisions</h2>"],
  ...["##State", "**State**", "État :", "<h2>State</h2>", "## Rejected decisions", "# Decision log"],
  ...["- a", "- b", "* c", "1. d", "2) e", "  - n", "- D1\n\n  more", "-", "+", "1.", "- - -", "***"],
  ...["    code", "\tcode", "  cont", "```", "~~~", "````", "  ```", "    ```", "- ```", "```js"],
  ...["> q", "> - r", ">", "> ```", "> ## Decisions", ">\tcode", "- ## State", "    ## State", "\\## State"],
  ...[
    "<!--",
    "-->",
    "<!-- x -->",
    "<div>",
    "</div>",
    "<pre>",
    "</pre>",
    "<details",
    "<a b>",
    "<?",
    "?>",
    "<![CDATA[",
    "]]>",
  ],
  ...["text", "more words", "", "", "", "   ", "| a | b |", "|---|---|", '[x]: /u "t', "[x]: /u", '"', "&nbsp;"],
  ...["<<<<<<< HEAD", "=======", ">>>>>>> x", "## Thread: t", "_Cut to fit_", "Thread: t"],
] as const;

/** A random mix of headings, lists, quotes, fences, comments and HTML, with one kind of line end. */
export function randomMarkdown(
  random: Seeded,
  most = 14,
  ends: readonly string[] = ["\n", "\n", "\r\n", "\r"],
): string {
  const end = random.pick(ends);
  const count = 1 + random.next(most);
  let text = "";
  for (let at = 0; at < count; at++) {
    const indent = random.next(12) === 0 ? " ".repeat(random.next(5)) : "";
    const marker = random.pick(["", "", "", "", "", "", "", "", "", "> ", "- "]);
    const isLast = at === count - 1;
    text += indent + marker + random.pick(LINES).replaceAll("\n", end) + (isLast && random.next(3) === 0 ? "" : end);
  }
  return text;
}
