import type { Unreadable } from "./header.ts";
import type { HeaderEntry } from "./plain_header.ts";
import { isPlainScalar, quoteScalar, renderList, renderScalar } from "./scalar.ts";
import {
  FIELD_KEYS,
  type FieldKey,
  type FieldValue,
  isDate,
  isFieldKey,
  isSameValue,
  parseDate,
  type ThreadFields,
} from "./thread_fields.ts";

/** Something in a file that a person should mend; the file is usable nevertheless. */
export interface FileFinding {
  readonly line: number;
  readonly message: string;
  readonly hint: string;
}

/** What a header's entries amount to. */
export interface HeaderFields {
  readonly fields: ThreadFields;
  readonly findings: readonly FileFinding[];
  /** entries that the next write leaves out: the losers among keys that stand twice */
  readonly superseded: ReadonlySet<HeaderEntry>;
  readonly isTitleLiteral: boolean;
  /** what the next write mends besides what it is asked to, one sentence each */
  readonly repairs: readonly string[];
}

interface Twins {
  readonly first: Map<string, HeaderEntry>;
  readonly superseded: Set<HeaderEntry>;
  readonly findings: FileFinding[];
  readonly repairs: string[];
}

const EXPECTED = ["title", "parentId", "author", "createdAt", "updatedAt"] as const satisfies readonly FieldKey[];
const STATUSES: ReadonlySet<string> = new Set(["open", "done", "abandoned"]);
const YAML_NULL = /^(?:~|null|Null|NULL)$/;
const LINE_BREAKS = /(?:\r\n|[\n\r\u0085\u2028\u2029])+/g;

/**
 * Settles which entry of a header counts for each key and what it says. `firstLine` is the line of the header's fence;
 * in a conflicted header the first of two equal keys counts.
 */
export function readFields(
  entries: readonly HeaderEntry[],
  firstLine: number,
  isConflicted: boolean,
): HeaderFields | Unreadable {
  const twins: Twins = { first: new Map(), superseded: new Set(), findings: [], repairs: [] };
  for (const entry of entries) {
    const earlier = twins.first.get(entry.key);
    if (earlier === undefined) twins.first.set(entry.key, entry);
    else if (!isConflicted) {
      const fault = settleTwins(earlier, entry, twins);
      if (fault !== undefined) return fault;
    }
  }
  const { superseded, findings, repairs } = twins;
  const fields: Record<string, FieldValue> = {};
  for (const entry of twins.first.values()) {
    if (superseded.has(entry)) continue;
    if (entry.isLiteral) addLiteral(entry, findings, repairs);
    if (!isFieldKey(entry.key)) continue;
    const value = fieldOf(entry);
    const finding = findFault(entry, entry.key, value);
    if (finding !== undefined) findings.push(finding);
    if (value !== undefined) fields[entry.key] = mayBreak(entry) ? oneLine(value) : value;
  }
  const missing = findMissing(twins.first, fields, firstLine);
  if (missing !== undefined) findings.push(missing);
  findings.sort((one, other) => one.line - other.line);
  const isTitleLiteral = twins.first.get("title")?.isLiteral === true;
  return { fields, findings, superseded, isTitleLiteral, repairs };
}

/** What a known key's entry says; `undefined` for nothing, or for something the key can't hold. */
function fieldOf({ key, value, style }: HeaderEntry): FieldValue | undefined {
  const isText = typeof value === "string";
  if (value === null || (isText && style === "plain" && key !== "title" && key !== "id" && YAML_NULL.test(value))) {
    return key === "parentId" ? null : undefined;
  }
  if (key === "paths") return isText ? [value] : value;
  return isText && value !== "" ? value : undefined;
}

/** True for a title that may hold line breaks; a plain one on one line can't. */
function mayBreak({ key, style, isLiteral }: HeaderEntry): boolean {
  return key === "title" && (isLiteral || style !== "plain");
}

function oneLine(value: FieldValue): FieldValue {
  return typeof value === "string" ? value.replace(LINE_BREAKS, " ") : value;
}

