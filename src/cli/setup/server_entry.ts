import { ThreadMindError } from "../../errors.ts";
import { setValue } from "./json_edit.ts";
import { findNode, keyOf, malformed, memberValue, nameType, parseJson, readNode } from "./json_text.ts";
import { listTables, readTable, setTable } from "./toml_edit.ts";
import { type ConfigText, isMap, isSame, type Plain, stringsOf, toValue, type Value } from "./value.ts";

/** The name of our server in every client's configuration. */
export const SERVER_NAME = "thread-mind";

/** What a client's file should say about our server: the key that holds all servers, and the entry. */
export interface ServerSpec {
  readonly key: string;
  readonly entry: Readonly<Record<string, Plain>>;
}

const OLD_PACKAGE = /^thread-mind-mcp(?:@.*)?$/;
const RUNNER = /^(?:npx|npm|bunx|bun|pnpx|pnpm|yarn|node|deno)$/i;

/** True if an entry starts our server: this program, or the Node package that it replaces. */
export function startsOurServer(entry: ReadonlyMap<string, Value>): boolean {
  return isThisProgram(entry) || isOldPackage(entry);
}

function isThisProgram(entry: ReadonlyMap<string, Value>): boolean {
  return programName(entry.get("command")) === "threadmind";
}

function isOldPackage(entry: ReadonlyMap<string, Value>): boolean {
  const words = [String(entry.get("command") ?? ""), ...stringsOf(entry.get("args"))];
  if (OLD_PACKAGE.test(programName(words[0]) ?? "")) return true;
  const isRunner = words.some((word) => RUNNER.test(programName(word) ?? ""));
  return isRunner && words.some((word) => OLD_PACKAGE.test(word) || /[\\/]thread-mind-mcp[\\/]/.test(word));
}

/** A command's own name, without folder and without the ending of a Windows program. */
function programName(command: Value | undefined): string | undefined {
  if (typeof command !== "string") return undefined;
  return command
    .trim()
    .replace(/^.*[\\/](?=.)/, "")
    .replace(/\.(?:exe|cmd|bat)$/i, "");
}

/** The entry's values that have to change, keyed as they are written. Throws `refused` for another program's entry. */
function changesOf(
  { path }: ConfigText,
  key: string,
  entry: ReadonlyMap<string, Value>,
  wanted: Readonly<Record<string, Plain>>,
): readonly (readonly [string, Plain])[] {
  if (!startsOurServer(entry)) {
    throw new ThreadMindError(
      "refused",
      `Cannot change ${path}: ${key}.${SERVER_NAME} starts something else than ThreadMind.`,
      `Nothing was written. Give that entry another name, or take it out by hand if nobody needs it; then run the command again.`,
    );
  }
  const keepsArgs = isThisProgram(entry) && stringsOf(entry.get("args")).includes("serve");
  return Object.entries(wanted).filter(
    ([name, value]) =>
      (name === "command" || (name === "args" && !keepsArgs)) && !isSame(entry.get(name), toValue(value)),
  );
}

/** A JSON file's text with our server in it; the same text if it is there already. */
export function putJsonServer(file: ConfigText, { key, entry }: ServerSpec): string {
  const document = parseJson(file);
  const node = findNode(document.root, [key, SERVER_NAME]);
  const found = node === undefined ? undefined : readNode(node);
  if (node === undefined) return setValue(file, [key, SERVER_NAME], entry);
  if (!isMap(found))
    throw malformed(
      document,
      node.offset,
      `${key}.${SERVER_NAME} is ${nameType(node)}, and an object in { } is needed`,
    );
  let { text } = file;
  for (const [name, value] of changesOf(file, key, found, entry))
    text = setValue({ path: file.path, text }, [key, SERVER_NAME, name], value);
  const { env } = entry;
  for (const [name, value] of Object.entries(typeof env === "object" ? env : {}))
    if (!isSame(readAt({ path: file.path, text }, [key, SERVER_NAME, "env", name]), toValue(value)))
      text = setValue({ path: file.path, text }, [key, SERVER_NAME, "env", name], value);
  return text;
}

function readAt(file: ConfigText, path: readonly string[]): Value | undefined {
  const node = findNode(parseJson(file).root, path);
  return node === undefined ? undefined : readNode(node);
}

/** A TOML file's text with our server in it; the same text if it is there already. */
export function putTomlServer(file: ConfigText, { key, entry }: ServerSpec): string {
  const found = readTable(file, [key, SERVER_NAME]);
  const changes = found === undefined ? Object.entries(entry) : changesOf(file, key, found, entry);
  return changes.length === 0 ? file.text : setTable(file, [key, SERVER_NAME], Object.fromEntries(changes));
}

/** The names of other entries of a JSON file that start our server too. */
export function otherJsonServers(file: ConfigText, path: readonly string[]): readonly string[] {
  const servers = findNode(parseJson(file).root, path);
  return (servers?.type === "object" ? (servers.children ?? []) : [])
    .filter((member) => {
      const node = memberValue(member);
      const value = node === undefined ? undefined : readNode(node);
      return keyOf(member) !== SERVER_NAME && isMap(value) && startsOurServer(value);
    })
    .map(keyOf);
}

/** The names of other entries of a TOML file that start our server too. */
export function otherTomlServers(file: ConfigText, key: string): readonly string[] {
  return listTables(file, [key]).filter((name) => {
    const entry = name === SERVER_NAME ? undefined : readTable(file, [key, name]);
    return entry !== undefined && startsOurServer(entry);
  });
}
