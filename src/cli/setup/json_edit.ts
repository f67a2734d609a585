import { applyEdits, type Edit, eolOf } from "../../core/text_edit.ts";
import {
  endOf,
  findNode,
  type JsonDocument,
  type JsonNode,
  keyOf,
  malformed,
  nameType,
  parseJson,
} from "./json_text.ts";
import { type ConfigText, isPlainList, type Plain } from "./value.ts";

/** The way to a value: keys, and positions in lists. */
export type Path = readonly (string | number)[];

/** How a file sets its parts apart. */
interface Layout {
  readonly eol: string;
  readonly unit: string;
  /** all on one line */
  readonly isFlat: boolean;
  readonly colon: string;
  readonly comma: string;
}

/** The text with a value at a path of keys, objects on the way made where missing; all other bytes stay. */
export function setValue(file: ConfigText, path: Path, value: Plain): string {
  const document = openObject(file);
  const node = findNode(document.root, path);
  const layout = layoutOf(document);
  if (node !== undefined) {
    const text = render(value, layout, indentAt(document.text, node.offset));
    return applyEdits(document.text, [{ from: node.offset, to: endOf(node), text }]);
  }
  const { parent, rest } = findParent(document, path);
  const [key = "", ...deeper] = rest;
  const whole = deeper.reduceRight<Plain>((inner, name) => ({ [String(name)]: inner }), value);
  return insert(document, parent, layout, (indent) => renderMember(String(key), whole, layout, indent));
}

/** The text with an item at the end of the list at a path of keys, the list made where missing. */
export function appendItem(file: ConfigText, path: readonly string[], item: Plain): string {
  const document = openObject(file);
  const list = findNode(document.root, path);
  if (list === undefined) return setValue(file, path, [item]);
  if (list.type !== "array") throw wrongType(document, list, path, "a list in [ ]");
  const layout = layoutOf(document);
  return insert(document, list, layout, (indent) => render(item, layout, indent));
}

/** The text without what is at a path, and without the containers that are empty then. */
export function removeValue(file: ConfigText, path: Path): string {
  const document = parseJson(file);
  let depth = path.length;
  while (depth > 1 && isAlone(document, path.slice(0, depth - 1), path.slice(0, depth))) depth--;
  const parent = findNode(document.root, path.slice(0, depth - 1));
  const last = path[depth - 1];
  const children = parent?.children ?? [];
  const at = typeof last === "number" ? last : children.findIndex((child) => keyOf(child) === last);
  return parent === undefined || children[at] === undefined ? file.text : withoutChild(document, parent, at);
}

/** True if a container holds nothing but this one part, and no comment beside it. */
function isAlone({ root, comments }: JsonDocument, container: Path, path: Path): boolean {
  const [outer, inner] = [findNode(root, container), findNode(root, path)];
  if (outer === undefined || inner === undefined || outer.children?.length !== 1) return false;
  const [member = inner] = outer.children;
  return !comments.some(
    ({ from, to }) => from > outer.offset && to <= endOf(outer) && (to <= member.offset || from >= endOf(member)),
  );
}

/** The document, an empty object at the end of a text that has nothing but comments. */
function openObject(file: ConfigText): JsonDocument {
  const document = parseJson(file);
  if (document.root !== undefined) return document;
  const eol = eolOf(file.text);
  const mark = file.text.startsWith("\ufeff") ? "\ufeff" : "";
  const kept = document.comments.length === 0 ? mark : file.text.replace(/(?<![\r\n])$/, eol);
  return parseJson({ path: file.path, text: `${kept}{}${eol}` });
}

/** The last object on the way to a path that exists, and the keys that are missing. Throws for another type on the way. */
function findParent(document: JsonDocument, path: Path): { parent: JsonNode; rest: Path } {
  for (let depth = path.length - 1; ; depth--) {
    const parent = findNode(document.root, path.slice(0, depth));
    if (parent === undefined && depth > 0) continue;
    if (parent?.type === "object") return { parent, rest: path.slice(depth) };
    throw wrongType(document, parent, path.slice(0, depth), "an object in { }");
  }
}

function wrongType(document: JsonDocument, node: JsonNode | undefined, path: Path, wanted: string): Error {
  return malformed(document, node?.offset ?? 0, `${path.join(".")} is ${nameType(node)} where ${wanted} was expected`);
}

function insert(
  document: JsonDocument,
  container: JsonNode,
  layout: Layout,
  renderAt: (indent: string | undefined) => string,
): string {
  const { text } = document;
  const last = container.children?.at(-1);
  if (last === undefined) return applyEdits(text, [insertFirst(text, container, layout, renderAt)]);
  const comma = commaAfter(document, endOf(last));
  const end = comma === undefined ? endOf(last) : comma + 1;
  const trailing = comma === undefined ? "" : ",";
  const edits: Edit[] = comma === undefined ? [{ from: end, to: end, text: "," }] : [];
  if (!startsLine(text, last.offset)) {
    edits.push({ from: end, to: end, text: `${layout.comma}${renderAt(undefined)}${trailing}` });
  } else {
    const indent = indentAt(text, last.offset);
    const behind = endOfLineComments(document, end);
    edits.push({ from: behind, to: behind, text: `${layout.eol}${indent}${renderAt(indent)}${trailing}` });
  }
  return applyEdits(text, edits);
}

