import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ThreadMindError } from "../../src/errors.ts";
import { readByteFile } from "../../src/io/byte_file.ts";
import { type Measurement, measureTranscript } from "../../src/io/transcript.ts";
import { type Seeded, seeded } from "../core/seeded.ts";
import { temporaryFolder } from "../support/temp.ts";
import { forwardMeasurement } from "./transcript_reference.ts";

const KIB = 1024;
const UNKNOWN: Measurement = { size: undefined, peak: undefined };
const LIMIT = { limitMs: 60_000 };

const folder = temporaryFolder("transcript");
const path = join(folder, "transcript.jsonl");

type Fields = Readonly<Record<string, unknown>>;
const line = (record: unknown): string => `${JSON.stringify(record)}\n`;

function assistant(id: string, read: number, output: number, more: Fields = {}): string {
  const usage = { input_tokens: 4, cache_read_input_tokens: read, output_tokens: output };
  return line({ type: "assistant", isSidechain: false, message: { id, model: "x", usage }, ...more });
}

const boundary = (preTokens?: number, postTokens?: number, more: Fields = {}): string =>
  line({ type: "system", subtype: "compact_boundary", compactMetadata: { preTokens, postTokens }, ...more });

const user = (content: string, more: Fields = {}): string => line({ type: "user", message: { content }, ...more });

function tokenCount(input_tokens: number, output_tokens: number): string {
  const usage = { input_tokens, cached_input_tokens: 1, output_tokens, total_tokens: input_tokens + output_tokens };
  return codexEvent({ type: "token_count", info: { total_token_usage: usage, last_token_usage: usage } });
}

const codexEvent = (payload: Fields): string => line({ timestamp: "2026-11-30T10:00:00Z", type: "event_msg", payload });
const compacted = (): string =>
  line({ timestamp: "2026-11-30T10:00:00Z", type: "compacted", payload: { message: "" } });

function measured(...parts: readonly (string | Uint8Array)[]): Measurement | undefined {
  const fd = openSync(path, "w");
  for (const part of parts) writeSync(fd, typeof part === "string" ? Buffer.from(part) : part);
  closeSync(fd);
  return measureTranscript(path, LIMIT);
}

/** One record of more than the longest line that is parsed, in pieces. */
const long = (head: string, tail: string, fill = "x "): readonly string[] => [head, fill.repeat(3_000_000), tail];

test("`measureTranscript()` counts the last response of the main conversation once", () => {
  const records = [
    '{"type":"user","isSidechain":false,"message":{"role":"user","content":"hi"}}',
    '{"type":"assistant","isSidechain":false,"message":{"id":"m1","model":"x","usage":{"input_tokens":4,"cache_creation_input_tokens":2000,"cache_read_input_tokens":30000,"output_tokens":1}}}',
    '{"type":"assistant","isSidechain":false,"message":{"id":"m1","model":"x","usage":{"input_tokens":4,"cache_creation_input_tokens":2000,"cache_read_input_tokens":30000,"output_tokens":350}}}',
    '{"type":"assistant","isSidechain":true,"message":{"id":"s9","model":"x","usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":150000,"output_tokens":900}}}',
    '{"type":"assistant","isSidechain":false,"message":{"id":"m2","model":"x","usage":{"input_tokens":6,"cache_creation_input_tokens":800,"cache_read_input_tokens":32000,"output_tokens":120}}}',
    '{"type":"assistant","isSidechain":false,"isApiErrorMessage":true,"message":{"id":"e1","model":"<synthetic>","usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}',
  ];
  expect(measured(records.join("\n"))).toEqual({ size: 32_926, peak: 32_926 });
  expect(measured(`\ufeff${records.join("\r\n")}\r\n`)).toEqual({ size: 32_926, peak: 32_926 });
  expect(measured(records.slice(0, 4).join("\n"))).toEqual({ size: 32_354, peak: 32_354 });
});

test("`measureTranscript()` finds the largest output among the lines of the last response", () => {
  const noise = [
    user("x".repeat(90_000)),
    assistant("s", 900_000, 9, { isSidechain: true }),
    "{\n",
    line({ type: "mode" }),
  ];
  for (const outputs of [
    [1, 350, 20],
    [350, 1],
    [1, 2, 350],
  ]) {
    const lines = outputs.flatMap((output) => [assistant("m", 1_000, output), ...noise]);
    expect(measured(assistant("old", 5_000, 900), ...lines)).toEqual({ size: 1_354, peak: 1_354 });
  }
});

