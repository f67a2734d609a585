import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMPILED, PROGRAM, run, spawn } from "./support/binary.ts";
import { writeProject } from "./support/stored_project.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome } from "./support/temp.ts";
import { openTerminal } from "./support/terminal.ts";

const IDS = ["auth", "auth-api", "it's $HOME", "my thread", "Zed", "日本"];
const ALL = ["Zed", "auth", "auth-api", "it's $HOME", "main", "my thread", "日本"];
const [program = ""] = PROGRAM;
const home = temporaryHome();

/** A workspace with the active project `app` and another one, `shop`, in a home where shells find the program. */
const { top } = gitRepository();
writeProject(top, Object.fromEntries(IDS.map((id) => [id, {}])));
writeProject(top, { cart: {} }, { id: "shop", title: "Shop" });
writeFileSync(
  join(top, ".threadmind/config.json"),
  '{"version": 1, "activeProjectId": "app", "activeThreadId": "main"}\n',
);
const env = environment(home, { PATH: `${dirname(program)}:${process.env.PATH}`, TERM: "dumb", INPUTRC: "/dev/null" });

/** A test of a shell that this machine may lack; its absence stands in the output. */
function shellTest(shell: string, name: string, body: () => Promise<void>): void {
  const isThere = COMPILED && Bun.which(shell) !== null;
  if (!isThere) console.warn(`NOT TESTED, ${shell} or the compiled program is missing: ${name}`);
  test.skipIf(!isThere)(name, body);
}

async function complete(words: readonly string[], cwd = top): Promise<string[]> {
  const { stdout, stderr, code } = await run(["__complete", ...words], { cwd, home });
  expect([words, code, stderr]).toEqual([words, 0, ""]);
  expect(stdout === "" || stdout.endsWith("\n")).toBe(true);
  return stdout.split("\n").slice(0, -1);
}

const TABLE: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
  [["sw"], ["switch"]],
  [["reo"], ["reopen"]],
  [
    ["project", ""],
    ["create", "list", "switch", "update"],
  ],
  [["project", "s"], ["switch"]],
  [
    ["project", "switch", ""],
    ["app", "shop"],
  ],
  [["project", "switch", "S"], ["shop"]],
  [["project", "create", ""], []],
  [
    ["completions", ""],
    ["bash", "zsh", "fish", "powershell"],
  ],
  [["completions", "bash", ""], []],
  [["help", "swi"], ["switch"]],
  [["help", "project", "l"], ["list"]],
  [["no-such", ""], []],
  [["switch", ""], ALL],
  [
    ["switch", "AU"],
    ["auth", "auth-api"],
  ],
  [
    ["switch", "auth"],
    ["auth", "auth-api"],
  ],
  [["switch", "my"], ["my thread"]],
  [["switch", "it's $"], ["it's $HOME"]],
  [["switch", "日"], ["日本"]],
  [["switch", "ze"], ["Zed"]],
  [
    ["switch", "shop/"],
    ["shop/cart", "shop/main"],
  ],
  [["switch", "zzz"], []],
  [["switch", "auth", ""], []],
  [["show", "z"], ["Zed"]],
  [
    ["rebase", "auth", "m"],
    ["main", "my thread"],
  ],
  [["rebase", "auth", "main", ""], []],
  [["abandon", ""], []],
  [["create", "--parent-id", "ze"], ["Zed"]],
  [["create", "--parent-id=ze"], ["--parent-id=Zed"]],
  [["summary", "--section", "O"], ["Open questions"]],
  [["summary", "--section", "State", "ze"], ["Zed"]],
  [["summary", "--append", "ze"], ["Zed"]],
  [
    ["summary", "--section="],
    ["Decisions", "Constraints", "State", "Open questions", "Next steps"].map((name) => `--section=${name}`),
  ],
  [["search", "--path", ""], []],
  [
    ["--project", ""],
    ["app", "shop"],
  ],
  [["tree", "--project=sh"], ["--project=shop"]],
  [
    ["--project", "shop", "switch", ""],
    ["cart", "main"],
  ],
  [["--project=shop", "switch", "c"], ["cart"]],
  [["--thread", "ze"], ["Zed"]],
  [["-C", ""], []],
  [["--root", top, "sw"], ["switch"]],
  [["--no-such=", ""], []],
  [["switch", '""'], ALL],
];

test("__complete offers verbs, arguments, options' values, thread and project ids", async () => {
  const found = await Promise.all(TABLE.map(([words]) => complete(["--", ...words])));
  expect(found.map((words, at) => [TABLE[at]?.[0], words])).toEqual(
    TABLE.map(([words, expected]) => [words, [...expected]]),
  );
});

test("__complete offers every verb of the help, and no hidden one", async () => {
  const { stdout } = await run(["help"]);
  const verbs = stdout.split("\nOptions")[0]?.match(/(?<=^ {2})[a-z]+/gm) ?? [];
  const offered = await complete(["--", ""]);
  expect(verbs.length).toBeGreaterThan(15);
  expect([...offered].sort()).toEqual([...new Set(verbs)].sort());
});

