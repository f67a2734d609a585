import { expect, test } from "bun:test";
import { findConflict } from "../../src/core/conflict.ts";
import { parsePlainThreadFile } from "../../src/core/thread_file.ts";
import { type MergedFile, mergeThreadFiles } from "../../src/core/thread_merge.ts";
import { splitUnits } from "../../src/core/units.ts";
import { seeded } from "./seeded.ts";

const COMMIT = "3f2a9c1e5b7d4a8f0c6e2b1d9a7f5c3e1b0d8a6f";
const OTHER_COMMIT = "0000000000000000000000000000000000000001";

interface Header {
  readonly title?: string;
  readonly updatedAt?: string;
  readonly createdAt?: string;
  readonly status?: string;
  readonly commit?: string;
  readonly paths?: string;
  readonly fingerprint?: string;
  readonly extra?: string;
}

/** A thread file as ThreadMind writes it; `extra` is a line of its own above the fence. */
function file(body: string, header: Header = {}): string {
  const { title = "Auth", createdAt = "2026-04-15T10:00:00.000Z", updatedAt = "2026-04-15T12:00:00.000Z" } = header;
  const lines = [`id: auth`, `title: ${title}`, "parentId: main", "author: sam-1234", `createdAt: ${createdAt}`];
  lines.push(`updatedAt: ${updatedAt}`);
  for (const key of ["status", "commit", "paths", "fingerprint"] as const)
    if (header[key] !== undefined) lines.push(`${key}: ${header[key]}`);
  if (header.extra !== undefined) lines.push(header.extra);
  return `---\n${lines.join("\n")}\n---\n\n${body}`;
}

async function merge(base: string | undefined, ours: string, theirs: string): Promise<MergedFile> {
  const merged = await mergeThreadFiles(base, ours, theirs);
  if (merged === undefined) throw new Error("Not merged");
  return merged;
}

interface Case {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly merged: string;
  readonly conflicts?: readonly string[];
}

