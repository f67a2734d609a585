import { join } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import type { FileSpec } from "./file_plan.ts";
import type { Hook } from "./hook_entry.ts";
import { inApplicationData, inHome, inVariable, type Place } from "./place.ts";
import { PROGRAM, renderHookCommand } from "./program.ts";
import type { Plain } from "./value.ts";

/** A client whose files are written. */
export interface Client {
  readonly title: string;
  readonly files: (place: Place, program: string) => readonly FileSpec[];
  /** what is left for a person to do after a change */
  readonly next: (place: Place) => readonly string[];
  /** the client's own way to the same entry */
  readonly own?: (program: string) => string;
}

const ARGS = ["serve"];
const START_SECONDS = 10;
const START_SOURCES = "startup|resume|clear|compact|fork";

const plainEntry = (command: string): Record<string, Plain> => ({ command, args: ARGS });
const typedEntry = (command: string): Record<string, Plain> => ({ type: "stdio", command, args: ARGS });

/** A hook as a line for the client's shell; times in seconds. */
function shellHook(
  client: string,
  program: string,
  [event, verb]: readonly [string, string],
  more: Readonly<Record<string, Plain>>,
  matcher?: string,
): Hook {
  const handler = { command: renderHookCommand(program, verb, client), ...more };
  return { event, handler, ...(matcher === undefined ? {} : { matcher }) };
}

const withType = (timeout: number, hook: Hook): Hook => ({
  ...hook,
  handler: { type: "command", ...hook.handler, timeout },
});

/** The one form of Claude Code's hooks that needs no shell. */
function execHook(event: string, verb: string, timeout: number, matcher?: string): Hook {
  const handler = { type: "command", command: PROGRAM, args: ["hook", verb], timeout };
  return { event, handler, ...(matcher === undefined ? {} : { matcher }) };
}

const start = (name: string): readonly [string, string] => [name, "session-start"];
const end = (name: string): readonly [string, string] => [name, "session-end"];

/** Claude Code by files of the project; for a user it is the plugin. */
export const claudeCodeProject: Client = {
  title: "Claude Code",
  files: (place) => [
    {
      path: join(place.root(), ".mcp.json"),
      format: "json",
      server: { key: "mcpServers", entry: typedEntry(PROGRAM) },
    },
    {
      path: join(place.root(), ".claude", "settings.json"),
      format: "json",
      hooks: {
        isGrouped: true,
        hooks: [
          execHook("SessionStart", "session-start", START_SECONDS, START_SOURCES),
          execHook("SessionEnd", "session-end", 5),
        ],
      },
    },
  ],
  next: () => [
    "Commit .mcp.json and .claude/settings.json; everyone who works here needs threadmind on PATH.",
    "Restart Claude Code here and approve the server of .mcp.json.",
    "Don't install the plugin besides (threadmind setup claude-code): everything would run twice.",
  ],
  own: () => "claude mcp add --scope project thread-mind -- threadmind serve",
};

/** Claude Desktop starts servers in a folder of its own, so they have to be told the project's. */
function desktopRoot(place: Place): string {
  try {
    return place.root();
  } catch (error) {
    if (!(error instanceof ThreadMindError) || error.code !== "no-workspace") throw error;
    throw new ThreadMindError(
      "no-workspace",
      "Cannot set up Claude Desktop: it starts servers outside of any project, and this is none.",
      "Run the command in your project's folder, or give it with --root DIR.",
    );
  }
}

const claudeDesktop: Client = {
  title: "Claude Desktop",
  files: (place, program) => {
    if (place.isProject) {
      throw new ThreadMindError(
        "usage",
        "Cannot run threadmind setup claude-desktop --project: Claude Desktop reads no file of a project.",
        "Run it without --project, inside the project or with --root DIR.",
      );
    }
    const entry = { ...plainEntry(program), env: { THREADMIND_ROOT: desktopRoot(place) } };
    const path = inApplicationData("Claude", "claude_desktop_config.json");
    return [{ path, format: "json", server: { key: "mcpServers", entry } }];
  },
  next: (place) => [
    "Quit Claude Desktop completely and start it again.",
    `It works on ${place.root()}; for another project, run this there.`,
  ],
};

