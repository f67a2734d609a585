import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository } from "./support/temp.ts";

const PROJECT = ".threadmind/projects/app.json";

function repositoryWithProject(): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body: "## Decisions\n- JWT\n" } });
  repository.commit("Start");
  repository.git("tag", "base");
  return repository;
}

function settings({ read, write }: GitRepository, values: Readonly<Record<string, unknown>>): void {
  write(PROJECT, `${JSON.stringify({ ...JSON.parse(read(PROJECT)), ...values })}\n`);
}

interface Shown {
  readonly text: string;
  readonly projects: readonly Record<string, unknown>[];
}

async function diff({ top, home }: GitRepository, ...options: readonly string[]): Promise<Shown> {
  const [plain, json] = await Promise.all([
    run([...options, "diff", "base"], { cwd: top, home }),
    run([...options, "diff", "base", "--json"], { cwd: top, home }),
  ]);
  if (plain.code !== 0 || json.code !== 0) throw new Error(plain.stderr + json.stderr);
  return {
    text: plain.stdout.slice(plain.stdout.indexOf("\n\n") + 2),
    projects: JSON.parse(json.stdout).projects,
  };
}

const READ_FIRST = "**The system context, which every session reads first,";

type Case = readonly [what: string, change: (on: GitRepository) => void, text: string, json: Record<string, unknown>];

const CASES: readonly Case[] = [
  [
    "a new system context",
    (on) => settings(on, { systemContext: "Be brief.\nUse <b>TypeScript</b>, @all." }),
    `## Decisions: App\n\n${READ_FIRST} is new:**\n\n\`\`\`diff\n+ Be brief.\n+ Use <b>TypeScript</b>, @all.\n\`\`\`\n`,
    { kind: "changed", systemContext: { from: "", to: "Be brief.\nUse <b>TypeScript</b>, @all." } },
  ],
  [
    "another mode and title",
    (on) => settings(on, { mode: "team", title: "Shop" }),
    "## Decisions: Shop (`app`, was “App”, mode `solo` → `team`)\n",
    { title: "Shop", renamedFrom: "App", mode: { from: "solo", to: "team" } },
  ],
  [
    "another root thread",
    (on) => settings(on, { rootThreadId: "auth" }),
    "## Decisions: App (root thread `main` → `auth`)\n",
    { rootThread: { from: "main", to: "auth" } },
  ],
  [
    "a new project",
    ({ top, write }) => {
      writeProject(top, {}, { id: "pay", title: "Pay" });
      write(".threadmind/projects/pay.json", '{"id":"pay","title":"Pay","mode":"team","systemContext":"No cards."}\n');
    },
    `## Decisions: Pay (\`pay\`, new project, mode \`solo\` → \`team\`)\n\n${READ_FIRST} is new:**\n\n\`\`\`diff\n+ No cards.\n\`\`\`\n\n### Pay (\`main\`, new)\n`,
    { id: "pay", kind: "added", systemContext: { from: "", to: "No cards." } },
  ],
  [
    "a project that was deleted",
    ({ top }) => {
      rmSync(join(top, PROJECT));
      rmSync(join(top, ".threadmind/threads/app"), { recursive: true });
    },
    "## Decisions: App (`app`, project deleted)\n\n### auth (`auth`, deleted)\n\n- **−** struck: JWT\n\n### App (`main`, deleted)\n",
    { id: "app", kind: "removed" },
  ],
  [
    "a project of which only the file was deleted",
    ({ top }) => rmSync(join(top, PROJECT)),
    "## Decisions: App\n\n**Its file `.threadmind/projects/app.json` is gone, so sessions don't find the project; its threads' files stay.**\n",
    { kind: "changed", file: "missing" },
  ],
  [
    "a project whose file can't be read any more",
    ({ write }) => write(PROJECT, "{"),
    "## Decisions: App\n\n**Its file `.threadmind/projects/app.json` can't be read any more, so no session can use the project.**\n",
    { kind: "changed", file: "damaged" },
  ],
];

