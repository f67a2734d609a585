import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { FIELD_KEYS, type FieldKey } from "../../src/core/thread_fields.ts";
import {
  editThreadFile,
  parseThreadFile,
  renderThreadFile,
  type ThreadChanges,
  type ThreadFields,
  type ThreadFile,
} from "../../src/core/thread_file.ts";
import { HEADERS } from "./header_table.ts";
import { type Seeded, seeded } from "./seeded.ts";

const NEW_VALUES: Required<ThreadFields> = {
  id: "007",
  title: "Q3 plan\nparentId: null",
  parentId: null,
  author: 'Sam: "the dev" #1',
  createdAt: "2027-01-01T00:00:00.000Z",
  updatedAt: "2027-01-02T00:00:00.000Z",
  status: "abandoned",
  branch: "feature/[x]",
  commit: "4081957263301846e29573018264401973625580",
  paths: ["src/new", "src/[id]", "a, b"],
  fingerprint: "1-fedcba9876543210",
  mergedInto: "no",
};

test("`editThreadFile()` gives the same text back where nothing changes", async () => {
  for (const { header } of HEADERS) {
    for (const source of variants(`---\n${header}\n---\n\n## Decisions\n- a\n\n---\n`)) {
      const file = await read(source);
      const { fields, body } = file;
      for (const changes of [{}, { set: {} }, { unset: [] }, { body }, { set: fields, body }]) {
        expect(editThreadFile(file, changes)).toBe(source);
      }
    }
  }
});

test("`editThreadFile()` sets one field of any header and leaves the others and unknown lines alone", async () => {
  for (const { header } of HEADERS) {
    for (const source of variants(`---\n${header}\n---\n\nbody\n`)) {
      for (const key of FIELD_KEYS) {
        const file = await read(source);
        const set = { [key]: NEW_VALUES[key] };
        const edited = await read(editThreadFile(file, { set }));
        const value = key === "title" ? "Q3 plan parentId: null" : NEW_VALUES[key];
        expect([source, key, edited.fields]).toEqual([source, key, { ...file.fields, [key]: value }]);
        expect([source, edited.body]).toEqual([source, file.body]);
        expect([key, unknownLines(edited)]).toEqual([key, unknownLines(file)]);
        expect(editThreadFile(edited, { set: { [key]: value } })).toBe(edited.source);
      }
    }
  }
});

test("`editThreadFile()` unsets one field of any header and leaves the others alone", async () => {
  for (const { header } of HEADERS) {
    for (const source of variants(`---\n${header}\n---\n`)) {
      for (const key of FIELD_KEYS) {
        const file = await read(source);
        const edited = await read(editThreadFile(file, { unset: [key] }));
        const { [key]: _, ...others } = file.fields;
        expect([source, key, edited.fields]).toEqual([source, key, others]);
        expect([key, unknownLines(edited)]).toEqual([key, unknownLines(file)]);
      }
    }
  }
});

test("`editThreadFile()` leaves a header that `yaml` reads, unless the fault is in a line that isn't ours", async () => {
  for (const { header, deviation } of HEADERS) {
    if (deviation?.includes("key that we don't know") || deviation?.includes("keys that we don't know")) continue;
    const file = await read(`---\n${header}\n---\n`);
    const edited = editThreadFile(file, { set: NEW_VALUES }).slice(4, -4);
    expect([header, parseDocument(edited, { logLevel: "error" }).errors]).toEqual([header, []]);
  }
});

test("`editThreadFile()` changes the lines of what is set and nothing else", async () => {
  const source = lines(
    "---",
    "# owned by the payments team",
    "title: Auth",
    "id: auth",
    "reviewer: lee   # until June",
    'paths: ["src/auth", "src/[id]"]',
    "flags: {beta: yes, level: 0xFF}",
    "",
    "parentId: main",
    "author: sam-1a2b",
    "createdAt: 2026-04-15T10:00:00.000Z",
    "updatedAt: 2026-04-15T12:30:00.000Z",
    "---",
    "",
    "## State",
    "- old",
  );
  for (const text of variants(source)) {
    const updatedAt = "2026-04-16T00:00:00.000Z";
    const file = await read(text);
    const edited = editThreadFile(file, { set: { updatedAt }, body: file.body.replace("old", "new") });
    expect(edited).toBe(text.replace("2026-04-15T12:30:00.000Z", updatedAt).replace("- old", "- new"));
  }
});

