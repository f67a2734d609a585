import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Seeded, seeded } from "../core/seeded.ts";
import { TOP } from "../support/binary.ts";
import { renderThread } from "../support/stored_project.ts";
import { SEED } from "./faults.ts";

/** A generator for one of this run's tests, and how to have it again. */
export function randomOf(test: string): Seeded {
  return seeded(SEED + [...test].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 0));
}

/** Runs `check` and, where it throws, says which input of which seed it was. */
export async function fuzz<T>(
  test: string,
  round: number,
  input: T,
  check: (input: T) => Promise<void> | void,
): Promise<void> {
  try {
    await check(input);
  } catch (error) {
    const shown = JSON.stringify(input instanceof Uint8Array ? Buffer.from(input).toString("latin1") : input);
    const message = `${test}: round ${round} of THREADMIND_SEED=${SEED}: ${error}\ninput: ${shown.slice(0, 4000)}`;
    throw new Error(message, { cause: error });
  }
}

const FRAGMENTS: readonly string[] = [
  ..."--- ---\n \n---\n \n--- ---\r\n ... --- text\n title: title:\n id: other\n parentId: null parentId: main\n".split(
    " ",
  ),
  ..."updatedAt: 2026-13-45\n updatedAt:\n status: done status: [a] paths: [a, b] paths:\n branch: {} commit: 1e5 *a &a !!binary |\n >-\n".split(
    " ",
  ),
  ..."\t \0 \r \r\n \u2028 \u0085 \ufeff \ufffd \u202e é \u0301 🎉 \ud800 ' \" '' \\ \\x \\u{0} # : , [ ] { } | > % @ ` ``` ~~~".split(
    " ",
  ),
  ...[
    "\n  - x\n",
    "\n- x",
    "\n  x: y\n",
    "note: |\n  text\n\n  more\n",
    "note: >\n  folded\n",
    'note: "a\n  b"\n',
    "? x\n: y\n",
    "<<: *a\n",
  ],
  ...[
    "<<<<<<< HEAD\n",
    "||||||| 123\n",
    "=======\n",
    ">>>>>>> x\n",
    "## Decisions\n",
    "## State\n",
    "State\n-----\n",
    "<!--",
    "-->",
    "<pre>\n",
  ],
  ...[
    "[a]: b\n",
    "> > > ",
    "- - - ",
    "1. ",
    "    ",
    "__proto__: x\n",
    "constructor: y\n",
    "- ".repeat(100),
    "`".repeat(50),
    "\n".repeat(30),
  ],
  ...[
    "title: 'it''s'\n",
    "title: x # y\n",
    "title: Auth: JWT\n",
    "mergedInto: main\n",
    "fingerprint: 1-0123456789abcdef\n",
    "k: &a [*a]\n",
  ],
];

/** Whole thread files that mutations begin with: ours, those of 0.4.1, and richer ones. */
export function seedFiles(): readonly string[] {
  const folder = join(TOP, "test/fixtures/v0.4.1");
  const old = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const body =
    "## Decisions\n- JWT in a cookie\n  - nested\n\n## Constraints\n> quoted\n\n```\n## State\n```\n\n## State\n- done\n\n<!-- x -->\n";
  const plain = renderThread("t", { title: "Retry: back off #429", branch: "feature/x", status: "done", body });
  return [
    ...old,
    plain,
    plain.replaceAll("\n", "\r\n"),
    `\ufeff${plain}`,
    plain.replace("author:", "# a comment\nnote: kept # too\nlist:\n  - a\n  - b\ntext: |\n  of\n  lines\nauthor:"),
    `---\n{id: t, title: "Flow", parentId: main, x: [1, 2], updatedAt: 2026-04-15T10:00:00.000Z}\n---\n${body}`,
    `---\n"id": 't'\n? title\n: Explicit\nparentId: &p main\nother: *p\npaths: [src/a, "b c"]\n---\n${body}`,
    `---\n---\n${body}`,
    body,
    "",
  ];
}

/** A file with some of its bytes flipped, cut, doubled, moved or mixed with what is known to be hard. */
export function mutate(random: Seeded, source: string): Uint8Array {
  let bytes = Buffer.from(source, "utf8");
  for (let left = 1 + random.next(4); left > 0; left--) bytes = Buffer.from(mutateOnce(random, bytes));
  return new Uint8Array(bytes);
}

function mutateOnce(random: Seeded, bytes: Buffer): Uint8Array {
  const at = random.next(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.next(40));
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  const lines = bytes.toString("latin1").split("\n");
  switch (random.next(9)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.next(256)]), after]);
    case 1:
      return random.next(4) === 0 ? before : Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, middle, middle, after]);
    case 3:
      lines.splice(random.next(lines.length), 0, ...lines.splice(random.next(lines.length), 1));
      return Buffer.from(lines.join("\n"), "latin1");
    case 4:
      lines.splice(random.next(lines.length), 0, lines[random.next(lines.length)] ?? "");
      return Buffer.from(lines.join("\n"), "latin1");
    case 5:
      lines.splice(random.next(Math.min(12, lines.length)), 1);
      return Buffer.from(lines.join("\n"), "latin1");
    default:
      return Buffer.concat([
        before,
        Buffer.from(random.pick(FRAGMENTS), "utf8"),
        random.next(2) === 0 ? middle : Buffer.alloc(0),
        after,
      ]);
  }
}

const JUNK: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1e308,
    "",
    " ",
    "\0",
    "\u202e",
    "\ud800",
    "../../etc/passwd",
    "__proto__",
    "x".repeat(10_000),
    [],
    {},
    [[]],
  ],
  ...[
    { toString: 1 },
    { __proto__: 1 },
    ["a", 1],
    "main",
    "no/such",
    "\n## Decisions\n",
    Number.MAX_SAFE_INTEGER,
    "constructor",
    "-",
    "--",
  ],
];

/** A value of no particular type, nested now and then. */
export function junk(random: Seeded, depth = 0): unknown {
  if (depth < 4 && random.next(5) === 0) return Array.from({ length: random.next(4) }, () => junk(random, depth + 1));
  if (depth < 4 && random.next(5) === 0)
    return Object.fromEntries(Array.from({ length: random.next(4) }, (_, n) => [`k${n}`, junk(random, depth + 1)]));
  return random.pick(JUNK);
}

/** A JSON value with one of its parts replaced by junk, left out or doubled. */
export function mutateJson(random: Seeded, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.next(5) === 0) return junk(random);
  const entries = Object.entries(value);
  const at = random.next(entries.length + 1);
  const [key, inner] = entries[at] ?? [
    String(random.pick(["extra", "__proto__", "", "constructor", "_meta", "id"])),
    junk(random),
  ];
  const changed = random.next(6) === 0 ? undefined : mutateJson(random, inner);
  return Array.isArray(value) ? value.toSpliced(at, 1, changed) : { ...value, [key]: changed };
}