test("`measureTranscript()` tells what compactions left, and the peak before them", () => {
  const cases: readonly (readonly [readonly string[], Measurement])[] = [
    [[assistant("m", 900, 96), boundary(1_100, 200)], { size: 200, peak: 1_100 }],
    [[assistant("m", 900, 96), boundary(1_100, 200), user("x")], { size: 200, peak: 1_100 }],
    [[boundary(1_100, 200), assistant("m", 300, 96)], { size: 400, peak: 1_100 }],
    [[boundary(1_100), boundary(9_000), assistant("m", 300, 96)], { size: 400, peak: 9_000 }],
    [[boundary(undefined, 200), assistant("m", 300, 96)], { size: 400, peak: 400 }],
    [[assistant("m", 900, 96), boundary(1_100)], { size: undefined, peak: 1_100 }],
    [[assistant("m", 900, 96), boundary(800)], { size: undefined, peak: 1_000 }],
    [[assistant("m", 900, 96), boundary()], { size: undefined, peak: 1_000 }],
    [[boundary(1_100, 200)], { size: 200, peak: 1_100 }],
    [[boundary()], UNKNOWN],
    [[assistant("m", 900, 96), boundary(5_000, 1, { isSidechain: true })], { size: 1_000, peak: 1_000 }],
    [
      [assistant("m", 900, 96), user("x", { toolUseResult: JSON.parse(boundary(5_000, 1)) })],
      { size: 1_000, peak: 1_000 },
    ],
    [
      [user("x", { toolUseResult: JSON.parse(boundary(5_000, 1)) }), assistant("m", 900, 96)],
      { size: 1_000, peak: 1_000 },
    ],
    [[user(boundary(5_000, 1)), assistant("m", 900, 96)], { size: 1_000, peak: 1_000 }],
    [
      [boundary(1_100, 200).replaceAll(":", " : ").replaceAll(",", " ,\t"), assistant("m", 300, 96)],
      { size: 400, peak: 1_100 },
    ],
    [
      [
        line({ compactMetadata: { preTokens: 7_000 }, subtype: "compact_boundary", type: "system" }),
        assistant("m", 300, 96),
      ],
      { size: 400, peak: 7_000 },
    ],
  ];
  for (const [parts, expected] of cases) {
    expect([parts, measured(...parts)]).toEqual([parts, expected]);
    const spread = parts.flatMap((part) => [part, user("y".repeat(300_000))]);
    expect([parts, measured(...spread)]).toEqual([parts, expected]);
  }
});

test("`measureTranscript()` measures a Codex rollout", () => {
  const start = line({ timestamp: "", type: "session_meta", payload: { id: "s", cwd: "/home/sam/app" } });
  const noInfo = codexEvent({ type: "token_count", info: null });
  const said = line({
    timestamp: "",
    type: "response_item",
    payload: { role: "assistant", content: tokenCount(9e6, 1) },
  });
  const only = { total_tokens: 700 };
  const estimate = { input_tokens: 0, output_tokens: 0, total_tokens: 700 };
  const cases: readonly (readonly [readonly string[], Measurement])[] = [
    [[start, said], UNKNOWN],
    [[start, noInfo], UNKNOWN],
    [[start, tokenCount(100, 5), noInfo, said], { size: 105, peak: 105 }],
    [[start, tokenCount(100, 5), tokenCount(300, 5), tokenCount(200, 5)], { size: 205, peak: 305 }],
    [[start, tokenCount(300, 5), tokenCount(100, 5), compacted(), noInfo], { size: undefined, peak: 305 }],
    [[start, tokenCount(300, 5), compacted(), tokenCount(100, 5)], { size: 105, peak: 305 }],
    [
      [start, tokenCount(300, 5), codexEvent({ type: "token_count", info: { last_token_usage: only } })],
      { size: 700, peak: 700 },
    ],
    [
      [start, codexEvent({ type: "token_count", info: { last_token_usage: only } }), tokenCount(300, 5)],
      { size: 305, peak: 700 },
    ],
    [
      [start, tokenCount(300, 5), codexEvent({ type: "token_count", info: { last_token_usage: estimate } })],
      { size: undefined, peak: 305 },
    ],
    [[tokenCount(900, 5).replaceAll(":", ": "), tokenCount(300, 5)], { size: 305, peak: 905 }],
    [
      [
        tokenCount(900, 5).replaceAll('"last', '"x":{"last_token_usage":{"input_tokens":1,"output_tokens":1}},"last'),
        tokenCount(300, 5),
      ],
      { size: 305, peak: 905 },
    ],
    ...['"x":{"last_token_usage":{"input_tokens":1,"output_tokens":1}}}', '"model_context_window":1}'].map(
      (after): readonly [readonly string[], Measurement] => [
        [tokenCount(900, 5).replace("}}}}", `},${after}}}`), tokenCount(300, 5)],
        { size: 305, peak: 905 },
      ],
    ),
    [
      [
        tokenCount(1, 5).replaceAll('"output', '"x":{"output_tokens":1},"output').replaceAll(":5", ":905"),
        tokenCount(9, 5),
      ],
      { size: 14, peak: 906 },
    ],
    [[compacted()], UNKNOWN],
  ];
  for (const [parts, expected] of cases) {
    expect([parts, measured(...parts)]).toEqual([parts, expected]);
    const spread = parts.flatMap((part) => [part, codexEvent({ type: "agent_message", message: "y".repeat(300_000) })]);
    expect([parts, measured(...spread)]).toEqual([parts, expected]);
  }
});

