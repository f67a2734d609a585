import { expect, test } from "bun:test";
import { setupHome } from "./support/setup_home.ts";

// Each client's file of servers, with the key that holds them.
const JSON_FILES: Readonly<Record<string, readonly [string, string]>> = {
  "claude-desktop": [".config/Claude/claude_desktop_config.json", "mcpServers"],
  gemini: [".gemini/settings.json", "mcpServers"],
  cursor: [".cursor/mcp.json", "mcpServers"],
  vscode: [".config/Code/User/mcp.json", "servers"],
  "claude-code --project": ["top/.mcp.json", "mcpServers"],
};

// What a client's own parser refuses: the real ones of Claude Code, Codex and Gemini CLI say so.
const REFUSES: Readonly<Record<string, RegExp>> = {
  "claude-desktop": /trailing comma|comments/,
  "claude-code --project": /trailing comma|comments/,
  gemini: /trailing comma|byte order mark/,
};

// KEY stands for the client's key. After setup and --remove every byte is as it was.
const KEPT: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an empty object and a line end": "{}\n",
  "an empty file": "",
  "an empty container": '{ "KEY": {} }',
  "empty containers on lines": '{\n  "KEY": {\n  },\n  "hooks": { "SessionStart": [] },\n  "other": {}\n}\n',
  "an object with comments": "{ /* none yet */ }",
  "comments and nothing else": "// comment\n",
  "another key": '{\n  "theme": "dark"\n}\n',
  "no line end": '{\n  "theme": "dark"\n}',
  "tabs and a trailing comma": '{\n\t"KEY": {\n\t\t"x": { "command": "y", },\n\t},\n}\n',
  "four blanks and CRLF":
    '{\r\n    "KEY": {\r\n        "x": {\r\n            "command": "y"\r\n        }\r\n    }\r\n}\r\n',
  "a byte order mark": '\ufeff{\n  "KEY": {\n    "x": {}\n  }\n}\n',
  "comments everywhere":
    '// top\n{ // open\n  /* before */ "KEY": { // servers\n    "x": {} // last, no comma\n    // "y": {}\n  }, // behind\n  "z": 1 /* end */\n  // done\n}\n// bottom\n',
  "a comma on a line of its own": '{\n  "a": 1\n  ,\n  "KEY": {\n    "x": {}\n  }\n}\n',
  "one line": '{"a":1,"KEY":{"x":{"command":"y"}}}',
  "one line with blanks": '{ "a": 1, "KEY": { "x": { "command": "y" } } }\n',
  "servers on one line": '{\n  "KEY": { "x": { "command": "y" } },\n  "z": [1, 2, 3]\n}\n',
  "keys of objects":
    '{\n  "__proto__": { "a": 1 },\n  "constructor": 2,\n  "KEY": {\n    "__proto__": {},\n    "toString": {}\n  }\n}\n',
  "numbers that floats can't hold":
    '{\n  "n": 12345678901234567890123, "m": 1e400, "k": -0.0,\n  "s": "\\u00e9\\n\\ud800"\n}\n',
  "braces in strings":
    '{\n  "a": "}{ // no /* comment",\n  "KEY": {\n    "x": { "args": ["{", "]", "\\"", "//"] }\n  }\n}\n',
};

for (const [client, [path, key]] of Object.entries(JSON_FILES)) {
  test(`setup ${client} and --remove leave every byte of the file as it was`, async () => {
    for (const [name, source] of Object.entries(KEPT)) {
      const { setup, write, read } = setupHome();
      const text = source.replaceAll("KEY", key);
      write(path, text);
      if (REFUSES[client]?.test(name) === true) {
        const { code, stderr } = await setup(client);
        expect({ name, code, text: read(path) }).toEqual({ name, code: 1, text });
        expect(stderr).toMatch(/a comma stands before|a comment stands here|begins with a byte order mark/);
        continue;
      }
      expect({ name, ...(await setup(client)) }).toMatchObject({ name, code: 0, stderr: "" });
      expect({ name, has: read(path)?.includes('"thread-mind"') }).toEqual({ name, has: true });
      expect({ name, copy: read(`${path}.before-threadmind`) }).toEqual({ name, copy: text });
      const again = await setup(client);
      expect({ name, is: again.stdout.includes("already set up"), code: again.code }).toEqual({
        name,
        is: true,
        code: 0,
      });
      expect(await setup(`${client} --remove`)).toMatchObject({ code: 0, stderr: "" });
      expect({ name, text: read(path), copy: read(`${path}.before-threadmind`) }).toEqual({
        name,
        text,
        copy: undefined,
      });
    }
  });
}

