/** A value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Why a text is not one JSON object. */
export interface JsonFault {
  /** 1-based */
  readonly line: number;
  readonly message: string;
}

/** A member of a JSON object, and where key and value stand. */
export interface JsonMember {
  readonly key: string;
  readonly value: JsonValue;
  readonly from: number;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** A JSON object's members in their order, twins included; `open` and `close` are the offsets inside its braces. */
export interface JsonScan {
  readonly open: number;
  readonly close: number;
  readonly members: readonly JsonMember[];
}

interface Cursor {
  readonly source: string;
  at: number;
  fault: string;
}

const MAX_DEPTH = 500;
const BLANKS = /[ \t\r\n]*/y;
const WORD = /[^\s,:"[\]{}]*/y;

/** Finds the members of the one object that a JSON text is; a byte order mark may stand before it. */
export function scanObject(source: string): JsonScan | JsonFault {
  const cursor: Cursor = { source, at: source.startsWith("\ufeff") ? 1 : 0, fault: "" };
  const members: JsonMember[] = [];
  skipBlanks(cursor);
  const open = cursor.at + 1;
  let isWhole = source[cursor.at] === "{" ? skipItems(cursor, "}", 0, members) : fail(cursor, "{ was expected");
  const close = cursor.at - 1;
  skipBlanks(cursor);
  if (isWhole && cursor.at < source.length) isWhole = fail(cursor, "the end was expected");
  if (isWhole) return { open, close, members };
  const line = source.slice(0, cursor.at).split(/\r\n|\r|\n/).length;
  // A list or a number is JSON, but nothing that has members.
  const isOther = open === cursor.at + 1 && /["[\dtfn-]/.test(source.charAt(cursor.at));
  return { line, message: isOther ? "It is no JSON object, which begins with {." : `It is not JSON: ${cursor.fault}.` };
}

function fail(cursor: Cursor, fault: string): false {
  cursor.fault = cursor.at < cursor.source.length ? fault : `${fault}, but the file ends here`;
  return false;
}

function skipBlanks(cursor: Cursor): void {
  BLANKS.lastIndex = cursor.at;
  BLANKS.test(cursor.source);
  cursor.at = BLANKS.lastIndex;
}

/** Passes over an object or array as far as behind `close`; collects an object's members where asked. */
function skipItems(cursor: Cursor, close: "}" | "]", depth: number, members?: JsonMember[]): boolean {
  const { source } = cursor;
  cursor.at++;
  skipBlanks(cursor);
  if (source[cursor.at] === close) return moveOn(cursor);
  for (;;) {
    const from = cursor.at;
    if (close === "}" && !skipKey(cursor)) return false;
    const valueFrom = cursor.at;
    if (!skipValue(cursor, depth)) return false;
    const valueTo = cursor.at;
    if (members !== undefined) members.push(memberAt(source, from, valueFrom, valueTo));
    skipBlanks(cursor);
    if (source[cursor.at] === close) return moveOn(cursor);
    if (source[cursor.at] !== ",") return fail(cursor, `a comma or ${close} was expected`);
    moveOn(cursor);
    skipBlanks(cursor);
  }
}

function moveOn(cursor: Cursor): true {
  cursor.at++;
  return true;
}

function memberAt(source: string, from: number, valueFrom: number, valueTo: number): JsonMember {
  const key: string = JSON.parse(source.slice(from, endOfString(source, from)));
  const value: JsonValue = JSON.parse(source.slice(valueFrom, valueTo));
  return { key, value, from, valueFrom, valueTo };
}

function skipKey(cursor: Cursor): boolean {
  if (cursor.source[cursor.at] !== '"') return fail(cursor, "a key in double quotes was expected");
  if (!skipScalar(cursor)) return false;
  skipBlanks(cursor);
  if (cursor.source[cursor.at] !== ":") return fail(cursor, "a colon was expected");
  moveOn(cursor);
  skipBlanks(cursor);
  return true;
}

function skipValue(cursor: Cursor, depth: number): boolean {
  const first = cursor.source[cursor.at];
  if (first !== "{" && first !== "[") return skipScalar(cursor);
  if (depth >= MAX_DEPTH) return fail(cursor, "it is nested too deep");
  return skipItems(cursor, first === "{" ? "}" : "]", depth + 1);
}

function skipScalar(cursor: Cursor): boolean {
  const { source, at } = cursor;
  WORD.lastIndex = at;
  WORD.test(source);
  const end = source[at] === '"' ? endOfString(source, at) : WORD.lastIndex;
  if (!isJson(source.slice(at, end))) return fail(cursor, "a value was expected");
  cursor.at = end;
  return true;
}

/** True for a text that is JSON as a whole. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The offset behind the string that starts at `from`. */
export function endOfString(source: string, from: number): number {
  for (let quote = source.indexOf('"', from + 1); quote !== -1; quote = source.indexOf('"', quote + 1)) {
    let before = quote;
    while (source[before - 1] === "\\") before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return source.length;
}
