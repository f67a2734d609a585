import type { Outcome } from "../commands/command.ts";
import { openSession } from "../io/session.ts";
import { findVerb, parseCall } from "./args.ts";
import { readInput } from "./input.ts";
import type { GlobalOptions } from "./options.ts";
import { OWN_VERBS } from "./own_verbs.ts";

/** Runs the command of the registry that these words call. Throws `usage` if they call none. */
export async function runVerb(options: GlobalOptions, words: readonly string[]): Promise<Outcome> {
  const { verb, rest } = findVerb(words, Object.keys(OWN_VERBS));
  const { input, fromInput } = parseCall(verb, rest, options);
  if (fromInput !== undefined) input[fromInput] = readInput(verb.usage.verb);
  const session = openSession({
    whereabouts: { root: options.root, directory: options.directory },
    now: () => new Date(),
    project: options.project,
    thread: options.thread,
  });
  return await verb.command.call(session, input);
}
