import { idKey, type ProjectId, slugFor, type ThreadId } from "../core/id.ts";
import { renderThreadFile } from "../core/thread_file.ts";
import { parseTitle } from "../core/titles.ts";
import { readConfig } from "../io/config.ts";
import { mayCreate } from "../io/session.ts";
import type { Project } from "../io/store.ts";
import { noWorkspaceError } from "../io/workspace.ts";
import { modeArgument, optionalText, textArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { moveActive, withNotices } from "./scene.ts";
import { checkText } from "./text_check.ts";

const ROOT = "main" as ThreadId;

/** Creates a project with its root thread. */
export const projectCreate = defineCommand({
  name: "project_create",
  title: "Create project",
  description: "Create a project with its root thread, main, and make it this session's project",
  effect: "add",
  cli: [{ usage: "project create <title...>", shortcut: "project", summary: "Create a project" }],
  menu: ["tm"],
  input: {
    title: textArgument("Title of the project; its id is made from it"),
    systemContext: optionalText("Instructions that stand at the top of every context"),
    mode: modeArgument,
  },
  async run(session, { title: typed, systemContext = "", mode = "solo" }) {
    const title = parseTitle(typed);
    checkText("this system context", systemContext);
    const place = session.place();
    if (!mayCreate(place)) throw noWorkspaceError(!session.isCommandLine);
    const { store, git } = place;
    const config = readConfig(store.layout);
    const [author, head] = await Promise.all([session.author(config), git?.head()]);
    return store.change(async (writer) => {
      const id = slugFor(title, new Set(store.takenProjectNames().map(idKey))) as ProjectId;
      const project: Project = { id, title, systemContext, mode, rootThreadId: ROOT };
      const createdAt = session.now().toISOString();
      const fields = { id: ROOT, title, parentId: null, author: author.id, createdAt, updatedAt: createdAt };
      writer.putThread(id, ROOT, renderThreadFile(fields, ""));
      writer.putProject(id, `${JSON.stringify(project, undefined, 2)}\n`);
      const notices = moveActive(session, { store, head }, writer, project, ROOT, author.id);
      return { project: id, title, mode, thread: ROOT, workspace: session.nameWorkspace(), notices };
    });
  },
  text: ({ project, thread, workspace, notices }) => {
    const where = workspace === undefined ? "" : ` in ${workspace}`;
    return withNotices(notices, `Created the project ${project}${where}. Active thread: ${thread}, its root.`);
  },
});