const BODIES: Readonly<Record<string, Case>> = {
  "different sections": {
    base: "## Decisions\n- JWT\n\n## Next steps\n- test\n",
    ours: "## Decisions\n- JWT\n\n## Next steps\n- ship\n",
    theirs: "## Decisions\n- JWT\n- Argon2\n\n## Next steps\n- test\n",
    merged: "## Decisions\n- JWT\n- Argon2\n\n## Next steps\n- ship\n",
  },
  "bullets added to one section at one place": {
    base: "## Decisions\n- JWT\n",
    ours: "## Decisions\n- JWT\n- mine\n",
    theirs: "## Decisions\n- JWT\n- theirs\n  - deep\n",
    merged: "## Decisions\n- JWT\n- mine\n- theirs\n  - deep\n",
  },
  "the same bullet added by both": {
    base: "## Decisions\n- JWT\n",
    ours: "## Decisions\n- JWT\n- Argon2\n- mine\n",
    theirs: "## Decisions\n- JWT\n-   Argon2\n",
    merged: "## Decisions\n- JWT\n- Argon2\n- mine\n",
  },
  "a section that both begin": {
    base: "## Decisions\n- JWT\n",
    ours: "## Decisions\n- JWT\n\n## State\n- half\n",
    theirs: "## Decisions\n- JWT\n\n## State\n- begun\n\n## Next steps\n- go\n",
    merged: "## Decisions\n- JWT\n\n## State\n- half\n- begun\n\n## Next steps\n- go\n",
  },
  "a bullet changed by each": {
    base: "## Decisions\n- one\n- two\n- three\n",
    ours: "## Decisions\n- one, surely\n- two\n- three\n",
    theirs: "## Decisions\n- one\n- two, surely\n- three\n",
    merged: "## Decisions\n- one, surely\n- two, surely\n- three\n",
  },
  "one bullet changed by both: both forms stay": {
    base: "## Decisions\n- Sessions last a day\n",
    ours: "## Decisions\n- Sessions last a week\n",
    theirs: "## Decisions\n- Sessions last an hour\n",
    merged: "## Decisions\n- Sessions last a week\n- Sessions last an hour\n",
  },
  "a bullet deleted by one, another changed by the other": {
    base: "## Decisions\n- one\n- two\n- three\n",
    ours: "## Decisions\n- two\n- three\n",
    theirs: "## Decisions\n- one\n- two\n- three, surely\n",
    merged: "## Decisions\n- two\n- three, surely\n",
  },
  "a bullet deleted by one that the other changed": {
    base: "## Decisions\n- JWT in a cookie\n- two\n",
    ours: "## Decisions\n- two\n",
    theirs: "## Decisions\n- JWT in an httpOnly cookie\n- two\n",
    merged: "## Decisions\n<<<<<<< ours\n=======\n- JWT in an httpOnly cookie\n>>>>>>> theirs\n- two\n",
    conflicts: ["Decisions"],
  },
  "a section deleted by one that the other added to": {
    base: "## Decisions\n- JWT\n\n## State\n- begun\n",
    ours: "## Decisions\n- JWT\n",
    theirs: "## Decisions\n- JWT\n\n## State\n- begun\n- half\n",
    merged: "## Decisions\n- JWT\n\n## State\n- half\n",
  },
  "a bullet moved by one and changed by the other": {
    base: "## Decisions\n- one\n- two\n- three\n",
    ours: "## Decisions\n- two\n- three\n- one\n",
    theirs: "## Decisions\n- one, surely\n- two\n- three\n",
    merged: "## Decisions\n- one, surely\n- two\n- three\n",
  },
  "text without sections": {
    base: "One.\n\nTwo.\n",
    ours: "One.\n\nTwo.\n\nMine.\n",
    theirs: "Zero.\n\nOne.\n\nTwo.\n",
    merged: "Zero.\n\nOne.\n\nTwo.\n\nMine.\n",
  },
  "unknown sections and text before the first": {
    base: "Intro.\n\n## Decisions\n- JWT\n\n## Notes\nold\n",
    ours: "Intro, better.\n\n## Decisions\n- JWT\n\n## Notes\nold\n",
    theirs: "Intro.\n\n## Decisions\n- JWT\n- Argon2\n\n## Notes\nold\n\nmore\n",
    merged: "Intro, better.\n\n## Decisions\n- JWT\n- Argon2\n\n## Notes\nold\n\nmore\n",
  },
  "code that stays whole": {
    base: "## Decisions\n- JWT\n",
    ours: "## Decisions\n- JWT\n\n```sh\n# not a heading\n- not a bullet\n```\n",
    theirs: "## Decisions\n- JWT\n- Argon2\n",
    merged: "## Decisions\n- JWT\n\n```sh\n# not a heading\n- not a bullet\n```\n\n- Argon2\n",
  },
  "a French summary": {
    base: "## Décisions\n- JWT\n",
    ours: "## Décisions\n- JWT\n- à moi\n",
    theirs: "## Décisions\n- JWT\n- à elle\n",
    merged: "## Décisions\n- JWT\n- à moi\n- à elle\n",
  },
  "both from nothing": {
    base: "",
    ours: "## Decisions\n- a\n",
    theirs: "## State\n- b\n",
    merged: "## Decisions\n- a\n\n## State\n- b\n",
  },
};

for (const [name, { base, ours, theirs, merged, conflicts = [] }] of Object.entries(BODIES)) {
  test(`mergeThreadFiles() merges ${name}`, async () => {
    const result = await merge(file(base), file(ours), file(theirs));
    expect([result.text, result.conflicts]).toEqual([file(merged), conflicts]);
    expect(findConflict(result.text) !== undefined).toBe(conflicts.length > 0);
    const crlf = (text: string): string => file(text).replaceAll("\n", "\r\n");
    expect((await merge(crlf(base), crlf(ours), crlf(theirs))).text).toBe(crlf(merged));
  });
}

const HEADERS: Readonly<Record<string, readonly [Header, Header, Header, Header]>> = {
  "the later updatedAt": [
    {},
    { updatedAt: "2026-04-16T00:00:00.000Z" },
    { updatedAt: "2026-04-17T00:00:00.000Z" },
    { updatedAt: "2026-04-17T00:00:00.000Z" },
  ],
  "a title from one, a status from the other": [
    {},
    { title: "Sign in" },
    { status: "done" },
    { title: "Sign in", status: "done" },
  ],
  "paths added and taken out": [
    { paths: "[a, b]" },
    { paths: "[b, c]" },
    { paths: "[a, b, d]" },
    { paths: "[b, c, d]" },
  ],
  "lines that only one side added": [
    {},
    { title: "Sign in" },
    { extra: "reviewed: true # by Sam" },
    { title: "Sign in", extra: "reviewed: true # by Sam" },
  ],
};

