import { expect, test } from "bun:test";
import {
  checkProjectId,
  findIdFault,
  findNearest,
  idKey,
  isReservedName,
  parseThreadReference,
  projectIdOfFile,
  quote,
  slugFor,
  slugOf,
  threadIdOfFile,
  threadUri,
} from "../../src/core/id.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { type Seeded, seeded } from "./seeded.ts";

const NONE: ReadonlySet<string> = new Set();
const SLASHED = "it holds a slash, backslash, colon or control character";
const FAULTS: readonly (readonly [string, string])[] = [
  ["", "it is empty"],
  [".", "it starts with a dot"],
  ["..", "it starts with a dot"],
  [".hidden", "it starts with a dot"],
  ["a/b", SLASHED],
  ["a\\b", SLASHED],
  ["C:x", SLASHED],
  ["a\u0000b", SLASHED],
  ["a\nb", SLASHED],
  ["a\u001b[31m", SLASHED],
  ["a\u007f", SLASHED],
  ["a\u0085b", SLASHED],
  ["a\u2028b", SLASHED],
  ["a\ud83d", "it is not valid Unicode"],
  ["x".repeat(181), "it is longer than 180 bytes"],
  ["é".repeat(91), "it is longer than 180 bytes"],
  ["🚀".repeat(46), "it is longer than 180 bytes"],
];
const VALID = ["a", "main", "007", "no", "認証", "a b", "a.b", "-a", "con", "x".repeat(180), "é".repeat(90), "a%2Fb"];

test("`findIdFault()` says why a text can't be an id", () => {
  for (const [text, fault] of FAULTS) expect([text, findIdFault(text)]).toEqual([text, fault]);
  for (const text of VALID) expect([text, findIdFault(text)]).toEqual([text, undefined]);
});

test("`threadIdOfFile()` and `projectIdOfFile()` take only what can be an id", () => {
  for (const [text] of FAULTS) expect([threadIdOfFile(text), projectIdOfFile(text)]).toEqual([undefined, undefined]);
  for (const text of VALID) expect<unknown>([threadIdOfFile(text), projectIdOfFile(text)]).toEqual([text, text]);
});

test("`isReservedName()` knows what Windows can't hold, with an extension and in any case", () => {
  const reserved = "con CON Prn aux nul com0 COM1 com9 com¹ lpt0 LPT9 lpt³ con.md nul.tar.gz aux. x.".split(" ");
  for (const name of [...reserved, "x "]) expect([name, isReservedName(name)]).toEqual([name, true]);
  for (const name of "icon con-thread console com com10 lpt nulls a.con x".split(" ")) {
    expect([name, isReservedName(name)]).toEqual([name, false]);
  }
});

test("`parseThreadReference()` reads a thread's id with or without its project", () => {
  expect(parseThreadReference("auth")).toEqual({ project: undefined, thread: "auth" });
  expect(parseThreadReference("プロジェクト/認証")).toEqual({ project: "プロジェクト", thread: "認証" });
  expect(parseThreadReference("a%2Fb")).toEqual({ project: undefined, thread: "a%2Fb" });
});

test("`parseThreadReference()` refuses a path as no thread and quotes nothing but what was typed", () => {
  const cases = [
    ["", "it is empty"],
    ["/a", "it is empty"],
    ["a/", "it is empty"],
    [".", "it starts with a dot"],
    ["app/..", "it starts with a dot"],
    ["../x", "it starts with a dot"],
    ["../../../notes", "it is a path"],
    ["/etc/hostname", "it is a path"],
    ["C:\\x", SLASHED],
    ["app/a\u0000b", SLASHED],
  ] as const;
  for (const [typed, fault] of cases) {
    const error = errorOf(() => parseThreadReference(typed));
    expect([typed, error.code, error.message]).toEqual([
      typed,
      "unknown-thread",
      `Cannot find the thread ${quote(typed)}: that can't be an id (${fault}).`,
    ]);
    expect(error.hint).toBe("See thread_list (on the command line: threadmind tree) for the ids.");
  }
});

test("`checkProjectId()` refuses a path as no project", () => {
  checkProjectId("my-app");
  const error = errorOf(() => checkProjectId("../../x"));
  expect([error.code, error.message, error.hint]).toEqual([
    "unknown-project",
    'Cannot find the project "../../x": that can\'t be an id (it starts with a dot).',
    "See project_list (on the command line: threadmind project list) for the ids.",
  ]);
});

