import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import { FIELD_KEYS, isFieldKey } from "../../src/core/thread_fields.ts";
import {
  parsePlainThreadFile,
  parseThreadFile,
  type ThreadFields,
  type ThreadFile,
  type Unreadable,
} from "../../src/core/thread_file.ts";
import { HEADERS } from "./header_table.ts";

const BASE = `---
id: auth
title: Auth
parentId: main
author: sam-1a2b
createdAt: 2026-04-15T10:00:00.000Z
updatedAt: 2026-04-15T12:30:00.000Z
---

## Decisions
- JWT in a cookie

## State
- login done
`;

test("`parsePlainThreadFile()` reads the headers of the table that are plain, and no other", () => {
  for (const { header, fields, isPlain } of HEADERS) {
    const file = parsePlainThreadFile(`---\n${header}\n---\n`);
    if (!isPlain) expect([header, file]).toEqual([header, undefined]);
    else expect([header, file !== undefined && usable(file).fields]).toEqual([header, fields]);
  }
});

test("`parseThreadFile()` reads every header of the table, with a finding on each line to mend", async () => {
  for (const { header, fields, findings } of HEADERS) {
    const file = usable(await parseThreadFile(`---\n${header}\n---\nbody\n`));
    expect([header, file.fields, file.body]).toEqual([header, fields, "body\n"]);
    expect([header, ...linesToMend(file)]).toEqual([header, ...findings]);
  }
});

test("`parseThreadFile()` reads plain headers through `yaml` as without it", async () => {
  for (const { header, fields, findings } of HEADERS.filter(({ isPlain }) => isPlain)) {
    const file = usable(await parseThreadFile(`---\n${header}\nforYaml: |\n  text\n---\n`));
    expect([header, file.fields, ...linesToMend(file)]).toEqual([header, fields, ...findings]);
  }
});

test("`parseThreadFile()` reads what `yaml` reads, but for the deviations of the table", () => {
  for (const { header, fields, deviation } of HEADERS) {
    const same = Bun.deepEquals(fieldsOfYaml(header), fields, true);
    expect([header, same]).toEqual([header, deviation === undefined]);
  }
});

test("`parseThreadFile()` reads the table alike with CRLF, a byte order mark and line ends of old Macs", async () => {
  for (const { header, fields } of HEADERS) {
    const source = `---\n${header}\n---\nbody\n`;
    const windows = usable(await parseThreadFile(`\ufeff${source.replaceAll("\n", "\r\n")}`));
    expect([header, windows.fields, windows.body, windows.eol]).toEqual([header, fields, "body\r\n", "\r\n"]);
    const mac = usable(await parseThreadFile(source.replaceAll("\n", "\r")));
    expect([header, mac.fields, mac.body, mac.eol]).toEqual([header, fields, "body\r", "\n"]);
  }
});

test("`parseThreadFile()` reads the files that 0.4.1 wrote", async () => {
  const folder = join(import.meta.dir, "../fixtures/v0.4.1/threadmind/threads");
  const titles = new Map<string, ThreadFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md"),
  )) {
    const source = readFileSync(join(folder, name), "utf8");
    const file = parsePlainThreadFile(source);
    expect(file).toBeDefined();
    titles.set(name.replaceAll("\\", "/"), usable(file ?? (await parseThreadFile(source))));
  }
  const seen = [...titles].map(([name, file]) => [name, file.fields.title, file.titleIsLiteral]).sort();
  expect(seen).toEqual([
    ["my-app/auth-jwt-sessions.md", "Auth: JWT & sessions", true],
    ["my-app/auth-ui.md", "Auth UI", false],
    ["my-app/caf-menu-2.md", "Café – menu #2", true],
    ["my-app/main.md", "My App", false],
    ["side-project/main.md", "Side Project", false],
    ["side-project/yes.md", "yes", false],
  ]);
  expect(titles.get("my-app/main.md")?.fields.parentId).toBeNull();
  expect(titles.get("my-app/caf-menu-2.md")?.body).toBe(
    "\n## Decisions\n- one menu per day\n\n---\n\nnote after a rule",
  );
});

test("`parseThreadFile()` says what to write for a title that other readers don't read", async () => {
  const file = usable(await parseThreadFile(BASE.replace("title: Auth", "title: Retry: back off on 429 #billing")));
  expect(file.fields.title).toBe("Retry: back off on 429 #billing");
  expect(file.titleIsLiteral).toBe(true);
  expect(file.findings).toEqual([
    {
      line: 3,
      message: "title is taken as it stands, but other YAML readers refuse the line or read something else.",
      hint: 'Write title: "Retry: back off on 429 #billing"',
    },
  ]);
});

