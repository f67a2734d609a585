import { setMembers } from "../core/json_file.ts";
import { parseTitle } from "../core/titles.ts";
import { ThreadMindError } from "../errors.ts";
import { modeArgument, optionalText } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { checkOwner } from "./ownership.ts";
import { withNotices } from "./scene.ts";
import { checkText } from "./text_check.ts";

/** Changes the active project's settings. */
export const projectUpdate = defineCommand({
  name: "project_update",
  title: "Update project",
  description: "Change the active project's title, system context or mode",
  effect: "set",
  isIdempotent: true,
  cli: [{ usage: "project update", summary: "Change title, system context or mode" }],
  menu: [],
  input: {
    title: optionalText("New title; the id stays"),
    systemContext: optionalText('Instructions at the top of every context; "" clears them'),
    mode: modeArgument,
  },
  async run(session, { title: typed, systemContext, mode }) {
    const title = typed === undefined ? undefined : parseTitle(typed);
    if (title === undefined && systemContext === undefined && mode === undefined) {
      throw new ThreadMindError(
        "invalid-argument",
        "Cannot update the project: nothing to change is given.",
        "Give title, systemContext or mode.",
      );
    }
    if (systemContext !== undefined) checkText("this system context", systemContext);
    const scene = await session.scene({});
    const { store, project, tree } = scene;
    const root = tree.threads.get(tree.rootId);
    if (root !== undefined && project.mode === "team") {
      checkOwner(project, root, await session.author(scene.config), `update the project ${project.id}`);
    }
    const changes = Object.fromEntries(
      Object.entries({ title, systemContext, mode }).filter(
        ([key, value]) => value !== undefined && value !== project[key as "title" | "systemContext" | "mode"],
      ),
    );
    const isSame = Object.keys(changes).length === 0;
    const kept = isSame
      ? undefined
      : await store.change(async (writer) =>
          writer.putProject(project.id, setMembers(store.readProjectSource(project.id), changes)),
        );
    const replaces = Object.hasOwn(changes, "systemContext") && project.systemContext !== "";
    return {
      project: project.id,
      ...{ title: project.title, systemContext: project.systemContext, mode: project.mode },
      ...changes,
      changed: Object.keys(changes),
      ...(replaces && kept !== undefined ? { kept } : {}),
      notices: scene.notices,
    };
  },
  text: ({ project, changed, kept, notices }) =>
    withNotices(
      notices,
      changed.length === 0
        ? `${project} is so already: nothing changed.`
        : `Updated the project ${project} (${changed.join(", ")}).${kept === undefined ? "" : ` The system context it had is kept in ${kept}.`}`,
    ),
});
