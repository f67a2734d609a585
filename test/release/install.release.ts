import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/version.ts";
import { TOP } from "../support/binary.ts";
import { environment, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { releasedFile, testUnless } from "./built.ts";
import { findMissing } from "./debian.ts";
import { expectNothingLeft, expectRefusal, INTEL, installMachine, linux, MUSL, SHELLS } from "./installer.ts";
import { MARK, type Mirror, openMirror, smallProgram, smallRelease, withSums } from "./mirror.ts";
import { copyOfTree } from "./tree.ts";

let mirror: Mirror;
beforeAll(() => {
  mirror = openMirror(smallRelease("1.2.0"));
});
afterAll(() => mirror.close());

const ARM = "case $1 in -s) echo Linux ;; *) echo aarch64 ;; esac";
const APPLE = "case $1 in -s) echo Darwin ;; *) echo x86_64 ;; esac";

const from = (url = mirror.url): Record<string, string> => ({ THREADMIND_DOWNLOAD_BASE: url });

for (const [shell, missing] of SHELLS) {
  const each = testUnless(missing, `install.sh under ${shell}`);

  each(`${shell}: installs, says where, and names the line for PATH`, async () => {
    const machine = linux(shell);
    const { stdout, stderr, code } = await machine.install([], from());
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toBe(
      `Downloading ${mirror.url}/threadmind-linux-x64.tar.gz
Installed threadmind 1.2.0: ${machine.program}

${machine.dir} is not on your PATH. Add it, for this shell and those to come:
  export PATH="$HOME/.local/bin:$PATH"
  printf '%s\\n' 'export PATH="$HOME/.local/bin:$PATH"' >> ~/.bashrc
`,
    );
    expect(readdirSync(machine.dir)).toEqual(["threadmind"]);
    expect(readdirSync(machine.home)).toEqual([".local"]);
    expect(JSON.parse(readFileSync(machine.receipt, "utf8"))).toEqual({
      method: "download",
      dir: machine.dir,
      version: "1.2.0",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expectNothingLeft(machine);
  });

  each(`${shell}: a damaged, cut or missing download installs nothing`, async () => {
    const name = "threadmind-linux-x64.tar.gz";
    const good = smallRelease("1.2.0").get(name) ?? new Uint8Array();
    const damaged = openMirror(smallRelease("1.2.0"));
    const machine = linux(shell);
    mkdirSync(machine.dir, { recursive: true });
    writeFileSync(machine.program, smallProgram("1.0.0"), { mode: 0o755 });
    const before = readFileSync(machine.program);
    damaged.files.set(name, good.with(100, (good[100] ?? 0) ^ 1));
    expectRefusal(
      machine,
      await machine.install([], from(damaged.url)),
      "its checksum is not the one",
      "Nothing was installed",
    );
    damaged.files.set(name, good.slice(0, 100));
    expectRefusal(machine, await machine.install([], from(damaged.url)), "its checksum is not the one");
    damaged.files.delete(name);
    expectRefusal(machine, await machine.install([], from(damaged.url)), `Cannot download ${damaged.url}/${name}`);
    damaged.files.set("SHA256SUMS", Buffer.from(`${"0".repeat(64)}  another-${name}\n`));
    expectRefusal(machine, await machine.install([], from(damaged.url)), `names no ${name}`);
    damaged.files.delete("SHA256SUMS");
    expectRefusal(machine, await machine.install([], from(damaged.url)), `Cannot download ${damaged.url}/SHA256SUMS`);
    expect(readFileSync(machine.program)).toEqual(before);
    await damaged.close();
  });

  each(`${shell}: a program that doesn't run never replaces one that does`, async () => {
    const broken = openMirror(
      smallRelease("1.3.0", "echo 'Error loading shared library libstdc++.so.6' >&2; exit 127"),
    );
    const machine = linux(shell);
    await machine.install([], from());
    const before = readFileSync(machine.program);
    expectRefusal(
      machine,
      await machine.install([], from(broken.url)),
      "does not run here",
      "libstdc++.so.6",
      "glibc 2.17",
    );
    machine.fake("ldd", MUSL);
    expectRefusal(machine, await machine.install([], from(broken.url)), "apk add libstdc++ libgcc");
    expect(readFileSync(machine.program)).toEqual(before);
    await broken.close();
  });

  each(`${shell}: chooses the platform by what the system says`, async () => {
    const platformFor = async (fakes: Record<string, string>): Promise<string> => {
      const machine = linux(shell);
      for (const [tool, text] of Object.entries(fakes)) machine.fake(tool, text);
      const { code, stderr } = await machine.install([], from());
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return readFileSync(machine.program, "utf8").split("\n")[1]?.slice(2) ?? "";
    };
    expect(await platformFor({})).toBe("linux-x64");
    expect(await platformFor({ ldd: MUSL })).toBe("linux-x64-musl");
    expect(await platformFor({ uname: ARM })).toBe("linux-arm64");
    expect(await platformFor({ uname: ARM, ldd: MUSL })).toBe("linux-arm64-musl");
    expect(await platformFor({ uname: APPLE, sysctl: "echo 0" })).toBe("darwin-x64");
    expect(await platformFor({ uname: APPLE })).toBe("darwin-x64");
    expect(await platformFor({ uname: APPLE, sysctl: '[ "$2" = sysctl.proc_translated ] && echo 1' })).toBe(
      "darwin-arm64",
    );
  });

  each(`${shell}: where there is no program it lists those there are`, async () => {
    const machine = linux(shell);
    machine.fake("uname", "case $1 in -s) echo FreeBSD ;; *) echo amd64 ;; esac");
    expectRefusal(machine, await machine.install([], from()), "FreeBSD on amd64", "linux-arm64-musl", "/issues");
    machine.fake("uname", "case $1 in -s) echo Linux ;; *) echo armv7l ;; esac");
    expectRefusal(machine, await machine.install([], from()), "Linux on armv7l");
    machine.fake("uname", ARM);
    machine.fake("getconf", "echo 32");
    expectRefusal(machine, await machine.install([], from()), "a 32-bit system");
    machine.fake("uname", "case $1 in -s) echo MINGW64_NT-10.0 ;; *) echo x86_64 ;; esac");
    expectRefusal(machine, await machine.install([], from()), "install.ps1 | iex");
  });

  each(`${shell}: the same version is downloaded once`, async () => {
    const machine = linux(shell);
    await machine.install([], from());
    mirror.takeRequests();
    const again = await machine.install([], from());
    expect(again.stdout).toStartWith(`threadmind 1.2.0 is already in ${machine.dir}: nothing to do\n`);
    expect({ code: again.code, asked: mirror.takeRequests() }).toEqual({ code: 0, asked: ["SHA256SUMS"] });
    const named = await machine.install(["--version", "v1.2.0"], from());
    expect(named.stdout).toStartWith("threadmind 1.2.0 is already in ");
    expect({ code: named.code, asked: mirror.takeRequests() }).toEqual({ code: 0, asked: [] });
  });

  each(`${shell}: a program that runs is replaced and goes on running`, async () => {
    const machine = linux(shell);
    mkdirSync(machine.dir, { recursive: true });
    copyFileSync(Bun.which("sleep") ?? "", machine.program);
    chmodSync(machine.program, 0o755);
    appendFileSync(machine.program, MARK);
    const running = Bun.spawn([machine.program, "30"]);
    const { code, stderr } = await machine.install(["--quiet"], from());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(running.exitCode).toBe(null);
    expect(Bun.spawnSync([machine.program, "--version"]).stdout.toString()).toBe("threadmind 1.2.0\n");
    running.kill();
    await running.exited;
  });

  each(`${shell}: upgrades and says from what to what`, async () => {
    const machine = linux(shell);
    await machine.install([], from());
    const next = openMirror(smallRelease("1.3.0"));
    const { stdout } = await machine.install([], { ...from(next.url), PATH: `${machine.bin}:${machine.dir}` });
    expect(stdout).toBe(
      `Downloading ${next.url}/threadmind-linux-x64.tar.gz\nUpgraded threadmind 1.2.0 to 1.3.0: ${machine.program} (sessions that are open go on with 1.2.0)\n`,
    );
    const back = await machine.install([], from());
    expect(back.stdout).toContain(`\nDowngraded threadmind 1.3.0 to 1.2.0: ${machine.program} (sessions`);
    for (const [name, bytes] of smallRelease("1.2.0-rc.1")) next.files.set(name, bytes);
    const candidate = await machine.install([], from(next.url));
    expect(candidate.stdout).toContain(`\nReplaced threadmind 1.2.0 with 1.2.0-rc.1: ${machine.program}`);
    await next.close();
  });

  each(`${shell}: a version is looked for in its folder, and must be what it says`, async () => {
    const files = new Map([...smallRelease("1.1.0")].map(([name, bytes]) => [`v1.1.0/${name}`, bytes]));
    for (const [name, bytes] of smallRelease("1.1.0")) files.set(`v1.1.1/${name}`, bytes);
    const old = openMirror(files);
    const machine = linux(shell);
    const chosen = join(machine.home, "my tools");
    const { stdout, code } = await machine.install(["--version=1.1.0", "--dir", "my tools/"], from(old.url));
    expect({ code, there: readdirSync(chosen) }).toEqual({ code: 0, there: ["threadmind"] });
    expect(stdout).toContain('  export PATH="$HOME/my tools:$PATH"\n');
    expectRefusal(
      machine,
      await machine.install([], { ...from(old.url), THREADMIND_VERSION: "v1.1.1" }),
      "1.1.1",
      "holds 1.1.0",
    );
    expectRefusal(machine, await machine.install(["--version", "../1.0.0"], from(old.url)), "that is no version");
    await old.close();
  });

  each(`${shell}: a folder of files will do for a mirror`, async () => {
    const folder = temporaryFolder("offline copy");
    for (const [name, bytes] of smallRelease("1.2.0")) writeFileSync(join(folder, name), bytes);
    const machine = linux(shell, ["sha256sum"]);
    const { code, stderr } = await machine.install([], from(`file://${folder}/`));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expectRefusal(linux(shell), await linux(shell).install([], from(`file://${folder}/nothing`)), "Cannot read ");
    expectRefusal(linux(shell), await linux(shell).install([], from("ftp://example.org")), "addresses begin with");
  });

  each(`${shell}: wget, shasum and openssl do in the place of curl and sha256sum`, async () => {
    for (const tools of [
      ["wget", "sha256sum"],
      ["curl", "openssl"],
      ["curl", "shasum", "perl"],
    ]) {
      const machine = linux(shell, tools);
      const { code, stderr } = await machine.install([], from());
      expect({ tools, code, stderr }).toEqual({ tools, code: 0, stderr: "" });
    }
  });

  each(`${shell}: without a tool that it needs it names the tools`, async () => {
    // A standalone BusyBox has these tools inside itself, whatever is on PATH.
    if (shell.startsWith("busybox")) return;
    const bare = linux(shell, ["sha256sum"]);
    expectRefusal(bare, await bare.install([], from()), "neither curl nor wget");
    const unchecked = linux(shell, ["curl"]);
    mirror.takeRequests();
    expectRefusal(unchecked, await unchecked.install([], from()), "sha256sum, shasum and openssl are missing");
    expect(mirror.takeRequests()).toEqual([]);
    const insisting = await unchecked.install([], { ...from(), THREADMIND_SKIP_CHECKSUM: "1" });
    expect(insisting.code).toBe(0);
    expect(insisting.stderr).toContain("will not be checked");
  });

  each(`${shell}: a folder that can't be written is refused with advice, and root is never asked for`, async () => {
    const machine = linux(shell);
    expectRefusal(machine, await machine.install(["--dir", "/proc"], from()), "Cannot write into /proc", "--dir DIR");
    expectRefusal(machine, await machine.install(["--dir", "/proc/new"], from()), "Cannot create /proc/new");
    mkdirSync(machine.program, { recursive: true });
    expectRefusal(machine, await machine.install([], from()), "a folder lies there");
    const homeless = linux(shell);
    expectRefusal(homeless, await homeless.install([], { ...from(), HOME: undefined }), "HOME is not set");
    const readOnly = await homeless.install(["--dir", homeless.dir], { ...from(), HOME: "/proc" });
    expect(readOnly.code).toBe(0);
    expect(readOnly.stderr).toContain("Cannot write /proc/.local/share/threadmind/install.json");
    expect(readFileSync(join(TOP, "install.sh"), "utf8")).not.toMatch(/\bsudo\b/);
  });

  each(`${shell}: another threadmind that comes first on PATH is pointed out`, async () => {
    const machine = linux(shell);
    machine.fake("threadmind", "echo threadmind 0.1.0");
    const { stderr, stdout } = await machine.install([], { ...from(), PATH: `${machine.bin}:${machine.dir}` });
    expect(stderr).toBe(`threadmind: Another threadmind comes first on PATH: ${machine.bin}/threadmind\n`);
    expect(stdout).not.toContain("PATH");
  });

  each(`${shell}: names the line that the person's shell reads`, async () => {
    const machine = linux(shell);
    const linesFor = async (path: string): Promise<string> =>
      (await machine.install([], { ...from(), SHELL: path })).stdout;
    expect(await linesFor("/usr/bin/fish")).toContain('  fish_add_path "$HOME/.local/bin"\n');
    expect(await linesFor("/bin/zsh")).toContain(">> ~/.zshrc\n");
    expect(await linesFor("/bin/ash")).toContain(">> ~/.profile\n");
  });

  each(`${shell}: uninstalling removes the program and its receipt, and no thread`, async () => {
    const machine = linux(shell);
    const chosen = join(machine.home, "tools");
    await machine.install(["--dir", chosen], from());
    const thread = join(machine.home, "project/.threadmind/threads/shop/main.md");
    mkdirSync(join(thread, ".."), { recursive: true });
    writeFileSync(thread, "kept\n");
    const { code, stdout } = await machine.install(["--uninstall"]);
    expect({ code, left: readdirSync(chosen) }).toEqual({ code: 0, left: [] });
    expect(stdout).toContain(`Removed ${chosen}/threadmind\nThreads stay where they are`);
    expect(readFileSync(thread, "utf8")).toBe("kept\n");
    expect(existsSync(machine.receipt)).toBe(false);
    expect((await machine.install(["--uninstall"])).stdout).toContain("nothing to remove");
  });

  each(`${shell}: help names every option and variable; what it doesn't know is refused`, async () => {
    const machine = linux(shell);
    const { stdout, code } = await machine.install(["--help"]);
    expect(code).toBe(0);
    const script = readFileSync(join(TOP, "install.sh"), "utf8");
    const variables = new Set([...script.matchAll(/\bTHREADMIND_\w+/g)].map(([name]) => name));
    const options = [...script.matchAll(/^ {6}(--[\w-]+)[ )=]/gm)].map(([, name]) => name ?? "");
    expect(options.length).toBeGreaterThan(5);
    for (const name of [...variables, ...options]) expect(stdout).toContain(name);
    expectRefusal(machine, await machine.install(["--verison"]), 'Cannot read "--verison"');
    expectRefusal(machine, await machine.install(["--dir"]), "a value is missing");
  });
}

testUnless(SHELLS.find(([shell]) => shell === "busybox sh")?.[1], "install.sh on a system of BusyBox alone")(
  "on a system of BusyBox alone, as Alpine is, it installs the musl program",
  async () => {
    const machine = installMachine(["busybox", "sh"], []);
    for (const tool of [...readdirSync(machine.bin), "wget", "sha256sum"])
      machine.fake(tool, `exec ${Bun.which("busybox")} ${tool} "$@"`);
    machine.fake("uname", INTEL);
    machine.fake("ldd", MUSL);
    for (const tool of ["getconf"]) machine.fake(tool, "exit 127");
    const { stdout, stderr, code } = await machine.install([], { ...from(), SHELL: undefined });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain("threadmind-linux-x64-musl.tar.gz\nInstalled threadmind 1.2.0: ");
    expect(stdout).toContain(">> ~/.profile\n");
    expect((await machine.install([], from())).stdout).toContain("nothing to do");
  },
);

test("a script that was cut on its way does nothing", async () => {
  const script = readFileSync(join(TOP, "install.sh"), "utf8");
  const last = script.trimEnd().lastIndexOf("\n");
  expect(script.slice(last).trim()).toBe('main "$@"');
  const machine = linux("sh");
  for (const share of [0.3, 0.6, 0.9, 1]) {
    const cut = Buffer.from(script.slice(0, Math.floor(last * share)));
    const env = { HOME: machine.home, PATH: machine.bin, ...from() };
    Bun.spawnSync(["sh"], { stdin: cut, env, cwd: machine.home });
    expect(readdirSync(machine.home)).toEqual([]);
  }
});

test("piped into a shell it takes options too", async () => {
  const machine = linux("sh");
  const env = { HOME: machine.home, PATH: machine.bin, TMPDIR: join(machine.home, "../tmp") };
  const child = Bun.spawn(["sh", "-s", "--", "--dir", join(machine.home, "here")], {
    stdin: Bun.file(join(TOP, "install.sh")),
    env: { ...env, ...from() },
    cwd: machine.home,
  });
  expect(await child.exited).toBe(0);
  expect(readdirSync(join(machine.home, "here"))).toEqual(["threadmind"]);
});

const isHere = process.platform === "linux" && process.arch === "x64";

testUnless(isHere ? undefined : "the program is for Linux on x64", "upgrading a server that runs")(
  "a server that runs is left alone by an upgrade, and goes on answering",
  async () => {
    const archive = "threadmind-linux-x64.tar.gz";
    const real = openMirror(withSums(new Map([[archive, readFileSync(releasedFile("linux-x64"))]])));
    const machine = linux("sh");
    const { code, stdout } = await machine.install([], from(real.url));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Installed threadmind ${VERSION}: `) });
    const server = Bun.spawn([machine.program, "serve"], {
      ...{ cwd: machine.home, env: environment(machine.home), stdin: "pipe", stdout: "pipe", stderr: "ignore" },
    });
    const reader = server.stdout.getReader();
    const ask = async (id: number, method: string, params: object): Promise<string> => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      server.stdin.flush();
      return new TextDecoder().decode((await reader.read()).value);
    };
    const clientInfo = { name: "test", version: "1" };
    expect(await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })).toContain(
      VERSION,
    );
    const upgraded = await machine.install([], from());
    expect(upgraded.stdout).toContain(`Upgraded threadmind ${VERSION} to 1.2.0: `);
    expect(await ask(2, "ping", {})).toContain('"id":2');
    server.stdin.end();
    expect(await server.exited).toBe(0);
    await real.close();
  },
);

test("in a checkout it compiles and installs", async () => {
  const home = temporaryHome();
  const dir = join(home, "bin");
  const tools = temporaryFolder("bun");
  symlinkSync(process.execPath, join(tools, "bun"));
  const path = `${tools}:${process.env.PATH}`;
  const copy = copyOfTree("repository");
  // Where CDPATH is set, cd goes elsewhere and says so.
  const parent = join(copy, "..");
  const env = environment(home, {
    PATH: path,
    HOME: home,
    CDPATH: parent,
    BUN_INSTALL_CACHE_DIR: join(process.env.HOME ?? "", ".bun/install/cache"),
  });
  const child = Bun.spawn(["sh", "repository/install.sh", "--from-source", "--dir", dir], {
    ...{ env, cwd: parent, stdout: "pipe", stderr: "pipe" },
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ code: await child.exited, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`Installed threadmind `);
  expect(readdirSync(dir)).toEqual(["threadmind"]);
  expect(JSON.parse(readFileSync(join(home, ".local/share/threadmind/install.json"), "utf8"))).toMatchObject({
    method: "source",
  });
});

testUnless(findMissing({ shellcheck: ["shellcheck"] }), "shellcheck over install.sh")(
  "shellcheck finds nothing in install.sh",
  () => {
    const { exitCode, stdout } = Bun.spawnSync(["shellcheck", "--shell", "sh", join(TOP, "install.sh")]);
    expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 0, stdout: "" });
  },
);
