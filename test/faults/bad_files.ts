import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderThread, threadFile } from "../support/stored_project.ts";

/**
 * What a bad file is to ThreadMind. `unreadable`: nothing but its name is known; `conflict`: readable, but nobody may
 * write to it; `identity`: likewise; `named`: usable, with a finding; `fine`: large or strange, but like any other;
 * `absent`: no thread at all.
 */
export type Verdict = "unreadable" | "conflict" | "identity" | "named" | "fine" | "absent";

/** One kind of bad file: how it is put beside good ones as the thread `bad`. */
export interface BadFile {
  readonly says: string;
  readonly verdict: Verdict;
  /** what the readers have to name; without it the thread's path */
  readonly names?: string;
  /** the id, if it isn't `bad` */
  readonly id?: string;
  put(top: string): void;
}

const BODY = "## Decisions\n- kept by bad\n";

const source = (says: string, verdict: Verdict, text: string | Uint8Array, more: Partial<BadFile> = {}): BadFile => ({
  says,
  verdict,
  ...more,
  put: (top) => writeFileSync(threadFile(top, more.id ?? "bad"), text),
});

const withHeader = (header: string, body = BODY): string => `---\n${header}\n---\n\n${body}`;
const GOOD = renderThread("bad", { title: "Bad", body: BODY });
const inHeader = (line: string): string => GOOD.replace("title: Bad", line);
const special = (says: string, verdict: Verdict, put: (top: string) => void, more: Partial<BadFile> = {}): BadFile => ({
  says,
  verdict,
  ...more,
  put,
});

const link = (target: string) => (top: string) => symlinkSync(target, threadFile(top, "bad"));
const OURS = "<<<<<<< HEAD\n";
const THEIRS = ">>>>>>> feature/x\n";

const CONFLICTS: readonly BadFile[] = [
  source(
    "conflict markers in its header",
    "conflict",
    GOOD.replace("title: Bad\n", `${OURS}title: Bad\n=======\ntitle: Worse\n${THEIRS}`),
  ),
  source("conflict markers in its body", "conflict", `${GOOD}${OURS}- a\n=======\n- b\n${THEIRS}`),
  source(
    "conflict markers in diff3 style",
    "conflict",
    `${GOOD}${OURS}- a\n||||||| 1234567\n- o\n=======\n- b\n${THEIRS}`,
  ),
  source(
    "conflict markers round all of it",
    "conflict",
    `${OURS}${GOOD}=======\n${GOOD.replace("kept by bad", "other")}${THEIRS}`,
  ),
  source(
    "conflict markers with CRLF",
    "conflict",
    `${GOOD}${OURS}- a\n=======\n- b\n${THEIRS}`.replaceAll("\n", "\r\n"),
  ),
  source(
    "conflict markers round its closing fence",
    "conflict",
    GOOD.replace(/updatedAt: .*\n---\n/, (end) => `${OURS}${end}=======\n${end}${THEIRS}`),
  ),
];

const YAML: readonly BadFile[] = [
  source("a header that isn't YAML", "unreadable", inHeader("title: Bad\nnote: [a, b")),
  source("a title that isn't YAML", "named", inHeader('title: "Bad')),
  source("a header with a tab for indentation", "unreadable", inHeader("note:\n\t- x")),
  source("a header that never closes", "unreadable", GOOD.replace("\n---\n\n", "\n\n")),
  source("a header that is a list", "unreadable", withHeader("- a\n- b")),
  source("a header that is one word", "unreadable", withHeader("hello")),
  source("a first line with text behind the dashes", "unreadable", GOOD.replace("---\n", "---text\n")),
  source("no header", "named", BODY),
  source("an empty header", "named", `---\n---\n\n${BODY}`),
  source(
    "values of wrong types",
    "named",
    withHeader("id: bad\ntitle: {a: 1}\nparentId: main\nstatus: [done]\nbranch: {}\npaths: 5\nupdatedAt: []"),
  ),
  source("a status that is none", "named", inHeader("title: Bad\nstatus: maybe")),
  source("one key twice", "unreadable", inHeader("title: Bad\ntitle: Worse")),
  source("aliases that would unfold to billions", "named", inHeader(`title: Bad\n${bomb()}`), { names: "" }),
  source(
    "a header of 5,000 keys",
    "fine",
    inHeader(`title: Bad\n${Array.from({ length: 5000 }, (_, n) => `k${n}: v${n}`).join("\n")}`),
  ),
  source("a header of one line of 1 MB", "fine", inHeader(`title: Bad\nnote: ${"n".repeat(1_000_000)}`)),
  source("deeply nested YAML", "named", inHeader(`title: Bad\nnote: ${"[".repeat(3000)}${"]".repeat(3000)}`), {
    names: "",
  }),
  source(
    "keys of JavaScript's own objects",
    "named",
    inHeader("title: Bad\n__proto__: x\nconstructor: y\ntoString: {a: b}\nhasOwnProperty: z"),
    { names: "" },
  ),
];

