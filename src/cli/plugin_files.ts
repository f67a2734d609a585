import { listShortcuts, nameOneOf, type Shortcut } from "../commands/shortcuts.ts";
import { REPOSITORY_URL, VERSION } from "../version.ts";

/** The name of the plugin, its marketplace and its server. */
export const PLUGIN_NAME = "thread-mind";

const DESCRIPTION =
  "A memory for coding sessions, kept in the repository: the context loads by itself at startup, after /clear and after compaction";
const TOOL_PREFIX = `mcp__plugin_${PLUGIN_NAME}_${PLUGIN_NAME}__`;
/** The repository as Claude Code's marketplaces name it: owner/name. */
const ADDRESS = new URL(REPOSITORY_URL).pathname.slice(1);
const SECTIONS = "## Decisions, ## Constraints, ## State, ## Open questions, ## Next steps";

/**
 * The Claude Code plugin and its marketplace as files: path relative to the marketplace's folder, with `/`, to text. The
 * formats are those of `claude plugin validate`.
 */
export function listPluginFiles(): ReadonlyMap<string, string> {
  const commands = listShortcuts("plugin").map((shortcut): [string, string] => [
    `plugin/commands/${shortcut.name}.md`,
    renderSlashCommand(shortcut),
  ]);
  return new Map([
    [".claude-plugin/marketplace.json", json(marketplace())],
    ["plugin/.claude-plugin/plugin.json", json(plugin())],
    ["plugin/.mcp.json", json({ mcpServers: { [PLUGIN_NAME]: server() } })],
    ["plugin/hooks/hooks.json", json(hooks())],
    ["plugin/README.md", readme()],
    ...commands,
  ]);
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function plugin(): object {
  return {
    name: PLUGIN_NAME,
    displayName: "ThreadMind",
    version: VERSION,
    description: DESCRIPTION,
    author: { name: "ThreadMind contributors", url: REPOSITORY_URL },
    homepage: REPOSITORY_URL,
    repository: REPOSITORY_URL,
    license: "MIT",
    keywords: ["memory", "context", "git", "mcp"],
  };
}

function marketplace(): object {
  return {
    name: PLUGIN_NAME,
    owner: { name: "ThreadMind contributors", url: REPOSITORY_URL },
    description: "ThreadMind, a memory for coding sessions",
    plugins: [{ name: PLUGIN_NAME, source: "./plugin", description: DESCRIPTION, category: "productivity" }],
  };
}

/** Only here a variable chooses the program: exec-form hooks expand none. */
function server(): object {
  return { command: `\${THREADMIND_BIN:-threadmind}`, args: ["serve"] };
}

function hooks(): object {
  const call = (event: string, timeout: number): object[] => [
    { hooks: [{ type: "command", command: "threadmind", args: ["hook", event], timeout }] },
  ];
  return {
    description: "Loads the active thread's context, and measures how large conversations grow",
    hooks: { SessionStart: call("session-start", 15), SessionEnd: call("session-end", 5) },
  };
}

function renderSlashCommand(shortcut: Shortcut): string {
  const { command, summary, usage, name, fromConversation } = shortcut;
  const hint = usage.slice(name.length).trim();
  const tools = fromConversation === undefined ? [command.name] : ["context_get", command.name];
  return [
    "---",
    `description: ${JSON.stringify(summary)}`,
    ...(hint === "" ? [] : [`argument-hint: ${JSON.stringify(hint)}`]),
    `allowed-tools: ${tools.map((tool) => TOOL_PREFIX + tool).join(", ")}`,
    "---",
    "",
    bodyOf(shortcut),
    "",
  ].join("\n");
}

function bodyOf(shortcut: Shortcut): string {
  const { command, preset, arguments: all, oneOf, fromConversation } = shortcut;
  const [typed] = all.filter(({ name }) => name !== fromConversation);
  const given = Object.entries(preset).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  const asked = oneOf.length > 0 ? nameOneOf(shortcut) : typed?.name;
  const named = asked === undefined ? given : [...given, `${asked} from what I typed below`];
  const call = `Call ThreadMind's tool ${command.name}${named.length === 0 ? "" : ` with ${named.join(" and ")}`}`;
  const sameThread = typed?.name === "threadId" ? " (with alone and the same threadId, if I typed one)" : "";
  const rest =
    fromConversation === undefined
      ? ", and show me its answer as it is."
      : `. Read what is there with context_get${sameThread} first, and write its ${fromConversation} from this conversation, merged with that, in the sections ${SECTIONS}: facts and reasons, no transcript. Name the code it describes with paths.`;
  if (typed === undefined) return call + rest;
  const isNeeded = typed.isRequired || oneOf.length > 0;
  const missing = isNeeded ? "If I typed nothing, ask me for it." : `If I typed nothing, leave ${typed.name} out.`;
  return `${call}${rest} ${missing}\n\nTyped: $ARGUMENTS`;
}

function readme(): string {
  const rows = listShortcuts("plugin").map(
    ({ name, usage, summary }) => `| \`/${PLUGIN_NAME}:${usage.trim() === "" ? name : usage}\` | ${summary} |`,
  );
  return `# ThreadMind for Claude Code

A memory for coding sessions, kept in your repository: a tree of short summaries in \`.threadmind/\`. With this plugin the active
thread's context is there by itself when a session starts, after \`/clear\` and after compaction, and \`/${PLUGIN_NAME}:stats\` shows how
large your conversations grew against what a fresh session loads.

## First the program

A plugin can't install a program. Put \`threadmind\` on the PATH that Claude Code sees, then check it:

\`\`\`
threadmind version
\`\`\`

How to get it: ${REPOSITORY_URL}. Then either \`threadmind setup claude-code\`, which installs this
plugin out of the program itself, without a network and always in the program's own version, or, in Claude Code:

\`\`\`
/plugin marketplace add ${ADDRESS}
/plugin install ${PLUGIN_NAME}@${PLUGIN_NAME}
\`\`\`

(one step since Claude Code 2.1.275: \`/plugin install ${PLUGIN_NAME} --marketplace ${ADDRESS}\`). If Claude Code is started
from a desktop that doesn't know your PATH, set \`THREADMIND_BIN\` to the program's full path for the server; the hooks always
need \`threadmind\` on the PATH.

## What it adds

- A SessionStart hook: prints the context, at most 9,000 characters, at startup, after \`/clear\` and after compaction. Nothing happens
  in folders without a ThreadMind project.
- A SessionEnd hook: reads from the end of the transcript how large the conversation grew, and writes that number to
  \`.threadmind/config.json\`, which git ignores. Nothing leaves your machine.
- The MCP server \`${PLUGIN_NAME}\`, and these commands:

| Command | |
|---|---|
${rows.join("\n")}

If you had added the server with \`claude mcp add\`, remove it (\`claude mcp remove ${PLUGIN_NAME}\`), so that it doesn't run twice.

Licence: MIT.
`;
}
