import { ThreadMindError } from "../../errors.ts";
import { checkGrammar, type Grammar } from "./grammar.ts";
import { type HookSpec, otherHooks, putHooks, removeHooks } from "./hook_entry.ts";
import { removeValue, setValue } from "./json_edit.ts";
import { findNode, parseJson, readNode } from "./json_text.ts";
import {
  otherJsonServers,
  otherTomlServers,
  putJsonServer,
  putTomlServer,
  SERVER_NAME,
  type ServerSpec,
  startsOurServer,
} from "./server_entry.ts";
import { isSameWithout, readTable, removeTable } from "./toml_edit.ts";
import { type ConfigText, isMap, isSame, type Plain, toValue, type Value } from "./value.ts";

/** A file of a client and what of ours belongs in it. */
export interface FileSpec {
  readonly path: string;
  readonly format: "json" | "toml";
  /** what the client's parser takes, where that is less than comments and trailing commas */
  readonly grammar?: Grammar;
  readonly server?: ServerSpec | undefined;
  readonly hooks?: HookSpec;
  /** what a new file needs besides, e.g. its version */
  readonly base?: Readonly<Record<string, Plain>>;
}

/** The values that ThreadMind sets in an entry; others are their owner's. */
const OUR_KEYS = ["command", "args"];

/** A file that is removed from: what is left, and the entry in our place that starts something else. */
export interface Removal {
  readonly text: string;
  readonly foreign: string | undefined;
}

/** The file's text with everything of ours in it; verified to say the same as before in all else. */
export function planSetup(spec: FileSpec, before: string | undefined): string {
  if (spec.grammar !== undefined && before !== undefined) checkGrammar({ path: spec.path, text: before }, spec.grammar);
  const text = renderSetup(spec, before ?? "");
  verify(spec, before ?? "", text, OUR_KEYS);
  return text;
}

/** A file's text with everything of ours in it, for reading. */
export function renderSetup({ path, format, server, hooks, base }: FileSpec, before: string): string {
  let text = before;
  if (format === "toml") {
    if (server !== undefined) text = putTomlServer({ path, text }, server);
  } else {
    if (text.replace("\ufeff", "").trim() === "")
      for (const [key, value] of Object.entries(base ?? {})) text = setValue({ path, text }, [key], value);
    if (server !== undefined) text = putJsonServer({ path, text }, server);
    if (hooks !== undefined) text = putHooks({ path, text }, hooks);
  }
  return text;
}

/** The file's text without anything of ours; an entry that starts something else stays. Verified like `planSetup()`. */
export function planRemoval(spec: FileSpec, before: string): Removal {
  const { path, format, server, hooks } = spec;
  const found = server === undefined ? undefined : readServer(spec, before);
  const isOurs = isMap(found) && startsOurServer(found);
  let text = before;
  if (server !== undefined && isOurs)
    text = (format === "toml" ? removeTable : removeValue)({ path, text }, [server.key, SERVER_NAME]);
  if (hooks !== undefined) text = removeHooks({ path, text }, hooks.isGrouped);
  const foreign = server === undefined || found === undefined || isOurs ? undefined : `${server.key}.${SERVER_NAME}`;
  if (text !== before) verify(foreign === undefined ? spec : { ...spec, server: undefined }, before, text, []);
  return { text, foreign };
}

/** What stands in the place of our entry; `undefined` if nothing. */
export function readServer({ path, format, server }: FileSpec, text: string): Value | undefined {
  if (server === undefined) return undefined;
  const way = [server.key, SERVER_NAME];
  if (format === "toml") return readTable({ path, text }, way);
  const node = findNode(parseJson({ path, text }).root, way);
  return node === undefined ? undefined : readNode(node);
}

/** The names of other entries in a file that start our server too. */
export function listOthers({ path, format, server }: FileSpec, text: string): readonly string[] {
  if (server === undefined) return [];
  return format === "toml"
    ? otherTomlServers({ path, text }, server.key)
    : otherJsonServers({ path, text }, [server.key]);
}

/** Refuses a change that would touch anything but ours. */
function verify(spec: FileSpec, before: string, after: string, keys: readonly string[]): void {
  const { path, format, server } = spec;
  const [one, other] = [
    { path, text: before },
    { path, text: after },
  ];
  const isKept =
    format === "toml"
      ? isSameWithout(one, other, [server?.key ?? "", SERVER_NAME], keys)
      : isSame(readOthers(spec, one, keys), readOthers(spec, other, keys));
  if (isKept) return;
  throw new ThreadMindError(
    "refused",
    `Cannot change ${path}: the change would touch more than ThreadMind's own entries.`,
    "Nothing was written. Put the entry in by hand (--print shows it), and please report this with the file's shape.",
  );
}

/** What a JSON file says without our entries, and without the objects that hold nothing else. */
function readOthers({ server, hooks, base }: FileSpec, file: ConfigText, keys: readonly string[]): Value {
  const { root } = parseJson(file);
  const all = root === undefined ? new Map<string, Value>() : readNode(root);
  const left = new Map(isMap(all) ? all : []);
  const put = (key: string, value: Value | undefined): void => {
    if (value === undefined || (isMap(value) && value.size === 0)) left.delete(key);
    else left.set(key, value);
  };
  const servers = server === undefined ? undefined : left.get(server.key);
  if (server !== undefined && isMap(servers)) {
    const entry = keys.length === 0 ? undefined : withoutOurs(servers.get(SERVER_NAME), server, keys);
    const rest = [...servers].filter(([name]) => name !== SERVER_NAME);
    put(server.key, new Map(entry === undefined ? rest : [...rest, [SERVER_NAME, entry]]));
  }
  if (hooks !== undefined) put("hooks", otherHooks(left.get("hooks"), hooks.isGrouped));
  if (isSame(left, toValue(base ?? {}))) return new Map();
  return left;
}

/** What a person has put into our entry; `undefined` if nothing. */
function withoutOurs(
  entry: Value | undefined,
  { entry: ours }: ServerSpec,
  keys: readonly string[],
): Value | undefined {
  if (!isMap(entry)) return entry;
  const left = new Map([...entry].filter(([key]) => !keys.includes(key) && (key !== "type" || !("type" in ours))));
  const env = left.get("env");
  if (isMap(env) && ours.env !== undefined) {
    const rest = [...env].filter(([name]) => name !== "THREADMIND_ROOT");
    if (rest.length === 0) left.delete("env");
    else left.set("env", new Map(rest));
  }
  return left.size === 0 ? undefined : left;
}
