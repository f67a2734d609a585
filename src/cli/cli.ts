import process from "node:process";
import { forShell } from "../core/next_step.ts";
import { describeError, EXIT, exitCodeOf, ThreadMindError } from "../errors.ts";
import { VERSION } from "../version.ts";
import { wantsColor } from "./color.ts";
import { type GlobalOptions, splitOptions } from "./options.ts";
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
  if (first === "help" || options.wantsHelp === true) {
    const { renderHelpOn } = await import("./help.ts");
    const help = renderHelpOn(first === "help" ? words.slice(1) : words);
    return answer(options, { help }, help);
  }
  if (first === "hook") {
    const { runHook } = await import("./hook.ts");
    const { value, text } = await runHook(options, words.slice(1));
    try {
      answer(options, value, text);
    } catch (error) {
      // Standard output is gone or full: nobody is there to be told.
      if (!(error instanceof ThreadMindError)) throw error;
    }
    // The client may have left its end of the pipe open, and a read be waiting for it.
    process.exit(0);
  }
  if (first === "resolve") {
    if (words[1] === "--driver") {
      const { runMergeDriver } = await import("./merge_driver.ts");
      process.exitCode = await runMergeDriver(words.slice(2));
      return;
    }
    const { runResolve } = await import("./resolve.ts");
    const { value, text, code } = await runResolve(options, words.slice(1));
    answer(options, value, text);
    process.exitCode = code;
    return;
  }
  if (first === "import") {
    const { runImport } = await import("./import.ts");
    const { value, text } = await runImport(options, words.slice(1));
    return answer(options, value, text);
  }
  if (first === "diff") {
    const { runDiff } = await import("./diff.ts");
    const { value, text } = await runDiff(options, words.slice(1));
    return answer(options, value, text);
  }
  if (first === "check" || first === "doctor") {
    const run = first === "check" ? (await import("./check.ts")).runCheck : (await import("./doctor.ts")).runDoctor;
    const { value, text, code } = await run(options, words.slice(1));
    answer(options, value, text);
    process.exitCode = code;
    return;
  }
  if (first === "view") {
    const { runView } = await import("./view/view.ts");
    const outcome = await runView(options, words.slice(1));
    if ("page" in outcome) writeAnswer(outcome.page);
    else answer(options, outcome, outcome.file);
    // The program that shows the page may stay.
    process.exit(process.exitCode ?? 0);
  }
  if (first === "setup") {
    const { runSetup } = await import("./setup/setup.ts");
    const { value, text } = await runSetup(words.slice(1), options);
    return answer(options, value, text);
  }
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
  const { runVerb } = await import("./verb.ts");
  const { value, text } = await runVerb(options, words);
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

function report(error: unknown, isJson: boolean): void {
  const known = error instanceof ThreadMindError;
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    const code = known ? error.code : "bug";
    writeJson({ version: FORMAT_VERSION, error: { code, message, hint: known ? forShell(error.hint) : "" } });
  } else if (known) {
    writeNotice(`threadmind: ${forShell(describeError(error))}`);
  } else {
    const detail = error instanceof Error ? (error.stack ?? message) : message;
    writeNotice(`threadmind: this is a bug, please report it (exit ${EXIT.bug}): ${detail}`);
  }
}
