import { join } from "node:path";
import { type JsonValue, parseObject, setMembers } from "../core/json_file.ts";
import { readText, renameAside } from "./files.ts";
import { type Layout, shownPath } from "./layout.ts";
import type { Writer } from "./store.ts";

/** This checkout's state: where new sessions start, and who writes. */
export interface Config {
  readonly activeProjectId: string | undefined;
  readonly activeThreadId: string | undefined;
  readonly author: string | undefined;
  readonly authors: readonly string[];
  /** the thread last active, by project and branch */
  readonly starts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** said once when the file was there but could not be read */
  readonly fault: string | undefined;
}

/** What a change of `config.json` may set; what is absent stays. */
export interface ConfigChange {
  readonly activeProjectId?: string;
  readonly activeThreadId?: string;
  readonly author?: string;
  readonly authors?: readonly string[];
  readonly start?: { readonly project: string; readonly branch: string; readonly thread: string };
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
    fault,
  };
}

function readMembers(layout: Layout): { members: ReadonlyMap<string, JsonValue>; fault: string | undefined } {
  const read = readText(layout.config);
  if (read === undefined) return { members: new Map(), fault: undefined };
  const name = shownPath(layout, layout.config);
  const parsed = "text" in read ? parseObject(read.text) : { message: `It ${read.fault}.`, line: 1 };
  if (!("message" in parsed)) return { members: parsed.members, fault: undefined };
  return { members: new Map(), fault: `${name} can't be read (line ${parsed.line}: ${parsed.message})` };
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
  const config = readConfig(layout);
  const aside = config.fault === undefined ? undefined : setAside(layout, config.fault);
  const read = readText(layout.config);
  const source = read !== undefined && "text" in read ? read.text : "{}\n";
  const { start, ...plain } = change;
  const values: Record<string, JsonValue> = { version: 1 };
  for (const [key, value] of Object.entries(plain)) if (value !== undefined) values[key] = value as JsonValue;
  if (start !== undefined) values["starts"] = withStart(config.starts, start);
  const changed = setMembers(source, values);
  if (changed !== source || read === undefined) writer.putConfig(changed);
  return aside;
}

function setAside(layout: Layout, fault: string): string {
  for (let number = 1; ; number++) {
    const name = `config.json.unreadable${number === 1 ? "" : `-${number}`}`;
    if (renameAside(layout.config, join(layout.local, name))) {
      return `${fault}: it was set aside as ${shownPath(layout, join(layout.local, name))}.`;
    }
  }
}

function withStart(
  starts: Config["starts"],
  { project, branch, thread }: NonNullable<ConfigChange["start"]>,
): JsonValue {
  const branches = new Map(starts.get(project));
  branches.delete(branch);
  branches.set(branch, thread);
  const kept = [...branches].slice(-MOST_BRANCHES);
  const all = new Map([...starts].map(([id, known]) => [id, Object.fromEntries(known)]));
  all.set(project, Object.fromEntries(kept));
  return Object.fromEntries(all);
}
