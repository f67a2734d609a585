import process from "node:process";
import {
  HOOK_CLIENTS,
  type HookClient,
  type HookPayload,
  parseHookPayload,
  renderHookAnswer,
} from "../core/hook_payload.ts";
import { findNearest, quote } from "../core/id.ts";
import { describeError, ThreadMindError } from "../errors.ts";
import { layoutOf } from "../io/layout.ts";
import { findWorkspace, type Whereabouts } from "../io/workspace.ts";
import type { HookCall } from "./hook_call.ts";
import { readPayload } from "./input.ts";
import type { GlobalOptions } from "./options.ts";
import { isInputTerminal, writeNotice } from "./output.ts";

const PAYLOAD_MS = 1000;

/** What a hook did: the value for `--json`, the text that the client gives to its model. */
export interface HookOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Handler = (call: HookCall) => Promise<HookOutcome>;

interface HookEvent {
  /** as the clients' answers name it */
  readonly clientName: string;
  load(): Promise<Handler>;
}

const NOTHING: HookOutcome = { value: {}, text: "" };

const EVENTS: Readonly<Record<string, HookEvent>> = {
  "session-start": { clientName: "SessionStart", load: async () => (await import("./hook_start.ts")).startSession },
  "session-end": { clientName: "SessionEnd", load: async () => (await import("./hook_end.ts")).endSession },
  "pre-edit": { clientName: "PreToolUse", load: async () => (await import("./hook_pre_edit.ts")).showGovernors },
};

/** The events that a hook may be for. */
export const HOOK_EVENTS: readonly string[] = Object.keys(EVENTS);

/**
 * Runs a client's hook: the event's payload is read from standard input. Outside a project there is nothing to do; a
 * failure is one line for the model or the person, never an exit code, since some clients stop at one. Throws `usage` for
 * wrong words, but at a terminal only.
 */
export async function runHook(options: GlobalOptions, words: readonly string[]): Promise<HookOutcome> {
  try {
    return await runEvent(options, words);
  } catch (error) {
    if (!(error instanceof ThreadMindError) || isInputTerminal()) throw error;
    writeNotice(`threadmind: ${describeError(error)}`);
    return NOTHING;
  }
}

async function runEvent(options: GlobalOptions, words: readonly string[]): Promise<HookOutcome> {
  const isDryRun = words.includes("--dry-run");
  const { event, client } = parseWords(words.filter((word) => word !== "--dry-run"));
  const payload = parseHookPayload(await readPayload(PAYLOAD_MS), client);
  const { clientName, load } = event;
  try {
    const { value, text } = await callIn(options, payload, isDryRun, load);
    const answer = text === "" || clientName === "SessionEnd" ? "" : renderHookAnswer(payload.client, clientName, text);
    return { value: { ...value, text }, text: answer };
  } catch (error) {
    if (!(error instanceof ThreadMindError)) {
      writeNotice(`threadmind: this is a bug, please report it: ${error instanceof Error ? error.stack : error}`);
      return NOTHING;
    }
    const line = describeError(error).replace(/\s*\n\s*/g, " ");
    if (clientName !== "SessionStart") return { value: { error: line }, text: "" };
    return { value: { error: line }, text: renderHookAnswer(payload.client, clientName, line) };
  }
}

async function callIn(
  options: GlobalOptions,
  payload: HookPayload,
  isDryRun: boolean,
  load: () => Promise<Handler>,
): Promise<HookOutcome> {
  const whereabouts = whereaboutsOf(options, payload);
  const workspace = findWorkspace(whereabouts);
  if (workspace?.isPresent !== true) return NOTHING;
  const handler = await load();
  return handler({ payload, options, whereabouts, layout: layoutOf(workspace.root), now: () => new Date(), isDryRun });
}

/** Where the client's server looks too: what it was told, the client's roots, its project folder, its working directory. */
function whereaboutsOf({ root, directory }: GlobalOptions, { roots, directory: cwd }: HookPayload): Whereabouts {
  if (directory !== undefined) return { root, directory };
  const hasProject = (process.env.CLAUDE_PROJECT_DIR ?? "").trim() !== "";
  return { root, clientRoots: roots.length > 0 || hasProject || cwd === undefined ? roots : [cwd] };
}

function parseWords(words: readonly string[]): { readonly event: HookEvent; readonly client: HookClient | undefined } {
  const rest = [...words];
  let named: string | undefined;
  for (let at = 0; at < rest.length; at++) {
    const [name, inline] = (rest[at] ?? "").split("=", 2);
    if (name !== "--client") continue;
    named = inline ?? rest[at + 1];
    if (named === undefined) throw usageError("the option --client needs a value", HOOK_CLIENTS.join(", "));
    rest.splice(at, inline === undefined ? 2 : 1);
    break;
  }
  const [typed, extra] = rest;
  const unknown = rest.find((word) => word.startsWith("-")) ?? extra;
  if (typed === undefined) throw usageError("the event is missing", `The events are: ${HOOK_EVENTS.join(", ")}.`);
  const event = Object.hasOwn(EVENTS, typed) ? EVENTS[typed] : undefined;
  if (event === undefined) throw usageError(`there is no event ${quote(typed)}`, suggest(typed, HOOK_EVENTS));
  if (unknown !== undefined)
    throw usageError(`it takes no ${quote(unknown)}`, "It takes --client NAME, --dry-run and --max-tokens N.");
  const client = HOOK_CLIENTS.find((name) => name === named);
  if (named !== undefined && client === undefined)
    throw usageError(`there is no client ${quote(named)}`, suggest(named, HOOK_CLIENTS));
  return { event, client };
}

function suggest(typed: string, names: readonly string[]): string {
  const [nearest] = findNearest(typed, names);
  return nearest === undefined ? `It is one of: ${names.join(", ")}.` : `Did you mean ${nearest}?`;
}

function usageError(why: string, hint: string): ThreadMindError {
  return new ThreadMindError("usage", `Cannot run threadmind hook: ${why}.`, hint);
}
