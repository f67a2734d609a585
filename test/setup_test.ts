import { expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMPILED, PROGRAM } from "./support/binary.ts";
import { setupHome } from "./support/setup_home.ts";
import { temporaryFolder } from "./support/temp.ts";

const program = COMPILED ? (PROGRAM[0] ?? "") : "threadmind";
const CODEX_HOOK = `${program} hook session-start --client codex`;

test("every client gets its entry in its own file", async () => {
  const { setup, read, top } = setupHome();
  for (const client of ["claude-desktop", "codex", "gemini", "cursor", "vscode"])
    expect(await setup(client)).toMatchObject({ code: 0, stderr: "" });
  const entry = { command: program, args: ["serve"] };
  const json = (path: string) => JSON.parse(read(path) ?? "");
  expect(json(".config/Claude/claude_desktop_config.json").mcpServers["thread-mind"]).toEqual({
    ...entry,
    env: { THREADMIND_ROOT: top },
  });
  expect(Bun.TOML.parse(read(".codex/config.toml") ?? "")).toEqual({ mcp_servers: { "thread-mind": entry } });
  expect(json(".cursor/mcp.json").mcpServers["thread-mind"]).toEqual({ type: "stdio", ...entry });
  expect(json(".config/Code/User/mcp.json").servers["thread-mind"]).toEqual({ type: "stdio", ...entry });
  const hook = (event: string, client: string) => `${program} hook ${event} --client ${client}`;
  expect(json(".gemini/settings.json")).toEqual({
    mcpServers: { "thread-mind": entry },
    hooks: {
      SessionStart: [{ hooks: [{ type: "command", command: hook("session-start", "gemini"), timeout: 10_000 }] }],
      SessionEnd: [{ hooks: [{ type: "command", command: hook("session-end", "gemini"), timeout: 5000 }] }],
    },
  });
  const codex = { type: "command", command: CODEX_HOOK, timeout: 10 };
  expect(json(".codex/hooks.json").hooks.SessionStart).toEqual([
    { matcher: "startup|resume|clear|compact|fork", hooks: [codex] },
  ]);
  expect(json(".codex/hooks.json").hooks.SessionEnd[0].hooks[0].timeout).toBe(3);
  expect(json(".cursor/hooks.json")).toEqual({
    version: 1,
    hooks: {
      sessionStart: [{ command: hook("session-start", "cursor"), timeout: 10 }],
      sessionEnd: [{ command: hook("session-end", "cursor"), timeout: 5 }],
    },
  });
  expect(json(".copilot/hooks/threadmind.json")).toEqual({
    hooks: { SessionStart: [{ type: "command", command: hook("session-start", "vscode"), timeout: 10 }] },
  });
});

test("--project writes the project's files, with the bare command, and the hooks of Claude Code without a shell", async () => {
  const { setup, read, top, home } = setupHome();
  for (const client of ["claude-code", "codex", "gemini", "cursor", "vscode"]) {
    expect(await setup(`${client} --project`)).toMatchObject({ code: 0, stderr: "" });
    expect(await setup(`--project ${client}`)).toMatchObject({ code: 0, stderr: "" });
  }
  const files = [
    ".mcp.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
  ];
  const more = [".cursor/mcp.json", ".cursor/hooks.json", ".vscode/mcp.json", ".github/hooks/threadmind.json"];
  for (const file of [...files, ...more]) {
    expect(read(`top/${file}`)).toMatch(/"threadmind( hook |")/);
    expect(read(`top/${file}`)).not.toContain(home);
  }
  expect(JSON.parse(read("top/.claude/settings.json") ?? "").hooks).toEqual({
    SessionStart: [
      {
        matcher: "startup|resume|clear|compact|fork",
        hooks: [{ type: "command", command: "threadmind", args: ["hook", "session-start"], timeout: 10 }],
      },
    ],
    SessionEnd: [{ hooks: [{ type: "command", command: "threadmind", args: ["hook", "session-end"], timeout: 5 }] }],
  });
  for (const client of ["claude-code", "codex", "gemini", "cursor", "vscode"])
    expect(await setup(`${client} --project --remove`)).toMatchObject({ code: 0, stderr: "" });
  for (const file of [...files, ...more]) expect(read(`top/${file}`)).toBeUndefined();
  expect(readdirSync(home).sort()).toEqual([".gitconfig", "work"]);
  expect(await setup("claude-desktop --project")).toMatchObject({ code: 2, stdout: "" });
  expect(readdirSync(top)).not.toContain(".threadmind");
});

