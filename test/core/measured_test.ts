import { expect, test } from "bun:test";
import { type MeasuredSession, measureSessions, renderMeasured } from "../../src/core/measured.ts";

const TABLE: readonly (readonly [string, readonly MeasuredSession[], readonly string[]])[] = [
  [
    "no session",
    [],
    ["Measured sessions: none yet. The Claude Code plugin measures them: threadmind setup claude-code"],
  ],
  [
    "only sessions of unknown size",
    [{ client: "codex" }, {}],
    ["Measured sessions: none yet. The Claude Code plugin measures them: threadmind setup claude-code"],
  ],
  [
    "sizes and contexts",
    [
      { client: "claude-code", size: 30_000, peak: 96_000, context: 1100 },
      { client: "claude-code", size: 66_401, context: 1200 },
      { client: "claude-code", context: 1150 },
    ],
    [
      "Measured sessions (Claude Code plugin):",
      "  Conversation size when sessions ended: ~48,201 tokens on average, ~96,000 at most (2 sessions)",
      "  ThreadMind context loaded at session start: ~1,150 tokens on average (3 sessions)",
      "  Conversation sizes are the model provider's counts, read from transcripts; contexts are estimates.",
    ],
  ],
  [
    "one session of each of two clients",
    [
      { client: "codex", size: 5 },
      { client: "mine", size: 7 },
    ],
    [
      "Measured sessions (Codex, another client):",
      "  Conversation size when sessions ended: ~6 tokens on average, ~7 at most (2 sessions)",
      "  Conversation sizes are the model provider's counts, read from transcripts; contexts are estimates.",
    ],
  ],
  [
    "a largest size whose session's end isn't known",
    [{ client: "codex", peak: 150_000 }],
    [
      "Measured sessions (Codex):",
      "  Conversation size: ~150,000 tokens at most; how large sessions ended isn't known",
      "  Conversation sizes are the model provider's counts, read from transcripts; contexts are estimates.",
    ],
  ],
  [
    "a largest size beside sizes",
    [{ size: 1000, peak: 1000 }, { peak: 150_000 }],
    [
      "Measured sessions:",
      "  Conversation size when sessions ended: ~1,000 tokens on average, ~150,000 at most (1 session)",
      "  Conversation sizes are the model provider's counts, read from transcripts; contexts are estimates.",
    ],
  ],
  [
    "contexts alone",
    [{ context: 9 }],
    [
      "Measured sessions:",
      "  ThreadMind context loaded at session start: ~9 tokens on average (1 session)",
      "  No session's end was measured yet.",
    ],
  ],
];

for (const [name, sessions, lines] of TABLE) {
  test(`renderMeasured() shows ${name}`, () => {
    expect(renderMeasured(measureSessions(sessions))).toEqual([...lines]);
  });
}
