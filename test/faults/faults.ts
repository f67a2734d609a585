import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { PROGRAM, run } from "../support/binary.ts";
import { openClient } from "../support/client.ts";
import { type GitRepository, temporaryFolder } from "../support/temp.ts";

// How much the tests of this folder do. Without a variable they fit a CI run: about a minute and a half on two processors.
//   THREADMIND_FAULTS=long bun test --timeout 600000 ./test/faults   the long run: minutes, the figures of docs/reliability.md
//   THREADMIND_SEED=12345 …                                          other random inputs than those of every run

/** Whether this is the long run. */
export const IS_LONG: boolean = process.env.THREADMIND_FAULTS === "long";

/** The amount for this run: the first in CI, the second in the long one. */
export function amount(short: number, long: number): number {
  return IS_LONG ? long : short;
}

/** What the random inputs of this run come from; named in each failure. */
export const SEED: number = Number(process.env.THREADMIND_SEED ?? 20_261_130);

/** Numbers from 0 below a count. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Says what was measured, on the terminal of a long run. */
export function report(figure: string): void {
  if (IS_LONG) process.stderr.write(`# ${figure}\n`);
}

/** What no process may leave: the lock, what takes it over, and temporary files, wherever they are. */
export function leftovers(top: string): string[] {
  const folder = join(top, ".threadmind");
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return names.filter((name) => /(?:^|[\\/])lock[^\\/]*$|\.tmp$/.test(name)).sort();
}

/** The paths that git takes for new or changed. */
export function seenByGit({ git }: Pick<GitRepository, "git">): string[] {
  return git("-c", "core.quotePath=false", "status", "--porcelain", "-uall")
    .split("\n")
    .filter((line) => line !== "");
}

/** A copy of a folder, in a fresh one of its own. */
export function copyOf(folder: string): string {
  const copy = join(temporaryFolder("copy"), "copy");
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** The values of `after` that `before` doesn't have, by path; `undefined` for a path that is gone. */
export function changes(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...paths].sort().flatMap((path) => (before[path] === after[path] ? [] : [[path, after[path]]])),
  );
}

/** The changed paths without what each writing call makes in `local/`, `.gitignore` and `.gitattributes`. */
export function changedPaths(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(changes(before, after)).filter(
    (path) => !/^\.threadmind\/(?:local(?:\/.*)?|\.gitignore|\.gitattributes)$/.test(path),
  );
}

/** Everything below a folder but git's own files, as `snapshot()`, where pipes and devices may be too: nobody opens those. */
export function everythingIn(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (path === ".git") continue;
    if (entry.isFile()) found[path] = readFileSync(join(folder, path), "latin1");
    else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else if (entry.isDirectory()) Object.assign(found, { [`${path}/`]: "" }, everythingIn(folder, path));
    else found[path] = "neither file nor folder";
  }
  return found;
}

/** The JSON files of a workspace that don't parse. */
export function brokenJson(top: string): string[] {
  const folder = join(top, ".threadmind");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name))
    .filter((file) => {
      try {
        JSON.parse(readFileSync(file, "utf8"));
        return false;
      } catch {
        return true;
      }
    })
    .map((file) => relative(top, file));
}

/** Runs a command line that has to succeed; throws with what it said otherwise. */
export async function succeed(top: string, words: readonly string[], stdin?: string): Promise<string> {
  const { stdout, stderr, code } = await run(words, { cwd: top, ...(stdin === undefined ? {} : { stdin }) });
  if (code !== 0) throw new Error(`${words.join(" ").slice(0, 200)} exited ${code}: ${stderr}`);
  return stdout;
}

/** Runs `action` with a connected client, and closes it. */
export async function withClient<T>(
  top: string,
  action: (client: Awaited<ReturnType<typeof openClient>>) => Promise<T>,
): Promise<T> {
  const client = await openClient({ cwd: top });
  try {
    return await action(client);
  } finally {
    await client.close();
  }
}

/** The program under test as one argument of a shell's command line. */
export const PROGRAM_IN_SHELL: string = PROGRAM.map((word) => `'${word}'`).join(" ");
