import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, spawn, TOP } from "../support/binary.ts";
import { temporaryFolder, type Variables } from "../support/temp.ts";

const TOOLS = [
  ..."awk cat chmod cp cut dirname env getconf grep gzip head ldd ls mkdir mktemp mv printf pwd readlink rm rmdir".split(
    " ",
  ),
  ..."sed sh sleep tail tar tr uname".split(" "),
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
    install(args = [], variables = {}) {
      const all: Variables = {
        HOME: home,
        PATH: bin,
        TMPDIR: tmp,
        SHELL: "/bin/bash",
        LC_ALL: "C.UTF-8",
        ...variables,
      };
      const env = Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      return spawn([Bun.which(command) ?? command, ...words, join(TOP, "install.sh"), ...args], { cwd: home, env });
    },
  };
}
