import { ThreadMindError } from "../errors.ts";
import { openSession } from "../io/session.ts";
import { type GlobalOptions, listVerbs, optionName, type Verb } from "./args.ts";
import { GLOBAL_OPTIONS, OWN_VERBS } from "./help.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_threadmind() {
  local IFS=$'\\n'
  COMPREPLY=($(threadmind __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _threadmind threadmind
`,
  zsh: `#compdef threadmind
_threadmind() {
  local -a found
  found=("\${(@f)$(threadmind __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _threadmind threadmind
`,
  fish: `complete -c threadmind -f -a '(set -l words (commandline -opc) (commandline -ct); threadmind __complete $words[2..-1] 2>/dev/null)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName threadmind -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  threadmind __complete @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
};

/** The script that teaches a shell to complete threadmind. Throws `usage` for another shell. */
export function renderCompletions(shell: string | undefined): string {
  const known = SHELLS.find((name) => name === shell);
  if (known !== undefined) return SCRIPTS[known];
  throw new ThreadMindError(
    "usage",
    `Cannot write completions for ${JSON.stringify(shell ?? "")}: the shells are ${SHELLS.join(", ")}.`,
    'For bash: eval "$(threadmind completions bash)"',
  );
}

/** What may stand in place of the last word of an unfinished command line: verbs, options, thread and project ids. */
export async function complete(options: GlobalOptions, words: readonly string[]): Promise<readonly string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const verb = listVerbs().find(({ usage }) => usage.verb.split(" ").every((part, at) => before[at] === part));
  const all = typed.startsWith("-")
    ? optionsOf(verb)
    : verb === undefined
      ? verbsAfter(before)
      : await idsFor(options, verb, before);
  return all.filter((word) => word.startsWith(typed));
}

function optionsOf(verb: Verb | undefined): readonly string[] {
  const own = verb === undefined ? [] : verb.command.arguments().map(({ name }) => optionName(name));
  return [...own, ...GLOBAL_OPTIONS];
}

function verbsAfter(before: readonly string[]): readonly string[] {
  const names = [...listVerbs().map(({ usage }) => usage.verb), ...Object.keys(OWN_VERBS)];
  const start = before.length === 0 ? "" : `${before.join(" ")} `;
  return [
    ...new Set(names.flatMap((name) => (name.startsWith(start) ? [name.slice(start.length).split(" ")[0] ?? ""] : []))),
  ];
}

async function idsFor(options: GlobalOptions, { usage }: Verb, before: readonly string[]): Promise<readonly string[]> {
  const place = before.length - usage.verb.split(" ").length;
  const name = usage.positionals[place]?.name;
  const session = openSession({
    whereabouts: { root: options.root, directory: options.directory },
    now: () => new Date(),
    project: options.project,
  });
  try {
    if (name === "projectId")
      return session
        .place()
        .store.readProjects()
        .projects.map(({ id }) => id);
    if (name !== "threadId" && name !== "newParentId") return [];
    return [...(await session.scene({ quiet: true })).tree.threads.keys()];
  } catch (error) {
    if (error instanceof ThreadMindError) return [];
    throw error;
  }
}
