// How long a compiled program takes to measure a transcript, next to one that does nothing: `bun bench/session_end.ts [rounds]`.
// The reach for 100 MB: at most 1.5 × the empty program + 100 ms.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileEmpty, compileProgram, median, timeRun } from "./support.ts";

const MEGABYTE = 1e6;
const SPARE_MS = 100;
const SPARE_RATIO = 1.5;

const text = (length: number): string =>
  'const answer = \\"forty-two\\";\\n  '.repeat(Math.ceil(length / 34)).slice(0, length);

function usage(at: number, output: number): object {
  return {
    input_tokens: 4,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 20_000 + (at % 400) * 350,
    output_tokens: output,
    cache_creation: { ephemeral_5m_input_tokens: 900, ephemeral_1h_input_tokens: 0 },
    service_tier: "standard",
  };
}

/** One turn as Claude Code writes it, about 60 kB: text, call, result, and its own bookkeeping; every 400th a compaction. */
function claudeTurn(at: number): string {
  const common = { parentUuid: `p${at}`, isSidechain: false, cwd: "/home/sam/app", sessionId: "s", version: "2.1.332" };
  const response = { id: `m${at}`, type: "message", role: "assistant", model: "claude" };
  const block = (content: object, output: number) => ({
    ...common,
    message: { ...response, content: [content], usage: usage(at, output) },
    type: "assistant",
    uuid: `a${at}`,
  });
  const records: object[] = [
    block({ type: "text", text: text(1_500) }, 3),
    block({ type: "tool_use", id: `t${at}`, name: "Read", input: { file_path: text(200) } }, 350),
    {
      ...common,
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", content: text(9_000) }] },
      toolUseResult: { file: { content: text(9_000) } },
    },
    { type: "api-request-shape", shape: text(39_000) },
  ];
  if (at % 400 === 399) {
    const compactMetadata = { trigger: "auto", preTokens: 160_000 + at, postTokens: 24_000 };
    records.push({ ...common, type: "system", subtype: "compact_boundary", compactMetadata });
  }
  return `${records.map((record) => JSON.stringify(record)).join("\n")}\n`;
}

/** One token_count as Codex writes it, about 700 bytes. */
function codexCount(at: number): string {
  const tokens = (input: number, output: number) => ({
    input_tokens: input,
    cached_input_tokens: Math.floor(input * 0.9),
    cache_write_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: 12,
    total_tokens: input + output,
  });
  const info = {
    total_token_usage: tokens(at * 30_000, at * 300),
    last_token_usage: tokens(15_000 + (at % 900) * 240, 100 + (at % 700)),
    model_context_window: 258_400,
  };
  const limits = { limit_id: "codex", primary: { used_percent: 7, window_minutes: 300, resets_at: 1_763_483_205 } };
  const payload = { type: "token_count", info, rate_limits: { ...limits, secondary: limits.primary, credits: null } };
  return `${JSON.stringify({ timestamp: "2026-11-30T10:00:00.000Z", type: "event_msg", payload })}\n`;
}

function write(path: string, bytes: number, part: (at: number) => string, last = ""): string {
  const fd = openSync(path, "w");
  let written = 0;
  for (let at = 0; written < bytes; at++) written += writeSync(fd, part(at));
  if (last !== "") writeSync(fd, last);
  closeSync(fd);
  return path;
}

async function main(): Promise<void> {
  const rounds = Number(process.argv[2] ?? 21);
  const folder = mkdtempSync(join(tmpdir(), "threadmind-bench-"));
  try {
    const source = join(folder, "measure.ts");
    const module = JSON.stringify(join(import.meta.dir, "../src/io/transcript.ts"));
    await Bun.write(
      source,
      `import { measureTranscript } from ${module};\nconsole.log(JSON.stringify(measureTranscript(process.argv[2] ?? "")));\n`,
    );
    const empty = await compileEmpty(folder);
    const program = await compileProgram(source, join(folder, "measure"));
    const longLine = `${JSON.stringify({ type: "user", message: { role: "user", content: text(76 * MEGABYTE) } })}\n`;
    const file = (name: string): string => join(folder, `${name}.jsonl`);
    const cases: Readonly<Record<string, string>> = {
      "1 MB": write(file("small"), MEGABYTE, claudeTurn),
      "100 MB, typical": write(file("typical"), 100 * MEGABYTE, claudeTurn),
      "100 MB, last line 80 MB": write(file("long"), 20 * MEGABYTE, claudeTurn, longLine),
      "100 MB of token_counts": write(file("codex"), 100 * MEGABYTE, codexCount),
    };
    report(
      rounds,
      [empty],
      Object.entries(cases).map(([name, path]) => [name, [program, path]]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs all in turn, so that what slows the machine slows all, and prints medians of each round's ratios. */
function report(
  rounds: number,
  empty: readonly string[],
  programs: readonly (readonly [string, readonly string[]])[],
): void {
  const found = programs.map(([name, argv]) => ({
    name,
    argv,
    ms: [] as number[],
    ratio: [] as number[],
    over: [] as number[],
  }));
  const emptyMs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const base = timeRun(empty);
    if (round >= 0) emptyMs.push(base);
    for (const { argv, ms, ratio, over } of found) {
      const taken = timeRun(argv);
      if (round < 0) continue;
      ms.push(taken);
      ratio.push(taken / base);
      over.push(taken - SPARE_RATIO * base);
    }
  }
  const row = (name: string, ms: string, ratio: string, over: string): void =>
    console.log(`${name.padEnd(26)}${ms.padStart(9)}${ratio.padStart(9)}${over.padStart(22)}`);
  row("transcript", "ms", "× empty", `− ${SPARE_RATIO} × empty ≤ ${SPARE_MS}`);
  row("(empty program)", median(emptyMs).toFixed(1), "1.00", "");
  for (const { name, ms, ratio, over } of found) {
    const spare = median(over);
    row(
      name,
      median(ms).toFixed(1),
      median(ratio).toFixed(2),
      `${spare.toFixed(1)}${spare > SPARE_MS ? " too slow" : ""}`,
    );
  }
}

await main();
