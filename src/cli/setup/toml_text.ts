import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { malformedLine } from "./json_text.ts";
import { type ConfigText, remembering, type Value } from "./value.ts";

/** A value of a TOML text with the way to it; positions in lists are numbers. */
export interface TomlEntry {
  readonly path: readonly (string | number)[];
  readonly value: Value;
  /** offsets of the value */
  readonly from: number;
  readonly to: number;
  /** offsets of key and value */
  readonly keyFrom: number;
  /** true if it stands in the braces of an inline table */
  readonly isInline: boolean;
}

/** A table with a header of its own, and where it stands. */
export interface TomlTable {
  readonly path: readonly (string | number)[];
  readonly from: number;
  readonly to: number;
}

/** A TOML text, parsed: its values with inline tables taken apart, and its headers. */
export interface TomlDocument extends ConfigText {
  readonly entries: readonly TomlEntry[];
  readonly tables: readonly TomlTable[];
}

/** Parses TOML 1.0 strictly. Throws `malformed-file` with path and line. */
export const parseToml: (file: ConfigText) => TomlDocument = remembering(read);

function read({ path, text }: ConfigText): TomlDocument {
  // A byte order mark counts as a blank, so that all offsets are the file's.
  const source = text.startsWith("\ufeff") ? ` ${text.slice(1)}` : text;
  const entries: TomlEntry[] = [];
  const tables: TomlTable[] = [];
  for (const node of parse(source, path).body[0].body) {
    if (node.type === "TOMLKeyValue") collect(source, node, [], false, entries);
    else {
      tables.push({ path: node.resolvedKey, from: node.range[0], to: node.range[1] });
      for (const member of node.body) collect(source, member, node.resolvedKey, false, entries);
    }
  }
  return { path, text, entries, tables };
}

const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Unterminated string/, "a string isn't closed"],
  [/^Unterminated table-key/, "the name of a table isn't closed with ]"],
  [/^Unterminated array/, "a list isn't closed with ]"],
  [/^Unterminated inline table/, "an inline table isn't closed with }"],
  [/^Empty bare keys/, "a key was expected"],
  [/^Must be a newline/, "a line break was expected"],
  [/^Expected equal/, "= was expected behind a key"],
  [/^Unspecified values/, "a value was expected behind ="],
  [/^Expected comma/, "a comma was expected"],
  [/^Defining a key/, "a key or table occurs twice"],
  [/^Unexpected (?:character|token)/, "a character that can't stand here"],
  [/^Control characters/, "a control character, which can't stand here"],
  [/within comments/, "a comment holds a character that can't stand there"],
  [/must be on the same line/, "a key, = and the value have to stand on one line"],
  [/^No newlines/, "an inline table has to stand on one line"],
  [/^Underscores/, "an underscore of a number has to stand between digits"],
  [/^Unexpected spaces/, "a blank that can't stand here"],
  [/^Three or more quotes/, "too many quotes"],
  [/invalid (?:date|time)/, "there is no such date or time"],
  [/^Leading zeros/, "a number begins with 0"],
  [/^Trailing comma/, "an inline table ends with a comma"],
  [/escape sequence/, "a backslash in a string stands before a character that it can't stand before"],
  [/^Invalid code point/, "there is no such character"],
  [/\bdots?\b/i, "a dot of a key has to stand between two names"],
];

function describe(message: string): string {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? "this is no TOML";
}

function parse(source: string, path: string): AST.TOMLProgram {
  try {
    return parseTOML(source, { tomlVersion: "1.0" });
  } catch (error) {
    if (error instanceof ParseError) throw malformedLine(path, error.lineNumber, describe(error.message));
    // The parser recurses over inline tables.
    if (error instanceof RangeError) throw malformedLine(path, 1, "it is nested too deep");
    throw error;
  }
}

function collect(
  source: string,
  { key, value, range }: AST.TOMLKeyValue,
  outer: readonly (string | number)[],
  isInline: boolean,
  entries: TomlEntry[],
): void {
  const path = [...outer, ...key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value))];
  const [from, to] = value.range;
  if (value.type !== "TOMLInlineTable" || value.body.length === 0)
    entries.push({ path, value: readValue(source, value), from, to, keyFrom: range[0], isInline });
  else for (const member of value.body) collect(source, member, path, true, entries);
}

/** Strings as they are meant, other single values as they are written. */
function readValue(source: string, node: AST.TOMLContentNode): Value {
  if (node.type === "TOMLArray") return node.elements.map((element) => readValue(source, element));
  if (node.type === "TOMLValue") return node.kind === "string" ? node.value : `=${source.slice(...node.range)}`;
  return new Map(
    node.body.map(({ key, value }) => [
      JSON.stringify(key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value))),
      readValue(source, value),
    ]),
  );
}
