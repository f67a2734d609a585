import { expect, test } from "bun:test";
import {
  guessLongLine,
  openTally,
  parseTranscriptLine,
  type TranscriptClient,
  type TranscriptFact,
} from "../../src/core/transcript_record.ts";

const USAGE = {
  input_tokens: 6,
  cache_creation_input_tokens: 800,
  cache_read_input_tokens: 32_000,
  output_tokens: 120,
};

type Fields = Readonly<Record<string, unknown>>;

function assistant(usage: unknown, message: Fields = {}, record: Fields = {}): string {
  const whole = { id: "m1", model: "x", role: "assistant", content: [], usage, ...message };
  return JSON.stringify({ type: "assistant", isSidechain: false, message: whole, ...record });
}

function boundary(compactMetadata: unknown, record: Fields = {}): string {
  return JSON.stringify({ type: "system", subtype: "compact_boundary", compactMetadata, ...record });
}

function tokenCount(last_token_usage: unknown, payload: Fields = {}, record: Fields = {}): string {
  const whole = { type: "token_count", info: { last_token_usage, model_context_window: 258_400 }, ...payload };
  return JSON.stringify({ timestamp: "2026-11-30T10:00:00Z", type: "event_msg", payload: whole, ...record });
}

function count(tokens: number, output = 120, id = "m1"): TranscriptFact {
  return { kind: "count", client: "claude-code", response: id === "" ? undefined : id, tokens, output };
}

function codexCount(tokens: number, output: number): TranscriptFact {
  return { kind: "count", client: "codex", response: undefined, tokens, output };
}

function compaction(before?: number, after?: number, client: TranscriptClient = "claude-code"): TranscriptFact {
  return { kind: "compaction", client, before, after };
}

function check(cases: readonly (readonly [string, TranscriptFact | undefined])[]): void {
  for (const [line, fact] of cases) expect([line, parseTranscriptLine(line)]).toEqual([line, fact]);
}

test("`parseTranscriptLine()` adds what a response of Claude Code read and wrote", () => {
  check([
    [assistant(USAGE), count(32_926)],
    [assistant({ input_tokens: 5 }), count(5, 0)],
    [assistant({ output_tokens: 5 }), count(5, 5)],
    [assistant({ ...USAGE, cache_read_input_tokens: null }), count(926)],
    [
      assistant({ ...USAGE, service_tier: "standard", cache_creation: { ephemeral_5m_input_tokens: 9 } }),
      count(32_926),
    ],
    [assistant(USAGE, { id: undefined }), count(32_926, 120, "")],
    [assistant(USAGE, { id: "" }, { requestId: "r" }), count(32_926, 120, "")],
    [assistant(USAGE, { model: undefined }, { isSidechain: undefined }), count(32_926)],
    [assistant(USAGE, {}, { isApiErrorMessage: false, unknown: { deep: [1] } }), count(32_926)],
  ]);
});

test("`parseTranscriptLine()` takes the last iteration where there are some", () => {
  const sums = { ...USAGE, input_tokens: 75_000, output_tokens: 2_000 };
  const last = { input_tokens: 2, cache_read_input_tokens: 40_000, output_tokens: 300 };
  check([
    [assistant({ ...sums, iterations: [{ input_tokens: 30_000 }, last] }), count(40_302, 2_000)],
    [assistant({ ...sums, iterations: [last] }), count(40_302, 2_000)],
    [assistant({ ...USAGE, iterations: [] }), count(32_926)],
    [assistant({ ...USAGE, iterations: null }), count(32_926)],
    [assistant({ ...USAGE, iterations: "2" }), count(32_926)],
    [assistant({ ...USAGE, iterations: [last, {}] }), count(32_926)],
    [assistant({ ...USAGE, iterations: [last, null] }), count(32_926)],
    [assistant({ ...USAGE, iterations: [{ ...last, input_tokens: -1 }] }), count(32_926)],
  ]);
});

test("`parseTranscriptLine()` passes over what is no response of the main conversation", () => {
  const zero = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  check(
    [
      assistant(USAGE, {}, { isSidechain: true }),
      assistant(USAGE, {}, { isApiErrorMessage: true }),
      assistant(USAGE, { model: "<synthetic>" }),
      assistant(zero),
      assistant({}),
      assistant(undefined),
      assistant(null),
      assistant([USAGE]),
      assistant("32926"),
      assistant(USAGE, {}, { type: "user" }),
      assistant(USAGE, {}, { type: "api-request" }),
      assistant(USAGE, {}, { type: undefined }),
      assistant(USAGE, {}, { message: "text" }),
      assistant(USAGE, {}, { message: undefined }),
      JSON.stringify({ type: "user", message: { content: "x" }, toolUseResult: JSON.parse(assistant(USAGE)) }),
      JSON.stringify([JSON.parse(assistant(USAGE))]),
      assistant(USAGE).slice(0, -1),
      assistant(USAGE).slice(1),
      `${assistant(USAGE)}${assistant(USAGE)}`,
      assistant(USAGE).replace("m1", "m\0"),
      "",
      " \r",
      "\0\0",
      "null",
      "1",
      '"assistant"',
      "{}",
      "[".repeat(200_000),
    ].map((line) => [line, undefined]),
  );
});