test("`measureTranscript()` doesn't parse a line of many megabytes, and knows when it could be the last response", () => {
  const [before, after] = [[boundary(5_000, 9), assistant("a", 900, 96)], [assistant("b", 300, 96)]];
  const message = '{"type":"user","message":{"content":"';
  const response = '{"isSidechain":false,"type":"assistant","message":{"content":"';
  const hit = JSON.stringify(JSON.parse(boundary(90_000, 1)));
  const cases: readonly (readonly [readonly string[], Measurement])[] = [
    [[...before, ...long(message, '"}}\n')], { size: 1_000, peak: 5_000 }],
    [[...before, ...long(message, '"}}')], { size: 1_000, peak: 5_000 }],
    [[...before, ...long(message, "")], { size: 1_000, peak: 5_000 }],
    [[...before, ...long(message, '"}}\n'), ...after], { size: 400, peak: 5_000 }],
    [[...long(message, '"}}\n'), ...before], { size: 1_000, peak: 5_000 }],
    [[...long("", ""), "\n", ...before], { size: 1_000, peak: 5_000 }],
    [[...before, ...long(`{"type":"user","a":${hit},"b":"`, '"}\n', "\0 ")], { size: 1_000, peak: 5_000 }],
    [[...before, ...long('{"type":"user","b":"', `","a":${hit}}\n`)], { size: 1_000, peak: 5_000 }],
    [
      [...before, ...long('{"type":"user","b":"', `","a":${after[0]?.trim()},"c":"${"z".repeat(9_000)}"}\n`)],
      { size: 1_000, peak: 5_000 },
    ],
    [[...before, ...long(response, '"}}\n')], UNKNOWN],
    [[...before, ...long('{"message":{"content":"', '"},"type":"assistant"}')], UNKNOWN],
    [[...before, ...long(response.replace("false", "true"), '"}}\n')], { size: 1_000, peak: 5_000 }],
    [[...before, ...long(response, '"}}\n'), ...after], { size: 400, peak: 5_000 }],
    [[...before, ...long(response, '"}}\n'), boundary(7_000, 70)], { size: 70, peak: 7_000 }],
    [[...before, ...long(response, '"}}\n'), boundary(7_000)], { size: undefined, peak: 7_000 }],
    [[...before, ...long(response, '"}}\n'), boundary()], UNKNOWN],
    [
      [tokenCount(300, 5), ...long('{"timestamp":"","type":"compacted","payload":{"message":"', '"}}\n')],
      { size: undefined, peak: 305 },
    ],
    [
      [
        tokenCount(300, 5),
        ...long('{"timestamp":"","type":"response_item","payload":{"role":"assistant","c":"', '"}}\n'),
      ],
      { size: 305, peak: 305 },
    ],
    [[...before, ...long(message, '"}}\n', "\n\n")], { size: 1_000, peak: 5_000 }],
  ];
  for (const [parts, expected] of cases) {
    const shown = parts.map((part) => part.slice(0, 80));
    expect([shown, measured(...parts)]).toEqual([shown, expected]);
  }
});

