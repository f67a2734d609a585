import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A thread to write to disk: header values by key, and the text below. */
export interface ThreadText {
  readonly parentId?: string | null;
  readonly title?: string;
  readonly branch?: string;
  readonly status?: "done" | "abandoned";
  readonly updatedAt?: string;
  readonly body?: string;
}

/** The stamp of threads that name none. */
export const STAMP = "2026-04-15T10:00:00.000Z";

/** Writes a project with its root thread and these others straight to disk, as ThreadMind would have. */
export function writeProject(
  top: string,
  threads: Readonly<Record<string, ThreadText>> = {},
  { id = "app", title = "App" }: { readonly id?: string; readonly title?: string } = {},
): void {
  const settings = { id, title, systemContext: "", mode: "solo", rootThreadId: "main" };
  mkdirSync(join(top, ".threadmind/projects"), { recursive: true });
  mkdirSync(join(top, ".threadmind/threads", id), { recursive: true });
  writeFileSync(join(top, `.threadmind/projects/${id}.json`), `${JSON.stringify(settings, undefined, 2)}\n`);
  const all = { main: { title, parentId: null }, ...threads };
  for (const [name, thread] of Object.entries(all)) {
    writeFileSync(threadFile(top, name, id), renderThread(name, thread));
  }
}

/** A thread's file as text. */
export function renderThread(id: string, thread: ThreadText): string {
  const { parentId = "main", title = id, branch, status, updatedAt = STAMP, body = "" } = thread;
  const lines = [
    `id: ${id}`,
    `title: ${title}`,
    `parentId: ${parentId}`,
    "author: sam-doe-b3c8",
    `createdAt: ${STAMP}`,
  ];
  lines.push(`updatedAt: ${updatedAt}`);
  if (status !== undefined) lines.push(`status: ${status}`);
  if (branch !== undefined) lines.push(`branch: ${branch}`);
  return `---\n${lines.join("\n")}\n---\n\n${body}`;
}

/** The path of a thread's file. */
export function threadFile(top: string, thread: string, project = "app"): string {
  return join(top, ".threadmind/threads", project, `${thread}.md`);
}

/** The text of a thread's file. */
export function readThread(top: string, thread: string, project = "app"): string {
  return readFileSync(threadFile(top, thread, project), "utf8");
}

/** Everything below a folder but git's own files: each path with its bytes as text, a link with its target. */
export function snapshot(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = below === "" ? name : `${below}/${name}`;
    const stat = lstatSync(join(folder, path));
    if (name === ".git") continue;
    if (stat.isDirectory()) Object.assign(found, { [`${path}/`]: "" }, snapshot(folder, path));
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else found[path] = readFileSync(join(folder, path), "latin1");
  }
  return found;
}

/** The thread that a drawn tree marks as active. */
export function activeIn(tree: string): string | undefined {
  return /^[│├└─ ]*(\S+).* ← active$/m.exec(tree)?.[1];
}
