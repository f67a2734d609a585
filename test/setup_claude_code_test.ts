import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPILED, PROGRAM } from "./support/binary.ts";
import { type SetupHome, setupHome } from "./support/setup_home.ts";
import { temporaryFolder, type Variables } from "./support/temp.ts";

const SYSTEM = "/usr/bin:/bin";
const FOLDER = ".local/share/threadmind/claude-code";

/** A folder for PATH with the program, and a `claude` that notes its arguments and answers as the script says. */
function programs(home: string, script: string | undefined): Variables {
  const bin = temporaryFolder("bin");
  if (COMPILED) symlinkSync(PROGRAM[0] ?? "", join(bin, "threadmind"));
  else writeFileSync(join(bin, "threadmind"), "#!/bin/sh\n", { mode: 0o755 });
  if (script !== undefined) {
    writeFileSync(join(bin, "claude"), `#!/bin/sh\necho "$*" >> '${home}/calls'\n${script}\n`);
    chmodSync(join(bin, "claude"), 0o755);
  }
  return { PATH: `${bin}:${SYSTEM}` };
}

function callsOf({ read }: SetupHome): string[] {
  return (read("calls") ?? "").split("\n").filter((line) => line !== "");
}

const installed = (home: string, version: string) =>
  `case "$*" in *list*) echo '[{"id":"thread-mind@thread-mind","version":"1","folderVersion":"${version}","enabled":true,"readFromFolder":"${home}/${FOLDER}/plugin"}]';; *) echo "✔ Successfully done";; esac`;

test("setup claude-code writes the plugin to a local marketplace and has the client install it", async () => {
  const person = setupHome();
  const { home, setup, read } = person;
  const env = programs(home, installed(home, "1"));
  const first = await setup("claude-code", env);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("Successfully done");
  expect(callsOf(person).slice(0, 3)).toEqual([
    `plugin marketplace add ${join(home, FOLDER)}`,
    "plugin install thread-mind@thread-mind",
    "plugin update thread-mind@thread-mind",
  ]);
  expect(JSON.parse(read(`${FOLDER}/.claude-plugin/marketplace.json`) ?? "").name).toBe("thread-mind");
  expect((await setup("claude-code", env)).stdout).toContain("Claude Code is already set up");
  expect(callsOf(person).at(-1)).toBe("plugin list --json");
});

test("an update writes what differs, removes what is gone, and tells the client", async () => {
  const person = setupHome();
  const { home, setup, write, read } = person;
  const env = programs(home, installed(home, "1"));
  await setup("claude-code", env);
  const plugin = read(`${FOLDER}/plugin/.claude-plugin/plugin.json`);
  write(`${FOLDER}/plugin/.claude-plugin/plugin.json`, "{}");
  write(`${FOLDER}/plugin/commands/old.md`, "old");
  const { stdout } = await setup("claude-code", env);
  expect(stdout).toContain("old.md, which an older version wrote");
  expect(read(`${FOLDER}/plugin/commands/old.md`)).toBeUndefined();
  expect(read(`${FOLDER}/plugin/.claude-plugin/plugin.json`)).toBe(plugin);
  expect(callsOf(person)).toContain("plugin update thread-mind@thread-mind");
});

test("without claude on PATH the folder is written and the error says what to type", async () => {
  const { home, setup, read } = setupHome();
  const { code, stderr } = await setup("claude-code", programs(home, undefined));
  expect(code).toBe(1);
  expect(stderr).toContain(`/plugin marketplace add ${join(home, FOLDER)}`);
  expect(stderr).toContain("/plugin install thread-mind@thread-mind");
  expect(read(`${FOLDER}/plugin/.mcp.json`)).toContain("thread-mind");
});

test("without threadmind on PATH nothing is written, and the folder to add is named", async () => {
  const { home, setup } = setupHome();
  const { code, stderr } = await setup("claude-code", { PATH: SYSTEM });
  expect(code).toBe(1);
  expect(stderr).toContain("no program threadmind is on PATH");
  if (COMPILED) expect(stderr).toContain("export PATH=");
  expect(readdirSync(home).sort()).toEqual([".gitconfig", "work"]);
});

test("a client that fails is quoted", async () => {
  const { home, setup } = setupHome();
  const env = programs(home, 'case "$*" in *install*) echo "✘ Blocked by policy" >&2; exit 3;; esac');
  const { code, stderr } = await setup("claude-code", env);
  expect(code).toBe(1);
  expect(stderr).toContain("Cannot run claude plugin install thread-mind@thread-mind: exit 3: ✘ Blocked by policy");
});

test("--remove uninstalls plugin and marketplace and removes the folder", async () => {
  const person = setupHome();
  const { home, setup } = person;
  const env = programs(home, installed(home, "1"));
  await setup("claude-code", env);
  const { code } = await setup("claude-code --remove", env);
  expect({ code, isThere: existsSync(join(home, FOLDER)) }).toEqual({ code: 0, isThere: false });
  expect(callsOf(person).slice(-2)).toEqual([
    "plugin uninstall thread-mind@thread-mind",
    "plugin marketplace remove thread-mind",
  ]);
  const nothing = await setup("claude-code --remove", programs(home, "echo '[]'"));
  expect(nothing).toMatchObject({ code: 0, stdout: "Nothing of ThreadMind's plugin is there.\n" });
});

test("--dry-run and --print run and write nothing", async () => {
  const person = setupHome();
  const env = programs(person.home, "exit 1");
  for (const words of ["claude-code --dry-run", "claude-code --print", "claude-code --remove --dry-run"])
    expect(await person.setup(words, env)).toMatchObject({ code: 0, stderr: "" });
  expect(callsOf(person)).toEqual([]);
  expect(readdirSync(person.home).sort()).toEqual([".gitconfig", "work"]);
});

test("a folder of somebody else's is left alone", async () => {
  const { home, setup, write, read } = setupHome();
  write(`${FOLDER}/notes.txt`, "mine");
  for (const words of ["claude-code", "claude-code --remove"])
    expect((await setup(words, programs(home, "echo '[]'"))).stderr).toContain("it holds something else");
  expect(read(`${FOLDER}/notes.txt`)).toBe("mine");
});

test("what would run twice is named with the command that takes it out", async () => {
  const { home, top, setup, write } = setupHome();
  const npx = { command: "npx", args: ["-y", "thread-mind-mcp"] };
  const tm = { mcpServers: { tm: { command: "/opt/threadmind", args: [] } } };
  write(
    ".claude.json",
    JSON.stringify({ mcpServers: { "thread-mind": npx, other: { command: "x" } }, projects: { [top]: tm } }),
  );
  write("top/.mcp.json", JSON.stringify({ mcpServers: { here: npx } }));
  const { stdout } = await setup("claude-code", programs(home, installed(home, "1")));
  expect(stdout).toContain("claude mcp remove thread-mind --scope user");
  expect(stdout).toContain("claude mcp remove tm --scope local");
  expect(stdout).toContain("claude mcp remove here --scope project");
  expect(stdout).not.toContain("other");
});
