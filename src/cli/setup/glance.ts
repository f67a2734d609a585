import { ThreadMindError } from "../../errors.ts";
import { readUserFile } from "../../io/user_files.ts";
import { callsOurHook } from "./hook_entry.ts";
import { findNode, parseJson, readNode } from "./json_text.ts";
import { parseToml } from "./toml_text.ts";
import { isList, isMap, type Value } from "./value.ts";

/** What stands at a path of a JSON file that is only looked at; a damaged one says nothing. */
export function glance(path: string, way: readonly string[]): Value | undefined {
  return looking(() => {
    const text = readUserFile(path);
    const node = text === undefined ? undefined : findNode(parseJson({ path, text }).root, way);
    return node === undefined ? undefined : readNode(node);
  });
}

/** What a look gives; nothing where it is refused. */
export function looking<T>(look: () => T | undefined): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof ThreadMindError) return undefined;
    throw error;
  }
}

/** The events for which a client's file runs our hook, in whatever way and shape. */
export function eventsOfHooks(path: string): readonly string[] {
  if (path.endsWith(".toml")) return looking(() => eventsInToml(path)) ?? [];
  const hooks = glance(path, ["hooks"]);
  if (!isMap(hooks)) return [];
  const handlers = (item: Value): readonly Value[] => {
    const inner = isMap(item) ? item.get("hooks") : undefined;
    return isList(inner) ? inner : [item];
  };
  return [...hooks]
    .filter(([, items]) => isList(items) && items.flatMap(handlers).some(callsOurHook))
    .map(([event]) => event);
}

function eventsInToml(path: string): readonly string[] {
  const text = readUserFile(path);
  if (text === undefined) return [];
  const found = new Map<string, Map<string, Value>>();
  for (const { path: way, value } of parseToml({ path, text }).entries) {
    if (way[0] !== "hooks" || way.length < 4) continue;
    const key = JSON.stringify(way.slice(0, -1));
    found.set(key, new Map([...(found.get(key) ?? []), [String(way.at(-1)), value]]));
  }
  const ours = [...found].filter(([, handler]) => callsOurHook(handler)).map(([key]) => String(JSON.parse(key)[1]));
  return [...new Set([...ours, ...inlineEvents(path, text)])];
}

/** Handlers in lists of inline tables, whose keys are lists of names as JSON. */
function inlineEvents(path: string, text: string): readonly string[] {
  const calls = (value: Value): boolean => {
    if (isList(value)) return value.some(calls);
    if (!isMap(value)) return false;
    const named = new Map([...value].map(([key, inner]) => [String(JSON.parse(key).join(".")), inner]));
    return callsOurHook(named) || [...value.values()].some(calls);
  };
  return parseToml({ path, text }).entries.flatMap(({ path: way, value }) =>
    way[0] === "hooks" && way.length > 1 && isList(value) && calls(value) ? [String(way[1])] : [],
  );
}
