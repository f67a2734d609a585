import { type Header, lineAt } from "./header.ts";
import { quotedValue } from "./header_fields.ts";
import type { HeaderEntry } from "./plain_header.ts";
import { renderList, renderScalar, type ScalarStyle } from "./scalar.ts";
import type { Edit } from "./text_edit.ts";
import {
  FIELD_KEYS,
  type FieldKey,
  type FieldValue,
  isDate,
  isFieldKey,
  isSameValue,
  type ThreadFields,
} from "./thread_fields.ts";

const INDENTED_COMMENTS = /^(?:(?:[ \t]*(?:\r\n|[\r\n]))*[ \t]+#[^\r\n]*(?:\r\n|[\r\n]))+/;

/** What editing a header needs to know of it. */
export interface EditableHeader {
  readonly source: string;
  readonly fields: ThreadFields;
  readonly header: Header;
  readonly entries: readonly HeaderEntry[];
  readonly superseded: ReadonlySet<HeaderEntry>;
  /** for a header that is one flow mapping, `{id: auth}`: the offset behind its brace */
  readonly flowFrom: number | undefined;
}

/**
 * The edits that set and unset keys of a header, with the repairs of what other readers can't read; none if all is so
 * already, unless the file `isWritten` anyway.
 */
export function editHeader(
  file: EditableHeader,
  set: ThreadFields,
  unset: readonly FieldKey[],
  isWritten: boolean,
): Edit[] {
  const wanted = FIELD_KEYS.filter((key) => set[key] !== undefined && !isSameValue(set[key], file.fields[key]));
  const gone = unset.filter((key) => !wanted.includes(key) && file.entries.some((entry) => entry.key === key));
  if (!isWritten && wanted.length === 0 && gone.length === 0) return [];
  const edits: Edit[] = [];
  const settled = new Set<HeaderEntry>();
  for (const key of wanted) {
    const entry = entryOf(file, key);
    if (entry !== undefined) settled.add(entry);
    edits.push(...(entry === undefined ? insertEntry(file, key, set[key]) : replaceValue(file, entry, key, set[key])));
  }
  for (const [index, entry] of file.entries.entries()) {
    if (settled.has(entry) || !isFieldKey(entry.key)) continue;
    if (gone.includes(entry.key) || file.superseded.has(entry)) edits.push(...removeEntry(file, index, entry));
    else if (entry.isLiteral) edits.push(...putValue(file, entry, quotedValue(entry)));
  }
  return edits;
}

function removeEntry({ source, header, entries }: EditableHeader, index: number, entry: HeaderEntry): Edit[] {
  const { from, to, indent } = entry;
  const above = entries[index - 1];
  const mayBeBlock = above !== undefined && lineAt(source, above.from, 0).next < above.to;
  const comments = mayBeBlock ? INDENTED_COMMENTS.exec(source.slice(to, header.close))?.[0] : undefined;
  if (comments === undefined) return [{ from, to, text: "" }];
  // Left indented, they would become text of the block scalar above.
  return [{ from, to: to + comments.length, text: comments.replace(/^[ \t]+#/gm, `${indent}#`) }];
}

/** The lines `key: value` of a header, in the order of a new file. */
export function renderFields(fields: ThreadFields, eol: string): string {
  const keys = FIELD_KEYS.filter((key) => fields[key] !== undefined);
  return keys.map((key) => `${key}: ${renderValue(key, fields[key], "plain")}${eol}`).join("");
}

function renderValue(key: FieldKey, value: FieldValue | undefined, style: ScalarStyle, inFlow = false): string {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "string") return renderList(value);
  // Dates stand unquoted in every release, and readers that make a date of one are right.
  const isPlainDate = style === "plain" && !inFlow && (key === "createdAt" || key === "updatedAt") && isDate(value);
  return isPlainDate ? value : renderScalar(value, style, inFlow);
}

function entryOf(file: EditableHeader, key: FieldKey): HeaderEntry | undefined {
  const entries = file.entries.filter((entry) => entry.key === key);
  return entries.find((entry) => !file.superseded.has(entry)) ?? entries[0];
}

function replaceValue(file: EditableHeader, entry: HeaderEntry, key: FieldKey, value: FieldValue | undefined): Edit[] {
  return putValue(file, entry, renderValue(key, value, entry.style, file.flowFrom !== undefined));
}

function putValue({ source, flowFrom }: EditableHeader, entry: HeaderEntry, text: string): Edit[] {
  const { colon, valueFrom, valueTo } = entry;
  if (colon === undefined) {
    const whole = `${entry.indent}${entry.key}: ${text}`;
    if (flowFrom !== undefined) return [{ from: valueFrom, to: valueTo, text: whole }];
    return [{ from: entry.from, to: lineAt(source, valueTo, 0).to, text: whole }];
  }
  const lineEnd = lineAt(source, colon, 0).to;
  if (valueFrom > lineEnd) {
    // The value starts below its key: it moves up, before the comment that may stand there.
    return [
      { from: colon, to: colon, text: ` ${text}` },
      { from: lineEnd, to: valueTo, text: "" },
    ];
  }
  const space = /[ \t]/.test(source.charAt(valueFrom - 1)) ? "" : " ";
  return [{ from: valueFrom, to: valueTo, text: space + text }];
}

/** The edit that adds a key at its place in the standard order among the known keys that are there. */
function insertEntry(file: EditableHeader, key: FieldKey, value: FieldValue | undefined): Edit[] {
  const { source, flowFrom } = file;
  if (flowFrom !== undefined) {
    return [{ from: flowFrom, to: flowFrom, text: `${key}: ${renderValue(key, value, "plain", true)}, ` }];
  }
  const { at, indent } = findPlace(file, key);
  const text = `${indent}${key}: ${renderValue(key, value, "plain")}${lineBreakBefore(source, at)}`;
  return [{ from: at, to: at, text }];
}

function findPlace(file: EditableHeader, key: FieldKey): { readonly at: number; readonly indent: string } {
  const order = FIELD_KEYS.indexOf(key);
  const present = FIELD_KEYS.map((other) => file.entries.findLast((entry) => entry.key === other));
  const before = present.slice(0, order).findLast((entry) => entry !== undefined);
  if (before !== undefined) return { at: before.to, indent: before.indent };
  const after = present.slice(order).find((entry) => entry !== undefined);
  if (after !== undefined) return { at: after.from, indent: after.indent };
  return { at: file.header.close, indent: file.entries[0]?.indent ?? "" };
}

function lineBreakBefore(source: string, at: number): string {
  if (source.charAt(at - 1) === "\r") return "\r";
  return source.charAt(at - 2) === "\r" ? "\r\n" : "\n";
}