test("`editThreadFile()` keeps characters that YAML takes for numbers, and long lines", async () => {
  const long = "a".repeat(113);
  const header = `commit: 4081957263301846e29573018264401973625580\nbranch: ${long} ${long}\nnote: ${long} ${long}\nid: 007`;
  for (const rest of ["", "\nrich: |\n  x"]) {
    const source = `---\n${header}${rest}\n---\n`;
    expect(await edit(source, { set: { status: "done" } })).toBe(source.replace("id: 007", "id: 007\nstatus: done"));
  }
});

test("`editThreadFile()` keeps comments, and quotes where there were quotes", async () => {
  expect(await editHeaderOf('author: "a"  # who', { author: "b" })).toBe('author: "b"  # who');
  expect(await editHeaderOf("author: 'a' # who", { author: "it's" })).toBe("author: 'it''s' # who");
  expect(await editHeaderOf("branch: a # until June", { branch: "b: c" })).toBe('branch: "b: c" # until June');
  expect(await editHeaderOf("branch: # none", { branch: "b" })).toBe("branch: b # none");
  expect(await editHeaderOf("parentId:", { parentId: "main" })).toBe("parentId: main");
  expect(await editHeaderOf("parentId: main", { parentId: null })).toBe("parentId: null");
  expect(await editHeaderOf("paths: [ 'a' ] # code", { paths: ["b", "c d"] })).toBe("paths: [b, c d] # code");
  expect(await editHeaderOf("updatedAt: '2026-04-15'", { updatedAt: "2026-04-16" })).toBe("updatedAt: '2026-04-16'");
  expect(await editHeaderOf("commit: 3f2a9c1", { commit: "0192117" })).toBe('commit: "0192117"');
});

test("`editThreadFile()` puts a new key at its place among those that are there", async () => {
  expect(await editHeaderOf("title: Auth\nx: 1\nid: auth\n# end", { parentId: null })).toBe(
    "title: Auth\nparentId: null\nx: 1\nid: auth\n# end",
  );
  expect(await editHeaderOf("x: 1\nbranch: b", { id: "auth", commit: "abc" })).toBe(
    "x: 1\nid: auth\nbranch: b\ncommit: abc",
  );
  expect(await editHeaderOf("x: 1\n# end", { title: "a: b", paths: [] })).toBe('x: 1\n# end\ntitle: "a: b"\npaths: []');
  expect(await editHeaderOf("id: a\npaths:\n  - b\n  - c\n\nx: 1", { fingerprint: "1-a", mergedInto: "m" })).toBe(
    "id: a\npaths:\n  - b\n  - c\nfingerprint: 1-a\nmergedInto: m\n\nx: 1",
  );
  expect(await editHeaderOf("  id: a\n  x: {}", { title: "b" })).toBe("  id: a\n  title: b\n  x: {}");
  expect(await edit("---\n---", { set: { title: "a" } })).toBe("---\ntitle: a\n---");
});

test("`editThreadFile()` puts a list in the place of a block list", async () => {
  expect(await editHeaderOf("paths: # code\n  - a\n  - b # why\n# end\nx: 1", { paths: ["c", "[d]"] })).toBe(
    'paths: [c, "[d]"] # code\n# end\nx: 1',
  );
  expect(await editHeaderOf("paths:\n- a\n- b\nid: x", { paths: ["c"] })).toBe("paths: [c]\nid: x");
  expect(await editHeaderOf("paths: &p\n  - a\nother: *p", { paths: ["c"] })).toBe("paths: &p [c]\nother: *p");
  expect(await editHeaderOf("paths: [a,\n  b] # code\nid: x", { paths: ["c"] })).toBe("paths: [c] # code\nid: x");
});

test("`editThreadFile()` does not let a comment become text of a block above it", async () => {
  const source = "---\nnote: |\n  text\nbranch: b\n\n  # of the branch\nid: x\n---\n";
  expect(await edit(source, { unset: ["branch"] })).toBe("---\nnote: |\n  text\n\n# of the branch\nid: x\n---\n");
});

