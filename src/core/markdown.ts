import { Lexer, type Token, Tokenizer, type Tokens, type TokensList } from "marked";
import { maskedSource } from "./markdown_mask.ts";

/** A stretch of a text, as offsets into it as given. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a list item or a block quote holds, without its markers: line for line that of the source from `start`. */
export interface Inner extends Span {
  readonly text: string;
}

/** A block at the top level of a Markdown text; blocks follow each other without a gap, blank lines included. */
export type Block = Span &
  (
    | { readonly kind: "heading"; readonly level: number; readonly text: string; readonly isSetext: boolean }
    | { readonly kind: "list" | "quote"; readonly inner: readonly Inner[] }
    | { readonly kind: "code"; readonly isFenced: boolean }
    | { readonly kind: "paragraph" | "html" | "definition" | "rule" | "space" }
  );

/** How many block quotes and lists may stand inside one another; what is deeper is text. */
export const DEEPEST = 16;

const LONGEST_SOURCE = 4 * 1024 * 1024;
/** Longer paragraphs, quotes and stretches of indented code are lexed piece by piece: engines limit loops in an expression. */
const LONGEST_PIECE = 8192;
const LONGEST_SETEXT = 1024;
const UNDERLINE = /\n {0,3}(=+|-+)[ \t]*(?:\n|$)/.source;
const END_OF_PARAGRAPH =
  /\n[ \t]*(?:\n|$)|\n {0,3}(?:>|`{3}|~{3}|<!--|#{1,6}(?:\s|$)|(?:[-*+]|\d{1,9}[.)]) |(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})(?:\n|$))/
    .source;
const UNDERLINE_OR_END = new RegExp(`${UNDERLINE}|${END_OF_PARAGRAPH}`);
/** One line that is a paragraph, in lists and quotes or not. */
const PLAIN_LINE = /^(?: {0,3}(?:>|[-*+] |\d{1,9}[.)] ))* {0,3}\p{L}[^\n]*$/u;
const MAYBE_DEFINITION = /^ {0,3}\[[^\n]/;
const TAG_ABOVE_BLANK = /^ {0,3}<\/?(?!(?:pre|script|style|textarea)\n)[a-z][a-z0-9-]*\n(?:[ \t]*\n)+/i;
const TRAILING_BLANKS = /(?<![ \t])[ \t]+$/;
const QUOTE_MARKER = /^( {0,3}>)([ \t]?)/;

/**
 * Splits a Markdown text into its top-level blocks. A text that is out of all proportion, in size or in nesting, is one
 * paragraph. Linear in the length; never throws.
 */
export function parseBlocks(source: string, depth = 0): readonly Block[] {
  if (source === "") return [];
  if (depth > DEEPEST || isTooLong(source)) return asText(source);
  const masked = maskedSource(source);
  // Blanks at the very end are kept from the lexer, which takes one for a line break.
  const text = masked.replace(TRAILING_BLANKS, "");
  const lexer = new TopLevelLexer({ gfm: false, silent: true, tokenizer: new LinearTokenizer(depth) });
  const blocks: Block[] = [];
  let start = 0;
  for (const token of lexer.blockTokens(text, [])) {
    if (!text.startsWith(token.raw, start)) return asText(source);
    const end = start + token.raw.length;
    blocks.push(blockOf(token, start, end));
    start = end;
  }
  if (start !== text.length) return asText(source);
  const last = blocks.pop() ?? { kind: "space", start: 0, end: 0 };
  return [...blocks, { ...last, end: source.length }];
}

/** True for a text that is out of all proportion in size: `parseBlocks()` divides it no further. */
export function isTooLong(source: string): boolean {
  return source.length > LONGEST_SOURCE;
}

function asText(source: string): readonly Block[] {
  return [{ kind: "paragraph", start: 0, end: source.length }];
}

function blockOf(token: Token, start: number, end: number): Block {
  if (isOf<Tokens.Heading>(token, "heading")) {
    const { depth: level, text, raw } = token;
    return { kind: "heading", level, text, isSetext: /\n[^\n]/.test(raw), start, end };
  }
  if (isOf<Tokens.List>(token, "list")) return { kind: "list", inner: itemsOf(token, start), start, end };
  if (isOf<Tokens.Blockquote>(token, "blockquote")) {
    return { kind: "quote", inner: [{ text: token.text, start, end }], start, end };
  }
  if (isOf<Tokens.Code>(token, "code")) {
    return { kind: "code", isFenced: token.codeBlockStyle !== "indented", start, end };
  }
  return { kind: KINDS.get(token.type) ?? "paragraph", start, end };
}

const KINDS: ReadonlyMap<string, "html" | "definition" | "rule" | "space"> = new Map([
  ["html", "html"],
  ["def", "definition"],
  ["hr", "rule"],
  ["space", "space"],
]);

function isOf<Kind extends Token>(token: Token, type: Kind["type"]): token is Kind {
  return token.type === type;
}

function itemsOf(list: Tokens.List, listStart: number): Inner[] {
  let start = listStart;
  return list.items.map(({ raw, text }) => {
    const item = { start, end: start + raw.length, text };
    start = item.end;
    return item;
  });
}

/** A lexer that leaves what list items hold alone: it is only lexed when somebody asks for it. */
class TopLevelLexer extends Lexer {
  #isInside = false;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#isInside) {
      this.state.top = true;
      return tokens;
    }
    this.#isInside = true;
    const found = super.blockTokens(src, tokens, lastParagraphClipped);
    this.#isInside = false;
    return found;
  }
}

/** marked's tokenizer without the places where its time grows faster than its input. */
class LinearTokenizer extends Tokenizer {
  readonly #depth: number;

  constructor(depth: number) {
    super();
    this.#depth = depth;
  }

  override paragraph(src: string): Tokens.Paragraph | undefined {
    return super.paragraph(firstPiece(src));
  }

  override code(src: string): Tokens.Code | undefined {
    return super.code(firstPiece(src));
  }

  /** A link definition goes no further than a paragraph would, also where its title is left open. */
  override def(src: string): Tokens.Def | undefined {
    const found = MAYBE_DEFINITION.test(src) ? super.def(firstPiece(src)) : undefined;
    const paragraph = found === undefined ? undefined : this.rules.block.paragraph.exec(found.raw)?.[0];
    return (paragraph?.length ?? 0) < (found?.raw.trimEnd().length ?? 0) ? undefined : found;
  }

  /** A blank line ends the block of a tag that stands alone on its line, also of one without its `>`. */
  override html(src: string): Tokens.HTML | undefined {
    const found = super.html(src);
    const [raw] = TAG_ABOVE_BLANK.exec(found?.raw ?? "") ?? [];
    return found === undefined || raw === undefined ? found : { ...found, raw, text: raw };
  }

  /** Looks for the underline first: marked's expression for the whole heading is slow on a long paragraph. */
  override lheading(src: string): Tokens.Heading | undefined {
    const [, underline] = UNDERLINE_OR_END.exec(src.slice(0, LONGEST_SETEXT)) ?? [];
    return underline === undefined ? undefined : super.lheading(src);
  }

  /** Decides how far a quote goes without lexing what it holds, unless a line without a marker follows one with. */
  override blockquote(src: string): Tokens.Blockquote | undefined {
    const [found] = this.rules.block.blockquote.exec(firstPiece(src)) ?? [];
    if (found === undefined) return undefined;
    const lines = found.replace(/\n+$/, "").split("\n");
    const texts: string[] = [];
    let group: string[] = [];
    for (const line of lines) {
      const isMarked = QUOTE_MARKER.test(line);
      if (!isMarked && group.length > 0 && !endsInParagraph(group.join("\n"), this.#depth + 1)) break;
      const text = isMarked ? line.replace(QUOTE_MARKER, restOfTab) : `    ${line}`;
      if (isMarked) group.push(text);
      else group = [];
      texts.push(text);
    }
    const raw = lines.slice(0, texts.length).join("\n");
    return { type: "blockquote", raw, text: texts.join("\n"), tokens: [] };
  }
}

/** A quote's marker takes one column of a tab after it; the rest of the tab is the text's. */
function restOfTab(_: string, marker: string, blank: string): string {
  return blank === "\t" ? " ".repeat(3 - (marker.length % 4)) : "";
}

function firstPiece(src: string): string {
  if (src.length <= LONGEST_PIECE) return src;
  const before = src.lastIndexOf("\n", LONGEST_PIECE);
  const end = before === -1 ? src.indexOf("\n", LONGEST_PIECE) : before;
  return end === -1 ? src : src.slice(0, end + 1);
}

/** True if a line without the markers of what it stands in would go on with the last paragraph of the text. */
function endsInParagraph(text: string, depth: number): boolean {
  if (PLAIN_LINE.test(text)) return true;
  const last = parseBlocks(text, depth).at(-1);
  if (last === undefined) return false;
  if (last.kind === "list" || last.kind === "quote") {
    const held = last.inner.at(-1)?.text ?? "";
    return endsInParagraph(held, depth + 1);
  }
  return last.kind === "paragraph" || last.kind === "definition";
}
