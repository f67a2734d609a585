import { ThreadMindError } from "../errors.ts";
import { type JsonFault, type JsonMember, type JsonScan, type JsonValue, scanObject } from "./json_scan.ts";
import { applyEdits, type Edit, eolOf } from "./text_edit.ts";

export type { JsonFault, JsonValue } from "./json_scan.ts";

/** How a JSON file sets its members apart. */
interface Layout {
  /** before a key, behind the brace or comma */
  readonly gap: string;
  readonly colonGap: string;
  /** of one level; empty for a file on one line */
  readonly unit: string;
}

// The last line break of a gap with the indentation behind it.
const LINE_START = /(?:\r\n|\n|\r)[ \t]*$/;

/** The members of the one object that a JSON text is, `__proto__` no other than any; of twins the last counts, as everywhere. */
export function parseObject(source: string): { readonly members: ReadonlyMap<string, JsonValue> } | JsonFault {
  const scan = scanObject(source);
  return "message" in scan ? scan : { members: new Map(scan.members.map(({ key, value }) => [key, value])) };
}

/**
 * The JSON text with these members set, or removed where `undefined`, and every other byte as it was; the very same text if
 * all is so already. Throws `malformed-file` for a text that is not one object.
 */
export function setMembers(source: string, values: Readonly<Record<string, JsonValue | undefined>>): string {
  const scan = scanObject(source);
  if ("message" in scan) {
    const message = `Cannot change the JSON file: line ${scan.line}: ${scan.message}`;
    throw new ThreadMindError("malformed-file", message, "Correct it by hand.");
  }
  const layout = layoutOf(source, scan);
  const gone = new Set<JsonMember>();
  const edits: Edit[] = [];
  const added: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const twins = scan.members.filter((member) => member.key === key);
    const last = twins.pop();
    if (value === undefined) for (const member of last === undefined ? [] : [...twins, last]) gone.add(member);
    else if (last === undefined) added.push(`${JSON.stringify(key)}:${layout.colonGap}${renderValue(value, layout)}`);
    else if (!isEqual(last.value, value)) {
      edits.push({ from: last.valueFrom, to: last.valueTo, text: renderValue(value, layout) });
      for (const twin of twins) gone.add(twin);
    }
  }
  return applyEdits(source, [...edits, ...removals(scan, gone), ...additions(source, scan, gone, layout, added)]);
}

/** Takes each member's comma with it: the one before it, or the one behind it if nothing that stays is before it. */
function removals({ members }: JsonScan, gone: ReadonlySet<JsonMember>): Edit[] {
  const firstKept = members.findIndex((member) => !gone.has(member));
  if (firstKept === -1) return [];
  return members.flatMap((member, index): Edit[] => {
    const [before, after] = [members[index - 1], members[index + 1]];
    if (!gone.has(member)) return [];
    if (index < firstKept && after !== undefined) return [{ from: member.from, to: after.from, text: "" }];
    return [{ from: before?.valueTo ?? member.from, to: member.valueTo, text: "" }];
  });
}

function additions(
  source: string,
  { open, close, members }: JsonScan,
  gone: ReadonlySet<JsonMember>,
  { gap, unit }: Layout,
  added: readonly string[],
): Edit[] {
  const last = members.at(-1);
  if (last !== undefined && gone.size < members.length) {
    return added.length === 0
      ? []
      : [{ from: last.valueTo, to: last.valueTo, text: `,${gap}${added.join(`,${gap}`)}` }];
  }
  if (added.length === 0) return gone.size === 0 ? [] : [{ from: open, to: close, text: "" }];
  const end = gap.endsWith(unit) ? gap.slice(0, gap.length - unit.length) : gap;
  const text = `${gap}${added.join(`,${gap}`)}${last === undefined ? end : source.slice(last.valueTo, close)}`;
  return [{ from: open, to: close, text }];
}

function layoutOf(source: string, { open, close, members }: JsonScan): Layout {
  const last = members.at(-1);
  if (last === undefined) return { gap: `${eolOf(source)}  `, colonGap: " ", unit: "  " };
  const before = members.at(-2)?.valueTo ?? open - 1;
  const colonGap = indentOf(source.slice(last.from, last.valueFrom));
  const gap = source.slice(before, last.from).replace(/^[^,{]*[,{]/, "");
  const lineStart = LINE_START.exec(gap)?.[0];
  if (lineStart === undefined) return { gap: members.length === 1 && gap === "" ? colonGap : gap, colonGap, unit: "" };
  const [indent, outer] = [indentOf(gap), indentOf(source.slice(last.valueTo, close))];
  return { gap: lineStart, colonGap, unit: indent.startsWith(outer) ? indent.slice(outer.length) : indent };
}

function indentOf(gap: string): string {
  return /[ \t]*$/.exec(gap)?.[0] ?? "";
}

function renderValue(value: JsonValue, { gap, unit }: Layout): string {
  return unit === "" ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll("\n", gap);
}

function isEqual(one: JsonValue, other: JsonValue): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  if (Array.isArray(one) !== Array.isArray(other) || keys.length !== others.length) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return keys.every((key) => {
    const [mine, theirs] = [left.get(key), right.get(key)];
    return mine !== undefined && theirs !== undefined && isEqual(mine, theirs);
  });
}
