import { type Inline, parseInline } from "./inline.ts";

/** Where the texts of a table's column stand: `undefined` for where texts begin. */
export type Alignment = "centre" | "end" | undefined;

/** A table's rows, the head first, each with as many cells as the head. */
export interface Table {
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
  /** what stood above it in the same paragraph; possibly empty */
  readonly above: string;
}

const DELIMITER = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;
const MOST_COLUMNS = 50;

/** The table that a paragraph's lines end in, as GitHub writes them; `undefined` where there is none. Linear in the length. */
export function findTable(paragraph: string): Table | undefined {
  const lines = paragraph.split("\n").map((line) => line.trim());
  const at = lines.findIndex((line, index) => index > 0 && line.includes("|") && DELIMITER.test(line));
  if (at < 1) return undefined;
  const alignments = splitCells(lines[at] ?? "").map(alignmentOf);
  const head = splitCells(lines[at - 1] ?? "");
  if (head.length !== alignments.length || head.length > MOST_COLUMNS) return undefined;
  const below = lines.slice(at + 1).map((line) => fitCells(splitCells(line), head.length));
  return {
    alignments,
    rows: [head, ...below].map((cells) => cells.map(parseInline)),
    above: lines.slice(0, at - 1).join("\n"),
  };
}

function alignmentOf(delimiter: string): Alignment {
  if (!delimiter.endsWith(":")) return undefined;
  return delimiter.startsWith(":") ? "centre" : "end";
}

/** The cells of a row: a bar parts them, unless a backslash stands before it. */
function splitCells(line: string): string[] {
  const cells = [""];
  for (const piece of line.replace(/^\|/, "").match(/\\[\s\S]|[^\\|]+|\||\\$/g) ?? []) {
    if (piece === "|") cells.push("");
    else cells[cells.length - 1] += piece === "\\|" ? "|" : piece;
  }
  if (cells.length > 1 && cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((cell) => cell.trim());
}

/** As many cells as the head has; the last one holds what would be too many. */
function fitCells(cells: readonly string[], count: number): readonly string[] {
  const last = cells.slice(count - 1).join(" | ");
  return [...cells.slice(0, count - 1), ...Array<string>(Math.max(0, count - 1 - cells.length)).fill(""), last];
}
