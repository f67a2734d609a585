import { expect, test } from "bun:test";
import { type HookPayload, parseHookPayload, renderHookAnswer } from "../../src/core/hook_payload.ts";

const EMPTY: HookPayload = {
  client: undefined,
  sessionId: undefined,
  transcript: undefined,
  directory: undefined,
  roots: [],
  source: undefined,
  files: [],
};

const CLAUDE_TRANSCRIPT = "/home/sam/.claude/projects/-work-shop/117d6829-a630.jsonl";
const CODEX_TRANSCRIPT = "/home/sam/.codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-0199.jsonl";

/** What clients send, field for field, and what is understood of it. */
const PAYLOADS: readonly (readonly [string, unknown, Partial<HookPayload>])[] = [
  [
    "Claude Code's SessionStart at startup",
    {
      session_id: "s1",
      transcript_path: CLAUDE_TRANSCRIPT,
      cwd: "/shop",
      hook_event_name: "SessionStart",
      source: "startup",
    },
    { client: "claude-code", sessionId: "s1", transcript: CLAUDE_TRANSCRIPT, directory: "/shop", source: "startup" },
  ],
  [
    "Claude Code's SessionStart on resume",
    {
      ...{ session_id: "s1", transcript_path: CLAUDE_TRANSCRIPT, cwd: "/shop", hook_event_name: "SessionStart" },
      ...{ source: "resume", seconds_since_last_response: 0, context_tokens: 1138, estimated_cache_write_usd: 0.0057 },
    },
    { client: "claude-code", sessionId: "s1", transcript: CLAUDE_TRANSCRIPT, directory: "/shop", source: "resume" },
  ],
  [
    "Claude Code's SessionEnd",
    {
      session_id: "s1",
      transcript_path: CLAUDE_TRANSCRIPT,
      cwd: "/shop",
      hook_event_name: "SessionEnd",
      reason: "clear",
    },
    { client: "claude-code", sessionId: "s1", transcript: CLAUDE_TRANSCRIPT, directory: "/shop" },
  ],
  [
    "Claude Code's PreToolUse",
    {
      ...{ session_id: "s1", cwd: "/shop", permission_mode: "acceptEdits", hook_event_name: "PreToolUse" },
      ...{ tool_name: "Write", tool_input: { file_path: "/shop/b.txt", content: "x" }, tool_use_id: "toolu_13" },
    },
    { client: "claude-code", sessionId: "s1", directory: "/shop", files: ["/shop/b.txt"] },
  ],
  [
    "Codex' SessionStart",
    {
      session_id: "s1",
      transcript_path: CODEX_TRANSCRIPT,
      cwd: "/shop",
      hook_event_name: "SessionStart",
      source: "startup",
      model: "m",
    },
    { client: "codex", sessionId: "s1", transcript: CODEX_TRANSCRIPT, directory: "/shop", source: "startup" },
  ],
  [
    "Codex' PreToolUse with a patch",
    {
      ...{ session_id: "s1", transcript_path: CODEX_TRANSCRIPT, cwd: "/shop", turn_id: "t" },
      ...{
        tool_name: "apply_patch",
        tool_input: { command: "*** Begin Patch\n*** Add File: a b.ts\n+x\n*** Update File: c.ts\n" },
      },
    },
    { client: "codex", sessionId: "s1", transcript: CODEX_TRANSCRIPT, directory: "/shop", files: ["a b.ts", "c.ts"] },
  ],
  [
    "Gemini's SessionStart",
    { session_id: "s1", transcript_path: "/home/sam/.gemini/tmp/x/chats/s.json", cwd: "/shop", source: "startup" },
    {
      client: "gemini",
      sessionId: "s1",
      transcript: "/home/sam/.gemini/tmp/x/chats/s.json",
      directory: "/shop",
      source: "startup",
    },
  ],
  [
    "Cursor's sessionStart",
    {
      ...{
        conversation_id: "c1",
        generation_id: "g",
        model: "m",
        hook_event_name: "sessionStart",
        cursor_version: "2.1",
      },
      ...{ workspace_roots: ["/shop", "/other"], transcript_path: null },
    },
    { client: "cursor", sessionId: "c1", roots: ["/shop", "/other"] },
  ],
  [
    "VS Code's SessionStart",
    {
      timestamp: "x",
      cwd: "/shop",
      sessionId: "v1",
      hookEventName: "SessionStart",
      transcript_path: "/t.json",
      source: "new",
    },
    { client: "vscode", sessionId: "v1", transcript: "/t.json", directory: "/shop", source: "new" },
  ],
  [
    "VS Code's PreToolUse",
    {
      cwd: "/shop",
      sessionId: "v1",
      hookEventName: "PreToolUse",
      tool_name: "editFiles",
      tool_input: { filePath: "/shop/a.ts" },
    },
    { client: "vscode", sessionId: "v1", directory: "/shop", files: ["/shop/a.ts"] },
  ],
  [
    "VS Code's PreToolUse of several files",
    { sessionId: "v1", tool_name: "editFiles", tool_input: { files: ["src/main.ts", "src/b.ts", "src/main.ts"] } },
    { client: "vscode", sessionId: "v1", files: ["src/main.ts", "src/b.ts"] },
  ],
  [
    "a tool with a list of paths",
    { session_id: "s1", tool_input: { filePaths: ["a.ts", "", 7, null, "b.ts"] } },
    { client: "claude-code", sessionId: "s1", files: ["a.ts", "b.ts"] },
  ],
  [
    "a tool with replacements in several files",
    {
      ...{ sessionId: "v1", tool_name: "multi_replace_string_in_file" },
      tool_input: {
        explanation: "x",
        replacements: [{ filePath: "/w/a.ts", oldString: "1" }, { filePath: "/w/b.ts" }, { filePath: 3 }, "c.ts", []],
      },
    },
    { client: "vscode", sessionId: "v1", files: ["/w/a.ts", "/w/b.ts", "c.ts"] },
  ],
  [
    "a tool with one file and edits of it",
    { session_id: "s1", tool_input: { file_path: "a.ts", edits: [{ old_string: "path", new_string: "b" }] } },
    { client: "claude-code", sessionId: "s1", files: ["a.ts"] },
  ],
  [
    "a patch that moves files, as a word of a command line",
    {
      session_id: "s1",
      tool_input: {
        command: [
          "apply_patch",
          "*** Begin Patch\r\n*** Update File: old.ts\r\n*** Move to: new dir/new.ts\r\n+x\r\n*** Delete File: gone.ts\r\n",
        ],
      },
    },
    { client: "claude-code", sessionId: "s1", files: ["old.ts", "new dir/new.ts", "gone.ts"] },
  ],
  [
    "a patch beside a named file",
    { session_id: "s1", tool_input: { path: "a.ts", patch: "*** Add File: b.ts\n" } },
    { client: "claude-code", sessionId: "s1", files: ["a.ts", "b.ts"] },
  ],
  [
    "no more than twenty files",
    { session_id: "s1", tool_input: { files: Array.from({ length: 50 }, (_, index) => `${index}.ts`) } },
    { client: "claude-code", sessionId: "s1", files: Array.from({ length: 20 }, (_, index) => `${index}.ts`) },
  ],
  [
    "fields of other types",
    { session_id: 7, transcript_path: ["x"], cwd: {}, source: 3, workspace_roots: "x", tool_input: 1 },
    { client: "claude-code" },
  ],
  ["empty texts", { session_id: "", transcript_path: "", cwd: "" }, { client: "claude-code" }],
  [
    "roots that are no texts",
    { conversation_id: "c", workspace_roots: [1, null, "/a"] },
    { client: "cursor", sessionId: "c", roots: ["/a"] },
  ],
  ["keys of an object's own", { __proto__: { session_id: "x" }, constructor: 1 }, {}],
  ["nothing", {}, {}],
];

