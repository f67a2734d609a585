import { expect, test } from "bun:test";
import { parse } from "yaml";
import { isPlainScalar, quoteScalar, readQuoted, renderList, renderScalar } from "../../src/core/scalar.ts";
import { seeded } from "./seeded.ts";

const PLAIN = lines(String.raw`
  auth
  Auth API Endpoints
  Auth --- phase 2
  C# notes
  it's done
  say "hi"
  src/[id]
  feature/auth-2
  sam-doe-3039
  3f2a9c1
  Café – menu
  日本語
  👩‍👩‍👧 family
  a:b
  http://example.org/x?y=1
  ~/src
  path\to
  .github
  ./src
  (WIP) auth
  1 apple
  nope
  nullable
  12-34
  2026-04
`);

const WORDS = "yes No ON off y N true FALSE null Null ~ = <<".split(" ");
const NUMBERS = lines(`
  007 0 1e3 1E-3 e1 1_000 1,000 0x1F 0o7 012 0b101 1:30 190:20:30.15 -1 +1.5 .5 1. 1.2.3 .inf -.Inf .nan . ..
  4081957263301846e29573018264401973625580 0192117 7310954826610948213379025518846390271645
  2026-04-15 2026-4-5 2026-04-15T10:00:00.000Z
`).flatMap((line) => line.split(" "));
const SIGNS = lines(`
  a: b
  a:
  a #b
  a #
  #1 idea
  - x
  -
  -x
  ? x
  ?x
  : x
  :x
  ---
  --- x
  ...
  [WIP] auth
  {x}
  ]x
  }x
  ,x
  &a
  *bold*
  !x
  | x
  > x
  'tis
  "x" y
  %x
  @home
  ${"`code`"}
`);
const BLANKS = ["", " ", " a", "a ", "\ta", "a\tb", "a:\tb", "a\t#b", "\u00a0a", "a\u2003", "2026-04-15 10:00"];
const CONTROLS = "\n \r\n \u0085 \u2028 \u2029 \ufeff \0 \u0007 \u007f \u009f \ufffe".split(" ");
const QUOTED = [...WORDS, ...NUMBERS, ...SIGNS, ...BLANKS, "\ufeffa", ...CONTROLS.map((control) => `a${control}b`)];

const PIECES = [
  ...[
    ..." \t\n\r:#-?'\"\\/[]{},&*!|>%@`=~._+eEx0179aé日\u00a0\u0085\u2028\u2029\ufeff\0\u0007\u001b\u007f\u0080\ufffd\ufffe",
  ],
  ...[
    "<<",
    ": ",
    " #",
    "- ",
    "--- ",
    "...",
    "0x",
    "0o",
    "0b",
    "yes",
    "no",
    "null",
    "true",
    ".inf",
    ".nan",
    "😀",
    "\ud800",
  ],
  ...["2026-04-15", "T10:00:00Z", "e\u0301"],
];

function lines(text: string): string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim());
}

test("`quoteScalar()` leaves plain what every reader takes for this text", () => {
  for (const text of PLAIN) expect(quoteScalar(text)).toBe(text);
});

test("`quoteScalar()` quotes what a reader of YAML 1.1 or 1.2 takes for something else", () => {
  for (const text of QUOTED) expect(quoteScalar(text)).toStartWith('"');
});

test("`quoteScalar()` is read back equal by YAML 1.1 and 1.2", () => {
  for (const text of [...PLAIN, ...QUOTED]) expectReadBack(text);
});

test("`quoteScalar()` keeps a text of any length on one line", () => {
  const long =
    "Decide how the mobile app keeps a session alive when the phone is offline for longer than the refresh token lives";
  expect(quoteScalar(long)).toBe(long);
  expect(quoteScalar(`${long}: yes`)).toBe(`"${long}: yes"`);
  expect(quoteScalar("Q3 plan\nparentId: null\r\nstatus: done\u2028x")).toBe(
    '"Q3 plan\\nparentId: null\\r\\nstatus: done\\u2028x"',
  );
});

test("`quoteScalar()` escapes half of a surrogate pair, which UTF-8 can't hold", () => {
  expect(quoteScalar("a\ud83d")).toBe('"a\\ud83d"');
  expect(quoteScalar("a\ud83d\ude00")).toBe("a\ud83d\ude00");
});

test("`quoteScalar()` is read back equal for random texts of nasty pieces", () => {
  const random = seeded(20260415);
  for (let round = 0; round < 20_000; round++) {
    let text = "";
    for (let count = random.next(6); count >= 0; count--) text += random.pick(PIECES);
    expectReadBack(text);
  }
});

test("`renderScalar()` keeps the quotes that are there, or takes double ones where those can't hold the text", () => {
  expect(renderScalar("auth", "double")).toBe('"auth"');
  expect(renderScalar("it's", "single")).toBe("'it''s'");
  expect(renderScalar("a\nb", "single")).toBe('"a\\nb"');
  expect(renderScalar("src/[id]", "plain", true)).toBe('"src/[id]"');
});

test("`renderList()` is read back equal by YAML 1.1 and 1.2", () => {
  const lists = [
    [],
    ["src/auth"],
    ["src/auth", "src/[id]", "a, b", "x: y", "c #d", "a:b", "-n", ":top", "007", "", "café", "it's", "."],
  ];
  for (const items of lists) {
    for (const version of ["1.1", "1.2"] as const) {
      expect(parse(`paths: ${renderList(items)}\n`, { version })).toEqual({ paths: items });
    }
  }
  expect(renderList(["src/auth", "src/[id]"])).toBe('[src/auth, "src/[id]"]');
});

test("`readQuoted()` reads what `yaml` reads", () => {
  const texts = [
    ...[
      "''",
      "'it''s'",
      "'a\\n'",
      '""',
      '"a"',
      '"\\"x\\""',
      '"\\x41\\u00e9\\U0001F600"',
      '"\\ud83d\\ude00"',
      '"\\0\\a\\b\\t\\n\\v"',
    ],
    ...['"\\f\\r\\e\\ \\/\\\\\\N\\_\\L\\P"', "'\"'", '"\'"', '"#"', "' # '"],
  ];
  for (const text of texts) {
    expect(readQuoted(text, 0, text.length)).toMatchObject({ text: parse(text) as string, end: text.length });
  }
});

test("`readQuoted()` refuses what isn't closed or escapes wrongly", () => {
  for (const text of ['"a', "'a", "'it''s", '"a\\"', '"\\q"', '"\\x4g"', '"\\U00110000"', '"\\uD8"']) {
    expect(readQuoted(text, 0, text.length)).toBeUndefined();
  }
  expect(readQuoted('"a" "b"', 0, 2)).toBeUndefined();
});

test("`isPlainScalar()` agrees with `yaml` on what stands behind a key", () => {
  const texts = [...PLAIN, ...QUOTED].filter((text) => text.trim() === text && !/[\r\n]/.test(text) && text !== "");
  for (const text of texts.filter(isPlainScalar)) {
    expect(parse(`key: ${text}\n`, { schema: "failsafe" })).toEqual({ key: text });
  }
});

function expectReadBack(text: string): void {
  const written = quoteScalar(text);
  if (/[\r\n\u0085\u2028\u2029]/.test(written)) throw new Error(`${JSON.stringify(text)} is not on one line`);
  for (const version of ["1.1", "1.2"] as const) {
    const read = (parse(`key: ${written}\nnext: 1\n`, { version, logLevel: "error" }) as { key: unknown }).key;
    if (read !== text) throw new Error(`${JSON.stringify(text)} comes back as ${JSON.stringify(read)} from ${written}`);
  }
}
