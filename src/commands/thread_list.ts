import { drawTree } from "../core/tree_drawing.ts";
import { optionalFlag, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { listThreads, renderFaults, withNotices } from "./scene.ts";

/** Draws the thread tree. */
export const threadList = defineCommand({
  name: "thread_list",
  title: "List threads",
  description: "Show the thread tree of the project, with statuses and linked branches",
  effect: "read",
  cli: [{ usage: "tree [threadId]", summary: "Show the thread tree" }],
  menu: ["tm", "plugin"],
  input: {
    threadId: threadIdArgument("Show only this thread and what is below it"),
    all: optionalFlag("Show all, however large the tree is"),
  },
  async run(session, { threadId, all }) {
    const scene = await session.scene({ threadId });
    const { project, tree, active, faults, notices } = scene;
    const drawn = drawTree(tree, {
      activeId: active?.id,
      showAuthors: project.mode === "team",
      under: threadId === undefined ? undefined : scene.thread,
      all,
    });
    return {
      ...{
        project: project.id,
        title: project.title,
        active: active?.id,
        tree: drawn,
        threads: listThreads(tree),
        faults,
      },
      notices,
    };
  },
  text: ({ tree, faults, notices }) => withNotices(notices, [tree, ...renderFaults(faults)].join("\n")),
});
