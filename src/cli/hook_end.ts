import { ThreadMindError } from "../errors.ts";
import { isUnnamed, nameConversation } from "../io/client_session.ts";
import { changeConfig, readConfig } from "../io/config.ts";
import { checkSessionId, checkTranscript, type SessionRecord } from "../io/session_record.ts";
import { openStore } from "../io/store.ts";
import { measureTranscript } from "../io/transcript.ts";
import type { HookOutcome } from "./hook.ts";
import { clientPidOf, type HookCall } from "./hook_call.ts";

const MEASURE_MS = 600;
/** The client gives a second and a half for everything, its own part of it included. */
const END_MS = 1250;
const LEAST_LOCK_MS = 300;

/** SessionEnd: measures how large the conversation grew, and records it in place of what was known of it. */
export async function endSession(call: HookCall): Promise<HookOutcome> {
  const { payload, layout, now, isDryRun } = call;
  const session = checkSessionId(payload.sessionId);
  const store = openStore(layout.root, now);
  if (session === undefined || store.readProjects().projects.length === 0) return { value: {}, text: "" };
  const transcript = checkTranscript(payload.transcript);
  const measured = transcript === undefined ? undefined : measureTranscript(transcript, { limitMs: MEASURE_MS });
  const known = readConfig(layout).sessions.find((record) => record.session === session);
  const pid = clientPidOf(call);
  const record: SessionRecord | undefined =
    measured === undefined && known === undefined
      ? undefined
      : {
          session,
          client: payload.client ?? known?.client,
          transcript: transcript ?? known?.transcript,
          ...(measured === undefined ? {} : { size: measured.size, peak: measured.peak }),
          at: now().toISOString(),
        };
  const outcome: HookOutcome = { value: { ...record }, text: "" };
  if (isDryRun || (record === undefined && !isUnnamed(layout, pid))) return outcome;
  try {
    await store.change(
      async (writer) => {
        nameConversation(layout, pid, session);
        if (record !== undefined && readConfig(layout).fault === undefined)
          changeConfig(layout, writer, { sessions: [record] });
      },
      Math.max(LEAST_LOCK_MS, END_MS - performance.now()),
    );
  } catch (error) {
    // The next start measures it; the client's end is no place to complain.
    if (!(error instanceof ThreadMindError)) throw error;
  }
  return outcome;
}
