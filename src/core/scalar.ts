/** How a scalar stands in a file. */
export type ScalarStyle = "plain" | "single" | "double";

/** A scalar read from between quotes; `end` is the offset behind the closing one. */
export interface QuotedScalar {
  readonly text: string;
  readonly style: "single" | "double";
  readonly end: number;
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["/", "/"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))/gs;
const CLOSING_DOUBLE = /"|\\./gs;

const ORDINARY = /^\w[\w ./+,()-]*(?::(?![ \t]|$)[\w ./+,()-]*)*$/;
const INDICATOR_FIRST = /^[,[\]{}#&*!|>'"%@`]|^[-?:](?:[ \t]|$)/;
const ENDS_PLAIN = /:(?:[ \t]|$)|[ \t]#/;
// What YAML calls not printable, what one of its versions takes for a line break, what UTF-8 can't hold; and tabs, which
// PyYAML refuses.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;
const MUST_ESCAPE = /[\\"\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/gu;

// The union of what readers of YAML 1.1 and 1.2 resolve: PyYAML, Psych, go-yaml, js-yaml and both specifications.
const WORD = /^(?:~|null|true|false|yes|no|on|off|y|n|=|<<)$/i;
const NUMBER =
  /^[-+]?(?:\.?\d[\d_,.:]*(?:e[-+]?[\d_]+)?|e[-+]?\d+|0x[\da-f_,]+|0o[\d_]+|0b[01_]+|\.(?:inf|nan)|\.[\d_.]*(?:e[-+]?\d+)?)$/i;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt \t])/;

/**
 * Reads the quoted scalar that starts at `from`, as far as `to`; `undefined` if it isn't closed there or holds an escape
 * that YAML doesn't know.
 */
export function readQuoted(source: string, from: number, to: number): QuotedScalar | undefined {
  return source[from] === "'" ? readSingle(source, from, to) : readDouble(source, from, to);
}

function readSingle(source: string, from: number, to: number): QuotedScalar | undefined {
  let close = source.indexOf("'", from + 1);
  while (close !== -1 && close < to && source[close + 1] === "'") close = source.indexOf("'", close + 2);
  if (close === -1 || close >= to) return undefined;
  const text = source.slice(from + 1, close).replaceAll("''", "'");
  return { text, style: "single", end: close + 1 };
}

function readDouble(source: string, from: number, to: number): QuotedScalar | undefined {
  CLOSING_DOUBLE.lastIndex = from + 1;
  for (let match = CLOSING_DOUBLE.exec(source); match !== null; match = CLOSING_DOUBLE.exec(source)) {
    if (match.index >= to) return undefined;
    if (match[0] !== '"') continue;
    const text = unescapeDouble(source.slice(from + 1, match.index));
    return text === undefined ? undefined : { text, style: "double", end: match.index + 1 };
  }
  return undefined;
}

function unescapeDouble(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw;
  let known = true;
  const text = raw.replace(ESCAPE, (_, x?: string, u?: string, U?: string, simple?: string) => {
    const code = Number.parseInt(x ?? u ?? U ?? "", 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    const character = SIMPLE_ESCAPES.get(simple ?? "");
    if (character === undefined) known = false;
    return character ?? "";
  });
  return known ? text : undefined;
}

/** True for the great majority of scalars, those of letters, digits and a few signs: a quick `isPlainScalar()`. */
export function isOrdinaryScalar(text: string): boolean {
  return ORDINARY.test(text) && !text.endsWith(" ");
}

/** True if `text`, written without quotes on one line, is one scalar of exactly this text, whatever type a reader gives it. */
export function isPlainScalar(text: string): boolean {
  if (isOrdinaryScalar(text)) return true;
  return text !== "" && !INDICATOR_FIRST.test(text) && !ENDS_PLAIN.test(text) && !UNPRINTABLE.test(text);
}

/**
 * `text` as a YAML scalar on one line: plain, or in double quotes where a reader of YAML 1.1 or 1.2 would take it for
 * anything else than this string.
 */
export function quoteScalar(text: string): string {
  return renderScalar(text, "plain");
}

/** `text` as a YAML scalar on one line in the style wanted, or in double quotes where that style can't hold it. */
export function renderScalar(text: string, style: ScalarStyle, inFlow = false): string {
  if (style === "plain" && !needsQuotes(text) && !(inFlow && /[,[\]{}?:#]/.test(text))) return text;
  if (style === "single" && !UNPRINTABLE.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `"${text.replace(MUST_ESCAPE, escapeCharacter)}"`;
}

/** `items` as a YAML list on one line. */
export function renderList(items: readonly string[]): string {
  return `[${items.map((item) => renderScalar(item, "plain", true)).join(", ")}]`;
}

function needsQuotes(text: string): boolean {
  if (!isPlainScalar(text) || text.trim() !== text) return true;
  return /^[-?:]|^\.\.\./.test(text) || WORD.test(text) || NUMBER.test(text) || DATE.test(text);
}

function escapeCharacter(character: string): string {
  if (character === "\\" || character === '"') return `\\${character}`;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const hex = character.charCodeAt(0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
