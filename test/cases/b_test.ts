import { expect, test } from "bun:test";
import { readThread } from "../support/stored_project.ts";
import type { GitRepository } from "../support/temp.ts";
import { answers, inSession, output, repositoryWith, withBody } from "./base_thread.ts";

/** A repository in which a thread with this summary has a child. */
function withChild(body: string, child = "## State\n- begun\n"): GitRepository {
  return repositoryWith({ auth: withBody(body) }, { child: { parentId: "auth", body: child } });
}

/** What a child's context holds of its parent, without the heading. */
async function inherited(repository: GitRepository): Promise<string> {
  const context = await output(repository, "context", "child");
  const block = /^## Thread: Auth\n\n(.*?)\n\n---\n\n## Thread: child[^\n]*\n/ms.exec(context);
  return block?.[1] ?? "";
}

/** What a new child of the parent has in its context beside its own. */
async function inheritedBelow(repository: GitRepository): Promise<string> {
  await output(repository, "switch", "auth");
  await output(repository, "create", "Later");
  return output(repository, "context");
}

const bodyOf = ({ top }: GitRepository): string =>
  readThread(top, "auth")
    .split(/^---\n/m)
    .slice(2)
    .join("---\n")
    .slice(1);

const DECISIONS_WITH_CODE = `## Decisions
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
- last decision`;

test("headings inside code start no section, and the code is passed on unchanged", async () => {
  const body = `${DECISIONS_WITH_CODE}\n\n## State\n- real state\n`;
  const repository = withChild(body);
  expect(await inherited(repository)).toBe(DECISIONS_WITH_CODE);
  expect(await output(repository, "context", "child")).not.toContain("real state");
  expect(await output(repository, "show", "auth")).toBe(`## Thread: Auth\n\n${body}`);
  await output(repository, "summary", "auth", "--section", "State", "--content", "- later");
  expect(bodyOf(repository)).toBe(`${DECISIONS_WITH_CODE}\n\n## State\n- later\n`);
  await output(repository, "summary", "auth", "--append", "--section", "Decisions", "--content", "- one more");
  expect(bodyOf(repository)).toBe(`${DECISIONS_WITH_CODE}\n- one more\n\n## State\n- later\n`);
});

const RULES = `## Decisions
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

test("three dashes below a bullet are a rule, and below a text line they cut no section", async () => {
  const repository = withChild(RULES);
  expect(await inherited(repository)).toBe("## Decisions\n- keep one database\n---\n- no ORM");
  expect(await output(repository, "show", "auth")).toBe(`## Thread: Auth\n\n${RULES}`);
  expect(await output(repository, "context", "auth")).toContain(RULES.trimEnd());
});

test("updating a section with an underlined line in it replaces all of it and no other", async () => {
  const repository = withChild(RULES);
  await output(repository, "summary", "auth", "--section", "Next steps", "--content", "- tests");
  expect(bodyOf(repository)).toBe(RULES.replace("- logout", "- tests"));
  await output(repository, "summary", "auth", "--section", "State", "--content", "- both work");
  expect(bodyOf(repository)).toBe(
    "## Decisions\n- keep one database\n---\n- no ORM\n\n## State\n- both work\n\n## Next steps\n- tests\n",
  );
});

const HEADINGS = [
  "Decisions\n---------",
  "# Decisions",
  "## DECISIONS",
  "## Decisions ##",
  "## Decisions:",
  "   ## **Decisions** <!-- keep -->",
  "##Decisions",
];

