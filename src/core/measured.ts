import { countOf, groupDigits } from "./tokens.ts";

/** What is known of one session's size; each in tokens. */
export interface MeasuredSession {
  readonly client?: string | undefined;
  readonly context?: number | undefined;
  readonly size?: number | undefined;
  readonly peak?: number | undefined;
}

/** Averages over sessions; `undefined` where none is known. */
export interface MeasuredSizes {
  readonly ended: { readonly sessions: number; readonly average: number } | undefined;
  /** the largest that any of them ever was */
  readonly most: number | undefined;
  readonly loaded: { readonly sessions: number; readonly average: number } | undefined;
  readonly clients: readonly string[];
}

const CLIENT_NAMES: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code plugin",
  codex: "Codex",
  gemini: "Gemini CLI",
  cursor: "Cursor",
  vscode: "VS Code",
};

/** What sessions' sizes come to. */
export function measureSessions(sessions: readonly MeasuredSession[]): MeasuredSizes {
  const sizes = sessions.flatMap(({ size }) => size ?? []);
  const peaks = sessions.flatMap(({ size, peak }) => [size ?? [], peak ?? []].flat());
  const contexts = sessions.flatMap(({ context }) => context ?? []);
  const counted = sessions.filter(({ size, peak, context }) => (size ?? peak ?? context) !== undefined);
  return {
    ended: sizes.length === 0 ? undefined : averageOf(sizes),
    most: peaks.length === 0 ? undefined : peaks.reduce((a, b) => Math.max(a, b)),
    loaded: contexts.length === 0 ? undefined : averageOf(contexts),
    clients: [...new Set(counted.flatMap(({ client }) => client ?? []))].sort(),
  };
}

function averageOf(values: readonly number[]): { readonly sessions: number; readonly average: number } {
  const sum = values.reduce((all, value) => all + value, 0);
  return { sessions: values.length, average: Math.round(sum / values.length) };
}

/** The sizes for people; says where to get them if there are none. */
export function renderMeasured({ ended, most, loaded, clients }: MeasuredSizes): string[] {
  if (ended === undefined && most === undefined && loaded === undefined)
    return ["Measured sessions: none yet. The Claude Code plugin measures them: threadmind setup claude-code"];
  const names = clients.map((client) => CLIENT_NAMES[client] ?? "another client");
  const tokens = (value: number): string => `~${groupDigits(value)} tokens`;
  const lines = [`Measured sessions${names.length === 0 ? "" : ` (${[...new Set(names)].join(", ")})`}:`];
  if (ended !== undefined) {
    const { average, sessions } = ended;
    lines.push(
      `  Conversation size when sessions ended: ${tokens(average)} on average, ~${groupDigits(most ?? average)} at most (${countOf(sessions, "session")})`,
    );
  } else if (most !== undefined)
    lines.push(`  Conversation size: ${tokens(most)} at most; how large sessions ended isn't known`);

  if (loaded !== undefined) {
    const { average, sessions } = loaded;
    lines.push(
      `  ThreadMind context loaded at session start: ${tokens(average)} on average (${countOf(sessions, "session")})`,
    );
  }
  const counted = "  Conversation sizes are the model provider's counts, read from transcripts";
  lines.push(most === undefined ? "  No session's end was measured yet." : `${counted}; contexts are estimates.`);
  return lines;
}
