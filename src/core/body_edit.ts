import { countByteOrderMarks } from "./header.ts";
import { renderFields } from "./header_edit.ts";
import { eolOf } from "./text_edit.ts";
import type { ThreadFields } from "./thread_fields.ts";

/** `next` as the body of a file: with its line ends, and with the blank line above and the line break at the end that its old body had. */
export function fitBody(source: string, old: string, next: string, hasHeader: boolean): string {
  const eol = eolOf(source);
  let body = fitLineEnds(source, eol, next.slice(countByteOrderMarks(next)));
  if (body === "") return body;
  if ((old === "" || /[\r\n]$/.test(old)) && !/[\r\n]$/.test(body)) body += eol;
  const isSetOff = hasHeader && /^[ \t]*(?:[\r\n]|$)/.test(old);
  if (isSetOff && !/^[\r\n]/.test(body)) body = eol + body;
  // The closing fence may be the end of the file, without a line break.
  const fence = source.slice(0, source.length - old.length);
  return hasHeader && !/[\r\n]$/.test(fence) ? eol + body : body;
}

/** Files whose line ends are all of one kind stay so. */
function fitLineEnds(source: string, eol: "\n" | "\r\n", text: string): string {
  if (!source.includes("\r")) return text.replaceAll("\r\n", "\n");
  return eol === "\r\n" && !/(?<!\r)\n|\r(?!\n)/.test(source) ? text.replace(/(?<!\r)\n/g, "\r\n") : text;
}

/** A whole file of a header and a body. */
export function renderFile(fields: ThreadFields, body: string, eol: "\n" | "\r\n"): string {
  const gap = body === "" || /^[\r\n]/.test(body) ? "" : eol;
  return `---${eol}${renderFields(fields, eol)}---${eol}${gap}${body}`;
}
