import { ThreadMindError } from "../../errors.ts";
import { type Outcome, runClient } from "../../io/client_process.ts";
import { realPath } from "../../io/files.ts";

/** The plugin as Claude Code names it: with its marketplace. */
export const PLUGIN = "thread-mind@thread-mind";
/** The name of our marketplace. */
export const MARKETPLACE = "thread-mind";

const LIMIT_SECONDS = 20;

/** What Claude Code knows of the plugin; `undefined` where it doesn't say. */
export interface ClaudeState {
  /** where the marketplace of our name comes from: our folder, elsewhere, or nowhere */
  readonly marketplace: { readonly isOurs: boolean; readonly source: string } | "absent" | undefined;
  readonly plugin: { readonly isEnabled: boolean; readonly isCurrent: boolean } | "absent" | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** Asks Claude Code what it knows. Throws `refused` if it doesn't answer. */
export async function askClaude(claude: string, folder: string, inside: readonly string[]): Promise<ClaudeState> {
  const marketplaces = await list(claude, ["plugin", "marketplace", "list", "--json"], inside);
  const plugins = await list(claude, ["plugin", "list", "--json"], inside);
  const marketplace = marketplaces?.find(({ name }) => name === MARKETPLACE);
  const plugin = plugins?.find(({ id, scope = "user" }) => id === PLUGIN && scope === "user");
  return {
    marketplace:
      marketplaces === undefined ? undefined : marketplace === undefined ? "absent" : of(marketplace, folder),
    plugin: plugins === undefined ? undefined : plugin === undefined ? "absent" : readPlugin(plugin),
  };
}

function of({ source, path, repo, url, installLocation }: Entry, folder: string): { isOurs: boolean; source: string } {
  const place = path ?? (source === "directory" ? installLocation : undefined);
  const isOurs = typeof place === "string" && (place === folder || isSameFolder(place, folder));
  return { isOurs, source: String(place ?? repo ?? url ?? source) };
}

function isSameFolder(one: string, other: string): boolean {
  const real = realPath(one);
  return real !== undefined && real === realPath(other);
}

function readPlugin({ enabled, version, folderVersion = version }: Entry): { isEnabled: boolean; isCurrent: boolean } {
  return { isEnabled: enabled !== false, isCurrent: version === folderVersion };
}

/** What a list of Claude Code's says; `undefined` from one that has no such list yet. */
async function list(
  claude: string,
  args: readonly string[],
  inside: readonly string[],
): Promise<readonly Entry[] | undefined> {
  const outcome = await run(claude, args);
  if (outcome.code === undefined) throw failed(args, outcome, inside);
  try {
    const said: unknown = JSON.parse(outcome.stdout);
    return Array.isArray(said) ? said : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function run(claude: string, args: readonly string[]): Promise<Outcome> {
  return runClient(claude, args, undefined, LIMIT_SECONDS * 1000);
}

/** Runs a command of Claude Code and returns what it said. Throws `refused` if it fails, unless that is `isFine`. */
export async function tellClaude(
  claude: string,
  args: readonly string[],
  inside: readonly string[],
  isFine: (said: string) => boolean = () => false,
): Promise<{ readonly line: string; readonly said: string }> {
  const outcome = await run(claude, args);
  const said = outcome.stdout + outcome.stderr;
  const isDone = outcome.code === 0;
  if (!isDone && (outcome.code === undefined || !isFine(said))) throw failed(args, outcome, inside);
  return { line: `claude ${args.join(" ")}: ${isDone ? lastLine(outcome.stdout) : "it was not there"}`, said };
}

function failed(
  args: readonly string[],
  { code, stdout, stderr, isLate }: Outcome,
  inside: readonly string[],
): ThreadMindError {
  const command = `claude ${args.join(" ")}`;
  const why =
    code !== undefined
      ? `exit ${code}: ${lastLine(stderr.trim() || stdout)}`
      : isLate === true
        ? `it did not end within ${LIMIT_SECONDS} seconds.`
        : "it could not be started, or something ended it.";
  const first = code === undefined ? "Run that command by itself to see what it waits for" : "Correct that";
  return new ThreadMindError(
    "refused",
    `Cannot run ${command}: ${why}`,
    `${first}, and run this again, or type inside Claude Code:\n  ${inside.join("\n  ")}`,
  );
}

function lastLine(text: string): string {
  const lines = text.trim().split(/[\r\n]+/);
  const line = lines.at(-1) ?? "";
  return (line.split("✔").at(-1) ?? line).trim().slice(0, 300);
}