test("`slugFor()` makes ids from titles of any script", () => {
  const cases = [
    ["Auth API Endpoints", "auth-api-endpoints"],
    ["  --Auth__API!! (v2.1)  ", "auth-api-v2-1"],
    ["Café", "cafe"],
    ["Cafe\u0301", "cafe"],
    ["Straße", "strasse"],
    ["STRAẞE", "strasse"],
    ["İstanbul", "istanbul"],
    ["Kılıç", "kılıc"],
    ["Łódź, Ærø", "łodz-ærø"],
    ["Ωmega", "ωmega"],
    ["Ελλάς", "ελλάς"],
    ["Чай й", "чай-й"],
    ["認証", "認証"],
    ["プロジェクト", "プロジェクト"],
    ["ﾌﾟﾛ", "プロ"],
    ["Проверка входа", "проверка-входа"],
    ["ทดสอบไทย", "ทดสอบไทย"],
    ["हिन्दी", "हिन्दी"],
    ["한국어", "한국어"],
    ["שָׁלוֹם", "שָׁלוֹם".normalize("NFC")],
    ["ﬁle №5 ½", "file-no5-1-2"],
    ["1️⃣ first", "1-first"],
    ["🚀", "thread"],
    ["!!!", "thread"],
    ["", "thread"],
    ["\u3164", "thread"],
    ["\u0301\u0302", "thread"],
    ["a\ud83d", "a"],
    ["../../../notes", "notes"],
    ["Q3 plan\nparentId: null", "q3-plan-parentid-null"],
  ] as const;
  for (const [title, slug] of cases) expect([title, slugFor(title, NONE)]).toEqual([title, slug]);
});

test("`slugFor()` never takes a name that Windows reserves", () => {
  for (const title of ["CON", "nul", "COM1", "com¹", "LPT9", "prn", "Con.", "con…", "aux"]) {
    const slug = slugFor(title, NONE);
    expect([title, slug]).toEqual([title, `${slugOf(title)}-thread`]);
    expect(isReservedName(slug)).toBe(false);
  }
});

test("`slugFor()` numbers a collision, also with an id in other case or normalisation", () => {
  const taken = new Set(["認証", "CAFÉ", "cafe\u0301-2", "thread", "con-thread"].map(idKey));
  const cases = [
    ["認証", "認証-2"],
    ["Cafe", "cafe"],
    ["🚀", "thread-2"],
    ["con", "con-thread-2"],
  ] as const;
  for (const [title, slug] of cases) expect(slugFor(title, taken)).toBe(slug);
  const ids = new Set<string>();
  for (let round = 0; round < 12; round++) ids.add(slugFor("Auth", ids));
  expect([...ids].slice(0, 3)).toEqual(["auth", "auth-2", "auth-3"]);
  expect(ids.has("auth-12")).toBe(true);
});

test("`slugFor()` counts the number into 60 characters and 180 bytes and cuts between grapheme clusters", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["x".repeat(90), "x".repeat(60), `${"x".repeat(58)}-2`],
    [`${"x".repeat(57)} abcdef`, `${"x".repeat(57)}-ab`, `${"x".repeat(57)}-2`],
    ["証".repeat(70), "証".repeat(60), `${"証".repeat(58)}-2`],
    ["𠀀".repeat(70), "𠀀".repeat(45), `${"𠀀".repeat(44)}-2`],
    ["หนึ่".repeat(20), "หนึ่".repeat(15), `${"หนึ่".repeat(14)}ห-2`],
    [`β${"\u0308".repeat(80)}`, "thread", "thread-2"],
    [`β${"\u0308".repeat(58)}`, `β${"\u0308".repeat(58)}`, "thread-2"],
  ];
  for (const [title, first, second] of cases) {
    expect(slugFor(title, NONE)).toBe(first);
    expect(slugFor(title, new Set([idKey(first)]))).toBe(second);
  }
});

test("`slugFor()` gives every letter, digit and mark of Unicode a valid id that is its own slug", () => {
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    if (/[\p{L}\p{N}\p{M}]/u.test(character)) expectGoodSlug(`${character}α${character}`);
  }
});

test("`slugFor()` gives random titles valid ids that are their own slugs and are found in any case", () => {
  const random = seeded(20260416);
  for (let round = 0; round < 20_000; round++) expectGoodSlug(randomTitle(random));
});

test("`idKey()` is the same for one id in other case or normalisation, and no other", () => {
  const same = [
    ["Auth", "AUTH"],
    ["CAFÉ", "cafe\u0301"],
    ["Проверка", "ПРОВЕРКА"],
    ["οδος", "ΟΔΟΣ"],
    ["οδοσ-2", "οδος-2"],
    ["한", "\u1112\u1161\u11ab"],
    ["ᾳ", "ΑΙ"],
  ] as const;
  for (const [one, other] of same) expect(idKey(one)).toBe(idKey(other));
  const different = [
    ["café", "cafe"],
    ["ı", "i"],
    ["auth", "auth-2"],
    ["ﬀ", "f"],
  ] as const;
  for (const [one, other] of different) expect(idKey(one)).not.toBe(idKey(other));
});

