import { describeChanges } from "../core/changes.ts";
import { parseThreadReference, type ThreadId, threadIdOfFile } from "../core/id.ts";
import { nextStep } from "../core/next_step.ts";
import { sanitiseText } from "../core/sanitise.ts";
import { stripControls } from "../core/text_controls.ts";
import { findThread, getThread, type Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import { faultError } from "../io/store.ts";
import { readDepartures, readVersions, type StoredVersion } from "../io/versions.ts";
import { optionalText, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { withNotices } from "./scene.ts";

const MOST_VERSIONS = 50;
const BRING_BACK = nextStep("thread_restore ID", ["restore", "ID"]);
const CUT_OFF = "earlier history isn't in this shallow clone";

interface Listed {
  readonly revision: string;
  readonly at: string;
  readonly by: string | undefined;
  readonly subject: string | undefined;
  readonly changes: readonly string[];
}

/** Shows a thread's versions, one of them, or what was deleted. */
export const threadHistory = defineCommand({
  name: "thread_history",
  title: "Thread history",
  description:
    "List a thread's earlier versions and what changed; with revision show that text; without a thread, what was deleted",
  effect: "read",
  cli: [{ usage: "history [threadId]", summary: "List a thread's earlier versions, or what was deleted" }],
  menu: [],
  input: {
    threadId: threadIdArgument("Thread, also one that is gone; without it: what was deleted"),
    revision: optionalText("A revision of the list, to read its text"),
  },
  async run(session, { threadId, revision }) {
    const scene = await session.scene({ threadId, mayBeGone: true });
    const base = { project: scene.project.id, notices: scene.notices };
    if (threadId === undefined) {
      if (revision !== undefined)
        throw new ThreadMindError("invalid-argument", "Cannot show a revision without a thread.", "Give threadId too.");
      return { ...base, deleted: await listDeleted(scene), isCutOff: isShallow(scene) };
    }
    const id = idOf(scene, threadId);
    const versions = await readVersions(scene, scene.project, id);
    const present = versions.length === 0 ? getEvenGone(scene, threadId) : findThread(scene.tree, id);
    if (versions.length === 0 && present?.fault !== undefined) throw faultError(present);
    const unread =
      present?.fault === undefined ? [] : [`⚠ ${present.file} can't be read now: ${present.fault.message}`];
    const notices = [...base.notices, ...unread];
    if (revision === undefined) return { ...base, notices, thread: id, versions: listVersions(versions) };
    const { file, ...version } = getVersion(versions, id, revision);
    return {
      ...base,
      thread: id,
      revision: version.revision,
      at: version.at,
      title: file.fields.title ?? id,
      text: sanitiseText(file.body).trim(),
    };
  },
  text: (value, say) => withNotices(value.notices, render(value, say(BRING_BACK))),
});

/** The id that is meant, of a thread that is there or of one that is gone. */
function idOf({ tree }: Scene, typed: string): ThreadId {
  const { thread } = parseThreadReference(typed);
  return findThread(tree, thread)?.id ?? threadIdOfFile(thread) ?? (thread as ThreadId);
}

/** The thread, where none of its texts is known. Throws `unknown-thread`, which says if a shallow clone may be why. */
export function getEvenGone(scene: Scene, typed: string): Thread {
  try {
    return getThread(scene.tree, typed);
  } catch (error) {
    if (!(error instanceof ThreadMindError) || error.code !== "unknown-thread" || !isShallow(scene)) throw error;
    throw new ThreadMindError(error.code, `${error.message.replace(/\.$/, "")} (${CUT_OFF}).`, error.hint);
  }
}

function isShallow({ git }: Scene): boolean {
  return git?.isShallow === true;
}

/** The version of a revision as typed. Throws `invalid-argument` naming those there are. */
export function getVersion(versions: readonly StoredVersion[], id: string, revision: string): StoredVersion {
  const found = versions.filter((version) => version.revision === revision || version.revision.startsWith(revision));
  const [only] = found;
  if (only !== undefined && (found.length === 1 || only.revision === revision)) return only;
  const earlier = versions.filter((version) => version.revision !== "current");
  const known = earlier
    .slice(0, 5)
    .map((version) => version.revision)
    .join(", ");
  throw new ThreadMindError(
    "invalid-argument",
    `Cannot find the revision ${JSON.stringify(revision)} of ${id}.`,
    known === "" ? "It has no earlier version." : `There are: ${known}${earlier.length > 5 ? ", …" : ""}.`,
  );
}

function listVersions(versions: readonly StoredVersion[]): Listed[] {
  const isCutOff = versions.some((version) => version.isCutOff);
  return versions.slice(0, MOST_VERSIONS).map(({ revision, at, by, subject, file }, index) => ({
    ...{ revision, at, by, subject },
    changes: isCutOff && index === versions.length - 1 ? [CUT_OFF] : describeChanges(versions[index + 1]?.file, file),
  }));
}

async function listDeleted(
  scene: Scene,
): Promise<{ at: string; by: string | undefined; threads: readonly string[] }[]> {
  const departures = await readDepartures(scene, scene.project);
  return departures.slice(0, MOST_VERSIONS).map(({ at, by, threads }) => ({ at, by, threads }));
}

type Value =
  | { readonly deleted: Awaited<ReturnType<typeof listDeleted>>; readonly isCutOff: boolean }
  | { readonly thread: string; readonly versions: readonly Listed[] }
  | { readonly thread: string; readonly title: string; readonly revision: string; readonly text: string };

function render(value: Value, bringBack: string): string {
  if ("deleted" in value) {
    const lines = value.deleted.map(
      ({ at, by, threads }) =>
        `${shortTime(at)}  ${stripControls(threads.join(", "))}${by === undefined ? "" : `  (${stripControls(by)})`}`,
    );
    if (lines.length === 0)
      return value.isCutOff ? `Nothing is known to be deleted (${CUT_OFF}).` : "Nothing was deleted.";
    const end = value.isCutOff ? [`(${CUT_OFF})`] : [];
    return [`Deleted, newest first (${bringBack} brings back all of one line):`, ...lines, ...end].join("\n");
  }
  if ("text" in value)
    return `${stripControls(value.title)} (${value.thread}) as of ${value.revision}:\n\n${value.text === "" ? "_No summary._" : value.text}`;
  return value.versions.map(renderVersion).join("\n");
}

function renderVersion({ revision, at, by, subject, changes }: Listed): string {
  const when = at === "" ? "" : `  ${shortTime(at)}`;
  const origin = [by, subject].filter((part) => part !== undefined).join(": ");
  return stripControls(
    `${revision}${when}${origin === "" ? "" : `  ${origin}`}  (${changes.join(", ") || "same text"})`,
  );
}

function shortTime(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}
