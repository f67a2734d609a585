import { closeSync, openSync, writeSync } from "node:fs";

const MEGABYTE = 1e6;

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

/** Writes a transcript of about this many megabytes as Claude Code leaves it, and returns its path. */
export function writeClaudeTranscript(path: string, megabytes: number): string {
  return write(path, megabytes * MEGABYTE, claudeTurn);
}

/** Writes 100 MB of which the last line is 80 MB: what is to be found stands far from the end. */
export function writeLongLine(path: string): string {
  const line = { type: "user", message: { role: "user", content: text(76 * MEGABYTE) } };
  return write(path, 20 * MEGABYTE, claudeTurn, `${JSON.stringify(line)}\n`);
}

/** Writes a transcript of about this many megabytes as Codex leaves it, nothing but its counts of tokens. */
export function writeCodexTranscript(path: string, megabytes: number): string {
  return write(path, megabytes * MEGABYTE, codexCount);
}

function write(path: string, bytes: number, part: (at: number) => string, last = ""): string {
  const fd = openSync(path, "w");
  let written = 0;
  for (let at = 0; written < bytes; at++) written += writeSync(fd, part(at));
  if (last !== "") writeSync(fd, last);
  closeSync(fd);
  return path;
}
