import { type ContextAnswer, readContext, withNotices } from "../commands/scene.ts";
import { cutAtLineEnd } from "../core/text_cut.ts";
import { tokensIn } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import {
  type ClientPlace,
  findConversation,
  type LeftConversation,
  listRunning,
  readClientSession,
  writeConversation,
} from "../io/client_session.ts";
import { changeConfig, readConfig } from "../io/config.ts";
import { hideBareState } from "../io/elsewhere.ts";
import type { Layout } from "../io/layout.ts";
import type { Scene } from "../io/scene.ts";
import type { Sighting } from "../io/seen.ts";
import { openSession, type Session } from "../io/session.ts";
import { checkSessionId, checkTranscript, type SessionRecord } from "../io/session_record.ts";
import { openStore } from "../io/store.ts";
import { measureTranscript } from "../io/transcript.ts";
import type { HookOutcome } from "./hook.ts";
import { clientPidOf, HOOK_LOCK_MS, type HookCall } from "./hook_call.ts";

/** Claude Code shows at most 10,000 characters of a hook's answer, and hides all of a longer one. */
const MOST_CHARACTERS = 9000;
const MOST_NOTICE_CHARACTERS = 1500;
const LEAST_TOKENS = 60;
const MOST_MISSED = 10;
const MISSED_MS = 300;
/** The history is still there: nothing has to be shown again. */
const CONTINUING = new Set(["resume", "fork"]);

/** SessionStart: the context for the model, unless its conversation goes on; remembers where the client stands. */
export async function startSession(call: HookCall): Promise<HookOutcome> {
  const { payload, layout, now } = call;
  const { projects, faults } = openStore(layout.root, now).readProjects();
  if (projects.length === 0 && faults.length === 0) {
    if (!call.isDryRun) await hideBareState(layout);
    return { value: {}, text: "" };
  }
  const pid = clientPidOf(call);
  const left = leftBy(call, pid);
  const session = openSession({
    whereabouts: call.whereabouts,
    now,
    ...(call.isDryRun ? {} : { clientPid: pid }),
    start: left?.place ?? "new",
    project: call.options.project,
    thread: call.options.thread,
  });
  // Nothing is said to a conversation that goes on, so nothing may move it either: the server's next call will.
  if (CONTINUING.has(payload.source ?? "")) {
    const kept = { place: left?.place, seen: left?.seen ?? new Map(), tokens: undefined };
    const aside = call.isDryRun ? undefined : await remember(call, pid, kept);
    return { value: {}, text: aside === undefined ? "" : `⚠ ${aside}` };
  }
  let place: ClientPlace | undefined;
  let answer: ContextAnswer | undefined;
  let aside: string | undefined;
  try {
    const scene = await session.scene({});
    const { active, project, head } = scene;
    if (active !== undefined) place = { project: project.id, thread: active.id, branch: head?.branch };
    answer = await readFitting(session, scene, call);
  } finally {
    const shown = { place, seen: session.seen.list(), tokens: answer?.tokens };
    if (!call.isDryRun) aside = await remember(call, pid, shown);
  }
  const { project, thread, tokens, leftOut, isCut, notices, context } = answer;
  const said =
    aside === undefined
      ? notices
      : [`⚠ ${aside}`, ...notices.filter((line) => !/config\.json.* counts as empty/.test(line))];
  return { value: { project, thread, tokens, leftOut, isCut }, text: withNotices(said, context) };
}

/** Where the client stood, and what it had seen: before `/clear` and compaction, or when the conversation was left that is resumed. */
function leftBy({ payload, layout }: HookCall, pid: number): LeftConversation | undefined {
  const { source, sessionId, client } = payload;
  // Claude Code starts with a process of its own: what is written under its number is of an earlier one.
  const isFresh = source === "startup" && (client === "claude-code" || client === undefined);
  const own = isFresh ? undefined : readClientSession(layout, pid);
  if (source !== "resume" || sessionId === undefined || own?.conversation === sessionId) return own;
  return findConversation(layout, sessionId) ?? own;
}

