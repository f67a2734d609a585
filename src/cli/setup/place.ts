import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ThreadMindError } from "../../errors.ts";
import { findWorkspace } from "../../io/workspace.ts";

/** Where files go: this user's, or the project's. */
export interface Place {
  readonly isProject: boolean;
  /** the project's folder; throws `no-workspace` where there is none */
  readonly root: () => string;
}

/** The place that the options of the command line name. Throws for a folder in them that doesn't exist. */
export function placeOf(
  { client, isProject }: { readonly client: string; readonly isProject: boolean },
  whereabouts: { readonly root: string | undefined; readonly directory: string | undefined },
): Place {
  const find = (): string | undefined => findWorkspace(whereabouts)?.root;
  if (whereabouts.root !== undefined || whereabouts.directory !== undefined) find();
  const root = (): string => {
    const found = find();
    if (found === undefined) throw noProject(client);
    return found;
  };
  return { isProject, root };
}

function noProject(client: string): ThreadMindError {
  return new ThreadMindError(
    "no-workspace",
    client === "claude-desktop"
      ? "Cannot set up Claude Desktop: it starts servers outside of any project, and this folder is in none."
      : `Cannot run threadmind setup ${client} --project: this folder is in no project.`,
    "Run the command in your project's folder, or give it with --root DIR.",
  );
}

/** A path below the home folder. */
export function inHome(...parts: readonly string[]): string {
  return join(homedir(), ...parts);
}

/** A path below a folder that a variable names, below another one where it is unset. */
export function inVariable(name: string, otherwise: string, ...parts: readonly string[]): string {
  const folder = process.env[name];
  return join(folder === undefined || folder.trim() === "" ? otherwise : folder, ...parts);
}

/** A path in the folder where applications with a window keep their settings. */
export function inApplicationData(...parts: readonly string[]): string {
  if (process.platform === "win32") return inVariable("APPDATA", inHome("AppData", "Roaming"), ...parts);
  if (process.platform === "darwin") return inHome("Library", "Application Support", ...parts);
  return inVariable("XDG_CONFIG_HOME", inHome(".config"), ...parts);
}

/** A path in ThreadMind's own folder for data. */
export function inOwnData(...parts: readonly string[]): string {
  const path = ["threadmind", ...parts];
  if (process.platform === "win32") return inVariable("LOCALAPPDATA", inHome("AppData", "Local"), ...path);
  return inVariable("XDG_DATA_HOME", inHome(".local", "share"), ...path);
}
