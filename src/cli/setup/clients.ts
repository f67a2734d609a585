import { join } from "node:path";
import { ThreadMindError } from "../../errors.ts";
import { findRepositoryTop } from "../../io/git.ts";
import { findPlugin } from "./claude_doubles.ts";
import type { FileSpec } from "./file_plan.ts";
import type { Grammar } from "./grammar.ts";
import type { Hook } from "./hook_entry.ts";
import { inApplicationData, inHome, inVariable, type Place } from "./place.ts";
import { PROGRAM, quoteWord, renderHookCommand } from "./program.ts";
import type { Plain } from "./value.ts";

/** A client whose files are written. */
export interface Client {
  readonly title: string;
  readonly files: (place: Place, program: string) => readonly FileSpec[];
  /** what is left for a person to do after a change */
  readonly next: (place: Place) => readonly string[];
  /** the client's own way to the same entry; `undefined` where it has none for a project */
  readonly own?: (program: string, isProject: boolean) => string | undefined;
}

const ARGS = ["serve"];
const START_SECONDS = 10;
const START_SOURCES = "startup|resume|clear|compact|fork";

// What the parsers of the clients take, tried with Claude Code, Codex and Gemini CLI. VS Code and Cursor take all of it.
const STRICT = { comments: false, trailingCommas: false };
const CLAUDE_CODE: Grammar = { client: "Claude Code", ...STRICT, byteOrderMark: true };
const CLAUDE_DESKTOP: Grammar = { client: "Claude Desktop", ...STRICT, byteOrderMark: true };
const CODEX: Grammar = { client: "Codex", ...STRICT, byteOrderMark: false };
const GEMINI: Grammar = { client: "Gemini CLI", comments: true, trailingCommas: false, byteOrderMark: false };

/** What is left to say where the project is a repository. */
function commitNext(place: Place, line: string): readonly string[] {
  return place.isProject && findRepositoryTop(place.root()) !== undefined ? [line] : [];
}

const needsPath = ({ isProject }: Place): readonly string[] =>
  isProject ? ["Everyone who works here needs threadmind on PATH."] : [];

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
      grammar: CLAUDE_CODE,
      server: { key: "mcpServers", entry: typedEntry(PROGRAM) },
    },
    {
      path: join(place.root(), ".claude", "settings.json"),
      format: "json",
      grammar: CLAUDE_CODE,
      hooks: {
        isGrouped: true,
        hooks: [
          execHook("SessionStart", "session-start", START_SECONDS, START_SOURCES),
          execHook("SessionEnd", "session-end", 5),
        ],
      },
    },
  ],
  next: (place) => [
    ...commitNext(place, "Commit .mcp.json and .claude/settings.json."),
    ...needsPath(place),
    "Restart Claude Code here and approve the server of .mcp.json.",
    ...(findPlugin(place) === undefined
      ? ["Don't install the plugin besides (threadmind setup claude-code): everything would run twice."]
      : []),
  ],
  own: () => "claude mcp add --scope project thread-mind -- threadmind serve",
};

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
    const entry = { ...plainEntry(program), env: { THREADMIND_ROOT: place.root() } };
    const path = inApplicationData("Claude", "claude_desktop_config.json");
    return [{ path, format: "json", grammar: CLAUDE_DESKTOP, server: { key: "mcpServers", entry } }];
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
      { path: join(folder, "hooks.json"), format: "json", grammar: CODEX, hooks: { isGrouped: true, hooks } },
    ];
  },
  next: (place) => [
    "Restart Codex, and trust the two hooks there: it runs no hook that nobody has trusted.",
    ...commitNext(place, "Commit the files of .codex."),
    ...(place.isProject ? ["Codex reads the files of .codex in a project that is trusted."] : []),
    ...needsPath(place),
  ],
  own: (program, isProject) => (isProject ? undefined : `codex mcp add thread-mind -- ${quoteWord(program)} serve`),
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
    const path = join(folder, "settings.json");
    return [{ path, format: "json", grammar: GEMINI, server, hooks: { isGrouped: true, hooks } }];
  },
  next: (place) => [
    "Restart Gemini CLI.",
    ...commitNext(place, "Commit .gemini/settings.json."),
    ...(place.isProject ? ["Gemini CLI starts servers in trusted folders only."] : []),
    ...needsPath(place),
  ],
  own: (program, isProject) =>
    `gemini mcp add -s ${isProject ? "project" : "user"} thread-mind ${quoteWord(program)} serve`,
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
  next: (place) => ["Restart Cursor.", ...commitNext(place, "Commit the files of .cursor."), ...needsPath(place)],
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
  next: (place) => [
    "Reload the window of VS Code, and start thread-mind where it asks (command MCP: List Servers). Hooks are a preview there.",
    ...commitNext(place, "Commit both files."),
    ...needsPath(place),
  ],
  own: (program, isProject) => {
    const entry = JSON.stringify({ name: "thread-mind", command: program, args: ARGS });
    return isProject ? undefined : `code --add-mcp ${quoteWord(entry)}`;
  },
};

/** The clients whose files are written, Claude Code's plugin apart. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-desktop": claudeDesktop,
  codex,
  gemini,
  cursor,
  vscode,
};
