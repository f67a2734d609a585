import type { Answer } from "./git_process.ts";

/** A path that git left unmerged, with the object of each side; one is absent where that side has no such file. */
export interface Unmerged {
  /** relative to the repository's top */
  readonly path: string;
  readonly base: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

type Ask = (args: readonly string[], input?: string) => Promise<Answer>;

/** What git left unmerged below a folder, which is relative to the top; `undefined` if git fails. */
export async function askUnmerged(ask: Ask, folder: string): Promise<readonly Unmerged[] | undefined> {
  const { code, stdout } = await ask(["ls-files", "-z", "--unmerged", "--", `:(top,literal)${folder}`]);
  if (code !== 0) return undefined;
  const stages = new Map<string, Map<string, string>>();
  for (const record of stdout.split("\0")) {
    const tab = record.indexOf("\t");
    if (tab < 0) continue;
    const [mode = "", blob = "", stage = ""] = record.slice(0, tab).split(" ");
    const path = record.slice(tab + 1);
    const known = stages.get(path) ?? new Map<string, string>();
    // A link or a submodule has no text to merge.
    if (mode.startsWith("100")) known.set(stage, blob);
    stages.set(path, known);
  }
  return [...stages].map(([path, stage]) => ({
    path,
    base: stage.get("1"),
    ours: stage.get("2"),
    theirs: stage.get("3"),
  }));
}

/** Stages these files, whose paths are relative to the top: the one change to a repository, on request. */
export async function askToAdd(ask: Ask, paths: readonly string[]): Promise<boolean> {
  const { code } = await ask(["--literal-pathspecs", "add", "--", ...paths]);
  return code === 0;
}

/** Sets values of this clone's own configuration, on request; an `undefined` one is unset. */
export async function askToConfigure(ask: Ask, values: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  for (const [key, value] of Object.entries(values)) {
    const { code } =
      value === undefined
        ? await ask(["config", "--local", "--unset-all", key])
        : await ask(["config", "--local", "--replace-all", key, value]);
    const isAbsent = value === undefined && code === 5;
    if (code !== 0 && !isAbsent) return false;
  }
  return true;
}

/** A value of the repository's configuration; `undefined` if it isn't set or git fails. */
export async function askSetting(ask: Ask, key: string): Promise<string | undefined> {
  const { code, stdout } = await ask(["config", "--get", key]);
  return code === 0 ? stdout.replace(/\n$/, "") : undefined;
}
