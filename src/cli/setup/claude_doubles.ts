import { join } from "node:path";
import { eventsOfHooks, glance, looking } from "./glance.ts";
import { inHome, inVariable, type Place } from "./place.ts";
import { startsOurServer } from "./server_entry.ts";
import { isMap } from "./value.ts";

/** Claude Code's folder of this user's settings. */
export function claudeFolder(): string {
  return inVariable("CLAUDE_CONFIG_DIR", inHome(".claude"));
}

/** What of Claude Code's configuration starts ThreadMind besides the plugin, each with the command that takes it out. */
export function findDoubles(place: Place): readonly string[] {
  const user = inVariable("CLAUDE_CONFIG_DIR", inHome(), ".claude.json");
  const root = looking(place.root);
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
  const hooks = settingsFiles(root)
    .filter((path) => eventsOfHooks(path).length > 0)
    .map((path) => `${path} runs the hooks a second time${isWrittenBySetup(path, root) ? `: ${UNDO}` : BY_HAND}`);
  return [...servers, ...hooks];
}

const UNDO = "threadmind setup claude-code --project --remove";
const BY_HAND = "; take those that call threadmind out of it";

function isWrittenBySetup(path: string, root: string | undefined): boolean {
  return root !== undefined && path === join(root, ".claude", "settings.json");
}

/** The settings that Claude Code reads: the user's, and the project's. */
function settingsFiles(root: string | undefined): readonly string[] {
  const ofProject = root === undefined ? [] : ["settings.json", "settings.local.json"];
  return [join(claudeFolder(), "settings.json"), ...ofProject.map((name) => join(root ?? "", ".claude", name))];
}

/** The settings in which ThreadMind's plugin is installed and enabled; `undefined` if in none. */
export function findPlugin(place: Place): string | undefined {
  return settingsFiles(looking(place.root)).find((path) => {
    const plugins = glance(path, ["enabledPlugins"]);
    return isMap(plugins) && [...plugins].some(([id, isOn]) => /^thread-mind@/.test(id) && isOn === true);
  });
}

/** The settings of Claude Code with our hooks in them, for clients that read them too. */
export function hooksOfClaude(place: Place): readonly string[] {
  return settingsFiles(looking(place.root)).filter((path) => eventsOfHooks(path).length > 0);
}

function namesIn(path: string, way: readonly string[]): readonly string[] {
  const servers = glance(path, way);
  if (!isMap(servers)) return [];
  return [...servers].filter(([, entry]) => isMap(entry) && startsOurServer(entry)).map(([name]) => name);
}