test("`editThreadFile()` edits richer headers in their source", async () => {
  expect(await editHeaderOf("title: >-\n  Auth\n  two\n\nid: x", { title: "New" })).toBe('title: "New"\n\nid: x');
  expect(await editHeaderOf('title: "Auth\n  two" # t\nid: x', { title: "New" })).toBe('title: "New" # t\nid: x');
  expect(await editHeaderOf("id: &me auth\nx: *me", { id: "b" })).toBe("id: &me b\nx: *me");
  expect(await editHeaderOf("id: !!int 7\nx: {}", { id: "008" })).toBe('id: "008"\nx: {}');
  expect(await editHeaderOf("? id\n: auth\nx: 1", { id: "b" })).toBe("id: b\nx: 1");
  expect(await editHeaderOf("{id: auth, x: {a: 1}}", { id: "a, b", title: "[t]" })).toBe(
    '{title: "[t]", id: "a, b", x: {a: 1}}',
  );
  expect(await edit("---\n{branch: a, status: done}\n---\n", { unset: ["branch", "status"], set: { id: "b" } })).toBe(
    "---\n{id: b, }\n---\n",
  );
});

test("`editThreadFile()` quotes a literal value with any other change, and says so", async () => {
  const header = "title: Auth: JWT & sessions\nauthor: a: b # c\nnote: x: y";
  const file = await read(`---\n${header}\n---\nbody\n`);
  expect(file.repaired).toBe(
    "The title on line 2 is now written so that every YAML reader reads it. " +
      "The author on line 3 is now written so that every YAML reader reads it.",
  );
  const quoted = '---\ntitle: "Auth: JWT & sessions"\nauthor: "a: b # c"\nnote: x: y\n';
  expect(editThreadFile(file, { body: "new\n" })).toBe(`${quoted}---\nnew\n`);
  expect(editThreadFile(file, { set: { status: "done" } })).toBe(
    `${quoted.replace("note", "status: done\nnote")}---\nbody\n`,
  );
  expect((await read(`---\ntitle: Auth\n---\n`)).repaired).toBeUndefined();
});

test("`editThreadFile()` leaves one of two equal keys", async () => {
  const stamps = "updatedAt: 2026-04-15\nid: x\nupdatedAt: 2026-04-16 # b";
  expect(await editHeaderOf(stamps, { status: "done" })).toBe("id: x\nupdatedAt: 2026-04-16 # b\nstatus: done");
  expect(await editHeaderOf(stamps, { updatedAt: "2026-04-17" })).toBe("id: x\nupdatedAt: 2026-04-17 # b");
  expect(await editHeaderOf("commit: a\ncommit: b\nid: x", { status: "done" })).toBe("id: x\nstatus: done");
  expect(await editHeaderOf("commit: a\ncommit: b\nid: x", { commit: "c" })).toBe("commit: c\nid: x");
  expect((await read(`---\n${stamps}\n---\n`)).repaired).toBe(
    "updatedAt stood twice, on lines 2 and 4: one line is left.",
  );
});

test("`editThreadFile()` refuses a header in conflict, unless nothing changes", async () => {
  const source = "---\nid: auth\n<<<<<<< a\ntitle: a\n=======\ntitle: b\n>>>>>>> b\n---\nbody\n";
  const file = await read(source);
  expect(editThreadFile(file, { set: { title: "a" }, body: "body\n" })).toBe(source);
  for (const changes of [{ set: { title: "c" } }, { unset: ["title"] as const }, { body: "x" }]) {
    expect(() => editThreadFile(file, changes)).toThrow("(line 3)");
  }
});

