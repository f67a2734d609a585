import { parseThreadReference } from "../core/id.ts";
import { getThread, subtreeOf, type Thread } from "../core/tree.ts";
import { drawTree } from "../core/tree_drawing.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import { faultError } from "../io/store.ts";
import { textArgument, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ensureOwner } from "./ownership.ts";
import { withNotices } from "./scene.ts";
import { noteWritten, repairsOf, writeThread } from "./thread_write.ts";

/** Moves a thread, with what is below it, below another one. */
export const threadRebase = defineCommand({
  name: "thread_rebase",
  title: "Move thread",
  description: "Move a thread, with all below it, under another parent",
  effect: "set",
  isIdempotent: true,
  cli: [{ usage: "rebase <threadId> <newParentId>", summary: "Move a thread under another parent" }],
  menu: ["tm"],
  input: {
    newParentId: textArgument("Thread to move it below"),
    threadId: threadIdArgument("Thread to move (default: the active one)"),
  },
  async run(session, { newParentId, threadId }) {
    const scene = await session.scene({ writing: "move the thread", threadId });
    const { store, project, thread } = scene;
    const parent = findNewParent(scene, newParentId);
    await ensureOwner(session, scene, [thread], "move");
    return store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, thread.id);
      const source = writeThread(file, { fields: { parentId: parent.id } }, session.now());
      writer.putThread(project.id, thread.id, source);
      const { body } = file;
      noteWritten(session, { project: project.id, thread: thread.id, file, body, isAll: false, parentId: parent.id });
      const { tree } = await store.readThreads(project);
      return {
        ...{ project: project.id, thread: thread.id, parent: parent.id, was: thread.parentId ?? null },
        tree: drawTree(tree, { activeId: scene.active?.id, showAuthors: project.mode === "team" }),
        notices: scene.notices,
        warnings: [...(parent.status === "open" ? [] : [`${parent.id} is ${parent.status}.`]), ...repairsOf(file)],
      };
    });
  },
  text: ({ thread, parent, was, tree, notices, warnings }) =>
    withNotices(
      notices,
      was === parent
        ? `${thread} is below ${parent} already.`
        : `${[`Moved ${thread} below ${parent} (was ${was ?? "none"}).`, ...warnings].join("\n")}\n\n${tree}`,
    ),
});

function findNewParent({ tree, thread, project }: Scene, typed: string): Thread {
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("refused", `Cannot move ${thread.id}: ${why}.`, hint);
  if (thread.fault !== undefined) throw faultError(thread);
  if (thread.id === tree.rootId) throw refuse("it is the project's root", "Move its children instead.");
  const { project: named } = parseThreadReference(typed);
  if (named !== undefined && named !== project.id)
    throw refuse(`${typed} is in another project`, "A thread stays in its project.");
  const parent = getThread(tree, typed);
  if (parent.fault !== undefined) throw faultError(parent);
  if (parent.id === thread.id) throw refuse("it can't be its own parent", "Name another thread.");
  if (subtreeOf(tree, thread).includes(parent))
    throw refuse(`${parent.id} is below it`, `Move ${parent.id} out first.`);
  return parent;
}
