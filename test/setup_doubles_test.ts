import { expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { setupHome } from "./support/setup_home.ts";
import { temporaryFolder, temporaryHome } from "./support/temp.ts";

const exec = { type: "command", command: "threadmind", args: ["hook", "session-start"] };
const shell = {
  type: "command",
  command: "cd / && '/opt/my tools/threadmind' hook session-start --client claude-code",
};
const settings = (handler: object) => JSON.stringify({ hooks: { SessionStart: [{ hooks: [handler] }] } });

test("setup claude-code --project says that the plugin is installed, wherever it is enabled", async () => {
  for (const path of [".claude/settings.json", "top/.claude/settings.local.json"]) {
    const { setup, write } = setupHome();
    write(path, JSON.stringify({ enabledPlugins: { "thread-mind@thread-mind": true, "x@y": true } }));
    for (const words of ["claude-code --project --dry-run", "claude-code --project", "claude-code --project"]) {
      const { stdout, code } = await setup(words);
      expect(code).toBe(0);
      expect(stdout).toContain("ThreadMind's plugin is installed");
      expect(stdout).not.toContain("Don't install the plugin");
    }
  }
  const { setup, write } = setupHome();
  write(".claude/settings.json", JSON.stringify({ enabledPlugins: { "thread-mind@thread-mind": false } }));
  const { stdout } = await setup("claude-code --project");
  expect(stdout).toContain("Don't install the plugin");
  expect(stdout).not.toContain("is installed");
});

test("hooks in any settings of Claude Code are named, in whatever form they call threadmind", async () => {
  for (const handler of [exec, shell]) {
    for (const path of [".claude/settings.json", "top/.claude/settings.local.json", "top/.claude/settings.json"]) {
      const { setup, write, read } = setupHome();
      write(path, settings(handler));
      const bin = temporaryFolder("bin");
      await Bun.write(join(bin, "threadmind"), "#!/bin/sh\n");
      await Bun.write(join(bin, "claude"), "#!/bin/sh\necho '[]'\n");
      for (const name of ["threadmind", "claude"]) Bun.spawnSync(["chmod", "+x", join(bin, name)]);
      const { stdout } = await setup("claude-code", { PATH: `${bin}:/usr/bin:/bin` });
      expect(stdout).toContain(`${path.replace("top/", "")} runs the hooks a second time`);
      expect(read(path)).toBe(settings(handler));
      const isOther = path !== "top/.claude/settings.json";
      const project = await setup("claude-code --project");
      expect(project.stdout.includes("has hooks that call threadmind too")).toBe(isOther);
    }
  }
});

const TOML = {
  tables: (event: string, verb: string) =>
    `[[hooks.${event}]]\nmatcher = "startup"\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = "threadmind hook ${verb}"\n`,
  inline: (event: string, verb: string) =>
    `[hooks]\n${event} = [{ hooks = [{ type = "command", command = "threadmind hook ${verb} --client codex" }] }]\n`,
};

test("hooks that Codex has in config.toml get no second one in hooks.json", async () => {
  for (const text of Object.values(TOML)) {
    const { setup, write, read } = setupHome();
    write(".codex/config.toml", text("SessionStart", "session-start"));
    for (let turn = 0; turn < 2; turn++) {
      const { stdout, code } = await setup("codex");
      expect(code).toBe(0);
      expect(stdout).toMatch(/hook for SessionStart is in .*config\.toml already, under \[hooks\]/);
      expect(Object.keys(JSON.parse(read(".codex/hooks.json") ?? "").hooks)).toEqual(["SessionEnd"]);
    }
    expect((await setup("codex --remove")).stdout).toContain("has hooks under [hooks] that call threadmind");
  }
  const { setup, write, home } = setupHome();
  write(".codex/config.toml", TOML.tables("SessionStart", "session-start") + TOML.tables("SessionEnd", "session-end"));
  await setup("codex");
  expect(readdirSync(join(home, ".codex")).sort()).toEqual(["config.toml", "config.toml.before-threadmind"]);
});

test("hooks that are in both files of Codex are named", async () => {
  const { setup, write, read } = setupHome();
  await setup("codex");
  write(".codex/config.toml", `${read(".codex/config.toml")}\n${TOML.tables("SessionStart", "session-start")}`);
  expect((await setup("codex")).stdout).toContain("have ThreadMind's hook for SessionStart, so it runs twice");
});

test("VS Code reads Claude Code's hooks: set up after one another, the second says so", async () => {
  const said = "are told the context twice";
  const pairs = [
    ["claude-code --project", "vscode --project"],
    ["vscode --project", "claude-code --project"],
    ["vscode", "claude-code --project"],
    ["claude-code --project", "vscode"],
  ];
  for (const [first = "", second = ""] of pairs) {
    const { setup } = setupHome();
    expect((await setup(first)).stdout).not.toContain(said);
    expect({ first, second, isSaid: (await setup(second)).stdout.includes(said) }).toEqual({
      first,
      second,
      isSaid: true,
    });
  }
});

test("hooks of the other scope are named with the command that takes them out", async () => {
  for (const client of ["codex", "gemini", "cursor", "vscode"]) {
    const { setup } = setupHome();
    await setup(client);
    expect((await setup(`${client} --project`)).stdout).toContain(`threadmind setup ${client} --remove`);
    expect((await setup(client)).stdout).toContain(`threadmind setup ${client} --project --remove`);
  }
});

test("the client's own command is printed for the scope that was asked for, or not at all", async () => {
  const { setup } = setupHome();
  const own: Readonly<Record<string, readonly [RegExp, RegExp | undefined]>> = {
    codex: [/codex mcp add thread-mind -- /, undefined],
    copilot: [/copilot mcp add thread-mind -- /, undefined],
    vscode: [/code --add-mcp /, undefined],
    gemini: [/gemini mcp add -s user /, /gemini mcp add -s project thread-mind threadmind serve/],
    cursor: [/^/, undefined],
  };
  for (const [client, [ofUser, ofProject]] of Object.entries(own)) {
    expect((await setup(`${client} --print`)).stdout).toMatch(ofUser);
    const { stdout } = await setup(`${client} --project --print`);
    if (ofProject !== undefined) expect(stdout).toMatch(ofProject);
    else expect(stdout).not.toContain("own command");
  }
  expect((await setup("claude-code --project --print")).stdout).toContain("claude mcp add --scope project");
});

test("times, matchers and words that a person has changed in a hook stay; only the program is renewed", async () => {
  const files = { codex: ".codex/hooks.json", gemini: ".gemini/settings.json", cursor: ".cursor/hooks.json" };
  const more = { vscode: ".copilot/hooks/threadmind.json", "claude-code --project": "top/.claude/settings.json" };
  for (const [client, path] of Object.entries({ ...files, ...more })) {
    const { setup, write, read } = setupHome();
    await setup(client);
    const changed = (read(path) ?? "")
      .replace(/"timeout": \d+/g, '"timeout": 77')
      .replace(/"matcher": "[^"]*"/, '"matcher": "startup"')
      .replace(/( --client [a-z]+)"/, '$1 --root /mine"')
      .replace(/,?\s*"timeout": 77/, "");
    write(path, changed);
    const { stdout } = await setup(client);
    expect({ client, text: read(path) }).toEqual({ client, text: changed });
    expect(stdout).toContain("already set up");
    const moved = changed.replaceAll(/"[^" ]*threadmind(?= hook)/g, '"/old/threadmind');
    write(path, moved);
    await setup(client);
    expect({ client, text: read(path) }).toEqual({ client, text: changed });
  }
});

test("a folder that doesn't exist, and one outside any project, are told in setup's own words", async () => {
  const { setup } = setupHome();
  for (const client of ["claude-desktop", "cursor", "cursor --project", "codex --remove"]) {
    const { code, stderr } = await setup(`${client} --root /nope`);
    expect({ client, code }).toEqual({ client, code: 1 });
    expect(stderr).toContain('Cannot use --root "/nope": there is no such folder.');
  }
  const home = temporaryHome();
  for (const client of ["claude-code", "codex", "gemini", "cursor", "vscode"]) {
    const { code, stderr } = await run(["setup", client, "--project"], { cwd: home, home });
    expect({ client, code }).toEqual({ client, code: 1 });
    expect(stderr).toContain(`Cannot run threadmind setup ${client} --project: this folder is in no project.`);
    expect(stderr).not.toMatch(/THREADMIND_ROOT|the client|server/);
  }
});

test("to commit is said in a repository alone", async () => {
  const { setup, top } = setupHome();
  for (const client of ["claude-code", "codex", "gemini", "cursor", "vscode"])
    expect((await setup(`${client} --project`)).stdout).toContain("Commit ");
  rmSync(join(top, ".git"), { recursive: true });
  for (const client of ["claude-code", "codex", "gemini", "cursor", "vscode"]) {
    await setup(`${client} --project --remove`);
    const { stdout } = await setup(`${client} --project`);
    expect(stdout).toContain("is set up");
    expect(stdout).not.toContain("Commit");
  }
});

test("--dry-run of a file on one line shows what is put in, and nothing around it", async () => {
  const { setup, write } = setupHome();
  const hush = `"x":{"env":{"TOKEN":"hush"},"args":[${Array.from({ length: 100 }, (_, at) => `"${at}"`).join(",")}]}`;
  write(".gemini/settings.json", `{"a":1,"mcpServers":{${hush}},"z":[${"1,".repeat(200)}2]}`);
  const { stdout } = await setup("gemini --dry-run");
  for (const part of ['"thread-mind":{', '["serve"]', "hook session-start --client gemini", "hook session-end"])
    expect(stdout).toContain(part);
  expect(stdout).toContain('["serve"]}');
  expect(stdout).not.toContain("hush");
});

test("--dry-run numbers removed lines as in the old file, added ones as in the new", async () => {
  const { setup, write, read } = setupHome();
  write(".cursor/mcp.json", '{\n  "a": 1,\n  "mcpServers": {\n    "y": {}\n  },\n  "b": 2\n}\n');
  await setup("cursor");
  const lines = (read(".cursor/mcp.json") ?? "").split("\n");
  const { stdout } = await setup("cursor --remove --dry-run");
  const shown = [...stdout.matchAll(/^ +(\d+) - (.*)$/gm)].map(([, number, text]) => ({
    number: Number(number),
    text,
  }));
  expect(shown.length).toBeGreaterThan(3);
  for (const { number, text } of shown.filter(({ text }) => lines.includes(text ?? "")).slice(0, 6))
    expect(lines[number - 1]).toBe(text ?? "");
});

test("--dry-run of a large file shows the changes at both its ends, and nothing between", async () => {
  for (const isOneLine of [true, false]) {
    const { setup, write } = setupHome();
    const lines = Array.from({ length: 6000 }, (_, at) => `"hush${at}": {}`);
    const text = JSON.stringify({ mcpServers: { a: {} }, other: "LINES", hooks: {} }, undefined, 2);
    const whole = text.replace('"LINES"', `{\n${lines.join(",\n")}\n}`);
    write(".gemini/settings.json", isOneLine ? whole.replaceAll("\n", "") : whole);
    const { stdout, code } = await setup("gemini --dry-run");
    expect(code).toBe(0);
    for (const part of ["thread-mind", "session-start --client gemini", "session-end"]) expect(stdout).toContain(part);
    expect(stdout).not.toContain("hush");
  }
});
