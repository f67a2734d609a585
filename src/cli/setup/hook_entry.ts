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

const SHELL_FORM = /^\s*(?:'(.+)'|"(.+)"|(\S+))(\s+hook\s+session-(?:start|end)(?:\s.*)?)$/;
const CALL = /(?:^|[\s\\/'"=;&|(])threadmind(?:\.exe)?['"]?\s+hook\s+session-(?:start|end)\b/i;

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

/** True if a handler runs our hook in whatever way, e.g. through a shell or under keys of another client. */
export function callsOurHook(handler: Value | undefined): boolean {
  if (!isMap(handler)) return false;
  const lines = [...handler.values()].filter((value) => typeof value === "string");
  const whole = [handler.get("command"), ...stringsOf(handler.get("args"))].join(" ");
  return isOurHandler(handler) || [...lines, whole].some((line) => CALL.test(line));
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

/** What starts the program is ours to renew; times, matchers and what else stands there are the person's. */
function changeHook(path: string, text: string, { handler }: Hook, place: Place): string {
  const found = readHandler({ path, text }, place);
  let changed = text;
  for (const [key, value] of Object.entries(renewed(handler, found)))
    if (!isSame(found.get(key), toValue(value)))
      changed = setValue({ path, text: changed }, [...place.path, key], value);
  return changed;
}

/** The program in front of the words that somebody may have added to. */
function renewed({ command = "", args }: Hook["handler"], found: ReadonlyMap<string, Value>): Record<string, Plain> {
  const written = found.get("command");
  if (args !== undefined) {
    const [, event] = stringsOf(toValue(args));
    const keepsArgs = stringsOf(found.get("args"))[1] === event;
    return keepsArgs ? { command } : { command, args };
  }
  const [, , , , words = ""] = SHELL_FORM.exec(typeof written === "string" ? written : "") ?? [];
  const start = SHELL_FORM.exec(String(command));
  const [, , , , ours = ""] = start ?? [];
  const keepsWords = /\s--client\s/.test(words) && words.trim().split(/\s+/)[1] === ours.trim().split(/\s+/)[1];
  return { command: keepsWords ? String(command).slice(0, -ours.length) + words : command };
}

function readHandler(file: ConfigText, { path }: Place): ReadonlyMap<string, Value> {
  const node = findNode(parseJson(file).root, path);
  const found = node === undefined ? undefined : readNode(node);
  return isMap(found) ? found : new Map();
}

/** Our handler of an event; `undefined` if there is none. */
export function findHandler(
  file: ConfigText,
  event: string,
  isGrouped: boolean,
): ReadonlyMap<string, Value> | undefined {
  const place = findOurs(file, isGrouped).find((candidate) => candidate.event === event);
  return place === undefined ? undefined : readHandler(file, place);
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