test("an entry of PATH that leads to this program is what is written", async () => {
  if (!COMPILED) return;
  const { setup, read } = setupHome();
  const bin = temporaryFolder("bin");
  symlinkSync(program, join(bin, "threadmind"));
  await setup("cursor", { PATH: `${bin}:${process.env.PATH}` });
  expect(JSON.parse(read(".cursor/mcp.json") ?? "").mcpServers["thread-mind"].command).toBe(join(bin, "threadmind"));
});

test("a path with a blank is quoted in hooks", async () => {
  if (!COMPILED) return;
  const { setup, read } = setupHome();
  const bin = join(temporaryFolder("bin"), "a 'b");
  mkdirSync(bin);
  symlinkSync(program, join(bin, "threadmind"));
  const env = { PATH: `${bin}:${process.env.PATH}` };
  await setup("cursor", env);
  const { hooks } = JSON.parse(read(".cursor/hooks.json") ?? "");
  expect(hooks.sessionStart[0].command).toBe(
    `'${bin.replace("'", "'\\''")}/threadmind' hook session-start --client cursor`,
  );
});

test("a second run says that all is set up and writes nothing", async () => {
  const { setup, time, home } = setupHome();
  await setup("codex");
  const before = [time(".codex/config.toml"), time(".codex/hooks.json")];
  const { stdout, code } = await setup("codex");
  expect({ first: stdout.split("\n")[0], code }).toEqual({ first: "Codex is already set up.", code: 0 });
  expect([time(".codex/config.toml"), time(".codex/hooks.json")]).toEqual(before);
  expect(readdirSync(join(home, ".codex")).sort()).toEqual(["config.toml", "hooks.json"]);
});

test("--dry-run shows the lines that would change and nothing else of the file, and writes nothing", async () => {
  const { setup, write, read, home } = setupHome();
  const text = '{\n  "mcpServers": {\n    "x": { "env": { "TOKEN": "hush" } },\n    "y": {}\n  }\n}\n';
  write(".cursor/mcp.json", text);
  const { stdout } = await setup("cursor --dry-run");
  expect(stdout).toContain('  5 +     "thread-mind": {');
  expect(stdout).not.toContain("hush");
  expect(read(".cursor/mcp.json")).toBe(text);
  expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
});

test("--print shows entry and file and writes nothing, also for clients that are only told", async () => {
  const { setup, home } = setupHome();
  const files = {
    codex: "config.toml",
    copilot: "mcp-config.json",
    opencode: "opencode.json",
    zed: "settings.json",
    kiro: "mcp.json",
  };
  for (const [client, file] of Object.entries(files)) {
    const { stdout, code } = await setup(`${client} --print`);
    expect(code).toBe(0);
    expect(stdout).toContain(file);
    expect(stdout).toContain("thread-mind");
  }
  const { stdout } = await setup("zed --json");
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, client: "zed" });
  expect(readdirSync(home).sort()).toEqual([".gitconfig", "work"]);
  expect(await setup("zed --remove")).toMatchObject({ code: 2 });
});