const codex: Client = {
  title: "Codex",
  files: (place, program) => {
    const folder = place.isProject ? join(place.root(), ".codex") : inVariable("CODEX_HOME", inHome(".codex"));
    const hooks = [
      withType(START_SECONDS, shellHook("codex", program, start("SessionStart"), {}, START_SOURCES)),
      withType(3, shellHook("codex", program, end("SessionEnd"), {})),
    ];
    return [
      { path: join(folder, "config.toml"), format: "toml", server: { key: "mcp_servers", entry: plainEntry(program) } },
      { path: join(folder, "hooks.json"), format: "json", hooks: { isGrouped: true, hooks } },
    ];
  },
  next: ({ isProject }) => [
    "Restart Codex, and trust the two hooks there: it runs no hook that nobody has trusted.",
    ...(isProject ? ["Commit the files of .codex; Codex reads them in a project that is trusted."] : []),
  ],
  own: (program) => `codex mcp add thread-mind -- ${program} serve`,
};

const gemini: Client = {
  title: "Gemini CLI",
  files: (place, program) => {
    const folder = place.isProject ? join(place.root(), ".gemini") : inHome(".gemini");
    // Its timeouts are milliseconds; without a matcher a hook runs for every source, and the hook itself tells them apart.
    const hooks = [
      withType(START_SECONDS * 1000, shellHook("gemini", program, start("SessionStart"), {})),
      withType(5000, shellHook("gemini", program, end("SessionEnd"), {})),
    ];
    const server = { key: "mcpServers", entry: plainEntry(program) };
    return [{ path: join(folder, "settings.json"), format: "json", server, hooks: { isGrouped: true, hooks } }];
  },
  next: ({ isProject }) => [
    "Restart Gemini CLI.",
    ...(isProject ? ["Commit .gemini/settings.json; Gemini CLI starts servers in trusted folders only."] : []),
  ],
  own: (program) => `gemini mcp add -s user thread-mind ${program} serve`,
};

const cursor: Client = {
  title: "Cursor",
  files: (place, program) => {
    const folder = place.isProject ? join(place.root(), ".cursor") : inHome(".cursor");
    const hooks = [
      shellHook("cursor", program, start("sessionStart"), { timeout: START_SECONDS }),
      shellHook("cursor", program, end("sessionEnd"), { timeout: 5 }),
    ];
    return [
      { path: join(folder, "mcp.json"), format: "json", server: { key: "mcpServers", entry: typedEntry(program) } },
      { path: join(folder, "hooks.json"), format: "json", hooks: { isGrouped: false, hooks }, base: { version: 1 } },
    ];
  },
  next: ({ isProject }) => [
    "Restart Cursor.",
    ...(isProject ? ["Commit the files of .cursor; everyone who works here needs threadmind on PATH."] : []),
  ],
};

const vscode: Client = {
  title: "VS Code",
  files: (place, program) => {
    const hooks = [withType(START_SECONDS, shellHook("vscode", program, start("SessionStart"), {}))];
    const servers = place.isProject
      ? join(place.root(), ".vscode", "mcp.json")
      : inApplicationData("Code", "User", "mcp.json");
    const folder = place.isProject ? join(place.root(), ".github", "hooks") : inHome(".copilot", "hooks");
    return [
      { path: servers, format: "json", server: { key: "servers", entry: typedEntry(program) } },
      { path: join(folder, "threadmind.json"), format: "json", hooks: { isGrouped: false, hooks } },
    ];
  },
  next: ({ isProject }) => [
    "Reload the window of VS Code, and start thread-mind where it asks (command MCP: List Servers). Hooks are a preview there.",
    ...(isProject ? ["Commit both files; everyone who works here needs threadmind on PATH."] : []),
  ],
  own: (program) => `code --add-mcp '${JSON.stringify({ name: "thread-mind", command: program, args: ARGS })}'`,
};

/** The clients whose files are written, Claude Code's plugin apart. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-desktop": claudeDesktop,
  codex,
  gemini,
  cursor,
  vscode,
};
