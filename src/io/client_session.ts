import { uptime } from "node:os";
import { join } from "node:path";
import { parseObject } from "../core/json_file.ts";
import { listFolder, makeFolder, readText, removeFile, stampOf, writeWhole } from "./files.ts";
import { checkInside, type Layout } from "./layout.ts";
import { isAlive } from "./lock.ts";

/** Where a client's session stands: the join between its server and its hooks, by the client's process id. */
export interface ClientSession {
  readonly project: string;
  readonly thread: string;
  readonly branch: string | undefined;
}

/** What the client with this process id had active; `undefined` if nothing, or if the file is from before this boot. */
export function readClientSession(layout: Layout, pid: number): ClientSession | undefined {
  const path = join(layout.sessions, `${pid}.json`);
  const stamp = stampOf(path);
  const read = stamp === undefined ? undefined : readText(path);
  if (stamp === undefined || read === undefined || !("text" in read)) return undefined;
  if (Date.now() - stamp.modifiedAt > uptime() * 1000) return undefined;
  const parsed = parseObject(read.text);
  if ("message" in parsed) return undefined;
  const [project, thread, branch] = ["project", "thread", "branch"].map((key) => parsed.members.get(key));
  if (typeof project !== "string" || typeof thread !== "string") return undefined;
  return { project, thread, branch: typeof branch === "string" ? branch : undefined };
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
