import { expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
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
  const [legend = "", ...rest] = stdout.split("\n\n");
  if (rest.length === 0) return stdout;
  // The first line explains the marks to whoever never saw them.
  expect(legend).toMatch(/^_.*\*\*\+\*\* added, \*\*−\*\* struck.*, \*\*→\*\* moved.*_$/);
  return rest.join("\n\n");
}

const before: ThreadText = { body: "## Decisions\n- JWT\n- Redis\n\n## Constraints\n- fast\n\n## State\n- begun\n" };

type Case = readonly [name: string, change: (repository: GitRepository) => void, expected: string];

const CASES: readonly Case[] = [
  ["nothing", () => undefined, "No decision changed.\n"],
  ["code alone", ({ write }) => write("src/a.ts", "1\n"), "No decision changed.\n"],
  ["stamps alone", (on) => put(on, "auth", before, `commit: ${"a".repeat(40)}`), "No decision changed.\n"],
  [
    "decisions added and struck",
    (on) =>
      put(on, "auth", {
        body: "## Decisions\n- Redis\n- Argon2\n\n## Constraints\n- fast\n- cheap\n\n## State\n- begun\n",
      }),
    "## Decisions: App\n\n### auth (`auth`)\n\n- **+** Argon2\n- **+** constraint: cheap\n- **−** struck: JWT\n",
  ],
  [
    "a decision moved to another thread",
    (on) => {
      put(on, "auth", { body: "## Decisions\n- JWT\n\n## Constraints\n- fast\n\n## State\n- begun\n" });
      put(on, "pay", { body: "## Decisions\n- cards\n-   Redis\n" });
    },
    "## Decisions: App\n\n### auth (`auth`)\n\n- **→** Redis (now in `pay`)\n\n### pay (`pay`)\n\n- **→** Redis (from `auth`)\n",
  ],
  [
    "a decision that became a constraint, and the other way round",
    (on) => put(on, "auth", { body: "## Decisions\n- Redis\n- fast\n\n## Constraints\n- JWT\n\n## State\n- begun\n" }),
    "## Decisions: App\n\n### auth (`auth`)\n\n- **→** JWT (now a constraint)\n- **→** constraint: fast (now a decision)\n",
  ],
  [
    "a decision that is a constraint of another thread now",
    (on) => {
      put(on, "auth", { body: (before.body ?? "").replace("- JWT\n", "") });
      put(on, "pay", { body: "## Decisions\n- cards\n\n## Constraints\n- JWT\n" });
    },
    "## Decisions: App\n\n### auth (`auth`)\n\n- **→** JWT (now a constraint in `pay`)\n\n### pay (`pay`)\n\n- **→** constraint: JWT (from `auth`, where it was a decision)\n",
  ],
  [
    "text in a section of another name",
    (on) => put(on, "auth", { body: `${before.body}\n## Notes\n- see RFC 1\n` }),
    "## Decisions: App\n\n### auth (`auth`)\n\n- also changed: other text\n",
  ],
  [
    "a link to a branch",
    (on) => put(on, "auth", { ...before, branch: "feature/auth" }),
    "## Decisions: App\n\n### auth (`auth`, now for the branch `feature/auth`)\n",
  ],
  [
    "what a thread is about",
    (on) => put(on, "auth", before, "paths: [src/api, src/web]"),
    "## Decisions: App\n\n### auth (`auth`, now about `src/api`, `src/web`)\n",
  ],
  [
    "which lines came from a merged thread",
    (on) => {
      put(on, "auth", { ...before, status: "done" }, "mergedInto: pay");
      put(on, "pay", { body: "## Decisions\n- cards\n- JWT\n- Redis (from auth)\n- own\n" });
    },
    "## Decisions: App\n\n### auth (`auth`, merged into `pay`)\n\n### pay (`pay`)\n\n- **+** JWT (from `auth`)\n- **+** Redis (from auth)\n- **+** own\n",
  ],
  [
    "a bullet that only looks like a reason",
    (on) =>
      put(on, "auth", {
        ...before,
        status: "done",
        body: (before.body ?? "").replace("- Redis", "- Redis\n- Done: all\n  - and no more reviews\n- Done: shipped"),
      }),
    "## Decisions: App\n\n### auth (`auth`, done)\n\n> shipped\n\n- **+** Done: all\n    - and no more reviews\n",
  ],
  [
    "a thread that nobody owns any more",
    ({ top }) => writeFileSync(threadFile(top, "auth"), readThread(top, "auth").replace(/author: .*\n/, "")),
    "## Decisions: App\n\n### auth (`auth`, no longer `sam-doe-b3c8`'s)\n",
  ],
  [
    "the layout alone",
    (on) => put(on, "auth", { body: (before.body ?? "").replace("- JWT\n", "- JWT\n\n") }),
    "No decision changed.\n",
  ],
  [
    "decisions of several lines, struck and moved",
    (on) => {
      put(on, "pay", { body: "## Decisions\n- two\n  lines\n" });
      put(on, "auth", before);
    },
    "## Decisions: App\n\n### pay (`pay`)\n\n- **+** two\n    lines\n- **−** struck: cards\n",
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
    "## Decisions: App\n\n### auth (`auth`, deleted)\n\n- **−** struck: JWT\n- **−** struck: Redis\n- **−** struck constraint: fast\n\n### new (`new`, new, below `pay`, branch `feature/new`)\n\n- **+** a\n    - b\n",
  ],
  [
    "a file that can't be read any more",
    ({ top }) => writeFileSync(threadFile(top, "auth"), "---\nid: auth\n"),
    "## Decisions: App\n\n### auth (`auth`)\n\n_Its file is no thread's that can be read (line 1): Its header never closes._\n",
  ],
  [
    "a file that is a link now",
    ({ top, git }) => {
      git("rm", "--quiet", ".threadmind/threads/app/pay.md");
      symlinkSync("../../../docs/pay.md", threadFile(top, "pay"));
    },
    "## Decisions: App\n\n### pay (`pay`)\n\n_Its file is no thread's that can be read (line 1): It is a link to ../../../docs/pay.md, whose text isn't shown here._\n",
  ],
  [
    "a file with merge conflicts",
    ({ top }) =>
      writeFileSync(
        threadFile(top, "auth"),
        `${readThread(top, "auth")}<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n`,
      ),
    "## Decisions: App\n\n### auth (`auth`)\n\n_Its file has merge conflicts (line 19)._\n",
  ],
  [
    "a file whose header is gone, and the text that stays",
    ({ top }) => writeFileSync(threadFile(top, "pay"), "garbage"),
    "## Decisions: App\n\n### pay (`pay`)\n\n_Its file is text without a header now: its title, parent and status are those of no thread. Sessions may still read the text._\n\n- **+** garbage\n- **−** struck: cards\n",
  ],
  [
    "the same text in another form",
    (on) =>
      put(on, "auth", {
        body: (before.body ?? "").replace("- JWT\n- Redis", "*  JWT\n\n*  Redis").replaceAll("\n", "\r\n"),
      }),
    "No decision changed.\n",
  ],
];

