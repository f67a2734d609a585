import { dirname, join } from "node:path";
import process from "node:process";
import { ThreadMindError } from "../../errors.ts";
import { findOnPath, findSameOnPath } from "../../io/client_process.ts";
import type { Answer } from "./answer.ts";
import { findDoubles } from "./claude_doubles.ts";
import { askClaude, type ClaudeState, MARKETPLACE, PLUGIN, tellClaude } from "./claude_state.ts";
import { inOwnData, type Place } from "./place.ts";
import { clearFolder, type FolderPlan, planClearing, planFolder, writeFolder } from "./plugin_folder.ts";
import { isCompiled, PROGRAM, quoteWord } from "./program.ts";

const CLIENT = "claude-code";
const NOTHING = "Nothing of ThreadMind's plugin is there.";
const ENABLE = `The plugin is disabled, as it was before; to enable it: claude plugin enable ${PLUGIN}`;
const UNKNOWN: ClaudeState = { marketplace: undefined, plugin: undefined };

/** The folder of the local marketplace. */
export function pluginFolder(): string {
  return inOwnData("claude-code");
}

const addMarketplace = (folder: string): readonly string[] => ["plugin", "marketplace", "add", folder];
const INSTALL = ["plugin", "install", PLUGIN];
const UPDATE = ["plugin", "update", PLUGIN];
const UNINSTALL = ["plugin", "uninstall", PLUGIN];
const REMOVE_MARKETPLACE = ["plugin", "marketplace", "remove", MARKETPLACE];

/** What one would type: in a shell, and inside Claude Code. */
export function pluginLines(folder: string): { readonly shell: readonly string[]; readonly inside: readonly string[] } {
  const shell = [addMarketplace(folder), INSTALL].map(asLine);
  return { shell, inside: [`/plugin marketplace add ${folder}`, `/plugin install ${PLUGIN}`] };
}

function asLine(args: readonly string[]): string {
  return ["claude", ...args].map(quoteWord).join(" ");
}

/** Writes the plugin to its folder and has Claude Code install it; a dry run only says so. */
export async function installPlugin(place: Place, isDryRun: boolean): Promise<Answer> {
  const plan = planFolder(pluginFolder());
  const { folder } = plan;
  const notes = [...checkProgram(), ...findDoubles(place), ...describeLeft(plan)];
  const { inside } = pluginLines(folder);
  const claude = findOnPath("claude");
  if (!isDryRun) writeFolder(plan);
  if (claude === undefined && !isDryRun)
    throw new ThreadMindError(
      "refused",
      "Cannot run Claude Code to install the plugin: no program claude is on PATH.",
      `The plugin is in ${folder}. Type inside Claude Code:\n  ${inside.join("\n  ")}`,
    );
  const state = claude === undefined ? UNKNOWN : await askClaude(claude, folder, inside);
  const commands = planCommands(state, plan);
  const isOff = typeof state.plugin === "object" && !state.plugin.isEnabled;
  const base = { client: CLIENT, files: [], notes: [...notes, ...describeMarketplace(state, folder)] };
  const isSame = commands.length === 0 && plan.written.length + plan.removed.length === 0;
  const heading = `Claude Code is ${isSame ? "already " : ""}set up: the plugin is installed${isOff ? ", but disabled" : ""}.`;
  if (isSame) return { ...base, isChanged: false, heading, next: isOff ? [ENABLE] : [] };
  if (isDryRun || claude === undefined) {
    const lines = commands.map((args) => `would run    ${asLine(args)}`);
    const would = [...describe(plan, "would write", "would remove", "would be replaced"), ...lines];
    const absent = claude === undefined ? ["No program claude is on PATH, so these can't be run here."] : [];
    const notes = [...base.notes, ...absent];
    const next = isOff ? [ENABLE] : [];
    return { ...base, notes, isChanged: false, heading: "Nothing was written. This would be done:", would, next };
  }
  const ran = describe(plan, "wrote", "removed", "was replaced");
  let installed = "";
  for (const args of commands) {
    // Which plugins there are isn't known of an old Claude Code: a fresh one needs no update.
    if (args === UPDATE && commands.includes(INSTALL) && !/already installed/i.test(installed)) continue;
    const { line, said } = await tellClaude(claude, args, inside);
    if (args === INSTALL) installed = said;
    ran.push(line);
  }
  const next = [...(isOff ? [ENABLE] : []), "Restart Claude Code, or type /reload-plugins in it."];
  return { ...base, isChanged: true, heading, ran, next };
}

function planCommands({ marketplace, plugin }: ClaudeState, plan: FolderPlan): readonly (readonly string[])[] {
  const isOurs = typeof marketplace === "object" && marketplace.isOurs;
  const isChanged = !isOurs || plan.written.length + plan.removed.length > 0;
  const update = plugin === undefined || (plugin !== "absent" && (isChanged || !plugin.isCurrent));
  return [
    ...(isOurs ? [] : [addMarketplace(plan.folder)]),
    ...(plugin === undefined || plugin === "absent" ? [INSTALL] : []),
    ...(update ? [UPDATE] : []),
  ];
}

function describeMarketplace({ marketplace }: ClaudeState, folder: string): readonly string[] {
  if (typeof marketplace !== "object" || marketplace.isOurs) return [];
  return [
    `Claude Code has a marketplace ${MARKETPLACE} from ${marketplace.source} already; it is pointed to ${folder} instead. To go back: ${asLine(addMarketplace(marketplace.source))}`,
  ];
}