for (const [index, heading] of HEADINGS.entries()) {
  test(`a child inherits what stands below ${JSON.stringify(heading)}, and the heading stays as it is`, async () => {
    const bullet = `- D${index + 1}`;
    const repository = withChild(`${heading}\n${bullet}\n\n## State\n- S\n`);
    expect(await inherited(repository)).toContain(bullet);
    expect(await inherited(repository)).not.toContain("- S");
    await output(repository, "summary", "auth", "--section", "State", "--content", "- T");
    expect(bodyOf(repository)).toBe(`${heading}\n${bullet}\n\n## State\n- T\n`);
    await output(repository, "summary", "auth", "--append", "--section", "Decisions", "--content", "- more");
    expect(bodyOf(repository)).toMatch(/ecisions|DECISIONS/);
    expect(bodyOf(repository).match(/decisions/gi)).toHaveLength(1);
    expect(await inherited(repository)).toContain(`${bullet}\n- more`);
  });
}

const NEAR_HEADINGS = [
  ...[
    "## Decision",
    "## Decsions",
    "## Key decisions",
    "## Decisions — auth",
    "## [Decisions](x)",
    "## Décisions prises",
  ],
  ...["# Constraint", "## Contrainte", "## Decisions & constraints", "##Key decisions", "**Key decisions**"],
  ...["Decisions:", "Decisions", "<h2>Decisions</h2>"],
];

test("a near-heading of a durable section stays as it is: inherited, merged, and no part of the section that is written", async () => {
  const child = `## State\n- begun\n\n## Constraint\n- of the child\n`;
  for (const heading of NEAR_HEADINGS) {
    const near = `${heading}\n- mine\n`;
    const repository = withChild(`## State\n- S\n\n${near}`, child);
    expect([heading, await inherited(repository)]).toEqual([heading, near.trimEnd()]);
    await output(repository, "summary", "auth", "--section", "Decisions", "--content", "- new");
    await output(repository, "summary", "auth", "--section", "State", "--content", "- T");
    await output(repository, "merge", "child");
    const body = bodyOf(repository);
    for (const kept of [near, "## Decisions\n- new\n", "## State\n- T\n", "## Constraints\n- of the child\n"])
      expect([heading, body]).toEqual([heading, expect.stringContaining(kept)]);
    const context = await inheritedBelow(repository);
    for (const bullet of ["- mine", "- new", "- of the child"]) expect(context).toContain(bullet);
  }
});

const ENDS = ["**State**", "##State", "State:", "<h2>State</h2>", "État :", "Questions ouvertes:", "**Next steps:**"];

test("what is meant as the heading of another section ends what is inherited, merged and written", async () => {
  for (const [at, end] of ENDS.entries()) {
    const near = ["**Decisions**", "##Decisions", "Decisions:"][at % 3] ?? "";
    const below = `${end}\n\n- S1 deployed\n\n`;
    const body = `${near}\n\n- K1\n\n${below}## Next steps\n- N1\n`;
    const repository = withChild(body, body.replace("- K1", "- K1\n- K2"));
    expect([end, await inherited(repository)]).toEqual([end, `${near}\n- K1`]);
    await output(repository, "merge", "child");
    expect([end, bodyOf(repository)]).toEqual([end, expect.stringContaining(below)]);
    expect(bodyOf(repository).match(/S1/g)).toHaveLength(1);
    expect(bodyOf(repository)).toContain("- K2\n");
    await output(repository, "summary", "auth", "--section", "Decisions", "--content", "- K3");
    expect([end, bodyOf(repository)]).toEqual([end, expect.stringContaining(below)]);
  }
});

test("decisions that don't hold, and what stands below a document's title, stay with their thread", async () => {
  const repository = withChild("## State\n- S\n");
  const rejected = "# Architecture decisions\n\n## Decisions\n- D\n\n## Rejected decisions\n- R\n\n## Notes\n- n\n";
  expect(await output(repository, "summary", "auth", "--content", rejected)).toContain(
    'Not inherited: what stands under "Rejected decisions".',
  );
  expect(await inherited(repository)).toBe("## Decisions\n- D");
  await output(repository, "summary", "child", "--content", "## Decisions\n- E\n\n## Décisions à prendre\n- F\n");
  await output(repository, "merge", "child");
  expect(bodyOf(repository)).toBe(rejected.replace("- D\n", "- D\n- E\n"));
});

