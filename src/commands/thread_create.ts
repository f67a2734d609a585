import { slugFor, type ThreadId } from "../core/id.ts";
import { nextStep } from "../core/next_step.ts";
import { renderThreadFile } from "../core/thread_file.ts";
import { parseTitle } from "../core/titles.ts";
import { linkedBranch, type Thread, takenKeys } from "../core/tree.ts";
import { drawTree } from "../core/tree_drawing.ts";
import type { Scene } from "../io/scene.ts";
import { faultError } from "../io/store.ts";
import { textArgument, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { isBlank, moveActive, nameOf, tellCrossing, withNotices } from "./scene.ts";

/** Creates a thread below another. */
export const threadCreate = defineCommand({
  name: "thread_create",
  title: "Create thread",
  description: "Create a thread and make it active; on a feature branch it is linked to the branch",
  effect: "add",
  cli: [{ usage: "create <title...>", summary: "Create a thread below the active one" }],
  menu: ["tm", "plugin"],
  input: {
    title: textArgument("Topic of the thread in a few words; its id is made from it"),
    parentId: threadIdArgument("Thread to create it below (default: the active one)"),
  },
  async run(session, { title: typed, parentId }) {
    const title = parseTitle(typed);
    const scene = await session.scene({ writing: "create the thread", threadId: parentId, argument: "parentId" });
    const { store, project, thread: parent } = scene;
    if (parent.fault !== undefined) throw faultError(parent);
    const [author, branch] = await Promise.all([session.author(scene.config), branchToLink(scene, parent)]);
    const below = nameOf(session, scene, parent.id);
    const crossing = tellCrossing(session, scene);
    return store.change(async (writer) => {
      const id = slugFor(title, takenKeys((await store.readThreads(project)).tree)) as ThreadId;
      const createdAt = session.now().toISOString();
      const fields = { id, title, parentId: parent.id, author: author.id, createdAt, updatedAt: createdAt };
      writer.putThread(project.id, id, renderThreadFile(branch === undefined ? fields : { ...fields, branch }, ""));
      // Another one that was deleted may have been seen under this id.
      session.seen.note(`${project.id}/${id}`, { body: "", status: "open", parentId: parent.id }, true);
      const notices = moveActive(session, scene, writer, project, id, author.id);
      const { tree } = await store.readThreads(project);
      const drawn = drawTree(tree, { activeId: id, showAuthors: project.mode === "team" });
      return {
        ...{ project: project.id, thread: id, title, parent: parent.id, below, branch, tree: drawn },
        notices: [...scene.notices, ...crossing, ...notices],
        warnings: warningsAbout(parent),
        workspace: session.nameWorkspace(),
      };
    });
  },
  text: ({ thread, below, branch, tree, notices, warnings, workspace }) => {
    const link = branch === undefined ? "" : `, linked to the branch ${branch}`;
    const where = workspace === undefined ? "" : ` (in ${workspace})`;
    const lines = [`Created the thread ${thread} below ${below}${link}; it is now active${where}.`, ...warnings];
    return withNotices(notices, `${lines.join("\n")}\n\n${tree}`);
  },
});

/** The branch to record: the one checked out, unless it is the default one or an ancestor is linked to it already. */
async function branchToLink({ git, head, tree }: Scene, parent: Thread): Promise<string | undefined> {
  const branch = head?.branch;
  if (git === undefined || branch === undefined || branch === "main" || branch === "master") return undefined;
  if (linkedBranch(tree, parent) === branch) return undefined;
  return branch === (await git.defaultBranch()) ? undefined : branch;
}

function warningsAbout(parent: Thread): string[] {
  if (parent.conflictLine !== undefined)
    return [`${parent.id} has merge conflicts (line ${parent.conflictLine}): run threadmind resolve.`];
  if (isBlank(parent))
    return [
      `${parent.id} has no summary yet: write its decisions first with ${nextStep(`summary_update and threadId ${parent.id}`, ["summary", parent.id, "<", "FILE"])}, so that this thread inherits them.`,
    ];
  return parent.status === "open" ? [] : [`${parent.id} is ${parent.status}.`];
}
