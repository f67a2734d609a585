import { type JsonValue, parseObject } from "./json_file.ts";

/** A client whose hooks call, as `--client` names it; `undefined` in a payload for one that can't be told. */
export type HookClient = "claude-code" | "codex" | "gemini" | "cursor" | "vscode";

/** The names that `--client` takes. */
export const HOOK_CLIENTS: readonly HookClient[] = ["claude-code", "codex", "gemini", "cursor", "vscode"];

/** What a client tells its hook on standard input, whatever it calls things; anything may be missing. */
export interface HookPayload {
  readonly client: HookClient | undefined;
  readonly sessionId: string | undefined;
  readonly transcript: string | undefined;
  /** the folder the client works in */
  readonly directory: string | undefined;
  /** the folders of its workspace, where it names several */
  readonly roots: readonly string[];
  /** why a session starts: `startup`, `clear`, `compact`, `resume`, `fork`, … */
  readonly source: string | undefined;
  /** the files that a tool is about to change */
  readonly files: readonly string[];
}

type Members = ReadonlyMap<string, JsonValue>;

const PATCHED_FILE = /^\*\*\* (?:(?:Update|Delete|Add) File|Move to): (.+)$/gm;
const MOST_FILES = 20;
/** How tools name one file, several, and a patch of some. */
const FILE_KEYS = ["file_path", "filePath", "notebook_path", "notebookPath", "path", "absolute_path", "absolutePath"];
const LIST_KEYS = ["files", "file_paths", "filePaths", "paths", "edits", "replacements"];
const PATCH_KEYS = ["command", "input", "patch", "patchText"];

/**
 * Reads a hook's payload: one JSON object, with the keys of Claude Code, Codex and Gemini (`session_id`), of VS Code
 * (`sessionId`) or of Cursor (`conversation_id`). What isn't one is as good as an empty one. `named` says which client it is.
 */
export function parseHookPayload(text: string, named: HookClient | undefined): HookPayload {
  const parsed = parseObject(text.replace(/^\ufeff/, ""));
  const members: Members = "message" in parsed ? new Map() : parsed.members;
  const find = (...keys: readonly string[]): string | undefined => textOf(members, keys);
  return {
    client: named ?? guessClient(members),
    sessionId: find("session_id", "sessionId", "conversation_id", "conversationId"),
    transcript: find("transcript_path", "transcriptPath"),
    directory: find("cwd"),
    roots: textsOf(members.get("workspace_roots") ?? members.get("workspaceRoots")),
    source: find("source"),
    files: filesOf(members.get("tool_input") ?? members.get("toolInput") ?? members.get("toolArgs")),
  };
}

function guessClient(members: Members): HookClient | undefined {
  if (members.has("cursor_version") || members.has("conversation_id")) return "cursor";
  if (members.has("sessionId") || members.has("hookEventName")) return "vscode";
  const transcript = textOf(members, ["transcript_path"]) ?? "";
  if (/[\\/]rollout-[^\\/]*$/.test(transcript)) return "codex";
  if (/[\\/]\.gemini[\\/]/.test(transcript)) return "gemini";
  return members.has("session_id") ? "claude-code" : undefined;
}

function textOf(members: Members, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = members.get(key);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}

/** The files named by a tool's arguments, in lists of files or of edits among them, or in a patch. */
function filesOf(input: JsonValue | undefined): readonly string[] {
  if (typeof input === "string") return chosen(patchedFiles(input));
  const members = membersOf(input);
  const listed = LIST_KEYS.flatMap((key) => listOf(members.get(key))).flatMap((entry) =>
    typeof entry === "string" ? [entry] : namedFiles(membersOf(entry)),
  );
  const patches = PATCH_KEYS.flatMap((key) => members.get(key) ?? []);
  const patched = patches.flatMap((patch) => (typeof patch === "string" ? patchedFiles(patch) : []));
  return chosen([...namedFiles(members), ...listed, ...patched]);
}

function membersOf(value: JsonValue | undefined): Members {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return new Map(isObject ? Object.entries(value) : []);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function namedFiles(members: Members): readonly string[] {
  return FILE_KEYS.flatMap((key) => members.get(key) ?? []).filter((name) => typeof name === "string");
}

function patchedFiles(patch: string): readonly string[] {
  return [...patch.matchAll(PATCHED_FILE)].map(([, file = ""]) => file.trim());
}

/** Each file once, as many as there is room for. */
function chosen(files: readonly string[]): readonly string[] {
  return [...new Set(files)].filter((file) => file !== "").slice(0, MOST_FILES);
}

/** What a hook prints so that the client gives this text to its model: plain text where the client takes it. */
export function renderHookAnswer(client: HookClient | undefined, event: string, text: string): string {
  if (client === "cursor") return JSON.stringify({ additional_context: text });
  const isPlain = event === "SessionStart" && (client === "claude-code" || client === undefined);
  if (isPlain) return text;
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });
}
