import { join } from "node:path";
import { moveActive } from "../commands/scene.ts";
import { wholeBody } from "../commands/thread_write.ts";
import { idKey, type ProjectId, quote, slugFor, type ThreadId } from "../core/id.ts";
import type { ImportedProject } from "../core/import_project.ts";
import { renderThreadFile } from "../core/thread_file.ts";
import { ThreadMindError } from "../errors.ts";
import { readConfig } from "../io/config.ts";
import { kindOf, MAX_TEXT_BYTES } from "../io/files.ts";
import { takeStamp } from "../io/freshness.ts";
import { putNewProject } from "../io/new_project.ts";
import type { Place } from "../io/scene.ts";
import { mayCreate, type Session } from "../io/session.ts";
import type { Project } from "../io/store.ts";
import { DATA_FOLDER, noWorkspaceError } from "../io/workspace.ts";

const ROOT = "main" as ThreadId;

/** What an import made. */
export interface CreatedProject {
  readonly project: ProjectId;
  /** ids, the root's first */
  readonly threads: readonly ThreadId[];
  /** the project that was active before */
  readonly previous: string | undefined;
  /** the folder that a new workspace was made in */
  readonly workspace: string | undefined;
  readonly notices: readonly string[];
}

interface Wanted {
  readonly title: string;
  readonly imported: ImportedProject;
  /** as typed, for messages */
  readonly file: string;
}

/** Writes an imported project as one change and makes it the active one. Throws `refused` where one of its title is there. */
export async function createImported(session: Session, wanted: Wanted): Promise<CreatedProject> {
  const place = session.place();
  if (!mayCreate(place)) throw noWorkspaceError();
  const { store, git, workspace } = place;
  const { title, imported, file } = wanted;
  checkNew(place, wanted);
  const config = readConfig(store.layout);
  const previous = session.activeProject(store.readProjects().projects, config);
  const [author, head, { commit }] = await Promise.all([
    session.author(config),
    git?.head(),
    takeStamp(git, workspace.root, []),
  ]);
  const createdAt = session.now().toISOString();
  const render = (id: ThreadId, threadTitle: string, body: string): readonly [ThreadId, string] => {
    const parentId = id === ROOT ? null : ROOT;
    const isWritten = body.trim() !== "";
    const fields = { id, title: threadTitle, parentId, author: author.id, createdAt, updatedAt: createdAt };
    const source = renderThreadFile(
      isWritten && commit !== undefined ? { ...fields, commit } : fields,
      wholeBody("", body, "\n"),
    );
    if (new TextEncoder().encode(source).length <= MAX_TEXT_BYTES) return [id, source];
    throw new ThreadMindError(
      "refused",
      `Cannot import ${quote(file)}: the thread ${id} would be larger than 64 MiB, which can't be read again.`,
      "Divide the file, and import each part with a --title of its own.",
    );
  };
  const threads = new Map([
    render(ROOT, title, imported.body),
    ...imported.children.map((child) => render(child.id, child.title, child.body)),
  ]);
  const create = (): Promise<CreatedProject> =>
    store.change(async (writer) => {
      checkNew(place, wanted);
      const id = slugFor(title, new Set(store.takenProjectNames().map(idKey))) as ProjectId;
      const project: Project = { id, title, systemContext: "", mode: "solo", rootThreadId: ROOT };
      putNewProject(store.layout, writer, project, threads);
      const notices = moveActive(session, { store, head }, writer, project, ROOT, author.id);
      const made = workspace.isPresent ? undefined : workspace.root;
      return { project: id, threads: [...threads.keys()], previous, workspace: made, notices };
    });
  return workspace.isPresent ? create() : tellingFolder(create, workspace.root);
}

/** Refuses a second project of a title: nobody could tell the two apart, and none can be taken back by a command. */
function checkNew({ store }: Place, { title, file }: Wanted): void {
  const ids = new Set([idKey(title), idKey(slugFor(title, new Set()))]);
  const twin = store
    .readProjects()
    .projects.find((project) => ids.has(idKey(project.title)) || ids.has(idKey(project.id)));
  if (twin === undefined) return;
  throw new ThreadMindError(
    "refused",
    `Cannot import ${quote(file)}: there is a project ${quote(title)} already: ${twin.id}.`,
    `Look at it: threadmind show ${twin.id}/main. To import the file beside it, give another title with --title.`,
  );
}

/** Says of a failed write that the folder of the new workspace stays. */
async function tellingFolder<Value>(write: () => Promise<Value>, root: string): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    const folder = join(root, DATA_FOLDER);
    if (!(error instanceof ThreadMindError) || kindOf(folder) === undefined) throw error;
    const hint = `${error.hint}\nThe folder ${folder} was made for it and holds no project: remove it, or go on with it.`;
    throw new ThreadMindError(error.code, error.message, hint.trim());
  }
}