test("`measureTranscript()` reads lines of any length up to the longest one it parses", () => {
  for (const size of [1, 63, 64, 65, 128, 500, 1023, 1024, 1025, 2048, 4000].map((kib) => kib * KIB)) {
    for (const off of [-40, -39, -1, 0, 1]) {
      const filler = user("z".repeat(size - 40 + off));
      expect(measured(boundary(9_000, 1), filler, assistant("m", 900, 96), filler)).toEqual({
        size: 1_000,
        peak: 9_000,
      });
      const wide = assistant("m", 900, 96, { text: "z".repeat(size + off) });
      expect(measured(boundary(9_000, 1), filler, wide)).toEqual({ size: 1_000, peak: 9_000 });
    }
  }
});

test("`measureTranscript()` finds each record wherever the end of a read cuts it", () => {
  const claude = [boundary(9_000, 7), assistant("m", 900, 50), user("x"), assistant("m", 900, 96), user("é")].join("");
  const later = `${assistant("n", 300, 96)}${user("x")}`;
  const codex = [tokenCount(50, 5), tokenCount(900, 5), compacted(), tokenCount(100, 5), tokenCount(200, 5)].join("");
  const cases: readonly (readonly [string, string, Measurement])[] = [
    [claude, "", { size: 1_000, peak: 9_000 }],
    [claude, later, { size: 400, peak: 9_000 }],
    [codex, "", { size: 205, peak: 905 }],
    [codex, tokenCount(300, 5), { size: 305, peak: 905 }],
  ];
  const filler = user("f".repeat(1_000));
  for (const [records, end, expected] of cases) {
    // The reads from the end are of 64, 128 and 256 KiB, cut back to whole lines.
    for (const reads of [64, 192, 448].map((kib) => kib * KIB)) {
      const slack = records.length + 3_000;
      const lines = Math.floor((reads - slack - end.length) / filler.length);
      const blank = "\n".repeat(2 * slack);
      const whole = `${user("start")}${records}${filler.repeat(lines)}${end}`;
      writeFileSync(path, `${whole}${blank}`);
      for (let size = whole.length + blank.length + 1; size >= whole.length; size -= reads > 192 * KIB ? 7 : 1) {
        truncateSync(path, size);
        const found = measureTranscript(path, LIMIT);
        if (found?.size !== expected.size || found?.peak !== expected.peak) {
          throw new Error(`${JSON.stringify(found)} at ${size} instead of ${JSON.stringify(expected)}`);
        }
      }
    }
  }
});

const maybe = (random: Seeded, below: number): number | undefined =>
  random.next(3) === 0 ? undefined : random.next(below);

const CLAUDE_KINDS: readonly ((random: Seeded) => string)[] = [
  (random) => assistant(`m${random.next(4)}`, random.next(1_000), random.next(500)),
  (random) => assistant(`m${random.next(4)}`, random.next(1_000), random.next(500), { isSidechain: true }),
  (random) => assistant(`m${random.next(2)}`, random.next(9), 1, { isApiErrorMessage: true }),
  (random) => assistant("", random.next(1_000), random.next(9), { text: "w".repeat(random.next(9_000)) }),
  (random) => boundary(maybe(random, 3_000), maybe(random, 300)),
  (random) => boundary(random.next(9_000), 5, { isSidechain: random.pick([true, false]) }),
  (random) =>
    user("é".repeat(random.next(random.pick([10, 3_000, 90_000]))), { toolUseResult: JSON.parse(boundary(99_999, 1)) }),
  (random) => user(boundary(99_999, 1), { toolUseResult: [JSON.parse(assistant("m", random.next(99), 9))] }),
  (random) => line({ type: random.pick(["mode", "summary", "last-prompt"]), text: "q".repeat(random.next(70_000)) }),
  (random) => random.pick(["\n", "\r\n", "{\n", "\0\0\n", '{"type":"assistant"\n']),
];

