/** The client that wrote a transcript. */
export type TranscriptClient = "claude-code" | "codex" | "gemini";

/**
 * What one record says about the size of the conversation, in tokens as the provider counted them: a response's count;
 * a compaction, with the counts before and after it where the client tells them; or that a count is there, but out of reach.
 */
export type TranscriptFact =
  | ResponseCount
  | Compaction
  | { readonly kind: "hidden"; readonly client: TranscriptClient };

interface ResponseCount {
  readonly kind: "count";
  readonly client: TranscriptClient;
  /** the response's id: lines of one response repeat its count, or lead up to it */
  readonly response: string | undefined;
  readonly tokens: number;
  readonly output: number;
}

interface Compaction {
  readonly kind: "compaction";
  readonly client: TranscriptClient;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const MOST_TOKENS = 1e9;
const BYTE_ORDER_MARK = "\ufeff";

/** What a line of a Claude Code transcript, a Codex rollout or a Gemini chat says; `undefined` if nothing, or if it is no whole record. */
export function parseTranscriptLine(line: string): TranscriptFact | undefined {
  const record = parseFields(line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line);
  if (record === undefined) return undefined;
  if (isFields(record.payload)) return codexFact(record.type, record.payload);
  return record.type === "gemini" || isFields(record.$set) ? geminiFact(record) : claudeFact(record);
}

/** What a line that is too long to parse may say, judged by its first and last few thousand characters. */
export function guessLongLine(head: string, tail: string): TranscriptFact | undefined {
  if (/"payload"\s*:/.test(head)) {
    return /"type"\s*:\s*"compacted"/.test(head) ? compaction("codex", undefined, undefined) : undefined;
  }
  if (/"isSidechain"\s*:\s*true/.test(head + tail)) return undefined;
  const isResponse = /"(?:type|role)"\s*:\s*"assistant"/.test(head) || /"type"\s*:\s*"assistant"/.test(tail);
  return isResponse ? { kind: "hidden", client: "claude-code" } : undefined;
}

function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    // a line that was cut off or damaged
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function claudeFact(record: Fields): TranscriptFact | undefined {
  const { type, subtype, message, compactMetadata } = record;
  if (record.isSidechain === true) return undefined;
  if (type === "assistant") {
    return record.isApiErrorMessage !== true && isFields(message) ? claudeCount(message) : undefined;
  }
  if (type !== "system" || subtype !== "compact_boundary") return undefined;
  const { preTokens, postTokens }: Fields = isFields(compactMetadata) ? compactMetadata : {};
  return compaction("claude-code", total(preTokens), total(postTokens));
}

/** With iterations the usage is their sum, and the last of them is what the conversation holds. */
function claudeCount({ id, model, usage }: Fields): ResponseCount | undefined {
  if (model === "<synthetic>" || !isFields(usage)) return undefined;
  const { iterations, output_tokens } = usage;
  const whole = claudeTotal(usage);
  if (whole === undefined) return undefined;
  const last: unknown = Array.isArray(iterations) ? iterations.at(-1) : undefined;
  return {
    kind: "count",
    client: "claude-code",
    response: typeof id === "string" && id !== "" ? id : undefined,
    tokens: (isFields(last) ? claudeTotal(last) : undefined) ?? whole,
    output: amount(output_tokens) ?? 0,
  };
}

function claudeTotal(usage: Fields): number | undefined {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return total(input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens);
}

function codexFact(type: unknown, { type: event, info }: Fields): TranscriptFact | undefined {
  if (type === "compacted") return compaction("codex", undefined, undefined);
  if (type !== "event_msg" || event !== "token_count" || !isFields(info)) return undefined;
  const usage = info.last_token_usage;
  return isFields(usage) ? codexCount(usage) : undefined;
}

function codexCount({ input_tokens, output_tokens, total_tokens }: Fields): TranscriptFact | undefined {
  const isSplit = (input_tokens ?? output_tokens ?? undefined) !== undefined;
  const tokens = isSplit ? total(input_tokens, output_tokens) : total(total_tokens);
  if (tokens !== undefined) {
    return { kind: "count", client: "codex", response: undefined, tokens, output: amount(output_tokens) ?? 0 };
  }
  // Codex writes a total without its parts where it estimated what a compaction or a rollback has left.
  const isEstimate = amount(input_tokens) === 0 && amount(output_tokens) === 0 && total(total_tokens) !== undefined;
  return isEstimate ? compaction("codex", undefined, undefined) : undefined;
}

/** Gemini counts the whole conversation with each response; it rewrites its messages when it compresses them. */
function geminiFact({ id, tokens, $set }: Fields): TranscriptFact | undefined {
  if (isFields($set)) return Array.isArray($set.messages) ? compaction("gemini", undefined, undefined) : undefined;
  const count = isFields(tokens) ? total(tokens.total) : undefined;
  if (count === undefined || !isFields(tokens)) return undefined;
  const response = typeof id === "string" && id !== "" ? id : undefined;
  return { kind: "count", client: "gemini", response, tokens: count, output: amount(tokens.output) ?? 0 };
}

function compaction(client: TranscriptClient, before: number | undefined, after: number | undefined): Compaction {
  return { kind: "compaction", client, before, after };
}

/** The sum of these counts; `undefined` if it is nothing, or one of them is no count of tokens. */
function total(...values: readonly unknown[]): number | undefined {
  const sum = values.reduce<number>((all, value) => all + (amount(value) ?? Number.NaN), 0);
  return sum > 0 && sum <= MOST_TOKENS ? sum : undefined;
}

/** A count of tokens, 0 where it is left out; `undefined` if it is none. */
function amount(value: unknown): number | undefined {
  if (value === undefined || value === null) return 0;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS
    ? value
    : undefined;
}

/** The facts of one transcript so far, taken from its end. */
export interface Tally {
  /** true once what lies further to the front has no bearing on the size */
  readonly isSettled: boolean;
  readonly client: TranscriptClient | undefined;
  /** the largest number for the peak so far, 0 before the first */
  readonly highest: number;
  add(fact: TranscriptFact): void;
  /** the size at the end; `undefined` if unknown */
  size(): number | undefined;
  /** how large the conversation had ever been, if all facts were added; `undefined` if unknown */
  peak(): number | undefined;
}

/** Takes the facts of a transcript from the last to the first. */
export function openTally(): Tally {
  let client: TranscriptClient | undefined;
  let highest = 0;
  let isSettled = false;
  let isHidden = false;
  let compacted: Compaction | undefined;
  let last: ResponseCount | undefined;

  const addCount = (count: ResponseCount): void => {
    if (count.client !== "claude-code") highest = Math.max(highest, count.tokens);
    if (isSettled) return;
    if (last === undefined) last = count;
    else if (count.response !== last.response) isSettled = true;
    else if (count.output > last.output) last = count;
    if (count.response === undefined) isSettled = true;
  };
  const addCompaction = (found: Compaction): void => {
    highest = Math.max(highest, found.before ?? 0);
    if (isSettled || last !== undefined || compacted !== undefined) return;
    compacted = found;
    isSettled = found.after !== undefined;
  };
  const addHidden = (): void => {
    if (isSettled) return;
    isHidden = last === undefined;
    isSettled = true;
  };
  const size = (): number | undefined => {
    if (compacted !== undefined) return compacted.after;
    return isHidden ? undefined : last?.tokens;
  };

  return {
    get isSettled() {
      return isSettled;
    },
    get client() {
      return client;
    },
    get highest() {
      return highest;
    },
    add(fact) {
      client ??= fact.client;
      if (fact.client !== client) return;
      if (fact.kind === "count") addCount(fact);
      else if (fact.kind === "compaction") addCompaction(fact);
      else addHidden();
    },
    size,
    peak() {
      if (isHidden && compacted?.before === undefined) return undefined;
      const final = client !== "claude-code" ? 0 : (size() ?? last?.tokens ?? 0);
      return Math.max(final, highest) || undefined;
    },
  };
}