for (const [name, [base, ours, theirs, merged]] of Object.entries(HEADERS)) {
  test(`mergeThreadFiles() takes ${name}`, async () => {
    const body = (text: string): string => `## Decisions\n- JWT\n${text}`;
    const result = await merge(file(body(""), base), file(body("- a\n"), ours), file(body("- b\n"), theirs));
    expect(result).toEqual({ text: file(body("- a\n- b\n"), merged), conflicts: [], doubled: [] });
  });
}

test("mergeThreadFiles() keeps commit and fingerprint only where one side's text won whole", async () => {
  const [mine, other] = [
    { commit: COMMIT, fingerprint: "1-aaaa" },
    { commit: OTHER_COMMIT, fingerprint: "1-bbbb" },
  ];
  const base = file("## Decisions\n- a\n", { paths: "[src]" });
  const stampsOf = async (ours: string, theirs: string): Promise<unknown> => {
    const merged = parsePlainThreadFile((await merge(base, ours, theirs)).text);
    return merged === undefined || "message" in merged ? undefined : [merged.fields.commit, merged.fields.fingerprint];
  };
  const with_ = (body: string, stamps: Header): string =>
    file(`## Decisions\n- a\n${body}`, { paths: "[src]", ...stamps });
  expect(await stampsOf(with_("- b\n", mine), with_("", { title: "New" }))).toEqual([COMMIT, "1-aaaa"]);
  expect(await stampsOf(with_("", { title: "New" }), with_("- c\n", other))).toEqual([OTHER_COMMIT, "1-bbbb"]);
  expect(await stampsOf(with_("- b\n", mine), with_("- c\n", other))).toEqual([undefined, undefined]);
  expect(await stampsOf(with_("- b\n", mine), with_("- b\n", other))).not.toEqual([undefined, undefined]);
});

test("mergeThreadFiles() leaves what both sides set differently between markers in the header", async () => {
  const body = "## Decisions\n- a\n";
  const titles = await merge(file(body), file(body, { title: "Mine" }), file(body, { title: "Theirs" }));
  expect(titles.conflicts).toEqual(["title"]);
  expect(titles.text).toContain(
    "\n<<<<<<< ours\ntitle: Mine\n=======\ntitle: Theirs\n>>>>>>> theirs\nparentId: main\n",
  );
  const extras = await merge(file(body), file(body, { extra: "owner: a" }), file(body, { extra: "owner: b" }));
  expect(extras.conflicts).toEqual(["owner"]);
  expect(extras.text).toContain("\n<<<<<<< ours\nowner: a\n=======\nowner: b\n>>>>>>> theirs\n---\n");
  const gone = await merge(file(body, { extra: "owner: a" }), file(body), file(body, { extra: "owner: b" }));
  const kept = await merge(file(body, { extra: "owner: a" }), file(body, { extra: "owner: b" }), file(body));
  expect([gone.conflicts, kept.conflicts]).toEqual([["owner"], ["owner"]]);
  const branches = await merge(file(body, { extra: "branch: one" }), file(body), file(body, { extra: "branch: two" }));
  expect([branches.conflicts, branches.text.includes("<<<<<<< ours\n=======\nbranch: two\n>>>>>>> theirs")]).toEqual([
    ["branch"],
    true,
  ]);
});

test("mergeThreadFiles() loses no foreign key and no comment of either side's header", async () => {
  const body = "## Decisions\n- a\n";
  const merged = async (base: string, ours: string, theirs: string): Promise<MergedFile> =>
    merge(
      file(body, { extra: base }),
      file(`${body}- mine\n`, { extra: ours }),
      file(`${body}- theirs\n`, { extra: theirs }),
    );
  const far = await merged("x-team: a\nzeta: 1", "x-team: b\nzeta: 1", "x-team: a\nzeta: 2");
  expect([far.conflicts, far.text.includes("x-team: b\nzeta: 2\n---")]).toEqual([[], true]);
  const added = await merged("x: 1", "x: 1\n# ours", "x: 1\n# theirs\ny: 2");
  for (const line of ["x: 1", "# ours", "# theirs", "y: 2"]) expect(added.text).toContain(`\n${line}\n`);
  const commented = file(`${body}- theirs\n`).replace("author: sam-1234", "author: sam-1234 # ask Bob in March");
  const { text, conflicts } = await merge(file(body), file(`${body}- mine\n`), commented);
  expect([conflicts, text.includes("# author: ask Bob in March\n---")]).toEqual([[], true]);
});

