import { projectIdOfFile, threadIdOfFile } from "../core/id.ts";
import { parseObject } from "../core/json_file.ts";
import { parseThreadFile } from "../core/thread_file.ts";
import type { Thread } from "../core/tree.ts";
import { prefixOf } from "./fingerprint.ts";
import type { Git } from "./git.ts";
import { damagedThread, threadOf } from "./thread_reading.ts";
import { DATA_FOLDER } from "./workspace.ts";

/** A project as one commit has it. */
export interface CommittedProject {
  readonly id: string;
  readonly title: string;
  readonly mode: string;
  readonly rootThreadId: string;
  /** the text of its own file; absent where that is missing */
  readonly source: string | undefined;
  readonly threads: ReadonlyMap<string, Thread>;
}

type Settings = Omit<CommittedProject, "id" | "threads">;

const THREAD_FILE = /^threads\/([^/]+)\/([^/]+)\.md$/;
const PROJECT_FILE = /^projects\/([^/]+)\.json$/;

/** The projects of a workspace as a commit has them; `undefined` if git can't show them. */
export async function readRevision(
  git: Git,
  root: string,
  commit: string,
): Promise<ReadonlyMap<string, CommittedProject> | undefined> {
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}`;
  const files = await git.filesOf(commit, folder);
  const texts = files === undefined ? undefined : await git.texts(files.map(({ blob }) => blob));
  if (files === undefined || texts === undefined) return undefined;
  const settings = new Map<string, Settings>();
  const threads = new Map<string, Map<string, Thread>>();
  for (const [index, { path }] of files.entries()) {
    const own = path.slice(folder.length + 1);
    const text = texts[index];
    if (text === undefined) continue;
    const project = PROJECT_FILE.exec(own)?.[1];
    if (project !== undefined && projectIdOfFile(project) !== undefined)
      settings.set(project, settingsOf(project, text));
    const [, of = "", name = ""] = THREAD_FILE.exec(own) ?? [];
    const id = name === "" ? undefined : threadIdOfFile(name);
    if (id === undefined || projectIdOfFile(of) === undefined) continue;
    const known = threads.get(of) ?? new Map<string, Thread>();
    threads.set(of, known.set(id, await parse(id, `${DATA_FOLDER}/${own}`, text)));
  }
  const ids = [...new Set([...settings.keys(), ...threads.keys()])].sort();
  return new Map(
    ids.map((id) => {
      const known = settings.get(id) ?? { title: id, mode: "solo", rootThreadId: "main", source: undefined };
      return [id, { id, ...known, threads: threads.get(id) ?? new Map() }];
    }),
  );
}

async function parse(id: NonNullable<ReturnType<typeof threadIdOfFile>>, file: string, text: string): Promise<Thread> {
  const parsed = await parseThreadFile(text);
  if (!("message" in parsed)) return threadOf(id, file, parsed);
  const { line, message, hint } = parsed;
  return damagedThread(id, file, { kind: "unreadable", file, line, message, hint });
}

function settingsOf(id: string, text: string): Settings {
  const parsed = parseObject(text);
  const members = "message" in parsed ? new Map() : parsed.members;
  const [title, mode, root] = [members.get("title"), members.get("mode"), members.get("rootThreadId")];
  return {
    title: typeof title === "string" && title.trim() !== "" ? title : id,
    mode: mode === "team" ? mode : "solo",
    rootThreadId: typeof root === "string" ? root : "main",
    source: text,
  };
}
