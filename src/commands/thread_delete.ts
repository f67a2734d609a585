import { subtreeOf, type Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import { textArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ensureOwner } from "./ownership.ts";
import { moveActive, nameOf, withNotices } from "./scene.ts";

/** Deletes a thread with all below it. */
export const threadDelete = defineCommand({
  name: "thread_delete",
  title: "Delete thread",
  description: "Delete a thread with all below it; thread_restore brings them back",
  effect: "destroy",
  cli: [{ usage: "delete <threadId>", summary: "Delete a thread with all below it" }],
  menu: ["tm"],
  input: { threadId: textArgument("Thread to delete; never the root") },
  async run(session, { threadId }) {
    const scene = await session.scene({ writing: "delete the thread", threadId });
    const { store, project, thread, tree, active } = scene;
    if (thread.id === tree.rootId) throw refusal(thread, "it is the project's root", "Delete its children instead.");
    const doomed = subtreeOf(tree, thread);
    if (doomed.some(({ id }) => id === tree.rootId))
      throw refusal(thread, "the project's root is below it", "Correct the parents first (thread_rebase).");
    await ensureOwner(session, scene, doomed, "delete");
    await askFirst(session, scene, doomed);
    const isActiveGone = active !== undefined && doomed.some(({ id }) => id === active.id);
    const next = isActiveGone ? (tree.parentOf(thread) ?? tree.threads.get(tree.rootId)) : undefined;
    return store.change(async (writer) => {
      for (const { id } of doomed) await store.readThreadFile(project.id, id);
      writer.removeThreads(
        project.id,
        doomed.map(({ id }) => id),
      );
      const notices = next === undefined ? [] : moveActive(session, scene, writer, project, next.id);
      return {
        ...{
          project: project.id,
          name: nameOf(session, scene, thread.id),
          deleted: doomed.map(({ id }) => id),
          active: next?.id,
        },
        notices: [...scene.notices, ...notices],
      };
    });
  },
  text: ({ name, deleted, active, notices }) => {
    const moved = active === undefined ? [] : [`Active thread: ${active}.`];
    return withNotices(
      notices,
      [
        `Deleted ${deleted.join(", ")}.`,
        ...moved,
        `To bring ${deleted.length === 1 ? "it" : "them"} back: thread_restore ${name} (on the command line: threadmind restore ${name}).`,
      ].join("\n"),
    );
  },
});

function refusal({ id }: Thread, why: string, hint: string): ThreadMindError {
  return new ThreadMindError("refused", `Cannot delete ${id}: ${why}.`, hint);
}

async function askFirst(
  session: Parameters<typeof moveActive>[0],
  { project }: Scene,
  doomed: readonly Thread[],
): Promise<void> {
  const names = doomed.map(({ id }) => id).join(", ");
  const answer = await session.confirm(
    `Delete ${names} from the project ${project.id}? thread_restore can bring them back.`,
  );
  if (answer === "no")
    throw new ThreadMindError("refused", `Deleted nothing: the question about ${names} was answered with no.`, "");
}