const STRUCK: Readonly<Record<string, readonly [base: string, ours: string, theirs: string, merged: string]>> = {
  "an ordered list": [
    "## Decisions\n1. Postgres\n2. REST\n3. JWT\n",
    "## Decisions\n1. Monorepo\n2. Postgres\n3. REST\n4. JWT\n",
    "## Decisions\n1. Postgres\n2. JWT\n",
    "## Decisions\n1. Monorepo\n2. Postgres\n3. JWT\n",
  ],
  "a bullet that the other side changed elsewhere": [
    "## Decisions\n- Auth\n  - JWT\n  - refresh tokens\n  - cookies\n",
    "## Decisions\n- Auth\n  - JWT\n  - cookies\n",
    "## Decisions\n- Auth\n  - JWT with RS256\n  - refresh tokens\n  - cookies\n",
    "## Decisions\n- Auth\n  - JWT with RS256\n  - cookies\n",
  ],
  "a section that the other side renamed": [
    "## Decisions\n- a\n\n## Auth notes\n- one\n- two\n",
    "## Decisions\n- a\n\n## Authn notes\n- one\n- two\n",
    "## Decisions\n- a\n\n## Auth notes\n- one\n- T\n",
    "## Decisions\n- a\n\n## Authn notes\n- one\n- T\n",
  ],
  "the section from which the other side moved it": [
    "## Decisions\n- a\n- b\n\n## State\n- c\n",
    "## Decisions\n- a\n\n## State\n- c\n- b\n",
    "## Decisions\n- a\n\n## State\n- c\n",
    "## Decisions\n- a\n\n## State\n- c\n",
  ],
};

for (const [where, [base, ours, theirs, merged]] of Object.entries(STRUCK)) {
  test(`mergeThreadFiles() brings nothing back that was struck in ${where}`, async () => {
    const result = await merge(file(base), file(ours), file(theirs));
    expect([result.text, result.conflicts]).toEqual([file(merged), []]);
    const swapped = await merge(file(base), file(theirs), file(ours));
    expect([swapped.text, swapped.conflicts]).toEqual([file(merged), []]);
  });
}

const SPACED: Readonly<Record<string, readonly [base: string, changed: string]>> = {
  "the indentation of code": ["```yaml\na:\nb: 1\n```", "```yaml\na:\n  b: 1\n```"],
  "a tab for blanks in code": ["```make\nall:\n    cc\n```", "```make\nall:\n\tcc\n```"],
  "a line break in code": ["```\na b\n```", "```\na\nb\n```"],
  "the depth of a bullet": ["- c1\n  - c2", "- c1\n    - c2"],
  "blanks in a code span": ["- run `a b`", "- run `a  b`"],
  "a hard break": ["One\ntwo.", "One  \ntwo."],
  "a cell": ["| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 |  2 |"],
};

for (const [what, [base, changed]] of Object.entries(SPACED)) {
  test(`mergeThreadFiles() keeps ${what} that either side alone changed, wherever it stands`, async () => {
    const body = (text: string, added: string, rest = "- s\n"): string =>
      file(`## Decisions\n- first\n\n${text}\n${added}\n## State\n${rest}`);
    const old = body(base, "");
    for (const [ours, theirs] of [
      [body(base, "\n- added\n"), body(changed, "")],
      [body(changed, ""), body(base, "\n- added\n")],
    ] as const) {
      const { text, conflicts, doubled } = await merge(old, ours, theirs);
      const near = text.replace(/\n+(?=- added)/, "\n\n");
      expect([near, conflicts, doubled]).toEqual([body(changed, "\n- added\n"), [], []]);
    }
    const moved = file(`## Decisions\n- first\n\n## State\n- s\n\n${base}\n`);
    for (const [ours, theirs] of [
      [moved, body(changed, "")],
      [body(changed, ""), moved],
    ] as const)
      expect((await merge(old, ours, theirs)).text).toContain(`\n${changed}\n`);
  });
}

test("mergeThreadFiles() keeps both forms where both sides changed blanks of one line, and one where they changed others", async () => {
  const code = (one: string, two: string): string => file(["## Decisions", "```", one, two, "```", ""].join("\n"));
  const both = await merge(code("a", "b"), code(" a", "b"), code("  a", "b"));
  expect(both.doubled).toEqual(["```  a", "```   a"]);
  expect(both.text).toContain("\n a\n");
  expect(both.text).toContain("\n  a\n");
  expect((await merge(code("a", "b"), code(" a", "b"), code("a", "  b"))).text).toBe(code(" a", "  b"));
});

