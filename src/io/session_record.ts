import type { JsonValue } from "../core/json_file.ts";

/** What is recorded of one conversation of a client, in `config.json`; every field but the id may be unknown. */
export interface SessionRecord {
  /** the client's id of the conversation */
  readonly session: string;
  /** `claude-code`, `codex`, … */
  readonly client?: string | undefined;
  /** path of the client's own transcript */
  readonly transcript?: string | undefined;
  readonly startedAt?: string | undefined;
  /** estimated tokens of the context that was loaded last */
  readonly context?: number | undefined;
  /** how large the conversation was at its end, in tokens as the provider counted them */
  readonly size?: number | undefined;
  /** how large it ever was */
  readonly peak?: number | undefined;
  /** when it was measured; absent while it runs, and when its end was missed */
  readonly at?: string | undefined;
}

const MOST_RECORDS = 200;
const MOST_TOKENS = 1e9;
const LONGEST_ID = 200;
const LONGEST_PATH = 4096;
const TEXTS = ["client", "transcript", "startedAt", "at"] as const;
const NUMBERS = ["context", "size", "peak"] as const;

/** A conversation's id as it can be recorded; `undefined` for what can't be one. */
export function checkSessionId(id: string | undefined): string | undefined {
  return id !== undefined && id !== "" && id.length <= LONGEST_ID && !/\p{Cc}/u.test(id) ? id : undefined;
}

/** A transcript's path as it can be recorded: absolute, and of this machine, since reading another's would sign in there. */
export function checkTranscript(path: string | undefined): string | undefined {
  const isAbsolute = path !== undefined && /^(?:\/(?!\/)|[a-z]:[\\/])/i.test(path);
  return isAbsolute && path.length <= LONGEST_PATH && !/\p{Cc}/u.test(path) ? path : undefined;
}

/** The records of `config.json`'s `sessions`; what can't be one is passed over. */
export function parseRecords(value: JsonValue | undefined): readonly SessionRecord[] {
  return Array.isArray(value) ? value.flatMap((entry) => parseRecord(entry) ?? []) : [];
}

function parseRecord(value: JsonValue): SessionRecord | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const members = new Map(Object.entries(value));
  const text = (key: string): string | undefined => {
    const found = members.get(key);
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const count = (key: string): number | undefined => {
    const found = members.get(key);
    return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 && found <= MOST_TOKENS
      ? found
      : undefined;
  };
  const session = checkSessionId(text("session"));
  if (session === undefined) return undefined;
  return {
    session,
    ...Object.fromEntries(TEXTS.map((key) => [key, text(key)])),
    transcript: checkTranscript(text("transcript")),
    ...Object.fromEntries(NUMBERS.map((key) => [key, count(key)])),
  };
}

/** The list with these records in place of those of the same sessions, at its end, and no longer than it may be. */
export function withRecords(value: JsonValue | undefined, records: readonly SessionRecord[]): JsonValue[] {
  const list: JsonValue[] = Array.isArray(value) ? [...value] : [];
  for (const record of records) {
    const at = list.findIndex((entry) => parseRecord(entry)?.session === record.session);
    const known = at < 0 ? {} : (list.splice(at, 1)[0] as Readonly<Record<string, JsonValue>>);
    const merged: Readonly<Record<string, JsonValue | undefined>> = { ...known, ...record };
    list.push(
      Object.fromEntries(Object.entries(merged).flatMap(([key, set]) => (set === undefined ? [] : [[key, set]]))),
    );
  }
  return list.slice(-MOST_RECORDS);
}
