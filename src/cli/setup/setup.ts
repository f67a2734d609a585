import { findNearest, quote } from "../../core/id.ts";
import { ThreadMindError } from "../../errors.ts";
import { type Answer, renderAnswer } from "./answer.ts";
import {
  applyChanges,
  type Change,
  copyNotes,
  describeDone,
  doubleNotes,
  type FileReport,
  planChanges,
} from "./changes.ts";
import { installPlugin, pluginFolder, pluginLines, removePlugin } from "./claude_plugin.ts";
import { CLIENTS, type Client, claudeCodeProject } from "./clients.ts";
import { findElsewhere, leftBehind, withoutHooksInToml } from "./doubles.ts";
import { type FileSpec, renderSetup } from "./file_plan.ts";
import { type Place, placeOf } from "./place.ts";
import { PRINTED } from "./printed.ts";
import { findProgram, PROGRAM } from "./program.ts";

/** What the command line says besides the client and its options. */
export interface SetupOptions {
  readonly root?: string | undefined;
  readonly directory?: string | undefined;
}

interface Wanted {
  readonly client: string;
  readonly isPrint: boolean;
  readonly isDryRun: boolean;
  readonly isRemoval: boolean;
  readonly isProject: boolean;
}

const NAMES = ["claude-code", ...Object.keys(CLIENTS), ...Object.keys(PRINTED)];
const FLAGS = ["--print", "--dry-run", "--project", "--remove"];

/** Connects a client to this program, or says how; the answer as a value and as text. */
export async function runSetup(
  words: readonly string[],
  { root, directory }: SetupOptions,
): Promise<{ readonly value: object; readonly text: string }> {
  const wanted = parseWords(words);
  const place = placeOf(wanted, { root, directory });
  const printed = Object.hasOwn(PRINTED, wanted.client) ? PRINTED[wanted.client] : undefined;
  if (printed !== undefined) {
    if (wanted.isRemoval)
      throw usage(
        `setup ${wanted.client} only prints`,
        `Take the entry thread-mind out of ${printed.file(place, PROGRAM).path} yourself.`,
      );
    const command = programFor(wanted);
    return printFiles(
      wanted,
      printed.title,
      [printed.file(place, command)],
      wanted.isProject ? undefined : printed.own?.(command),
    );
  }
  const isPlugin = wanted.client === "claude-code" && !wanted.isProject;
  if (isPlugin && wanted.isPrint) return printPlugin();
  if (isPlugin)
    return done(wanted.isRemoval ? await removePlugin(wanted.isDryRun) : await installPlugin(place, wanted.isDryRun));
  const client = wanted.client === "claude-code" ? claudeCodeProject : CLIENTS[wanted.client];
  if (client === undefined) throw unknownClient(wanted.client);
  return runFiles(wanted, client, place);
}

function programFor({ isProject }: Wanted): string {
  return isProject ? PROGRAM : findProgram().command;
}

async function runFiles(
  wanted: Wanted,
  client: Client,
  place: Place,
): Promise<{ readonly value: object; readonly text: string }> {
  const program = wanted.isProject ? { command: PROGRAM, note: undefined } : findProgram();
  if (wanted.isRemoval) return done(await removeFrom(wanted, client, place, program.command));
  const all = client.files(place, program.command);
  if (wanted.isPrint) return printFiles(wanted, client.title, all, client.own?.(program.command, wanted.isProject));
  const { specs, notes: kept } = withoutHooksInToml(all);
  const changes = await planChanges(specs, false, place);
  const elsewhere = findElsewhere(wanted.client, client, place, program.command);
  const files = applyChanges(changes, wanted.isDryRun);
  const isSame = files.every(({ action }) => action === "none");
  const heading = isSame
    ? `${client.title} is already set up.`
    : wanted.isDryRun
      ? `Nothing was written. This would set up ${client.title}:`
      : `${client.title} is set up.`;
  const notes = [
    ...doubleNotes(changes, false),
    ...kept,
    ...elsewhere,
    ...(program.note === undefined ? [] : [program.note]),
    ...copyNotes(files, place),
  ];
  const next = isSame || wanted.isDryRun ? [] : client.next(place);
  const isChanged = !isSame && !wanted.isDryRun;
  return done({ client: wanted.client, isChanged, heading, files, ...deedsOf(wanted), next, notes });
}

/** No command of the client's is run for its files. */
function deedsOf({ isDryRun }: Pick<Wanted, "isDryRun">): Pick<Answer, "ran" | "would"> {
  return isDryRun ? { would: [] } : { ran: [] };
}

/** Removing an entry of the user's needs no project. */
function withoutRoot(place: Place): Place {
  return place.isProject ? place : { isProject: false, root: () => "" };
}

