import { dirname, join } from "node:path";
import process from "node:process";
import { ThreadMindError } from "../../errors.ts";
import { findOnPath, findSameOnPath, type Outcome, runClient } from "../../io/client_process.ts";
import { kindOf } from "../../io/files.ts";
import type { Answer } from "./answer.ts";
import { findDoubles } from "./claude_doubles.ts";
import { inOwnData, type Place } from "./place.ts";
import { clearFolder, type FolderPlan, planFolder, writeFolder } from "./plugin_folder.ts";
import { isCompiled, PROGRAM } from "./program.ts";

const PLUGIN = "thread-mind@thread-mind";
const MARKETPLACE = "thread-mind";
const CLIENT = "claude-code";

/** The folder of the local marketplace. */
export function pluginFolder(): string {
  return inOwnData("claude-code");
}

/** What one would type: in a shell, and inside Claude Code. */
export function pluginLines(folder: string): { readonly shell: readonly string[]; readonly inside: readonly string[] } {
  return {
    shell: [
      `claude plugin marketplace add ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`,
      `claude plugin install ${PLUGIN}`,
    ],
    inside: [`/plugin marketplace add ${folder}`, `/plugin install ${PLUGIN}`],
  };
}

/** Writes the plugin to its folder and has Claude Code install it; a dry run only says so. */
export async function installPlugin(place: Place, isDryRun: boolean): Promise<Answer> {
  const plan = planFolder(pluginFolder());
  const notes = [...checkProgram(), ...findDoubles(place)];
  const { shell, inside } = pluginLines(plan.folder);
  const base = { client: CLIENT, files: [], notes };
  if (isDryRun) {
    const ran = [...describe(plan, "would write", "would remove"), ...shell.map((line) => `would run    ${line}`)];
    return { ...base, isChanged: false, heading: "Nothing was written. This would be done:", ran, next: [] };
  }
  writeFolder(plan);
  const claude = findOnPath("claude");
  if (claude === undefined) {
    throw new ThreadMindError(
      "refused",
      "Cannot run Claude Code to install the plugin: no program claude is on PATH.",
      `The plugin is in ${plan.folder}. Type inside Claude Code:\n  ${inside.join("\n  ")}`,
    );
  }
  if (plan.written.length + plan.removed.length === 0 && (await isInstalled(claude, plan.folder)))
    return { ...base, isChanged: false, heading: "Claude Code is already set up: the plugin is installed.", next: [] };
  const ran = describe(plan, "wrote", "removed");
  const update = ["plugin", "update", PLUGIN];
  for (const args of [["plugin", "marketplace", "add", plan.folder], ["plugin", "install", PLUGIN], update])
    ran.push(await step(claude, args, inside));
  const isOff = (await listInstalled(claude))?.some(({ id, isEnabled }) => id === PLUGIN && !isEnabled) === true;
  const enable = isOff ? [`The plugin is disabled; enable it with claude plugin enable ${PLUGIN}`] : [];
  const next = [...enable, "Restart Claude Code, or type /reload-plugins in it."];
  return { ...base, isChanged: true, heading: "Claude Code is set up: the plugin is installed.", ran, next };
}

/** Has Claude Code forget the plugin, and removes its folder. */
export async function removePlugin(isDryRun: boolean): Promise<Answer> {
  const folder = pluginFolder();
  const base = { client: CLIENT, files: [], notes: [], next: [] };
  const commands = [
    ["plugin", "uninstall", PLUGIN],
    ["plugin", "marketplace", "remove", MARKETPLACE],
  ];
  const isThere = kindOf(folder) !== undefined;
  const claude = findOnPath("claude");
  if (isDryRun) {
    const ran = isThere
      ? [...commands.map((args) => `would run     claude ${args.join(" ")}`), `would remove  ${folder}`]
      : [];
    const heading = isThere ? "Nothing was removed. This would be done:" : "Nothing of ThreadMind's plugin is there.";
    return { ...base, isChanged: false, heading, ran };
  }
  const known = claude === undefined ? undefined : await listInstalled(claude);
  if (!isThere && known?.some(({ id }) => id === PLUGIN) !== true)
    return { ...base, isChanged: false, heading: "Nothing of ThreadMind's plugin is there." };
  const inside = [`/plugin uninstall ${PLUGIN}`, `/plugin marketplace remove ${MARKETPLACE}`];
  if (claude === undefined) {
    clearFolder(folder);
    throw new ThreadMindError(
      "refused",
      "Cannot run Claude Code to uninstall the plugin: no program claude is on PATH.",
      `The folder ${folder} is removed. Type inside Claude Code:\n  ${inside.join("\n  ")}`,
    );
  }
  const ran: string[] = [];
  for (const args of commands) {
    const outcome = await runClient(claude, args);
    const isAbsent = /not found|not installed/i.test(outcome.stdout + outcome.stderr);
    if (outcome.code !== 0 && !isAbsent) throw failed(args, outcome, inside);
    ran.push(`claude ${args.join(" ")}: ${outcome.code === 0 ? lastLine(outcome.stdout) : "it was not there"}`);
  }
  if (clearFolder(folder)) ran.push(`removed ${folder}`);
  return { ...base, isChanged: true, heading: "The plugin is removed from Claude Code.", ran };
}

function describe({ folder, written, removed }: FolderPlan, wrote: string, took: string): string[] {
  return [
    ...(written.length === 0
      ? []
      : [`${wrote} ${written.length} ${written.length === 1 ? "file" : "files"} to ${folder}`]),
    ...removed.map((path) => `${took} ${join(folder, path)}, which an older version wrote`),
  ];
}

async function step(claude: string, args: readonly string[], inside: readonly string[]): Promise<string> {
  const outcome = await runClient(claude, args);
  if (outcome.code !== 0) throw failed(args, outcome, inside);
  return `claude ${args.join(" ")}: ${lastLine(outcome.stdout)}`;
}

function failed(
  args: readonly string[],
  { code, stdout, stderr }: Outcome,
  inside: readonly string[],
): ThreadMindError {
  const why = code === undefined ? "it did not run to its end" : `exit ${code}: ${lastLine(stderr.trim() || stdout)}`;
  return new ThreadMindError(
    "refused",
    `Cannot run claude ${args.join(" ")}: ${why}`,
    `Correct that and run this again, or type inside Claude Code:\n  ${inside.join("\n  ")}`,
  );
}

function lastLine(text: string): string {
  const line =
    text
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? "";
  return (line.split("✔").at(-1) ?? line).trim().slice(0, 300);
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

interface Installed {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly isCurrent: boolean;
  readonly folder: string;
}

async function isInstalled(claude: string, folder: string): Promise<boolean> {
  const known = await listInstalled(claude);
  return (
    known?.some(
      (plugin) =>
        plugin.id === PLUGIN && plugin.isEnabled && plugin.isCurrent && plugin.folder === join(folder, "plugin"),
    ) === true
  );
}

/** The plugins that Claude Code names; `undefined` if it doesn't say. */
async function listInstalled(claude: string): Promise<readonly Installed[] | undefined> {
  const { code, stdout } = await runClient(claude, ["plugin", "list", "--json"]);
  if (code !== 0) return undefined;
  try {
    const list: unknown = JSON.parse(stdout);
    return Array.isArray(list) ? list.map(readInstalled) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readInstalled(plugin: Readonly<Record<string, unknown>>): Installed {
  const { id, enabled, version, folderVersion = version, readFromFolder } = plugin;
  return {
    id: String(id),
    isEnabled: enabled === true,
    isCurrent: version === folderVersion,
    folder: String(readFromFolder),
  };
}
