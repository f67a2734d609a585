import { basename, dirname, join, relative, resolve } from "node:path";
import { normalisePath } from "../core/paths.ts";
import { sanitiseText } from "../core/sanitise.ts";
import { findGovernors, type Governor } from "../core/search.ts";
import { inheritedText } from "../core/summary.ts";
import { stripControls } from "../core/text_controls.ts";
import { cutAtLineEnd } from "../core/text_cut.ts";
import { ThreadMindError } from "../errors.ts";
import { type Edited, readClientSession, writeEdited } from "../io/client_session.ts";
import { realPath } from "../io/files.ts";
import { readStaleNotes } from "../io/freshness.ts";
import type { Scene } from "../io/scene.ts";
import { digestOf, type Sighting } from "../io/seen.ts";
import { openSession } from "../io/session.ts";
import { openStore } from "../io/store.ts";
import { hasBackslashes } from "../io/workspace.ts";
import type { HookOutcome } from "./hook.ts";
import { clientPidOf, HOOK_LOCK_MS, type HookCall } from "./hook_call.ts";

const MOST_CHARACTERS = 600;
const MOST_THREADS = 3;
const MOST_REMEMBERED = 500;
const REST = "… (thread_search with this path has all of it)";

/** Before an edit: the decisions that govern the file, once in a conversation. */
export async function showGovernors(call: HookCall): Promise<HookOutcome> {
  const { payload, layout, now } = call;
  const nothing: HookOutcome = { value: {}, text: "" };
  const pid = clientPidOf(call);
  const told = readClientSession(layout, pid);
  const edited = told?.edited.conversation === payload.sessionId ? (told?.edited.files ?? []) : [];
  const files = payload.files.flatMap((file) => pathInWorkspace(call, file) ?? []);
  const [file] = files.filter((path) => !edited.includes(path));
  if (file === undefined || openStore(layout.root, now).readProjects().projects.length === 0) return nothing;
  const session = openSession({
    whereabouts: call.whereabouts,
    now,
    clientPid: pid,
    start: told?.place ?? "new",
    project: call.options.project,
  });
  const scene = await session.scene({ quiet: true });
  const governors = findGovernors(scene.tree.threads.values(), file)
    .filter(({ thread }) => thread.status !== "abandoned" && thread.fault === undefined)
    .filter(({ thread }) => thread.conflictLine === undefined && inheritedText(thread.body).trim() !== "")
    .slice(0, MOST_THREADS);
  if (governors.length === 0) return nothing;
  const text = await render(scene, file, governors);
  const partly = new Map(
    governors.map(({ thread }): [string, Sighting] => [
      `${scene.project.id}/${thread.id}`,
      { digest: digestOf(thread), isWhole: false },
    ]),
  );
  const shown: Edited = { conversation: payload.sessionId, files: [...edited, file].slice(-MOST_REMEMBERED) };
  if (!call.isDryRun) await remember(call, pid, shown, new Map([...partly, ...(told?.seen ?? [])]));
  return { value: { file, threads: governors.map(({ thread }) => thread.id) }, text };
}

async function render({ git, workspace }: Scene, file: string, governors: readonly Governor[]): Promise<string> {
  const threads = governors.map(({ thread }) => thread);
  const notes = await readStaleNotes(git, workspace.root, threads);
  const parts = governors.flatMap(({ thread, path }) => {
    const note = notes.get(thread.id);
    const mark = thread.status === "open" ? "" : ` (${thread.status})`;
    const decisions = sanitiseText(inheritedText(thread.body)).trim();
    return [
      `Thread ${stripControls(thread.id)}${mark}, about ${stripControls(path)}:`,
      ...(note === undefined ? [] : [note]),
      decisions,
    ];
  });
  const text = [`Decided earlier about ${stripControls(file)} (ThreadMind):`, ...parts].join("\n");
  if (text.length <= MOST_CHARACTERS) return text;
  return `${cutAtLineEnd(text, MOST_CHARACTERS - REST.length - 1)}\n${REST}`;
}

/** The file as threads name it; `undefined` for one that isn't in the workspace. */
function pathInWorkspace({ payload, layout }: HookCall, file: string): string | undefined {
  const absolute = resolve(payload.directory ?? layout.root, file);
  const folder = realPath(dirname(absolute)) ?? dirname(absolute);
  const way = relative(realPath(layout.root) ?? layout.root, join(folder, basename(absolute)));
  const result = normalisePath(way, hasBackslashes);
  return "path" in result && result.path !== "." ? result.path : undefined;
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
