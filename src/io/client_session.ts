import { join } from "node:path";
import { listFolder, makeFolder, removeFile, writeWhole } from "./files.ts";
import { checkInside, type Layout } from "./layout.ts";
import { isAlive } from "./lock.ts";

/** Where a client's session stands: the join between its server and its hooks, by the client's process id. */
export interface ClientSession {
  readonly project: string;
  readonly thread: string;
  readonly branch: string | undefined;
}

/** Remembers what the client with this process id has active, and forgets clients that are gone. */
export function writeClientSession(layout: Layout, pid: number, session: ClientSession): void {
  for (const folder of [layout.data, layout.local, layout.sessions, layout.temporary]) {
    checkInside(layout, folder);
    makeFolder(folder);
  }
  writeWhole(join(layout.sessions, `${pid}.json`), `${JSON.stringify(session)}\n`, layout.temporary);
  for (const { name } of listFolder(layout.sessions) ?? []) {
    const other = Number(/^(\d+)\.json$/.exec(name)?.[1]);
    if (!Number.isNaN(other) && other !== pid && !isAlive(other)) removeFile(join(layout.sessions, name));
  }
}
