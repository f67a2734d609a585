import { expect, test } from "bun:test";
import { findNearHeading, findSectionName, SECTION_NAMES, standsAlone } from "../../src/core/headings.ts";

const KNOWN = {
  Decisions: [
    "Decisions",
    "DECISIONS",
    "  decisions  ",
    "Décisions",
    "De\u0301cisions",
    "DÉCISIONS",
    "Decisions:",
    "Decisions :",
    "Décisions\u00a0:",
    "Decisions\u202f:",
    "Decisions\uff1a",
    "Decisions ##",
    "Decisions#",
    "**Decisions**",
    "**Decisions:**",
    "__Decisions__:",
    "*De*cisions",
    "~~Decisions~~",
    "`Decisions`",
    "📌 Decisions",
    "Decisions 📌",
    "✅Decisions",
    "⚙️ Decisions",
    "👩‍👩‍👧 Decisions",
    "🇫🇷 Décisions",
    "👍🏽 Decisions",
    ":memo: Decisions",
    "Decisions :white_check_mark:",
    "1. Decisions",
    "2) Decisions",
    "3.1 Decisions",
    "3.1. Decisions",
    "IV. Decisions",
    "ii) Decisions",
    "a) Decisions",
    "(a) Decisions",
    "(1) Decisions",
    "[2] Decisions",
    "1 Decisions",
    "1: Decisions",
    "1 - Decisions",
    "IV – Decisions",
    "A.1 Decisions",
    "1.a) Decisions",
    "1\ufe0f\u20e3 Decisions",
    "① Decisions",
    "**1. Decisions**",
    "1. **Decisions:**",
    "Decisions <!-- keep -->",
    "<!-- keep --> Decisions",
    "Decisions <!-- never closed",
    "Decisions #adr",
    "Decisions #adr #2026/04",
    "#adr Decisions",
    "# Decisions",
    "Decisions (2026)",
    "Decisions (see (this))",
    "Decisions(2)",
    "Decisions [draft]",
    "Decisions {#decisions}",
    "Decisions (a) [b] {#c} #d:",
    "Decisions [more](https://example.org/x)",
    '<a id="decisions"></a>Decisions',
    "Ｄｅｃｉｓｉｏｎｓ",
    "De\u00adcisions",
    "\u200bDecisions",
  ],
  Constraints: ["Constraints", "Contraintes", "CONTRAINTES :"],
  State: ["State", "État", "E\u0301TAT", "Etat"],
  "Open questions": [
    "Open questions",
    "Open Questions",
    "open  questions",
    "Open\u00a0questions",
    "Questions ouvertes",
  ],
  "Next steps": ["Next steps", "NEXT STEPS", "Prochaines étapes", "Prochaines Étapes (v2)"],
} as const;

test("`findSectionName()` knows the names in English and French, however they are dressed", () => {
  for (const name of SECTION_NAMES) {
    for (const heading of KNOWN[name]) expect([heading, findSectionName(heading)]).toEqual([heading, name]);
  }
});

test("`findSectionName()` takes nothing else for a name", () => {
  const unknown = [
    ...["", " ", "#", "##", "#decisions", "(Decisions)", "[Decisions]", "<!-- Decisions -->", "()", ":", "1.", "a)"],
    ...[
      "Decision",
      "Decisions made",
      "Key decisions",
      "Decisions, State",
      "The state",
      "States",
      "Statement",
      "Status",
    ],
    ...["Questions", "Open-questions", "Open_questions", "Nextsteps", "Entscheidungen", "decisions.md", "Decisions?"],
    `${"(".repeat(2000)}Decisions`,
    `Decisions ${"x".repeat(5000)}`,
  ];
  for (const heading of unknown) expect([heading, findSectionName(heading)]).toEqual([heading, undefined]);
});

test("`findNearHeading()` reads a heading without its blank, or a line that is only bold", () => {
  const cases = [
    ["##Decisions", "Decisions", 2, "## Decisions"],
    ["###Décisions :", "Decisions", 3, "### Décisions :"],
    ["   ##Constraints ##", "Constraints", 2, "## Constraints ##"],
    ["#Decisions", "Decisions", 1, "# Decisions"],
    ["##1.Decisions", "Decisions", 2, "## 1.Decisions"],
    ["**Decisions**", "Decisions", 2, "## Decisions"],
    ["__Constraints:__", "Constraints", 2, "## Constraints"],
    ["**Decisions**:", "Decisions", 2, "## Decisions"],
    ["***📌 Decisions***", "Decisions", 2, "## Decisions"],
  ] as const;
  for (const [line, name, level, heading] of cases) {
    expect([line, findNearHeading(line)]).toMatchObject([line, { name, level, heading }]);
  }
  const others = [
    "## Decisions",
    "Decisions",
    "#decisions",
    "#decisions #auth",
    "    ##Decisions",
    "**Decisions",
    "*Decisions*",
  ];
  const more = [
    "** Decisions **",
    "##Decisions are made",
    "**Decisions** are made",
    "- **Decisions**",
    "> ##Decisions",
    "#######Decisions",
  ];
  for (const line of [...others, ...more]) expect([line, findNearHeading(line)]).toEqual([line, undefined]);
});

test("`standsAlone()` tells whether the line below goes on with a paragraph", () => {
  for (const below of [undefined, "", "  ", "- a", "* a", "1. a", "> a"]) expect(standsAlone(below)).toBe(true);
  for (const below of ["text", "  text", "*text*".slice(1)]) expect(standsAlone(below)).toBe(false);
});
