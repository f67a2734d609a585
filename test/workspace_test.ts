import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPILED, PROGRAM, run, spawn, TOP } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome, type Variables } from "./support/temp.ts";

interface Start {
  readonly cwd: string;
  readonly home?: string;
  readonly env?: Variables;
  readonly args?: readonly string[];
}

/** The workspace that a command line started like this works in, or the code of its refusal. */
async function workspaceOf({ args = [], ...options }: Start): Promise<string> {
  const { stdout } = await run(["project", "list", "--json", ...args], options);
  const { workspace, error } = JSON.parse(stdout);
  return workspace ?? error.code;
}

/** A repository with a sub-folder, and a workspace at its top where asked. */
function repository({ hasWorkspace = true } = {}): { readonly top: string; readonly sub: string } {
  const { top } = gitRepository();
  const sub = join(top, "src/deep");
  mkdirSync(sub, { recursive: true });
  if (hasWorkspace) writeProject(top);
  return { top, sub };
}

test("--root and THREADMIND_ROOT name the workspace exactly, whatever is above it", async () => {
  const { top, sub } = repository();
  const home = temporaryHome();
  mkdirSync(join(home, "notes"));
  const table: readonly (readonly [given: string, expected: string])[] = [
    [sub, sub],
    [`${sub}/`, sub],
    [top, top],
    ["deep", sub],
    ["..", top],
    [".", join(top, "src")],
    ["~/notes", join(home, "notes")],
    ["~", "no-workspace"],
    ["", top],
    ["  ", top],
    ["/no/such/folder", "no-workspace"],
    ["~nobody", "no-workspace"],
    [join(top, ".threadmind/projects/app.json"), "no-workspace"],
  ];
  const found = await Promise.all(
    table.map(async ([given]) => {
      const cwd = join(top, "src");
      const byOption = await workspaceOf({ cwd, home, args: ["--root", given] });
      const byVariable = await workspaceOf({ cwd, home, env: { THREADMIND_ROOT: given } });
      return [given, byOption, byVariable];
    }),
  );
  expect(found).toEqual(table.map(([given, expected]) => [given, expected, expected]));
});

test("--root goes before THREADMIND_ROOT, that before CLAUDE_PROJECT_DIR, that before the working directory", async () => {
  const [a, b, c, d] = [repository(), repository(), repository(), repository()];
  const env = { THREADMIND_ROOT: b.top, CLAUDE_PROJECT_DIR: c.top };
  expect(await workspaceOf({ cwd: d.top, env, args: ["--root", a.top] })).toBe(a.top);
  expect(await workspaceOf({ cwd: d.top, env })).toBe(b.top);
  expect(await workspaceOf({ cwd: d.top, env: { ...env, THREADMIND_ROOT: "" } })).toBe(c.top);
  expect(await workspaceOf({ cwd: d.top, env: { CLAUDE_PROJECT_DIR: c.sub } })).toBe(c.top);
  expect(await workspaceOf({ cwd: d.top, env: { CLAUDE_PROJECT_DIR: "" } })).toBe(d.top);
  expect(await workspaceOf({ cwd: d.top, env: { CLAUDE_PROJECT_DIR: join(d.top, "gone") } })).toBe(d.top);
});

test("-C changes the directory that the walk and relative roots start at", async () => {
  const { top, sub } = repository();
  const elsewhere = temporaryFolder();
  expect(await workspaceOf({ cwd: elsewhere, args: ["-C", sub] })).toBe(top);
  expect(await workspaceOf({ cwd: top, args: ["-C", "src/deep"] })).toBe(top);
  expect(await workspaceOf({ cwd: elsewhere, args: ["-C", top, "--root", "src"] })).toBe(join(top, "src"));
  expect(await workspaceOf({ cwd: top, args: ["-C", join(top, "gone")] })).toBe("no-workspace");
});

