import { join } from "node:path";
import { parseObject, setMembers } from "../core/json_file.ts";
import { listFolder, readText, removeFile, writeWhole } from "./files.ts";
import { checkInside, findLinkFault, type Layout, prepareLocal } from "./layout.ts";
import { isAlive } from "./lock.ts";
import type { Sighting } from "./seen.ts";

/** Where a client's session stands: the join between its server and its hooks, by the client's process id. */
export interface ClientSession {
  readonly project: string;
  readonly thread: string;
  readonly branch: string | undefined;
}

/** What a hook of the client with this process id has shown of a thread, by `project/thread`. */
export function readSighting(layout: Layout, pid: number, key: string): Sighting | undefined {
  const path = join(layout.sessions, `${pid}.json`);
  const read = findLinkFault(layout, path) === undefined ? readText(path) : undefined;
  const parsed = read !== undefined && "text" in read ? parseObject(read.text) : undefined;
  const seen = parsed === undefined || "message" in parsed ? undefined : parsed.members.get("seen");
  if (typeof seen !== "object" || seen === null || Array.isArray(seen)) return undefined;
  const entry = Object.entries(seen).find(([name]) => name === key)?.[1];
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return undefined;
  const { digest, isWhole } = entry as Readonly<Record<string, unknown>>;
  return typeof digest === "string" ? { digest, isWhole: isWhole === true } : undefined;
}

/** Remembers what the client with this process id has active, and forgets clients that are gone. */
export function writeClientSession(layout: Layout, pid: number, session: ClientSession): void {
  prepareLocal(layout, layout.sessions);
  const path = join(layout.sessions, `${pid}.json`);
  checkInside(layout, path);
  const read = readText(path);
  const present = read !== undefined && "text" in read && !("message" in parseObject(read.text)) ? read.text : "{}\n";
  const { project, thread, branch } = session;
  writeWhole(path, setMembers(present, { project, thread, branch }), layout.temporary);
  for (const { name } of listFolder(layout.sessions) ?? []) {
    const other = Number(/^(\d+)\.json$/.exec(name)?.[1]);
    if (!Number.isNaN(other) && other !== pid && !isAlive(other)) removeFile(join(layout.sessions, name));
  }
}