test("`parseTranscriptLine()` takes only whole numbers that can be counts of tokens", () => {
  for (const bad of [-1, 0.5, 1e9 + 1, 1e300, "5", true, [], {}]) {
    for (const key of Object.keys(USAGE)) check([[assistant({ ...USAGE, [key]: bad }), undefined]]);
    check([
      [boundary({ preTokens: bad, postTokens: 7 }), compaction(undefined, 7)],
      [boundary({ preTokens: 7, postTokens: bad }), compaction(7)],
      [tokenCount({ input_tokens: bad, output_tokens: 5 }), undefined],
      [tokenCount({ input_tokens: 5, output_tokens: bad }), undefined],
      [tokenCount({ total_tokens: bad }), undefined],
    ]);
  }
  check([
    [assistant(USAGE).replace("32000", "1e999"), undefined],
    [assistant({ input_tokens: 1e9 }), count(1e9, 0)],
    [assistant({ input_tokens: 1e9, output_tokens: 1 }), undefined],
  ]);
});

test("`parseTranscriptLine()` reads a compaction of Claude Code", () => {
  const metadata = { trigger: "auto", preTokens: 230_990, postTokens: 93_179, durationMs: 14_414 };
  check([
    [boundary(metadata), compaction(230_990, 93_179)],
    [boundary(metadata, { isSidechain: false, content: "Conversation compacted" }), compaction(230_990, 93_179)],
    [boundary({ trigger: "manual", preTokens: 9 }), compaction(9)],
    [boundary({ preTokens: 0, postTokens: 0 }), compaction()],
    [boundary({}), compaction()],
    [boundary(undefined), compaction()],
    [boundary("auto"), compaction()],
    [boundary(metadata, { isSidechain: true }), undefined],
    [boundary(metadata, { subtype: "microcompact_boundary" }), undefined],
    [boundary(metadata, { subtype: undefined }), undefined],
    [boundary(metadata, { type: "user" }), undefined],
    [JSON.stringify({ type: "user", toolUseResult: JSON.parse(boundary(metadata)) }), undefined],
  ]);
});

test("`parseTranscriptLine()` reads what Codex counted for the last response", () => {
  const usage = { input_tokens: 14_475, cached_input_tokens: 2_432, output_tokens: 216, total_tokens: 14_691 };
  const empty = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 };
  check([
    [tokenCount(usage), codexCount(14_691, 216)],
    [tokenCount({ ...usage, total_tokens: 5 }), codexCount(14_691, 216)],
    [tokenCount({ input_tokens: 7 }), codexCount(7, 0)],
    [tokenCount({ output_tokens: 7 }), codexCount(7, 7)],
    [tokenCount({ total_tokens: 7 }), codexCount(7, 0)],
    [tokenCount(empty), undefined],
    [tokenCount({ ...empty, total_tokens: 0 }), undefined],
    [tokenCount({}), undefined],
    [tokenCount(null), undefined],
    [tokenCount(usage, { info: null }), undefined],
    [tokenCount(usage, { info: { total_token_usage: usage } }), undefined],
    [tokenCount(usage, { type: "agent_message" }), undefined],
    [tokenCount(usage, {}, { type: "response_item" }), undefined],
    [tokenCount(usage, {}, { payload: "x" }), undefined],
  ]);
});

test("`parseTranscriptLine()` takes what Codex estimated after a compaction for no count", () => {
  const estimate = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 51_293 };
  const unknown = compaction(undefined, undefined, "codex");
  check([
    [tokenCount(estimate), unknown],
    [JSON.stringify({ type: "compacted", payload: { message: "", replacement_history: [] } }), unknown],
    [JSON.stringify({ type: "event_msg", payload: { type: "compacted" } }), undefined],
    [JSON.stringify({ type: "compacted" }), undefined],
  ]);
});