for (const [name, change, expected] of CASES) {
  test(`diff shows ${name}`, async () => {
    const repository = repositoryWith({ auth: before, pay: { body: "## Decisions\n- cards\n" } });
    change(repository);
    repository.commit("Change");
    expect(await diff(repository)).toBe(expected);
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
  expect(await diff(repository, "main..feature")).toContain("**−** struck: mainline");
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

test("diff says of whatever is struck that it is, in the same words", async () => {
  const decisions = "## Decisions\n- one ~~two~~ `~/x`\n- first\n  - second\n- up\n  down\n";
  const repository = repositoryWith({ auth: { body: `${decisions}\n## Constraints\n- a\n  b\n` }, pay: {} });
  put(repository, "auth", {});
  put(repository, "pay", { body: "## Decisions\n- up\n  down\n" });
  repository.commit("Change");
  expect(await diff(repository)).toContain(
    [
      ...["- **−** struck: one ~~two~~ `~/x`", "- **−** struck: first", "    - second"],
      ...["- **→** up (now in `pay`)", "    down", "- **−** struck constraint: a", "    b"],
    ].join("\n"),
  );
});

test("diff makes no heading of its page of what a decision holds", async () => {
  const repository = repositoryWith({ auth: {} });
  const units = [
    ...["- one\n  ===\n", "- two\n  # h\n\n  ## h\n", "- three\n  - four\n    ---\n", "> # h\n> five\n> -\n"],
    ...["Six\n---\n", "### Seven\n", "- code\n  ```sh\n  # a comment\n  ```\n"],
  ];
  put(repository, "auth", { body: `## Decisions\n${units.join("\n")}` });
  repository.commit("Change");
  const text = await diff(repository);
  const headings = [...Bun.markdown.html(text).matchAll(/<h[1-6]/g)];
  expect([headings.length, text]).toEqual([2, expect.stringContaining("    # a comment\n")]);
});

test("diff shows HTML as text, so that none hides what follows, and code as it is", async () => {
  const repository = repositoryWith({ auth: {} });
  const units = [
    ...["- <!-- one\n", "- two\n  <!--\n", "- Map<string> and `Set<a>` and <https://example.org>\n", "<details>\n"],
    ...["- three `a\n  b` <plaintext> `c`\n", "- `` four ` <script> ``\n", "- \\` five ` <style> `\n"],
    ...["- code\n  ```html\n  <div>\n  ```\n", "- six\n\n  ```\n     ```\n  ```\n  <!-- six\n"],
    ...["- seven\n  - eight\n\n        <b>\n", "- ~~~ ~~~\n  <!-- nine\n  ~~~\n", "- > ```\n  > x\n\n  <!-- ten\n"],
  ];
  put(repository, "auth", { body: `## Decisions\n${units.join("\n")}` });
  repository.commit("Evil");
  const text = await diff(repository);
  for (const html of [Bun.markdown.html(text), await marked.parse(text)]) {
    expect(html.match(/<(?!\/?(?:h[23]|p|ul|li|code|pre|strong|blockquote|a|del)[ >])[a-z!/?][^>]*>?/gi)).toBeNull();
    expect(html).toContain("Map&lt;string&gt; and <code>Set&lt;a&gt;</code>");
    expect(html).toContain('<code class="language-html">&lt;div&gt;\n</code>');
  }
});

test("diff refuses A...B where the two have no commit in common", async () => {
  const repository = repositoryWith({ auth: before });
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.commit("Feature");
  repository.git("checkout", "--quiet", "main");
  repository.commit("Mainline");
  const clone = join(temporaryFolder(), "clone");
  const options = ["--quiet", "--depth", "1", "--no-single-branch"];
  repository.git("clone", ...options, `file://${repository.top}`, clone);
  const shallow = await run(["diff", "origin/main...origin/feature"], { cwd: clone, home: repository.home });
  expect([shallow.code, shallow.stderr.includes("fetch-depth: 0")]).toEqual([2, true]);
  repository.git("checkout", "--quiet", "--orphan", "alone");
  repository.commit("Alone");
  const orphan = await run(["diff", "main...alone"], { cwd: repository.top, home: repository.home });
  expect([orphan.code, orphan.stderr.includes("main..HEAD")]).toEqual([2, true]);
});

test("diff --json names the section that a decision moved to", async () => {
  const repository = repositoryWith({ auth: before });
  put(repository, "auth", { body: (before.body ?? "").replace("- JWT\n", "").replace("- fast", "- fast\n- JWT") });
  repository.commit("Change");
  const { stdout } = await run(["diff", "base..HEAD", "--json"], { cwd: repository.top, home: repository.home });
  expect(JSON.parse(stdout).projects[0].threads[0].decisions).toEqual([
    { kind: "moved", section: "Decisions", text: "- JWT", toSection: "Constraints" },
  ]);
});

test("diff lets hostile titles and texts change nothing of the page it is shown in", async () => {
  const repository = repositoryWith({ auth: {} });
  const title = '"# <script>alert(1)</script> [x](javascript:1) `a` | @all"';
  put(repository, "auth", { title, body: "## Decisions\n- a\u001b[31m\u202e <b>x</b>\n" });
  repository.commit("Evil");
  const text = await diff(repository);
  expect(text).toContain("### \\# \\<script\\>alert(1)\\</script\\> \\[x\\](javascript:1) \\`a\\` \\| @\u2060all");
  for (const character of ["\u001b", "\u202e"]) expect(text).not.toContain(character);
});