test("`parseThreadFile()` takes only a whole line of three dashes for a fence", async () => {
  const source = BASE.replace("title: Auth", "title: Auth --- phase 2").replace(
    "---\n\n## Decisions\n",
    "note: |\n  ---\n  not a fence\n--- \t\n\n## Decisions\n\n---\n\n```yaml\n---\nkind: example\n---\n```\n",
  );
  const file = usable(await parseThreadFile(source));
  expect([file.fields.title, file.fields.parentId, file.bodyLine]).toEqual(["Auth --- phase 2", "main", 12]);
  expect(file.body).toStartWith("\n## Decisions\n\n---\n\n```yaml\n---\n");
  expect(source.endsWith(file.body)).toBe(true);
});

test("`parseThreadFile()` uses a file without a header, with an empty one, or with some keys only", async () => {
  const messages = async (source: string): Promise<unknown> => {
    const { fields, body, bodyLine, findings } = usable(await parseThreadFile(source));
    return [fields, body, bodyLine, findings.map(({ line, message }) => `${line}: ${message}`)];
  };
  expect(await messages("\ufeff## Decisions\n---\n")).toEqual([{}, "## Decisions\n---\n", 1, ["1: It has no header."]]);
  const none = "1: Its header has none of the keys of a thread.";
  expect(await messages("---\n---\ntext")).toEqual([{}, "text", 3, [none]]);
  expect(await messages("---\n\n# nothing\n---")).toEqual([{}, "", 5, [none]]);
  expect(await messages("---\nkind: |\n  x\n---\n")).toEqual([{}, "", 5, [none]]);
  expect(await messages("---\ntitle: Auth\nparentId: main\n---\n")).toEqual([
    { title: "Auth", parentId: "main" },
    "",
    5,
    ["1: Its header lacks author, createdAt, updatedAt."],
  ]);
  expect(await messages(BASE.replace("id: auth\n", ""))).toMatchObject([{ title: "Auth" }, expect.any(String), 8, []]);
  expect(await messages(` ${BASE}`)).toMatchObject([{}, ` ${BASE}`, 1, ["1: It has no header."]]);
});

test("`parseThreadFile()` finds a header below blank lines, but takes no rule for one", async () => {
  const file = usable(await parseThreadFile(`\n \n${BASE}`));
  expect([file.fields.title, file.bodyLine, linesToMend(file)]).toEqual(["Auth", 11, [1]]);
  for (const source of ["\n---\n\ntext\n", "\n---\n\ntext: x\n---\n", "\n---\ntext\n---\n", "\n---\n- a\n---\n"]) {
    expect(usable(await parseThreadFile(source)).body).toBe(source);
  }
});

test("`parseThreadFile()` names line and remedy of what can't be read", async () => {
  const cases: [string, number, RegExp][] = [
    ["", 1, /is empty.*back: <restore>/],
    ["\ufeff \r\n\n", 1, /is empty/],
    [BASE.replace("login", "log\0in"), 14, /NUL/],
    ["---\nid: auth\n", 1, /never closes.*only ---/],
    ["---", 1, /never closes/],
    ["---\nid: auth\n ---\n--- x\n----\n", 1, /never closes/],
    ["---text\nid: auth\n---\n", 1, /---text/],
    ["----\nid: auth\n---\n", 1, /----/],
    ["--- # x\nid: auth\n---\n", 1, /first line/],
    ["---\nJust text\n---\n", 2, /key: value/],
    ["---\n- a\n- b\n---\n", 2, /key: value/],
    ["---\nid: auth\njunk\ntitle: x\n---\n", 3, /not YAML/],
    ["---\nid: auth\n\ttitle: x\n---\n", 3, /not YAML/],
    ["---\nid: auth\nflags: {a: b\nbranch: x\n---\n", 4, /not YAML/],
    ["---\nid: auth\n...\ntitle: x\n---\n", 4, /ends it/],
    ["---\nid: auth\nid: other\n---\n", 3, /lines 2 and 3/],
    ["---\nid: auth\ntitle: a\nx: 1\ntitle: b\n---\n", 5, /title stands twice, on lines 3 and 5/],
    ["---\nid: auth\nparentId: null\nparentId: a\nnote: |\n  x\n---\n", 4, /lines 3 and 4/],
    [`---\nid: auth\ndeep: ${"[".repeat(30_000)}${"]".repeat(30_000)}\n---\n`, 3, /not YAML/],
  ];
  for (const [source, line, says] of cases) {
    const result = await parseThreadFile(source);
    expect([source, "message" in result]).toEqual([source, true]);
    const { line: found, message, hint } = result as Unreadable;
    expect([source, found]).toEqual([source, line]);
    expect(`${message} ${hint}`).toMatch(says);
  }
});

test("`parseThreadFile()` accepts broken Unicode and replacement characters", async () => {
  const source = BASE.replace("Auth", "A\ufffd").replace("login", "log\ud800in");
  expect(usable(await parseThreadFile(source)).fields.title).toBe("A\ufffd");
});

