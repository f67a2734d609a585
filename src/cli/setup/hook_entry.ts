import { appendItem, removeValue, setValue } from "./json_edit.ts";
import { findNode, keyOf, memberValue, parseJson, readNode } from "./json_text.ts";
import { type ConfigText, isList, isMap, isSame, type Plain, stringsOf, toValue, type Value } from "./value.ts";

/** One hook: the client's event, the command it runs, and for grouped files when it runs. */
export interface Hook {
  readonly event: string;
  readonly handler: Readonly<Record<string, Plain>>;
  readonly matcher?: string;
}

/** The hooks of a file; grouped as in Claude Code's settings (event, group with matcher, handlers), or handlers right below the event. */
export interface HookSpec {
  readonly isGrouped: boolean;
  readonly hooks: readonly Hook[];
}

/** Where one of our handlers stands. */
interface Place {
  readonly event: string;
  readonly path: readonly (string | number)[];
  /** the group, if it holds nothing but this handler */
  readonly group: readonly (string | number)[] | undefined;
}

const SHELL_FORM = /^\s*(?:'(.+)'|"(.+)"|(\S+))\s+hook\s+session-(?:start|end)(?:\s.*)?$/;

/** True if a handler runs `threadmind hook session-start` or `session-end`, as one line or with its arguments apart. */
export function isOurHandler(handler: Value | undefined): boolean {
  if (!isMap(handler)) return false;
  const command = handler.get("command");
  if (typeof command !== "string") return false;
  const [verb, event] = stringsOf(handler.get("args"));
  if (verb === "hook" && /^session-(?:start|end)$/.test(event ?? "")) return isOurProgram(command);
  const found = SHELL_FORM.exec(command);
  return isOurProgram(found?.[1] ?? found?.[2] ?? found?.[3] ?? "");
}

function isOurProgram(command: string): boolean {
  return /(?:^|[\\/])threadmind(?:\.exe)?$/i.test(command.trim());
}

function findOurs(file: ConfigText, isGrouped: boolean): readonly Place[] {
  const hooks = findNode(parseJson(file).root, ["hooks"]);
  const events = hooks?.type === "object" ? (hooks.children ?? []) : [];
  return events.flatMap((member) => {
    const event = keyOf(member);
    const node = memberValue(member);
    const items = node === undefined ? undefined : readNode(node);
    return isList(items) ? placesIn(items, event, isGrouped) : [];
  });
}

function placesIn(items: readonly Value[], event: string, isGrouped: boolean): Place[] {
  return items.flatMap((item, at): Place[] => {
    if (!isGrouped) return isOurHandler(item) ? [{ event, path: ["hooks", event, at], group: undefined }] : [];
    const handlers = isMap(item) ? item.get("hooks") : undefined;
    if (!isList(handlers)) return [];
    const group = handlers.length === 1 ? ["hooks", event, at] : undefined;
    return handlers.flatMap((handler, index): Place[] =>
      isOurHandler(handler) ? [{ event, path: ["hooks", event, at, "hooks", index], group }] : [],
    );
  });
}

/** A file's text with our hooks in it, each once; the same text if they are there already. */
export function putHooks(file: ConfigText, { isGrouped, hooks }: HookSpec): string {
  let { text } = file;
  for (const hook of hooks) {
    const [first, ...twins] = findOurs({ path: file.path, text }, isGrouped).filter(
      ({ event }) => event === hook.event,
    );
    for (const twin of twins.toReversed()) text = removeValue({ path: file.path, text }, twin.group ?? twin.path);
    text = first === undefined ? addHook(file.path, text, hook, isGrouped) : changeHook(file.path, text, hook, first);
  }
  return text;
}

function addHook(path: string, text: string, { event, handler, matcher }: Hook, isGrouped: boolean): string {
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
  return appendItem({ path, text }, ["hooks", event], isGrouped ? group : handler);
}

/** Our values of the handler, and of a group that is ours alone; what else stands there stays. */
function changeHook(path: string, text: string, { handler, matcher }: Hook, place: Place): string {
  const wanted: [readonly (string | number)[], Plain][] = Object.entries(handler).map(([key, value]) => [
    [...place.path, key],
    value,
  ]);
  if (place.group !== undefined && matcher !== undefined) wanted.push([[...place.group, "matcher"], matcher]);
  let changed = text;
  for (const [way, value] of wanted) {
    const node = findNode(parseJson({ path, text: changed }).root, way);
    if (node === undefined || !isSame(readNode(node), toValue(value)))
      changed = setValue({ path, text: changed }, way, value);
  }
  return changed;
}

/** A file's text without our hooks and the containers that they leave empty. */
export function removeHooks(file: ConfigText, isGrouped: boolean): string {
  let { text } = file;
  for (const { path, group } of findOurs(file, isGrouped).toReversed())
    text = removeValue({ path: file.path, text }, group ?? path);
  return text;
}

/** What a file says under `hooks` without ours; `undefined` if that is nothing. */
export function otherHooks(hooks: Value | undefined, isGrouped: boolean): Value | undefined {
  if (!isMap(hooks)) return hooks;
  const kept = [...hooks].map(([event, items]): [string, Value] => [
    event,
    isList(items) ? others(items, isGrouped) : items,
  ]);
  const left = kept.filter(([, items]) => !isList(items) || items.length > 0);
  return left.length === 0 ? undefined : new Map(left);
}

function others(items: readonly Value[], isGrouped: boolean): readonly Value[] {
  if (!isGrouped) return items.filter((item) => !isOurHandler(item));
  return items.flatMap((item): Value[] => {
    const handlers = isMap(item) ? item.get("hooks") : undefined;
    if (!isMap(item) || !isList(handlers) || !handlers.some(isOurHandler)) return [item];
    const kept = handlers.filter((handler) => !isOurHandler(handler));
    return kept.length === 0 ? [] : [new Map([...item, ["hooks", kept]])];
  });
}
