import { quote } from "../../core/id.ts";
import { stripControls } from "../../core/text_controls.ts";
import { getThread } from "../../core/tree.ts";
import { readConfig } from "../../io/config.ts";
import { readStaleNotes } from "../../io/freshness.ts";
import type { Git } from "../../io/git.ts";
import type { Place } from "../../io/scene.ts";
import { openSession } from "../../io/session.ts";
import { findProject, findStart, getProject, pickProject } from "../../io/start.ts";
import { type GlobalOptions, splitOnce, usageError } from "../options.ts";
import { isNoted } from "./contexts.ts";
import { openFile } from "./opener.ts";
import { renderPage } from "./page.ts";
import { type PageInput, type ProjectView, pageDataOf } from "./page_data.ts";
import { checkPageFile, writePageFile, writeTemporaryPage } from "./page_file.ts";

/** What `view` answers: where the page is, or the page itself for standard output. */
export type ViewOutcome = { readonly file: string } | { readonly page: string };

/** Command lines of Windows hold 32,767 characters; a thread's paths and file are named twice in one. */
const MOST_PATH_CHARACTERS = 12_000;

/** Writes the page of a workspace to a file, or to a temporary one that is then opened. Nothing in `.threadmind/` changes. */
export async function runView(options: GlobalOptions, words: readonly string[]): Promise<ViewOutcome> {
  const output = parseOutput(words);
  if (output === "-" && options.isJson === true)
    throw usageError("--output - prints the page, and --json an answer", "view");
  const place = openPlace(options);
  const target = output === undefined || output === "-" ? undefined : checkPageFile(output);
  const page = renderPage(pageDataOf(await readPageInput(place, options)));
  if (output === "-") return { page };
  if (output !== undefined && target !== undefined) {
    writePageFile(target, page, output);
    return { file: target };
  }
  const file = writeTemporaryPage(page, new Date());
  if (options.isJson !== true) await openFile(file);
  return { file };
}

function parseOutput(words: readonly string[]): string | undefined {
  let output: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [name, inline] = splitOnce(word, "=");
    if (name !== "--output") throw usageError(`it takes no ${JSON.stringify(word)}`, "view");
    const value = inline ?? words[++at];
    if (value === undefined || value === "") throw usageError("the option --output needs a value", "view");
    if (inline === undefined && /^-./.test(value))
      throw usageError(
        `--output needs a file, and ${quote(value)} looks like an option: write ./${stripControls(value)}`,
        "view",
      );
    if (output !== undefined) throw usageError("--output is given twice", "view");
    output = value;
  }
  return output;
}

function openPlace({ root, directory }: GlobalOptions): Place {
  return openSession({ whereabouts: { root, directory }, now: () => new Date() }).place();
}

/** Reads everything that the page shows; git is asked once for each project. */
async function readPageInput(place: Place, options: GlobalOptions): Promise<PageInput> {
  const { store, workspace, git } = place;
  const list = store.readProjects();
  const config = readConfig(store.layout);
  const chosen =
    options.project === undefined
      ? findProject(list.projects, config.activeProjectId)
      : getProject(list, options.project);
  const first =
    chosen ?? list.projects[0] ?? (await pickProject(list, options.project ?? config.activeProjectId, place));
  const [head, commit] = await Promise.all([git?.head(), git?.commitId()]);
  const fault = config.fault === undefined ? [] : [stripControls(configNotice(config.fault))];
  const projects: ProjectView[] = [];
  for (const project of list.projects) {
    const { tree, faults } = await store.readThreads(project);
    const isActive = project.id === chosen?.id;
    const subjects = [...tree.threads.values()].filter(isNoted);
    const active = isActive ? findStart(tree, project, config, head?.branch) : undefined;
    projects.push({
      ...{ project, tree, faults: [...list.faults, ...faults], activeId: active?.id },
      notices: isActive ? fault : [],
      notes: await readNotes(git, workspace.root, subjects),
    });
  }
  const shown = projects.find(({ project }) => project.id === first.id);
  const threadId =
    options.thread === undefined || shown === undefined ? undefined : getThread(shown.tree, options.thread).id;
  return {
    ...{ folder: workspace.root, branch: head?.branch, commit: commit?.slice(0, 7), projects },
    ...{ projectId: first.id, threadId, sessions: config.sessions },
  };
}

/** As the session says it before the first answer. */
function configNotice(fault: string): string {
  return `⚠ ${fault} It counts as empty, and the next switch sets it aside.`;
}

type Subject = Parameters<typeof readStaleNotes>[2][number];

/** The notes of all threads: in one go, or where the paths are too many for a command line, in a few. */
async function readNotes(
  git: Git | undefined,
  workspace: string,
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, string>> {
  const groups: Subject[][] = [[]];
  let characters = 0;
  for (const subject of subjects) {
    const own = [subject.file, ...subject.paths].reduce((sum, path) => sum + path.length + 20, 0);
    if (characters + own > MOST_PATH_CHARACTERS && characters > 0) {
      groups.push([]);
      characters = 0;
    }
    characters += own;
    groups.at(-1)?.push(subject);
  }
  const notes = new Map<string, string>();
  for (const group of groups) for (const [id, note] of await readStaleNotes(git, workspace, group)) notes.set(id, note);
  return notes;
}
