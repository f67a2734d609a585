import { applyEdits, type Edit, eolOf } from "../../core/text_edit.ts";
import { malformed } from "./json_text.ts";
import { parseToml, type TomlDocument, type TomlEntry } from "./toml_text.ts";
import { type ConfigText, isSame, type Plain, toValue, type Value } from "./value.ts";

type Path = readonly (string | number)[];

/** The values of one table, deeper ones left out; `undefined` if there is no such table. */
export function readTable(file: ConfigText, path: readonly string[]): ReadonlyMap<string, Value> | undefined {
  const { entries, tables } = parseToml(file);
  if (![...entries, ...tables].some((part) => startsWith(part.path, path))) return undefined;
  const own = entries.filter((entry) => startsWith(entry.path, path) && entry.path.length === path.length + 1);
  return new Map(own.map(({ path: way, value }) => [String(way.at(-1)), value]));
}

/** The names of the tables right below a path. */
export function listTables(file: ConfigText, path: readonly string[]): readonly string[] {
  const { entries, tables } = parseToml(file);
  const below = [...entries, ...tables].map((part) => part.path).filter((way) => startsWith(way, path));
  return [...new Set(below.filter((way) => way.length > path.length).map((way) => String(way[path.length])))];
}

/** The text with these values in a table, which is added at the end where missing; all other bytes stay. */
export function setTable(file: ConfigText, path: readonly string[], values: Readonly<Record<string, Plain>>): string {
  const document = parseToml(file);
  refuseOtherTypes(document, path);
  const found = [...document.entries, ...document.tables].some((part) => startsWith(part.path, path));
  return found ? changeTable(document, path, values) : addTable(document.text, path, values);
}

function addTable(text: string, path: readonly string[], values: Readonly<Record<string, Plain>>): string {
  const eol = eolOf(text);
  const lines = [`[${path.join(".")}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${render(value)}`)];
  const body = text.replace(/^\ufeff/, "");
  if (body === "") return `${text}${lines.join(eol)}${eol}`;
  const isEnded = /[\r\n]$/.test(body);
  return `${text}${isEnded ? "" : eol}${eol}${lines.join(eol)}${isEnded ? eol : ""}`;
}

function changeTable(document: TomlDocument, path: Path, values: Readonly<Record<string, Plain>>): string {
  const edits: Edit[] = [];
  const own = document.entries.filter(({ path: way }) => startsWith(way, path) && way.length === path.length + 1);
  for (const [key, value] of Object.entries(values)) {
    const entry = own.find(({ path: way }) => way.at(-1) === key);
    if (entry !== undefined) edits.push({ from: entry.from, to: entry.to, text: render(value) });
    else edits.push(insertion(document, own, path, `${key} = ${render(value)}`));
  }
  return applyEdits(document.text, edits);
}

/** A new value behind the table's last, or behind its header. */
function insertion(document: TomlDocument, own: readonly TomlEntry[], path: Path, line: string): Edit {
  const { text, tables } = document;
  const last = own.at(-1);
  if (last?.isInline === true) return { from: last.to, to: last.to, text: `, ${line}` };
  const header = tables.find((table) => isSamePath(table.path, path));
  const isDotted = last !== undefined && text.slice(last.keyFrom, last.from).includes(".");
  if (isDotted || (last === undefined && header === undefined))
    throw malformed(
      document,
      last?.keyFrom ?? 0,
      `${path.join(".")} is written with dotted keys; give it a table of its own`,
    );
  const from = lineEnd(text, last?.to ?? header?.from ?? 0);
  return { from, to: from, text: `${eolOf(text)}${line}` };
}

/** The text without a table and those below it, however they are written. */
export function removeTable(file: ConfigText, path: readonly string[]): string {
  const document = parseToml(file);
  const { text, tables, entries } = document;
  const gone = tables.filter((table) => startsWith(table.path, path));
  const edits = gone.map(({ from, to }) => withoutLines(text, from, to, true));
  const isInGone = ({ keyFrom }: TomlEntry): boolean => gone.some(({ from, to }) => keyFrom >= from && keyFrom < to);
  for (const entry of entries.filter((candidate) => startsWith(candidate.path, path) && !isInGone(candidate))) {
    const start = lineStart(text, entry.keyFrom);
    if (/\{/.test(text.slice(start, entry.from))) {
      // An inline table: from the key that opens it to the brace that closes it, which is the last on its lines.
      edits.push(withoutLines(text, start, lineEnd(text, entry.to), false));
    } else edits.push(withoutLines(text, entry.keyFrom, entry.to, false));
  }
  return applyEdits(text, edits);
}

/** Whole lines, with the blank line before a table. */
function withoutLines(text: string, from: number, to: number, isTable: boolean): Edit {
  const start = lineStart(text, from);
  const end = lineEnd(text, to);
  const breakAfter = /^(?:\r\n|\n|\r)/.exec(text.slice(end))?.[0].length ?? 0;
  const blankBefore = isTable ? (/(?:^|\n|\r(?!\n))(\r\n|\n|\r)$/.exec(text.slice(0, start))?.[1]?.length ?? 0) : 0;
  const atEnd = breakAfter === 0 ? (/(?:\r\n|\n|\r)$/.exec(text.slice(0, start - blankBefore))?.[0].length ?? 0) : 0;
  return { from: start - blankBefore - atEnd, to: end + breakAfter, text: "" };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
}

function lineEnd(text: string, offset: number): number {
  const found = /[\r\n]/.exec(text.slice(offset));
  return found === null ? text.length : offset + found.index;
}

function refuseOtherTypes(document: TomlDocument, path: readonly string[]): void {
  const [top = ""] = path;
  const opener = new RegExp(`^\\s*"?${top}"?\\s*=\\s*\\{`);
  for (const { path: way, from, isInline } of document.entries) {
    const isParent = way.length <= path.length && startsWith(path, way);
    if (isParent) throw malformed(document, from, `${way.join(".")} is a value where a table was expected`);
    if (isInline && way[0] === top && opener.test(document.text.slice(lineStart(document.text, from), from)))
      throw malformed(document, from, `${top} is an inline table, which can't be added to; write it as [${top}.NAME]`);
  }
  for (const { path: way, from } of document.tables)
    if (way.slice(0, path.length + 1).some((step) => typeof step === "number") && startsWith(way, path.slice(0, 1)))
      throw malformed(document, from, `${way.slice(0, -1).join(".")} is a list of tables where a table was expected`);
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step);
}

function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && startsWith(one, other);
}

/** A value as TOML: JSON's strings and lists of them are TOML's too. */
function render(value: Plain): string {
  return Array.isArray(value) ? `[${value.map(render).join(", ")}]` : JSON.stringify(value);
}

/** True if two texts say the same but for one table. Throws like `parseToml()`. */
export function isSameWithout(
  one: ConfigText,
  other: ConfigText,
  path: readonly string[],
  keys: readonly string[],
): boolean {
  const strip = (file: ConfigText): Value => {
    const { entries, tables } = parseToml(file);
    const isOurs = (way: Path): boolean =>
      startsWith(way, path) &&
      (keys.length === 0 || way.length === path.length || keys.includes(String(way[path.length])));
    const values = entries.filter((entry) => !isOurs(entry.path));
    const heads = tables.filter((table) => !isOurs(table.path));
    return [
      ...values.map((entry): Value => [toValue([...entry.path]), entry.value]),
      ...heads.map((table): Value => toValue([...table.path])),
    ];
  };
  return isSame(strip(one), strip(other));
}