/** Decides between two entries of one key, or says why the file can't be used. */
function settleTwins(earlier: HeaderEntry, later: HeaderEntry, twins: Twins): Unreadable | undefined {
  const { key } = later;
  const lines = `lines ${earlier.line} and ${later.line}`;
  const note = (message: string, hint: string): void => {
    twins.findings.push({ line: later.line, message, hint });
  };
  if (!isFieldKey(key)) {
    note(`${key} stands twice, on ${lines}.`, "Keep one of the two lines.");
    return undefined;
  }
  const isSame = isSameValue(fieldOf(earlier), fieldOf(later)) && later.value !== undefined;
  if (isSame || key === "updatedAt") {
    const laterCounts = !isSame && stampOf(later) > stampOf(earlier);
    twins.superseded.add(laterCounts ? earlier : later);
    if (laterCounts) twins.first.set(key, later);
    note(
      `${key} stands twice, on ${lines}${isSame ? "" : ": the later date counts"}.`,
      "The next write leaves one line.",
    );
    twins.repairs.push(`${key} stood twice, on ${lines}: one line is left.`);
    return undefined;
  }
  if (key === "commit" || key === "fingerprint") {
    twins.superseded.add(earlier).add(later);
    note(
      `${key} stands twice, on ${lines}, with different values: neither counts.`,
      "The next write leaves one at most.",
    );
    twins.repairs.push(`${key} stood twice, on ${lines}, with different values: neither was kept.`);
    return undefined;
  }
  const message = `${key} stands twice, on ${lines}, with different values.`;
  return { line: later.line, message, hint: "Keep one of the two lines." };
}

function stampOf(entry: HeaderEntry): number {
  const value = fieldOf(entry);
  return (typeof value === "string" ? parseDate(value) : undefined) ?? Number.NEGATIVE_INFINITY;
}

function addLiteral(entry: HeaderEntry, findings: FileFinding[], repairs: string[]): void {
  const { key, line } = entry;
  const message = `${key} is taken as it stands, but other YAML readers refuse the line or read something else.`;
  findings.push({ line, message, hint: `Write ${key}: ${quotedValue(entry)}` });
  if (isFieldKey(key)) repairs.push(`The ${key} on line ${line} is now written so that every YAML reader reads it.`);
}

/** The value of a literal entry as every YAML reader reads it. */
export function quotedValue({ value, style }: HeaderEntry): string {
  if (typeof value === "string") return style === "plain" && isPlainScalar(value) ? value : renderScalar(value, style);
  return value === null || value === undefined ? "" : renderList(value);
}

function findFault(entry: HeaderEntry, key: FieldKey, field: FieldValue | undefined): FileFinding | undefined {
  const { line, value } = entry;
  if (value === undefined || (typeof value === "object" && value !== null && key !== "paths")) {
    const wanted = key === "paths" ? "a list on one line: paths: [src/auth, src/db]" : "plain text on one line";
    return { line, message: `${key} holds something that is not read here.`, hint: `Write it as ${wanted}.` };
  }
  if (typeof field !== "string") return undefined;
  if ((key === "createdAt" || key === "updatedAt") && !isDate(field)) {
    return { line, message: `${key} is not an ISO 8601 date.`, hint: "Write it like 2026-04-15T12:30:00.000Z." };
  }
  if (key === "status" && !STATUSES.has(field)) {
    return { line, message: `status is ${quoteScalar(field)}.`, hint: "Write done or abandoned, or remove the line." };
  }
  if (mayBreak(entry) && oneLine(field) !== field) {
    return { line, message: "title has a line break, shown as a space.", hint: "Write it on one line." };
  }
  return undefined;
}

/** The finding for keys that every thread has; a missing `id` is none, for the file's name is the id. */
function findMissing(
  entries: ReadonlyMap<string, HeaderEntry>,
  fields: Readonly<Record<string, FieldValue>>,
  line: number,
): FileFinding | undefined {
  const missing: readonly FieldKey[] = EXPECTED.filter((key) => fields[key] === undefined);
  // A value that can't be read has a finding of its own.
  const absent = missing.filter((key) => !entries.has(key) || entries.get(key)?.value !== undefined);
  if (absent.length === 0) return undefined;
  if (!FIELD_KEYS.some((key) => entries.has(key))) {
    return { line, message: "Its header has none of the keys of a thread.", hint: `Add ${absent.join(", ")}.` };
  }
  const hint = `Add ${absent.length === 1 ? "it" : "them"} between the --- lines.`;
  return { line, message: `Its header lacks ${absent.join(", ")}.`, hint };
}
