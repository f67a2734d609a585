import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type GitRepository, gitRepository } from "../support/temp.ts";

/**
 * A repository and the fingerprint that it has for ever. `tracked` and `untracked` are the lines that are hashed:
 * `printf '<lines>' | LC_ALL=C sort | sha256sum | cut -c 1-16`.
 */
export interface Row {
  /** ends the sentence "`takeStamp()` …" */
  readonly name: string;
  readonly arrange: (repository: GitRepository) => void;
  readonly paths: readonly string[];
  readonly tracked: readonly string[];
  readonly untracked?: readonly string[];
  readonly fingerprint: string;
  /** the workspace, from the repository's top */
  readonly workspace?: string;
  readonly objectFormat?: "sha256";
}

// Blob ids by `printf 'blob <length>\0<content>' | sha1sum`.
const A = "78981922613b2afb6025042ff6bd878ac1994e85"; // "a\n"
const B = "61780798228d17af2d34fce4cfbdf35556832472"; // "b\n"
const LINES = "422c2b7ab3b3c668038da977e4e93a5fc623169c"; // "a\nb\n"
const LINK = "8d14cbf983b3fad683171c9418998d9f68340823"; // "a.txt"
const ELSEWHERE = "1111111111111111111111111111111111111111";

/** The table's first part: what can be in a working tree. */
export const WORKING_TREE_ROWS: readonly Row[] = [
  {
    name: "takes the files below a folder",
    arrange: ({ commit }) => commit("Start", { "src/a.txt": "a\n", "src/sub/b.txt": "b\n", "srcs/c.txt": "a\n" }),
    paths: ["src"],
    tracked: [`100644 ${A}\tsrc/a.txt\n`, `100644 ${B}\tsrc/sub/b.txt\n`],
    fingerprint: "1-a36ad676e4780a42",
  },
  {
    name: "takes each file once, whatever paths it is under, in the order of bytes",
    arrange: ({ commit }) => commit("Start", { "b/B.txt": "b\n", "b/a.txt": "a\n", "a.txt": "a\n", "c.txt": "a\n" }),
    paths: ["b", "a.txt", "b/a.txt", "gone"],
    tracked: [`100644 ${A}\ta.txt\n`, `100644 ${A}\tb/a.txt\n`, `100644 ${B}\tb/B.txt\n`],
    fingerprint: "1-622a7afd3ce758de",
  },
  {
    name: "takes nothing under a path that isn't there",
    arrange: ({ commit }) => commit("Start", { "a.txt": "a\n" }),
    paths: ["src/gone"],
    tracked: [],
    fingerprint: "1-e3b0c44298fc1c14",
  },
  {
    name: "takes all of a workspace for a dot, but never .threadmind",
    arrange: ({ commit, write }) => {
      commit("Start", {
        "a.txt": "a\n",
        ".threadmind/threads/app/main.md": "a\n",
        "sub/.threadmind/config.json": "a\n",
      });
      write(".threadmind/threads/app/auth.md", "b\n");
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    fingerprint: "1-0ae07f78b5532243",
  },
  {
    name: "takes paths from the workspace when that is a folder of the repository",
    arrange: ({ commit, write }) => {
      commit("Start", {
        "app/src/a.txt": "a\n",
        "app/.threadmind/config.json": "b\n",
        "b.txt": "b\n",
        "apps/b.txt": "b\n",
      });
      write("app/b.txt", "b\n");
    },
    workspace: "app",
    paths: ["."],
    tracked: [`100644 ${A}\tsrc/a.txt\n`],
    untracked: [`100644 ${B}\tb.txt\n`],
    fingerprint: "1-08d79ee949704920-166ec51eca374201",
  },
  {
    name: "takes the executable bit of a tracked file from the index",
    arrange: ({ top, commit, write }) => {
      write("run.sh", "a\n");
      chmodSync(join(top, "run.sh"), 0o755);
      commit("Start", { "plain.sh": "b\n" });
      chmodSync(join(top, "plain.sh"), 0o755);
    },
    paths: ["."],
    tracked: [`100644 ${B}\tplain.sh\n`, `100755 ${A}\trun.sh\n`],
    fingerprint: "1-b305699eec5b4c7e",
  },
  {
    name: "takes the executable bit of an untracked file from the disk",
    arrange: ({ top, commit, write }) => {
      commit("Start", { "a.txt": "a\n" });
      write("run.sh", "b\n");
      chmodSync(join(top, "run.sh"), 0o755);
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    untracked: [`100755 ${B}\trun.sh\n`],
    fingerprint: "1-0ae07f78b5532243-22ff4f87a03591f7",
  },
  {
    name: "takes no executable bit from a disk that git doesn't trust with it",
    arrange: ({ top, git, commit, write }) => {
      git("config", "core.fileMode", "false");
      commit("Start", { "a.txt": "a\n" });
      write("run.sh", "b\n");
      chmodSync(join(top, "run.sh"), 0o755);
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    untracked: [`100644 ${B}\trun.sh\n`],
    fingerprint: "1-0ae07f78b5532243-7ccd31558928bba9",
  },
  {
    name: "takes a link's text, tracked, changed or untracked",
    arrange: ({ top, commit }) => {
      symlinkSync("a.txt", join(top, "kept"));
      symlinkSync("b.txt", join(top, "turned"));
      commit("Start");
      rmSync(join(top, "turned"));
      symlinkSync("a.txt", join(top, "turned"));
      symlinkSync("a.txt", join(top, "new"));
    },
    paths: ["."],
    tracked: [`120000 ${LINK}\tkept\n`, `120000 ${LINK}\tturned\n`],
    untracked: [`120000 ${LINK}\tnew\n`],
    fingerprint: "1-a12149c49ea48983-e009e570a3513e35",
  },
  {
    name: "takes a submodule as it is in the index",
    arrange: ({ top, git, write }) => {
      write("a.txt", "a\n");
      git("add", "a.txt");
      git("update-index", "--add", "--cacheinfo", `160000,${ELSEWHERE},lib`);
      git("commit", "--quiet", "--message", "Start");
      gitRepository({ top: join(top, "lib") }).commit("Another commit", { "b.txt": "b\n" });
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`, `160000 ${ELSEWHERE}\tlib\n`],
    fingerprint: "1-3737509b472e1cea",
  },
  {
    name: "takes nothing of a repository inside the repository",
    arrange: ({ top, commit }) => {
      commit("Start", { "a.txt": "a\n" });
      gitRepository({ top: join(top, "nested") }).commit("Its own", { "b.txt": "b\n" });
      gitRepository({ top: join(top, "empty") });
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    fingerprint: "1-0ae07f78b5532243",
  },
  {
    name: "takes untracked files, but none that are ignored",
    arrange: ({ commit, write }) => {
      commit("Start", { "a.txt": "a\n", ".gitignore": "*.log\n" });
      write("src/b.txt", "b\n");
      write("src/b.log", "b\n");
    },
    paths: ["a.txt", "src"],
    tracked: [`100644 ${A}\ta.txt\n`],
    untracked: [`100644 ${B}\tsrc/b.txt\n`],
    fingerprint: "1-0ae07f78b5532243-5a0a880dd736a19f",
  },
  {
    name: "takes a repository before its first commit",
    arrange: ({ git, write }) => {
      write("a.txt", "a\n");
      write("b.txt", "b\n");
      git("add", "a.txt");
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    untracked: [`100644 ${B}\tb.txt\n`],
    fingerprint: "1-0ae07f78b5532243-e59f3ab5aafcffb1",
  },
  {
    name: "takes what is on disk, not what is staged",
    arrange: ({ git, commit, write }) => {
      commit("Start", { "staged.txt": "a\n", "both.txt": "a\n", "plain.txt": "a\n" });
      for (const path of ["staged.txt", "both.txt", "new.txt"]) write(path, "b\n");
      git("add", "--all");
      write("both.txt", "a\nb\n");
      write("plain.txt", "b\n");
    },
    paths: ["."],
    tracked: ["new", "plain", "staged"]
      .map((name) => `100644 ${B}\t${name}.txt\n`)
      .concat(`100644 ${LINES}\tboth.txt\n`),
    fingerprint: "1-8d43dd1ab3643f0f",
  },
  {
    name: "takes no deleted file, staged or not",
    arrange: ({ top, git, commit }) => {
      commit("Start", { "a.txt": "a\n", "gone.txt": "b\n", "removed.txt": "b\n", "folder.txt": "b\n" });
      git("rm", "--quiet", "removed.txt");
      rmSync(join(top, "gone.txt"));
      rmSync(join(top, "folder.txt"));
      mkdirSync(join(top, "folder.txt"));
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    fingerprint: "1-0ae07f78b5532243",
  },
  {
    name: "takes an unmerged file once, as it is on disk",
    arrange: ({ git, commit, write }) => {
      commit("Start", { "a.txt": "start\n" });
      git("checkout", "--quiet", "-b", "other");
      commit("Theirs", { "a.txt": "theirs\n" });
      git("checkout", "--quiet", "main");
      commit("Ours", { "a.txt": "ours\n" });
      try {
        git("merge", "--quiet", "other");
      } catch {
        write("a.txt", "a\nb\n");
      }
    },
    paths: ["."],
    tracked: [`100644 ${LINES}\ta.txt\n`],
    fingerprint: "1-0614435fa1930a52",
  },
  {
    name: "takes a file that is only announced as tracked, with its content",
    arrange: ({ git, commit, write }) => {
      commit("Start", { "a.txt": "a\n" });
      write("b.txt", "b\n");
      git("add", "--intent-to-add", "b.txt");
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`, `100644 ${B}\tb.txt\n`],
    fingerprint: "1-e59f3ab5aafcffb1",
  },
  {
    name: "takes a file that the working tree skips from the index",
    arrange: ({ top, git, commit, write }) => {
      commit("Start", { "absent.txt": "a\n", "own.txt": "a\n" });
      git("update-index", "--skip-worktree", "absent.txt", "own.txt");
      rmSync(join(top, "absent.txt"));
      write("own.txt", "my own\n");
    },
    paths: ["."],
    tracked: [`100644 ${A}\tabsent.txt\n`, `100644 ${A}\town.txt\n`],
    fingerprint: "1-7cac8752147251dd",
  },
];
