import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCountMemory } from "../../src/io/count_memory.ts";
import { readStaleNotes, type Subject } from "../../src/io/freshness.ts";
import { type Git, openGit } from "../../src/io/git.ts";
import { type Layout, layoutOf } from "../../src/io/layout.ts";
import { type Seeded, seeded } from "../core/seeded.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "../support/temp.ts";
import { threadFile, useOwnHome } from "./stamped_repository.ts";

setDefaultTimeout(120_000);

useOwnHome();

const THREADS: Readonly<Record<string, readonly string[]>> = { main: [], auth: ["src"], ui: ["src/a.ts", "lib"] };
const FILES = ["src/a.ts", "src/b.ts", "lib/c.ts", "other.md", threadFile("auth"), threadFile("ui")];

type Operation = (repository: GitRepository, random: Seeded, step: number) => void;

const commit: Operation = (repository, random, step) => {
  const files = Array.from({ length: 1 + random.next(3) }, (): [string, string] => [random.pick(FILES), `${step}\n`]);
  repository.commit(`${step}`, Object.fromEntries(files));
};

/** A commit on a branch that parts from an earlier commit. */
const branchOff: Operation = (repository, random, step) => {
  repository.git("checkout", "--quiet", "-B", "side", `HEAD~${random.next(3)}`);
  commit(repository, random, step);
  repository.git("checkout", "--quiet", "main");
};

const OPERATIONS: readonly Operation[] = [
  commit,
  commit,
  commit,
  ({ git }, _, step) => void git("commit", "--quiet", "--amend", "--message", `Amended ${step}`),
  ({ git }) => void git("reset", "--quiet", "--hard", "HEAD~2"),
  ({ git }, random) => void git("checkout", "--quiet", "--detach", `HEAD~${random.next(3)}`),
  ({ git }) => void git("checkout", "--quiet", "main"),
  ({ git }) => void git("revert", "--no-edit", "HEAD"),
  ({ git }, _, step) => {
    git("reset", "--quiet", "--soft", "HEAD~2");
    git("commit", "--quiet", "--allow-empty", "--message", `Squashed ${step}`);
  },
  (repository, random, step) => {
    branchOff(repository, random, step);
    repository.git("merge", "--quiet", "--no-edit", "-X", "ours", "side");
  },
  (repository, random, step) => {
    branchOff(repository, random, step);
    repository.git("cherry-pick", "--allow-empty", "-X", "theirs", "side");
  },
  (repository, random, step) => {
    branchOff(repository, random, step);
    repository.git("rebase", "--quiet", "-X", "theirs", "side");
  },
  (repository, random, step) => {
    repository.git("checkout", "--quiet", "-B", "ahead");
    commit(repository, random, step);
    repository.git("checkout", "--quiet", "main");
    repository.git("merge", "--quiet", "--ff-only", "ahead");
  },
];

/** Does an operation; one that git refuses is undone. */
function perform(repository: GitRepository, act: Operation, random: Seeded, step: number): void {
  try {
    act(repository, random, step);
  } catch {
    for (const action of ["rebase", "revert", "cherry-pick", "merge"]) {
      Bun.spawnSync(["git", action, "--abort"], { cwd: repository.top, env: repository.env, stderr: "ignore" });
    }
    repository.git("reset", "--quiet", "--hard");
    repository.git("checkout", "--quiet", "--force", "main");
  }
}

/** A repository of ten commits whose threads were written on one of them, in a workspace that was written to. */
function startedRepository(random: Seeded): { repository: GitRepository; layout: Layout; subjects: Subject[] } {
  const repository = gitRepository();
  const ids = Array.from({ length: 10 }, (_, step) => {
    commit(repository, random, -step);
    return repository.git("rev-parse", "HEAD");
  });
  const layout = layoutOf(repository.top);
  mkdirSync(layout.local, { recursive: true });
  writeFileSync(join(layout.data, ".gitignore"), "local/\n");
  const subjects = Object.entries(THREADS).map(
    ([id, paths]): Subject => ({ id, file: threadFile(id), paths, commit: random.pick(ids), fingerprint: undefined }),
  );
  return { repository, layout, subjects };
}

/** The same git, with each commit that a walk of the history starts behind. */
function watched(git: Git, walks: (string | undefined)[]): Git {
  return Object.create(git, {
    changes: {
      value: (since: string | undefined, paths: readonly string[] | undefined) => {
        walks.push(since);
        return git.changes(since, paths);
      },
    },
  });
}

const walked = { none: 0, fewer: 0, all: 0 };

for (let seed = 1; seed <= 6; seed++) {
  test(`notes with remembered counts are those without, in sequence ${seed} of operations`, async () => {
    const random = seeded(seed);
    const { repository, layout, subjects } = startedRepository(random);
    const { top } = repository;
    for (let step = 1; step <= 25; step++) {
      perform(repository, random.pick(OPERATIONS), random, step);
      const asked = random.next(3) === 0 ? [random.pick(subjects)] : subjects;
      for (const _ of ["once", "twice"]) {
        const git = openGit(top);
        if (git === undefined) throw new Error("no git");
        const walks: (string | undefined)[] = [];
        const memory = openCountMemory(layout);
        const remembered = await readStaleNotes(watched(git, walks), top, asked, { memory });
        expect([step, ...remembered]).toEqual([step, ...(await readStaleNotes(git, top, asked))]);
        const isFewer = walks.some((since) => since !== undefined && !asked.some(({ commit }) => commit === since));
        walked[walks.length === 0 ? "none" : isFewer ? "fewer" : "all"]++;
      }
    }
  });
}

