import { join } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import { readUserFile } from "../../io/user_files.ts";
import { isOurHandler } from "./hook_entry.ts";
import { findNode, parseJson, readNode } from "./json_text.ts";
import { inHome, inVariable, type Place } from "./place.ts";
import { startsOurServer } from "./server_entry.ts";
import { isList, isMap, type Value } from "./value.ts";

/** What of Claude Code's configuration starts ThreadMind besides the plugin, each with the command that takes it out. */
export function findDoubles(place: Place): readonly string[] {
  const user = inVariable("CLAUDE_CONFIG_DIR", inHome(), ".claude.json");
  const root = rootOf(place);
  const listed: [string, readonly string[], string][] = [[user, ["mcpServers"], "user"]];
  if (root !== undefined) {
    listed.push([user, ["projects", root, "mcpServers"], "local"]);
    listed.push([join(root, ".mcp.json"), ["mcpServers"], "project"]);
  }
  const servers = listed.flatMap(([path, way, scope]) =>
    namesIn(path, way).map(
      (name) =>
        `${path} starts ThreadMind a second time, as ${JSON.stringify(name)}: claude mcp remove ${name} --scope ${scope}`,
    ),
  );
  const settings = root === undefined ? undefined : join(root, ".claude", "settings.json");
  const hooks = settings === undefined ? [] : groupsOf(read(settings, ["hooks"]));
  if (settings === undefined || !hooks.some(isOurHandler)) return servers;
  return [...servers, `${settings} runs the hooks a second time: threadmind setup claude-code --project --remove`];
}

function rootOf({ root }: Place): string | undefined {
  try {
    return root();
  } catch (error) {
    if (error instanceof ThreadMindError) return undefined;
    throw error;
  }
}

function namesIn(path: string, way: readonly string[]): readonly string[] {
  const servers = read(path, way);
  if (!isMap(servers)) return [];
  return [...servers].filter(([, entry]) => isMap(entry) && startsOurServer(entry)).map(([name]) => name);
}

function groupsOf(hooks: Value | undefined): readonly Value[] {
  const groups = isMap(hooks) ? [...hooks.values()].flatMap((items) => (isList(items) ? items : [])) : [];
  return groups.flatMap((group) => {
    const handlers = isMap(group) ? group.get("hooks") : undefined;
    return isList(handlers) ? handlers : [];
  });
}

/** What stands in a file that is only looked at; a damaged one says nothing. */
function read(path: string, way: readonly string[]): Value | undefined {
  try {
    const text = readUserFile(path);
    const node = text === undefined ? undefined : findNode(parseJson({ path, text }).root, way);
    return node === undefined ? undefined : readNode(node);
  } catch (error) {
    if (error instanceof ThreadMindError) return undefined;
    throw error;
  }
}