test("`parseThreadFile()` reads the first side of a header in conflict", async () => {
  const stamps =
    "<<<<<<< HEAD\nupdatedAt: 2026-04-16T11:00:00.000Z\n=======\nupdatedAt: 2026-04-16T09:00:00.000Z\n>>>>>>> b\n";
  const stamp = /updatedAt: .*\n/;
  const cases: [string, number][] = [
    [BASE.replace(stamp, stamps), 7],
    [BASE.replace(stamp, stamps.replace("=======", "||||||| base\nupdatedAt: x\n=======")), 7],
    [BASE.replace(stamp, `${stamps}note: |\n  x\n`), 7],
    [BASE.replace(stamp, stamps).replaceAll("\n", "\r\n"), 7],
    [`<<<<<<< HEAD\n${BASE}=======\n${BASE.replaceAll("auth", "other")}>>>>>>> b\n`, 1],
    [
      BASE.replace(
        /updatedAt: .*$/s,
        `${stamps.slice(0, 49)}---\n\nours\n=======\nupdatedAt: x\n---\n\ntheirs\n>>>>>>> b\n`,
      ),
      7,
    ],
    [BASE.replace(stamp, stamps.replace("<<<<<<< HEAD\n", "")), 8],
  ];
  for (const [source, line] of cases) {
    const { fields, conflictLine } = usable(await parseThreadFile(source));
    expect([source, fields.id, fields.title, fields.parentId, conflictLine]).toEqual([
      source,
      "auth",
      "Auth",
      "main",
      line,
    ]);
    expect(fields.updatedAt).toMatch(/^2026-04-1[56]T1[12]/);
  }
});

test("`parseThreadFile()` tells a header that only the other side of a conflict closes", async () => {
  const source = "---\nid: auth\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n---\nbody\n>>>>>>> b\n";
  expect(await parseThreadFile(source)).toMatchObject({ line: 1, conflictLine: 3 });
  const junk = "---\nid: auth\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> b\njunk\n---\n";
  expect(await parseThreadFile(junk)).toMatchObject({
    line: 8,
    conflictLine: 3,
    hint: expect.stringContaining("merge conflict"),
  });
});

test("`parseThreadFile()` does not follow aliases, however many", async () => {
  const bomb = Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}, *a${n}]`);
  const source = `---\nid: auth\na0: &a0 [x, x]\n${bomb.join("\n")}\npaths: *a40\n---\n`;
  const started = performance.now();
  const file = usable(await parseThreadFile(source));
  expect([file.fields.id, file.fields.paths, linesToMend(file)]).toEqual(["auth", undefined, [44]]);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("`parseThreadFile()` shows a title of several lines on one", async () => {
  const file = usable(
    await parseThreadFile(BASE.replace("title: Auth", 'title: "Q3 plan\\nparentId: null\\r\\nx\\u2028y"')),
  );
  expect([file.fields.title, file.fields.parentId, linesToMend(file)]).toEqual([
    "Q3 plan parentId: null x y",
    "main",
    [3],
  ]);
});

test("`parseThreadFile()` gives keys of JavaScript's own objects no meaning", async () => {
  for (const rest of ["", "note: |\n  x\n"]) {
    const file = usable(await parseThreadFile(`---\n__proto__: x\nconstructor: {a: 1}\ntitle: Auth\n${rest}---\n`));
    expect(file.fields).toEqual({ title: "Auth" });
    expect(Object.getPrototypeOf(file.fields)).toBe(Object.prototype);
  }
});

function usable(result: ThreadFile | Unreadable): ThreadFile {
  if ("message" in result) throw new Error(`line ${result.line}: ${result.message}`);
  return result;
}

/** Lines with a finding, apart from the one about missing keys. */
function linesToMend({ findings }: ThreadFile): number[] {
  return findings.filter(({ message }) => !/lacks|none of the keys/.test(message)).map(({ line }) => line);
}

/** The known keys as `yaml` alone reads them, every scalar as its source; `undefined` if it refuses the header. */
function fieldsOfYaml(header: string): ThreadFields | undefined {
  const document = parseDocument(header, { logLevel: "error" });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const text = (node: Node | null): string | null => {
    if (!isScalar(node)) throw new Error("not a scalar");
    return node.source === "" && node.type === "PLAIN" ? null : (node.source ?? null);
  };
  const fields: Record<string, string | null | (string | null)[]> = {};
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? key.source : undefined;
    if (name === undefined || !isFieldKey(name)) continue;
    if (isSeq(value)) fields[name] = value.items.map((item) => (isScalar(item) ? text(item) : null));
    else if (!isScalar(value)) return undefined;
    else if (name === "parentId") fields[name] = value.value === null ? null : text(value);
    else fields[name] = text(value)?.replace(/\n$/, "") ?? null;
  }
  return fields as ThreadFields;
}

test("`FIELD_KEYS` is the order of the contract", () => {
  expect(FIELD_KEYS.join(" ")).toBe(
    "id title parentId author createdAt updatedAt status branch commit paths fingerprint mergedInto",
  );
});