const BYTES: readonly BadFile[] = [
  source("no byte", "unreadable", ""),
  source("UTF-16 with little end first", "unreadable", new Uint8Array(Buffer.from(`\ufeff${GOOD}`, "utf16le"))),
  source("UTF-16 with big end first", "unreadable", new Uint8Array(Buffer.from(`\ufeff${GOOD}`, "utf16le").swap16())),
  source("Latin-1", "unreadable", new Uint8Array(Buffer.from(GOOD.replace("kept", "gardé"), "latin1"))),
  source("NUL bytes in its header", "unreadable", inHeader("title: B\0ad")),
  source("NUL bytes only", "unreadable", "\0".repeat(400)),
  source("a cut UTF-8 character at its end", "unreadable", new Uint8Array(Buffer.from(`${GOOD}- é`).subarray(0, -1))),
];

const TREES: readonly BadFile[] = [
  source("another id inside", "identity", GOOD.replace("id: bad", "id: good")),
  source("itself as parent", "named", GOOD.replace("parentId: main", "parentId: bad"), { names: "bad" }),
  source("a parent that doesn't exist", "named", GOOD.replace("parentId: main", "parentId: nobody"), {
    names: "nobody",
  }),
  source("a parent that is a path", "named", GOOD.replace("parentId: main", "parentId: ../../../etc/passwd"), {
    names: "bad",
  }),
  source("a second root", "named", GOOD.replace("parentId: main", "parentId: null"), { names: "bad" }),
  special(
    "a parent that has it for a parent",
    "named",
    (top) => {
      writeFileSync(threadFile(top, "bad"), GOOD.replace("parentId: main", "parentId: worse"));
      writeFileSync(threadFile(top, "worse"), renderThread("worse", { parentId: "bad", body: BODY }));
    },
    { names: "worse" },
  ),
  special("a twin that differs in case", "named", (top) => {
    writeFileSync(threadFile(top, "bad"), GOOD);
    writeFileSync(threadFile(top, "BAD"), GOOD.replace("id: bad", "id: BAD"));
  }),
  special(
    "a twin that differs in normalisation",
    "named",
    (top) => {
      writeFileSync(threadFile(top, "caf\u00e9"), GOOD.replace("id: bad", "id: caf\u00e9"));
      writeFileSync(threadFile(top, "cafe\u0301"), GOOD.replace("id: bad", "id: cafe\u0301"));
    },
    { id: "caf\u00e9", names: "caf" },
  ),
  source("the id __proto__", "fine", GOOD.replace("id: bad", "id: __proto__"), { id: "__proto__" }),
  source("the id constructor", "fine", GOOD.replace("id: bad", "id: constructor"), { id: "constructor" }),
  source("the title __proto__", "fine", inHeader("title: __proto__")),
  source("a name that Windows reserves", "fine", GOOD.replace("id: bad", "id: con"), { id: "con" }),
  source("a name with a backslash", "absent", GOOD, { id: "a\\b" }),
];

