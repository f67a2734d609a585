import { expect, test } from "bun:test";
import {
  findNearHeading,
  findNearName,
  findSectionName,
  isAboutUnheld,
  isSetOff,
  SECTION_NAMES,
  standsAlone,
} from "../../src/core/headings.ts";

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

const NEAR_NAMES = {
  Decisions: {
    bare: [
      ...[
        "Decision",
        "décision",
        "Décision :",
        "1. Decision",
        "📌 **Decision**",
        "[Decisions](x)",
        "(Decisions)",
        "Decisions?",
      ],
      ...[
        "Decsions",
        "Descisions",
        "Desicions",
        "Decisons",
        "Dicisions",
        "Decissions",
        "Decission",
        "Desisions",
        "Décsions",
      ],
    ],
    telling: [
      ...["Key decisions", "Decisions — auth", "Decisions & constraints", "Décisions prises", "Decisions made so far"],
      ...[
        "Decision: one database",
        "Auth (decisions)",
        "State of decisions",
        "Decision log",
        "Key descisions",
        "decisions.md",
      ],
      "A [decision](docs/constraints.md)",
    ],
  },
  Constraints: {
    bare: ["Constraint", "Contrainte", "Constrains", "Contraints", "Constaints", "Constriants", "Contriantes"],
    telling: ["Hard constraints", "Constraints/decisions", "Contraintes techniques", "Database constraints"],
  },
} as const;

test("`findNearName()` takes a durable name in the singular, misspelt or among other words, and tells whether there are any", () => {
  for (const name of ["Decisions", "Constraints"] as const) {
    for (const isBare of [true, false]) {
      for (const heading of NEAR_NAMES[name][isBare ? "bare" : "telling"]) {
        expect([heading, findSectionName(heading)]).toEqual([heading, undefined]);
        expect([heading, findNearName(heading)]).toEqual([heading, { name, isBare }]);
      }
    }
  }
});

test("`findNearName()` takes no other word for a durable name", () => {
  const others = [
    ...["", "Indecision", "Precision", "Incisions", "Divisions", "Constants", "Constructs", "Containers", "Contrasts"],
    ...["State", "Stat", "Notes", "Next stps", "Questions", "Undecided", "Decided", "Deciding", "Collisions"],
    ...["[Log](docs/decisions.md)", "<!-- Decisions -->", `Decision ${"x".repeat(5000)}`],
  ];
  for (const heading of others) expect([heading, findNearName(heading)]).toEqual([heading, undefined]);
});

const UNHELD = [
  ...["Rejected decisions", "Decisions not taken", "Old decisions", "Superseded decisions", "Former constraints"],
  ...["Obsolete decisions", "Open decisions", "Pending decisions", "Deferred decisions", "Undecided: decisions"],
  ...["No decisions", "No decisions yet", "Non-decisions", "Alternatives to the decision", "Decisions to make"],
  ...["Decisions to be made", "Decisions we dropped", "Decisions that were reverted", "Lifted constraints"],
  ...["Decisions: rejected", "Decisions — pending review", "Decisions no longer valid", "🚫 **Rejected** decisions"],
  ...["Proposed decisions", "Decision proposals", "Remaining decisions", "Unresolved decisions", "Decisions: to make"],
  ...["Décisions rejetées", "Décisions refusées", "Décisions abandonnées", "Anciennes décisions", "Décision annulée"],
  ...["Décisions obsolètes", "Décisions en attente", "Décisions ouvertes", "Décisions à prendre", "Contraintes levées"],
  ...["Décisions : en attente", "Aucune décision", "Pas de décision", "Décisions non prises", "Ancienne contrainte"],
];

const HELD = [
  ...[
    "Decision: no ORM",
    "Decision: reject GraphQL",
    "Decision — old clients stay supported",
    "Decisions on open files",
  ],
  ...[
    "Non-functional constraints",
    "Contraintes non fonctionnelles",
    "Decisions about removed users",
    "Decisions to date",
  ],
  ...["Contraintes à respecter", "Constraints to respect", "Unified decisions", "Décisions sur les anciennes API"],
];