const CODEX_KINDS: readonly ((random: Seeded) => string)[] = [
  (random) => tokenCount(random.next(5_000), random.next(500)),
  (random) => tokenCount(random.next(5_000), random.next(500)).replaceAll(":", ": "),
  (random) =>
    codexEvent({
      type: "token_count",
      info: random.pick([null, {}, { last_token_usage: { total_tokens: random.next(9_000) } }]),
    }),
  (random) => codexEvent({ type: "agent_message", message: tokenCount(90_000, 1).repeat(random.next(40)) }),
  (random) =>
    codexEvent({
      type: "token_count",
      info: { last_token_usage: { input_tokens: 0, output_tokens: 0, total_tokens: random.next(99) } },
    }),
  () => compacted(),
];

function randomTranscript(random: Seeded): string {
  const kinds = random.pick([CLAUDE_KINDS, CLAUDE_KINDS, CODEX_KINDS]);
  const few = Array.from({ length: 1 + random.next(kinds.length) }, () => random.pick(kinds));
  const records = Array.from({ length: random.next(30) }, () => random.pick(few)(random)).join("");
  return random.pick([records, records.trimEnd(), records.replaceAll("\n", "\r\n")]);
}

test("`measureTranscript()` finds what a plain reading from the start finds", () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const text = randomTranscript(seeded(seed));
    expect([seed, measured(text)]).toEqual([seed, forwardMeasurement(text)]);
  }
});

test("`measureTranscript()` stands any damage", () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const random = seeded(seed);
    const bytes = Buffer.from(randomTranscript(random));
    for (let times = random.next(20); times > 0 && bytes.length > 0; times--) {
      const at = random.next(bytes.length);
      const to = Math.min(bytes.length, at + random.next(random.pick([2, 200, 20_000])));
      const from = random.next(bytes.length);
      random.pick([
        () => bytes.fill(random.next(256), at, to),
        () => bytes.fill(random.pick([0, 0x0a, 0x22, 0x7b, 0x7d, 0x5c]), at, at + 1),
        () => bytes.copy(bytes, at, from, from + to - at),
      ])();
    }
    const damaged = bytes.subarray(0, random.pick([bytes.length, random.next(bytes.length + 1)]));
    expect([seed, measured(damaged)]).toEqual([seed, forwardMeasurement(damaged.toString())]);
  }
});

test("`measureTranscript()` tells nothing of a file without records, and waits for none that isn't a file", () => {
  for (const text of ["", "\n", "\n\n\n", "\r\n".repeat(100_000), "\0".repeat(100_000), "\ufeff", "text", "[]\n{}\n"]) {
    expect([text.slice(0, 9), measured(text)]).toEqual([text.slice(0, 9), UNKNOWN]);
  }
  expect(measured(new Uint8Array(200_000).fill(0xff))).toEqual(UNKNOWN);
  expect(measured(Buffer.from([0xff, 0x0a]), assistant("m", 900, 96), Buffer.from([0xc3]))).toEqual({
    size: 1_000,
    peak: 1_000,
  });
  for (const absent of [folder, join(folder, "none"), join(path, "below"), ""]) {
    expect([absent, measureTranscript(absent)]).toEqual([absent, undefined]);
  }
  expect(measureTranscript("a\0b")).toEqual(UNKNOWN);
});

test.skipIf(process.platform === "win32")(
  "`measureTranscript()` follows a link, and never opens a pipe or device",
  () => {
    measured(assistant("m", 900, 96));
    const links = ["link", "dangling", "loop"].map((name) => join(folder, name));
    symlinkSync(path, join(folder, "link"));
    symlinkSync("nowhere", join(folder, "dangling"));
    symlinkSync("loop", join(folder, "loop"));
    expect(links.map((link) => measureTranscript(link))).toEqual([{ size: 1_000, peak: 1_000 }, undefined, UNKNOWN]);
    const pipe = join(folder, "pipe");
    expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
    expect([measureTranscript(pipe), measureTranscript("/dev/zero")]).toEqual([undefined, undefined]);
  },
);

test.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
  "`measureTranscript()` tells nothing of a file that may not be read",
  () => {
    const secret = join(folder, "secret.jsonl");
    writeFileSync(secret, assistant("m", 900, 96));
    chmodSync(secret, 0);
    expect(measureTranscript(secret)).toEqual(UNKNOWN);
  },
);

