import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
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

/** A Claude Code that remembers what it was told, in two files of the home folder. */
const remembering = (home: string) => {
  const [places, plugins] = [join(home, "fake.places"), join(home, "fake.plugins")];
  const plugin = (isOn: boolean) => `[{"id":"thread-mind@thread-mind","version":"1","scope":"user","enabled":${isOn}}]`;
  return `case "$*" in
    "plugin marketplace list --json") cat '${places}' 2>/dev/null || echo '[]'; exit;;
    "plugin list --json") cat '${plugins}' 2>/dev/null || echo '[]'; exit;;
    "plugin marketplace add "*) echo '[{"name":"thread-mind","source":"directory","path":"'"$4"'"}]' > '${places}';;
    "plugin marketplace remove "*) rm '${places}';;
    "plugin install "*) echo '${plugin(true)}' > '${plugins}';;
    "plugin disable") echo '${plugin(false)}' > '${plugins}';;
    "plugin uninstall "*) rm '${plugins}';;
    esac; echo "✔ Successfully done"`;
};

/** What Claude Code was told to do, its lists left out. */
function deedsOf(person: SetupHome): string[] {
  return callsOf(person).filter((call) => !call.includes("list"));
}

test("setup claude-code writes the plugin to a local marketplace and has the client install it", async () => {
  const person = setupHome();
  const { home, setup, read } = person;
  const env = programs(home, remembering(home));
  const first = await setup("claude-code", env);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("Successfully done");
  const deeds = [`plugin marketplace add ${join(home, FOLDER)}`, "plugin install thread-mind@thread-mind"];
  expect(deedsOf(person)).toEqual(deeds);
  expect(JSON.parse(read(`${FOLDER}/.claude-plugin/marketplace.json`) ?? "").name).toBe("thread-mind");
  expect((await setup("claude-code", env)).stdout).toContain("Claude Code is already set up");
  expect(deedsOf(person)).toEqual(deeds);
});

test("--dry-run lists the very commands that are run", async () => {
  for (const words of ["", " --remove"]) {
    const person = setupHome();
    const env = programs(person.home, remembering(person.home));
    if (words !== "") await person.setup("claude-code", env);
    const past = deedsOf(person).length;
    const { stdout } = await person.setup(`claude-code${words} --dry-run`, env);
    expect(deedsOf(person)).toHaveLength(past);
    const would = [...stdout.matchAll(/would run +claude (.*)/g)].map(([, command]) => command);
    const { would: listed, ran } = JSON.parse((await person.setup(`claude-code${words} --dry-run --json`, env)).stdout);
    expect({ ran, isListed: would.every((line) => listed.join("\n").includes(line)) }).toEqual({
      ran: undefined,
      isListed: true,
    });
    await person.setup(`claude-code${words}`, env);
    expect(deedsOf(person).slice(past)).toEqual(would.map(String));
    expect(would).toHaveLength(2);
  }
});

test("an update writes what differs, removes what an older one wrote, leaves the rest, and tells the client", async () => {
  const person = setupHome();
  const { home, setup, write, read } = person;
  const env = programs(home, remembering(home));
  await setup("claude-code", env);
  const plugin = read(`${FOLDER}/plugin/.claude-plugin/plugin.json`);
  const record = JSON.parse(read(`${FOLDER}/.threadmind-setup.json`) ?? "");
  expect(Object.keys(record.files)).toContain("plugin/hooks/hooks.json");
  const older = {
    "plugin/commands/old.md": new Bun.CryptoHasher("sha256").update("old").digest("hex"),
    "../../out": "",
  };
  write(`${FOLDER}/.threadmind-setup.json`, JSON.stringify({ ...record, files: { ...record.files, ...older } }));
  write(`${FOLDER}/plugin/.claude-plugin/plugin.json`, "{}");
  write(`${FOLDER}/plugin/commands/old.md`, "old");
  write(`${FOLDER}/plugin/commands/mine.md`, "mine");
  write(".local/share/out", "outside");
  const { stdout } = await setup("claude-code", env);
  expect(stdout).toContain("old.md, which an older version wrote\n");
  expect(stdout).toContain("plugin.json was replaced: it had been edited by hand");
  expect(stdout).toContain("mine.md is not from setup, and stays");
  expect(read(`${FOLDER}/plugin/commands/old.md`)).toBeUndefined();
  expect(read(`${FOLDER}/plugin/commands/mine.md`)).toBe("mine");
  expect(read(`${FOLDER}/plugin/.claude-plugin/plugin.json`)).toBe(plugin);
  expect(deedsOf(person).at(-1)).toBe("plugin update thread-mind@thread-mind");
  const gone = await setup("claude-code --remove", env);
  expect(gone.stdout).toContain("mine.md is not from setup, and stays");
  expect(readdirSync(join(home, FOLDER), { recursive: true }).sort()).toEqual([
    "plugin",
    "plugin/commands",
    "plugin/commands/mine.md",
  ]);
  expect(read(".local/share/out")).toBe("outside");
});

