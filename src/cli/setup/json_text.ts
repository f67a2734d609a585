import {
  createScanner,
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
  type SyntaxKind,
} from "jsonc-parser";
import { ThreadMindError } from "../../errors.ts";
import { type ConfigText, remembering, type Value } from "./value.ts";

/** A part of a JSON text, with its offsets. */
export type JsonNode = Node;

/** Where a comment stands. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A JSON text with comments and trailing commas, parsed; without `root` it holds nothing but blanks and comments. */
export interface JsonDocument extends ConfigText {
  readonly root: JsonNode | undefined;
  readonly comments: readonly Span[];
}

const MAX_DEPTH = 500;
// The values of SyntaxKind, which exists as a type only once sources are compiled file by file.
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  lineComment: 12,
  blockComment: 13,
  end: 17,
};

const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: "a word that JSON doesn't know",
  InvalidNumberFormat: "a number was expected",
  PropertyNameExpected: "a key in double quotes was expected",
  ValueExpected: "a value was expected",
  ColonExpected: "a colon was expected",
  CommaExpected: "a comma was expected",
  CloseBraceExpected: "} was expected",
  CloseBracketExpected: "] was expected",
  EndOfFileExpected: "the end was expected",
  UnexpectedEndOfComment: "a comment isn't closed",
  UnexpectedEndOfString: "a string isn't closed",
  UnexpectedEndOfNumber: "a number isn't complete",
  InvalidUnicode: "\\u in a string needs four hexadecimal digits behind it",
  InvalidEscapeCharacter: "a backslash in a string stands before a character that it can't stand before",
  InvalidCharacter:
    "a string holds a line break, a tab or another control character, which has to be written with a backslash",
};

/** Parses JSON as clients read it. Throws `malformed-file` with path and line, also for keys that occur twice. */
export const parseJson: (file: ConfigText) => JsonDocument = remembering(parse);

function parse({ path, text }: ConfigText): JsonDocument {
  // A byte order mark counts as a blank, so that all offsets are the file's.
  const source = text.startsWith("\ufeff") ? ` ${text.slice(1)}` : text;
  const { comments, isBlank } = scan(source, path);
  if (isBlank) return { path, text, root: undefined, comments };
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw malformed({ path, text }, error.offset, describe(error.error));
  if (root?.type !== "object")
    throw malformed(
      { path, text },
      root?.offset ?? 0,
      `the file holds ${nameType(root)}, and an object in { } is needed`,
    );
  refuseTwins({ path, text }, root);
  return { path, text, root, comments };
}

function describe(code: ParseErrorCode): string {
  return MESSAGES[printParseErrorCode(code)] ?? "this is no JSON";
}

/** The one pass that needs no stack: how deep it goes, where comments are, whether there is anything else. */
function scan(source: string, path: string): { readonly comments: readonly Span[]; readonly isBlank: boolean } {
  const scanner = createScanner(source, false);
  const comments: Span[] = [];
  let depth = 0;
  let isBlank = true;
  for (let token: SyntaxKind = scanner.scan(); Number(token) !== TOKEN.end; token = scanner.scan()) {
    const kind = Number(token);
    const from = scanner.getTokenOffset();
    if (kind === TOKEN.openBrace || kind === TOKEN.openBracket) depth++;
    if (kind === TOKEN.closeBrace || kind === TOKEN.closeBracket) depth--;
    if (depth > MAX_DEPTH) throw malformed({ path, text: source }, from, "it is nested too deep");
    if (kind === TOKEN.lineComment || kind === TOKEN.blockComment)
      comments.push({ from, to: from + scanner.getTokenLength() });
    else if (kind < 14 || kind > 15) isBlank = false;
  }
  return { comments, isBlank };
}

function refuseTwins(file: ConfigText, node: JsonNode): void {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const key = node.type === "object" ? keyOf(child) : undefined;
    if (key !== undefined && seen.has(key))
      throw malformed(file, child.offset, `the key ${JSON.stringify(key)} occurs twice`);
    if (key !== undefined) seen.add(key);
    refuseTwins(file, child);
  }
}

/** What kind of value a part is, with its article. */
export function nameType(node: JsonNode | undefined): string {
  const type = node?.type;
  return type === "array" ? "a list" : type === "object" ? "an object" : type === "null" ? "null" : `a ${type}`;
}

/** The key of an object's member. */
export function keyOf(member: JsonNode): string {
  return String(member.children?.[0]?.value);
}

/** The value of an object's member as a part of the text. */
export function memberValue(member: JsonNode): JsonNode | undefined {
  return member.children?.[1];
}

/** The offset behind a part. */
export function endOf({ offset, length }: JsonNode): number {
  return offset + length;
}

/** What a part of the text says. */
export function readNode({ type, value, children = [] }: JsonNode): Value {
  if (type === "array") return children.map(readNode);
  if (type !== "object") return value;
  return new Map(children.map((member) => [keyOf(member), readNode(memberValue(member) ?? member)]));
}

/** The member or item at a path; `undefined` where there is none. */
export function findNode(root: JsonNode | undefined, path: readonly (string | number)[]): JsonNode | undefined {
  let node = root;
  for (const step of path) {
    const children = node?.children ?? [];
    if (typeof step === "number") node = node?.type === "array" ? children[step] : undefined;
    else {
      const member = node?.type === "object" ? children.find((child) => keyOf(child) === step) : undefined;
      node = member === undefined ? undefined : memberValue(member);
    }
  }
  return node;
}

/** The error for a file that can't be changed as it is. */
export function malformed({ path, text }: ConfigText, offset: number, why: string): ThreadMindError {
  const line = text.slice(0, offset).split(/\r\n|\r|\n/).length;
  return malformedLine(path, line, why);
}

/** The same, for a 1-based line. */
export function malformedLine(path: string, line: number, why: string): ThreadMindError {
  return new ThreadMindError(
    "malformed-file",
    `Cannot change ${path}: line ${line}: ${why}.`,
    "Nothing was written. Correct the file by hand and run the command again; --print shows what belongs in it.",
  );
}