test("an entry that a person extended keeps what they put in, and old ways to start give way", async () => {
  const old = [
    '"command": "npx", "args": ["-y", "thread-mind-mcp"]',
    '"command": "cmd", "args": ["/c", "npx", "thread-mind-mcp@latest"]',
  ];
  const more = [
    '"command": "volta", "args": ["run", "npx", "-y", "thread-mind-mcp"]',
    '"command": "/old/threadmind", "args": ["serve"]',
  ];
  for (const start of [...old, ...more]) {
    const { setup, write, read } = setupHome();
    write(
      ".cursor/mcp.json",
      `{ "mcpServers": { "thread-mind": { "env": { "A": "1" }, ${start}, "disabled": true } } }`,
    );
    expect(await setup("cursor")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(read(".cursor/mcp.json") ?? "").mcpServers["thread-mind"]).toEqual({
      env: { A: "1" },
      command: program,
      args: ["serve"],
      disabled: true,
    });
  }
  const { setup, write, read } = setupHome();
  write(
    ".codex/config.toml",
    "[mcp_servers.thread-mind]\ncommand = 'npx' # old\nargs = ['thread-mind-mcp']\nenabled = false\n\n[mcp_servers.thread-mind.env]\nA = '1'\n\n[z]\n",
  );
  await setup("codex");
  expect(read(".codex/config.toml")).toBe(
    `[mcp_servers.thread-mind]\ncommand = "${program}" # old\nargs = ["serve"]\nenabled = false\n\n[mcp_servers.thread-mind.env]\nA = '1'\n\n[z]\n`,
  );
  await setup("codex --remove");
  expect(read(".codex/config.toml")).toBe("\n[z]\n");
});

test("another entry that starts the server is named, and stays", async () => {
  const { setup, write, read } = setupHome();
  write(".cursor/mcp.json", '{ "mcpServers": { "tm": { "command": "npx", "args": ["thread-mind-mcp"] } } }');
  write(".codex/config.toml", "[mcp_servers.threadmind]\ncommand = 'threadmind'\n");
  expect((await setup("cursor")).stdout).toContain('a second time, as "tm"');
  expect(read(".cursor/mcp.json")).toContain('"tm": { "command": "npx", "args": ["thread-mind-mcp"] }');
  expect((await setup("codex")).stdout).toContain('a second time, as "threadmind"');
});

test("a hook is replaced where it stands, once, and taken out alone", async () => {
  const { setup, write, read } = setupHome();
  const theirs = { type: "command", command: "notify hook session-start" };
  const stale = {
    type: "command",
    command: "'/old one/threadmind' hook session-start --client codex",
    timeout: 99,
    note: "n",
  };
  const groups = [{ matcher: "startup", hooks: [theirs, stale] }, { hooks: [stale] }];
  write(".codex/hooks.json", JSON.stringify({ hooks: { Stop: [], SessionStart: groups } }, undefined, 2));
  await setup("codex");
  const { hooks } = JSON.parse(read(".codex/hooks.json") ?? "");
  expect(hooks.SessionStart).toEqual([
    { matcher: "startup", hooks: [theirs, { type: "command", command: CODEX_HOOK, timeout: 99, note: "n" }] },
  ]);
  await setup("codex --remove");
  expect(JSON.parse(read(".codex/hooks.json") ?? "")).toEqual({
    hooks: { Stop: [], SessionStart: [{ matcher: "startup", hooks: [theirs] }] },
  });
  const other = '{ "hooks": { "SessionStart": { "hooks": [] } } }';
  write(".codex/hooks.json", other);
  expect((await setup("codex")).stderr).toContain("hooks.SessionStart is an object where a list in [ ] was expected");
  expect(read(".codex/hooks.json")).toBe(other);
});

test("copies are numbered, and none is made twice", async () => {
  const { setup, write, read, home } = setupHome();
  write(".cursor/mcp.json", '{ "a": 1 }');
  for (const words of ["cursor", "cursor --remove", "cursor", "cursor --remove"]) await setup(words);
  write(".cursor/mcp.json", '{ "a": 2 }');
  await setup("cursor");
  const copies = readdirSync(join(home, ".cursor")).filter((name) => name.startsWith("mcp.json.before-threadmind"));
  // What --remove has put back needs no copy any more.
  expect(copies).toEqual(["mcp.json.before-threadmind"]);
  expect(read(".cursor/mcp.json.before-threadmind")).toBe('{ "a": 2 }');
  for (const text of ['{ "a": 3 }', '{ "a": 2 }', '{ "a": 3 }']) {
    write(".cursor/mcp.json", text);
    await setup("cursor");
  }
  expect(read(".cursor/mcp.json.before-threadmind-2")).toBe('{ "a": 3 }');
  expect(read(".cursor/mcp.json.before-threadmind-3")).toBeUndefined();
  await setup("cursor --remove");
  expect(read(".cursor/mcp.json")).toBe('{ "a": 3 }');
  expect(read(".cursor/mcp.json.before-threadmind")).toBe('{ "a": 2 }');
});