const MARKDOWN: readonly BadFile[] = [
  source("3,000 nested quotes", "fine", `${GOOD}${">".repeat(3000)} deep\n`),
  source("3,000 nested lists", "fine", `${GOOD}${"- ".repeat(3000)}deep\n`),
  source(
    "lists indented 3,000 times",
    "fine",
    `${GOOD}${Array.from({ length: 3000 }, (_, n) => `${" ".repeat(n)}- x`).join("\n")}\n`,
  ),
  source("100,000 backticks", "fine", `${GOOD}${"`".repeat(100_000)}\n`),
  source("100,000 backticks apart", "fine", `${GOOD}${"` ".repeat(100_000)}\n`),
  source("50,000 brackets", "fine", `${GOOD}${"[".repeat(50_000)}${"](".repeat(50_000)}\n`),
  source("50,000 stars and underlines", "fine", `${GOOD}${"*a_".repeat(50_000)}\n`),
  source("a line of 1 MB", "fine", `${GOOD}- ${"word ".repeat(200_000)}\n`),
  source("50,000 headings", "fine", `${GOOD}${Array.from({ length: 50_000 }, (_, n) => `### h${n}`).join("\n")}\n`),
  source("5,000 sections of one name", "fine", `${GOOD}${"\n## State\n- x\n".repeat(5000)}`),
  source("a table of 20,000 rows", "fine", `${GOOD}\n|a|b|\n|-|-|\n${"|x|y|\n".repeat(20_000)}`),
  source("10,000 open HTML comments", "fine", `${GOOD}${"<!-- ".repeat(10_000)}\n`),
  source(
    "20,000 link definitions",
    "fine",
    `${GOOD}\n${Array.from({ length: 20_000 }, (_, n) => `[r${n}]: x`).join("\n")}\n`,
  ),
  source("200,000 blank lines", "fine", `${GOOD}${"\n".repeat(200_000)}end\n`),
  source("500,000 blanks before a line's end", "fine", `${GOOD}x${" ".repeat(500_000)}y\n`),
];

const PLACES: readonly BadFile[] = [
  special("a link out of the workspace", "unreadable", link("/etc/hostname")),
  special("a link to itself", "unreadable", link("bad.md")),
  special("a link to nothing", "unreadable", link("nowhere.md")),
  special("a link to /dev/zero", "unreadable", link("/dev/zero")),
  special("a link to a pipe in the workspace", "unreadable", (top) => {
    fifo(join(top, ".threadmind/pipe"));
    link("../../pipe")(top);
  }),
  special("a link to its folder", "unreadable", link(".")),
  special("a pipe", "absent", (top) => fifo(threadFile(top, "bad"))),
  special("a folder", "absent", (top) => mkdirSync(threadFile(top, "bad"))),
  special("a device without end", "absent", (top) => {
    spawnSync("mknod", [threadFile(top, "bad"), "c", "1", "5"]);
    if (!spawned(threadFile(top, "bad"))) fifo(threadFile(top, "bad"));
  }),
];

const PROJECTS: readonly BadFile[] = [
  project("no JSON", "{"),
  project("a list", "[]"),
  project("values of wrong types", '{"title":5,"mode":"solo","rootThreadId":[]}'),
  project("a mode that is none", '{"title":"Bad","mode":"duo"}'),
  project("nesting without end", `{"title":"Bad","x":${"[".repeat(50_000)}`),
  project("bytes that are no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
  project("conflict markers", `${OURS}{}\n=======\n{"title":"x"}\n${THEIRS}`),
  special("a project file that is a folder", "absent", (top) => mkdirSync(join(top, ".threadmind/projects/bad.json")), {
    names: ".threadmind/projects/bad.json",
  }),
  special("a project file that is a pipe", "absent", (top) => fifo(join(top, ".threadmind/projects/bad.json")), {
    names: ".threadmind/projects/bad.json",
  }),
];

function project(says: string, text: string | Uint8Array): BadFile {
  const file = ".threadmind/projects/bad.json";
  return special(`a project file with ${says}`, "absent", (top) => writeFileSync(join(top, file), text), {
    names: file,
  });
}

function bomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, n) =>
      `l${n}: &l${n} [${Array(10)
        .fill(n === 0 ? "x" : `*l${n - 1}`)
        .join(", ")}]`,
  );
  return levels.join("\n");
}

function fifo(path: string): void {
  const { status, stderr } = spawnSync("mkfifo", [path]);
  if (status !== 0) throw new Error(String(stderr));
}

function spawned(path: string): boolean {
  return spawnSync("test", ["-c", path]).status === 0;
}

/** Every kind of bad file. */
export const BAD_FILES: readonly BadFile[] = [
  ...CONFLICTS,
  ...YAML,
  ...BYTES,
  ...TREES,
  ...MARKDOWN,
  ...PLACES,
  ...PROJECTS,
];
