import { expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { spawn } from "./support/binary.ts";
import { type SetupHome, setupHome } from "./support/setup_home.ts";
import { environment } from "./support/temp.ts";

// Each client's file of servers with its key, and how it begins where one writes it by hand.
const FILES: Readonly<Record<string, readonly [string, string]>> = {
  "claude-desktop": [".config/Claude/claude_desktop_config.json", "mcpServers"],
  gemini: [".gemini/settings.json", "mcpServers"],
  cursor: [".cursor/mcp.json", "mcpServers"],
  vscode: [".config/Code/User/mcp.json", "servers"],
  codex: [".codex/config.toml", "mcp_servers"],
  "claude-code --project": ["top/.mcp.json", "mcpServers"],
  "cursor --project": ["top/.cursor/mcp.json", "mcpServers"],
  "codex --project": ["top/.codex/config.toml", "mcp_servers"],
};

/** A file with one entry in our place, as a person would write it. */
function handWritten(path: string, key: string, entry: Readonly<Record<string, unknown>>): string {
  if (!path.endsWith(".toml")) return `${JSON.stringify({ [key]: { "thread-mind": entry } })}\n`;
  const { env, ...values } = entry;
  const lines = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const more = env === undefined ? [] : [`env = { A = "mine" }`];
  return [`[${key}.thread-mind]`, ...lines, ...more, ""].join("\n");
}

const copiesIn = ({ read }: SetupHome, path: string) => read(`${path}.before-threadmind`);

const FOREIGN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "another program": { command: "/opt/mine", args: ["--port", "1"] },
  "an address": { url: "https://example.org/mcp" },
  "a shell around something": { command: "sh", args: ["-c", "exec my-server"] },
};

test("--remove leaves an entry that starts something else, names it, and setup's refusal doesn't lead there", async () => {
  for (const [client, [path, key]] of Object.entries(FILES)) {
    for (const [name, entry] of Object.entries(FOREIGN)) {
      const person = setupHome();
      const text = handWritten(path, key, entry);
      person.write(path, text);
      const refused = await person.setup(client);
      expect({ client, name, code: refused.code }).toEqual({ client, name, code: 1 });
      expect(refused.stderr).toContain("starts something else");
      expect(refused.stderr).not.toContain("--remove");
      for (const words of [`${client} --remove --dry-run`, `${client} --remove`]) {
        const { code, stderr } = await person.setup(words);
        expect({ client, name, code }).toEqual({ client, name, code: 1 });
        expect(stderr).toContain(`Cannot take ${key}.thread-mind out of`);
        expect({ text: person.read(path), copy: copiesIn(person, path) }).toEqual({ text, copy: undefined });
      }
    }
  }
});

test("--remove takes the hooks out beside an entry of somebody else's, and says what it did", async () => {
  const person = setupHome();
  await person.setup("gemini");
  const text = (person.read(".gemini/settings.json") ?? "").replace(/"command": "[^"]*",\n/, '"command": "mine",\n');
  person.write(".gemini/settings.json", text);
  const { code, stderr } = await person.setup("gemini --remove");
  expect(code).toBe(1);
  expect(stderr).toContain("Already written:");
  expect(JSON.parse(person.read(".gemini/settings.json") ?? "")).toEqual({
    mcpServers: { "thread-mind": { command: "mine", args: ["serve"] } },
  });
  expect(copiesIn(person, ".gemini/settings.json")).toBe(text);
});

const MINE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "an environment": { command: "threadmind", args: ["serve"], env: { A: "mine" } },
  "the same in another shape": { args: ["serve"], command: "threadmind" },
  "the old package": { command: "npx", args: ["-y", "thread-mind-mcp"] },
};

test("--remove keeps a copy of a file that somebody wrote, and the file", async () => {
  for (const [client, [path, key]] of Object.entries(FILES)) {
    for (const [name, entry] of Object.entries(MINE)) {
      const person = setupHome();
      const text = handWritten(path, key, entry);
      person.write(path, text);
      expect({ client, name, ...(await person.setup(`${client} --remove`)) }).toMatchObject({ client, name, code: 0 });
      expect({ client, name, copy: copiesIn(person, path) }).toEqual({ client, name, copy: text });
      const left = person.read(path) ?? "absent";
      expect({ client, name, left: left.trim() }).toEqual({ client, name, left: path.endsWith(".toml") ? "" : "{}" });
    }
  }
});

test("--remove never removes a link, nor what it leads to", async () => {
  for (const [client, [path, key]] of Object.entries(FILES)) {
    for (const isWhole of [true, false]) {
      const person = setupHome();
      const { home, top, setup, write, read } = person;
      const at = path.startsWith("top/") ? join(top, path.slice(4)) : join(home, path);
      if (isWhole) await setup(client);
      const text = (isWhole ? read(path) : undefined) ?? handWritten(path, key, MINE["an environment"] ?? {});
      write("dotfiles/it", text);
      mkdirSync(dirname(at), { recursive: true });
      rmSync(at, { force: true });
      symlinkSync(join(home, "dotfiles/it"), at);
      expect(await setup(`${client} --remove`)).toMatchObject({ code: 0 });
      expect({ client, isLink: lstatSync(at).isSymbolicLink() }).toEqual({ client, isLink: true });
      expect({ client, left: read("dotfiles/it")?.trim() }).toEqual({
        client,
        left: path.endsWith("toml") ? "" : "{}",
      });
      expect({ client, copy: copiesIn(person, path) }).toEqual({ client, copy: text });
    }
  }
});

