import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "../support/binary.ts";
import { testUnless } from "./built.ts";
import { expectRefusal, linux, SHELLS } from "./installer.ts";
import { type Mirror, openMirror, smallRelease } from "./mirror.ts";

let mirror: Mirror;
beforeAll(() => {
  mirror = openMirror(smallRelease("1.2.0"));
});
afterAll(() => mirror.close());

const from = (): Record<string, string> => ({ THREADMIND_DOWNLOAD_BASE: mirror.url });

const HARMLESS = ["a b", "plus+at@comma,100%"];
const HARMFUL = ["it's", "$(touch ran)", "`touch ran`", 'quo"te', "back\\slash\\n", "a;touch ran", "$HOME", "é*"];

for (const [shell, missing] of SHELLS) {
  const each = testUnless(missing, `folders under ${shell}`);

  each(`${shell}: a folder is taken as cd takes it`, async () => {
    const machine = linux(shell);
    mkdirSync(join(machine.home, "b"));
    const { stdout } = await machine.install(["--dir", "./b/.././/tools/./x/../bin/"], from());
    expect(stdout).toContain(`Installed threadmind 1.2.0: ${machine.home}/tools/bin/threadmind\n`);
    expect(readdirSync(join(machine.home, "tools"))).toEqual(["bin"]);
    const again = await machine.install(["--dir", "b/../tools/bin"], {
      ...from(),
      PATH: `${machine.bin}:${machine.home}/tools/bin`,
    });
    expect(again.stdout).toBe(`threadmind 1.2.0 is already in ${machine.home}/tools/bin: nothing to do\n`);
    expect((await machine.install(["--uninstall", "--dir", "tools/./bin"])).stdout).toContain("Removed ");
    expect(existsSync(machine.receipt)).toBe(false);
    for (const dir of ["~", "~/mine"])
      expect((await machine.install(["--dir", dir], from())).stdout).toContain(
        `: ${join(machine.home, dir.slice(1))}/threadmind\n`,
      );
    for (const dir of ["~", "~/mine", ""])
      expectRefusal(
        machine,
        await machine.install([], { ...from(), HOME: undefined, THREADMIND_INSTALL_DIR: dir }),
        "HOME is not set",
      );
    expectRefusal(machine, await machine.install(["--dir", "two\nlines"], from()), "a line break");
  });

  each(`${shell}: the lines for PATH can be pasted, whatever the folder is called`, async () => {
    const readers = ["sh", "bash", "zsh"].filter((name) => Bun.which(name) !== null);
    for (const name of [...HARMLESS, ...HARMFUL])
      for (const parent of ["tools", ""]) {
        const machine = linux(shell);
        const dir = join(machine.home, parent, name, "bin");
        const { stdout, code } = await machine.install(["--dir", dir], { ...from(), SHELL: "/bin/zsh" });
        expect({ name, code }).toEqual({ name, code: 0 });
        const [forNow = "", forLater = ""] = stdout.split("\n").slice(-3);
        expect(forNow.includes('"$HOME/')).toBe(HARMLESS.includes(name));
        for (const reader of readers) {
          const env = { HOME: machine.home, PATH: "/usr/bin:/bin" };
          const run = (script: string) =>
            spawn([Bun.which(reader) ?? reader, "-c", script], { cwd: machine.home, env });
          const now = await run(`${forNow}\nprintf '%s' "$PATH"`);
          expect({ reader, ...now }).toMatchObject({ reader, stdout: `${dir}:/usr/bin:/bin`, stderr: "" });
          const later = await run(`: >~/.zshrc\n${forLater}\n. ~/.zshrc\nprintf '%s' "$PATH"`);
          expect({ reader, ...later }).toMatchObject({ reader, stdout: `${dir}:/usr/bin:/bin`, stderr: "" });
        }
        expect(existsSync(join(machine.home, "ran"))).toBe(false);
        const fish = await machine.install(["--dir", dir], { ...from(), SHELL: "/usr/bin/fish" });
        const plain = `"$HOME/${join(parent, name)}/bin"`;
        const quoted = `'${dir.replace(/['\\]/g, "\\$&")}'`;
        expect(fish.stdout).toContain(`  fish_add_path ${HARMLESS.includes(name) ? plain : quoted}\n`);
      }
  });

  each(`${shell}: what a person's umask keeps from others stays so`, async () => {
    for (const [umask, mode] of [
      ["077", 0o700],
      ["022", 0o755],
      ["002", 0o775],
    ] as const) {
      const machine = linux(shell);
      const { code, stderr } = await machine.installIn(`umask ${umask}; "$@"`, from());
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const path of [machine.program, machine.dir])
        expect((statSync(path).mode & 0o777).toString(8)).toBe(mode.toString(8));
    }
  });

  each(`${shell}: a checkout is compiled as it is, or not at all`, async () => {
    const machine = linux(shell);
    const said = ["--from-source compiles the checkout as it is", "git checkout v1.0.0"];
    expectRefusal(machine, await machine.install(["--from-source", "--version", "1.0.0"]), ...said);
    expectRefusal(machine, await machine.install(["--from-source"], { THREADMIND_VERSION: "v1.0.0" }), ...said);
  });
}