test("`editThreadFile()` gives a new body the habits of the file", async () => {
  const cases: [string, string, string][] = [
    ["---\nid: a\n---\n\nold\n", "new", "---\nid: a\n---\n\nnew\n"],
    ["---\nid: a\n---\nold", "new", "---\nid: a\n---\nnew"],
    ["---\nid: a\n---\n\nold", "\nnew\n", "---\nid: a\n---\n\nnew\n"],
    ["---\r\nid: a\r\n---\r\n\r\nold\r\n", "new\nline", "---\r\nid: a\r\n---\r\n\r\nnew\r\nline\r\n"],
    ["---\nid: a\n---\n\nold\n", "new\r\nline", "---\nid: a\n---\n\nnew\nline\n"],
    ["---\r\nid: a\n---\n\nold\r\n", "a\nb\r\n", "---\r\nid: a\n---\n\r\na\nb\r\n"],
    ["---\nid: a\n---", "new", "---\nid: a\n---\n\nnew\n"],
    ["---\nid: a\n---\n\n", "new", "---\nid: a\n---\n\nnew\n"],
    ["\ufeff---\nid: a\n---\n\nold\n", "\ufeffnew", "\ufeff---\nid: a\n---\n\nnew\n"],
    ["---\nid: a\n---\n\nold\n", "", "---\nid: a\n---\n"],
    ["old\n", "new", "new\n"],
    ["old\n", "---\nnew", "---\n---\n\n---\nnew\n"],
  ];
  for (const [source, body, expected] of cases) expect(await edit(source, { body })).toBe(expected);
});

test("`editThreadFile()` leaves a file without a header alone where nothing is set", async () => {
  for (const changes of [{}, { set: {} }, { unset: ["title"] as const }, { body: "text\n" }]) {
    expect(await edit("text\n", changes)).toBe("text\n");
  }
});

test("`editThreadFile()` gives a file without a header one, above its text", async () => {
  expect(await edit("\ufeff## Decisions\r\n- a", { set: { updatedAt: "2026-04-16", title: "a: b" } })).toBe(
    '\ufeff---\r\ntitle: "a: b"\r\nupdatedAt: 2026-04-16\r\n---\r\n\r\n## Decisions\r\n- a',
  );
});

test("`editThreadFile()` changes one line of a file of 0.4.1, and quotes its title where needed", async () => {
  const folder = join(import.meta.dir, "../fixtures/v0.4.1/threadmind/threads/my-app");
  const updatedAt = "2026-12-01T00:00:00.000Z";
  const expected = new Map([
    ["main", 1],
    ["auth-jwt-sessions", 2],
    ["caf-menu-2", 2],
  ]);
  for (const [name, count] of expected) {
    const source = readFileSync(join(folder, `${name}.md`), "utf8");
    const before = source.split("\n");
    const after = (await edit(source, { set: { updatedAt } })).split("\n");
    expect([name, after.filter((line, index) => line !== before[index]).length]).toEqual([name, count]);
    expect(after.length).toBe(before.length);
  }
});

test("`editThreadFile()` survives random headers", async () => {
  const random = seeded(7);
  let readable = 0;
  for (let round = 0; round < 1500; round++) {
    const source = randomFile(random);
    const file = await parseThreadFile(source);
    if ("message" in file) continue;
    readable++;
    expect(editThreadFile(file, { set: file.fields, body: file.body })).toBe(source);
    if (file.conflictLine !== undefined) continue;
    const key = random.pick(FIELD_KEYS);
    const set = { [key]: NEW_VALUES[key] };
    const edited = await read(editThreadFile(file, { set }));
    const value = key === "title" ? "Q3 plan parentId: null" : NEW_VALUES[key];
    expect([source, edited.fields]).toEqual([source, { ...file.fields, [key]: value }]);
    expect([source, edited.body]).toEqual([source, file.editable === undefined ? edited.body : file.body]);
    expect([source, unknownLines(edited)]).toEqual([source, unknownLines(file)]);
    const unset = await read(editThreadFile(edited, { unset: [key] }));
    const { [key]: _, ...others } = edited.fields;
    expect([source, unset.fields]).toEqual([source, others]);
    if (isYaml(file)) expect([source, isYaml(edited), isYaml(unset)]).toEqual([source, true, true]);
  }
  expect(readable).toBeGreaterThan(500);
});

test("`renderThreadFile()` writes the keys in their order, and reads them back", async () => {
  const created = renderThreadFile(
    { paths: ["src/auth"], title: "Auth", parentId: null, id: "auth", createdAt: "2026-04-15T10:00:00.000Z" },
    "## Decisions\r\n- a",
  );
  expect(created).toBe(
    "---\nid: auth\ntitle: Auth\nparentId: null\ncreatedAt: 2026-04-15T10:00:00.000Z\npaths: [src/auth]\n---\n\n## Decisions\n- a\n",
  );
  expect(renderThreadFile({ id: "auth" }, "")).toBe("---\nid: auth\n---\n");
  const file = await read(renderThreadFile(NEW_VALUES, "\n\ntext\n"));
  expect(file.fields).toEqual({ ...NEW_VALUES, title: "Q3 plan parentId: null" });
  expect(file.body).toBe("\n\ntext\n");
});

