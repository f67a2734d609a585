import type { Argument, CliForm, Command, Usage } from "../commands/command.ts";
import { parseUsage } from "../commands/command.ts";
import { COMMANDS } from "../commands/registry.ts";
import { findNearest, quote } from "../core/id.ts";
import { ThreadMindError } from "../errors.ts";
import { FLAGS, type GlobalOptions, splitOnce, usageError, VALUED } from "./options.ts";

/** A verb of the command line and the command behind it. */
export interface Verb {
  readonly command: Command;
  readonly form: CliForm;
  readonly usage: Usage;
}

/** The arguments of a call, and what is still to be read from standard input. */
export interface ParsedCall {
  readonly input: Record<string, unknown>;
  readonly fromInput: string | undefined;
  /** the words that were joined to the verb's last argument: `abandon too slow` */
  readonly joined: readonly string[];
}

/** All verbs, with the words they start with. */
export function listVerbs(): readonly Verb[] {
  return COMMANDS.flatMap((command) => command.cli.map((form) => ({ command, form, usage: parseUsage(form.usage) })));
}

/** The verb that a command line starts with, and the words behind it. Throws `usage` with the nearest verb. */
export function findVerb(words: readonly string[], others: readonly string[]): { verb: Verb; rest: readonly string[] } {
  const verbs = listVerbs();
  for (const verb of verbs) {
    const parts = verb.usage.verb.split(" ");
    if (parts.every((part, at) => words[at] === part)) return { verb, rest: words.slice(parts.length) };
  }
  const typed = words.slice(0, words[0] === "project" ? 2 : 1).join(" ");
  const names = [...verbs.map(({ usage }) => usage.verb), ...others];
  const below = names.filter((name) => name.startsWith(`${typed} `));
  const [nearest] = findNearest(typed, names);
  const hint =
    below.length > 0
      ? `It is one of: ${below.map((name) => `threadmind ${name}`).join(", ")}.`
      : nearest === undefined
        ? "See threadmind help."
        : `Did you mean threadmind ${nearest}?`;
  throw new ThreadMindError("usage", `Cannot run threadmind ${quote(typed)}: there is no such command.`, hint);
}

/** The arguments to offer with a verb: those of its command that its form doesn't settle. */
export function argumentsOf({ command, form }: Pick<Verb, "command" | "form">): readonly Argument[] {
  const settled = [...Object.keys(form.preset ?? {}), ...(form.omits ?? [])];
  return command.arguments().filter(({ name }) => !settled.includes(name));
}

/** Reads a verb's own words into its command's arguments. Throws `usage`. */
export function parseCall(
  { command, form, usage }: Verb,
  rest: readonly string[],
  { maxTokens, thread }: Pick<GlobalOptions, "maxTokens" | "thread">,
): ParsedCall {
  const known = command.arguments().filter(({ name }) => !(name in (form.preset ?? {})));
  const input: Record<string, unknown> = { ...form.preset };
  const positionals: string[] = [];
  const given = new Set<string>();
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (word === "--") {
      positionals.push(...rest.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    const [name = "", inline] = splitOnce(word, "=");
    const argument = known.find((candidate) => optionName(candidate.name) === name);
    if (argument === undefined) throw unknownOption(usage, known, name);
    const value = inline ?? (argument.type === "boolean" ? "true" : rest[++at]);
    if (value === undefined) throw usageError(`the option ${name} needs a value`, usage.verb);
    if (given.has(argument.name) && argument.type !== "list") throw usageError(`${name} is given twice`, usage.verb);
    given.add(argument.name);
    setArgument(input, argument, value);
  }
  const budget = known.find(({ name }) => name === "maxTokens");
  if (maxTokens !== undefined && budget === undefined) throw usageError("it takes no --max-tokens", usage.verb);
  if (maxTokens !== undefined && budget !== undefined) setArgument(input, budget, maxTokens);
  if (thread !== undefined && known.some(({ name }) => name === "threadId")) {
    if (given.has("threadId")) throw usageError("threadId is given twice", usage.verb);
    input.threadId = thread;
  }
  const joined = placePositionals(usage, positionals, input);
  const fromInput = usage.stdin !== undefined && input[usage.stdin] === undefined ? usage.stdin : undefined;
  return { input, fromInput, joined };
}

/** The option that sets an argument: `maxTokens` is `--max-tokens`. */
export function optionName(argument: string): string {
  return `--${argument.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function setArgument(input: Record<string, unknown>, { name, type }: Argument, value: string): void {
  if (type === "list") {
    const list = Array.isArray(input[name]) ? input[name] : [];
    input[name] = value === "" || value === "[]" ? list : [...list, value];
  } else if (type === "number") {
    input[name] = /^\d+$/.test(value) ? Number(value) : value;
  } else if (type === "boolean") {
    input[name] = value === "true" ? true : value === "false" ? false : value;
  } else {
    input[name] = value;
  }
}

/** Sets the positional arguments; returns the words that the last of them joins. */
function placePositionals(usage: Usage, words: readonly string[], input: Record<string, unknown>): readonly string[] {
  const waiting = [...words];
  let joined: readonly string[] = [];
  for (const [index, { name, isRequired, isRest }] of usage.positionals.entries()) {
    const isNamed = input[name] !== undefined;
    if (isNamed && waiting.length < usage.positionals.length - index) continue;
    if (isNamed) throw usageError(`${name} is given twice`, usage.verb);
    if (isRest) joined = waiting.splice(0);
    const value = isRest ? joined.join(" ") : waiting.shift();
    if (value !== undefined && value !== "") input[name] = value;
    else if (isRequired) throw usageError(`${name} is missing`, usage.verb);
  }
  const [extra] = waiting;
  if (extra !== undefined) throw usageError(`${quote(extra)} is one argument too many`, usage.verb);
  return joined;
}

function unknownOption(usage: Usage, known: readonly Argument[], typed: string): ThreadMindError {
  const names = [...known.map(({ name }) => optionName(name)), ...Object.keys(VALUED), ...Object.keys(FLAGS)];
  const [nearest] = findNearest(typed, names);
  const hint = nearest === undefined ? `See threadmind help ${usage.verb}.` : `Did you mean ${nearest}?`;
  return new ThreadMindError("usage", `Cannot run threadmind ${usage.verb}: it has no option ${quote(typed)}.`, hint);
}