test("--remove takes away a file that setup made, also after the program has moved", async () => {
  for (const [client, [path]] of Object.entries(FILES)) {
    const person = setupHome();
    await person.setup(client);
    const moved = (person.read(path) ?? "").replace(/"[^"]*threadmind"/, '"/elsewhere/threadmind"');
    person.write(path, moved);
    expect(await person.setup(`${client} --remove`)).toMatchObject({ code: 0, stderr: "" });
    expect({ client, text: person.read(path), copy: copiesIn(person, path) }).toEqual({
      client,
      text: undefined,
      copy: undefined,
    });
  }
});

test("what somebody adds after setup stays on --remove, and a copy is kept", async () => {
  const person = setupHome();
  person.write(".cursor/mcp.json", '{\n  "mcpServers": {}\n}\n');
  await person.setup("cursor");
  const text = (person.read(".cursor/mcp.json") ?? "").replace("{", '{\n  "mine": 1,');
  person.write(".cursor/mcp.json", text);
  await person.setup("cursor --remove");
  expect(JSON.parse(person.read(".cursor/mcp.json") ?? "")).toEqual({ mine: 1 });
  expect(person.read(".cursor/mcp.json.before-threadmind-2")).toBe(text);
});

test("--remove names the files that are there", async () => {
  const { setup, write } = setupHome();
  write(".codex/config.toml", 'model = "o"\n');
  const { stdout } = await setup("codex --remove");
  expect(stdout).toContain("config.toml");
  expect(stdout).not.toContain("hooks.json");
});

async function git({ top, home }: SetupHome, ...words: readonly string[]): Promise<string> {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"];
  const { code, stdout, stderr } = await spawn(["git", ...who, ...words], { cwd: top, env: environment(home) });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

test("with --project no copy is kept of what git has, and of the rest one that is named", async () => {
  const person = setupHome();
  const { setup, write, read, top } = person;
  const files = { ".cursor/mcp.json": '{\n  "mcpServers": {}\n}\n', ".gemini/settings.json": "{ /* none */ }" };
  for (const [path, text] of Object.entries(files)) write(`top/${path}`, text);
  await git(person, "add", "-A");
  await git(person, "commit", "-qm", "x");
  for (const client of ["cursor", "gemini"]) {
    const { code, stdout } = await setup(`${client} --project`);
    expect({ code, isSaid: stdout.includes("Don't commit") }).toEqual({ code: 0, isSaid: false });
  }
  await git(person, "add", "-A");
  expect(await git(person, "status", "--porcelain")).not.toContain("before-threadmind");
  await git(person, "commit", "-qm", "set up");
  for (const client of ["cursor", "gemini"]) await setup(`${client} --project --remove`);
  expect(await git(person, "status", "--porcelain")).not.toContain("before-threadmind");

  write("top/.cursor/mcp.json", '{ "changed": true }');
  const { stdout } = await setup("cursor --project");
  expect(stdout).toContain(`Don't commit ${join(top, ".cursor/mcp.json.before-threadmind")}`);
  expect(read("top/.cursor/mcp.json.before-threadmind")).toBe('{ "changed": true }');
});

test("what git has comes back on --remove before it is committed", async () => {
  const person = setupHome();
  const text = '{\n  "mcpServers": {},\n  "a": 1\n}\n';
  person.write("top/.cursor/mcp.json", text);
  await git(person, "add", "-A");
  await git(person, "commit", "-qm", "x");
  await person.setup("cursor --project");
  await person.setup("cursor --project --remove");
  expect(person.read("top/.cursor/mcp.json")).toBe(text);
  expect(await git(person, "status", "--porcelain")).toBe("");
});

test("a run that fails leaves no copy beside a file that it didn't change, and speaks of that file alone", async () => {
  if (process.getuid?.() === 0) return;
  const person = setupHome();
  const { home, setup, write } = person;
  for (const [client, path] of [
    ["cursor", ".cursor/mcp.json"],
    ["codex", ".codex/config.toml"],
  ] as const) {
    write(path, client === "codex" ? "a = 1\n" : '{ "a": 1 }');
    chmodSync(join(home, path), 0o444);
    const { code, stderr } = await setup(client);
    expect(code).toBe(1);
    expect(stderr).toContain("permission is denied");
    expect(stderr).not.toContain(".threadmind");
    expect(readdirSync(join(home, dirname(path)))).toEqual([basename(path)]);
  }
  mkdirSync(join(home, ".gemini"), { mode: 0o555 });
  for (const mode of [0o555, 0o000]) {
    chmodSync(join(home, ".gemini"), mode);
    const { code, stderr } = await setup("gemini");
    expect({ code, speaks: stderr.includes(".threadmind") }).toEqual({ code: 1, speaks: false });
  }
  chmodSync(join(home, ".gemini"), 0o755);
});