/** The context, with its notices in no more characters than clients show. */
async function readFitting(session: Session, scene: Scene, { options }: HookCall): Promise<ContextAnswer> {
  const wanted = tokenBudget(options.maxTokens);
  const read = (room: number): Promise<ContextAnswer> =>
    readContext(session, scene, scene.active?.id, Math.max(LEAST_TOKENS, Math.min(wanted, tokensIn(room))), false);
  const first = await read(MOST_CHARACTERS);
  const notices = cutNotices(first.notices);
  const room = MOST_CHARACTERS - (withNotices(notices, "x").length - 1);
  if (first.context.length <= room) return { ...first, notices };
  session.seen.forget();
  return { ...(await read(room)), notices };
}

function tokenBudget(typed: string | undefined): number {
  if (typed === undefined) return Number.MAX_SAFE_INTEGER;
  const budget = Number(typed);
  if (Number.isSafeInteger(budget) && budget >= LEAST_TOKENS) return budget;
  throw new ThreadMindError(
    "usage",
    `Cannot run threadmind hook: --max-tokens must be a whole number of at least ${LEAST_TOKENS}.`,
    "",
  );
}

function cutNotices(notices: readonly string[]): readonly string[] {
  const text = cutAtLineEnd(notices.join("\n"), MOST_NOTICE_CHARACTERS);
  return text === "" ? [] : text.split("\n");
}

interface Shown {
  readonly place: ClientPlace | undefined;
  readonly seen: ReadonlyMap<string, Sighting>;
  /** of the context that was loaded */
  readonly tokens: number | undefined;
}

/**
 * Writes what the server and the statistics need to know; a checkout that can't be written to starts all the same. Returns
 * what is to be said of a config.json that was set aside.
 */
async function remember(call: HookCall, pid: number, { place, seen, tokens }: Shown): Promise<string | undefined> {
  const { payload, layout, now } = call;
  const at = now().toISOString();
  const id = checkSessionId(payload.sessionId);
  const isFresh = isOtherModel(call, pid);
  const missed = measureMissed(layout, id, payload.source === "resume", at);
  try {
    return await openStore(layout.root, now).change(async (writer) => {
      writeConversation(layout, pid, { id, at, isFresh, place, seen });
      const known = readConfig(layout).sessions.find((record) => record.session === id);
      const records = id === undefined ? missed : [...missed, startedRecord(id, known, payload, at, tokens)];
      return records.length === 0 ? undefined : changeConfig(layout, writer, { sessions: records });
    }, HOOK_LOCK_MS);
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
    return undefined;
  }
}

/** True unless the model still has what this client was shown before: a conversation that goes on, or a fork of it. */
function isOtherModel({ payload: { source = "", sessionId }, layout }: HookCall, pid: number): boolean {
  if (source !== "resume") return !CONTINUING.has(source);
  const before = readClientSession(layout, pid)?.conversation;
  return before !== undefined && before !== sessionId;
}

function startedRecord(
  session: string,
  known: SessionRecord | undefined,
  { client, transcript }: HookCall["payload"],
  at: string,
  tokens: number | undefined,
): SessionRecord {
  return {
    session,
    client: client ?? known?.client,
    transcript: checkTranscript(transcript) ?? known?.transcript,
    startedAt: known?.startedAt ?? at,
    context: tokens ?? known?.context,
    // It runs again: should its end be missed, its transcript is measured at the next start.
    at: undefined,
  };
}

/** Conversations whose end no hook saw, measured now; the running ones are left to their own hooks. */
function measureMissed(layout: Layout, own: string | undefined, isOwnOver: boolean, at: string): SessionRecord[] {
  const running = listRunning(layout);
  const missed = readConfig(layout)
    .sessions.filter((record) => record.at === undefined && record.transcript !== undefined)
    .filter(({ session }) => (session === own ? isOwnOver : !running.has(session)))
    .slice(-MOST_MISSED);
  const deadline = performance.now() + MISSED_MS;
  return missed.flatMap(({ session, transcript = "" }): SessionRecord[] => {
    const limitMs = deadline - performance.now();
    if (limitMs <= 0) return [];
    const measured = measureTranscript(transcript, { limitMs });
    return [{ session, at, ...(measured === undefined ? {} : { size: measured.size, peak: measured.peak }) }];
  });
}
