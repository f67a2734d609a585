import type { Argument } from "../commands/command.ts";
import { listProjectIds, listThreadIds, startingWith } from "../commands/known_ids.ts";
import { ThreadMindError } from "../errors.ts";
import { openSession } from "../io/session.ts";
import { argumentsOf, listVerbs, optionName, type Verb } from "./args.ts";
import { GLOBAL_OPTIONS } from "./help.ts";
import { type GlobalOptions, splitOptions } from "./options.ts";
import { OWN_VERBS } from "./own_verbs.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/*
 * Each script hands over the words behind `threadmind`, quotes taken off, the last one being what was typed so far, and
 * quotes what comes back. They stand behind `--`, for their options not to be taken as __complete's own. Bash splits
 * words at `=`: `--project=a` comes as three.
 */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_threadmind() {
  local typed=\${COMP_WORDS[COMP_CWORD]} escapes='s/[][ !"#$&'\\''()*;<>?\\\\^\`{|}~]/\\\\&/g' word last
  local -a words
  words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    word=\${word//\\\\/}
    word=\${word//\\"/}
    word=\${word//\\'/}
    case $word in "~/"*) word=$HOME/\${word:2} ;; esac
    last=$((\${#words[@]} - 1))
    if [ $last -ge 0 ]; then
      case "\${words[last]} $word" in "--"*"= "* | "--"*" =") word=\${words[last]}$word ;; *) last=$((last + 1)) ;; esac
    else
      last=0
    fi
    words[last]=$word
  done
  case $typed in [\\"\\']*) escapes= ;; esac
  COMPREPLY=()
  while IFS= read -r word; do
    case $word in --*=*) word=\${word#*=} ;; esac
    COMPREPLY[\${#COMPREPLY[@]}]=$word
  done < <(threadmind __complete -- "\${words[@]}" 2>/dev/null | sed "$escapes")
}
complete -o default -F _threadmind threadmind
`,
  zsh: `#compdef threadmind
_threadmind() {
  local -a found
  found=("\${(@f)$(threadmind __complete -- "\${(@)\${(@)words[2,CURRENT]//[\\\\\\"\\']/}/#\\~\\//$HOME/}" 2>/dev/null)}")
  if [[ -n $found[1] ]]; then compadd -U -a found; else _files; fi
}
compdef _threadmind threadmind
if [[ $funcstack[1] == _threadmind ]]; then _threadmind; fi
`,
  fish: `function __threadmind_complete
  set -l words (commandline -opc) (commandline -ct | string replace --regex --all '[\\'"\\\\\\\\]' '')
  threadmind __complete -- $words[2..-1] 2>/dev/null
end
complete -c threadmind -f -a '(__threadmind_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName threadmind, threadmind.exe -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $position } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
  if ($word -eq '') { $words += '""' }
  $encoding = [Console]::OutputEncoding
  try {
    [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new()
    threadmind __complete -- @words 2>$null | ForEach-Object {
      $text = if ($_ -match '^[\\p{L}\\p{M}\\p{N}/=._-]+$') { $_ } else { "'" + $_.Replace("'", "''") + "'" }
      [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
    }
  } finally {
    [Console]::OutputEncoding = $encoding
  }
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

/**
 * What may stand in place of the last word of an unfinished command line: verbs, options, their values, thread and project
 * ids. Nothing for what can't be completed.
 */
export async function complete(given: GlobalOptions, line: readonly string[]): Promise<readonly string[]> {
  const words = line[0] === "--" ? line.slice(1) : line;
  const before = words.slice(0, -1);
  // An empty word can't be handed over by every PowerShell: its script writes two quotes.
  const last = (words.at(-1) ?? "").replace(/^""$/, "");
  const [, prefix = "", name, value] = /^((--[^=]+)=)(.*)$/su.exec(last) ?? [];
  const option = name ?? before.at(-1) ?? "";
  const isGlobal = needsValue(option);
  const { options, words: plain } = splitOptions(isGlobal && name === undefined ? before.slice(0, -1) : before);
  const typed = value ?? last;
  const verb = listVerbs().find(({ usage }) => usage.verb.split(" ").every((part, at) => plain[at] === part));
  const argument = verb?.command.arguments().find((each) => optionName(each.name) === option);
  const findIds = idFinder({ ...given, ...options }, typed);
  if (isGlobal) return prefixed(prefix, await findIds(option === "--project" ? "projectId" : option.slice(2)));
  if (argument !== undefined && argument.type !== "boolean")
    return prefixed(prefix, await valuesOf(argument, typed, findIds));
  if (name !== undefined) return [];
  if (typed.startsWith("-") && !before.includes("--")) return optionsOf(verb).filter((each) => each.startsWith(typed));
  if (verb === undefined) return wordsAfter(plain).filter((each) => each.startsWith(typed));
  const positional = positionalAt(verb, plain);
  return positional === undefined ? [] : valuesOf(positional, typed, findIds);
}

type FindIds = (argument: string) => Promise<readonly string[]>;

/** Finds the ids that an argument of this name takes and that begin with what was typed. */
function idFinder(options: GlobalOptions, typed: string): FindIds {
  const { root, directory, project } = options;
  return async (argument) => {
    const session = openSession({ whereabouts: { root, directory }, now: () => new Date(), project });
    if (/^(?:thread|threadId|parentId|newParentId)$/.test(argument))
      return startingWith(await listThreadIds(session, typed), typed);
    return argument === "projectId" ? startingWith(await listProjectIds(session), typed) : [];
  };
}

async function valuesOf({ name, choices }: Argument, typed: string, findIds: FindIds): Promise<readonly string[]> {
  return choices === undefined ? findIds(name) : choices.filter((choice) => choice.startsWith(typed));
}

function prefixed(prefix: string, values: readonly string[]): readonly string[] {
  return values.map((value) => `${prefix}${value}`);
}

/** True for an option of every verb that can't stand alone. */
function needsValue(option: string): boolean {
  if (!option.startsWith("-") || option === "--") return false;
  try {
    splitOptions([option]);
    return false;
  } catch (error) {
    if (error instanceof ThreadMindError) return true;
    throw error;
  }
}

/** The argument that the next word without an option is for. */
function positionalAt({ command, usage }: Verb, plain: readonly string[]): Argument | undefined {
  const valued = command.arguments().filter(({ type }) => type !== "boolean");
  const options = valued.map(({ name }) => optionName(name));
  const rest = plain.slice(usage.verb.split(" ").length);
  const given = rest.filter((word, at) => !word.startsWith("-") && !options.includes(rest[at - 1] ?? ""));
  const name = usage.positionals[given.length]?.name;
  return command.arguments().find((argument) => argument.name === name);
}

function optionsOf(verb: Verb | undefined): readonly string[] {
  if (verb === undefined) return GLOBAL_OPTIONS;
  const placed = verb.usage.positionals.map(({ name }) => name);
  const own = argumentsOf(verb).filter(({ name }) => !placed.includes(name));
  return [...new Set([...own.map(({ name }) => optionName(name)), ...GLOBAL_OPTIONS])];
}

/** The words of verbs that may follow; behind `help` any verb, behind `completions` a shell. */
function wordsAfter(before: readonly string[]): readonly string[] {
  if (before[0] === "help") return wordsAfter(before.slice(1));
  const own = Object.entries(OWN_VERBS).find(([name]) => name === before[0])?.[1];
  if (own !== undefined) {
    const flags = own.options.flatMap(([label]) => label.match(/^--[a-z-]+/)?.[0] ?? []);
    return [...(before.length === 1 ? (own.choices ?? []) : []), ...flags];
  }
  const names = [...listVerbs().map(({ usage }) => usage.verb), ...Object.keys(OWN_VERBS)];
  const start = before.length === 0 ? "" : `${before.join(" ")} `;
  const next = names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length).split(" ")[0] ?? "");
  return [...new Set(next)];
}
