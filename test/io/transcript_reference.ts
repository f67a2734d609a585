import type { Measurement } from "../../src/io/transcript.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object below a key, an empty one if there is none. */
function below(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isFields(value) ? value : {};
}

const VALID = (value: unknown): boolean =>
  value === undefined || value === null || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 1e9);

function sum(...values: unknown[]): number | undefined {
  if (!values.every(VALID)) return undefined;
  const all = values.reduce<number>((total, value) => total + Number(value ?? 0), 0);
  return all > 0 && all <= 1e9 ? all : undefined;
}

const most = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

function recordsOf(text: string): Fields[] {
  return text.split("\n").flatMap((line) => {
    try {
      const record: unknown = JSON.parse(line.replace(/^\ufeff/, ""));
      return isFields(record) ? [record] : [];
    } catch {
      return [];
    }
  });
}

/** Measures a transcript in one plain reading from its start; the rules without what makes them fast. */
export function forwardMeasurement(text: string): Measurement {
  const records = recordsOf(text);
  return records.some(({ payload }) => isFields(payload)) ? codex(records) : claude(records);
}

function claude(records: readonly Fields[]): Measurement {
  let group: { id: unknown; tokens: number | undefined; output: number }[] = [];
  let compaction: { post: number | undefined } | undefined;
  const before: (number | undefined)[] = [];
  for (const record of records) {
    if (record.isSidechain === true) continue;
    if (record.type === "system" && record.subtype === "compact_boundary") {
      const { preTokens, postTokens } = below(record, "compactMetadata");
      before.push(sum(preTokens));
      compaction = { post: sum(postTokens) };
    }
    const message = below(record, "message");
    const usage = below(message, "usage");
    if (record.type !== "assistant" || record.isApiErrorMessage === true || message.model === "<synthetic>") continue;
    const tokens = sum(
      usage.input_tokens,
      usage.cache_creation_input_tokens,
      usage.cache_read_input_tokens,
      usage.output_tokens,
    );
    if (tokens === undefined) continue;
    const isNew = typeof message.id !== "string" || message.id === "" || group[0]?.id !== message.id;
    group = [...(isNew ? [] : group), { id: message.id, tokens, output: Number(usage.output_tokens ?? 0) }];
    compaction = undefined;
  }
  const best = group.toReversed().reduce((one, other) => (other.output > one.output ? other : one), {
    id: undefined,
    tokens: undefined as number | undefined,
    output: -1,
  });
  const size = compaction === undefined ? best.tokens : compaction.post;
  return { size, peak: most([size ?? best.tokens, ...before]) };
}

function codex(records: readonly Fields[]): Measurement {
  let size: number | undefined;
  const counts: (number | undefined)[] = [];
  for (const record of records) {
    const payload = below(record, "payload");
    if (record.type === "compacted" && payload === record.payload) size = undefined;
    if (record.type !== "event_msg" || payload.type !== "token_count") continue;
    const { input_tokens, output_tokens, total_tokens } = below(below(payload, "info"), "last_token_usage");
    const isSplit = (input_tokens ?? output_tokens ?? undefined) !== undefined;
    const tokens = isSplit ? sum(input_tokens, output_tokens) : sum(total_tokens);
    counts.push(tokens);
    const isEstimate = (input_tokens ?? 0) === 0 && (output_tokens ?? 0) === 0 && sum(total_tokens) !== undefined;
    if (tokens !== undefined || isEstimate) size = tokens;
  }
  return { size, peak: most(counts) };
}
