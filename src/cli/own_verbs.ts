/** A verb that is no command of the registry, with what its help shows. */
export interface OwnVerb {
  readonly usage: string;
  readonly summary: string;
  /** what its first argument may be, where that is a choice */
  readonly choices?: readonly string[];
  readonly options: readonly (readonly [label: string, explanation: string])[];
}

const CLIENTS = [
  ...["claude-code", "claude-desktop", "codex", "gemini", "cursor", "vscode"],
  ...["copilot", "opencode", "zed", "kiro"],
];

/** Verbs that are no commands of the registry. */
export const OWN_VERBS: Readonly<Record<string, OwnVerb>> = {
  serve: { usage: "serve", summary: "Serve MCP on standard input and output", options: [] },
  demo: { usage: "demo", summary: "Make a throw-away repository and show its tree and context", options: [] },
  resolve: {
    usage: "resolve [file...] [OPTIONS]",
    summary: "Settle thread files that git left in conflict, by section and bullet",
    options: [
      ["file", "these only, by path or thread id"],
      ["--add", "stage what is settled"],
      ["--install", "register the merge driver in this clone's git configuration"],
      ["--uninstall", "take it out again"],
    ],
  },
  check: {
    usage: "check [OPTIONS]",
    summary: "Check all thread files, for CI and pull requests; exit code 3 with errors",
    options: [
      ["--base REV", "in team mode: who changed whose threads since this commit"],
      ["--strict", "stale summaries are errors"],
    ],
  },
  diff: {
    usage: "diff <base...head>",
    summary: "Show which decisions were added, struck, moved, merged or abandoned, as Markdown",
    options: [["base...head", "from where the two parted; base..head as they are; base alone as base...HEAD"]],
  },
  doctor: {
    usage: "doctor [OPTIONS]",
    summary: "Check the workspace, its files, git, the hooks and the clients, and say what to mend",
    options: [["--fix", "do the safe repairs, and say what was done"]],
  },
  view: {
    usage: "view [OPTIONS]",
    summary: "Show threads, contexts and measured sessions as one page in the browser",
    options: [["--output FILE", "write the page there instead of opening it; - for standard output"]],
  },
  import: {
    usage: "import <kind> <file>",
    summary: "Make a project of what you have already; nothing of it is lost",
    choices: ["claude-md", "memory-json"],
    options: [
      ["claude-md FILE", "a CLAUDE.md, AGENTS.md or the like, by its headings"],
      ["memory-json FILE", "the file of the official MCP memory server, or its graph as JSON"],
      ["--title TITLE", "the project's title, instead of the one in the file"],
      ["--allow-secret", "import it although it holds what looks like a secret"],
    ],
  },
  setup: {
    usage: "setup <client> [OPTIONS]",
    summary: "Connect a client: the server, and the hooks where it has them",
    choices: CLIENTS,
    options: [
      [
        "client",
        "claude-code, claude-desktop, codex, gemini, cursor, vscode; printed only: copilot, opencode, zed, kiro",
      ],
      ["--print", "show the entry and the file it belongs in"],
      ["--dry-run", "show what would change"],
      ["--project", "the project's own file, to be committed, instead of yours"],
      ["--remove", "take it out again"],
    ],
  },
  hook: {
    usage: "hook <event> [OPTIONS]",
    summary: "Answer a client's hook, whose payload is on standard input",
    choices: ["session-start", "session-end", "pre-edit"],
    options: [
      ["session-start", "print the active thread's context; remember where the client stands"],
      ["session-end", "measure from the transcript how large the conversation grew"],
      ["pre-edit", "print the decisions that govern the file, once a file and conversation"],
      ["--client NAME", "claude-code, codex, gemini, cursor or vscode, where the payload doesn't tell"],
      ["--dry-run", "answer, and write nothing"],
      ["--max-tokens N", "a smaller budget for session-start than 9,000 characters"],
    ],
  },
  completions: {
    usage: "completions <shell>",
    summary: "Print the completion script for bash, zsh, fish or powershell",
    choices: ["bash", "zsh", "fish", "powershell"],
    options: [],
  },
  help: { usage: "help [verb]", summary: "Show this help, or a verb's", options: [] },
  version: { usage: "version", summary: "Print the version", options: [] },
};