test("__complete offers the options of a verb and of all verbs, whole, once, and no other's", async () => {
  const list = await complete(["--", "summary", "-"]);
  expect(list).toEqual(
    expect.arrayContaining(["--section", "--append", "--content", "--allow-secret", "--json", "-C", "--root"]),
  );
  expect(list).toHaveLength(new Set(list).size);
  for (const option of list) {
    const { stderr } = await run(["summary", "x", option], { cwd: top, home, stdin: "" });
    expect([option, stderr]).toEqual([option, expect.not.stringContaining("has no option")]);
  }
  const done = await complete(["--", "done", "--"]);
  expect(done).toContain("--reason");
  expect(done).not.toContain("--status");
  expect(await complete(["--", "done", "--rea"])).toEqual(["--reason"]);
  expect(await complete(["--", "--js"])).toEqual(["--json"]);
});

test("__complete answers without the two dashes too", async () => {
  expect(await complete(["switch", "au"])).toEqual(["auth", "auth-api"]);
  expect(await complete(["proj"])).toEqual(["project"]);
});

test("__complete starts at -C, and outside a project offers verbs and no ids", async () => {
  const outside = temporaryFolder();
  mkdirSync(join(outside, "empty"));
  expect(await complete(["--", "-C", top, "switch", "z"], outside)).toEqual(["Zed"]);
  expect(await complete(["--", "--root", top, "switch", "z"], outside)).toEqual(["Zed"]);
  expect(await complete(["--", "switch", ""], outside)).toEqual([]);
  expect(await complete(["--", "project", "switch", ""], outside)).toEqual([]);
  expect(await complete(["--", "-C", join(outside, "gone"), "switch", ""], outside)).toEqual([]);
  expect(await complete(["--", "--project", "gone", "switch", ""])).toEqual([]);
  expect(await complete(["--", "sw"], outside)).toEqual(["switch"]);
});

test("__complete writes nothing", async () => {
  const { top: fresh } = gitRepository();
  await complete(["--", "switch", ""], fresh);
  expect(
    await Array.fromAsync(new Bun.Glob(".threadmind/**").scan({ cwd: fresh, dot: true, onlyFiles: false })),
  ).toEqual([]);
});

test("completions refuses another shell and names those it knows", async () => {
  for (const words of [["completions", "tcsh"], ["completions"]]) {
    const { stdout, stderr, code } = await run(words);
    expect([stdout, code]).toEqual(["", 2]);
    expect(stderr).toContain("the shells are bash, zsh, fish, powershell.");
  }
});

/** What Bash offers for these words, the last one being typed. */
async function completeInBash(...words: readonly string[]): Promise<string[]> {
  const script = `set -u; eval "$(threadmind completions bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_threadmind
printf '%s\\n' "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"`;
  const { stdout, stderr } = await spawn(
    ["bash", "--norc", "--noprofile", "-c", script, "bash", "threadmind", ...words],
    { cwd: top, env },
  );
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

shellTest(
  "bash",
  "bash completes threadmind with the function of the script, files where that has nothing",
  async () => {
    const script = 'eval "$(threadmind completions bash)"; complete -p threadmind';
    const { stdout, code } = await spawn(["bash", "-c", script], { cwd: top, env });
    expect([stdout, code]).toEqual(["complete -o default -F _threadmind threadmind\n", 0]);
  },
);

shellTest("bash", "bash offers verbs and ids, escaped as they must be typed", async () => {
  expect(await completeInBash("swi")).toEqual(["switch"]);
  expect(await completeInBash("project", "")).toEqual(["create", "list", "switch", "update"]);
  expect(await completeInBash("switch", "au")).toEqual(["auth", "auth-api"]);
  expect(await completeInBash("switch", "")).toEqual([
    "Zed",
    "auth",
    "auth-api",
    "it\\'s\\ \\$HOME",
    "main",
    "my\\ thread",
    "日本",
  ]);
  expect(await completeInBash("switch", "my\\ t")).toEqual(["my\\ thread"]);
  expect(await completeInBash("switch", '"my t')).toEqual(["my thread"]);
  expect(await completeInBash("rebase", "my\\ thread", "ze")).toEqual(["Zed"]);
  expect(await completeInBash("tree", "--project", "=", "sh")).toEqual(["shop"]);
  expect(await completeInBash("tree", "--project", "=")).toEqual(["app", "shop"]);
  expect(await completeInBash("--project", "=", "shop", "switch", "c")).toEqual(["cart"]);
  expect(await completeInBash("switch", "zzz")).toEqual([]);
});

/** What is typed at a prompt, with a tab, and what the command that comes of it prints. */
const TYPED: readonly (readonly [keys: string, printed: string])[] = [
  ["threadmind show ze\t", "## Thread: Zed"],
  ["threadmind show my\t", "## Thread: my thread"],
  ['threadmind show "my\t', "## Thread: my thread"],
  ["threadmind show it\t", "## Thread: it's $HOME"],
  ["threadmind show 日\t", "## Thread: 日本"],
  ["threadmind show shop/c\t", "## Thread: cart"],
  ["threadmind tree --project=sh\t", "└── cart"],
  ["threadmind proj\tli\t", "shop"],
];

const PROMPTS: Readonly<Record<string, readonly string[]>> = {
  bash: ["bash", "--norc", "--noprofile", "-i"],
  zsh: ["zsh", "-f", "-i"],
};

const SETUP: Readonly<Record<string, string>> = {
  bash: `bind 'set enable-bracketed-paste off'; eval "$(threadmind completions bash)"`,
  zsh: `autoload -U compinit; compinit -u -D; eval "$(threadmind completions zsh)"`,
};

for (const [shell, command] of Object.entries(PROMPTS)) {
  shellTest(shell, `${shell} completes at a real prompt what then runs`, async () => {
    const terminal = openTerminal(command, { cwd: top, env });
    await terminal.types(`${SETUP[shell]}; echo re""ady\r`, "ready");
    for (const [keys, printed] of TYPED) {
      terminal.write(keys);
      await Bun.sleep(250);
      await terminal.types("\r", printed);
    }
    await terminal.close();
  });
}

shellTest("zsh", "zsh completes at the first tab when the script is a file on its fpath", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "_threadmind"), (await run(["completions", "zsh"])).stdout);
  const terminal = openTerminal(["zsh", "-f", "-i"], { cwd: top, env });
  await terminal.types(`fpath=(${folder} $fpath); autoload -U compinit; compinit -u -D; echo re""ady\r`, "ready");
  terminal.write("threadmind show ze\t");
  await Bun.sleep(300);
  await terminal.types("\r", "## Thread: Zed");
  await terminal.close();
});

