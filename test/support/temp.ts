import { afterAll, setDefaultTimeout } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// bunfig.toml preloads this file, so that these two hold for the whole run.
setDefaultTimeout(60_000);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const folders: string[] = [];

const GIT_CONFIG = `[user]
	name = Sam Doe
	email = sam@example.org
[init]
	defaultBranch = main
[core]
	autocrlf = false
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
[advice]
	detachedHead = false
`;

const KEPT_VARIABLES = ["PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR", "DENO_DIR"];

/** A fresh folder, with its links resolved, that is removed when the tests end. */
export function temporaryFolder(label = "folder"): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `threadmind-${label}-`)));
  folders.push(folder);
  return folder;
}

/** A fresh home folder that holds nothing but a git configuration with a fixed identity. */
export function temporaryHome(): string {
  const home = temporaryFolder("home");
  writeFileSync(join(home, ".gitconfig"), GIT_CONFIG);
  return home;
}

/** Environment variables by name; an undefined one isn't passed on. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** An environment that carries nothing of this machine's settings, with `variables` on top. */
export function environment(home: string, variables: Variables = {}): Record<string, string> {
  const all: Variables = {
    ...Object.fromEntries(KEPT_VARIABLES.map((name) => [name, process.env[name]])),
    HOME: home,
    USERPROFILE: home,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    ...variables,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A git working tree on disk, with what a test does to it. */
export interface GitRepository {
  readonly top: string;
  readonly home: string;
  readonly env: Record<string, string>;
  /** Runs git in the top folder and returns its output without the last line end; throws with its errors if it fails. */
  git(...args: readonly string[]): string;
  /** Writes a file, making its folders. */
  write(path: string, text: string): void;
  read(path: string): string;
  /** Writes the files, commits everything, and returns the commit's full id. */
  commit(message: string, files?: Readonly<Record<string, string>>): string;
}

/** Says how `gitRepository()` begins; without `home` it makes one. */
export interface GitRepositoryOptions {
  readonly top?: string;
  readonly home?: string;
}

/** A new repository on branch main, without a commit, that no configuration of this machine touches. */
export function gitRepository(options: GitRepositoryOptions = {}): GitRepository {
  const top = options.top ?? temporaryFolder("repository");
  const home = options.home ?? temporaryHome();
  const env = environment(home);

  function git(...args: readonly string[]): string {
    const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: top, env, encoding: "utf8" });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`git ${args.join(" ")} exited ${status}: ${stderr}`);
    return stdout.replace(/\n$/, "");
  }

  function write(path: string, text: string): void {
    const file = join(top, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  mkdirSync(top, { recursive: true });
  git("init", "--quiet");
  return {
    top,
    home,
    env,
    git,
    write,
    read: (path) => readFileSync(join(top, path), "utf8"),
    commit(message, files = {}) {
      for (const [path, text] of Object.entries(files)) write(path, text);
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", message);
      return git("rev-parse", "HEAD");
    },
  };
}
