import type { ThreadFields } from "../../src/core/thread_file.ts";

/** A header, and what it says. */
export interface HeaderRow {
  /** the lines between the fences, the first one is line 2 of the file */
  readonly header: string;
  readonly fields: ThreadFields;
  /** read by the parser of ours alone */
  readonly isPlain: boolean;
  /** lines with a finding, keys that are missing not counted */
  readonly findings: readonly number[];
  /** why `yaml` by itself reads something else; `undefined` where it reads the same */
  readonly deviation: string | undefined;
}

const LITERAL = "0.4 wrote titles as they are, so what YAML refuses or cuts is read as it stands";
const NOTHING = "an empty value or null is an absent one, apart from parentId and titles";

function plain(header: string, fields: ThreadFields, findings: readonly number[] = []): HeaderRow {
  return { header, fields, isPlain: true, findings, deviation: undefined };
}

function rich(header: string, fields: ThreadFields, findings: readonly number[] = []): HeaderRow {
  return { header, fields, isPlain: false, findings, deviation: undefined };
}

function differs(deviation: string, row: HeaderRow): HeaderRow {
  return { ...row, deviation };
}

function title(text: string): HeaderRow {
  return differs(LITERAL, plain(`title: ${text}`, { title: text }, [2]));
}

/** The one table of headers that both parsers are tested with. */
export const HEADERS: readonly HeaderRow[] = [
  // What ThreadMind writes.
  plain("id: auth\ntitle: Auth\nparentId: main\nauthor: sam-1a2b", {
    id: "auth",
    title: "Auth",
    parentId: "main",
    author: "sam-1a2b",
  }),
  plain("createdAt: 2026-04-15T10:00:00.000Z\nupdatedAt: 2026-04-15T12:30:00.000Z", {
    createdAt: "2026-04-15T10:00:00.000Z",
    updatedAt: "2026-04-15T12:30:00.000Z",
  }),
  plain('status: done\nbranch: feature/auth\ncommit: "0192117"\nfingerprint: 1-0123456789abcdef\nmergedInto: main', {
    status: "done",
    branch: "feature/auth",
    commit: "0192117",
    fingerprint: "1-0123456789abcdef",
    mergedInto: "main",
  }),
  plain('paths: [src/auth, "src/[id]"]', { paths: ["src/auth", "src/[id]"] }),
  // Values that YAML gives a type are the text that stands there.
  plain("id: 007\nparentId: 1e3\nauthor: no\nbranch: 1_000", {
    id: "007",
    parentId: "1e3",
    author: "no",
    branch: "1_000",
  }),
  plain("commit: 4081957263301846e29573018264401973625580", { commit: "4081957263301846e29573018264401973625580" }),
  plain("commit: 7310954826610948213379025518846390271645", { commit: "7310954826610948213379025518846390271645" }),
  plain("commit: 0192117\nmergedInto: 0x1F\nfingerprint: .inf", {
    commit: "0192117",
    mergedInto: "0x1F",
    fingerprint: ".inf",
  }),
  plain("title: yes", { title: "yes" }),
  plain("title: 2026-04-15", { title: "2026-04-15" }),
  plain("title: null", { title: "null" }),
  plain("id: null\ntitle: ~", { id: "null", title: "~" }),
  plain("paths: [007, no, 1e3]", { paths: ["007", "no", "1e3"] }),
  rich("paths: [~, null]", { paths: ["~", "null"] }),
  // Quotes, blanks, comments.
  plain("title: \"a: b # c\"\nauthor: 'it''s'", { title: "a: b # c", author: "it's" }),
  plain('title: "\\u00e9\\x41\\t\\"\\\\ \\/"', { title: 'éA\t"\\ /' }),
  plain("title: \"Auth\"   # the title\nbranch: main # until June\nauthor: 'x' # y", {
    title: "Auth",
    branch: "main",
    author: "x",
  }),
  plain("title:   Auth  \t \nid:\tauth", { title: "Auth", id: "auth" }),
  plain("id : auth", { id: "auth" }),
  plain("# a comment\n\nid: auth\n   # another\n\t\n", { id: "auth" }),
  plain('branch: a#b\nauthor: x:y\ntitle: C# and it\'s "so"', {
    branch: "a#b",
    author: "x:y",
    title: 'C# and it\'s "so"',
  }),
  plain("author: -x\nbranch: ?x\ncommit: :x", { author: "-x", branch: "?x", commit: ":x" }),
  plain("title: Auth --- phase 2\nbranch: --- x", { title: "Auth --- phase 2", branch: "--- x" }),
  plain("title: Café – 日本語 👩‍👩‍👧", { title: "Café – 日本語 👩‍👩‍👧" }),
  plain('title: "null"\nparentId: "null"', { title: "null", parentId: "null" }),
  // Nothing.
  plain("parentId: null", { parentId: null }),
  plain("parentId: ~", { parentId: null }),
  plain("parentId:", { parentId: null }),
  plain("parentId: # none", { parentId: null }),
  differs(NOTHING, plain('title:\nbranch:\nauthor: ""\nstatus: null\ncommit: ~', {})),
  // Lists on one line.
  plain("paths: []", { paths: [] }),
  plain("paths: [ \"src/auth\",'b', c d ,] # code", { paths: ["src/auth", "b", "c d"] }),
  plain("paths: [src/café, .github, ./x]", { paths: ["src/café", ".github", "./x"] }),
  differs("one path is a list of one", plain("paths: src/auth", { paths: ["src/auth"] })),
  // Keys we don't know, whatever they are called.
  plain("reviewer: lee   # until June\nid: auth\ntags: [a, 'b']", { id: "auth" }),
  plain("__proto__: x\nconstructor: y\ntoString: z\nid: auth", { id: "auth" }),
  plain("due date: soon\npropriétaire: Sam\nyes: 1\n1: 2\nid: auth", { id: "auth" }),
  plain("Title: x\nID: y\nid: auth", { id: "auth" }),
  differs("yaml refuses the line of a key that we don't know", plain("note: a: b\nid: auth", { id: "auth" }, [2])),
  differs("yaml refuses the line of a key that we don't know", plain("note: 'a\nid: auth", { id: "auth" }, [2])),
  differs("keys that we don't know may stand twice", plain("x: 1\nid: auth\nx: 2", { id: "auth" }, [4])),
  // Titles of 0.4.
  title("Auth: JWT & sessions"),
  title("Café – menu #2"),
  title("[WIP] auth"),
  title("[WIP]"),
  title('"x" y'),
  title('"x'),
  title('"\\q"'),
  title("#1 idea"),
  title("*bold*"),
  title("&a x"),
  title("!x y"),
  title("@home"),
  title("`code`"),
  title("%x"),
  title("- x"),
  title("-"),
  title("'tis"),
  title("'a' 'b'"),
  title("a: b: c"),
  title("a:"),
  title("{x}"),
  title("> 80 % done"),
  title("| x"),
  title("Retry: back off on 429 #billing"),
  plain("title: a\tb", { title: "a\tb" }, [2]),
  // The same for other keys: literal where YAML has no reading.
  differs(LITERAL, plain('author: Sam: "the dev" #1', { author: 'Sam: "the dev" #1' }, [2])),
  differs(
    LITERAL,
    plain("branch: @x\nauthor: `y`\ncommit: %z", { branch: "@x", author: "`y`", commit: "%z" }, [2, 3, 4]),
  ),
  differs(LITERAL, plain('author: "Sam" Doe', { author: '"Sam" Doe' }, [2])),
  differs(
    "a key without a blank behind its colon is one",
    plain("title:Auth\nid: auth", { title: "Auth", id: "auth" }, [2]),
  ),
  // Dates and states that aren't any.
  plain("createdAt: yesterday\nupdatedAt: 2026-02-30", { createdAt: "yesterday", updatedAt: "2026-02-30" }, [2, 3]),
  plain("createdAt: 2026-04-15\nupdatedAt: 2026-04-15 12:30:00 +02:00", {
    createdAt: "2026-04-15",
    updatedAt: "2026-04-15 12:30:00 +02:00",
  }),
  plain("status: finished", { status: "finished" }, [2]),
  // Keys that stand twice.
  differs("git's union merge", plain("updatedAt: 2026-04-15\nupdatedAt: 2026-04-16", { updatedAt: "2026-04-16" }, [3])),
  differs("git's union merge", plain("updatedAt: 2026-04-16\nupdatedAt: 2026-04-15", { updatedAt: "2026-04-16" }, [3])),
  differs("git's union merge", plain("updatedAt: soon\nupdatedAt: 2026-04-15", { updatedAt: "2026-04-15" }, [3])),
  differs("git's union merge", plain("commit: aaa\ncommit: bbb", {}, [3])),
  differs("git's union merge", plain("commit: aaa\ncommit: aaa\ncommit: bbb", {}, [3, 4])),
  differs("git's union merge", plain("fingerprint: 1-a\nid: x\nfingerprint: 1-b", { id: "x" }, [4])),
  differs("the same twice", plain('title: Auth\ntitle: "Auth"', { title: "Auth" }, [3])),
  differs("the same twice", plain("paths: [a, b]\npaths: ['a', \"b\"]", { paths: ["a", "b"] }, [3])),
  // Richer headers.
  rich('id: auth\npaths:\n  - src/auth\n  - "src/[id]" # why\n  - 007\ntitle: Auth', {
    id: "auth",
    paths: ["src/auth", "src/[id]", "007"],
    title: "Auth",
  }),
  rich("paths:\n- a\n- b\nid: auth", { paths: ["a", "b"], id: "auth" }),
  rich("paths: [a,\n  b]\nid: auth", { paths: ["a", "b"], id: "auth" }),
  rich("paths: [a, -n, ':top', a:b]", { paths: ["a", "-n", ":top", "a:b"] }),
  rich("note: |\n  ---\n  not a fence\nid: auth", { id: "auth" }),
  rich("title: >-\n  Auth\n  two\nid: auth", { title: "Auth two", id: "auth" }),
  rich("title: |\n  Auth\nid: auth", { title: "Auth", id: "auth" }),
  rich("title: Auth\n  two\nid: auth", { title: "Auth two", id: "auth" }),
  rich('title: "Auth\n  two"\nid: auth', { title: "Auth two", id: "auth" }),
  rich("flags: {beta: yes, level: 0xFF}\nid: 0xFF", { id: "0xFF" }),
  rich("\"id\": auth\n'title': Auth", { id: "auth", title: "Auth" }),
  rich("id: &me auth\nother: *me", { id: "auth" }),
  rich("id: !!str 007\nbranch: !!int 012", { id: "007", branch: "012" }),
  rich("? id\n: auth\n? title\n: Auth", { id: "auth", title: "Auth" }),
  rich("  id: auth\n  title: Auth", { id: "auth", title: "Auth" }),
  rich("{id: auth, title: Auth, paths: [a, b], parentId: null}", {
    id: "auth",
    title: "Auth",
    paths: ["a", "b"],
    parentId: null,
  }),
  rich('{\n  "id": "auth",\n  "title": "a, b"\n}', { id: "auth", title: "a, b" }),
  rich("base: &base\n  title: Base\n<<: *base\nid: auth", { id: "auth" }),
  rich("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nid: auth", { id: "auth" }),
  rich("note: !custom {a: 1}\nid: auth", { id: "auth" }),
  differs(NOTHING, rich("branch: &x\nid: auth", { id: "auth" })),
  differs("aliases of known keys are not followed", rich("other: &o x\nauthor: *o\nid: auth", { id: "auth" }, [3])),
  differs("not a text", rich("author: {name: Sam}\nid: auth", { id: "auth" }, [2])),
  differs("not a list of texts", rich("paths: [a, {b: c}]\nid: auth", { id: "auth" }, [2])),
  differs("not a text", plain("branch: [a]\nid: auth", { id: "auth" }, [2])),
  differs(LITERAL, rich("title: Auth: JWT\npaths:\n  - src", { title: "Auth: JWT", paths: ["src"] }, [2])),
  differs(LITERAL, rich("title: [WIP]\nnote: |\n  x", { title: "[WIP]" }, [2])),
  differs(LITERAL, rich("title: 'tis\n  # a comment\nnote: >\n  x", { title: "'tis" }, [2])),
  differs(
    "git's union merge",
    rich("updatedAt: 2026-04-15\nupdatedAt: 2026-04-16\nnote: |\n  x", { updatedAt: "2026-04-16" }, [3]),
  ),
];
