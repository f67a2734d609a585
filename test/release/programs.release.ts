import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkExecutable, type Executable } from "../../build/executable.ts";
import { smoke } from "../../build/smoke.ts";
import { TARGET_NAMES, type TargetName } from "../../build/targets.ts";
import { temporaryFolder } from "../support/temp.ts";
import { programOf, testUnless } from "./built.ts";
import { findMissing } from "./debian.ts";

const isHere = process.platform === "linux" && process.arch === "x64";
const elsewhere = isHere ? undefined : `made for Linux on x64, not ${process.platform} on ${process.arch}`;

const CROSS = ["qemu-user-static", "libc6-arm64-cross", "libstdc++6-arm64-cross", "libgcc-s1-arm64-cross"];
const noArm = elsewhere ?? findMissing({ "qemu-aarch64-static": CROSS });
const WINE = {
  wine: ["wine", "wine64"],
  "x86_64-w64-mingw32-gcc": ["gcc-mingw-w64-x86-64-win32"],
};
const noWine = elsewhere ?? findMissing(WINE);

const NOT_RUN: Readonly<Partial<Record<TargetName, string>>> = {
  "linux-x64-musl": "needs musl's own libstdc++, which Debian has not",
  "linux-arm64-musl": "needs musl's own libstdc++, which Debian has not",
  "darwin-x64": "there is no macOS here",
  "darwin-arm64": "there is no macOS here",
  "windows-arm64": "Wine has no ARM machine here",
};
for (const [target, reason] of Object.entries(NOT_RUN)) console.log(`SKIPPED: running ${target}: ${reason}`);

const SEEN = ["initialize", "tools/list", "project_create", "summary_update", "context"].map((step) => `${step}: ok`);

testUnless(elsewhere, "running linux-x64")("the linux-x64 program serves and answers in a git repository", async () => {
  expect(await smoke([programOf("linux-x64")])).toEqual([expect.stringMatching(/^--version: /), ...SEEN]);
});

testUnless(noArm, "running linux-arm64")("the linux-arm64 program does under QEMU", async () => {
  const command = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", programOf("linux-arm64")];
  expect(await smoke(command)).toEqual([expect.any(String), ...SEEN]);
});

// Wine 8 lacks the library that Windows takes random numbers from.
const RANDOM = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID b, ULONG n);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE b, SIZE_T n) { return SystemFunction036(b, (ULONG)n); }
BOOL WINAPI DllMain(HINSTANCE h, DWORD r, LPVOID l) { return TRUE; }
`;

testUnless(noWine, "running windows-x64")(
  "the windows-x64 program does under Wine",
  async () => {
    const folder = temporaryFolder("wine");
    const env = { WINEPREFIX: join(folder, "prefix"), WINEDEBUG: "-all" };
    const run = (command: string, ...args: readonly string[]): void => {
      const { status, stderr } = spawnSync(command, args, {
        env: { ...process.env, ...env },
        cwd: folder,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${stderr}`);
    };
    const program = join(folder, "threadmind.exe");
    try {
      linkSync(programOf("windows-x64"), program);
    } catch {
      writeFileSync(program, readFileSync(programOf("windows-x64")));
    }
    writeFileSync(join(folder, "random.c"), RANDOM);
    run("x86_64-w64-mingw32-gcc", "-shared", "-o", "bcryptprimitives.dll", "random.c", "-ladvapi32");
    run("wine", "wineboot", "-i");
    run("wine", "reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f");
    try {
      expect(await smoke(["wine", program], { env })).toEqual([expect.any(String), ...SEEN]);
    } finally {
      if (existsSync("/usr/bin/wineserver")) spawnSync("wineserver", ["-k"], { env: { ...process.env, ...env } });
    }
  },
  180_000,
);

const headers = (target: TargetName): Executable => checkExecutable(target, readFileSync(programOf(target)));

test("every program is what its name says", () => {
  for (const target of TARGET_NAMES) expect(headers(target).arch).toBe(target.includes("arm64") ? "arm64" : "x64");
});

test("the glibc programs need glibc 2.17 and nothing else", () => {
  for (const target of ["linux-x64", "linux-arm64"] as const) {
    const { glibc, libraries } = headers(target);
    expect(glibc).toBe("2.17");
    for (const name of libraries) expect(name).toMatch(/^(libc|libpthread|libdl|libm|ld-linux-[\w-]+)\.so\.\d$/);
  }
});

test("the musl programs need musl and libstdc++, which the installer names", () => {
  expect(headers("linux-x64-musl").libraries).toEqual(["libstdc++.so.6", "libc.musl-x86_64.so.1"]);
  expect(headers("linux-arm64-musl").libraries).toEqual(["libstdc++.so.6", "libc.musl-aarch64.so.1"]);
});

test("the macOS programs run from macOS 13 with libraries of the system", () => {
  for (const target of ["darwin-x64", "darwin-arm64"] as const) {
    const { minimumMacos, libraries } = headers(target);
    expect(minimumMacos).toBe("13.0");
    for (const name of libraries) expect(name).toStartWith("/usr/lib/");
  }
});

test("the darwin-arm64 program has a valid signature; darwin-x64 has to be signed on a Mac", () => {
  const arm = headers("darwin-arm64").signature;
  expect(arm).toMatchObject({ isAdHoc: true, wrongPages: 0, coversAll: true });
  expect(arm?.pages).toBeGreaterThan(1000);
  // If Bun mends this, the release need no longer sign, and this page of the documentation changes.
  expect(headers("darwin-x64").signature).toMatchObject({ isAdHoc: false, coversAll: false });
});

test("the Windows programs have a console and need libraries of the system", () => {
  for (const target of ["windows-x64", "windows-arm64"] as const) {
    const { isConsole, libraries } = headers(target);
    expect(isConsole).toBe(true);
    expect(libraries.map((name) => name.toLowerCase())).toEqual(
      expect.arrayContaining(["kernel32.dll", "ntdll.dll", "bcryptprimitives.dll"]),
    );
  }
});
