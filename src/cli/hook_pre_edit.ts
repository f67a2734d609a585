import { renderEditNote } from "../core/edit_note.ts";
import { findGovernors } from "../core/search.ts";
import { inheritedText } from "../core/summary.ts";
import type { Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { type Edited, readClientSession, writeEdited } from "../io/client_session.ts";
import { findFileNames } from "../io/file_names.ts";
import { readStaleNotes } from "../io/freshness.ts";
import { type Sighting, sightingOf } from "../io/seen.ts";
import { openSession } from "../io/session.ts";
import { openStore } from "../io/store.ts";
import type { HookOutcome } from "./hook.ts";
import { clientPidOf, HOOK_LOCK_MS, type HookCall } from "./hook_call.ts";

const MOST_CHECKED = 12;
const MOST_REMEMBERED = 500;

/** Before an edit: the decisions that govern the files, once in a conversation. */
export async function showGovernors(call: HookCall): Promise<HookOutcome> {
  const { payload, layout, now } = call;
  const nothing: HookOutcome = { value: {}, text: "" };
  const pid = clientPidOf(call);
  const told = readClientSession(layout, pid);
  const edited = told?.edited.conversation === payload.sessionId ? (told?.edited.files ?? []) : [];
  const files = payload.files.map((file) => namesInWorkspace(call, file)).filter(([name]) => name !== undefined);
  const asked = files.filter(([name = ""]) => !edited.includes(name));
  if (asked.length === 0 || openStore(layout.root, now).readProjects().projects.length === 0) return nothing;
  const session = openSession({
    whereabouts: call.whereabouts,
    now,
    clientPid: pid,
    start: told?.place ?? "new",
    project: call.options.project,
  });
  const { tree, git, workspace, project } = await session.scene({ quiet: true });
  const threads = [...tree.threads.values()].filter(hasRules);
  const governed = asked.filter((names) => findGovernors(threads, names).length > 0);
  const governors = findGovernors(threads, governed.flat());
  const checked = governors.slice(0, MOST_CHECKED).map(({ thread }) => thread);
  const subjects = checked.filter(({ conflictLine }) => conflictLine === undefined);
  const notes = await readStaleNotes(git, workspace.root, subjects);
  const names = [...new Set(governed.map(([name = ""]) => name))];
  const { text, shown } = renderEditNote(names, governors, notes);
  if (text === "") return nothing;
  const partly = new Map(
    shown.map(({ thread }): [string, Sighting] => [`${project.id}/${thread.id}`, sightingOf(thread, false)]),
  );
  const remembered: Edited = { conversation: payload.sessionId, files: [...edited, ...names].slice(-MOST_REMEMBERED) };
  if (!call.isDryRun) await remember(call, pid, remembered, new Map([...partly, ...(told?.seen ?? [])]));
  return { value: { files: names, threads: shown.map(({ thread }) => thread.id) }, text };
}

/** True for a thread that has something to say, or whose conflict hides what it says. */
function hasRules({ status, fault, conflictLine, body }: Thread): boolean {
  return (
    status !== "abandoned" && (conflictLine !== undefined || (fault === undefined && inheritedText(body).trim() !== ""))
  );
}

/** The file as threads may name it; empty for one that isn't in the workspace. */
function namesInWorkspace({ payload, layout }: HookCall, file: string): readonly string[] {
  const found = findFileNames(layout.root, file, payload.directory ?? layout.root);
  return "names" in found && found.names[0] !== "." ? found.names : [];
}

async function remember(
  { layout, now }: HookCall,
  pid: number,
  edited: Edited,
  seen: ReadonlyMap<string, Sighting>,
): Promise<void> {
  try {
    const write = async (): Promise<void> => writeEdited(layout, pid, edited, seen);
    await openStore(layout.root, now).change(write, HOOK_LOCK_MS);
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
  }
}
