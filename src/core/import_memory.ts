import type { SectionName } from "./headings.ts";
import { type ImportedProject, type ImportedThread, renderSections } from "./import_markdown.ts";

/** An entity of the official memory server's graph. */
interface Entity {
  readonly name: string;
  readonly type: string;
  readonly observations: readonly string[];
  /** fields that the format doesn't have, as text */
  readonly more: readonly string[];
}

interface Relation {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly more: readonly string[];
}

interface Graph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
  /** lines that are neither */
  readonly rest: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const PLACES: readonly (readonly [SectionName, RegExp])[] = [
  ["Decisions", /decision|choice|architecture|design|pattern|convention/i],
  ["Constraints", /constraint|requirement|rule|preference|policy|standard/i],
  ["Open questions", /question|issue|problem|bug/i],
  ["Next steps", /task|todo|goal|plan|step/i],
];
const ROOT_TITLE = "Memory";

/**
 * Makes a project of the official memory server's file: one JSON object a line, `{"type":"entity",…}` or
 * `{"type":"relation",…}`, or one object with `entities` and `relations`. Each type of entities becomes a thread, each entity
 * a heading with its observations and relations; what can't be read goes to the root's State as it is.
 */
export function importMemory(source: string): ImportedProject {
  const { entities, relations, rest } = parseGraph(source.replace(/^\ufeff/, ""));
  const types = [...new Set(entities.map(({ type }) => type))];
  const known = new Set(entities.map(({ name }) => name));
  const children = types.map((type): ImportedThread => {
    const own = entities.filter((entity) => entity.type === type);
    return { title: titleOf(type), body: renderType(type, own, relations) };
  });
  const loose = relations
    .filter(({ from }) => !known.has(from))
    .map((relation) => `- ${line(relation.from)} ${relationText(relation)}`);
  const state = [
    ...(loose.length === 0 ? [] : [loose.join("\n")]),
    ...(rest.length === 0 ? [] : [fenced(rest.join("\n"))]),
  ];
  const decisions = types.map(
    (type) =>
      `- ${titleOf(type)}: ${countOf(entities.filter((entity) => entity.type === type).length, "entry", "entries")}, in a thread of their own`,
  );
  const sections = new Map<SectionName, readonly string[]>();
  if (decisions.length > 0) sections.set("State", [decisions.join("\n"), ...state]);
  else if (state.length > 0) sections.set("State", state);
  return { title: ROOT_TITLE, body: renderSections(sections), children };
}

function renderType(type: string, entities: readonly Entity[], relations: readonly Relation[]): string {
  const name = PLACES.find(([, pattern]) => pattern.test(type))?.[0] ?? "State";
  const texts = entities.map((entity) => {
    const bullets = [
      ...entity.observations.map((text) => `- ${nested(text)}`),
      ...entity.more.map((text) => `- ${text}`),
      ...relations.filter(({ from }) => from === entity.name).map((relation) => `- ${relationText(relation)}`),
    ];
    return [`### ${line(entity.name)}`, ...bullets].join("\n");
  });
  return renderSections(new Map([[name, texts]]));
}

function parseGraph(source: string): Graph {
  const whole = parseJson(source);
  if (isFields(whole) && (Array.isArray(whole.entities) || Array.isArray(whole.relations))) {
    const items = [...listOf(whole.entities, "entity"), ...listOf(whole.relations, "relation")];
    return gather(items.map((item) => [item, JSON.stringify(item)]));
  }
  const lines = source.split(/\r\n|\r|\n/).filter((text) => text.trim() !== "");
  return gather(lines.map((text) => [parseJson(text), text]));
}

function listOf(value: unknown, type: string): unknown[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isFields(item) ? { type, ...item } : item)) : [];
}

function gather(items: readonly (readonly [unknown, string])[]): Graph {
  const entities: Entity[] = [];
  const relations: Relation[] = [];
  const rest: string[] = [];
  for (const [value, text] of items) {
    const entity = entityOf(value);
    const relation = entity === undefined ? relationOf(value) : undefined;
    if (entity !== undefined) entities.push(entity);
    else if (relation !== undefined) relations.push(relation);
    else rest.push(text);
  }
  return { entities, relations, rest };
}

function entityOf(value: unknown): Entity | undefined {
  if (!isFields(value) || value.type !== "entity") return undefined;
  const { name, entityType, observations, ...rest } = value;
  if (typeof name !== "string" || !Array.isArray(observations)) return undefined;
  if (!observations.every((text): text is string => typeof text === "string")) return undefined;
  const isTyped = typeof entityType === "string" && entityType.trim() !== "";
  const more = moreOf(isTyped || entityType === undefined ? rest : { ...rest, entityType });
  return { name, type: isTyped ? entityType : "note", observations, more };
}

function relationOf(value: unknown): Relation | undefined {
  if (!isFields(value) || value.type !== "relation") return undefined;
  const { from, to, relationType, ...rest } = value;
  if (typeof from !== "string" || typeof to !== "string" || typeof relationType !== "string") return undefined;
  return { from, to, type: relationType, more: moreOf(rest) };
}

function moreOf({ type: _, ...rest }: Fields): readonly string[] {
  return Object.entries(rest).map(([key, value]) =>
    line(`${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`),
  );
}

function relationText({ type, to, more }: Relation): string {
  return `${line(type)} ${line(to)}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function titleOf(type: string): string {
  const text = line(type).replace(/[_-]+/g, " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function countOf(value: number, one: string, many: string): string {
  return `${value} ${value === 1 ? one : many}`;
}

function line(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** A text of several lines as one list item. */
function nested(text: string): string {
  return text
    .trim()
    .split(/\r\n|\r|\n/)
    .join("\n  ");
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