const KEPT_TOML: Readonly<Record<string, string>> = {
  "an empty file": "",
  "a table without keys": "[mcp_servers]\n",
  "another server": '[mcp_servers.x]\ncommand = "y" # why\nargs = [\n  "a", # one\n]\n',
  "no line end": 'model = "o"',
  "a comment at the end": 'model = "o"\n# the end\n',
  CRLF: 'model = "o"\r\n\r\n[mcp_servers.x]\r\ncommand = "y"\r\n',
  "a byte order mark": '\ufeffmodel = "o"\n',
  "blank lines at the end": 'model = "o"\n\n\n',
  "a table of servers": '[mcp_servers]\nx = { command = "y" }\n\n[profiles."a b"]\nn = 1\n',
  "dotted keys": 'mcp_servers.x.command = "y"\n[tui]\nz = 1979-05-27T07:32:00Z\n',
  "strings of all kinds": "a = '''\n[mcp_servers.thread-mind]\n'''\nb = \"\"\"x \\\n  y\"\"\"\n",
  "lists of tables":
    '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\n[projects."/w"]\ntrust_level = "trusted"\n',
  "keys of objects": "__proto__ = 1\n[constructor]\n__proto__.x = 2\n",
};

test("setup codex and --remove leave every byte of config.toml as it was", async () => {
  for (const [name, text] of Object.entries(KEPT_TOML)) {
    const { setup, write, read } = setupHome();
    write(".codex/config.toml", text);
    expect({ name, ...(await setup("codex")) }).toMatchObject({ name, code: 0, stderr: "" });
    const written = read(".codex/config.toml") ?? "";
    expect({ name, parsed: Bun.TOML.parse(written.replace("\ufeff", "")) }).toMatchObject({
      name,
      parsed: { mcp_servers: { "thread-mind": { args: ["serve"] } } },
    });
    expect((await setup("codex")).stdout).toContain("already set up");
    expect(await setup("codex --remove")).toMatchObject({ code: 0, stderr: "" });
    expect({ name, text: read(".codex/config.toml") }).toEqual({ name, text });
  }
});