test("a root that doesn't exist is named in the error and not made", async () => {
  const gone = join(temporaryFolder(), "gone");
  const { stderr, code } = await run(["tree", "--root", gone]);
  expect(stderr).toBe(
    `threadmind: Cannot use --root ${JSON.stringify(gone)}: there is no such folder.\nMake the folder, or correct --root.\n`,
  );
  expect(code).toBe(1);
  expect(existsSync(gone)).toBe(false);
});

test("the walk goes up to the nearest .threadmind and no further than the repository's top", async () => {
  const outer = temporaryFolder();
  writeProject(outer);
  const { top } = gitRepository({ top: join(outer, "repo") });
  mkdirSync(join(top, "packages/a/src"), { recursive: true });
  expect(await workspaceOf({ cwd: join(top, "packages/a/src") })).toBe(top);
  writeProject(top);
  expect(await workspaceOf({ cwd: join(top, "packages/a/src") })).toBe(top);
  writeProject(join(top, "packages/a"));
  expect(await workspaceOf({ cwd: join(top, "packages/a/src") })).toBe(join(top, "packages/a"));
  expect(await workspaceOf({ cwd: join(top, "packages") })).toBe(top);
});

test("without a repository the walk ends below the home folder, and a new workspace is where one stands", async () => {
  const home = temporaryHome();
  mkdirSync(join(home, "work/app/src"), { recursive: true });
  writeProject(home);
  expect(await workspaceOf({ cwd: join(home, "work/app/src"), home })).toBe(join(home, "work/app/src"));
  writeProject(join(home, "work"));
  expect(await workspaceOf({ cwd: join(home, "work/app/src"), home })).toBe(join(home, "work"));
  expect(await workspaceOf({ cwd: home, home })).toBe("no-workspace");
});

test("a new workspace is made at the repository's top, and under a versioned home in the folder itself", async () => {
  const { top, sub } = repository({ hasWorkspace: false });
  expect((await run(["project", "create", "App"], { cwd: sub })).stdout).toBe(
    `Created the project app in ${top}. Active thread: main, its root.\n`,
  );
  expect(existsSync(join(top, ".threadmind/projects/app.json"))).toBe(true);
  const home = temporaryHome();
  gitRepository({ top: home, home });
  mkdirSync(join(home, "notes"));
  expect(await workspaceOf({ cwd: home, home })).toBe("no-workspace");
  expect(await workspaceOf({ cwd: join(home, "notes"), home })).toBe(join(home, "notes"));
});

const OWN_CALLS = [
  ["check"],
  ["diff", "a..b"],
  ["doctor"],
  ["resolve"],
  ["view"],
  ["import", "claude-md", join(TOP, "README.md")],
];
const SHELL_WORDS =
  "threadmind: Cannot tell which folder is the workspace: the current folder (or that of -C) is in no project, and none is made in /, the home folder or the program's own folder.\nRun it inside your project's folder, or give that with -C DIR or --root DIR.\n";

test("a server that knows no workspace speaks of its client, and a shell's call of the folder", async () => {
  const home = temporaryHome();
  const { call, close } = await openClient({ cwd: home, home });
  for (const [tool, input] of [
    ["thread_list", {}],
    ["project_create", { title: "App" }],
  ] as const) {
    const { text, isError } = await call(tool, input);
    expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining("the client named no root")]);
    expect(text).toContain("Set THREADMIND_ROOT to your project's folder in the client's configuration");
  }
  await close();
});