test("a merge and an addition put each point below its own sub-heading, and a reason at the end", async () => {
  const parent = "## Decisions\n- D\n\n### Rejected\n- MongoDB\n\n### API\n- REST\n\n## State\n- S\n";
  const child = "## Decisions\n- E\n\n### Rejected\n- Redis\n\n### Storage\n- S3\n";
  const repository = withChild(parent, child);
  await output(repository, "merge", "child");
  await output(repository, "summary", "auth", "--append", "--content", "- F");
  const merged =
    "## Decisions\n- D\n- E\n- F\n\n### Rejected\n- MongoDB\n- Redis\n\n### API\n- REST\n\n### Storage\n\n- S3\n\n## State\n- S\n";
  expect(bodyOf(repository)).toBe(merged);
  await output(repository, "reopen", "child");
  await output(repository, "merge", "child");
  expect(bodyOf(repository)).toBe(merged);
  await output(repository, "switch", "auth");
  await output(repository, "abandon", "too slow");
  expect(bodyOf(repository)).toBe(merged.replace("- S3\n", "- S3\n- Abandoned: too slow\n"));
});

test("headings of decisions inside another section are told to whoever writes them", async () => {
  const repository = withChild("## State\n- S\n");
  const content = "## State\n- S\n\n### Decisions\n- D\n\n## Key constraints\n- C\n";
  const answer = await output(repository, "summary", "auth", "--content", content);
  expect(answer).toContain(
    'Not inherited: what stands under "Decisions". What is to be inherited stands under ## Decisions',
  );
  expect(await inherited(repository)).toBe("## Key constraints\n- C");
});

test("a merge of what has no decisions or constraints says so, and names what stays", async () => {
  const cases = [
    ["## State\n- begun\n\n## Open questions\n- which?\n", "(State, Open questions)"],
    ["About it.\n\n## Decisions\n\n## State\n- begun\n\n## Notes\n- n\n", "(State, other text)"],
  ] as const;
  for (const [body, stays] of cases) {
    const repository = withChild("## Decisions\n- D\n", body);
    expect(await output(repository, "merge", "child")).toStartWith(
      `Merged child into auth: it has no decisions or constraints to add to its parent, and what it says stays with it ${stays}. Active`,
    );
    expect(bodyOf(repository)).toBe("## Decisions\n- D\n");
  }
  const empty = withChild("## Decisions\n- D\n", "");
  expect(await output(empty, "merge", "child")).toContain("it has no summary, so nothing was added to its parent.");
  const known = withChild("## Decisions\n- D\n", "## Decision\n- D\n\n## State\n- S\n");
  expect(await output(known, "merge", "child")).toContain("its parent has all its decisions and constraints already.");
});

