import type { SectionName } from "./headings.ts";
import { idKey, slugFor, type ThreadId } from "./id.ts";
import { asLine, type Entity, type Graph, parseGraph, type Relation } from "./import_graph.ts";
import {
  fenced,
  type ImportedProject,
  type ImportedThread,
  type ImportFault,
  remarkOnSize,
  renderSections,
} from "./import_project.ts";
import { parseTitle } from "./titles.ts";

const PLACES: readonly (readonly [SectionName, RegExp])[] = [
  ["Decisions", /decision|choice|architecture|design|pattern|convention/i],
  ["Constraints", /constraint|requirement|rule|preference|policy|standard/i],
  ["Open questions", /question|issue|problem|bug/i],
  ["Next steps", /task|todo|goal|plan|step/i],
];
const ROOT_TITLE = "Memory";
const TYPELESS = "Note";
const NAMELESS = "(without a name)";

/**
 * Makes a project of the official memory server's file. Each type of entities becomes a thread of that title, each entity a
 * heading with its observations and relations; what can't be read goes to the root's State as it is. A fault where nothing is
 * an entity or a relation.
 */
export function importMemory(source: string): ImportedProject | ImportFault {
  const graph = parseGraph(source.replace(/^\ufeff/, ""));
  const { entities, relations, rest } = graph;
  if (entities.length + relations.length === 0)
    return {
      why: "there is no entity and no relation of the MCP memory server in it",
      hint: 'Give its file, one object a line: {"type":"entity","name":…,"entityType":…,"observations":[…]}; or its graph as JSON: {"entities":[…],"relations":[…]}. For Markdown: threadmind import claude-md FILE.',
    };
  const bullets = bulletsOf(graph);
  const made = threadsOf(entities, bullets);
  const children = made.map(({ thread }) => thread);
  const state = [
    made.map(
      ({ thread: { id, title }, count }) =>
        `- ${title}: ${count} ${count === 1 ? "entry" : "entries"}, in the thread ${id}`,
    ),
    relations.flatMap((relation) =>
      bullets.owners.has(relation.from) ? [] : [`- ${asLine(relation.from)} ${relationText(relation)}`],
    ),
    rest.length === 0 ? [] : ["### What could not be read", fenced(rest.map(({ text }) => text).join("\n"))],
  ];
  const texts = state.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  const body = renderSections(new Map([["State", { heading: "State", texts }]]));
  return {
    title: ROOT_TITLE,
    body,
    children,
    pieces: [
      ...entities.map((entity) => ({
        line: entity.line,
        text: [entity.type ?? "", renderEntity(entity, [])].join("\n"),
      })),
      ...relations.map((relation) => ({ line: relation.line, text: `${relation.from} ${relationText(relation)}` })),
    ].sort((a, b) => a.line - b.line),
    unread: rest.map(({ line }) => line),
    remarks: remarkOnSize([{ id: "main", body }, ...children]),
  };
}

interface Bullets {
  /** the entity that stands for a name: the first of it */
  readonly owners: ReadonlyMap<string, Entity>;
  readonly of: ReadonlyMap<string, readonly string[]>;
}

function bulletsOf({ entities, relations }: Graph): Bullets {
  const owners = new Map<string, Entity>();
  for (const entity of entities) if (!owners.has(entity.name)) owners.set(entity.name, entity);
  return {
    owners,
    of: groupBy(
      relations,
      ({ from }) => from,
      (relation) => `- ${relationText(relation)}`,
    ),
  };
}

function threadsOf(
  entities: readonly Entity[],
  { owners, of }: Bullets,
): { readonly thread: ImportedThread; readonly count: number }[] {
  const taken = new Set([idKey("main")]);
  const byTitle = groupBy(
    entities,
    ({ type = TYPELESS }) => parseTitle(type),
    (entity) => entity,
  );
  return [...byTitle].map(([title, own]) => {
    const id = slugFor(title, taken) as ThreadId;
    taken.add(idKey(id));
    const texts = own.map((entity) =>
      renderEntity(entity, owners.get(entity.name) === entity ? (of.get(entity.name) ?? []) : []),
    );
    const name = PLACES.find(([, pattern]) => pattern.test(title))?.[0] ?? "State";
    const body = renderSections(new Map([[name, { heading: name, texts }]]));
    return { thread: { id, title, body }, count: own.length };
  });
}

function renderEntity({ name, observations, more }: Entity, relations: readonly string[]): string {
  const bullets = [...observations.map(nested), ...more].map((text) => `- ${text}`);
  return [`### ${asLine(name) || NAMELESS}`, ...bullets, ...relations].join("\n");
}

function relationText({ type, to, more }: Relation): string {
  return `${asLine(type)} ${asLine(to)}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** A text of several lines as one list item. */
function nested(text: string): string {
  return text
    .trim()
    .split(/\r\n|\r|\n/)
    .join("\n  ");
}

function groupBy<Item, Value>(
  items: readonly Item[],
  key: (item: Item) => string,
  value: (item: Item) => Value,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [value(item)]);
    else group.push(value(item));
  }
  return groups;
}