test("the sequences leave nothing, the newest commits and all of them to be counted, each many times", () => {
  expect(Math.min(walked.none, walked.fewer, walked.all)).toBeGreaterThan(20);
});

test("a memory that is damaged, from elsewhere or wrong about HEAD's log changes no note", async () => {
  const random = seeded(1);
  const { repository, layout, subjects } = startedRepository(random);
  const { top } = repository;
  const read = async (): Promise<[string, string][]> => [
    ...(await readStaleNotes(openGit(top), top, subjects, { memory: openCountMemory(layout) })),
  ];
  const expected = [...(await readStaleNotes(openGit(top), top, subjects))];
  expect(expected.length).toBeGreaterThan(1);
  expect(await read()).toEqual(expected);
  const path = join(layout.local, "counts.json");
  const sound = readFileSync(path, "utf8");
  const { counts } = JSON.parse(sound) as { counts: Record<string, [string, number]> };
  repository.git("checkout", "--quiet", "--detach", "HEAD~1");
  const elsewhere = repository.commit("Elsewhere", { "src/a.ts": "elsewhere\n" });
  repository.git("checkout", "--quiet", "main");
  const replaced = (values: (counted: [string, number]) => unknown): string =>
    JSON.stringify({
      version: 1,
      counts: Object.fromEntries(Object.entries(counts).map(([k, v]) => [k, values(v)])),
    });
  const log = join(top, ".git/logs/HEAD");
  const before = readFileSync(log, "utf8");
  const lie = `${elsewhere} ${repository.git("rev-parse", "HEAD")} Sam Doe <sam@example.org> 1 +0000\tcommit: a lie\n`;
  for (const text of [
    ...["", "{", "[]", "null", '{"version":1}', '{"version":1,"counts":[]}', '{"version":2,"counts":{}}'],
    sound.replaceAll('":[', '":{"a":[').replaceAll("]", "]}"),
    replaced(([head]) => [head, -1]),
    replaced(([head]) => [head, "9"]),
    replaced(([, commits]) => ["HEAD", commits]),
    replaced(() => [elsewhere, 77]),
  ]) {
    writeFileSync(path, text);
    expect(await read()).toEqual(expected);
    expect(await read()).toEqual(expected);
    writeFileSync(path, text);
    writeFileSync(log, `${before}${lie}`);
    expect(await read()).toEqual(expected);
    writeFileSync(log, before);
  }
});

test("where nothing was ever written, nothing is remembered", async () => {
  const { repository, subjects } = startedRepository(seeded(2));
  const clone = join(temporaryFolder(), "clone");
  repository.git("clone", "--quiet", ".", clone);
  const layout = layoutOf(clone);
  await readStaleNotes(openGit(clone), clone, subjects, { memory: openCountMemory(layout) });
  expect(await Bun.file(join(layout.local, "counts.json")).exists()).toBe(false);
});

test("what another clone remembered, or what was remembered of replaced commits, is not believed", async () => {
  const { repository, layout, subjects } = startedRepository(seeded(3));
  const { top, git } = repository;
  const read = async (): Promise<[string, string][]> => [
    ...(await readStaleNotes(openGit(top), top, subjects, { memory: openCountMemory(layout) })),
  ];
  const alone = async (): Promise<[string, string][]> => [...(await readStaleNotes(openGit(top), top, subjects))];
  const before = await alone();
  expect(await read()).toEqual(before);
  const path = join(layout.local, "counts.json");
  const forged = readFileSync(path, "utf8").replace(/,\d+\]/g, ",424242]");
  expect(forged).toContain("424242");
  // The same clone would believe it.
  writeFileSync(path, forged);
  expect(JSON.stringify(await read())).toContain("424,242");
  const clone = join(temporaryFolder(), "clone");
  git("clone", "--quiet", ".", clone);
  const there = layoutOf(clone);
  mkdirSync(there.local, { recursive: true });
  writeFileSync(join(there.local, "counts.json"), forged);
  const told = [...(await readStaleNotes(openGit(clone), clone, subjects, { memory: openCountMemory(there) }))];
  expect(told).toEqual([...(await readStaleNotes(openGit(clone), clone, subjects))]);
  expect(JSON.stringify(told)).not.toContain("424,242");
  writeFileSync(path, "");
  expect(await read()).toEqual(before);
  for (const isPacked of [false, true]) {
    git("replace", "--graft", "HEAD~1", "HEAD~6");
    if (isPacked) git("pack-refs", "--all");
    const grafted = await alone();
    expect(grafted).not.toEqual(before);
    expect([await read(), await read()]).toEqual([grafted, grafted]);
    git("replace", "--delete", git("replace", "--list"));
    expect([await read(), await read()]).toEqual([before, before]);
  }
});
