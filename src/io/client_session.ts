import { join } from "node:path";
import { type JsonValue, parseObject, setMembers } from "../core/json_file.ts";
import { bornOf } from "./client_process_id.ts";
import { listFolder, readText, removeFile, stampOf, writeWhole } from "./files.ts";
import { checkInside, findLinkFault, type Layout, prepareLocal } from "./layout.ts";
import { isAlive } from "./lock.ts";
import type { Sighting } from "./seen.ts";

const MOST_GONE = 50;
const GONE_DAYS = 30;
const DAY_MS = 86_400_000;
const MOST_EARLIER = 20;
const LEFT_KEYS = ["session", "project", "thread", "branch", "seen"];

/** Where a client stands. */
export interface ClientPlace {
  readonly project: string;
  readonly thread: string;
  readonly branch: string | undefined;
}

/** What a client's server and its hooks tell each other, by the client's process id (`local/sessions/<pid>.json`). */
export interface ClientSession {
  readonly place: ClientPlace | undefined;
  /** the client's id of the conversation that its hook was last called for */
  readonly conversation: string | undefined;
  /** when a hook last was called for it: a new one means that the hook has settled where the client stands */
  readonly hookAt: string | undefined;
  /** when what had been shown before stopped to count: since then its model knows what the hook noted in `seen` */
  readonly freshAt: string | undefined;
  /** what the hook has shown of threads, by `project/thread` */
  readonly seen: ReadonlyMap<string, Sighting>;
  /** files whose decisions were shown before an edit, and in which conversation */
  readonly edited: Edited;
}

/** Where a conversation stood when it was left, and what it had seen. */
export interface LeftConversation {
  readonly place: ClientPlace | undefined;
  readonly seen: ReadonlyMap<string, Sighting>;
}

/** Files whose decisions were shown before an edit in one conversation. */
export interface Edited {
  readonly conversation: string | undefined;
  readonly files: readonly string[];
}

/** A conversation that a hook was called for. */
export interface Conversation {
  readonly id: string | undefined;
  readonly at: string;
  /** true if the model knows what is in `seen`, and nothing else of what this client was shown */
  readonly isFresh: boolean;
  readonly place: ClientPlace | undefined;
  readonly seen: ReadonlyMap<string, Sighting>;
}

type Members = ReadonlyMap<string, JsonValue>;

/** What is known of the client with this process id; `undefined` if nothing, or of an earlier process with its number. */
export function readClientSession(layout: Layout, pid: number): ClientSession | undefined {
  const members = readMembers(layout, `${pid}.json`);
  return members === undefined || !isOf(members, pid) ? undefined : sessionOf(members);
}

/**
 * What is known of a conversation that was left, by this client or by one that is gone; who resumes it goes on from there. One
 * that several clients had in their turn stands where the last of them left it.
 */
export function findConversation(layout: Layout, id: string): LeftConversation | undefined {
  const left = sessionFiles(layout).flatMap(({ name }) => {
    const members = readMembers(layout, name);
    if (members?.get("session") === id)
      return [{ at: stampOf(join(layout.sessions, name))?.modifiedAt ?? 0, ...sessionOf(members) }];
    const earlier = members === undefined ? undefined : earlierOf(members).find((entry) => entry.get("session") === id);
    if (earlier === undefined) return [];
    const at = Date.parse(textIn(earlier, "leftAt") ?? "") || 0;
    return [{ at, place: placeOf(earlier), seen: sightingsOf(earlier.get("seen")) }];
  });
  return left.sort((one, other) => other.at - one.at)[0];
}

/** The conversations whose clients are running. */
export function listRunning(layout: Layout): ReadonlySet<string> {
  const running = sessionFiles(layout).flatMap(({ name, pid }) => {
    const members = isAlive(pid) ? readMembers(layout, name) : undefined;
    const id = members !== undefined && isOf(members, pid) ? members.get("session") : undefined;
    return typeof id === "string" ? [id] : [];
  });
  return new Set(running);
}

/** Remembers where the client with this process id stands. */
export function writePlace(layout: Layout, pid: number, { project, thread, branch }: ClientPlace): void {
  write(layout, pid, { project, thread, branch });
}

/** Remembers the conversation that a hook was called for, and where the one before it stood, which may be resumed. */
export function writeConversation(layout: Layout, pid: number, { id, at, isFresh, place, seen }: Conversation): void {
  const present = readMembers(layout, `${pid}.json`);
  const members: Members = present !== undefined && isOf(present, pid) ? present : new Map();
  const left = members.get("session");
  const earlier = earlierOf(members).filter((entry) => entry.get("session") !== id && entry.get("session") !== left);
  const last =
    typeof left === "string" && left !== id
      ? [new Map([...LEFT_KEYS.map((key) => [key, members.get(key)] as const), ["leftAt", at]])]
      : [];
  const kept = [...earlier, ...last].slice(-MOST_EARLIER).map((entry) => asJson(entry));
  const { project, thread, branch } = place ?? {};
  const where = place === undefined ? {} : { project, thread, branch };
  write(layout, pid, {
    ...where,
    session: id,
    hookAt: at,
    ...(isFresh ? { freshAt: at } : {}),
    seen: sightingsAsJson(seen),
    earlier: kept.length === 0 ? undefined : kept,
  });
}

/** True if this client stands somewhere in a conversation that no hook was told of: it began before there was a project. */
export function isUnnamed(layout: Layout, pid: number): boolean {
  const known = readClientSession(layout, pid);
  return known !== undefined && known.conversation === undefined;
}

