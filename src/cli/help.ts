import type { Argument } from "../commands/command.ts";
import { VERSION } from "../version.ts";
import { argumentsOf, findVerb, listVerbs, optionName, type Verb } from "./args.ts";
import { OWN_VERBS } from "./own_verbs.ts";

const OPTIONS: readonly (readonly [string, string])[] = [
  ["-C DIR", "start in this folder"],
  ["--root DIR", "the workspace's folder, exactly"],
  ["--project ID", "another project than the active one"],
  ["--thread ID", "another thread than the active one"],
  ["--max-tokens N", "token budget, for context, show and switch"],
  ["--color WHEN", "auto, always or never; NO_COLOR is honoured"],
  ["--json", "one JSON document on standard output, errors too"],
  ["-h, --help", "help; also for each verb"],
  ["-V, --version", "the version"],
];

/** The options that every verb takes, as they are typed. */
export const GLOBAL_OPTIONS: readonly string[] = OPTIONS.flatMap(
  ([label]) => label.match(/--?[A-Za-z]+(?:-[a-z]+)*/g) ?? [],
);

/** The help on a verb, or on all of it without words. Throws `usage` for a verb that isn't there. */
export function renderHelpOn(words: readonly string[]): string {
  const [first] = words;
  if (first === undefined) return renderHelp();
  const own = Object.entries(OWN_VERBS).find(([name]) => name === first)?.[1];
  if (own !== undefined) {
    const rows = own.options.length === 0 ? [] : ["", "Arguments and options:", columns(own.options)];
    return [`Usage: threadmind ${own.usage}`, "", `${own.summary}.`, ...rows].join("\n");
  }
  const below = words.length === 1 ? listVerbs().filter(({ usage }) => usage.verb.startsWith(`${first} `)) : [];
  if (below.length > 0) return renderGroupHelp(first, below);
  return renderVerbHelp(findVerb(words, Object.keys(OWN_VERBS)).verb);
}

/** The verbs that begin with one word. */
function renderGroupHelp(first: string, verbs: readonly Verb[]): string {
  const more = `See threadmind help ${first} VERB for the options of each.`;
  return [`Usage: threadmind ${first} VERB [ARGUMENTS] [OPTIONS]`, "", columns(verbs.map(rowOf)), "", more].join("\n");
}

function rowOf({ usage, form, command }: Verb): [string, string] {
  return [lineOf(usage.verb, form.usage), form.summary ?? firstClause(command.description)];
}

/** The help that fits a screen. */
function renderHelp(): string {
  const verbs = listVerbs().map(rowOf);
  const own = Object.values(OWN_VERBS).map(({ usage, summary }): [string, string] => [usage, summary]);
  return [
    `ThreadMind ${VERSION}: a memory for AI coding sessions, kept in the repository`,
    "",
    "Usage: threadmind VERB [ARGUMENTS] [OPTIONS]",
    "",
    columns([...verbs, ...own]),
    "",
    "Options of every verb:",
    columns(OPTIONS),
    "",
    "Start:",
    '  threadmind project create "My App"',
    "  threadmind summary < summary.md",
    "  threadmind context",
    "",
    "Without arguments and with input that is no terminal, threadmind serves MCP.",
  ].join("\n");
}

/** The help of one verb. */
function renderVerbHelp({ command, form, usage }: Verb): string {
  const positional = new Set(usage.positionals.map(({ name }) => name));
  const known = argumentsOf({ command, form });
  const options = known.filter(({ name }) => !positional.has(name));
  const named = known.filter(({ name }) => positional.has(name));
  return [
    `Usage: threadmind ${lineOf(usage.verb, form.usage)}${options.length > 0 ? " [OPTIONS]" : ""}`,
    "",
    `${command.description}.`,
    ...section("Arguments:", named, ({ name }) => name),
    ...section("Options:", options, optionLabel),
  ].join("\n");
}

function section(heading: string, list: readonly Argument[], label: (argument: Argument) => string): string[] {
  if (list.length === 0) return [];
  return ["", heading, columns(list.map((argument): [string, string] => [label(argument), explain(argument)]))];
}

function optionLabel({ name, type, choices }: Argument): string {
  if (type === "boolean") return optionName(name);
  if (type === "number") return `${optionName(name)} N`;
  if (type === "list") return `${optionName(name)} TEXT …`;
  return `${optionName(name)} ${choices === undefined || choices.length > 3 ? "TEXT" : choices.join("|")}`;
}

function explain({ name, description, type, choices }: Argument): string {
  if (choices !== undefined && choices.length > 3) return `${description}: ${choices.join(", ")}`;
  if (type !== "list") return description;
  return `${description.replace(/; \[\] .*$/, "")}; give the option once for each, ${optionName(name)} "" clears them`;
}

function lineOf(verb: string, usage: string): string {
  return usage.replace(verb, verb).replace("< content", "< FILE");
}

function firstClause(description: string): string {
  return description.split(/[;:]/, 1)[0] ?? description;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
