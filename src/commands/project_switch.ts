import { nextStep } from "../core/next_step.ts";
import { ThreadMindError } from "../errors.ts";
import { readConfig } from "../io/config.ts";
import { findStart, getProject } from "../io/start.ts";
import { textArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { recordActive, withNotices } from "./scene.ts";

/** Switches to another project. */
export const projectSwitch = defineCommand({
  name: "project_switch",
  title: "Switch project",
  description: "Switch this session to another project",
  effect: "set",
  isIdempotent: true,
  cli: [{ usage: "project switch <projectId>", summary: "Switch to another project" }],
  menu: [],
  input: { projectId: textArgument("Id of the project") },
  async run(session, { projectId }) {
    const { store, git } = session.place();
    const project = getProject(store.readProjects(), projectId);
    const config = readConfig(store.layout);
    const [{ tree }, head] = await Promise.all([store.readThreads(project), git?.head()]);
    const start = findStart(tree, project, config, head?.branch);
    if (start === undefined) {
      const name = `${project.id}/${tree.rootId}`;
      const file = `.threadmind/threads/${project.id}/${tree.rootId}.md`;
      throw new ThreadMindError(
        "unknown-thread",
        `Cannot switch to ${project.id}: its root thread ${file} is missing.`,
        `Bring it back: ${nextStep(`thread_restore ${name}`, ["restore", name])}.`,
      );
    }
    const notices = await store.change(async (writer) =>
      recordActive(session, { store, head }, writer, project, start.id),
    );
    return { project: project.id, title: project.title, thread: start.id, notices };
  },
  text: ({ project, thread, notices }) =>
    withNotices(notices, `Switched to the project ${project}. Active thread: ${thread}.`),
});
