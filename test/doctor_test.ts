import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMPILED, PROGRAM, run, spawn } from "./support/binary.ts";
import {
  readThread,
  renderThread,
  snapshot,
  type ThreadText,
  threadFile,
  writeProject,
} from "./support/stored_project.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
  readonly remedy: string;
}

interface Report {
  readonly findings: readonly Finding[];
  readonly fixed?: readonly string[];
  readonly [key: string]: unknown;
}

const QUIET = ["no-merge-driver", "not-on-path", "double-registration"];

function repositoryWith(threads: Readonly<Record<string, ThreadText>> = {}): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, threads);
  repository.write(".threadmind/.gitignore", "config.json\nlocal/\n");
  repository.write(".threadmind/.gitattributes", "threads/** merge=threadmind\n");
  repository.commit("Start");
  return repository;
}

/** What `doctor --json` says; a finding about this machine isn't the workspace's. */
async function doctor({ top, home }: GitRepository, ...args: readonly string[]): Promise<Report & { code: number }> {
  const { stdout, code } = await run(["doctor", "--json", ...args], { cwd: top, home });
  const report: Report = JSON.parse(stdout);
  return { ...report, findings: report.findings.filter(({ code }) => !QUIET.includes(code)), code };
}

/** The codes of the findings about a file, or about anything. */
const codesOf = ({ findings }: Report, file?: string): string[] =>
  findings.filter((finding) => file === undefined || finding.file === file).map(({ code }) => code);

test("a sound workspace has nothing to mend, and doctor writes nothing", async () => {
  const repository = repositoryWith({ auth: { body: "## Decisions\n- JWT\n" } });
  const before = snapshot(repository.top);
  const report = await doctor(repository);
  expect([report.findings, report.code]).toEqual([[], 0]);
  expect(report).toMatchObject({
    version: 1,
    workspace: { root: repository.top, reason: "the working directory" },
    git: { top: repository.top, branch: "main", isShallow: false },
    projects: [{ project: "app", threads: 2 }],
  });
  expect(snapshot(repository.top)).toEqual(before);
});

