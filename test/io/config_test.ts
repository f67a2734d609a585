import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfigChange, changeConfig, readConfig } from "../../src/io/config.ts";
import { layoutOf } from "../../src/io/layout.ts";
import { openStore } from "../../src/io/store.ts";
import { temporaryFolder } from "../support/temp.ts";

const OLD = readFileSync(join(import.meta.dir, "../fixtures/v0.4.1/threadmind/config.json"), "utf8");

/** A workspace with this `config.json`. */
function workspace(source?: string | Uint8Array): string {
  const top = temporaryFolder();
  mkdirSync(join(top, ".threadmind"));
  if (source !== undefined) writeFileSync(join(top, ".threadmind/config.json"), source);
  return top;
}

function read(top: string): string {
  return readFileSync(join(top, ".threadmind/config.json"), "utf8");
}

async function change(top: string, what: ConfigChange): Promise<string | undefined> {
  const store = openStore(top, () => new Date());
  return store.change(async (writer) => changeConfig(store.layout, writer, what));
}

test("changeConfig() sets what it is told in a file of 0.4 and leaves every other byte", async () => {
  const odd = OLD.replace('"version"', '"x-note" : [1,  2.50, "\\u00e9"],\n\t"version"').replaceAll("\n", "\r\n");
  for (const source of [OLD, odd, OLD.replaceAll(/\s+/g, " ")]) {
    const top = workspace(source);
    await change(top, { activeThreadId: "caf-menu-2" });
    expect(read(top)).toBe(source.replace('"auth-ui"', '"caf-menu-2"'));
  }
});

test("changeConfig() adds what is missing behind the rest", async () => {
  const top = workspace(OLD);
  await change(top, { authors: ["sam-doe-b3c8"], start: { project: "my-app", branch: "main", thread: "main" } });
  expect(read(top)).toStartWith(OLD.replace(/\n\}$/, ""));
  expect(JSON.parse(read(top))).toEqual({
    ...JSON.parse(OLD),
    authors: ["sam-doe-b3c8"],
    starts: { "my-app": { main: "main" } },
  });
});

test("changeConfig() writes no file when nothing changes", async () => {
  const top = workspace(OLD);
  const { ino } = statSync(join(top, ".threadmind/config.json"));
  await change(top, { activeThreadId: "auth-ui", author: "sam-doe-3039" });
  expect([read(top), statSync(join(top, ".threadmind/config.json")).ino]).toEqual([OLD, ino]);
});

test("changeConfig() makes a file with version 1 first, and leaves another version alone", async () => {
  const top = workspace();
  await change(top, { activeProjectId: "app" });
  expect(read(top)).toBe('{\n  "version": 1,\n  "activeProjectId": "app"\n}\n');
  const later = workspace('{"version": 2, "starts": {"app": {"x": ["kept"]}, "new": 7}}');
  await change(later, { start: { project: "app", branch: "main", thread: "main" } });
  expect(JSON.parse(read(later))).toEqual({ version: 2, starts: { app: { x: ["kept"], main: "main" }, new: 7 } });
});

test("changeConfig() remembers the last 200 branches of a project", async () => {
  const branches = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`b${index}`, "t"]));
  const top = workspace(JSON.stringify({ version: 1, starts: { app: branches, other: branches } }));
  await change(top, { start: { project: "app", branch: "b7", thread: "seven" } });
  await change(top, { start: { project: "app", branch: "__proto__", thread: "odd" } });
  const { starts } = readConfig(layoutOf(top));
  expect([...(starts.get("app") ?? [])].slice(-2)).toEqual([
    ["b7", "seven"],
    ["__proto__", "odd"],
  ]);
  expect([starts.get("app")?.size, starts.get("app")?.has("b0"), starts.get("other")?.size]).toEqual([200, false, 200]);
});