const RESPACED: Readonly<Record<string, readonly [base: string, spaced: string, worded: string, merged: string]>> = {
  "the depth of a bullet": [
    "- a\n  - b\n  - c",
    "- a\n  - b\n    - c",
    "- a\n  - b new\n  - c",
    "- a\n  - b new\n    - c",
  ],
  "a tab in code": [
    "```make\nall:\n    cc\n```",
    "```make\nall:\n\tcc\n```",
    "```make\nall:\n    cc\n    ld\n```",
    "```make\nall:\n\tcc\n    ld\n```",
  ],
  "the depth of code whose words changed": [
    "```\nif a:\nx\ny\n```",
    "```\nif a:\n  x\n  y\n```",
    "```\nif a:\nx = 1\ny\n```",
    "```\nif a:\n  x = 1\n  y\n```",
  ],
  "the level of a key": [
    "```yaml\nsvc:\n  web:\n    port: 1\n  env: x\n```",
    "```yaml\nsvc:\n  web:\n    port: 1\n    env: x\n```",
    "```yaml\nsvc:\n  web:\n    port: 2\n  env: x\n```",
    "```yaml\nsvc:\n  web:\n    port: 2\n    env: x\n```",
  ],
  "a hard break": ["One\ntwo three.", "One  \ntwo three.", "One\ntwo three, four.", "One  \ntwo three, four."],
  "an empty line in code": [
    "```\nif a:\n  x\n  y\nz\n```",
    "```\nif a:\n  x\n\n  y\nz\n```",
    "```\nif a:\n  x\n  y\nz new\n```",
    "```\nif a:\n  x\n\n  y\nz new\n```",
  ],
  "the lines of a paragraph, whose words stand": [
    "One two three\nfour five.",
    "One two\nthree four five.",
    "One two three\nfour five six.",
    "One two three\nfour five six.",
  ],
};

for (const [what, [base, spaced, worded, merged]] of Object.entries(RESPACED)) {
  test(`mergeThreadFiles() keeps ${what} that one side changed where the other changed words`, async () => {
    const body = (text: string): string => file(`## Decisions\n- first\n\n${text}\n\n## State\n- s\n`);
    for (const [ours, theirs] of [
      [spaced, worded],
      [worded, spaced],
    ] as const) {
      const { text, conflicts, doubled } = await merge(body(base), body(ours), body(theirs));
      const near = text.replace(/(?<=- first)\n+/, "\n\n");
      expect([near, conflicts, doubled]).toEqual([body(merged), [], []]);
    }
  });
}

test("mergeThreadFiles() keeps both forms where one side changed the blanks of a line and the other its words", async () => {
  const code = (line: string): string => file(["## Decisions", "```", "all: one two", line, "```", ""].join("\n"));
  for (const [ours, theirs] of [
    ["cc a  b", "cc a b -O2"],
    ["cc a b -O2", "cc a  b"],
  ] as const) {
    const { text, conflicts, doubled } = await merge(code("cc a b"), code(ours), code(theirs));
    expect([text.includes("\ncc a  b\n"), text.includes("\ncc a b -O2\n")]).toEqual([true, true]);
    expect([conflicts.length, doubled.length]).toEqual([0, 2]);
  }
});

test("mergeThreadFiles() names what both sides changed, and leaves what was added below a heading that is gone", async () => {
  const timeout = (seconds: number): string => file(`## Decisions\n- Timeout is ${seconds} s\n`);
  expect((await merge(timeout(30), timeout(60), timeout(10))).doubled).toEqual([
    "- Timeout is 60 s",
    "- Timeout is 10 s",
  ]);
  const base = file("## Decisions\n### API\n- json\n\n### DB\n- pg\n");
  const ours = file("## Decisions\n### API\n- json\n\n### DB\n- pg\n- no stored procedures\n");
  const theirs = file("## Decisions\n### API\n- json\n- versioned\n");
  const { conflicts, text } = await merge(base, ours, theirs);
  expect([conflicts, text.includes("<<<<<<< ours\n- no stored procedures\n=======")]).toEqual([["Decisions"], true]);
});

