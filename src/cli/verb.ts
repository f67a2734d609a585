import type { Outcome } from "../commands/command.ts";
import { parseThreadReference, quote } from "../core/id.ts";
import { quotedWord, shellWord } from "../core/next_step.ts";
import { findThread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import { openSession, type Session } from "../io/session.ts";
import { argumentsOf, findVerb, parseCall, type Verb } from "./args.ts";
import { readInput } from "./input.ts";
import type { GlobalOptions } from "./options.ts";
import { OWN_VERBS } from "./own_verbs.ts";

/** Runs the command of the registry that these words call. Throws `usage` if they call none. */
export async function runVerb(options: GlobalOptions, words: readonly string[]): Promise<Outcome> {
  const { verb, rest } = findVerb(words, Object.keys(OWN_VERBS));
  const { input, fromInput, joined } = parseCall(verb, rest, options);
  if (fromInput !== undefined) input[fromInput] = readInput(verb.usage.verb);
  const session = openSession({
    whereabouts: { root: options.root, directory: options.directory },
    now: () => new Date(),
    project: options.project,
    thread: options.thread,
  });
  const takesThread = argumentsOf(verb).some(({ name }) => name === "threadId");
  if (takesThread && input.threadId === undefined) await refuseThreadAsText(session, verb, joined);
  return await verb.command.call(session, input);
}

/**
 * Refuses the words of a text of which the first is a thread: who types `abandon auth` means auth, and not that the active
 * thread is abandoned because of "auth". Several words in one pair of quotes are a text.
 */
async function refuseThreadAsText(session: Session, { usage }: Verb, words: readonly string[]): Promise<void> {
  const [first, ...others] = words;
  if (first === undefined || /\s/.test(first)) return;
  const { thread, active } = await findMeant(session, first);
  if (thread === undefined) return;
  const call = (text: string, id: string): string =>
    `threadmind ${usage.verb} ${quotedWord(text)} --thread ${shellWord(id)}`;
  const other =
    active === undefined ? [] : [`To say this of ${active.id}, the active thread: ${call(words.join(" "), active.id)}`];
  throw new ThreadMindError(
    "usage",
    `Cannot run threadmind ${usage.verb}: its first word, ${quote(first)}, is the id of a thread.`,
    [`To ${usage.verb} ${first}: ${call(others.join(" ") || "why", first)}`, ...other].join("\n"),
  );
}

/** The thread that a word is the id of, if it is one, and the active one. */
async function findMeant(session: Session, word: string): Promise<Partial<Pick<Scene, "thread" | "active">>> {
  try {
    const { tree, active } = await session.scene({ threadId: word, quiet: true, mayBeGone: true });
    const thread = findThread(tree, parseThreadReference(word).thread);
    return thread === undefined ? {} : { thread, active };
  } catch (error) {
    if (error instanceof ThreadMindError && /^unknown-(?:thread|project)$/.test(error.code)) return {};
    throw error;
  }
}
