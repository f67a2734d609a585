import type { LoggedThread } from "../core/decision_log.ts";
import { projectIdOfFile, threadIdOfFile } from "../core/id.ts";
import { parseObject } from "../core/json_file.ts";
import type { LoggedProject } from "../core/project_log.ts";
import { parseThreadFile, type Unreadable } from "../core/thread_file.ts";
import { changedThread } from "../core/tree.ts";
import { prefixOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import { damagedThread, threadOf } from "./thread_reading.ts";
import { DATA_FOLDER } from "./workspace.ts";

/** A project as one commit has it. */
export interface CommittedProject extends LoggedProject {
  /** the text of its own file; absent where that is missing */
  readonly source: string | undefined;
}

/** A workspace as one commit has it. */
export interface Revision {
  /** whether the commit has a `.threadmind/` there at all */
  readonly isPresent: boolean;
  readonly projects: ReadonlyMap<string, CommittedProject>;
}

type Settings = Omit<CommittedProject, "id" | "threads">;

const THREAD_FILE = /^threads\/([^/]+)\/([^/]+)\.md$/;
const PROJECT_FILE = /^projects\/([^/]+)\.json$/;

/** A workspace as a commit has it; `undefined` if git can't show it. */
export async function readRevision(git: Git, root: string, commit: string): Promise<Revision | undefined> {
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}`;
  const files = await git.filesOf(commit, folder);
  const texts = files === undefined ? undefined : await git.texts(files.map(({ blob }) => blob));
  if (files === undefined || texts === undefined) return undefined;
  const settings = new Map<string, Settings>();
  const threads = new Map<string, Map<string, LoggedThread>>();
  for (const [index, { path, isLink }] of files.entries()) {
    const own = path.slice(folder.length + 1);
    const text = texts[index];
    if (text === undefined) continue;
    const project = PROJECT_FILE.exec(own)?.[1];
    if (project !== undefined && projectIdOfFile(project) !== undefined)
      settings.set(project, settingsOf(project, text));
    const [, of = "", name = ""] = THREAD_FILE.exec(own) ?? [];
    const id = name === "" ? undefined : threadIdOfFile(name);
    if (id === undefined || projectIdOfFile(of) === undefined) continue;
    const known = threads.get(of) ?? new Map<string, LoggedThread>();
    threads.set(of, known.set(id, await parse(id, `${DATA_FOLDER}/${own}`, text, isLink)));
  }
  const ids = [...new Set([...settings.keys(), ...threads.keys()])].sort();
  const projects = ids.map((id): [string, CommittedProject] => [
    id,
    {
      id,
      ...(settings.get(id) ?? { ...settingsOf(id, ""), file: "missing", source: undefined }),
      threads: threads.get(id) ?? new Map(),
    },
  ]);
  return { isPresent: files.length > 0, projects: new Map(projects) };
}

async function parse(
  id: NonNullable<ReturnType<typeof threadIdOfFile>>,
  file: string,
  text: string,
  isLink: boolean,
): Promise<LoggedThread> {
  const parsed = isLink ? linkTo(text) : await parseThreadFile(text);
  if (!("message" in parsed)) return { ...threadOf(id, file, parsed), hasHeader: parsed.editable !== undefined };
  const { line, message, hint } = parsed;
  const thread = damagedThread(id, file, { kind: "unreadable", file, line, message, hint });
  // Its text, so that two such files can be told apart.
  return { ...changedThread(thread, { body: text }), hasHeader: true };
}

/** Sessions may read the file that it leads to; which one that was in a commit isn't known here. */
function linkTo(target: string): Unreadable {
  return { line: 1, message: `It is a link to ${target}, whose text isn't shown here.`, hint: "" };
}

function settingsOf(id: string, text: string): Settings {
  const parsed = parseObject(text);
  const isReadable = !("message" in parsed);
  const members = isReadable ? parsed.members : new Map();
  const [title, mode, root] = [members.get("title"), members.get("mode"), members.get("rootThreadId")];
  const systemContext = members.get("systemContext");
  return {
    title: typeof title === "string" && title.trim() !== "" ? title : id,
    mode: mode === "team" ? mode : "solo",
    rootThreadId: typeof root === "string" ? root : "main",
    systemContext: typeof systemContext === "string" ? systemContext : "",
    file: isReadable ? "readable" : "damaged",
    source: text,
  };
}
