import { findConflict } from "../core/conflict.ts";
import { parseThreadReference, type ThreadId, threadIdOfFile } from "../core/id.ts";
import { normaliseLineEnds } from "../core/lines.ts";
import { nextStep } from "../core/next_step.ts";
import { originOfReason, setStatusReason } from "../core/status_edit.ts";
import { statusReason } from "../core/summary.ts";
import { parseThreadFile, type ThreadFile } from "../core/thread_file.ts";
import { findThread, getThread, type Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Author } from "../io/author.ts";
import type { Scene } from "../io/scene.ts";
import type { Session } from "../io/session.ts";
import type { Writer } from "../io/store.ts";
import { statusOf } from "../io/thread_reading.ts";
import { earlierTextOf, readDeparted, readVersions, type StoredVersion } from "../io/versions.ts";
import { optionalText, textArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { checkOwner } from "./ownership.ts";
import { nameOf, withNotices } from "./scene.ts";
import { getEvenGone, getVersion } from "./thread_history.ts";
import { checkSeen, finishedNotes, keptNote, noteRestored, samePaths, writeThread } from "./thread_write.ts";

const RESTORING = {
  action: "restore",
  hint: "Restoring replaces it: call again if that is meant.",
};

/** Brings back an earlier version of a thread, or what a deletion removed. */
export const threadRestore = defineCommand({
  name: "thread_restore",
  title: "Restore thread",
  description: "Bring back an earlier version of a thread, or all that one deletion removed",
  effect: "set",
  cli: [{ usage: "restore <threadId> [revision]", summary: "Bring back a version, or what was deleted" }],
  menu: [],
  input: {
    threadId: textArgument("Thread, also one that was deleted"),
    revision: optionalText("A revision of its history (default: the newest that differs)"),
  },
  async run(session, { threadId, revision }) {
    const scene = await session.scene({ threadId, mayBeGone: true });
    const author = await session.author(scene.config);
    const { thread: typed } = parseThreadReference(threadId);
    const present = findThread(scene.tree, typed);
    const { notices } = scene;
    if (present !== undefined) {
      const restored = await restoreVersion(session, scene, author, present, revision);
      return {
        project: scene.project.id,
        restored: [present.id as string],
        ...restored,
        notices,
      };
    }
    const id = threadIdOfFile(typed) ?? getThread(scene.tree, threadId).id;
    const texts = await findTexts(scene, id, revision);
    if (texts.size === 0) getEvenGone(scene, threadId);
    const outcome = await restoreDeleted(session, scene, author, texts);
    return { project: scene.project.id, ...outcome, revision, isReplaced: false, name: id as string, notices };
  },
  text: ({ restored, revision, isReplaced, name, warnings, notices }, say) => {
    const what = revision === undefined ? "" : ` as of ${revision}`;
    const kept = isReplaced ? ` ${keptNote(name)}` : "";
    return withNotices(notices, [`Restored ${restored.join(", ")}${what}.${say(kept)}`, ...warnings].join("\n"));
  },
});

/** Writes a version's title and body over a thread that is there, with the commit and fingerprint they were written on. */
async function restoreVersion(
  session: Session,
  scene: Scene,
  author: Author,
  thread: Thread,
  revision: string | undefined,
): Promise<{ revision: string; isReplaced: boolean; name: string; warnings: string[] }> {
  const { store, project } = scene;
  checkOwner(project, thread, author, `restore ${thread.id}`);
  const versions = await readVersions(scene, project, thread.id);
  return store.change(async (writer) => {
    const file = await store.readThreadFile(project.id, thread.id);
    const version =
      revision === undefined
        ? versions.find(
            (each) =>
              each.revision !== "current" &&
              findConflict(each.file.body) === undefined &&
              (restoredBody(each, file, versions).trim() !== normaliseLineEnds(file.body).trim() ||
                each.file.fields.title !== file.fields.title),
          )
        : getVersion(versions, thread.id, revision);
    const refuse = (why: string): ThreadMindError =>
      new ThreadMindError("refused", `Cannot restore ${thread.id}: ${why}.`, `See ${historyOf(thread.id)}.`);
    if (version === undefined) throw refuse("it has no earlier version that differs");
    const { title, commit, fingerprint, paths } = version.file.fields;
    const body = restoredBody(version, file, versions);
    const isSame = samePaths(paths ?? [], file.fields.paths ?? []);
    const fields = { ...(title === undefined ? {} : { title }), commit, fingerprint: isSame ? fingerprint : undefined };
    const source = writeThread(file, { body, fields }, session.now());
    if (source === file.source) throw refuse("that is its text now");
    if (body !== file.body) checkSeen(session, project.id, thread.id, file, RESTORING);
    writer.putThread(project.id, thread.id, source);
    noteRestored(session, project.id, thread.id, { file, body });
    return {
      revision: version.revision,
      isReplaced: body !== file.body && file.body.trim() !== "",
      name: nameOf(session, scene, thread.id),
      warnings: finishedNotes(session, scene, file),
    };
  });
}

/** A version's text with the reason that the thread's present status has, and with no other one that reads as if it held. */
function restoredBody(version: StoredVersion, present: ThreadFile, versions: readonly StoredVersion[]): string {
  const status = statusOf(present.fields.status);
  const reason = statusReason(present.body);
  const holds = status !== "open" && reason !== undefined && reason.word !== "Reopened";
  const old = earlierTextOf(version);
  const origin = originOfReason(old, versions.slice(versions.indexOf(version) + 1).map(earlierTextOf));
  const text = normaliseLineEnds(old.body);
  return setStatusReason(text, status, old.status, holds ? reason.reason : undefined, origin).body;
}

/** The texts to bring back by id: one version of one thread, or all that one deletion removed. */
async function findTexts(
  scene: Scene,
  id: ThreadId,
  revision: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (revision !== undefined) {
    const version: StoredVersion = getVersion(await readVersions(scene, scene.project, id), id, revision);
    return new Map([[id, version.file.source]]);
  }
  return readDeparted(scene, scene.project, id);
}

async function restoreDeleted(
  session: Session,
  scene: Scene,
  author: Author,
  texts: ReadonlyMap<string, string>,
): Promise<{ restored: string[]; warnings: string[] }> {
  const { store, project } = scene;
  const warnings: string[] = [];
  const restored = await store.change(async (writer) => {
    const { tree } = await store.readThreads(project);
    const done: string[] = [];
    for (const [id, source] of texts) {
      if (findThread(tree, id) !== undefined) warnings.push(`${id} is there again: left as it is.`);
      else
        done.push(
          await restoreFile(
            session,
            scene,
            author,
            writer,
            id,
            source,
            (parent) => texts.has(parent) || findThread(tree, parent) !== undefined,
            warnings,
          ),
        );
    }
    return done;
  });
  return { restored, warnings };
}

async function restoreFile(
  session: Session,
  { project, tree }: Scene,
  author: Author,
  writer: Writer,
  id: string,
  source: string,
  isThere: (parent: string) => boolean,
  warnings: string[],
): Promise<string> {
  const valid = threadIdOfFile(id);
  const file = await parseThreadFile(source);
  if (valid === undefined || "message" in file) {
    throw new ThreadMindError(
      "malformed-file",
      `Cannot restore ${id}: its kept text can't be read.`,
      `See ${historyOf(id)} for another revision.`,
    );
  }
  const { parentId, author: owner } = file.fields;
  checkOwner(project, { id: valid, author: owner }, author, `restore ${id}`, false);
  const isLost = typeof parentId === "string" && !isThere(parentId);
  if (isLost) warnings.push(`The parent of ${id}, ${parentId}, is missing: ${id} now stands below ${tree.rootId}.`);
  const fields = isLost ? { parentId: tree.rootId } : {};
  writer.putThread(project.id, valid, writeThread(file, { fields, isTouched: true }, session.now()));
  return id;
}

function historyOf(id: string): string {
  return nextStep(`thread_history of ${id}`, ["history", id]);
}