test("a link in the plugin's folder is replaced, and what it leads to stays", async () => {
  const { home, setup, write, read } = setupHome();
  const env = programs(home, remembering(home));
  await setup("claude-code", env);
  write("mine.json", "{}");
  unlinkSync(join(home, FOLDER, "plugin/.mcp.json"));
  symlinkSync(join(home, "mine.json"), join(home, FOLDER, "plugin/.mcp.json"));
  await setup("claude-code", env);
  expect(read("mine.json")).toBe("{}");
  expect(read(`${FOLDER}/plugin/.mcp.json`)).toContain("thread-mind");
});

test("a marketplace of the same name from elsewhere is named before it is replaced, and stays on --remove", async () => {
  const person = setupHome();
  const { home, setup, write, read } = person;
  const env = programs(home, remembering(home));
  const elsewhere = '[{"name":"thread-mind","source":"github","repo":"somebody/thread-mind-mcp"}]\n';
  write("fake.places", elsewhere);
  write("fake.plugins", '[{"id":"thread-mind@thread-mind","version":"1","scope":"user","enabled":true}]');
  const gone = await setup("claude-code --remove", env);
  expect(gone.stdout).toContain("Nothing of ThreadMind's plugin is there");
  expect(gone.stdout).toContain("comes from somebody/thread-mind-mcp, and not from setup");
  expect(deedsOf(person)).toEqual([]);
  for (const words of ["claude-code --dry-run", "claude-code"])
    expect((await setup(words, env)).stdout).toContain("from somebody/thread-mind-mcp already");
  expect(read("fake.places")).toContain(FOLDER);
  write("fake.places", elsewhere);
  await setup("claude-code --remove", env);
  expect({ places: read("fake.places"), isThere: existsSync(join(home, FOLDER)) }).toEqual({
    places: elsewhere,
    isThere: false,
  });
});

test("a plugin that was disabled stays so, and how to enable it is said", async () => {
  const person = setupHome();
  const { home, setup, write, read } = person;
  const env = programs(home, remembering(home));
  await setup("claude-code", env);
  const off = (read("fake.plugins") ?? "").replace("true", "false");
  write("fake.plugins", off);
  write(`${FOLDER}/plugin/README.md`, "changed");
  for (let run = 0; run < 2; run++) {
    const { stdout } = await setup("claude-code", env);
    expect(stdout).toContain("claude plugin enable thread-mind@thread-mind");
    expect(read("fake.plugins")).toBe(off);
  }
  expect(deedsOf(person).slice(2)).toEqual(["plugin update thread-mind@thread-mind"]);
});

test("a client that hangs is given up after 20 seconds, with the command and what to do", async () => {
  const { home, setup } = setupHome();
  const began = Date.now();
  const { code, stderr } = await setup("claude-code", programs(home, "sleep 600"));
  expect({ code, isSoon: Date.now() - began < 30_000 }).toEqual({ code: 1, isSoon: true });
  expect(stderr).toContain("Cannot run claude plugin marketplace list --json: it did not end within 20 seconds.");
  expect(stderr).toContain("Run that command by itself");
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
  const env = programs(home, remembering(home));
  await setup("claude-code", env);
  const { code } = await setup("claude-code --remove", env);
  expect({ code, isThere: existsSync(join(home, FOLDER)) }).toEqual({ code: 0, isThere: false });
  expect(deedsOf(person).slice(-2)).toEqual([
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
  expect(deedsOf(person)).toEqual([]);
  expect(readdirSync(person.home).sort()).toEqual([".gitconfig", "calls", "work"]);
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
  const { stdout } = await setup("claude-code", programs(home, remembering(home)));
  expect(stdout).toContain("claude mcp remove thread-mind --scope user");
  expect(stdout).toContain("claude mcp remove tm --scope local");
  expect(stdout).toContain("claude mcp remove here --scope project");
  expect(stdout).not.toContain("other");
});