function insertFirst(
  text: string,
  container: JsonNode,
  { eol, unit, isFlat }: Layout,
  renderAt: (indent: string | undefined) => string,
): Edit {
  const [open, close] = [container.offset + 1, endOf(container) - 1];
  const inner = text.slice(open, close);
  const content = inner.trimEnd();
  const from = open + content.length;
  if (isFlat) return { from, to: from, text: renderAt(undefined) };
  const outer = indentAt(text, container.offset);
  const hasOwnEnd = /[\r\n]/.test(inner.slice(content.length));
  const to = hasOwnEnd ? from : close;
  return { from, to, text: `${eol}${outer}${unit}${renderAt(outer + unit)}${hasOwnEnd ? "" : `${eol}${outer}`}` };
}

function withoutChild(document: JsonDocument, container: JsonNode, at: number): string {
  const { text } = document;
  const children = container.children ?? [];
  const [before, child, after] = [children[at - 1], children[at], children[at + 1]];
  if (child === undefined) return text;
  const comma = commaAfter(document, endOf(child));
  const end = comma === undefined ? endOf(child) : comma + 1;
  const isOwnLine = startsLine(text, child.offset);
  const start = isOwnLine ? lineBreakBefore(text, child.offset) : child.offset;
  if (after !== undefined) {
    const isBeside = !startsLine(text, after.offset) && text.slice(end, after.offset).trim() === "";
    return applyEdits(text, [
      isBeside ? { from: child.offset, to: after.offset, text: "" } : { from: start, to: end, text: "" },
    ]);
  }
  if (before === undefined) {
    const [open, close] = [container.offset + 1, endOf(container) - 1];
    const isEmpty = text.slice(open, start).trim() === "" && text.slice(end, close).trim() === "";
    return applyEdits(text, [isEmpty ? { from: open, to: close, text: "" } : { from: start, to: end, text: "" }]);
  }
  if (comma !== undefined)
    return applyEdits(text, [{ from: isOwnLine ? start : endOf(before) + 1, to: end, text: "" }]);
  const separator = commaAfter(document, endOf(before)) ?? endOf(before);
  const isBare = text.slice(separator + 1, child.offset).trim() === "";
  return applyEdits(text, [
    { from: separator, to: separator + 1, text: "" },
    { from: isBare && !isOwnLine ? separator + 1 : start, to: end, text: "" },
  ]);
}

/** The offset of the comma behind a part, comments passed over. */
export function commaAfter({ text, comments }: JsonDocument, end: number): number | undefined {
  let at = end;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    const comment = comments.find(({ from }) => from === at);
    if (comment === undefined) return text[at] === "," ? at : undefined;
    at = comment.to;
  }
}

/** The offset behind the comments that follow on the same line; the given one if there are none. */
function endOfLineComments({ text, comments }: JsonDocument, end: number): number {
  let at = end;
  for (;;) {
    let next = at;
    while (text[next] === " " || text[next] === "\t") next++;
    const comment = comments.find(({ from }) => from === next);
    if (comment === undefined) return at;
    at = comment.to;
  }
}

function startsLine(text: string, offset: number): boolean {
  let at = offset;
  while (text[at - 1] === " " || text[at - 1] === "\t") at--;
  return text[at - 1] === "\n" || text[at - 1] === "\r";
}

function lineBreakBefore(text: string, offset: number): number {
  let at = offset;
  while (text[at - 1] === " " || text[at - 1] === "\t") at--;
  return text[at - 2] === "\r" && text[at - 1] === "\n" ? at - 2 : at - 1;
}

/** The blanks that the line of an offset begins with. */
function indentAt(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--;
  return /^\ufeff?([ \t]*)/.exec(text.slice(start, offset))?.[1] ?? "";
}

function layoutOf({ text, root }: JsonDocument): Layout {
  const eol = eolOf(text);
  const first = root?.children?.[0];
  const isFlat = first !== undefined && !/[\r\n]/.test(text.trim());
  const isTight = first !== undefined && /^:\S/.test(text.slice(first.offset).slice(first.children?.[0]?.length));
  const isSplit = first !== undefined && startsLine(text, first.offset);
  const unit = isSplit ? indentAt(text, first.offset) : "";
  const gaps = isFlat && isTight ? { colon: ":", comma: "" } : { colon: ": ", comma: " " };
  return { eol, unit: unit === "" ? "  " : unit, isFlat, ...gaps };
}

function renderMember(key: string, value: Plain, layout: Layout, indent: string | undefined): string {
  return `${JSON.stringify(key)}${layout.colon}${render(value, layout, indent)}`;
}

/** A value as text; its first line stands where it is put, the others at `indent`, or all on one line without it. */
function render(value: Plain, layout: Layout, indent: string | undefined): string {
  if (typeof value !== "object") return JSON.stringify(value);
  const isOneLine = indent === undefined || layout.isFlat;
  const inner = isOneLine ? undefined : indent + layout.unit;
  const isList = isPlainList(value);
  const parts = isList
    ? value.map((item) => render(item, layout, inner))
    : Object.entries(value).map(([key, item]) => renderMember(key, item, layout, inner));
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const isShort = isList && value.every((item) => typeof item !== "object");
  if (parts.length === 0) return open + close;
  if (isOneLine || isShort) {
    const pad = isList || layout.comma === "" ? "" : " ";
    return `${open}${pad}${parts.join(`,${layout.comma}`)}${pad}${close}`;
  }
  const gap = layout.eol + inner;
  return `${open}${gap}${parts.join(`,${gap}`)}${layout.eol}${indent}${close}`;
}
