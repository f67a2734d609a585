import { expect } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, spawn, TOP } from "../support/binary.ts";
import { temporaryFolder, type Variables } from "../support/temp.ts";
import { findMissing } from "./debian.ts";

const noShell = (name: string): string | undefined => {
  if (process.platform === "win32") return "install.sh is for Unix";
  return Bun.which(name) === null ? `there is no ${name}` : undefined;
};

/** The shells under which the installer is tried, each with the reason where it can't be. */
export const SHELLS: readonly (readonly [shell: string, missing: string | undefined])[] = [
  ["dash", noShell("dash")],
  ["bash", noShell("bash")],
  ["busybox sh", findMissing({ busybox: ["busybox"] })],
];

/** What `uname` says on Linux on x64, and `ldd --version` where musl is the C library: scripts for `fake`. */
export const INTEL = "case $1 in -s) echo Linux ;; *) echo x86_64 ;; esac";
export const MUSL = 'echo "musl libc (x86_64)" >&2; exit 1';

const TOOLS = [
  ..."awk cat chmod cp cut dirname env getconf grep gzip head ldd ls mkdir mktemp mv printf pwd readlink rm rmdir".split(
    " ",
  ),
  ..."sed sh sleep sort tail tar tr uname".split(" "),
];

/** A machine for the installer: a home, and a PATH with what a small system has and no more. */
export interface InstallMachine {
  readonly home: string;
  readonly bin: string;
  /** the folder that the installer chooses by itself */
  readonly dir: string;
  readonly program: string;
  readonly receipt: string;
  /** Puts a script of this text, in sh, on PATH, in the place of a tool of this name. */
  fake(tool: string, text: string): void;
  install(args?: readonly string[], variables?: Variables): Promise<Result>;
  /** The same, called by a shell in whose script "$@" stands for the installer. */
  installIn(script: string, variables?: Variables): Promise<Result>;
}

/** Makes a machine whose installer is run by this shell, such as `["busybox", "sh"]`; `more` tools are there too. */
export function installMachine(
  shell: readonly string[],
  more: readonly string[] = ["curl", "sha256sum"],
): InstallMachine {
  const folder = temporaryFolder("machine");
  const [home, bin, tmp] = ["home", "bin", "tmp"].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [home, bin, tmp]) mkdirSync(each);
  for (const tool of [...TOOLS, ...more]) {
    const file = Bun.which(tool);
    if (file !== null) symlinkSync(file, join(bin, tool));
  }
  const [command = "sh", ...words] = shell;
  const installer = [Bun.which(command) ?? command, ...words, join(TOP, "install.sh")];
  const environment = (variables: Variables): Record<string, string> => {
    const own = { HOME: home, PATH: bin, TMPDIR: tmp, SHELL: "/bin/bash", LC_ALL: "C.UTF-8" };
    const all: readonly (readonly [string, string | undefined])[] = Object.entries({ ...own, ...variables });
    return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  };
  return {
    ...{ home, bin },
    dir: join(home, ".local/bin"),
    program: join(home, ".local/bin/threadmind"),
    receipt: join(home, ".local/share/threadmind/install.json"),
    fake(tool, text) {
      writeFileSync(join(bin, `${tool}.new`), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, `${tool}.new`), 0o755);
      Bun.spawnSync(["mv", "-f", join(bin, `${tool}.new`), join(bin, tool)]);
    },
    install: (args = [], variables = {}) => spawn([...installer, ...args], { cwd: home, env: environment(variables) }),
    installIn: (script, variables = {}) =>
      spawn([Bun.which("sh") ?? "sh", "-c", script, "sh", ...installer], { cwd: home, env: environment(variables) }),
  };
}

/** A machine that calls itself Linux on x64 with glibc, wherever these tests run. */
export function linux(shell: string, more?: readonly string[]): InstallMachine {
  const machine = installMachine(shell.split(" "), more);
  machine.fake("uname", INTEL);
  machine.fake("ldd", 'echo "ldd (Debian GLIBC 2.36-9) 2.36"');
  return machine;
}

/** Fails unless the installer failed, said so in these words, and left nothing half done. */
export function expectRefusal(machine: InstallMachine, result: Result, ...parts: readonly string[]): void {
  expect({ code: result.code, stdout: result.stdout.replace(/^Downloading .*\n/, "") }).toEqual({
    code: 1,
    stdout: "",
  });
  for (const part of parts) expect(result.stderr).toContain(part);
  expect(result.stderr).toMatch(/^threadmind: Cannot /m);
  expectNothingLeft(machine);
}

/** Fails if a temporary file is left. */
export function expectNothingLeft({ home, dir, receipt }: InstallMachine): void {
  expect(existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith(".")) : []).toEqual([]);
  expect(readdirSync(join(home, "../tmp"))).toEqual([]);
  expect(existsSync(`${receipt}.new`)).toBe(false);
}