const FINDINGS: Readonly<Record<string, readonly [(repository: GitRepository) => void, string, string, string]>> = {
  "a header that never closes": [
    ({ top }) => writeFileSync(threadFile(top, "auth"), "---\nid: auth\n"),
    "unreadable-file",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "conflict markers": [
    ({ top }) =>
      writeFileSync(threadFile(top, "auth"), renderThread("auth", { body: "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n" })),
    "merge-conflict",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "another id than the file's name": [
    ({ top }) => writeFileSync(threadFile(top, "auth"), renderThread("other", {})),
    "wrong-id",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "ids that differ in case only": [
    ({ top }) => writeFileSync(threadFile(top, "AUTH"), renderThread("AUTH", {})),
    "file-detail",
    "warning",
    ".threadmind/threads/app/auth.md",
  ],
  "a parent that is missing": [
    ({ top }) => writeFileSync(threadFile(top, "auth"), renderThread("auth", { parentId: "gone" })),
    "missing-parent",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "a thread that is its own parent": [
    ({ top }) => writeFileSync(threadFile(top, "auth"), renderThread("auth", { parentId: "auth" })),
    "parent-loop",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "a second root": [
    ({ top }) => writeFileSync(threadFile(top, "auth"), renderThread("auth", { parentId: null })),
    "second-root",
    "note",
    ".threadmind/threads/app/auth.md",
  ],
  "a root that is missing": [
    ({ git }) => git("rm", "--quiet", ".threadmind/threads/app/main.md"),
    "missing-root",
    "error",
    ".threadmind/threads/app/main.md",
  ],
  "a project whose own file vanished": [
    ({ git }) => git("rm", "--quiet", ".threadmind/projects/app.json"),
    "missing-project",
    "error",
    ".threadmind/projects/app.json",
  ],
  "a thread that one side deleted": [
    (repository) => conflict(repository, ({ git }) => git("rm", "--quiet", ".threadmind/threads/app/auth.md")),
    "merge-conflict",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "a thread that a failed merge driver left": [
    (repository) => {
      repository.git("config", "merge.threadmind.driver", "false");
      conflict(repository, ({ top }) => write(top, "theirs"));
    },
    "merge-conflict",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "a project file with conflict markers": [
    ({ write: put }) =>
      put(".threadmind/projects/app.json", '{\n<<<<<<< a\n  "title": "A"\n=======\n  "title": "B"\n>>>>>>> b\n}\n'),
    "merge-conflict",
    "error",
    ".threadmind/projects/app.json",
  ],
  "a secret in a summary": [
    ({ top }) =>
      writeFileSync(threadFile(top, "auth"), renderThread("auth", { body: `token ghp_${"a1".repeat(18)}\n` })),
    "secret",
    "error",
    ".threadmind/threads/app/auth.md",
  ],
  "a summary that no session's start shows whole": [
    ({ top }) => writeFileSync(threadFile(top, "auth"), renderThread("auth", { body: "- x\n".repeat(2500) })),
    "long-summary",
    "warning",
    ".threadmind/threads/app/auth.md",
  ],
  "a path that isn't there": [
    ({ top }) =>
      writeFileSync(
        threadFile(top, "auth"),
        renderThread("auth", {}).replace("\n---\n\n", '\npaths: ["src/gone", ".threadmind"]\n---\n\n'),
      ),
    "unknown-path",
    "warning",
    ".threadmind/threads/app/auth.md",
  ],
  "a project file that is no JSON": [
    ({ top }) => writeFileSync(join(top, ".threadmind/projects/side.json"), "{"),
    "unreadable-file",
    "error",
    ".threadmind/projects/side.json",
  ],
  "a config.json that is no JSON": [
    ({ top }) => writeFileSync(join(top, ".threadmind/config.json"), "{"),
    "config-unreadable",
    "error",
    "",
  ],
  "a config.json that git tracks": [
    ({ write, git }) => {
      write(".threadmind/config.json", "{}\n");
      git("add", "--force", ".threadmind/config.json");
    },
    "config-tracked",
    "warning",
    ".threadmind/config.json",
  ],
  "threads that git ignores": [({ write }) => write(".gitignore", ".threadmind/\n"), "ignored-by-git", "warning", ""],
  "markers that are unbalanced in AGENTS.md": [
    ({ write }) => write("AGENTS.md", "<!-- threadmind:start -->\nx\n"),
    "agents-block",
    "warning",
    "AGENTS.md",
  ],
  "a CLAUDE.md that hides AGENTS.md": [
    ({ write }) => {
      write("AGENTS.md", "<!-- threadmind:start -->\nx\n<!-- threadmind:end -->\n");
      write("CLAUDE.md", "Be brief.\n");
    },
    "agents-block",
    "note",
    "CLAUDE.md",
  ],
  "what a killed process left": [
    ({ write }) => write(".threadmind/local/tmp/4190001-0123456789ab.tmp", "half"),
    "leftover",
    "note",
    ".threadmind/local/tmp/4190001-0123456789ab.tmp",
  ],
};

function write(top: string, text: string): void {
  writeFileSync(threadFile(top, "auth"), renderThread("auth", { body: `## Decisions\n- ${text}\n` }));
}

/** Merges a branch on which `change` was made into main, where the thread auth has another text now: git can't. */
function conflict(repository: GitRepository, change: (repository: GitRepository) => void): void {
  repository.git("checkout", "--quiet", "-b", "side");
  change(repository);
  repository.commit("Side");
  repository.git("checkout", "--quiet", "main");
  write(repository.top, "ours");
  repository.commit("Ours");
  expect(() => repository.git("merge", "--quiet", "side")).toThrow();
}

for (const [name, [arrange, code, severity, file]] of Object.entries(FINDINGS)) {
  test(`doctor finds ${name}, changes nothing, and names the next step`, async () => {
    const repository = repositoryWith({ auth: {} });
    arrange(repository);
    const before = snapshot(repository.top);
    const report = await doctor(repository);
    const found = report.findings.filter((finding) => finding.code === code);
    expect(found.map((finding) => [finding.severity, finding.file ?? ""])).toContainEqual([severity, file]);
    for (const { message, remedy } of found) expect([message, remedy]).not.toContain("");
    expect(report.code).toBe(report.findings.some((finding) => finding.severity === "error") ? 1 : 0);
    expect(snapshot(repository.top)).toEqual(before);
    const { stdout } = await run(["doctor"], { cwd: repository.top, home: repository.home });
    expect(stdout).toContain(found[0]?.message ?? "?");
  });
}

test("a loop of parents is found once, and rebase ends it", async () => {
  const repository = repositoryWith({
    a: { parentId: "c" },
    b: { parentId: "a" },
    c: { parentId: "b" },
    d: { parentId: "a" },
  });
  const report = await doctor(repository);
  expect(codesOf(report)).toEqual(["parent-loop"]);
  const remedy = report.findings[0]?.remedy.replace("threadmind ", "").split(" ") ?? [];
  expect((await run(remedy, { cwd: repository.top, home: repository.home })).code).toBe(0);
  expect(codesOf(await doctor(repository))).toEqual([]);
});

/** A repository with a thread on a feature branch that has a commit, back on main. */
function branched(): GitRepository {
  const repository = repositoryWith({ pay: { branch: "feature/pay", body: "## Decisions\n- cards\n" } });
  repository.git("checkout", "--quiet", "-b", "feature/pay");
  repository.commit("Cards", { "src/pay.ts": "1\n" });
  repository.git("checkout", "--quiet", "main");
  repository.commit("Other work", { "src/other.ts": "1\n" });
  return repository;
}

const MERGES: Readonly<Record<string, (repository: GitRepository) => void>> = {
  merged: ({ git }) => git("merge", "--quiet", "--no-edit", "feature/pay"),
  squashed: ({ git, commit }) => {
    git("merge", "--quiet", "--squash", "feature/pay");
    commit("Pay");
  },
  "cherry-picked": ({ git }) => git("cherry-pick", "feature/pay"),
};

for (const [how, merge] of Object.entries(MERGES)) {
  test(`a thread whose branch was ${how} is to be folded into its parent`, async () => {
    const repository = branched();
    expect(codesOf(await doctor(repository))).toEqual([]);
    merge(repository);
    const report = await doctor(repository);
    expect(report.findings).toMatchObject([
      { code: "branch-merged", severity: "warning", message: "What its branch feature/pay brings is all in main." },
    ]);
    await run(["merge", "pay"], { cwd: repository.top, home: repository.home });
    expect(codesOf(await doctor(repository))).toEqual([]);
  });
}

test("a branch on the default branch's own line, or the one checked out, isn't taken for merged", async () => {
  const fastForwarded = branched();
  fastForwarded.git("rebase", "--quiet", "main", "feature/pay");
  fastForwarded.git("checkout", "--quiet", "main");
  fastForwarded.git("merge", "--quiet", "--ff-only", "feature/pay");
  fastForwarded.commit("Later");
  expect(codesOf(await doctor(fastForwarded))).toEqual([]);
  fastForwarded.git("branch", "--quiet", "-D", "feature/pay");
  expect(codesOf(await doctor(fastForwarded))).toEqual(["branch-gone"]);

  const unused = repositoryWith({ plan: { branch: "feature/plan", body: "## Decisions\n- cards\n" } });
  unused.git("branch", "--quiet", "feature/plan");
  unused.commit("Later");
  unused.git("merge", "--quiet", "--no-ff", "--no-edit", unused.commit("Even later"));
  expect(codesOf(await doctor(unused))).toEqual([]);

  const current = branched();
  current.git("merge", "--quiet", "--no-edit", "feature/pay");
  expect(codesOf(await doctor(current))).toEqual(["branch-merged"]);
  current.git("checkout", "--quiet", "feature/pay");
  expect(codesOf(await doctor(current))).toEqual([]);
});

test("a branch is gone only for a clone that would know of it, and a root thread is only unlinked", async () => {
  const repository = branched();
  const single = join(temporaryFolder(), "single");
  repository.git("clone", "--quiet", "--single-branch", `file://${repository.top}`, single);
  const codes = async (top: string): Promise<string[]> => codesOf(await doctor({ ...repository, top }));
  expect(await codes(single)).toEqual([]);
  const whole = join(temporaryFolder(), "whole");
  repository.git("clone", "--quiet", `file://${repository.top}`, whole);
  expect(await codes(whole)).toEqual([]);
  repository.git("branch", "--quiet", "-D", "feature/pay");
  repository.git("-C", whole, "fetch", "--quiet", "--prune");
  expect([await codes(repository.top), await codes(whole)]).toEqual([["branch-gone"], ["branch-gone"]]);
  writeFileSync(
    threadFile(repository.top, "main"),
    readThread(repository.top, "main").replace("\n---\n\n", "\nbranch: gone\n---\n\n"),
  );
  const { findings } = await doctor(repository);
  const main = findings.find(({ file }) => file?.endsWith("main.md"));
  expect(main).toMatchObject({
    code: "branch-gone",
    remedy: 'threadmind update main --branch ""; if the branch was renamed: threadmind update main --branch NEW',
  });
});

test("a conflict is told once for each file, with its line where there is one, until git has it settled", async () => {
  const repository = repositoryWith({ auth: { body: "## Decisions\n- JWT\n" } });
  repository.write(".threadmind/.gitattributes", "threads/** merge=text\n");
  repository.commit("No driver");
  conflict(repository, ({ top }) => write(top, "theirs"));
  const { findings } = await doctor(repository);
  expect(findings).toMatchObject([{ code: "merge-conflict", message: "It has merge conflicts." }]);
  expect((await run(["check"], { cwd: repository.top, home: repository.home })).code).toBe(3);
  write(repository.top, "both");
  expect((await doctor(repository)).findings).toMatchObject([
    { code: "merge-conflict", remedy: expect.stringMatching(/^threadmind resolve/) },
  ]);
  repository.git("add", "--all");
  expect(codesOf(await doctor(repository))).toEqual([]);
  repository.write(".threadmind/projects/app.json", '{\n<<<<<<< a\n=======\n  "title": "B"\n>>>>>>> b\n}\n');
  expect((await doctor(repository)).findings).toMatchObject([
    { message: "It has merge conflicts.", line: 2, remedy: "Settle it by hand, then git add it." },
  ]);
});

for (const words of [
  ["help", "project"],
  ["project", "--help"],
]) {
  test(`threadmind ${words.join(" ")} lists the verbs of projects`, async () => {
    const { stdout, code } = await run(words);
    expect(code).toBe(0);
    for (const verb of ["create", "list", "switch", "update"]) expect(stdout).toContain(`\n  project ${verb}`);
    const bare = await run(["project"]);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("threadmind project create")]);
  });
}

test("a branch that is new, or that went on after its merge, isn't taken for merged; one that is gone is named", async () => {
  const repository = branched();
  repository.git("checkout", "--quiet", "-b", "feature/new");
  await run(["create", "New"], { cwd: repository.top, home: repository.home });
  repository.git("checkout", "--quiet", "main");
  expect(codesOf(await doctor(repository))).toEqual([]);
  repository.git("merge", "--quiet", "--no-edit", "feature/pay");
  repository.git("checkout", "--quiet", "feature/pay");
  repository.commit("More", { "src/pay.ts": "2\n" });
  repository.git("checkout", "--quiet", "main");
  expect(codesOf(await doctor(repository))).toEqual([]);
  repository.git("branch", "--quiet", "-D", "feature/pay");
  expect((await doctor(repository)).findings).toMatchObject([
    { code: "branch-gone", remedy: expect.stringContaining("threadmind merge pay") },
  ]);
});

test("--fix removes leftovers, sets an unreadable config aside, adds rules, mends headers, and says each", async () => {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body: "## Decisions\n- JWT\n" } });
  const file = threadFile(repository.top, "auth");
  const twice = readThread(repository.top, "auth").replace(
    "updatedAt: ",
    "updatedAt: 2026-01-01T00:00:00.000Z\nupdatedAt: ",
  );
  writeFileSync(file, twice.replace("title: auth", "title: Auth: JWT"));
  repository.write(".threadmind/config.json", '{"author": ');
  repository.write(".threadmind/.gitignore", "mine\n");
  repository.write(".threadmind/local/tmp/4190001-0123456789ab.tmp", "half");
  repository.write(".threadmind/local/4190001-0123456789ab.tmp", "half");
  const { fixed = [], findings } = await doctor(repository, "--fix");
  expect(fixed.join("\n")).toMatch(
    /removed .*tmp\n[\s\S]*set aside[\s\S]*auth\.md[\s\S]*\.gitignore[\s\S]*\.gitattributes/,
  );
  expect(readThread(repository.top, "auth").match(/updatedAt/g)?.length).toBe(1);
  expect(readThread(repository.top, "auth")).toContain('title: "Auth: JWT"');
  expect(repository.read(".threadmind/.gitignore")).toBe("mine\nconfig.json\nlocal/\n");
  expect(repository.read(".threadmind/local/config.json.unreadable")).toBe('{"author": ');
  expect(readdirSync(join(repository.top, ".threadmind/local/tmp"))).toEqual([]);
  expect(findings.map(({ code }) => code)).toEqual(["leftover"]);
  expect((await doctor(repository, "--fix")).fixed).toEqual(["nothing; what is left needs a person."]);
});

test("--fix leaves what needs a person byte for byte", async () => {
  const repository = repositoryWith({ a: { parentId: "b" }, b: { parentId: "a" } });
  writeFileSync(threadFile(repository.top, "bad"), "---\nid: bad\n");
  writeFileSync(threadFile(repository.top, "other"), renderThread("mine", {}));
  writeFileSync(
    threadFile(repository.top, "torn"),
    renderThread("torn", { body: "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n" }),
  );
  const threads = (): Record<string, string> => snapshot(join(repository.top, ".threadmind/threads"));
  const before = threads();
  expect((await doctor(repository, "--fix")).code).toBe(1);
  expect(threads()).toEqual(before);
});

test.skipIf(!COMPILED)("doctor runs both hooks, without leaving a session", async () => {
  const repository = repositoryWith({ auth: {} });
  const { hooks } = (await doctor(repository)) as unknown as { hooks: { event: string; characters: number }[] };
  expect(hooks.map(({ event }) => event)).toEqual(["session-start", "session-end"]);
  const { stdout } = await run(["context"], { cwd: repository.top, home: repository.home });
  expect(hooks[0]?.characters).toBe(stdout.trimEnd().length);
  expect(existsSync(join(repository.top, ".threadmind/config.json"))).toBe(false);
  expect(existsSync(join(repository.top, ".threadmind/local"))).toBe(false);
});

test.skipIf(!COMPILED)(
  "doctor says when no threadmind is on PATH, another one is, or Claude Code starts it twice",
  async () => {
    const repository = repositoryWith();
    const codes = async (path: string): Promise<string[]> => {
      const env = environment(repository.home, { PATH: path });
      const { stdout } = await spawn([...PROGRAM, "doctor", "--json"], { cwd: repository.top, env });
      return (JSON.parse(stdout) as Report).findings
        .map(({ code }) => code)
        .filter((code) => code !== "no-merge-driver");
    };
    const own = dirname(PROGRAM[0] ?? "");
    expect(await codes(`${own}:${process.env.PATH}`)).toEqual([]);
    const other = temporaryFolder("bin");
    writeFileSync(join(other, "threadmind"), "#!/bin/sh\n", { mode: 0o755 });
    expect(await codes(`${other}:${process.env.PATH}`)).toEqual(["not-on-path"]);
    const servers = { "thread-mind": { command: "npx", args: ["-y", "thread-mind-mcp"] } };
    writeFileSync(join(repository.home, ".claude.json"), JSON.stringify({ mcpServers: servers }));
    const hooks = {
      SessionStart: [{ hooks: [{ type: "command", command: "threadmind", args: ["hook", "session-start"] }] }],
    };
    const settings = join(repository.home, ".claude/settings.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ hooks }));
    expect(await codes(`${own}:${process.env.PATH}`)).toEqual([]);
    writeFileSync(settings, JSON.stringify({ enabledPlugins: { "thread-mind@thread-mind": true } }));
    expect(await codes(`${own}:${process.env.PATH}`)).toEqual(["double-registration"]);
  },
);

test("outside a workspace, and with wrong words, doctor says so", async () => {
  const folder = temporaryFolder();
  const outside = await run(["doctor"], { cwd: folder });
  expect([outside.code, outside.stderr.includes("it has no .threadmind/")]).toEqual([1, true]);
  expect((await run(["doctor", "--fx"], { cwd: folder })).code).toBe(2);
  mkdirSync(join(folder, ".threadmind"));
  const empty = await run(["doctor"], { cwd: folder });
  expect([empty.code, empty.stdout.includes("none yet: threadmind project create TITLE")]).toEqual([0, true]);
});