shellTest("fish", "fish offers verbs and ids", async () => {
  const offers = async (line: string): Promise<string[]> => {
    const script = "threadmind completions fish | source; complete -C $argv[1]";
    const { stdout, stderr } = await spawn(["fish", "--no-config", "-c", script, line], { cwd: top, env });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((found) => found !== "");
  };
  expect(await offers("threadmind swi")).toEqual(["switch"]);
  expect(await offers("threadmind project ")).toEqual(["create", "list", "switch", "update"]);
  expect(await offers("threadmind switch au")).toEqual(["auth", "auth-api"]);
  expect((await offers("threadmind switch ")).sort()).toEqual(ALL);
  expect(await offers("threadmind show 'my t")).toEqual(["my thread"]);
  expect(await offers("threadmind show my\\ t")).toEqual(["my thread"]);
  expect(await offers("threadmind rebase my\\ thread 日")).toEqual(["日本"]);
  expect(await offers("threadmind tree --project=sh")).toEqual(["--project=shop"]);
  expect(await offers("threadmind switch zzz")).toEqual([]);
});

test("the script for PowerShell registers a completer that hands over the words and quotes what comes back", async () => {
  const { stdout, code } = await run(["completions", "powershell"]);
  expect(code).toBe(0);
  expect(stdout).toStartWith(
    "Register-ArgumentCompleter -Native -CommandName threadmind, threadmind.exe -ScriptBlock {\n  param($word, $ast, $position)\n",
  );
  expect(stdout).toContain("threadmind __complete -- @words 2>$null | ForEach-Object {");
  expect(stdout).toContain(`if ($word -eq '') { $words += '""' }`);
  expect(stdout).toContain(`"'" + $_.Replace("'", "''") + "'"`);
  expect(stdout).toContain("[System.Management.Automation.CompletionResult]::new(");
  for (const [open, close] of ["{}", "()", "[]"]) {
    expect([open, stdout.split(open ?? "").length]).toEqual([open, stdout.split(close ?? "").length]);
  }
  expect(stdout).toMatch(/^[\n -~]*\n}\n$/);
});

shellTest("pwsh", "PowerShell offers verbs and ids", async () => {
  const script = `threadmind completions powershell | Out-String | Invoke-Expression
foreach ($line in 'threadmind swi', 'threadmind switch ', 'threadmind show my') {
  (TabExpansion2 $line $line.Length).CompletionMatches | ForEach-Object { $_.CompletionText }
}`;
  const { stdout } = await spawn(["pwsh", "-NoProfile", "-Command", script], { cwd: top, env });
  expect(
    stdout
      .split(/\r?\n/)
      .filter((line) => line !== "")
      .sort(),
  ).toEqual(
    ["switch", "Zed", "auth", "auth-api", "'it''s $HOME'", "main", "'my thread'", "日本", "'my thread'"].sort(),
  );
});
