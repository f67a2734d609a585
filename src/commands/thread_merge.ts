import { findConflict } from "../core/conflict.ts";
import { besideDurable, durableUnits } from "../core/durable.ts";
import { foldIntoParent } from "../core/fold.ts";
import { DURABLE_NAMES } from "../core/headings.ts";
import { nextStep } from "../core/next_step.ts";
import { usablePaths } from "../core/paths.ts";
import { parseSummary } from "../core/summary.ts";
import type { Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import { faultError } from "../io/store.ts";
import { optionalText, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { checkOwner, isForeign } from "./ownership.ts";
import { moveActive, nameOf, tellCrossing, withNotices } from "./scene.ts";
import { checkShown } from "./shown_text.ts";
import { openChildrenOf } from "./thread_status.ts";
import {
  checkContent,
  checkSecrets,
  checkSeen,
  noteWritten,
  planStamp,
  repairsOf,
  wholeBody,
  writeThread,
} from "./thread_write.ts";

/** Folds a thread into its parent. */
export const threadMerge = defineCommand({
  name: "thread_merge",
  title: "Merge thread",
  description:
    "Fold a finished thread into its parent: summary is the parent's new text; without it, what the parent lacks of the decisions and constraints is added",
  effect: "set",
  cli: [{ usage: "merge [threadId]", summary: "Fold a thread into its parent" }],
  menu: ["tm", "plugin"],
  input: {
    summary: optionalText("The parent's whole new summary"),
    threadId: threadIdArgument("Thread to fold in (default: the active one)"),
  },
  async run(session, { summary, threadId }) {
    const text = summary === undefined || summary.trim() === "" ? undefined : summary.replace(/\r\n?/g, "\n");
    if (text !== undefined) {
      checkContent(text, findConflict(text));
      checkSecrets(
        "this summary",
        text,
        `If it is none, merge without summary, then write the parent: ${nextStep("summary_update with allowSecret", ["summary", "PARENT", "--allow-secret"])}.`,
      );
    }
    const scene = await session.scene({ writing: "merge the thread", threadId });
    const { store, project, thread, tree, config } = scene;
    const parent = findParent(scene);
    if (text !== undefined) checkShown(text, parent.file, tree);
    const author = await session.author(config);
    checkOwner(project, thread, author, `merge ${thread.id}`);
    if (text !== undefined) checkOwner(project, parent, author, `replace the summary of ${parent.id}`);
    const from = isForeign(project, parent, author) ? thread.id : undefined;
    const stamp = await planStamp(
      { ...scene, thread: parent },
      { isAnew: text !== undefined, paths: joinedPaths(parent, thread) },
    );
    const names = { child: nameOf(session, scene, thread.id), parent: nameOf(session, scene, parent.id) };
    const crossing = tellCrossing(session, scene);
    return store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, parent.id);
      const child = await store.readThreadFile(project.id, thread.id);
      const fold =
        text === undefined
          ? foldIntoParent(file.body, child.body, from)
          : { body: wholeBody(file.body, text, file.eol), added: 0, movedToDecisions: false };
      if (text !== undefined && fold.body !== file.body) checkSeen(session, project.id, parent.id, file);
      writer.putThread(project.id, parent.id, writeThread(file, { body: fold.body, stamp }, session.now()));
      noteWritten(session, {
        project: project.id,
        thread: parent.id,
        file,
        body: fold.body,
        isAll: text !== undefined,
      });
      const fields = { status: "done", mergedInto: parent.id };
      writer.putThread(project.id, thread.id, writeThread(child, { fields }, session.now()));
      const { body } = child;
      noteWritten(session, { project: project.id, thread: thread.id, file: child, body, isAll: false, status: "done" });
      const notices = moveActive(session, scene, writer, project, parent.id);
      return {
        ...{
          project: project.id,
          thread: thread.id,
          parent: parent.id,
          names,
          added: fold.added,
          isReplaced: text !== undefined,
        },
        ...saidIn(child.body),
        openChildren: openChildrenOf(tree, thread),
        notices: [...scene.notices, ...crossing, ...notices],
        warnings: [
          ...(fold.movedToDecisions
            ? [`${parent.id} had no section: its text now stands under ## Decisions, so that it stays inherited.`]
            : []),
          ...repairsOf(file),
          ...repairsOf(child),
        ],
      };
    });
  },
  text: ({ thread, parent, names, added, isReplaced, hasDurable, stays, openChildren, notices, warnings }, say) => {
    const what = isReplaced
      ? `its parent's summary is replaced (the old text is kept: ${say(nextStep(`thread_restore ${names.parent}`, ["restore", names.parent]))} brings it back)`
      : added === 0
        ? nothingAdded({ hasDurable, stays })
        : `${added} added to its parent`;
    const lines = [`Merged ${names.child} into ${names.parent}: ${what}. Active thread: ${parent}.`];
    if (openChildren.length > 0) lines.push(`Still open below ${thread}: ${openChildren.join(", ")}.`);
    return withNotices(notices, [...lines, ...warnings].join("\n"));
  },
});

/** What a thread that is folded in says. */
interface Said {
  readonly hasDurable: boolean;
  /** what isn't handed on: the names of such sections, `other text` */
  readonly stays: readonly string[];
}

function saidIn(body: string): Said {
  const summary = parseSummary(body);
  const hasDurable = DURABLE_NAMES.some((name) => durableUnits(summary, name).length > 0);
  return { hasDurable, stays: besideDurable(summary) };
}

function nothingAdded({ hasDurable, stays }: Said): string {
  if (hasDurable) return "its parent has all its decisions and constraints already";
  if (stays.length === 0) return "it has no summary, so nothing was added to its parent";
  return `it has no decisions or constraints to add to its parent, and what it says stays with it (${stays.join(", ")})`;
}

function moveStep({ id }: Thread): string {
  return nextStep("thread_rebase", ["rebase", id, "PARENT"]);
}

function findParent({ tree, thread }: Scene): Thread {
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("refused", `Cannot merge ${thread.id}: ${why}.`, hint);
  if (thread.fault !== undefined) throw faultError(thread);
  if (thread.id === tree.rootId || thread.parentId === null)
    throw refuse("it is a root and has no parent", "Merge its children into it.");
  const parent = tree.parentOf(thread);
  if (parent === undefined)
    throw refuse(
      `its parent ${thread.parentId} is missing`,
      `Move it below another thread first: ${moveStep(thread)}.`,
    );
  if (parent.fault !== undefined) throw faultError(parent);
  for (const { id, file, conflictLine } of [thread, parent]) {
    if (conflictLine === undefined) continue;
    throw new ThreadMindError(
      "merge-conflict",
      `Cannot merge ${thread.id}: ${file} (${id}) has merge conflicts (line ${conflictLine}).`,
      "Run threadmind resolve, or settle it in the file, and call again.",
    );
  }
  if (parent.status !== "open")
    throw refuse(
      `its parent ${parent.id} is ${parent.status}`,
      `Reopen ${parent.id}, or move ${thread.id} below an open thread: ${moveStep(thread)}.`,
    );
  return parent;
}

/** A parent that describes code gains the child's paths; one that doesn't stays so. */
function joinedPaths(parent: Thread, child: Thread): readonly string[] | undefined {
  if (parent.paths.length === 0) return undefined;
  const added = usablePaths(child.paths).filter((path) => !parent.paths.includes(path));
  return added.length === 0 ? undefined : [...parent.paths, ...added];
}