test("`readByteFile()` keeps to the size at opening, and says when the file becomes shorter", () => {
  writeFileSync(path, "0123456789");
  const grown = readByteFile(path, (file) => {
    appendFileSync(path, "more");
    const bytes = Buffer.alloc(4);
    file.fill(bytes, 6);
    return [file.size, bytes.toString()];
  });
  expect(grown).toEqual([10, "6789"]);
  const shorten = (): unknown =>
    readByteFile(path, (file) => {
      truncateSync(path, 8);
      file.fill(Buffer.alloc(4), 6);
    });
  expect(shorten).toThrow(ThreadMindError);
  expect(shorten).toThrow("it became shorter meanwhile");
});

test("`measureTranscript()` tells no more than it found in its time", () => {
  const filler = user("f".repeat(100_000)).repeat(10);
  const whole: Measurement = { size: 1_000, peak: 9_000 };
  expect(measured(boundary(9_000, 7), ...Array<string>(30).fill(filler), assistant("m", 900, 96))).toEqual(whole);
  const partly: readonly unknown[] = [UNKNOWN, { size: 1_000, peak: undefined }, whole];
  expect(measureTranscript(path, { limitMs: 0 })).toEqual(UNKNOWN);
  for (let limitMs = 0; limitMs < 8; limitMs += 0.05) {
    const found: unknown = measureTranscript(path, { limitMs });
    expect(partly).toContainEqual(found);
  }
});

test("`measureTranscript()` reads 200 MB in a few megabytes of memory", () => {
  const fd = openSync(path, "w");
  const piece = Buffer.from(`${boundary(9_000, 7)}${user("f".repeat(20_000)).repeat(50)}`);
  for (let written = 0; written < 120_000_000; ) written += writeSync(fd, piece);
  for (const part of ['{"type":"user","message":"', ...Array<string>(80).fill("y".repeat(1_000_000)), '"}\n'])
    writeSync(fd, part);
  closeSync(fd);
  appendFileSync(path, assistant("m", 900, 96));
  const script = join(folder, "memory.ts");
  const module = JSON.stringify(join(import.meta.dir, "../../src/io/transcript.ts"));
  writeFileSync(
    script,
    `import { existsSync, readFileSync } from "node:fs";
    import { measureTranscript } from ${module};
    const status = "/proc/self/status";
    const highest = () => (existsSync(status) ? Number(/VmHWM:\\s*(\\d+) kB/.exec(readFileSync(status, "utf8"))?.[1]) * 1024 : 0);
    const before = process.memoryUsage().rss;
    const found = measureTranscript(${JSON.stringify(path)}, { limitMs: 60_000 });
    const growth = Math.max(process.memoryUsage().rss, highest()) - before;
    console.log(JSON.stringify({ found, growth }));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(stderr).toBe("");
  const { found, growth } = JSON.parse(stdout) as { found: Measurement; growth: number };
  expect(found).toEqual({ size: 1_000, peak: 9_000 });
  expect(growth).toBeLessThan(64 * KIB * KIB);
});

test("`measureTranscript()` reads a Gemini chat: the last total, the largest one, and nothing after it was rewritten", () => {
  const response = (id: string, total: number): string =>
    `${JSON.stringify({ id, timestamp: "t", type: "gemini", content: "", tokens: { input: total - 11, output: 11, cached: 3, total } })}\n`;
  const rewritten = `${JSON.stringify({ $set: { messages: [{ id: "u", type: "user" }] } })}\n`;
  const touched = `${JSON.stringify({ $set: { lastUpdated: "t" } })}\n`;
  const start = `{"sessionId":"s","kind":"main"}\n${rewritten}`;
  const table: readonly (readonly [string, number | undefined, number | undefined])[] = [
    [start, undefined, undefined],
    [start + response("a", 1017) + touched + response("a", 1017) + response("b", 1018) + touched, 1018, 1018],
    [start + response("a", 90_000) + rewritten + response("b", 4000), 4000, 90_000],
    [start + response("a", 90_000) + rewritten, undefined, 90_000],
    [start + response("a", 1000).replace('"total":1000', '"total":-5'), undefined, undefined],
  ];
  for (const [text, size, peak] of table) {
    const file = join(temporaryFolder(), "chat.jsonl");
    writeFileSync(file, text);
    expect(measureTranscript(file)).toEqual({ size, peak });
  }
});