async function removeFrom({ client, isDryRun }: Wanted, own: Client, place: Place, program: string): Promise<Answer> {
  const specs = own.files(withoutRoot(place), program);
  const changes = await planChanges(specs, true, place);
  const files = applyChanges(changes, isDryRun);
  const foreign = changes.find((change) => change.foreign !== undefined);
  if (foreign !== undefined) throw somebodyElses(foreign, files);
  const isSame = files.every(({ action }) => action === "none");
  const heading = isSame
    ? `Nothing of ThreadMind is in the files of ${own.title}.`
    : isDryRun
      ? `Nothing was written. This would take ThreadMind out of ${own.title}:`
      : `ThreadMind is taken out of ${own.title}.`;
  const next = isSame || isDryRun ? [] : [`Restart ${own.title}.`];
  const notes = [...doubleNotes(changes, true), ...leftBehind(specs), ...copyNotes(files, place)];
  return { client, isChanged: !isSame && !isDryRun, heading, files, ...deedsOf({ isDryRun }), next, notes };
}

function somebodyElses({ spec, foreign }: Change, files: readonly FileReport[]): ThreadMindError {
  const hint = "It stays as it is; if nobody needs it, take it out by hand.";
  return new ThreadMindError(
    "refused",
    `Cannot take ${foreign} out of ${spec.path}: it is no entry that starts ThreadMind.`,
    [hint, ...describeDone(files)].join("\n"),
  );
}

function printFiles(
  { client }: Wanted,
  title: string,
  specs: readonly FileSpec[],
  own: string | undefined,
): { readonly value: object; readonly text: string } {
  const files = specs.map((spec) => ({ path: spec.path, content: renderSetup(spec, "") }));
  const text = [
    `For ${title}. Nothing was written.`,
    ...files.flatMap(({ path, content }) => ["", `In ${path}:`, "", content.trimEnd()]),
    ...(own === undefined ? [] : ["", "The client's own command for the server:", "", `  ${own}`]),
  ].join("\n");
  return { value: { client, files, ...(own === undefined ? {} : { command: own }) }, text };
}

function printPlugin(): { readonly value: object; readonly text: string } {
  const folder = pluginFolder();
  const { shell, inside } = pluginLines(folder);
  const text = [
    `For Claude Code. Nothing was written. Without --print, the plugin is written to ${folder}, and then`,
    "",
    ...shell.map((line) => `  ${line}`),
    "",
    "is run. The same inside Claude Code:",
    "",
    ...inside.map((line) => `  ${line}`),
  ].join("\n");
  return { value: { client: "claude-code", folder, commands: shell }, text };
}

function done(answer: Answer): { readonly value: object; readonly text: string } {
  const { client, isChanged, files, ran = [], would, next, notes } = answer;
  const deeds = would === undefined ? { ran } : { would };
  return { value: { client, changed: isChanged, files, ...deeds, next, notes }, text: renderAnswer(answer) };
}

function parseWords(words: readonly string[]): Wanted {
  const flags = words.filter((word) => word.startsWith("-"));
  const [client, extra] = words.filter((word) => !word.startsWith("-"));
  for (const flag of flags) if (!FLAGS.includes(flag)) throw unknownFlag(flag);
  if (client === undefined) throw usage("the client is missing", `It is one of: ${NAMES.join(", ")}.`);
  if (!NAMES.includes(client)) throw unknownClient(client);
  if (extra !== undefined) throw usage(`${quote(extra)} is one argument too many`, "Give one client at a time.");
  const [isPrint, isDryRun, isProject, isRemoval] = FLAGS.map((flag) => flags.includes(flag));
  if (isPrint === true && (isDryRun === true || isRemoval === true))
    throw usage(`--print goes with neither --dry-run nor --remove`, "Give one of them.");
  return {
    client,
    isPrint: isPrint === true,
    isDryRun: isDryRun === true,
    isProject: isProject === true,
    isRemoval: isRemoval === true,
  };
}

function unknownClient(typed: string): ThreadMindError {
  const [nearest] = findNearest(typed, NAMES);
  const hint = nearest === undefined ? `It is one of: ${NAMES.join(", ")}.` : `Did you mean ${nearest}?`;
  return usage(`there is no client ${quote(typed)}`, hint);
}

function unknownFlag(typed: string): ThreadMindError {
  const [nearest] = findNearest(typed, FLAGS);
  const hint = nearest === undefined ? `Its options are ${FLAGS.join(", ")}.` : `Did you mean ${nearest}?`;
  return usage(`it has no option ${quote(typed)}`, hint);
}

function usage(why: string, hint: string): ThreadMindError {
  return new ThreadMindError("usage", `Cannot run threadmind setup: ${why}.`, hint);
}
