import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { cpus, release, type } from "node:os";
import { join } from "node:path";

/** The top folder of ThreadMind's own sources. */
export const TOP = join(import.meta.dir, "..");

/** Everything a bench installs, compiles and generates; ignored by git. */
export const FOLDER = join(TOP, "dist/bench");

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string>>;

/** How a program is run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly stdin?: string;
}

/** Compiles one source to an executable with the options of build/compile.ts. */
export async function compileProgram(source: string, outfile: string): Promise<string> {
  await Bun.build({
    entrypoints: [source],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    bytecode: true,
    compile: {
      outfile,
      jitPolicy: 4,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  return outfile;
}

/** Compiles a program that does nothing, into a folder. */
export async function compileEmpty(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, "empty.ts");
  await Bun.write(source, "export {};\n");
  return await compileProgram(source, join(folder, "empty"));
}

/** Milliseconds from starting a program to its end, and those in which it or a child of it had a processor. */
export function timeRun(
  argv: readonly string[],
  options: RunOptions = {},
): { readonly ms: number; readonly cpu: number } {
  const start = Bun.nanoseconds();
  const ended = Bun.spawnSync([...argv], { ...spawnOptions(options), stdout: "pipe", stderr: "inherit" });
  const ms = (Bun.nanoseconds() - start) / 1e6;
  if (ended.exitCode !== 0) throw new Error(`${argv.join(" ")} exited ${ended.exitCode}`);
  return { ms, cpu: Number(ended.resourceUsage.cpuTime.total) / 1000 };
}

/** What a program prints on standard output. */
export function outputOf(argv: readonly string[], options: RunOptions = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...argv], spawnOptions(options));
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} exited ${exitCode}: ${stderr}`);
  return stdout.toString();
}

function spawnOptions({ cwd, env, stdin }: RunOptions) {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    stdin: stdin === undefined ? ("ignore" as const) : Buffer.from(stdin),
  };
}

/** The middle one of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** An environment that carries nothing of this machine's settings; its home holds a git configuration and nothing else. */
export function cleanEnvironment(home: string): Environment {
  const config = join(home, ".gitconfig");
  mkdirSync(home, { recursive: true });
  writeFile(config, [
    "[user]\n\tname = Sam Doe\n\temail = sam@example.org\n[init]\n\tdefaultBranch = main\n",
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
  ]);
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
  };
}

/** Writes a file part by part. */
export function writeFile(path: string, parts: Iterable<string>): void {
  const fd = openSync(path, "w");
  try {
    for (const part of parts) writeSync(fd, part);
  } finally {
    closeSync(fd);
  }
}

/** Numbers from 0 to below 1 that are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One sentence about the machine, without its name. */
export function describeMachine(): string {
  const all = cpus();
  const memory = /^MemTotal:\s+(\d+)/m.exec(readIfThere("/proc/meminfo"))?.[1];
  const size = memory === undefined ? "" : `, ${Math.round(Number(memory) / 2 ** 20)} GiB`;
  const load = readIfThere("/proc/loadavg").split(" ")[0];
  const versions = [
    `Bun ${Bun.version}`,
    outputOf(["git", "--version"]).trim().replace(" version", ""),
    Bun.which("node") === null ? "no Node" : `Node ${outputOf(["node", "--version"]).trim().slice(1)}`,
  ];
  const busy = load === undefined || load === "" ? "" : `; load ${load} when it began`;
  const kernel = `${type()} ${release().replace(/[^0-9.].*/, "")}`;
  return `${all.length} vCPUs (${all[0]?.model.trim() ?? "unknown"})${size}, ${kernel} ${process.arch}, ${versions.join(", ")}${busy}`;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