test("`threadUri()` keeps letters readable and is decoded once to the id", () => {
  expect(threadUri("認証-2")).toBe("threadmind://thread/認証-2");
  const ids = [...VALID, "a%2Fb", "100%", "a?b#c", "a b\u00a0c", "<\"'`>", "{id}", "[x]|^", "a\u202eb\u200d", "(a)_*"];
  for (const id of ids) {
    const uri = threadUri(id);
    expect(uri).not.toMatch(/[\s?#<>"{}|^`[\]\p{Cf}]/u);
    expect(decodeURIComponent(uri.slice("threadmind://thread/".length))).toBe(id);
  }
});

test("`findNearest()` suggests what could have been meant, best first, at most three", () => {
  const ids = ["main", "auth", "auth-ui", "auth-api", "dashboard", "cafe-strasse", "ux", "q3"];
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["auht", ["auth"]],
    ["AUTH-U", ["auth", "auth-ui"]],
    ["auth-apis", ["auth", "auth-api", "auth-ui"]],
    ["board", ["dashboard"]],
    ["dashbaord", ["dashboard"]],
    ["CAFÉ-STRASSE", ["cafe-strasse"]],
    ["ui", ["ux"]],
    ["a", ["auth", "auth-ui", "auth-api"]],
    ["zz", []],
    ["payment", []],
    ["", []],
    ["x".repeat(100_000), []],
    ["\ud83d", []],
  ];
  for (const [typed, nearest] of cases) expect([typed, findNearest(typed, ids)]).toEqual([typed, [...nearest]]);
  for (const typed of ["5", "x", "é"]) expect([typed, findNearest(typed, ["t", "a", "7", "no"])]).toEqual([typed, []]);
  expect(findNearest("t", ["t", "5"])).toEqual(["t"]);
  expect(findNearest("auht-ui", ids)[0]).toBe("auth-ui");
  expect(findNearest("registration", ["regisxxxtion", "user-registration"])[0]).toBe("user-registration");
  expect(findNearest("a", ["a1", "a2", "a3", "a4"])).toEqual(["a1", "a2", "a3"]);
});

test("`quote()` shows a text on one line in which nothing is hidden", () => {
  const cases = [
    ["auth", '"auth"'],
    ["a\nb\u001b[31m", '"a\\u{a}b\\u{1b}[31m"'],
    ["a\u202eb\u2066\u200b\ufeff", '"a\\u{202e}b\\u{2066}\\u{200b}\\u{feff}"'],
    ["a\u2028b", '"a\\u{2028}b"'],
    ["a\ud83d", '"a\\u{d83d}"'],
    ["🚀".repeat(80), `"${"🚀".repeat(80)}"`],
    ["🚀".repeat(81), `"${"🚀".repeat(80)}…"`],
    ["x".repeat(1_000_000), `"${"x".repeat(80)}…"`],
  ] as const;
  for (const [text, quoted] of cases) expect(quote(text)).toBe(quoted);
});

function errorOf(action: () => unknown): ThreadMindError {
  try {
    action();
  } catch (error) {
    if (error instanceof ThreadMindError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function expectGoodSlug(title: string): void {
  const slug = slugFor(title, NONE);
  const faults = [
    findIdFault(slug) ?? "",
    isReservedName(slug) ? "it is reserved" : "",
    /^[\p{L}\p{N}\p{M}]+(?:-[\p{L}\p{N}\p{M}]+)*$/u.test(slug) ? "" : "it holds something else",
    [...slug].length <= 60 ? "" : "it is longer than 60 characters",
    slug === slug.normalize("NFC") ? "" : "it isn't composed",
    slugFor(slug, NONE) === slug ? "" : "it isn't its own slug",
    slugFor(title.normalize("NFD"), NONE) === slug ? "" : "the title's decomposed form gives another",
    idKey(slug.normalize("NFD")) === idKey(slug) ? "" : "its decomposed form isn't found",
    slug.includes("ı") || idKey(slug.toUpperCase()) === idKey(slug) ? "" : "its upper case isn't found",
    slugFor(title, new Set([idKey(slug)])) === slug ? "its collision isn't numbered" : "",
  ].filter((fault) => fault !== "");
  if (faults.length > 0) throw new Error(`${JSON.stringify(title)} → ${JSON.stringify(slug)}: ${faults.join(", ")}`);
}

const RANGES = [0x20, 0x80, 0x250, 0x300, 0x370, 0x530, 0x900, 0xe00, 0x1100, 0x1f00, 0x2000, 0x3000, 0xac00, 0xfb00];

function randomTitle({ next, pick }: Seeded): string {
  let title = "";
  for (let count = next(40); count >= 0; count--) {
    const code = next(12) === 0 ? next(0x110000) : pick(RANGES) + next(0x100);
    title +=
      next(6) === 0 ? pick(["con", "-", " ", "👨‍👩‍👧", "e\u0301", "\u200d", "ß", "Σ"]) : String.fromCodePoint(code);
  }
  return title;
}
