import * as v from "valibot";
import { nextStep } from "../core/next_step.ts";
import { oneLine, originOfReason, setStatusReason } from "../core/status_edit.ts";
import { stripControls } from "../core/text_controls.ts";
import { nearestOpen, type Thread, type Tree } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { faultError } from "../io/store.ts";
import { statusOf } from "../io/thread_reading.ts";
import { readEarlierTexts } from "../io/versions.ts";
import { optionalText, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ensureOwner } from "./ownership.ts";
import { nameOf, withNotices } from "./scene.ts";
import { checkText } from "./text_check.ts";
import { noteWritten, repairsOf, writeThread } from "./thread_write.ts";

const MOST_REASON = 500;
const MOVED = "The old text had no section: it now stands under ## Decisions, so that it stays inherited.";

/** Marks a thread done or abandoned, or reopens it. */
export const threadStatus = defineCommand({
  name: "thread_status",
  title: "Set status",
  description: "Mark a thread done or abandoned (the reason is kept in its decisions), or reopen it",
  effect: "set",
  cli: [
    { usage: "done [threadId]", preset: { status: "done" }, summary: "Mark a thread done" },
    {
      usage: "abandon <reason...>",
      preset: { status: "abandoned" },
      summary: "Mark the thread abandoned, and say why",
    },
    {
      usage: "reopen [threadId]",
      preset: { status: "open" },
      omits: ["reason"],
      menu: ["tm"],
      summary: "Reopen a thread",
    },
  ],
  menu: ["tm", "plugin"],
  input: {
    status: v.pipe(v.picklist(["open", "done", "abandoned"]), v.description("open, done or abandoned")),
    reason: optionalText("Why it is done or abandoned; needed to abandon"),
    threadId: threadIdArgument("Thread to mark (default: the active one)"),
  },
  async run(session, { status, reason: typed, threadId }) {
    if (typed !== undefined) checkText("this reason", typed);
    const reason = typed === undefined ? undefined : oneLine(typed) || undefined;
    checkReason(status, reason);
    const scene = await session.scene({ writing: "set the status", threadId });
    const { store, project, thread, tree } = scene;
    if (thread.fault !== undefined) throw faultError(thread);
    await ensureOwner(session, scene, [thread], "set the status of");
    // An open thread has no reason to be told from a decision.
    const earlier = thread.status === "open" ? [] : await readEarlierTexts(scene, project, thread.id);
    const { reasonIs, replaced, rewritten, warnings } = await store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, thread.id);
      const previous = statusOf(file.fields.status);
      const origin = originOfReason({ status: previous, body: file.body }, earlier);
      const edit = setStatusReason(file.body, status, previous, reason, origin);
      const fields = {
        status: status === "open" ? undefined : status,
        ...(status === "open" ? { mergedInto: undefined } : {}),
      };
      writer.putThread(project.id, thread.id, writeThread(file, { body: edit.body, fields }, session.now()));
      noteWritten(session, {
        ...{ project: project.id, thread: thread.id, file, body: edit.body, isAll: false },
        status,
      });
      const isAdded = reason !== undefined && edit.body !== file.body;
      return {
        replaced: edit.replaced,
        rewritten: edit.rewritten,
        reasonIs: edit.replaced !== undefined ? ("replaced" as const) : isAdded ? ("added" as const) : undefined,
        warnings: [...(edit.movedToDecisions ? [MOVED] : []), ...repairsOf(file)],
      };
    });
    return {
      ...{ project: project.id, thread: thread.id, status, was: thread.status, reason, reasonIs, replaced, rewritten },
      name: nameOf(session, scene, thread.id),
      openChildren: status === "open" ? [] : openChildrenOf(tree, thread),
      next:
        session.isCommandLine && status !== "open" && scene.active?.id === thread.id
          ? nextStart(tree, thread)
          : undefined,
      notices: scene.notices,
      warnings,
    };
  },
  text: ({ thread, name, status, was, reasonIs, replaced, rewritten, openChildren, next, notices, warnings }, say) => {
    const history = say(nextStep(`thread_history of ${name}`, ["history", name]));
    const change =
      reasonIs === "replaced"
        ? `; its reason "- ${stripControls(replaced ?? "")}" is replaced (the old one is kept: see ${history})`
        : reasonIs === "added"
          ? "; its reason is added"
          : "";
    const said =
      status === was
        ? `${thread} is ${status} already${change}.`
        : status === "open"
          ? `Reopened ${thread} (was ${was}).`
          : `${thread} is ${status} now.`;
    const told = rewritten === undefined ? [] : [stripControls(`"- ${rewritten.from}" now reads "- ${rewritten.to}".`)];
    const open = openChildren.length === 0 ? [] : [`Still open below it: ${openChildren.join(", ")}.`];
    return withNotices(
      notices,
      [said, ...told, ...open, ...(next === undefined ? [] : [`New sessions start at ${next}.`]), ...warnings].join(
        "\n",
      ),
    );
  },
});

function checkReason(status: string, reason: string | undefined): void {
  if (status === "abandoned" && reason === undefined) {
    throw new ThreadMindError(
      "invalid-argument",
      "Cannot abandon a thread without a reason.",
      "Give reason: one line that keeps others from trying the same again.",
    );
  }
  if (status === "open" && reason !== undefined) {
    throw new ThreadMindError(
      "invalid-argument",
      "Cannot keep a reason for reopening: reason is for done and abandoned.",
      `Reopen without it, and write it with ${nextStep("summary_update", ["summary"])}.`,
    );
  }
  if (reason !== undefined && reason.length > MOST_REASON) {
    throw new ThreadMindError(
      "invalid-argument",
      `Cannot keep this reason: it is longer than ${MOST_REASON} characters.`,
      "Give one line; the rest belongs into the summary.",
    );
  }
}

/** Children of a thread that are open. */
export function openChildrenOf(tree: Tree, thread: Thread): string[] {
  return (tree.children.get(thread.id) ?? []).filter(({ status }) => status === "open").map(({ id }) => id);
}

/** Where the next command starts, now that this thread is finished. */
function nextStart(tree: Tree, thread: Thread): string | undefined {
  const parent = tree.parentOf(thread);
  return parent === undefined ? undefined : nearestOpen(tree, parent)?.id;
}
