import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { run } from "./support/binary.ts";
import { readThread, renderThread, type ThreadText, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

function repositoryWith(threads: Readonly<Record<string, ThreadText>>): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, threads);
  repository.commit("Start");
  repository.git("tag", "base");
  return repository;
}

function put({ top }: GitRepository, id: string, thread: ThreadText, more = ""): void {
  const text = renderThread(id, thread);
  writeFileSync(threadFile(top, id), more === "" ? text : text.replace("\n---\n\n", `\n${more}\n---\n\n`));
}

async function diff({ top, home }: GitRepository, range = "base..HEAD"): Promise<string> {
  const { stdout, stderr, code } = await run(["diff", range], { cwd: top, home });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const before: ThreadText = { body: "## Decisions\n- JWT\n- Redis\n\n## Constraints\n- fast\n\n## State\n- begun\n" };

type Case = readonly [name: string, change: (repository: GitRepository) => void, expected: string];

const CASES: readonly Case[] = [
  ["nothing", () => undefined, "No thread changed.\n"],
  ["code alone", ({ write }) => write("src/a.ts", "1\n"), "No thread changed.\n"],
  ["stamps alone", (on) => put(on, "auth", before, `commit: ${"a".repeat(40)}`), "No thread changed.\n"],
  [
    "decisions added and struck",
    (on) =>
      put(on, "auth", {
        body: "## Decisions\n- Redis\n- Argon2\n\n## Constraints\n- fast\n- cheap\n\n## State\n- begun\n",
      }),
    "## Decisions: App\n\n### auth (`auth`)\n\n- **+** Argon2\n- **+** constraint: cheap\n- **−** ~~JWT~~\n",
  ],
  [
    "a decision moved to another thread",
    (on) => {
      put(on, "auth", { body: "## Decisions\n- JWT\n\n## Constraints\n- fast\n\n## State\n- begun\n" });
      put(on, "pay", { body: "## Decisions\n- cards\n-   Redis\n" });
    },
    "## Decisions: App\n\n### auth (`auth`)\n\n- **→** Redis (now in `pay`)\n",
  ],
  [
    "a section that isn't inherited",
    (on) => put(on, "auth", { body: `${before.body}\n## Next steps\n- go\n`.replace("begun", "done") }),
    "## Decisions: App\n\n### auth (`auth`)\n\n- also changed: State, Next steps\n",
  ],
  [
    "a thread abandoned with its reason",
    (on) =>
      put(on, "auth", {
        ...before,
        status: "abandoned",
        body: (before.body ?? "").replace("- Redis", "- Redis\n- Abandoned: too slow"),
      }),
    "## Decisions: App\n\n### auth (`auth`, abandoned)\n\n> too slow\n",
  ],
  [
    "a thread merged into its parent",
    (on) => put(on, "auth", { ...before, status: "done" }, "mergedInto: main"),
    "## Decisions: App\n\n### auth (`auth`, merged into `main`)\n",
  ],
  [
    "a thread renamed, moved and taken over",
    (on) => {
      put(on, "auth", { ...before, title: "Sign in", parentId: "pay" });
      writeFileSync(threadFile(on.top, "auth"), readThread(on.top, "auth").replace(/author: .*/, "author: kim-1234"));
    },
    "## Decisions: App\n\n### Sign in (`auth`, was “auth”, moved from `main` to `pay`, taken over: `sam-doe-b3c8` → `kim-1234`)\n",
  ],
  [
    "a thread begun and one deleted",
    (on) => {
      put(on, "new", { parentId: "pay", branch: "feature/new", body: "## Decisions\n- a\n  - b\n" });
      on.git("rm", "--quiet", ".threadmind/threads/app/auth.md");
    },
    "## Decisions: App\n\n### auth (`auth`, deleted)\n\n- **−** ~~JWT~~\n- **−** ~~Redis~~\n- **−** constraint: ~~fast~~\n\n### new (`new`, new, below `pay`, branch `feature/new`)\n\n- **+** a\n    - b\n",
  ],
  [
    "a file that can't be read any more",
    ({ top }) => writeFileSync(threadFile(top, "auth"), "---\nid: auth\n"),
    "## Decisions: App\n\n### auth (`auth`)\n\n_Its file can't be read, or has merge conflicts._\n",
  ],
  [
    "the same text in another form",
    (on) =>
      put(on, "auth", {
        body: (before.body ?? "").replace("- JWT\n- Redis", "*  JWT\n\n*  Redis").replaceAll("\n", "\r\n"),
      }),
    "",
  ],
];

for (const [name, change, expected] of CASES) {
  test(`diff shows ${name}`, async () => {
    const repository = repositoryWith({ auth: before, pay: { body: "## Decisions\n- cards\n" } });
    change(repository);
    repository.commit("Change");
    const text = await diff(repository);
    if (expected === "") expect(text).toContain("auth");
    else expect(text).toBe(expected);
    expect((await run(["diff", "base..HEAD", "--json"], { cwd: repository.top })).code).toBe(0);
  });
}

test("diff understands A, A..B and A...B, tags, branches and relative names, over merges and rebases", async () => {
  const repository = repositoryWith({ auth: before });
  repository.git("checkout", "--quiet", "-b", "feature");
  put(repository, "auth", { body: (before.body ?? "").replace("- JWT", "- JWT\n- feature") });
  repository.commit("Feature");
  repository.git("checkout", "--quiet", "main");
  put(repository, "docs", { body: "## Decisions\n- mainline\n" });
  repository.commit("Mainline");
  expect(await diff(repository, "main..feature")).toContain("~~mainline~~");
  expect(await diff(repository, "main...feature")).not.toContain("mainline");
  expect(await diff(repository, "base")).toContain("**+** mainline");
  expect(await diff(repository, "..feature")).toContain("**+** feature");
  repository.git("rebase", "--quiet", "main", "feature");
  expect(await diff(repository, "main..HEAD")).toBe("## Decisions: App\n\n### auth (`auth`)\n\n- **+** feature\n");
  repository.git("checkout", "--quiet", "main");
  repository.git("merge", "--quiet", "--no-ff", "--no-edit", "feature");
  expect(await diff(repository, "HEAD^1..HEAD")).toContain("**+** feature");
});

test("diff refuses what is no range, with the next step", async () => {
  const repository = repositoryWith({ auth: before });
  for (const words of [
    [],
    ["nope..HEAD"],
    ["base..nope"],
    ["base", "HEAD"],
    ["--stat"],
    ["HEAD:README.md"],
    ["a\u0001b"],
  ]) {
    const { code, stderr } = await run(["diff", ...words], { cwd: repository.top });
    expect([code, stderr.includes("Cannot")]).toEqual([2, true]);
  }
  expect((await run(["diff", "a..b"], { cwd: temporaryFolder() })).code).toBe(1);
});

test("diff lets hostile titles and texts change nothing of the page it is shown in", async () => {
  const repository = repositoryWith({ auth: {} });
  const title = '"# <script>alert(1)</script> [x](javascript:1) `a` | @all"';
  put(repository, "auth", { title, body: "## Decisions\n- a\u001b[31m\u202e <b>x</b>\n" });
  repository.commit("Evil");
  const text = await diff(repository);
  expect(text).toContain("### \\# \\<script\\>alert(1)\\</script\\> \\[x\\](javascript:1) \\`a\\` \\| @all");
  for (const character of ["\u001b", "\u202e"]) expect(text).not.toContain(character);
});