test("a context that is cut turns no rule around: it ends above the rule, or says that the rule goes on", async () => {
  const rule = `- Delete rows in batches ${"of a thousand, ".repeat(9)}but NEVER in production`;
  const wrapped = rule.replaceAll(", ", ",\n  ");
  const cases = [
    [`- short one\n${rule}\n`, /\n\n- short one\n\n---\n_ThreadMind/],
    [
      `- short one\n${wrapped}\n`,
      /\n\n- short one\n- Delete rows in batches of a thousand,(?:\n {2}of a thousand,)*…\n\n---\n_/,
    ],
    [`## Decisions\n${rule}\n`, /\n\n## Decisions\n- Delete rows in batches of[a-z ,]*…\n\n---\n_ThreadMind/],
  ] as const;
  for (const [body, cut] of cases) {
    const context = await output(withChild(body), "context", "auth", "--max-tokens", "60");
    expect(context).toMatch(cut);
    expect(Math.ceil(context.trimEnd().length / 3.5)).toBeLessThanOrEqual(60);
  }
});

const TWICE = "## Decisions\n- D1\n\n## State\n- S1\n\n## Decisions\n- D2\n";

test("a section that stands twice is inherited as one, in file order", async () => {
  const repository = withChild(TWICE);
  expect(await inherited(repository)).toBe("## Decisions\n- D1\n- D2");
});

test("a merge into a thread whose section stands twice drops nothing of it", async () => {
  const repository = withChild(TWICE, "## Decisions\n- D2\n- D3\n");
  await answers(repository, ["thread_merge", { threadId: "child" }]);
  const after = bodyOf(repository);
  for (const bullet of ["- D1", "- S1", "- D2", "- D3"])
    expect(after.split("\n").filter((line) => line === bullet)).toEqual([bullet]);
  const again = await answers(
    repository,
    ["thread_status", { threadId: "child", status: "open" }],
    ["thread_merge", { threadId: "child" }],
  );
  expect(again.map(({ isError }) => isError)).toEqual([false, false]);
  expect(bodyOf(repository)).toBe(after);
});

test("replacing a summary is complete, and the same text again changes no byte", async () => {
  const repository = withChild(TWICE);
  const content = "## Decisions\n- D1\n- D2\n\n## State\n- S2\n";
  await inSession(repository, async ({ call }) => {
    expect((await call("context_get", { threadId: "auth" })).text).toContain("- S1");
    expect((await call("summary_update", { threadId: "auth", content })).isError).toBe(false);
    const after = readThread(repository.top, "auth");
    expect(bodyOf(repository)).toBe(content);
    for (let time = 0; time < 2; time++) {
      expect((await call("summary_update", { threadId: "auth", content })).isError).toBe(false);
      expect(readThread(repository.top, "auth")).toBe(after);
    }
  });
  await output(repository, "restore", "auth");
  expect(bodyOf(repository)).toBe(TWICE);
});

test("one section can't be written where its name stands twice, and the lines are named", async () => {
  const repository = withChild(TWICE);
  await inSession(repository, async ({ call }) => {
    await call("context_get", { threadId: "auth" });
    for (const args of [{ append: true }, {}]) {
      const { text, isError } = await call("summary_update", {
        threadId: "auth",
        section: "Decisions",
        content: "- D4",
        ...args,
      });
      expect([isError, text]).toEqual([
        true,
        expect.stringMatching(/section Decisions: it stands twice in the summary \(lines 10, 16 of its file\)/),
      ]);
    }
    const unknown = await call("summary_update", { threadId: "auth", section: "Decisons", content: "- D4" });
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining("Decisions")]);
  });
  expect(bodyOf(repository)).toBe(TWICE);
});

const COMMENTED_OUT = `## Decisions
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

test("what is commented out is no decision, and the comment stays through every write", async () => {
  const repository = withChild(COMMENTED_OUT);
  expect(await inherited(repository)).toBe("## Decisions\n- D1");
  const comment = COMMENTED_OUT.slice(COMMENTED_OUT.indexOf("<!--"), COMMENTED_OUT.indexOf("-->") + 3);
  const writes = [
    ["summary_update", { threadId: "auth", section: "State", content: "- S2" }],
    ["summary_update", { threadId: "auth", append: true, content: "- D2" }],
    ["thread_merge", { threadId: "child", summary: undefined }],
    ["thread_status", { threadId: "auth", status: "abandoned", reason: "too slow" }],
    ["thread_status", { threadId: "auth", status: "open" }],
  ] as const;
  for (const write of writes) {
    const [answer] = await answers(repository, write);
    expect([answer?.isError, answer?.text]).toEqual([false, expect.any(String)]);
    expect(bodyOf(repository)).toContain(comment);
    expect(await inherited(repository)).not.toContain("session cookies");
  }
  expect(await output(repository, "context", "auth")).toContain("- S2");
  expect(await inherited(repository)).toMatch(/- D1\n+- D2\n- Reopened \(was abandoned: too slow\)$/);
});
