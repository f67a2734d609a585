import { type LoggedThread, logDecisions, type ThreadChange } from "./decision_log.ts";

/** A project as a commit has it. */
export interface LoggedProject {
  readonly id: string;
  readonly title: string;
  readonly mode: string;
  readonly rootThreadId: string;
  /** what every session reads first */
  readonly systemContext: string;
  /** its own file, which holds all of the above: there and readable, there and damaged, or not there */
  readonly file: "readable" | "damaged" | "missing";
  readonly threads: ReadonlyMap<string, LoggedThread>;
}

/** A text or name before and after. */
export interface Replaced {
  readonly from: string;
  readonly to: string;
}

/** What a project and its threads went through; what stayed is absent. */
export interface ProjectChange {
  readonly id: string;
  readonly title: string;
  readonly kind: "added" | "removed" | "changed";
  readonly renamedFrom?: string;
  readonly mode?: Replaced;
  readonly rootThread?: Replaced;
  readonly systemContext?: Replaced;
  /** its own file, where that is gone or can't be read any more, or is back */
  readonly file?: LoggedProject["file"];
  readonly threads: readonly ThreadChange[];
}

type Projects = ReadonlyMap<string, LoggedProject>;

/** The change log of all projects from one state to another, in the order of their ids; unchanged ones are left out. */
export function logProjects(before: Projects, after: Projects): readonly ProjectChange[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id): ProjectChange[] => {
    const change = changeOf(id, before.get(id), after.get(id));
    return change === undefined ? [] : [change];
  });
}

function changeOf(
  id: string,
  before: LoggedProject | undefined,
  after: LoggedProject | undefined,
): ProjectChange | undefined {
  const kind = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const threads = logDecisions(before?.threads ?? new Map(), after?.threads ?? new Map());
  const isBothReadable = before?.file === "readable" && after?.file === "readable";
  const settings = {
    ...(isBothReadable && before.title !== after.title ? { renamedFrom: before.title } : {}),
    ...(isBothReadable ? replaced("mode", before.mode, after.mode) : {}),
    ...(isBothReadable ? replaced("rootThread", before.rootThreadId, after.rootThreadId) : {}),
    ...(kind === "added" && after?.mode === "team" ? { mode: { from: "solo", to: "team" } } : {}),
    ...(after?.file === "damaged"
      ? {}
      : replaced("systemContext", before?.systemContext ?? "", after?.systemContext ?? "")),
    ...fileOf(before, after),
  };
  if (kind === "changed" && threads.length === 0 && Object.keys(settings).length === 0) return undefined;
  const named = after?.file === "readable" ? after : (before ?? after);
  return { id, title: named?.title ?? id, kind, ...settings, threads };
}

function replaced<K extends "mode" | "rootThread" | "systemContext">(
  key: K,
  from: string,
  to: string,
): { readonly [key in K]?: Replaced } {
  return from === to ? {} : ({ [key]: { from, to } } as { readonly [key in K]: Replaced });
}

/** What became of a project's own file, where that isn't told by the project being new or gone. */
function fileOf(before: LoggedProject | undefined, after: LoggedProject | undefined): Pick<ProjectChange, "file"> {
  if (after === undefined) return {};
  const expected = before?.file ?? "readable";
  return after.file === expected ? {} : { file: after.file };
}
