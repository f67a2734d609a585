/** What a thread file's header says, every value as it is written there, whatever type YAML would give it. */
export interface ThreadFields {
  readonly id?: string;
  readonly title?: string;
  /** `null` is the root */
  readonly parentId?: string | null;
  readonly author?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly status?: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly paths?: readonly string[];
  readonly fingerprint?: string;
  readonly mergedInto?: string;
}

/** The header's keys in the order a new file has them. */
export const FIELD_KEYS = [
  "id",
  "title",
  "parentId",
  "author",
  "createdAt",
  "updatedAt",
  "status",
  "branch",
  "commit",
  "paths",
  "fingerprint",
  "mergedInto",
] as const satisfies readonly (keyof ThreadFields)[];

/** A key of the header that ThreadMind knows. */
export type FieldKey = (typeof FIELD_KEYS)[number];

/** What a known key can hold. */
export type FieldValue = string | readonly string[] | null;

const KNOWN: ReadonlyMap<string, FieldKey> = new Map(FIELD_KEYS.map((key) => [key, key]));
const USUAL_DATE =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)? ?(?:[Zz]|([-+])(\d\d):?(\d\d))?$/;

/** True if ThreadMind knows the key. */
export function isFieldKey(key: string): key is FieldKey {
  return KNOWN.has(key);
}

/** The key in the one string that all files share, which makes looking it up fast. */
export function internKey(key: string): string {
  return KNOWN.get(key) ?? key;
}

/** True if two values of a key are the same. */
export function isSameValue(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** True for an ISO 8601 date. */
export function isDate(text: string): boolean {
  return USUAL_DATE.test(text) || parseDate(text) !== undefined;
}

/** The moment an ISO 8601 date names, in milliseconds (UTC where it names no zone); `undefined` if it is none. */
export function parseDate(text: string): number | undefined {
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const midnight = new Date(0).setUTCFullYear(year ?? 0, (month ?? 1) - 1, day);
  const clock = ((hour ?? 0) * 60 + (minute ?? 0)) * 60_000 + (second ?? 0) * 1000;
  const moment = midnight + clock + Number(match[7] ?? 0) * 1000;
  const offset = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * 60_000;
  if (!isCalendarDay(year, month, day)) return undefined;
  return match[8] === "-" ? moment + offset : moment - offset;
}

function isCalendarDay(year = 0, month = 0, day = 0): boolean {
  const date = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