test("the top of the disk, the home folder, a plugin's folder and the program's own are never a workspace", async () => {
  const home = temporaryHome();
  const plugin = temporaryFolder("plugin");
  mkdirSync(join(plugin, "commands"));
  const bin = temporaryFolder("bin");
  const program = join(bin, "threadmind");
  copyFileSync(PROGRAM.at(-1) ?? "", program);
  const env = environment(home, { CLAUDE_PLUGIN_ROOT: plugin });
  const places = ["/", home, plugin, join(plugin, "commands"), ...(COMPILED ? [bin] : [])];
  const before = places.map((place) => (place === "/" ? existsSync("/.threadmind") : snapshot(place)));
  for (const cwd of places) {
    const command = cwd === bin ? [program] : PROGRAM;
    for (const words of [["tree"], ["context"], ["project", "list"], ["project", "create", "App"], ...OWN_CALLS]) {
      const { stderr, code } = await spawn([...command, ...words], { cwd, env, stdin: "# A\n" });
      expect([words, stderr]).toEqual([words, SHELL_WORDS]);
      expect(code).toBe(1);
    }
  }
  expect(places.map((place) => (place === "/" ? existsSync("/.threadmind") : snapshot(place)))).toEqual(before);
  rmSync(program);
});

test("a root given by name makes no workspace of the home folder either, but uses one that is there", async () => {
  const home = temporaryHome();
  const before = snapshot(home);
  const { stderr, code } = await run(["project", "create", "App", "--root", "~"], { cwd: home, home });
  expect(stderr).toBe(
    `threadmind: Cannot use --root "~": no workspace is made in /, the home folder or a plugin's own folder.
Give the folder of your project.
`,
  );
  expect(code).toBe(1);
  expect(snapshot(home)).toEqual(before);
  writeProject(home);
  expect((await run(["tree", "--root", "~"], { cwd: home, home })).stdout).toBe("main ← active\n");
});

test("reading in a folder without a workspace creates nothing", async () => {
  const { top } = gitRepository();
  const before = snapshot(top);
  for (const words of [["tree"], ["context"], ["project", "list"], ["show", "main"], ["switch", "main"], ["verify"]]) {
    const { stdout, stderr } = await run(words, { cwd: top });
    expect(`${stdout}${stderr}`).toMatch(/No projects in|has no ThreadMind project/);
  }
  expect(snapshot(top)).toEqual(before);
});

test("a linked worktree has its own threads and its own active thread", async () => {
  const repo = gitRepository();
  writeProject(repo.top, { auth: {}, pay: {} });
  repo.commit("Start");
  const linked = join(temporaryFolder(), "linked");
  repo.git("worktree", "add", "--quiet", "-b", "feature/pay", linked);
  rmSync(threadFile(linked, "auth"));
  await run(["switch", "auth"], { cwd: repo.top });
  await run(["switch", "pay"], { cwd: linked });
  expect(await workspaceOf({ cwd: linked })).toBe(linked);
  expect((await run(["tree"], { cwd: linked })).stdout).toBe("main\n└── pay ← active\n");
  expect((await run(["tree"], { cwd: repo.top })).stdout).toBe("main\n├── auth ← active\n└── pay\n");
});

test("a submodule is a workspace of its own", async () => {
  const library = gitRepository();
  library.commit("Start", { "lib.ts": "" });
  const repo = gitRepository();
  writeProject(repo.top);
  repo.git("submodule", "--quiet", "add", library.top, "vendor/lib");
  const inside = join(repo.top, "vendor/lib");
  expect(await workspaceOf({ cwd: inside })).toBe(inside);
  const { stdout } = await run(["tree", "--json"], { cwd: inside });
  expect(JSON.parse(stdout).error.code).toBe("no-project");
  writeProject(inside, {}, { id: "lib" });
  expect(JSON.parse((await run(["tree", "--json"], { cwd: inside })).stdout).project).toBe("lib");
});

test(".threadmind as a file is said, and left alone", async () => {
  const { top } = gitRepository();
  writeFileSync(join(top, ".threadmind"), "mine\n");
  const before = snapshot(top);
  const { stderr, code } = await run(["project", "create", "App"], { cwd: top });
  expect(stderr).toContain(`Cannot make the folder ${join(top, ".threadmind")}: a file stands`);
  expect(code).toBe(1);
  expect(snapshot(top)).toEqual(before);
});
