import { endOfString, isJson, scanObject } from "./json_scan.ts";
import { findTitleFault } from "./titles.ts";

/** An entity of the official memory server's graph. */
export interface Entity {
  readonly name: string;
  /** as typed; `undefined` where there is none that can be a thread's title */
  readonly type: string | undefined;
  readonly observations: readonly string[];
  /** fields that the format doesn't have, as text */
  readonly more: readonly string[];
  /** 1-based, in the file */
  readonly line: number;
}

/** A relation between two entities, which may be none of the file's. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly more: readonly string[];
  readonly line: number;
}

/** A stretch of the file as it is. */
export interface RawPiece {
  readonly text: string;
  readonly line: number;
}

/** What a memory file holds. */
export interface Graph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
  /** what is neither */
  readonly rest: readonly RawPiece[];
}

/**
 * Reads the official memory server's file, one JSON object a line, or its graph as one JSON object with `entities` and
 * `relations`, or a list of both. An object is taken by its `type`, and without one by the fields it has.
 */
export function parseGraph(source: string): Graph {
  const entities: Entity[] = [];
  const relations: Relation[] = [];
  const rest: RawPiece[] = [];
  for (const piece of piecesOf(source)) {
    const fields = fieldsOf(piece.text);
    const entity = fields === undefined ? undefined : entityOf(fields, piece.line);
    const relation = fields === undefined || entity !== undefined ? undefined : relationOf(fields, piece.line);
    if (entity !== undefined) entities.push(entity);
    else if (relation !== undefined) relations.push(relation);
    else rest.push(piece);
  }
  return { entities, relations, rest };
}

function piecesOf(source: string): readonly RawPiece[] {
  const start = source.search(/\S/);
  const whole = source.startsWith("{", start) ? scanObject(source) : undefined;
  const spans: (readonly [from: number, to: number])[] = [];
  if (whole !== undefined && "members" in whole) {
    const isList = (key: string, from: number): boolean => /^(?:entities|relations)$/.test(key) && source[from] === "[";
    if (!whole.members.some(({ key, valueFrom }) => isList(key, valueFrom)))
      return withLines(source, [[start, source.length]]);
    for (const { key, from, valueFrom, valueTo } of whole.members) {
      if (isList(key, valueFrom)) spans.push(...itemsOf(source, valueFrom, valueTo));
      else spans.push([from, valueTo]);
    }
  } else if (source.startsWith("[", start) && isJson(source)) {
    spans.push(...itemsOf(source, start, source.length));
  } else {
    for (const { index, 0: line } of source.matchAll(/[^\r\n]+/g))
      if (line.trim() !== "") spans.push([index, index + line.length]);
  }
  return withLines(source, spans);
}

function withLines(source: string, spans: readonly (readonly [from: number, to: number])[]): RawPiece[] {
  let line = 1;
  let counted = 0;
  return spans.map(([from, to]) => {
    const start = from + source.slice(from, to).search(/\S/);
    line += source.slice(counted, start).match(/\r\n|\r|\n/g)?.length ?? 0;
    counted = start;
    return { line, text: source.slice(start, to).trimEnd() };
  });
}

/** Where the items of a valid JSON list stand, which begins at `from`. */
function itemsOf(source: string, from: number, to: number): (readonly [from: number, to: number])[] {
  const items: (readonly [number, number])[] = [];
  const sign = /["[\]{},]/g;
  sign.lastIndex = from + 1;
  let start = from + 1;
  for (let depth = 1; depth > 0; ) {
    const at = sign.exec(source)?.index ?? to;
    const character = source.charAt(at);
    if (depth === 1 && (character === "," || character === "]")) {
      if (source.slice(start, at).trim() !== "") items.push([start, at]);
      start = at + 1;
    }
    if (character === '"') sign.lastIndex = endOfString(source, at);
    else if (character === "[" || character === "{") depth++;
    else if (character !== ",") depth--;
  }
  return items;
}

interface Fields {
  readonly values: ReadonlyMap<string, unknown>;
  /** the members but these, with a twin's earlier values, as text */
  others(known: readonly string[]): readonly string[];
}

/** An object's members, none of them lost: numbers of any size and twins stay as typed. */
function fieldsOf(text: string): Fields | undefined {
  const scan = scanObject(text);
  if ("message" in scan) return undefined;
  const last = new Map(scan.members.map((member) => [member.key, member]));
  return {
    values: new Map([...last].map(([key, { value }]) => [key, value])),
    others: (known) =>
      scan.members
        .filter((member) => !known.includes(member.key) || last.get(member.key) !== member)
        .map(({ key, value, valueFrom, valueTo }) => {
          return asLine(`${key}: ${typeof value === "string" ? value : text.slice(valueFrom, valueTo)}`);
        }),
  };
}

function entityOf({ values, others }: Fields, line: number): Entity | undefined {
  const [kind, name, type, observations] = ["type", "name", "entityType", "observations"].map((key) => values.get(key));
  if ((kind !== undefined && kind !== "entity") || typeof name !== "string" || !Array.isArray(observations))
    return undefined;
  if (!observations.every((text): text is string => typeof text === "string")) return undefined;
  const isTitle = typeof type === "string" && findTitleFault(type) === undefined;
  const isEmpty = type === undefined || (typeof type === "string" && type.trim() === "");
  const known = ["type", "name", "observations", ...(isTitle || isEmpty ? ["entityType"] : [])];
  return { name, type: isTitle ? type.trim() : undefined, observations, more: others(known), line };
}

function relationOf({ values, others }: Fields, line: number): Relation | undefined {
  const [kind, from, to, type] = ["type", "from", "to", "relationType"].map((key) => values.get(key));
  if (kind !== undefined && kind !== "relation") return undefined;
  if (typeof from !== "string" || typeof to !== "string" || typeof type !== "string") return undefined;
  return { from, to, type, more: others(["type", "from", "to", "relationType"]), line };
}

/** A text on one line, otherwise as typed. */
export function asLine(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, " ").trim();
}
