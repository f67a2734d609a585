import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Seeded, seeded } from "../core/seeded.ts";
import type { GitRepository } from "../support/temp.ts";
import { stampedRepository, useOwnHome } from "./stamped_repository.ts";

setDefaultTimeout(60_000);

useOwnHome();

/** What is under src: all files by path, and whether git tracks them. */
interface Snapshot {
  readonly tracked: string;
  readonly all: string;
}

/** Reads src without ThreadMind: contents by path, those that git tracks, and those it could. */
function snapshot({ top, git }: GitRepository): Snapshot {
  const list = (...options: readonly string[]): string[] => git("ls-files", "-z", ...options, "--", "src").split("\0");
  const contents = (paths: readonly string[]): string[] =>
    [...new Set(paths)]
      .filter((path) => path !== "" && existsSync(join(top, path)))
      .map((path) => `${path}: ${readFileSync(join(top, path), "utf8")}`)
      .toSorted();
  const tracked = contents(list("--cached"));
  return { tracked: tracked.join(), all: [...tracked, ...contents(list("--others"))].toSorted().join() };
}

type Operation = readonly [name: string, act: (repository: GitRepository, random: Seeded) => void];

const FILES = ["src/a.ts", "src/b.ts", "src/c.ts", "lib/d.ts"];

/** Does what needs a clean tree on top of everything committed. */
function committed({ git }: GitRepository, act: () => void): void {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "Save");
  act();
}

const OPERATIONS: readonly Operation[] = [
  ["edit", ({ write }, random) => write(random.pick(FILES), `${random.next(3)}\n`)],
  ["edit", ({ write }, random) => write(random.pick(FILES), `${random.next(3)}\n`)],
  ["delete", ({ top }, random) => rmSync(join(top, random.pick(FILES)), { force: true })],
  ["add", ({ git }) => void git("add", "--all")],
  ["unstage", ({ git }) => void git("reset", "--quiet")],
  ["commit what is tracked", ({ git }) => void git("commit", "--quiet", "--all", "--allow-empty", "-m", "Tracked")],
  ["commit", (repository) => committed(repository, () => undefined)],
  ["amend", ({ git }) => void git("commit", "--quiet", "--all", "--allow-empty", "--amend", "-m", "Amended")],
  [
    "squash",
    ({ git }) => {
      git("reset", "--quiet", "--soft", "HEAD~2");
      git("commit", "--quiet", "--allow-empty", "--message", "Squashed");
    },
  ],
  ["revert", (repository) => committed(repository, () => repository.git("revert", "--no-edit", "HEAD"))],
  ["stash", (repository) => void repository.git("stash", "--include-untracked")],
  [
    "stash and pop",
    ({ git }) => {
      if (git("stash", "--include-untracked") !== "No local changes to save") git("stash", "pop", "--quiet");
    },
  ],
  [
    "rebase",
    (repository) =>
      committed(repository, () => {
        const { git, commit } = repository;
        git("checkout", "--quiet", "-B", "base", "HEAD~2");
        commit("Base", { "base.md": `${git("rev-parse", "HEAD")}\n` });
        git("checkout", "--quiet", "main");
        git("rebase", "--quiet", "--empty=keep", "base");
      }),
  ],
  [
    "switch and come back",
    (repository) =>
      committed(repository, () => {
        repository.git("checkout", "--quiet", "--detach", "HEAD~1");
        repository.git("checkout", "--quiet", "main");
      }),
  ],
  ["go back", (repository) => committed(repository, () => repository.git("reset", "--quiet", "--hard", "HEAD~2"))],
];

/** Does an operation; one that git refuses is undone. */
function perform([, act]: Operation, repository: GitRepository, random: Seeded): void {
  try {
    act(repository, random);
  } catch {
    repository.git("reset", "--quiet", "--hard");
    for (const action of ["rebase", "revert"]) {
      Bun.spawnSync(["git", action, "--abort"], { cwd: repository.top, env: repository.env, stderr: "ignore" });
    }
    repository.git("checkout", "--quiet", "--force", "main");
  }
}

const said = { yes: 0, no: 0 };

for (let seed = 1; seed <= 5; seed++) {
  test(`\`readStaleNotes()\` says something if and only if the code differs, in sequence ${seed} of operations`, async () => {
    const random = seeded(seed);
    const repository = stampedRepository({ "src/a.ts": "0\n", "lib/d.ts": "0\n" });
    for (let n = 1; n <= 3; n++) repository.commit(`${n}`, { "src/b.ts": `${n}\n` });
    let written = await repository.summary(["src"]);
    let then = snapshot(repository);
    const steps: string[] = [];
    for (let step = 0; step < 30; step++) {
      if (random.next(8) === 0) {
        written = await repository.summary(["src"]);
        then = snapshot(repository);
        steps.push("write the summary");
      }
      const operation = random.pick(OPERATIONS);
      steps.push(operation[0]);
      perform(operation, repository, random);
      const now = snapshot(repository);
      const isSame = then.tracked === now.tracked || then.all === now.tracked || then.all === now.all;
      const note = await repository.note(written);
      expect({ steps, isSaid: note !== undefined }).toEqual({ steps, isSaid: !isSame });
      said[isSame ? "no" : "yes"]++;
    }
  });
}

test("the sequences of operations leave the code the same, and different, in many steps", () => {
  expect(Math.min(said.yes, said.no)).toBeGreaterThan(30);
});
