import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderThreadFile } from "../src/core/thread_file.ts";
import { run } from "./support/binary.ts";
import { countingGit, pathWith } from "./support/fake_git.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";
import { changed, elsewhere, notesIn, PROJECT, threadWorkspace, uncommitted } from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

const MOST_STARTS = 8;
const ABSENT = "1".repeat(40);

/** What a thread of a chain records, and the note that this has. */
interface Link {
  readonly commit?: string;
  readonly fingerprint?: string;
  readonly paths?: readonly string[];
  readonly note: string;
}

/** Writes the files of a chain below main, as a merge or another version may have left them; returns the last id. */
function writeChain({ top }: GitRepository, links: readonly Link[]): string {
  const folder = join(top, `.threadmind/threads/${PROJECT}`);
  mkdirSync(folder, { recursive: true });
  for (const [index, { note: _, ...stamp }] of links.entries()) {
    const [id, parentId] = [`t${index}`, index === 0 ? "main" : `t${index - 1}`];
    const source = renderThreadFile({ id, title: id, parentId, ...stamp }, "\n## Decisions\n- One\n");
    writeFileSync(join(folder, `${id}.md`), source);
  }
  return `t${links.length - 1}`;
}

async function count(
  { home }: GitRepository,
  folder: string,
  thread: string,
): Promise<{ notes: Record<string, string>; starts: number; code: number }> {
  const git = countingGit();
  const env = { PATH: pathWith(git.folder) };
  const { stdout, code } = await run(["context", thread], { cwd: folder, home, env });
  return { notes: notesIn(stdout), starts: git.takeStarts().length, code };
}

test("`context` starts git eight times at most for a chain of thirty in all states, in a shallow clone too", async () => {
  const workspace = await threadWorkspace();
  const { commit, write } = workspace;
  commit("Start", { "a/1": "1\n", "b/1": "1\n", "c/1": "1\n", "d/1": "1\n" });
  const main = commit("Code", { "a/1": "2\n" });
  const print = async (path: string): Promise<string> => {
    await workspace.summarise("main", path);
    return /^fingerprint: (.*)$/m.exec(workspace.source("main"))?.[1] ?? "";
  };
  const [a, d] = [await print("a"), await print("d")];
  const old = "1-0123456789abcdef";
  const states: readonly Link[] = [
    { commit: main, fingerprint: a, paths: ["a"], note: changed(2, "a") },
    { commit: main, fingerprint: d, paths: ["d"], note: "" },
    { commit: main, fingerprint: old, paths: ["b"], note: changed(1, "b") },
    { commit: main, fingerprint: old, paths: ["c"], note: uncommitted("c") },
    {
      commit: main,
      fingerprint: old,
      paths: ["d"],
      note: "_⚠ d differs from what this summary was written on: check it is still accurate._",
    },
    { commit: ABSENT, fingerprint: old, paths: ["d"], note: elsewhere(ABSENT) },
    { paths: ["d"], note: "_⚠ Not verified since it was merged: check it is still accurate._" },
    { fingerprint: old, paths: ["c"], note: uncommitted("c") },
    { commit: main, paths: ["a", "b"], note: changed(3, "a, b") },
    { commit: main, note: "_Written 4 commits ago._" },
  ];
  const links = [...states, ...states, ...states];
  commit("Summary");
  commit("One", { "a/1": "3\n" });
  commit("Two", { "a/1": "4\n" });
  commit("Three", { "b/1": "2\n" });
  const last = writeChain(workspace, links);
  commit("Threads");
  commit("Four", { "e/1": "1\n" });
  write("c/1", "2\n");
  const { notes, starts, code } = await count(workspace, workspace.top, last);
  const { app: _, ...below } = notes;
  expect(Object.values(below)).toEqual(links.map(({ note }) => note));
  expect([starts >= 4 && starts <= MOST_STARTS, code]).toEqual([true, 0]);

  for (const depth of [1, 4]) {
    const clone = join(temporaryFolder("clones"), "clone");
    workspace.git("clone", "--quiet", "--depth", `${depth}`, `file://${workspace.top}`, clone);
    const shallow = await count(workspace, clone, last);
    expect([shallow.starts >= 3 && shallow.starts <= MOST_STARTS, shallow.code]).toEqual([true, 0]);
    expect(Object.values(shallow.notes).filter((note) => /Written|[0-9] commits? changed/.test(note))).toEqual([]);
  }
});

const COMMITS = 20_000;
const FOLDERS = 50;

/** Makes a repository of 20,000 commits, of which each changes one of fifty folders, and returns their ids. */
function manyCommits({ top, env, git }: GitRepository): string[] {
  const lines = Array.from({ length: COMMITS }, (_, index) => {
    const committer = `committer Sam Doe <sam@example.org> ${1_600_000_000 + index * 60} +0000`;
    const from = index === 0 ? "" : `from :${index}\n`;
    const text = `${index}`;
    const file = `M 100644 inline src/${index % FOLDERS}/a.ts\ndata ${text.length}\n${text}\n`;
    return `commit refs/heads/main\nmark :${index + 1}\n${committer}\ndata 0\n${from}${file}`;
  });
  const marks = join(top, ".git/marks");
  const args = ["fast-import", "--quiet", `--export-marks=${marks}`];
  const { status, stderr } = spawnSync("git", args, { cwd: top, env, input: lines.join(""), encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  git("reset", "--quiet", "--hard");
  const ids = readFileSync(marks, "utf8").trimEnd().split("\n");
  return ids
    .map((line) => line.split(" "))
    .toSorted(([a = ""], [b = ""]) => Number(a.slice(1)) - Number(b.slice(1)))
    .map(([, id = ""]) => id);
}

test("`context` starts git eight times at most for a chain of four over 20,000 commits", async () => {
  const repository = gitRepository();
  const ids = manyCommits(repository);
  expect(ids).toHaveLength(COMMITS);
  await threadWorkspace([], repository);
  const at = (index: number): string => ids[index] ?? "";
  const links: readonly Link[] = [
    { commit: at(99), paths: ["src/7"], note: changed(398, "src/7") },
    {
      commit: at(9_999),
      fingerprint: "1-0123456789abcdef",
      paths: ["src/8", "src/9"],
      note: changed(400, "src/8, src/9"),
    },
    { commit: at(19_989), note: "_Written 10 commits ago._" },
  ];
  const { notes, starts, code } = await count(repository, repository.top, writeChain(repository, links));
  expect([starts >= 4 && starts <= MOST_STARTS, code]).toEqual([true, 0]);
  // git has two seconds for each answer; a machine that is too slow for them says nothing.
  const { app: _, ...below } = notes;
  const said = Object.values(below);
  expect([links.map(({ note }) => note), links.map(() => "")]).toContainEqual(said);
});