/** Has Claude Code forget the plugin, and removes what setup wrote for it. */
export async function removePlugin(isDryRun: boolean): Promise<Answer> {
  const folder = pluginFolder();
  const plan = planClearing(folder);
  const claude = findOnPath("claude");
  const inside = [`/plugin uninstall ${PLUGIN}`, `/plugin marketplace remove ${MARKETPLACE}`];
  const state = claude === undefined ? UNKNOWN : await askClaude(claude, folder, inside);
  const commands = plan === undefined && claude === undefined ? [] : planRemovals(state);
  const stays = claude === undefined ? [] : describeStaying(state);
  const base = {
    client: CLIENT,
    files: [],
    next: [],
    notes: [...stays, ...(plan === undefined ? [] : describeLeft(plan))],
  };
  if (plan === undefined && commands.length === 0) return { ...base, isChanged: false, heading: NOTHING };
  if (isDryRun) {
    const would = [
      ...commands.map((args) => `would run     ${asLine(args)}`),
      ...(plan === undefined ? [] : describeCleared(plan, "would remove ", "")),
    ];
    return { ...base, isChanged: false, heading: "Nothing was removed. This would be done:", would };
  }
  if (claude === undefined) {
    if (plan !== undefined) clearFolder(plan);
    throw new ThreadMindError(
      "refused",
      "Cannot run Claude Code to uninstall the plugin: no program claude is on PATH.",
      `${plan === undefined ? "" : `What setup wrote to ${folder} is removed. `}Type inside Claude Code:\n  ${inside.join("\n  ")}`,
    );
  }
  const ran: string[] = [];
  const isAbsent = (said: string): boolean => /not found|not installed/i.test(said);
  for (const args of commands) ran.push((await tellClaude(claude, args, inside, isAbsent)).line);
  if (plan !== undefined) {
    clearFolder(plan);
    ran.push(...describeCleared(plan, "removed", "was "));
  }
  const heading = stays.length === 0 ? "The plugin is removed from Claude Code." : "What setup wrote is removed.";
  return { ...base, isChanged: true, heading, ran };
}

/** The plugin of a marketplace from elsewhere isn't the one that setup installed. */
function planRemovals({ marketplace, plugin }: ClaudeState): readonly (readonly string[])[] {
  if (typeof marketplace === "object" && !marketplace.isOurs) return [];
  return [
    ...(plugin === "absent" ? [] : [UNINSTALL]),
    ...(typeof marketplace === "object" ? [REMOVE_MARKETPLACE] : []),
  ];
}

function describeStaying({ marketplace, plugin }: ClaudeState): readonly string[] {
  if (marketplace === "absent") return [];
  if (marketplace === undefined)
    return [
      `Claude Code doesn't say where a marketplace ${MARKETPLACE} comes from, so it stays; to remove it: ${asLine(REMOVE_MARKETPLACE)}`,
    ];
  if (marketplace.isOurs) return [];
  const what =
    plugin === "absent" ? "It stays." : `It stays, and the plugin with it; to uninstall that: ${asLine(UNINSTALL)}`;
  return [`The marketplace ${MARKETPLACE} comes from ${marketplace.source}, and not from setup. ${what}`];
}

function describe(plan: FolderPlan, wrote: string, took: string, replaced: string): string[] {
  const { folder, written, removed, edited } = plan;
  return [
    ...(written.length === 0
      ? []
      : [`${wrote} ${written.length} ${written.length === 1 ? "file" : "files"} to ${folder}`]),
    ...written
      .filter((path) => edited.includes(path))
      .map((path) => `${join(folder, path)} ${replaced}: it had been edited by hand`),
    ...removed.map(
      (path) =>
        `${took} ${join(folder, path)}, which an older version wrote${edited.includes(path) ? " and somebody edited" : ""}`,
    ),
  ];
}

function describeCleared({ folder, removed, edited, left }: FolderPlan, took: string, was: string): string[] {
  return [
    left.length === 0 ? `${took} ${folder}` : `${took} ${removed.length} files from ${folder}`,
    ...edited.map((path) => `${join(folder, path)} ${was === "" ? "has" : "had"} been edited by hand`),
  ];
}

function describeLeft({ folder, left }: FolderPlan): readonly string[] {
  return left.map((path) => `${join(folder, path)} is not from setup, and stays.`);
}

/** Hooks without a shell take the program from PATH; an absent one would fail at each start of a session. */
function checkProgram(): readonly string[] {
  const found = findOnPath(PROGRAM);
  if (found === undefined) throw notOnPath();
  if (!isCompiled() || findSameOnPath(PROGRAM, process.execPath) !== undefined) return [];
  return [`PATH finds another threadmind, ${found}, which the plugin will run; this one is ${process.execPath}.`];
}

function notOnPath(): ThreadMindError {
  const folder = isCompiled() ? dirname(process.execPath) : undefined;
  const line =
    process.platform === "win32"
      ? `Add ${folder} to Path (Settings, "Edit environment variables for your account")`
      : `Add it in your shell's start file (~/.profile, ~/.bashrc or ~/.zshrc): export PATH="${folder}:$PATH"`;
  return new ThreadMindError(
    "refused",
    "Cannot set up Claude Code: no program threadmind is on PATH, so the plugin's hooks would fail at each start.",
    folder === undefined
      ? "Nothing was written. Install the compiled program, and run the command again."
      : `Nothing was written. ${line}; then open a new terminal and run the command again.`,
  );
}