test("mergeThreadFiles() keeps what is inherited inherited, where one side brings the first section", async () => {
  const { text, conflicts } = await merge(file("free\n"), file("## Decisions\nfree\n- O\n"), file("free\n\nT text\n"));
  expect(conflicts).toEqual([]);
  expect(text).toMatch(/---\n\n## Decisions\n[\s\S]*T text/);
});

test("mergeThreadFiles() merges what both sides made, without a base", async () => {
  const ours = file("## Decisions\n- a\n", { createdAt: "2026-04-15T09:00:00.000Z" });
  const theirs = file("## Decisions\n- b\n", { paths: "[src]" });
  const { text, conflicts } = await merge(undefined, ours, theirs);
  expect([text, conflicts]).toEqual([
    file("## Decisions\n- a\n- b\n", { createdAt: "2026-04-15T09:00:00.000Z", paths: "[src]" }),
    [],
  ]);
});

test("mergeThreadFiles() leaves files that it can't read to git", async () => {
  const good = file("## Decisions\n- a\n");
  for (const bad of [
    "",
    "---\nid: a\n",
    "\u0000",
    good.replace("- a", "- b").replace("id: auth", "<<<<<<< x\nid: auth"),
  ]) {
    expect(await mergeThreadFiles(good, bad, file("- c\n"))).toBeUndefined();
    expect(await mergeThreadFiles(good, file("- c\n"), bad)).toBeUndefined();
    expect((await merge(bad, good, file("## Decisions\n- c\n"))).conflicts).toEqual([]);
  }
});

test("mergeThreadFiles() on random edits: an unchanged side gives the other, nothing added is lost, symmetric up to order", async () => {
  const source = seeded(20_261_130);
  const random = (): number => source.next(1_000_000) / 1_000_000;
  const { pick } = source;
  const words = ["JWT", "cookie", "Postgres", "cents", "été", "cache", "queue", "日本"];
  const bullet = (): string =>
    `- ${Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(words)).join(" ")} ${Math.floor(random() * 1000)}`;
  const names = ["Decisions", "Constraints", "State", "Next steps", "Notes"];
  type Sections = Record<string, string[]>;
  const edit = (sections: Sections): Sections => {
    const next: Sections = structuredClone(sections);
    for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
      const name = pick(names);
      const list = next[name] ?? [];
      next[name] = list;
      const at = Math.floor(random() * (list.length + 1));
      const kind = random();
      if (kind < 0.5)
        list.splice(at, 0, pick([bullet(), "A paragraph.", "```\n# code\n```", "- a\n  - nested\n\n  more"]));
      else if (kind < 0.7) list.splice(at, 1);
      else if (kind < 0.9 && list[at]?.startsWith("- ") === true) list[at] = `${list[at]} ${pick(words)}`;
      else if (kind < 0.95 && list[at] !== undefined) list[at] = `${list[at]}`.replace(/\n/g, "\n  ");
      else list.reverse();
    }
    return next;
  };
  const render = (sections: Sections): string =>
    Object.entries(sections)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => `## ${name}\n${list.join("\n\n")}\n`)
      .join("\n");
  const keysOf = (text: string): string[] => splitUnits(text.slice(text.indexOf("---\n\n") + 5)).map(({ key }) => key);
  for (let round = 0; round < 600; round++) {
    const base: Sections = edit(edit({ Decisions: [bullet()], State: [bullet()] }));
    const [b, o, t] = [base, edit(base), edit(base)].map((sections) => file(render(sections))) as [
      string,
      string,
      string,
    ];
    expect((await merge(b, o, b)).text).toBe(o);
    expect((await merge(b, b, t)).text).toBe(t);
    const [one, other] = [await merge(b, o, t), await merge(b, t, o)];
    const baseKeys = new Set(keysOf(b));
    const found = new Set(keysOf(one.text));
    const added = [...keysOf(o), ...keysOf(t)].filter((key) => !baseKeys.has(key));
    // A heading goes with the last text below it that the other side struck.
    const lost = added.filter(
      (key) => !/^#/.test(key) && !found.has(key) && !one.text.replace(/\s+/g, " ").includes(key),
    );
    if (lost.length > 0) throw new Error(`Round ${round} lost ${JSON.stringify(lost)}\n${b}\n${o}\n${t}\n${one.text}`);
    if (one.conflicts.length > 0 !== other.conflicts.length > 0)
      throw new Error(`Round ${round}:\n${b}\n${o}\n${t}\n${one.text}\n${other.text}`);
    if (one.conflicts.length === 0) expect(new Set(keysOf(one.text))).toEqual(new Set(keysOf(other.text)));
  }
});
