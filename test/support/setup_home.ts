import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, run } from "./binary.ts";
import { gitRepository, temporaryHome, type Variables } from "./temp.ts";

/** A person's home folder and project, in which the program sets up clients. */
export interface SetupHome {
  readonly home: string;
  readonly top: string;
  /** Runs `threadmind setup` with these words in the project. */
  setup(words: string, env?: Variables): Promise<Result>;
  /** Writes a file below the home folder, or the project with `top/`. */
  write(path: string, text: string): void;
  /** The text of a file, `undefined` if absent. */
  read(path: string): string | undefined;
  /** When a file was written, in nanoseconds. */
  time(path: string): bigint;
}

/** A fresh home with an empty repository. */
export function setupHome(): SetupHome {
  const home = temporaryHome();
  const { top } = gitRepository({ home, top: join(home, "work") });
  const at = (path: string): string => (path.startsWith("top/") ? join(top, path.slice(4)) : join(home, path));
  return {
    home,
    top,
    setup: (words, env = {}) =>
      run(["setup", ...words.split(" ").filter((word) => word !== "")], {
        cwd: top,
        home,
        env: { XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined, CODEX_HOME: undefined, ...env },
      }),
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
    time: (path) => statSync(at(path), { bigint: true }).mtimeNs,
  };
}
