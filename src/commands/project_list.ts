import { stripControls } from "../core/text_controls.ts";
import { readConfig } from "../io/config.ts";
import { adviseProject } from "../io/elsewhere.ts";
import { defineCommand } from "./command.ts";
import { renderFaults } from "./scene.ts";

/** Lists the workspace's projects. */
export const projectList = defineCommand({
  name: "project_list",
  title: "List projects",
  description: "List the workspace's projects",
  effect: "read",
  cli: [{ usage: "project list", shortcut: "projects", summary: "List the projects" }],
  menu: ["tm"],
  input: {},
  async run(session) {
    const place = session.place();
    const { store, workspace } = place;
    const { projects, faults } = store.readProjects();
    const config = readConfig(store.layout);
    const active = session.activeProject(projects, config);
    return {
      workspace: workspace.root,
      projects: projects.map((project) => ({ ...project, isActive: project.id === active })),
      faults,
      next: projects.length + faults.length === 0 ? await adviseProject(place) : undefined,
    };
  },
  text: ({ projects, faults, workspace, next }, say) => {
    const lines = projects.map(({ id, title, mode, isActive }) => {
      const shownTitle = title === id ? "" : ` "${stripControls(title)}"`;
      return `${stripControls(id)}${shownTitle} (${mode})${isActive ? " ← active" : ""}`;
    });
    if (next !== undefined) lines.push(`No projects in ${workspace}${next.state}.`, say(next.hint));
    return [...lines, ...renderFaults(faults)].join("\n");
  },
});
