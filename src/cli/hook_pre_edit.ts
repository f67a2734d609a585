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
const LEAST_SHOWN = 30;
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

/** The nearest thread first; one of which not a line fits is only named. */
async function render({ git, workspace }: Scene, file: string, governors: readonly Governor[]): Promise<string> {
  const threads = governors.map(({ thread }) => thread);
  const notes = await readStaleNotes(git, workspace.root, threads);
  const head = `Decided earlier about ${stripControls(file)} (ThreadMind):`;
  let room = MOST_CHARACTERS - head.length - REST.length - 2;
  const shown: string[] = [];
  const unshown: string[] = [];
  let isCut = false;
  for (const [index, { thread, path }] of governors.entries()) {
    const mark = thread.status === "open" ? "" : ` (${thread.status})`;
    const name = `Thread ${stripControls(thread.id)}${mark}, about ${stripControls(path)}:`;
    const top = [name, ...(notes.has(thread.id) ? [notes.get(thread.id) ?? ""] : [])].join("\n");
    const text = decisionsOf(thread.body);
    // What those after it need to be told at all is left to them.
    const share = Math.floor(room / (governors.length - index)) - top.length - 2;
    const fitting = text.length <= share ? text : cutAtLineEnd(text, Math.max(0, share)).trimEnd();
    if (share < LEAST_SHOWN || fitting === "") {
      unshown.push(stripControls(thread.id));
      continue;
    }
    isCut ||= fitting !== text;
    shown.push(`${top}\n${fitting}`);
    room -= top.length + fitting.length + 2;
  }
  const also = unshown.length === 0 ? [] : [`Also: ${unshown.join(", ")}`];
  return cutAtLineEnd(
    [head, ...shown, ...also, ...(isCut || unshown.length > 0 ? [REST] : [])].join("\n"),
    MOST_CHARACTERS,
  );
}

/** Decisions and constraints without the headings above them, which cost and say little here. */
function decisionsOf(body: string): string {
  return sanitiseText(inheritedText(body))
    .split("\n")
    .filter((line) => !/^#{1,2} |^\s*$/.test(line))
    .join("\n");
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
