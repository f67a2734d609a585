import { join } from "node:path";

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
  const source = join(folder, "empty.ts");
  await Bun.write(source, "export {};\n");
  return compileProgram(source, join(folder, "empty"));
}

/** Milliseconds from starting a program to its end. */
export function timeRun(argv: readonly string[]): number {
  const start = Bun.nanoseconds();
  const { exitCode } = Bun.spawnSync([...argv], { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} exited ${exitCode}`);
  return (Bun.nanoseconds() - start) / 1e6;
}

/** The middle one of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
