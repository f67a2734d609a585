import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonValue, parseObject, setMembers } from "../../src/core/json_file.ts";
import { type Seeded, seeded } from "./seeded.ts";

const CONFIG = `{
  "activeProjectId": "my-app",
  "ratio": 1.0,
  "big": 12345678901234567890,
  "nested": { "a": [1.50, "\\u00e9"],   "b": {} },

  "version": 1
}`;

test("`parseObject()` reads members, `__proto__` and twins among them", () => {
  expect([...membersOf('\ufeff {"a": 1, "__proto__": {"x": 2}, "\\u0061b": [null], "a": "last"}\r\n')]).toEqual([
    ["a", "last"],
    ["__proto__", JSON.parse('{"x": 2}')],
    ["ab", [null]],
  ]);
  expect([...membersOf("{}")]).toEqual([]);
});

test("`parseObject()` names the line of what is no JSON object", () => {
  const cases: [string, number, RegExp][] = [
    ["", 1, /\{ was expected, but the file ends here/],
    ["[]", 1, /no JSON object, which begins with \{/],
    ["null", 1, /\{/],
    ['{\n  "a": 1,\n}', 3, /a key in double quotes/],
    ["{\n  'a': 1\n}", 2, /a key in double quotes/],
    ['{\n  "a" 1\n}', 2, /a colon/],
    ['{\r\n  "a": [1,\r\n  2\r\n}', 4, /a comma or \]/],
    ['{\n  "a": 1\n  "b": 2\n}', 3, /a comma or \}/],
    ['{\n  "a": 1\n', 3, /but the file ends here/],
    ['{\n  "a": "x\n}', 2, /a value/],
    ['{"a": "\\q"}', 1, /a value/],
    ['{"a": 01}', 1, /a value/],
    ['{"a": NaN}', 1, /a value/],
    ['{"a": "\t"}', 1, /a value/],
    ['{\n// no\n"a": 1}', 2, /a key/],
    ['{"a": 1}\n{}', 2, /the end/],
    ["{}\n<<<<<<< HEAD\n", 2, /the end/],
    [`{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 1, /nested/],
  ];
  for (const [source, line, says] of cases) {
    const result = parseObject(source);
    expect([source, "message" in result && result.line]).toEqual([source, line]);
    expect("message" in result && result.message).toMatch(says);
  }
});

test("`setMembers()` gives the same text back where nothing changes", () => {
  const read = JSON.parse(CONFIG) as Record<string, JsonValue>;
  for (const source of variants(CONFIG)) {
    for (const values of [{}, read, { missing: undefined }, { nested: { b: {}, a: [1.5, "é"] } }]) {
      expect(setMembers(source, values)).toBe(source);
    }
  }
});

test("`setMembers()` changes, adds and removes members and leaves every other byte", () => {
  for (const source of variants(CONFIG)) {
    const eol = source.includes("\r\n") ? "\r\n" : "\n";
    expect(setMembers(source, { activeProjectId: 'a"b', version: 2 })).toBe(
      source.replace('"my-app"', '"a\\"b"').replace('"version": 1', '"version": 2'),
    );
    expect(setMembers(source, { authors: ["sam"], on: true })).toBe(
      source.replace('"version": 1', `"version": 1,${eol}  "authors": [${eol}    "sam"${eol}  ],${eol}  "on": true`),
    );
    expect(setMembers(source, { version: undefined, ratio: undefined })).toBe(
      source.replace(`,${eol}${eol}  "version": 1`, "").replace(`,${eol}  "ratio": 1.0`, ""),
    );
    expect(setMembers(source, { activeProjectId: undefined })).toBe(
      source.replace(`"activeProjectId": "my-app",${eol}  `, ""),
    );
  }
});

test("`setMembers()` writes in the layout of the file", () => {
  const cases: [string, Record<string, JsonValue | undefined>, string][] = [
    ["{}\n", { a: 1, b: [] }, '{\n  "a": 1,\n  "b": []\n}\n'],
    ["{\r\n}\r\n", { a: 1 }, '{\r\n  "a": 1\r\n}\r\n'],
    ['{"a":1}', { b: { c: [1] } }, '{"a":1,"b":{"c":[1]}}'],
    ['{"a": 1}', { b: 2 }, '{"a": 1, "b": 2}'],
    ['{"a": 1, "b": 2}\n', { c: 3 }, '{"a": 1, "b": 2, "c": 3}\n'],
    ['{ "a": 1 }', { b: 2 }, '{ "a": 1, "b": 2 }'],
    ['{\n\t"a" : 1\n}', { b: { c: 1 } }, '{\n\t"a" : 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}'],
    ['  {\n      "a": 1\n  }', { a: [1] }, '  {\n      "a": [\n          1\n      ]\n  }'],
    ['{\n  "a": 1\n}', { a: undefined }, "{}"],
    ['{\n  "a": 1\n}', { a: undefined, b: 2 }, '{\n  "b": 2\n}'],
    ['{"a": 1, "b": 2, "c": 3}', { a: undefined, b: undefined, d: 4 }, '{"c": 3, "d": 4}'],
    ['{"a": 1, "b": 2, "c": 3}', { b: undefined, c: undefined, d: 4 }, '{"a": 1, "d": 4}'],
    ['{"a": 1, "x": 0, "a": 2}', { a: 3 }, '{"x": 0, "a": 3}'],
    ['{"a": 1, "x": 0, "a": 2}', { a: undefined }, '{"x": 0}'],
    ['{"a": 1, "x": 0, "a": 2}', { a: 2 }, '{"a": 1, "x": 0, "a": 2}'],
    ['{"\\u0061": 1}', { a: 2 }, '{"\\u0061": 2}'],
    ['{"a": "x, {y}: \\"z\\\\"}', { b: 1 }, '{"a": "x, {y}: \\"z\\\\", "b": 1}'],
  ];
  for (const [source, values, expected] of cases) expect(setMembers(source, values)).toBe(expected);
});

test("`setMembers()` takes `__proto__` for a member like any other", () => {
  const values = JSON.parse('{"__proto__": {"polluted": 1}}') as Record<string, JsonValue>;
  expect(setMembers('{"a": 1}', values)).toBe('{"a": 1, "__proto__": {"polluted":1}}');
  expect(setMembers('{"__proto__": 2, "a": 1}', values)).toBe('{"__proto__": {"polluted":1}, "a": 1}');
  expect(setMembers('{"a": 1, "__proto__": 2}', { a: 2 })).toBe('{"a": 2, "__proto__": 2}');
  expect(setMembers('{"a": {}}', { a: values })).toBe('{"a": {"__proto__":{"polluted":1}}}');
  expect("polluted" in {}).toBe(false);
});

test("`setMembers()` refuses a text that is not one object", () => {
  expect(() => setMembers('{\n"a": 1,\n}', { a: 2 })).toThrow("line 3");
});

test("`setMembers()` leaves the files of 0.4.1 as they are but for what is set", () => {
  const folder = join(import.meta.dir, "../fixtures/v0.4.1/threadmind");
  for (const name of ["config.json", "projects/my-app.json", "trees/my-app.json", "stats/my-app.json"]) {
    const source = readFileSync(join(folder, name), "utf8");
    const added = setMembers(source, { added: [] });
    expect(added.split("\n").filter((line) => !source.split("\n").includes(line)).length).toBeLessThanOrEqual(2);
    expect(setMembers(added, { added: undefined })).toBe(source);
  }
});

test("`setMembers()` survives random objects and changes", () => {
  const random = seeded(11);
  for (let round = 0; round < 3000; round++) {
    const source = randomObject(random);
    const expected = membersOf(source);
    const values: [string, JsonValue | undefined][] = [];
    for (let count = random.next(4); count > 0; count--) {
      values.push([random.pick(KEYS), random.next(3) === 0 ? undefined : JSON.parse(randomValue(random, 0))]);
    }
    const changes = Object.fromEntries(values);
    const changed = setMembers(source, changes);
    const after = new Map(expected);
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) after.delete(key);
      else after.set(key, value);
    }
    expect([source, new Map([...membersOf(changed)].sort())]).toEqual([source, new Map([...after].sort())]);
    expect(setMembers(changed, changes)).toBe(changed);
  }
});

const KEYS = ["a", "b", "__proto__", "c d", 'q"', "constructor"];

function randomObject(random: Seeded): string {
  const gap = random.pick(["", " ", "\n  ", "\r\n\t", "\n\n    "]);
  const members: string[] = [];
  for (let count = random.next(5); count > 0; count--) {
    members.push(
      `${gap}${JSON.stringify(random.pick(KEYS))}${random.pick([":", ": ", " : "])}${randomValue(random, 0)}`,
    );
  }
  const end = random.pick(["", " ", "\n", gap.slice(0, 2)]);
  return `${random.pick(["", "\ufeff", " "])}{${members.join(random.pick([",", " ,"]))}${end}}${random.pick(["", "\n"])}`;
}

function randomValue(random: Seeded, depth: number): string {
  const scalars = [
    "1.0",
    "12345678901234567890",
    "-1.50",
    "1e2",
    '""',
    '"}\\"{,"',
    "true",
    "null",
    '"\\ud83d"',
    "[]",
    "{}",
  ];
  if (depth > 2 || random.next(3) > 0) return random.pick(scalars);
  const inner = [randomValue(random, depth + 1), randomValue(random, depth + 1)];
  return random.next(2) === 0 ? `[${inner.join(", ")}]` : `{"a":${inner[0]},\n"__proto__": ${inner[1]}}`;
}

function variants(source: string): string[] {
  const windows = source.replaceAll("\n", "\r\n");
  return [source, `${source}\n`, `\ufeff${source}\n`, windows, `\ufeff${windows}\r\n`];
}

function membersOf(source: string): ReadonlyMap<string, JsonValue> {
  const result = parseObject(source);
  if ("message" in result) throw new Error(`${JSON.stringify(source)}: line ${result.line}: ${result.message}`);
  return result.members;
}