for (const [name, payload, expected] of PAYLOADS) {
  test(`parseHookPayload() reads ${name}`, () => {
    expect(parseHookPayload(JSON.stringify(payload), undefined)).toEqual({ ...EMPTY, ...expected });
  });
}

test("parseHookPayload() takes what is no object for nothing, and the named client at its word", () => {
  for (const text of ["", "[]", "null", '"x"', "{", `{"a":${"[".repeat(300_000)}`, "\u0000"]) {
    expect(parseHookPayload(text, undefined)).toEqual(EMPTY);
    expect(parseHookPayload(text, "codex")).toEqual({ ...EMPTY, client: "codex" });
  }
  expect(parseHookPayload('\ufeff{"session_id":"s"}', undefined).sessionId).toBe("s");
});

test("renderHookAnswer() gives each client the text in the form that it reads", () => {
  const text = 'a "b"\nc';
  const json = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } };
  for (const client of [undefined, "claude-code"] as const)
    expect(renderHookAnswer(client, "SessionStart", text)).toBe(text);
  for (const client of ["codex", "gemini", "vscode"] as const)
    expect(JSON.parse(renderHookAnswer(client, "SessionStart", text))).toEqual(json);
  expect(JSON.parse(renderHookAnswer("cursor", "SessionStart", text))).toEqual({ additional_context: text });
  expect(JSON.parse(renderHookAnswer("claude-code", "PreToolUse", text))).toEqual({
    hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: text },
  });
});
