import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, outputOf, seededRandom, writeFile } from "./support.ts";

/** A repository that was generated, with the environment in which programs look at it. */
export interface Repository {
  readonly top: string;
  readonly env: Environment;
  git(...args: readonly string[]): string;
}

/** What a generated history holds; the same values give the same commits. */
export interface HistoryShape {
  readonly commits: number;
  readonly files: number;
  readonly branches?: number;
  readonly seed?: number;
}

const FILES_IN_FOLDER = 40;
const START = 1_600_000_000;

/** Where a generated file lies: `src/<folder>/<file>.ts`. */
export function fileAt(index: number): string {
  return `src/${Math.floor(index / FILES_IN_FOLDER)}/${index % FILES_IN_FOLDER}.ts`;
}

/** Makes a repository: a first commit with all files, then one to three of them changed by each. */
export function makeRepository(
  top: string,
  env: Environment,
  { commits, files, branches = 1, seed = 7 }: HistoryShape,
): Repository {
  mkdirSync(top, { recursive: true });
  const git = (...args: readonly string[]): string => outputOf(["git", ...args], { cwd: top, env }).trimEnd();
  git("init", "--quiet");
  const stream = `${top}.stream`;
  writeFile(stream, historyOf(commits, files, seed));
  const { exitCode, stderr } = Bun.spawnSync(["git", "fast-import", "--quiet"], {
    ...{ cwd: top, env: { ...env }, stdin: Bun.file(stream) },
  });
  if (exitCode !== 0) throw new Error(`git fast-import exited ${exitCode}: ${stderr}`);
  outputOf(["rm", stream]);
  git("reset", "--quiet", "--hard");
  const head = git("rev-parse", "HEAD");
  const refs = Array.from({ length: branches - 1 }, (_, at) => `create refs/heads/feature/${at} ${head}\n`);
  if (refs.length > 0) outputOf(["git", "update-ref", "--stdin"], { cwd: top, env, stdin: refs.join("") });
  return { top, env, git };
}

function* historyOf(commits: number, files: number, seed: number): Generator<string> {
  const random = seededRandom(seed);
  for (let at = 0; at < commits; at++) {
    const changed = at === 0 ? files : 1 + Math.floor(random() * 3);
    const parts = Array.from({ length: changed }, (_, index) => {
      const text = `export const value = ${at};\n`;
      const file = fileAt(at === 0 ? index : Math.floor(random() * files));
      return `M 100644 inline ${file}\ndata ${text.length}\n${text}\n`;
    });
    const from = at === 0 ? "" : `from :${at}\n`;
    const committer = `committer Sam Doe <sam@example.org> ${START + at * 60} +0000`;
    yield `commit refs/heads/main\nmark :${at + 1}\n${committer}\ndata 0\n${from}${parts.join("")}`;
  }
}

/** What the threads of a generated project are like. */
export interface ProjectShape {
  /** all of them, the chain's included */
  readonly threads: number;
  /** how many levels the active thread is deep */
  readonly chain: number;
  /** the paths of each thread of the chain, from the root on; the last ones are for all that follow */
  readonly paths?: readonly (readonly string[])[];
  /** about how long each summary of the chain is */
  readonly summaryBytes?: number;
}

/** The ids of a generated chain, from the root on. */
export function chainOf({ chain }: ProjectShape): readonly string[] {
  return Array.from({ length: chain }, (_, at) => (at === 0 ? "main" : `chain-${at}`));
}

/** Writes a project as ThreadMind would have, its last thread of the chain active; it has no stamps yet. */
export function writeThreads({ top }: Repository, shape: ProjectShape): void {
  const folder = join(top, ".threadmind/threads/app");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(top, ".threadmind/projects"), { recursive: true });
  const settings = { id: "app", title: "App", systemContext: "A shop.", mode: "solo", rootThreadId: "main" };
  writeFileSync(join(top, ".threadmind/projects/app.json"), `${JSON.stringify(settings, undefined, 2)}\n`);
  writeFileSync(join(top, ".threadmind/.gitignore"), "config.json\nlocal/\n");
  writeFileSync(join(top, ".threadmind/.gitattributes"), "threads/** merge=threadmind\n");
  const chain = chainOf(shape);
  const config = { version: 1, activeProjectId: "app", activeThreadId: chain.at(-1), author: "sam-doe-b3c8" };
  writeFileSync(join(top, ".threadmind/config.json"), `${JSON.stringify(config, undefined, 2)}\n`);
  for (const [at, id] of chain.entries()) {
    const paths = shape.paths?.[Math.min(at, shape.paths.length - 1)] ?? [];
    writeThread(folder, id, chain[at - 1] ?? null, bodyOf(at, shape.summaryBytes ?? 1000), paths);
  }
  for (let at = chain.length; at < shape.threads; at++) {
    const parent = at % 7 === 0 ? "main" : at < chain.length + 10 ? "main" : `topic-${Math.floor(at / 10)}`;
    const isThere = parent === "main" || Number(parent.slice(6)) >= chain.length;
    writeThread(folder, `topic-${at}`, isThere ? parent : "main", bodyOf(at, 600), []);
  }
}

function writeThread(folder: string, id: string, parent: string | null, body: string, paths: readonly string[]): void {
  const stamp = "2026-04-15T10:00:00.000Z";
  const list = paths.length === 0 ? "" : `paths: [${paths.join(", ")}]\n`;
  const head = `id: ${id}\ntitle: Topic ${id}\nparentId: ${parent}\nauthor: sam-doe-b3c8\n`;
  const text = `---\n${head}createdAt: ${stamp}\nupdatedAt: ${stamp}\n${list}---\n\n${body}`;
  writeFileSync(join(folder, `${id}.md`), text);
}

function bodyOf(at: number, bytes: number): string {
  const bullets = (what: string, size: number): string => {
    const line = (n: number): string => `- ${what} ${n} of topic ${at}: JWT in a cookie, not in local storage\n`;
    return Array.from({ length: Math.max(1, Math.round(size / line(0).length)) }, (_, n) => line(n)).join("");
  };
  const [most, some] = [bytes * 0.5, bytes * 0.2];
  const sections = [`## Decisions\n${bullets("Decision", most)}`, `## Constraints\n${bullets("Constraint", some)}`];
  return `${[...sections, `## State\n${bullets("State", some)}`].join("\n")}`;
}

/** Makes a thread's stamp one of an older commit, on which the code was another. */
export function makeStale({ top }: Repository, thread: string, commit: string): void {
  const file = join(top, `.threadmind/threads/app/${thread}.md`);
  const source = readFileSync(file, "utf8").replace(/^(?:commit|fingerprint): .*\n/gm, "");
  writeFileSync(file, source.replace(/^(updatedAt: .*\n)/m, `$1commit: ${commit}\nfingerprint: 1-0123456789abcdef\n`));
}
