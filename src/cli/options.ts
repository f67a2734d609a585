import { ThreadMindError } from "../errors.ts";

/** Options that every verb takes. */
export interface GlobalOptions {
  directory?: string;
  root?: string;
  project?: string;
  thread?: string;
  maxTokens?: string;
  color?: string;
  isJson?: boolean;
  wantsHelp?: boolean;
  wantsVersion?: boolean;
}

/** Words that are left of a command line once the options that every verb takes are read. */
export interface Split {
  readonly options: GlobalOptions;
  readonly words: readonly string[];
}

/** The options with a value, as they are typed. */
export const VALUED: Readonly<Record<string, "directory" | "root" | "project" | "thread" | "maxTokens" | "color">> = {
  "-C": "directory",
  "--root": "root",
  "--project": "project",
  "--thread": "thread",
  "--max-tokens": "maxTokens",
  "--color": "color",
};
/** The options without one. */
export const FLAGS: Readonly<Record<string, "isJson" | "wantsHelp" | "wantsVersion">> = {
  "--json": "isJson",
  "-h": "wantsHelp",
  "--help": "wantsHelp",
  "-V": "wantsVersion",
  "--version": "wantsVersion",
};

/** Takes the options that every verb has out of a command line. Throws `usage` for one without its value. */
export function splitOptions(argv: readonly string[]): Split {
  const options: GlobalOptions = {};
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      words.push(...argv.slice(at));
      break;
    }
    const [name = "", inline] = word.startsWith("--") ? splitOnce(word, "=") : [word, undefined];
    // `setup` writes to the files of the project that one is in, and takes no other.
    const isOwn = name === "--project" && words[0] === "setup";
    const valued = Object.hasOwn(VALUED, name) && !isOwn ? VALUED[name] : undefined;
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (valued !== undefined) {
      const value = inline ?? argv[++at];
      if (value === undefined) throw usageError(`the option ${name} needs a value`);
      options[valued] = value;
    } else if (flag !== undefined && inline !== undefined) {
      throw usageError(`the option ${name} takes no value`);
    } else if (flag !== undefined) {
      options[flag] = true;
    } else {
      words.push(word);
    }
  }
  return { options, words };
}

/** A text before and behind a separator; all of it and `undefined` without one. */
export function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The error for words that make no call of a verb. */
export function usageError(why: string, verb?: string): ThreadMindError {
  const subject = verb === undefined ? "threadmind" : `threadmind ${verb}`;
  return new ThreadMindError(
    "usage",
    `Cannot run ${subject}: ${why}.`,
    `See threadmind help${verb === undefined ? "" : ` ${verb}`}.`,
  );
}