// What is no file that can be changed: the text, and what the refusal says.
const REFUSED_JSON: Readonly<Record<string, readonly [string, RegExp]>> = {
  "a missing comma": ['{\n  "a": 1\n  "b": 2\n}\n', /line 3: a comma was expected/],
  "a missing brace": ['{\n  "a": 1\n', /} was expected/],
  "a second value": ["{}\n{}\n", /line 2: the end was expected/],
  "a list": ["[]\n", /line 1: the file holds a list, and an object in \{ \} is needed/],
  null: ["null", /line 1: the file holds null, and an object in \{ \} is needed/],
  "a number": ["\n 12", /line 2: the file holds a number, and an object/],
  "single quotes": ["{'a': 1}", /line 1/],
  "a line break in a string": ['{"a": "b\nc"}', /line 1: (?:a string isn't closed|a string holds a line break)/],
  "a tab in a string": ['{"a": "b\tc"}', /line 1: a string holds a line break, a tab/],
  "a wrong escape": ['{"a": "\\q"}', /line 1: a backslash in a string/],
  "a short escape": ['{"a": "\\u12"}', /line 1: \\u in a string needs four/],
  "an open number": ['{"a": 1.}', /line 1: a number/],
  "an open comment": ['{ "a": 1 } /* x', /line 1: a comment isn't closed/],
  "a list of servers": ['{\n  "KEY": []\n}\n', /line 2: KEY is a list where an object/],
  "no servers": ['{\n  "KEY": null\n}\n', /line 2: KEY is null where/],
  "a key twice": ['{\n  "KEY": {},\n  "KEY": {}\n}\n', /line 3: the key "KEY" occurs twice/],
  "an entry that is none": ['{\n  "KEY": {\n    "thread-mind": "x"\n  }\n}\n', /line 3: KEY.thread-mind is a string/],
  "another program's entry": ['{ "KEY": { "thread-mind": { "command": "python" } } }', /starts something else/],
  "an entry with an address": ['{ "KEY": { "thread-mind": { "url": "https://x.example" } } }', /starts something else/],
  "a hundred thousand brackets": [
    `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    /line 1: it is nested too deep/,
  ],
  "a hundred thousand open braces": ['{"a":'.repeat(100_000), /line 1: it is nested too deep/],
};

test("a file that can't be changed is refused with path and line, and nothing is written", async () => {
  for (const [client, [path, key]] of Object.entries(JSON_FILES)) {
    for (const [name, [source, message]] of Object.entries(REFUSED_JSON)) {
      const { setup, write, read } = setupHome();
      const text = source.replaceAll("KEY", key);
      write(path, text);
      const { code, stdout, stderr } = await setup(client);
      expect({ client, name, code, stdout }).toEqual({ client, name, code: 1, stdout: "" });
      expect(stderr.replaceAll(key, "KEY")).toMatch(message);
      // No name of the parser's: a word with a capital inside, as InvalidCharacter.
      expect(stderr.replaceAll(/\S*[/\\]\S*|mcpServers|ThreadMind/g, "")).not.toMatch(/[a-z][A-Z]/);
      expect(stderr).toContain(path.replace(/^top\//, ""));
      expect({ text: read(path), copy: read(`${path}.before-threadmind`) }).toEqual({ text, copy: undefined });
    }
  }
});

const REFUSED_TOML: Readonly<Record<string, readonly [string, RegExp]>> = {
  "a key twice": ["a = 1\na = 2\n", /line 2: a key or table occurs twice\./],
  "a table twice": ["[a]\n[a]\n", /line 2: a key or table occurs twice\./],
  "an open string": ['a = "x\n', /line 1: a string isn't closed\./],
  "no value": ["a =\n", /a value was expected behind =\./],
  "no key": ["= 1\n", /line 1: a (?:key was expected|character)/],
  "no equals sign": ["a 1\n", /line 1: = was expected behind a key\./],
  "two values on a line": ["a = 1 b = 2\n", /line 1: a line break was expected\./],
  "an open list": ["a = [1, 2\n", /a list isn't closed with \]\./],
  "an open table": ["[a", /line 1: .*closed with \]\./],
  "a wrong escape": ['a = "\\q"\n', /line 1: a backslash in a string/],
  "a word": ["a = yes\n", /line 1: a character that can't stand here\./],
  "a zero in front": ["a = 01\n", /line 1: a number begins with 0\./],
  "no such date": ["a = 2026-13-01\n", /line 1: there is no such date or time\./],
  "a dot at the end of a key": ["a. = 1\n", /line 1: a dot of a key/],
  "an inline table": ["mcp_servers = { x = { command = 'y' } }\n", /line 1: mcp_servers is an inline table/],
  "a list of tables": ["[[mcp_servers]]\nx = 1\n", /line 1: mcp_servers is a list of tables/],
  "a value": ["mcp_servers = 1\n", /line 1: mcp_servers is a value/],
  "another program's entry": ["[mcp_servers.thread-mind]\ncommand = 'python'\n", /starts something else/],
  "tables without end": [`a = ${"{a=".repeat(100_000)}1${"}".repeat(100_000)}`, /line 1/],
};

test("a config.toml that can't be changed is refused with path and line, and hooks.json is not written either", async () => {
  for (const [name, [text, message]] of Object.entries(REFUSED_TOML)) {
    const { setup, write, read } = setupHome();
    write(".codex/config.toml", text);
    const { code, stderr } = await setup("codex");
    expect({ name, code }).toEqual({ name, code: 1 });
    expect(stderr).toMatch(message);
    expect({ text: read(".codex/config.toml"), hooks: read(".codex/hooks.json") }).toEqual({ text, hooks: undefined });
  }
});

test("a damaged second file keeps the first from being written", async () => {
  const { setup, write, read } = setupHome();
  write(".codex/config.toml", 'model = "o"\n');
  write(".codex/hooks.json", '{ "hooks": [');
  expect(await setup("codex")).toMatchObject({ code: 1, stdout: "" });
  expect(read(".codex/config.toml")).toBe('model = "o"\n');
});

test("a file of 10 MB is changed", async () => {
  const { setup, write, read } = setupHome();
  const text = `{\n  "history": [${Array.from({ length: 400_000 }, () => '{ "x": "yyyyyyyyyyyy" }').join(", ")}]\n}\n`;
  write(".gemini/settings.json", text);
  expect(await setup("gemini")).toMatchObject({ code: 0, stderr: "" });
  expect(await setup("gemini --remove")).toMatchObject({ code: 0, stderr: "" });
  expect(read(".gemini/settings.json") === text).toBe(true);
});

test("files of hooks that their client doesn't read are refused too, and nothing is written", async () => {
  const files = { codex: ".codex/hooks.json", "claude-code --project": "top/.claude/settings.json" };
  for (const [client, path] of Object.entries(files)) {
    for (const text of ['// c\n{ "hooks": {} }', '{ "hooks": {}, }', '{ "a": [1, ] }', "/* nothing else */"]) {
      const { setup, write, read } = setupHome();
      write(path, text);
      const { code, stderr } = await setup(client);
      expect({ client, text, code }).toEqual({ client, text, code: 1 });
      expect(stderr).toMatch(/line 1: a com(?:ma|ment) stands/);
      const others = [read(".codex/config.toml"), read("top/.mcp.json")];
      expect({ text: read(path), others }).toEqual({ text, others: [undefined, undefined] });
    }
  }
  const { setup, write } = setupHome();
  write(".codex/hooks.json", '\ufeff{ "hooks": {} }');
  expect((await setup("codex")).stderr).toContain("byte order mark");
});
