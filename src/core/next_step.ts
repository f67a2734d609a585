const TOOL = "(?:context_get|stats_show|summary_update|threadmind_init|(?:thread|project)_[a-z]+)";
const ARGUMENT = "[a-z]+[A-Z][A-Za-z]+";
const BOTH = new RegExp(
  `\\b(${TOOL}(?:(?!${TOOL})[^()\\n])*|${ARGUMENT}) \\(on the command line: ((?:threadmind|--)[^()\\n]*)\\)`,
  "g",
);
const PLAIN_WORD = /^(?:--)?[\p{L}\p{M}\p{N}_./:@=][\p{L}\p{M}\p{N}_./:@=-]*$/u;

/** What to do next, as a tool's call and as the words of a command line; a surface shows its own of the two. */
export function nextStep(tool: string, verb: readonly string[]): string {
  return `${tool} (on the command line: threadmind ${verb.map(shellWord).join(" ")})`;
}

/** A message of ours as it is shown in a shell: the command lines of its next steps alone. */
export function forShell(text: string): string {
  return text.replace(BOTH, "$2");
}

/** A message of ours as a model gets it: the tools of its next steps alone. */
export function forTools(text: string): string {
  return text.replace(BOTH, "$1");
}

/** A word as it is typed into a shell, in quotes where it needs them; `<` alone takes a file for standard input. */
export function shellWord(word: string): string {
  return PLAIN_WORD.test(word) || word === "<" ? word : quotedWord(word);
}

/** A word in the quotes that every shell takes where it can be, else in those of a POSIX shell. */
export function quotedWord(word: string): string {
  return /["$`\\!%]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}