test("`renderThreadFile()` lets no title add keys", async () => {
  for (const title of [
    "Q3\nparentId: null\nstatus: done",
    "Q3\r\n---\r\n",
    "Q3\tx",
    "Q3\u2028status: done",
    "Q3\rstatus: done",
  ]) {
    const file = await read(renderThreadFile({ title, parentId: "main" }, ""));
    expect([title, Object.keys(file.fields), file.fields.parentId]).toEqual([title, ["title", "parentId"], "main"]);
    expect(file.source.split(/\r|\n/).length).toBe(5);
  }
});

async function read(source: string): Promise<ThreadFile> {
  const file = await parseThreadFile(source);
  if ("message" in file) throw new Error(`${JSON.stringify(source)}: line ${file.line}: ${file.message}`);
  return file;
}

async function edit(source: string, changes: ThreadChanges): Promise<string> {
  return editThreadFile(await read(source), changes);
}

async function editHeaderOf(header: string, set: ThreadFields): Promise<string> {
  return (await edit(`---\n${header}\n---\n`, { set })).slice(4, -5);
}

function isYaml({ editable, source }: ThreadFile): boolean {
  if (editable === undefined) return true;
  const text = source.slice(editable.header.open, editable.header.close);
  return parseDocument(text, { uniqueKeys: false, logLevel: "error" }).errors.length === 0;
}

function lines(...all: string[]): string {
  return `${all.join("\n")}\n`;
}

/** The text with other line ends, with a byte order mark, and without its last line break. */
function variants(source: string): string[] {
  const windows = source.replaceAll("\n", "\r\n");
  return [source, windows, `\ufeff${source}`, `\ufeff${windows}`, source.trimEnd()];
}

/** What a header holds besides the entries of known keys, which stays as it is, but for the indentation of comments. */
function unknownLines({ editable, source }: ThreadFile): string {
  if (editable === undefined || editable.flowFrom !== undefined) return "";
  const { header, entries } = editable;
  let text = source.slice(header.open, header.close);
  const known = entries.filter(({ key }) => (FIELD_KEYS as readonly string[]).includes(key));
  for (const { from, to } of known.toReversed())
    text = text.slice(0, from - header.open) + text.slice(to - header.open);
  return text.replace(/^[ \t]+#/gm, "#");
}

const VALUES = [
  ...[
    "",
    "a",
    "Auth: JWT",
    "'a'",
    '"b" # c',
    "c # d",
    "[a, 'b']",
    "[a, {b: c}]",
    "{a: b}",
    "|\n  text\n\n  more",
    ">-\n  folded",
  ],
  ...[
    "\n  - a\n  - b",
    "\n- a",
    "\n  a: b",
    "&x a",
    "*x",
    "!!int 7",
    '"a\n  b"',
    "a\n  b",
    "'tis",
    "[a",
    "null",
    "~",
    "007",
    "a\tb",
  ],
  ...["# c", "2026-04-15", "2026-04-16T00:00:00Z", "@x", "- a", "a: b: c", "\n  # c\n  a"],
];
const NOISE = [
  "",
  "# comment",
  "  # indented",
  "x: 1",
  "note: a: b",
  "__proto__: 1",
  "- a",
  "junk",
  "<<<<<<< a",
  "=======",
  ">>>>>>> b",
];

function randomFile(random: Seeded): string {
  const header: string[] = [];
  for (let count = random.next(7); count > 0; count--) {
    if (random.next(5) === 0) header.push(random.pick(NOISE));
    const key: FieldKey | "x" | "y z" =
      random.next(3) === 0 ? random.pick(["x", "y z"] as const) : random.pick(FIELD_KEYS);
    header.push(
      `${key}:${random.pick([" ", "  ", " ", ""])}${random.pick(VALUES)}${random.pick(["", "", " ", " # c"])}`,
    );
  }
  const source = `---\n${header.map((line) => `${line}\n`).join("")}---\n${random.pick(["", "\n## State\n- a\n", "text"])}`;
  return random.pick(variants(source));
}
