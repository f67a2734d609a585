import { idKey } from "../core/id.ts";
import { ThreadMindError } from "../errors.ts";
import type { Session } from "../io/session.ts";

/** The threads that a half-typed id may mean, as it would be typed: `auth`, or `shop/auth` after `shop/`. None where nothing can be read. */
export async function listThreadIds(session: Session, typed: string): Promise<readonly string[]> {
  const slash = typed.indexOf("/");
  const project = slash < 0 ? "" : `${typed.slice(0, slash)}/`;
  const elsewhere = project === "" ? {} : { threadId: `${project}x`, mayBeGone: true };
  return (
    (await orNothing(async () => {
      const { tree } = await session.scene({ quiet: true, ...elsewhere });
      return [...tree.threads.keys()].map((id) => `${project}${id}`);
    })) ?? []
  );
}

/** The ids of the workspace's projects; none where nothing can be read. */
export async function listProjectIds(session: Session): Promise<readonly string[]> {
  const list = await orNothing(async () => session.place().store.readProjects());
  return list?.projects.map(({ id }) => id) ?? [];
}

/** The ids that begin with what was typed, without regard to case, in order. */
export function startingWith(ids: readonly string[], typed: string): readonly string[] {
  const key = idKey(typed);
  return ids.filter((id) => idKey(id).startsWith(key)).sort();
}

async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ThreadMindError) return undefined;
    throw error;
  }
}
