import type { Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Author } from "../io/author.ts";
import type { Scene } from "../io/scene.ts";
import type { Session } from "../io/session.ts";
import type { Project } from "../io/store.ts";

/** True if a team project keeps this author from changing the thread. */
export function isForeign({ mode }: Project, thread: Pick<Thread, "author">, author: Author): boolean {
  return mode === "team" && thread.author !== undefined && !author.own.has(thread.author);
}

/** Refuses to change a teammate's thread, naming owner and asker; solo projects and threads without author pass. */
export function checkOwner(
  project: Project,
  thread: Pick<Thread, "id" | "author">,
  author: Author,
  action: string,
  isThere = true,
): void {
  if (!isForeign(project, thread, author)) return;
  const id = `${project.id}/${thread.id}`;
  const takeOver = `thread_update with threadId ${id} and author ${author.id} (on the command line: threadmind update ${id} --author ${author.id})`;
  throw new ThreadMindError(
    "not-owner",
    `Cannot ${action}: ${thread.id} is ${thread.author}'s, and you are ${author.id} (${project.id} is a team project).`,
    isThere ? `Ask ${thread.author}, or take it over first: ${takeOver}.` : `Ask ${thread.author} to do it.`,
  );
}

/** The same, asking git who writes only where it matters. */
export async function ensureOwner(
  session: Session,
  { project, config }: Scene,
  threads: readonly Thread[],
  action: string,
): Promise<void> {
  if (project.mode !== "team") return;
  const author = await session.author(config);
  for (const thread of threads) checkOwner(project, thread, author, `${action} ${thread.id}`);
}