const BROKEN: readonly (readonly [says: string, source: string | Uint8Array])[] = [
  ["nothing in it", ""],
  ["blanks only", " \n"],
  ["half a text", OLD.slice(0, 60)],
  ["a list", "[]"],
  ["another value", "null"],
  ["conflict markers", `<<<<<<< HEAD\n${OLD}\n=======\n${OLD}\n>>>>>>> x\n`],
  ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
  ["NUL bytes of a lost block", "\0".repeat(512)],
];

for (const [says, source] of BROKEN) {
  test(`config.json with ${says} counts as empty, is set aside whole and said once`, async () => {
    const top = workspace(source);
    const layout = layoutOf(top);
    expect(readConfig(layout)).toMatchObject({ activeProjectId: undefined, activeThreadId: undefined, authors: [] });
    expect(readConfig(layout).fault).toMatch(/^\.threadmind\/config\.json(?::\d+)?: It .*\.$/);
    const said = await change(top, { activeThreadId: "main" });
    expect(said).toEndWith("It was set aside as .threadmind/local/config.json.unreadable.");
    expect(readFileSync(join(layout.local, "config.json.unreadable"))).toEqual(Buffer.from(source));
    expect(JSON.parse(read(top))).toMatchObject({ version: 1, activeThreadId: "main" });
    expect(await change(top, { activeThreadId: "auth" })).toBeUndefined();
  });
}

test("a second unreadable config.json doesn't replace the first that was set aside", async () => {
  const top = workspace("first");
  await change(top, {});
  writeFileSync(join(top, ".threadmind/config.json"), "second");
  expect(await change(top, {})).toEndWith("set aside as .threadmind/local/config.json.unreadable-2.");
  const aside = readdirSync(join(top, ".threadmind/local")).filter((name) => name.startsWith("config"));
  expect(aside.map((name) => readFileSync(join(top, ".threadmind/local", name), "utf8"))).toEqual(["first", "second"]);
});

test("one's own id is taken over from a broken config.json, and nothing else", async () => {
  const top = workspace(OLD.slice(0, OLD.indexOf('"version"')));
  expect(readConfig(layoutOf(top))).toMatchObject({ author: "sam-doe-3039", activeProjectId: undefined });
  await change(top, { activeThreadId: "main" });
  expect(JSON.parse(read(top))).toEqual({ version: 1, author: "sam-doe-3039", activeThreadId: "main" });
});

test("config.json as a folder counts as empty, and is set aside too", async () => {
  const top = workspace();
  mkdirSync(join(top, ".threadmind/config.json/x"), { recursive: true });
  expect(readConfig(layoutOf(top)).fault).toBe(
    ".threadmind/config.json: It can't be read: a folder stands in its place.",
  );
  await change(top, { activeThreadId: "main" });
  expect(existsSync(join(top, ".threadmind/local/config.json.unreadable/x"))).toBe(true);
});

const WRONG: readonly (readonly [source: string, expected: object])[] = [
  ['{"activeThreadId": 7, "activeProjectId": null, "author": ["x"]}', { activeThreadId: undefined, author: undefined }],
  ['{"activeThreadId": "", "author": ""}', { activeThreadId: undefined, author: undefined }],
  ['{"authors": ["a", 1, null, "b"]}', { authors: ["a", "b"] }],
  ['{"authors": {"a": 1}}', { authors: [] }],
  ['{"starts": [], "author": "x"}', { starts: new Map(), author: "x" }],
  [
    '{"starts": {"app": {"main": 3, "dev": "t"}, "b": 1}}',
    {
      starts: new Map([
        ["app", new Map([["dev", "t"]])],
        ["b", new Map()],
      ]),
    },
  ],
  ['{"__proto__": {"author": "x"}, "constructor": 1}', { author: undefined }],
  ['{"author": "first", "author": "second"}', { author: "second" }],
  ['\ufeff{"author": "bom"}', { author: "bom" }],
];

for (const [source, expected] of WRONG) {
  test(`readConfig() takes of ${source} what it can use`, () => {
    const config = readConfig(layoutOf(workspace(source)));
    expect(config).toMatchObject({ ...expected, fault: undefined });
  });
}
