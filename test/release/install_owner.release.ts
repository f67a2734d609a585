import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { TARGET_NAMES } from "../../build/targets.ts";
import { TOP } from "../support/binary.ts";
import { programOf, testUnless } from "./built.ts";
import { expectNothingLeft, expectRefusal, type InstallMachine, linux, SHELLS } from "./installer.ts";
import { MARK, type Mirror, openMirror, smallProgram, smallRelease } from "./mirror.ts";

let mirror: Mirror;
beforeAll(() => {
  mirror = openMirror(smallRelease("1.2.0"));
});
afterAll(() => mirror.close());

const from = (): Record<string, string> => ({ THREADMIND_DOWNLOAD_BASE: mirror.url });

function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

function link(machine: InstallMachine, to: string): void {
  mkdirSync(machine.dir, { recursive: true });
  symlinkSync(to, machine.program);
}

/** Fails unless installing and removing are both refused in these words. */
async function expectLeftAlone(machine: InstallMachine, said: string): Promise<void> {
  const { program } = machine;
  expectRefusal(machine, await machine.install([], from()), `Cannot replace ${program}: ${said}`, "--force");
  expectRefusal(machine, await machine.install(["--uninstall"]), `Cannot remove ${program}: ${said}`, "--force");
  expect(lstatSync(program)).toBeDefined();
}

async function expectForced(machine: InstallMachine): Promise<void> {
  const { code, stdout } = await machine.install(["--force"], from());
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`1.2.0: ${machine.program}`) });
  expect(lstatSync(machine.program).isSymbolicLink()).toBe(false);
}

test("every program of a release has the mark that the installers look for", () => {
  for (const installer of ["install.sh", "install.ps1"])
    expect([installer, readFileSync(join(TOP, installer)).includes(`'${MARK}'`)]).toEqual([installer, true]);
  for (const target of TARGET_NAMES)
    expect([target, readFileSync(programOf(target)).includes(MARK)]).toEqual([target, true]);
});

for (const [shell, missing] of SHELLS) {
  const each = testUnless(missing, `who owns the program, under ${shell}`);

  each(`${shell}: a stranger's threadmind is neither replaced nor removed, nor run`, async () => {
    for (const text of [
      '#!/bin/sh\ntouch "$HOME/ran"\necho threadmind 9.9.9\n',
      "#!/bin/sh\nsleep 300\n",
      "#!/usr/bin/env node\nrequire('./node_modules/thread'); console.log('mine')\n",
      "\x7fELF\x02\x01\x01 another program\n",
    ]) {
      const machine = linux(shell);
      put(machine.program, text);
      await expectLeftAlone(machine, "it is no program of ThreadMind");
      expect(readFileSync(machine.program, "utf8")).toBe(text);
      await expectForced(machine);
      expect(existsSync(join(machine.home, "ran"))).toBe(false);
    }
    const pipe = linux(shell);
    mkdirSync(pipe.dir, { recursive: true });
    Bun.spawnSync(["mkfifo", pipe.program]);
    await expectLeftAlone(pipe, "it is no program of ThreadMind");
  });

  each(`${shell}: a link is left alone, whatever it leads to`, async () => {
    const developer = linux(shell);
    const build = put(join(developer.home, "src/dist/threadmind"), smallProgram("2.0.0-dev"));
    link(developer, "../../src/dist/threadmind");
    await expectLeftAlone(developer, `it is a link to ${build}`);
    await expectForced(developer);
    expect(readFileSync(build, "utf8")).toBe(smallProgram("2.0.0-dev"));
    const dangling = linux(shell);
    link(dangling, "/nowhere/threadmind");
    await expectLeftAlone(dangling, "it is a link to /nowhere/threadmind");
    const folder = linux(shell);
    link(folder, folder.home);
    for (const words of [[], ["--force"], ["--uninstall"], ["--uninstall", "--force"]])
      expectRefusal(folder, await folder.install(words, from()), "a folder lies there");
    expect(lstatSync(folder.program).isSymbolicLink()).toBe(true);
  });

  each(`${shell}: a program that Homebrew or npm put there is left to them`, async () => {
    for (const [path, owner] of [
      ["Cellar/threadmind/1.0.0/bin/threadmind", "Homebrew"],
      ["lib/node_modules/thread-mind-mcp/bin/launcher.js", "npm"],
    ] as const) {
      const machine = linux(shell);
      const file = put(join(machine.home, path), smallProgram("1.0.0"));
      link(machine, `../../${path}`);
      await expectLeftAlone(machine, `${owner} put it there`);
      await expectForced(machine);
      expect(readFileSync(file, "utf8")).toBe(smallProgram("1.0.0"));
    }
    const script = linux(shell);
    put(script.program, '#!/bin/sh\nexec node "$basedir/global/5/node_modules/thread-mind-mcp/bin/launcher.js" "$@"\n');
    await expectLeftAlone(script, "npm put it there");
  });

  each(`${shell}: the name of a folder says nothing about who put a program there`, async () => {
    for (const name of ["scoop", "homebrew", "linuxbrew", "node_modules", "Cellar"]) {
      const machine = linux(shell);
      const dir = join(machine.home, name, "bin");
      for (const said of ["Installed threadmind 1.2.0", "nothing to do"])
        expect((await machine.install(["--dir", dir], from())).stdout).toContain(said);
      expect((await machine.install(["--uninstall"])).stdout).toContain(`Removed ${dir}/threadmind`);
    }
  });

  each(`${shell}: what it installed itself it repairs and removes`, async () => {
    const machine = linux(shell);
    await machine.install([], from());
    writeFileSync(machine.program, "\x7fELF cut short");
    expect((await machine.install([], from())).stdout).toContain("Installed threadmind 1.2.0: ");
    truncateSync(machine.program);
    expect((await machine.install([], from())).stdout).toContain("Installed threadmind 1.2.0: ");
    // With a script of somebody's in its place, the receipt is no reason any more.
    writeFileSync(machine.program, '#!/bin/sh\nexec /opt/threadmind-2 "$@"\n');
    await expectLeftAlone(machine, "it is no program of ThreadMind");
    // Without the receipt, the mark is one.
    await machine.install(["--force"], from());
    renameSync(machine.receipt, `${machine.receipt}.gone`);
    expect((await machine.install(["--uninstall"])).stdout).toContain(`Removed ${machine.program}\n`);
  });

  each(`${shell}: an old program that never answers holds up nothing`, async () => {
    const machine = linux(shell);
    put(machine.program, smallProgram("1.0.0", "sleep 300"));
    const { code, stdout, stderr } = await machine.install([], from());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("\nInstalled threadmind 1.2.0: ");
    expectNothingLeft(machine);
  });

  each(`${shell}: variables that make another program of it don't reach it`, async () => {
    const bun = openMirror(smallRelease("1.2.0", '[ -z "$BUN_BE_BUN$BUN_OPTIONS" ] && echo threadmind 1.2.0'));
    const variables = { BUN_BE_BUN: "1", BUN_OPTIONS: "--smol", THREADMIND_DOWNLOAD_BASE: bun.url };
    expect((await linux(shell).install([], variables)).code).toBe(0);
    await bun.close();
  });
}
