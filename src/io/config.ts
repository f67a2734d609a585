import { join } from "node:path";
import { type JsonValue, parseObject, setMembers } from "../core/json_file.ts";
import { kindOf, moveFile, readText } from "./files.ts";
import { type Layout, shownPath } from "./layout.ts";
import { parseRecords, type SessionRecord, withRecords } from "./session_record.ts";
import type { Writer } from "./store.ts";
import { readSafely } from "./thread_reading.ts";

/** This checkout's state: where new sessions start, and who writes. */
export interface Config {
  readonly activeProjectId: string | undefined;
  readonly activeThreadId: string | undefined;
  readonly author: string | undefined;
  readonly authors: readonly string[];
  /** the thread last active, by project and branch */
  readonly starts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** what was measured of clients' sessions, the oldest first */
  readonly sessions: readonly SessionRecord[];
  /** what is wrong with the file, as a sentence with its place, when it is there and can't be used */
  readonly fault: string | undefined;
}

/** What a change of `config.json` may set; what is absent stays. */
export interface ConfigChange {
  readonly activeProjectId?: string;
  readonly activeThreadId?: string;
  readonly author?: string;
  readonly authors?: readonly string[];
  readonly start?: { readonly project: string; readonly branch: string; readonly thread: string };
  /** replaces what is recorded of the same sessions, field by field */
  readonly sessions?: readonly SessionRecord[];
}

const MOST_BRANCHES = 200;

/** Reads `config.json`; an absent or unreadable one is empty. */
export function readConfig(layout: Layout): Config {
  const { members, fault } = readMembers(layout);
  const text = (key: string): string | undefined => {
    const value = members.get(key);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const authors = members.get("authors");
  return {
    activeProjectId: text("activeProjectId"),
    activeThreadId: text("activeThreadId"),
    author: text("author"),
    authors: Array.isArray(authors) ? authors.filter((id): id is string => typeof id === "string") : [],
    starts: readStarts(members.get("starts")),
    sessions: parseRecords(members.get("sessions")),
    fault,
  };
}

function readMembers(layout: Layout): { members: ReadonlyMap<string, JsonValue>; fault: string | undefined } {
  if (kindOf(layout.config) === undefined) return { members: new Map(), fault: undefined };
  const read = readSafely(layout, layout.config);
  const parsed = "text" in read ? parseObject(read.text) : { message: `It ${read.fault}.`, line: undefined };
  if (!("message" in parsed)) return { members: parsed.members, fault: undefined };
  const name = shownPath(layout, layout.config);
  const at = parsed.line === undefined ? name : `${name}:${parsed.line}`;
  return { members: salvageAuthor("text" in read ? read.text : ""), fault: `${at}: ${parsed.message}` };
}

/** One's own id is all that is taken from a broken file: it can't be made again without an e-mail address. */
function salvageAuthor(source: string): ReadonlyMap<string, JsonValue> {
  const author = /"author"\s*:\s*"([^"\\\n]+)"/.exec(source)?.[1];
  return new Map(author === undefined ? [] : [["author", author]]);
}

function entriesOf(value: JsonValue | undefined): [string, JsonValue][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function readStarts(value: JsonValue | undefined): Config["starts"] {
  return new Map(
    entriesOf(value).map(([project, branches]) => [
      project,
      new Map(entriesOf(branches).filter((entry): entry is [string, string] => typeof entry[1] === "string")),
    ]),
  );
}

/**
 * Changes `config.json` and nothing else in it. An unreadable one is first set aside under another name, and nothing is
 * invented in its place; the returned sentence says so.
 */
export function changeConfig(layout: Layout, writer: Writer, change: ConfigChange): string | undefined {
  const { members, fault } = readMembers(layout);
  const aside = fault === undefined ? undefined : setAside(layout, fault);
  const read = readText(layout.config);
  const source = read !== undefined && "text" in read ? read.text : "{}\n";
  const values: Record<string, JsonValue> = members.has("version") ? {} : { version: 1 };
  if (aside !== undefined) for (const [key, value] of members) values[key] = value;
  const { start, sessions, ...plain } = change;
  for (const [key, value] of Object.entries(plain)) if (value !== undefined) values[key] = value as JsonValue;
  if (start !== undefined) values.starts = withStart(members.get("starts"), start);
  if (sessions !== undefined) values.sessions = withRecords(members.get("sessions"), sessions);
  const changed = setMembers(source, values);
  if (changed !== source || read === undefined) writer.putConfig(changed);
  return aside;
}

function setAside(layout: Layout, fault: string): string {
  for (let number = 1; ; number++) {
    const name = `config.json.unreadable${number === 1 ? "" : `-${number}`}`;
    const aside = join(layout.local, name);
    if (kindOf(aside) !== undefined) continue;
    moveFile(layout.config, aside);
    return `${fault} It was set aside as ${shownPath(layout, aside)}.`;
  }
}

function withStart(
  starts: JsonValue | undefined,
  { project, branch, thread }: NonNullable<ConfigChange["start"]>,
): JsonValue {
  const all = new Map(entriesOf(starts));
  const branches = new Map(entriesOf(all.get(project)));
  branches.delete(branch);
  branches.set(branch, thread);
  return Object.fromEntries(all.set(project, Object.fromEntries([...branches].slice(-MOST_BRANCHES))));
}