test("a heading about decisions or constraints that don't hold, or not yet, isn't near to their names", () => {
  for (const heading of UNHELD) {
    expect([heading, findNearName(heading), isAboutUnheld(heading)]).toEqual([heading, undefined, true]);
    for (const line of [`##${heading}`, `**${heading}**`, `${heading}:`])
      expect([line, findNearHeading(line)]).toEqual([line, undefined]);
  }
  for (const heading of [...HELD, "Decisions", "Key decisions"])
    expect([heading, findNearName(heading)?.isBare, isAboutUnheld(heading)]).toEqual([
      heading,
      heading === "Decisions",
      false,
    ]);
  for (const heading of ["Rejected", "Old notes", "Open questions"]) expect(isAboutUnheld(heading)).toBe(false);
});

test("`findNearHeading()` reads a heading without its blank, or a line of its own, as what it is meant as", () => {
  const cases = [
    ["##Decisions", "Decisions", 2, "## Decisions", true],
    ["###Décisions :", "Decisions", 3, "### Décisions :", true],
    ["   ##Constraints ##", "Constraints", 2, "## Constraints ##", true],
    ["#Decisions", "Decisions", 1, "# Decisions", true],
    ["##1.Decisions", "Decisions", 2, "## 1.Decisions", true],
    ["**Decisions**", "Decisions", 2, "## Decisions", true],
    ["__Constraints:__", "Constraints", 2, "## Constraints", true],
    ["**Decisions**:", "Decisions", 2, "## Decisions", true],
    ["***📌 Decisions***", "Decisions", 2, "## Decisions", true],
    ["##Key decisions", "Decisions", 2, "## Key decisions", false],
    ["##Decsions", "Decisions", 2, "## Decsions", false],
    ["**Key decisions**", "Decisions", 2, "## Decisions", false],
    ["**Decision: one database for everything**", "Decisions", 2, "## Decisions", false],
    ["Decisions", "Decisions", 2, "## Decisions", false],
    ["Decisions:", "Decisions", 2, "## Decisions", false],
    ["  Contraintes :", "Constraints", 2, "## Constraints", false],
    ["*Decisions*", "Decisions", 2, "## Decisions", false],
    ["Descisions", "Decisions", 2, "## Decisions", false],
    ["Decision:", "Decisions", 2, "## Decisions", false],
    ["État :", "State", 2, "## State", false],
    ["Next steps", "Next steps", 2, "## Next steps", false],
  ] as const;
  for (const [line, name, level, heading, isSection] of cases) {
    expect([line, findNearHeading(line)]).toMatchObject([line, { name, level, heading, isSection }]);
  }
  const others = [
    ...["## Decisions", "#decisions", "#decisions #auth", "    ##Decisions", "    Decisions:", "#######Decisions"],
    ...["Decisions are made", "Key decisions:", "Decisions: none", "State: up", "Next stps", "**Statt**", "##Statt"],
    ...["**Decisions** are made", "- **Decisions**", "- Decisions", "1. Decisions", "> ##Decisions", "> Decisions:"],
    ...["**We took the decision to ship it**", "**All decisions of last week hold**", "*Key decisions*"],
    ...["| Decisions |", "<b>Decisions</b>", ""],
  ];
  for (const line of others) expect([line, findNearHeading(line)]).toEqual([line, undefined]);
});

test("`isSetOff()` takes a line for a heading of what goes on below it only with a colon", () => {
  for (const line of ["Decisions:", "**Decisions:**", "**Decisions** :  ", "Décisions :"]) {
    expect([line, isSetOff(line, "text")]).toEqual([line, true]);
  }
  for (const line of ["Decisions", "**Decisions**", "Decisions: text"]) {
    expect([line, isSetOff(line, "text"), isSetOff(line, "- a")]).toEqual([line, false, true]);
  }
});

test("`standsAlone()` tells whether the line below goes on with a paragraph", () => {
  for (const below of [undefined, "", "  ", "- a", "* a", "1. a", "> a"]) expect(standsAlone(below)).toBe(true);
  for (const below of ["text", "  text", "*text*".slice(1)]) expect(standsAlone(below)).toBe(false);
});