test("`parseTranscriptLine()` reads keys in any order, with blanks, and a byte order mark", () => {
  const lines = [
    assistant(USAGE),
    boundary({ preTokens: 9, postTokens: 5 }),
    tokenCount({ input_tokens: 3, output_tokens: 2 }),
    JSON.stringify({ type: "compacted", payload: {} }),
  ];
  const turned = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, inner]) => [key, turned(inner)]),
        )
      : value;
  for (const line of lines) {
    const fact = parseTranscriptLine(line);
    expect(fact).toBeDefined();
    const value: unknown = JSON.parse(line);
    const variants = [JSON.stringify(turned(value)), JSON.stringify(value, null, "\t").replaceAll("\n", " ")];
    check([...variants, `${line}\r`, `\ufeff${line}`, ` ${line} `].map((variant) => [variant, fact]));
  }
});

test("`guessLongLine()` sees a response or a compaction by its ends", () => {
  const hidden: TranscriptFact = { kind: "hidden", client: "claude-code" };
  const cases: readonly (readonly [string, string, TranscriptFact | undefined])[] = [
    ['{"type":"assistant","isSidechain":false,"message":{', '"}}', hidden],
    ['{"type" : "assistant","message":{', '"}}', hidden],
    ['{"parentUuid":"p","isSidechain":false,"message":{"role":"assistant","content":["', '"]}}', hidden],
    ['{"message":{"content":["', '"]},"type":"assistant"}', hidden],
    ['{"type":"assistant","isSidechain":true,"message":{', '"}}', undefined],
    ['{"message":{"content":["', '"]},"isSidechain": true,"type":"assistant"}', undefined],
    ['{"type":"user","message":{"role":"user","content":"', '"}}', undefined],
    ['{"type":"user","message":{"content":"{\\"type\\":\\"assistant\\"', '\\"type\\":\\"assistant\\""}}', undefined],
    ['{"timestamp":"","type":"compacted","payload":{"', '"}}', compaction(undefined, undefined, "codex")],
    ['{"type":"response_item","payload":{"role":"assistant","content":"', '"}}', undefined],
    ["", "", undefined],
  ];
  for (const [head, tail, fact] of cases) expect([head, tail, guessLongLine(head, tail)]).toEqual([head, tail, fact]);
});

test("`openTally()` settles the size from the end, then gathers the peak", () => {
  const hidden: TranscriptFact = { kind: "hidden", client: "claude-code" };
  const noCodex = compaction(undefined, undefined, "codex");
  // facts from the last to the first, whether they settle the size, size, peak
  const cases: readonly (readonly [readonly TranscriptFact[], boolean, number | undefined, number | undefined])[] = [
    [[], false, undefined, undefined],
    [[count(10)], false, 10, 10],
    [[count(10, 1, "a"), count(99, 1, "b")], true, 10, 10],
    [[count(10, 1, "a"), count(19, 10, "a"), count(12, 3, "a")], false, 19, 19],
    [[count(10, 2, "a"), count(11, 2, "a")], false, 10, 10],
    [[count(10, 1, "a"), compaction(50, 7), count(19, 10, "a")], false, 19, 50],
    [[count(10, 1, "a"), count(5, 1, "b"), count(19, 10, "a"), compaction(8)], true, 10, 10],
    [[count(10, 1, ""), count(99, 1, "")], true, 10, 10],
    [[compaction(50, 7), count(60)], true, 7, 50],
    [[compaction(undefined, 7), count(60)], true, 7, 7],
    [[compaction(50), count(60)], false, undefined, 60],
    [[compaction(70), count(60), compaction(65, 5)], false, undefined, 70],
    [[compaction(), count(60)], false, undefined, 60],
    [[compaction(), compaction(50, 7), count(60)], false, undefined, 60],
    [[compaction(50, 7), compaction(90)], true, 7, 90],
    [[compaction()], false, undefined, undefined],
    [[compaction(50)], false, undefined, 50],
    [[hidden, count(60)], true, undefined, undefined],
    [[hidden, compaction(50, 7)], true, undefined, undefined],
    [[compaction(50), hidden, count(60)], true, undefined, 50],
    [[compaction(), hidden, compaction(50)], true, undefined, undefined],
    [[compaction(50, 7), hidden], true, 7, 50],
    [[count(10), hidden, count(60)], true, 10, 10],
    [[codexCount(10, 1), codexCount(99, 1)], true, 10, 99],
    [[noCodex, codexCount(10, 1), codexCount(9, 1)], true, undefined, 10],
    [[codexCount(10, 1), noCodex, codexCount(99, 1)], true, 10, 99],
    [[noCodex], false, undefined, undefined],
    [[codexCount(10, 1), count(99), compaction(100)], true, 10, 10],
  ];
  for (const [facts, isSettled, size, peak] of cases) {
    const tally = openTally();
    for (const fact of facts) tally.add(fact);
    expect([facts, tally.isSettled, tally.size(), tally.peak()]).toEqual([facts, isSettled, size, peak]);
  }
});
