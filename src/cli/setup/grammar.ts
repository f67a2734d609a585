import { commaAfter } from "./json_edit.ts";
import { endOf, type JsonDocument, type JsonNode, malformed, parseJson } from "./json_text.ts";
import type { ConfigText } from "./value.ts";

/** What a client's own parser takes besides JSON. */
export interface Grammar {
  /** whose parser it is */
  readonly client: string;
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly byteOrderMark: boolean;
}

/** Refuses a file that its client doesn't read: it would ignore the whole, our entry included. */
export function checkGrammar(file: ConfigText, { client, comments, trailingCommas, byteOrderMark }: Grammar): void {
  const document = parseJson(file);
  const [comment] = document.comments;
  if (!byteOrderMark && file.text.startsWith("\ufeff"))
    throw malformed(file, 0, `the file begins with a byte order mark, and ${client} doesn't read it so`);
  if (!comments && comment !== undefined)
    throw malformed(file, comment.from, `a comment stands here, and ${client} reads this file without comments only`);
  const comma = trailingCommas ? undefined : findTrailingComma(document, document.root);
  if (comma !== undefined)
    throw malformed(file, comma, `a comma stands before a closing bracket, and ${client} doesn't read the file so`);
}

function findTrailingComma(document: JsonDocument, node: JsonNode | undefined): number | undefined {
  for (const child of node?.children ?? []) {
    const comma = findTrailingComma(document, child);
    if (comma !== undefined) return comma;
  }
  const last = node?.type === "object" || node?.type === "array" ? node.children?.at(-1) : undefined;
  return last === undefined ? undefined : commaAfter(document, endOf(last));
}