test("links are written through, and the mode of file and copy stays", async () => {
  const { setup, write, read, home } = setupHome();
  write("dotfiles/cursor.json", '{\n  "a": 1\n}\n');
  chmodSync(join(home, "dotfiles/cursor.json"), 0o600);
  mkdirSync(join(home, ".cursor"));
  symlinkSync("../dotfiles/cursor.json", join(home, ".cursor/mcp.json"));
  await setup("cursor");
  expect(lstatSync(join(home, ".cursor/mcp.json")).isSymbolicLink()).toBe(true);
  expect(read("dotfiles/cursor.json")).toContain("thread-mind");
  expect(readdirSync(join(home, "dotfiles"))).toEqual(["cursor.json"]);
  for (const path of ["dotfiles/cursor.json", ".cursor/mcp.json.before-threadmind"])
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600);
});

test("what is no file is refused", async () => {
  const { setup, home } = setupHome();
  mkdirSync(join(home, ".cursor/mcp.json"), { recursive: true });
  expect((await setup("cursor")).stderr).toContain("a folder stands in its place");
  mkdirSync(join(home, ".gemini"));
  symlinkSync("nowhere", join(home, ".gemini/settings.json"));
  expect((await setup("gemini")).stderr).toContain("a link to a file that doesn't exist");
  const { setup: again, write } = setupHome();
  write(".codex", "a file where a folder belongs");
  expect(await again("codex")).toMatchObject({ code: 1 });
});

test("a wrong call says what was meant", async () => {
  const { setup } = setupHome();
  const calls: readonly (readonly [string, string])[] = [
    ["", "claude-code, claude-desktop, codex, gemini, cursor, vscode, copilot, opencode, zed, kiro"],
    ["codx", "Did you mean codex?"],
    ["codex --prnt", "Did you mean --print?"],
    ["codex cursor", '"cursor" is one argument too many'],
    ["codex --print --remove", "--print goes with neither"],
    ["codex --project=x", "Did you mean --project?"],
  ];
  for (const [words, message] of calls) {
    const { code, stderr } = await setup(words);
    expect({ words, code }).toEqual({ words, code: 2 });
    expect(stderr).toContain(message);
  }
});

test("--remove where nothing is says so", async () => {
  const { setup, home } = setupHome();
  for (const client of ["claude-desktop", "codex", "gemini", "cursor", "vscode"]) {
    const { code, stdout } = await setup(`${client} --remove`);
    expect({ code, first: stdout.split(" in the files")[0] }).toEqual({ code: 0, first: "Nothing of ThreadMind is" });
  }
  expect(readdirSync(home).sort()).toEqual([".gitconfig", "work"]);
});

test("CODEX_HOME, XDG_CONFIG_HOME, -C and --root are honoured", async () => {
  const { setup, home, read } = setupHome();
  const other = temporaryFolder("other");
  await setup("codex", { CODEX_HOME: join(home, "cx") });
  expect(read("cx/config.toml")).toContain("thread-mind");
  await setup(`claude-desktop --root ${other}`, { XDG_CONFIG_HOME: join(home, "xdg") });
  expect(read("xdg/Claude/claude_desktop_config.json")).toContain(other);
  await setup(`-C ${other} claude-desktop`);
  expect(read(".config/Claude/claude_desktop_config.json")).toContain(other);
  const { stderr, code } = await setup(`-C ${dirname("/x")} claude-desktop`);
  expect({ code, hint: stderr.includes("--root DIR") }).toEqual({ code: 1, hint: true });
});