for (const [what, change, text, json] of CASES) {
  test(`diff shows ${what}, in Markdown and as JSON`, async () => {
    const repository = repositoryWithProject();
    change(repository);
    repository.commit("Change");
    const shown = await diff(repository);
    expect(shown.text).toBe(text);
    expect(shown.projects).toEqual([expect.objectContaining(json)]);
  });
}

test("diff shows every line of a system context, none beyond a page's width, and none ends the block they stand in", async () => {
  const repository = repositoryWithProject();
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
  settings(repository, { systemContext: `Kept\n${words}\nAlso kept` });
  repository.commit("One");
  repository.git("tag", "--force", "base");
  settings(repository, { systemContext: `Kept\n\`\`\`\n# Not a heading\u202e\n${"x".repeat(150)}\nAlso kept` });
  repository.commit("Two");
  const { text } = await diff(repository);
  const [fence = "", ...lines] = text.split("\n").slice(4, -2);
  expect(fence).toBe("````diff");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(102);
  expect(
    lines
      .filter((line) => line.startsWith("- "))
      .map((line) => line.slice(2))
      .join(" "),
  ).toBe(words);
  const others = lines.filter((line) => !line.startsWith("- "));
  expect(others).toEqual([
    "  Kept",
    "+ ```",
    "+ # Not a heading",
    `+ ${"x".repeat(100)}`,
    `+ ${"x".repeat(50)}`,
    "  Also kept",
  ]);
});

test("diff refuses where neither the commits nor the working tree have a workspace", async () => {
  const repository = gitRepository();
  repository.commit("Start", { "a.txt": "1" });
  writeProject(join(repository.top, "sub"));
  repository.commit("Below");
  const refused = await run(["diff", "HEAD~1..HEAD"], { cwd: repository.top, home: repository.home });
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("neither of them has a .threadmind/");
  expect(refused.stderr).toContain("--root DIR");
  const found = await run(["diff", "HEAD~1..HEAD"], { cwd: join(repository.top, "sub"), home: repository.home });
  expect([found.code, found.stdout.includes("new project")]).toEqual([0, true]);
});

test("diff shows a workspace's first commit, and its removal, from the folder that had it", async () => {
  const repository = gitRepository();
  repository.commit("Start", { "sub/a.txt": "1" });
  const inner = join(repository.top, "sub");
  writeProject(inner, { auth: {} });
  repository.commit("First");
  rmSync(join(inner, ".threadmind"), { recursive: true });
  repository.commit("Removed");
  mkdirSync(join(inner, "deep"));
  for (const cwd of [inner, join(inner, "deep")])
    for (const [range, word] of [
      ["HEAD~2..HEAD~1", "new project"],
      ["HEAD~1..HEAD", "project deleted"],
    ] as const) {
      const { stdout, code } = await run(["diff", range], { cwd, home: repository.home });
      expect([range, code, stdout.includes(`(\`app\`, ${word})`)]).toEqual([range, 0, true]);
    }
  expect((await run(["diff", "HEAD~2..HEAD~2"], { cwd: inner, home: repository.home })).code).toBe(1);
});

test("diff shows what a file says that couldn't be read before", async () => {
  const repository = repositoryWithProject();
  const text = "---\nid: auth\ntitle: auth\nparentId: main\n---\n\n## Decisions\n- JWT\n- no reviews\n";
  writeFileSync(threadFile(repository.top, "auth"), "---\nid: auth\n");
  repository.commit("Damage");
  repository.git("tag", "--force", "base");
  writeFileSync(threadFile(repository.top, "auth"), text);
  repository.commit("Repair");
  expect((await diff(repository)).text).toBe(
    "## Decisions: App\n\n### auth (`auth`)\n\n_Its file could not be read before; all of its decisions are shown as new._\n\n- **+** JWT\n- **+** no reviews\n",
  );
});
