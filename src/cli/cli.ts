import process from "node:process";
import { describeError, EXIT, exitCodeOf, ThreadMindError } from "../errors.ts";
import { openSession } from "../io/session.ts";
import { VERSION } from "../version.ts";
import { findVerb, type GlobalOptions, parseCall, splitOptions, type Verb } from "./args.ts";
import { wantsColor } from "./color.ts";
import { OWN_VERBS, renderHelp, renderVerbHelp } from "./help.ts";
import { readInput } from "./input.ts";
import { writeAnswer, writeJson, writeNotice, writePainted } from "./output.ts";

const FORMAT_VERSION = 1;

/** Runs one command line; the answer goes to standard output, the rest to standard error; sets the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const isJson = argv.includes("--json");
  try {
    const { options, words } = splitOptions(argv);
    wantsColor(options.color);
    await dispatch(options, words);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    report(error, isJson);
  }
}

async function dispatch(options: GlobalOptions, words: readonly string[]): Promise<void> {
  const [first = "help"] = words;
  if (options.wantsVersion === true || first === "version") return showVersion(options.isJson === true);
  if (words.length === 0) return answer(options, { help: renderHelp() }, renderHelp());
  if (first === "help") return showHelp(options, words.slice(1));
  if (options.wantsHelp === true) return showHelp(options, words);
  if (first === "demo") {
    const { runDemo } = await import("./demo.ts");
    const text = await runDemo();
    return answer(options, { text }, text);
  }
  if (first === "completions" || first === "__complete") {
    const { complete, renderCompletions } = await import("./completions.ts");
    if (first === "completions")
      return answer(options, { script: renderCompletions(words[1]) }, renderCompletions(words[1]));
    return writeAnswer((await complete(options, words.slice(1))).join("\n"));
  }
  const { verb, rest } = findVerb(words, Object.keys(OWN_VERBS));
  await runVerb(options, verb, rest);
}

async function runVerb(options: GlobalOptions, verb: Verb, rest: readonly string[]): Promise<void> {
  const { input, fromInput } = parseCall(verb, rest, options);
  if (fromInput !== undefined) input[fromInput] = readInput(verb.usage.verb);
  const session = openSession({
    whereabouts: { root: options.root, directory: options.directory },
    now: () => new Date(),
    project: options.project,
    thread: options.thread,
  });
  const { value, text } = await verb.command.call(session, input);
  answer(options, value, text);
}

function answer(options: GlobalOptions, value: object, text: string): void {
  if (options.isJson === true) writeJson({ version: FORMAT_VERSION, ...value });
  else if (wantsColor(options.color)) writePainted(text);
  else writeAnswer(text);
}

function showVersion(isJson: boolean): void {
  const { arch, platform } = process;
  const { bun, deno }: Readonly<Record<string, string | undefined>> = process.versions;
  const runtime = bun === undefined ? `deno ${deno ?? ""}` : `bun ${bun}`;
  if (isJson) writeJson({ version: FORMAT_VERSION, threadmind: VERSION, platform, arch, runtime });
  else writeAnswer(`threadmind ${VERSION}`);
}

function showHelp(options: GlobalOptions, words: readonly string[]): void {
  const [first] = words;
  const own = first === undefined ? undefined : Object.entries(OWN_VERBS).find(([name]) => name === first)?.[1];
  const text =
    first === undefined
      ? renderHelp()
      : own === undefined
        ? renderVerbHelp(findVerb(words, Object.keys(OWN_VERBS)).verb)
        : `Usage: threadmind ${own.usage}\n\n${own.summary}.`;
  answer(options, { help: text }, text);
}

function report(error: unknown, isJson: boolean): void {
  const known = error instanceof ThreadMindError;
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    const code = known ? error.code : "bug";
    writeJson({ version: FORMAT_VERSION, error: { code, message, hint: known ? error.hint : "" } });
  } else if (known) {
    writeNotice(`threadmind: ${describeError(error)}`);
  } else {
    const detail = error instanceof Error ? (error.stack ?? message) : message;
    writeNotice(`threadmind: this is a bug, please report it (exit ${EXIT.bug}): ${detail}`);
  }
}