/** Remembers which conversation it is, so that it can be resumed where it stands. */
export function nameConversation(layout: Layout, pid: number, id: string): void {
  if (isUnnamed(layout, pid)) write(layout, pid, { session: id });
}

/** Adds what a server has shown to what its client's conversation has seen; only one whose id a hook told can be resumed. */
export function writeSeen(layout: Layout, pid: number, seen: ReadonlyMap<string, Sighting>): void {
  const known = readClientSession(layout, pid);
  if (known?.conversation === undefined || seen.size === 0) return;
  write(layout, pid, { seen: sightingsAsJson(new Map([...known.seen, ...seen])) });
}

/** Remembers for which files decisions were shown in this conversation, and of which threads. */
export function writeEdited(
  layout: Layout,
  pid: number,
  { conversation, files }: Edited,
  seen: ReadonlyMap<string, Sighting>,
): void {
  const edited = { ...(conversation === undefined ? {} : { conversation }), files };
  write(layout, pid, { edited, seen: sightingsAsJson(seen) });
}

function sightingsAsJson(seen: ReadonlyMap<string, Sighting>): JsonValue {
  return Object.fromEntries([...seen].map(([key, sighting]) => [key, { ...sighting }]));
}

function write(layout: Layout, pid: number, values: Readonly<Record<string, JsonValue | undefined>>): void {
  prepareLocal(layout, layout.sessions);
  const path = join(layout.sessions, `${pid}.json`);
  checkInside(layout, path);
  const members = readMembers(layout, `${pid}.json`);
  const read = members !== undefined && isOf(members, pid) ? readText(path) : undefined;
  const present = read !== undefined && "text" in read ? read.text : "{}\n";
  writeWhole(path, setMembers(present, { ...values, born: bornOf(pid) }), layout.temporary);
  forgetGone(layout, pid);
}

/** A conversation whose client is gone may be resumed for a while; whatever else a gone client left helps nobody. */
function forgetGone(layout: Layout, own: number): void {
  const gone = sessionFiles(layout)
    .filter(({ pid }) => pid !== own && !isAlive(pid))
    .map(({ name }) => {
      const isResumable = typeof readMembers(layout, name)?.get("session") === "string";
      return { name, at: isResumable ? (stampOf(join(layout.sessions, name))?.modifiedAt ?? 0) : 0 };
    })
    .sort((a, b) => b.at - a.at);
  const oldest = Date.now() - GONE_DAYS * DAY_MS;
  for (const [rank, { name, at }] of gone.entries())
    if (rank >= MOST_GONE || at < oldest) removeFile(join(layout.sessions, name));
}

function sessionFiles(layout: Layout): { readonly name: string; readonly pid: number }[] {
  if (findLinkFault(layout, layout.sessions) !== undefined) return [];
  return (listFolder(layout.sessions) ?? []).flatMap(({ name }) => {
    const pid = Number(/^(\d{1,10})\.json$/.exec(name)?.[1]);
    return Number.isNaN(pid) ? [] : [{ name, pid }];
  });
}

function readMembers(layout: Layout, name: string): Members | undefined {
  const path = join(layout.sessions, name);
  const read = findLinkFault(layout, path) === undefined ? readText(path) : undefined;
  const parsed = read !== undefined && "text" in read ? parseObject(read.text) : undefined;
  return parsed === undefined || "message" in parsed ? undefined : parsed.members;
}

function isOf(members: Members, pid: number): boolean {
  const written = members.get("born");
  const born = bornOf(pid);
  return typeof written !== "string" || born === undefined || written === born;
}

function textIn(members: ReadonlyMap<string, JsonValue | undefined>, key: string): string | undefined {
  const value = members.get(key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function placeOf(members: Members): ClientPlace | undefined {
  const [project, thread] = [textIn(members, "project"), textIn(members, "thread")];
  if (project === undefined || thread === undefined) return undefined;
  return { project, thread, branch: textIn(members, "branch") };
}

function earlierOf(members: Members): readonly Members[] {
  const value = members.get("earlier");
  return Array.isArray(value) ? value.map(membersOf) : [];
}

function asJson(members: ReadonlyMap<string, JsonValue | undefined>): JsonValue {
  return Object.fromEntries([...members].flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function sessionOf(members: Members): ClientSession {
  const text = (key: string): string | undefined => textIn(members, key);
  return {
    place: placeOf(members),
    conversation: text("session"),
    hookAt: text("hookAt"),
    freshAt: text("freshAt"),
    seen: sightingsOf(members.get("seen")),
    edited: editedOf(members.get("edited")),
  };
}

function editedOf(value: JsonValue | undefined): Edited {
  const members = membersOf(value);
  const [conversation, files] = [members.get("conversation"), members.get("files")];
  return {
    conversation: typeof conversation === "string" ? conversation : undefined,
    files: Array.isArray(files) ? files.filter((file): file is string => typeof file === "string") : [],
  };
}

function sightingsOf(value: JsonValue | undefined): ReadonlyMap<string, Sighting> {
  const sightings = [...membersOf(value)].flatMap(([key, sighting]): [string, Sighting][] => {
    const members = membersOf(sighting);
    const [digest, status, parentId] = [members.get("digest"), members.get("status"), members.get("parentId")];
    if (typeof digest !== "string" || typeof status !== "string") return [];
    const parent = typeof parentId === "string" ? parentId : null;
    return [[key, { digest, status, parentId: parent, isWhole: members.get("isWhole") === true }]];
  });
  return new Map(sightings);
}

function membersOf(value: JsonValue | undefined): Members {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return new Map(isObject ? Object.entries(value) : []);
}
