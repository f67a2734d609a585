import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { renderTarGz } from "../../build/archive.ts";
import manifest from "../../package.json" with { type: "json" };
import { type Result, spawn, TOP } from "../support/binary.ts";
import { renderThread, writeProject } from "../support/stored_project.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder } from "../support/temp.ts";
import { programOf, testUnless } from "./built.ts";
import { openMirror, withSums } from "./mirror.ts";

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const action: { inputs: Record<string, { default: string }>; runs: { using: string; steps: Step[] } } = parse(
  readFileSync(join(TOP, "action.yml"), "utf8"),
);

const isHere = process.platform === "linux" && process.arch === "x64";
const testHere = testUnless(isHere ? undefined : "the program is for Linux on x64", "the action for CI");
const mirror = openMirror(new Map());
afterAll(() => mirror.close());

interface Outcome {
  readonly results: readonly Result[];
  readonly codes: readonly number[];
  readonly summary: string;
  /** what all steps printed */
  readonly output: string;
}

/**
 * Runs the action's steps as a runner does: expressions into variables, variables into a script, until one fails; but for
 * the first step, which installs the program, unless that is asked for.
 */
async function runAction(
  repository: GitRepository,
  expressions: Record<string, string>,
  { installs = false } = {},
): Promise<Outcome> {
  const runner = temporaryFolder("runner");
  const files = { GITHUB_ENV: "env", GITHUB_PATH: "path", GITHUB_STEP_SUMMARY: "summary" };
  for (const name of Object.values(files)) writeFileSync(join(runner, name), "");
  const fileOf = Object.fromEntries(Object.entries(files).map(([key, name]) => [key, join(runner, name)]));
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, input.default])),
    ...expressions,
  };
  const evaluate = (text: string): string =>
    text.replace(
      /\$\{\{ (.+?) \}\}/g,
      (_, expression: string) =>
        expression
          .split(" || ")
          .map((name) => values[name] ?? "")
          .find((value) => value !== "") ?? "",
    );
  const results: Result[] = [];
  const [install, ...others] = action.runs.steps;
  if (install === undefined) throw new Error("The action has no steps");
  if (!installs) writeFileSync(join(runner, "path"), `${dirname(programOf("linux-x64"))}\n`);
  for (const step of installs ? [install, ...others] : others) {
    const path = [
      ...readFileSync(join(runner, "path"), "utf8").split("\n").filter(Boolean).reverse(),
      process.env.PATH,
    ].join(":");
    const kept = readFileSync(join(runner, "env"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s));
    const env = environment(repository.home, {
      ...fileOf,
      ...{ GITHUB_ACTION_PATH: TOP, RUNNER_TEMP: runner },
      ...{ PATH: path, RUNNER_OS: "Linux", GITHUB_ACTIONS: "true", THREADMIND_DOWNLOAD_BASE: mirror.url },
      ...Object.fromEntries(kept.map(([name, value]) => [name, value])),
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)])),
    });
    const cwd = join(repository.top, values["inputs.working-directory"] ?? ".");
    const script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run ?? ""];
    const result = await spawn(script, { cwd, env });
    results.push(result);
    if (result.code !== 0) break;
  }
  return {
    results,
    codes: results.map(({ code }) => code),
    summary: readFileSync(join(runner, "summary"), "utf8"),
    output: results.map(({ stdout, stderr }) => stdout + stderr).join(""),
  };
}

const THREAD = ".threadmind/threads/app/main.md";
/** Finding what to compare with, showing what was decided, checking. */
const PASSED = [0, 0, 0];

/** A forge's repository with a pull request, a fork's: main went on after it was opened, and the forge has merged both. */
interface Forge {
  readonly origin: GitRepository;
  /** main when the pull request was opened */
  readonly opened: string;
  /** main now */
  readonly main: string;
  readonly head: string;
  /** refs/pull/1/merge */
  readonly merge: string;
}

function decide({ top, read }: GitRepository, decision: string, file = THREAD): void {
  writeFileSync(join(top, file), `${read(file).trimEnd()}\n${decision}\n`);
}

function openForge(branch = "feature"): Forge {
  const origin = gitRepository();
  origin.git("config", "uploadpack.allowAnySHA1InWant", "true");
  writeProject(origin.top, { pay: { body: "## Decisions\n- cards\n" } });
  decide(origin, "\n## Decisions\n- PostgreSQL");
  const file = ".threadmind/projects/app.json";
  origin.write(file, origin.read(file).replace('"solo"', '"team"'));
  const opened = origin.commit("A project");
  origin.git("checkout", "--quiet", "-b", branch);
  origin.write(".threadmind/threads/app/new.md", renderThread("new", { body: "## Decisions\n- BRANCH ADDED\n" }));
  const head = origin.commit("A decision");
  origin.git("checkout", "--quiet", "main");
  decide(origin, "- MAIN ADDED", ".threadmind/threads/app/pay.md");
  const main = origin.commit("Main goes on");
  origin.git("checkout", "--quiet", "--detach");
  origin.git("merge", "--quiet", "--no-ff", "--no-edit", branch);
  const merge = origin.git("rev-parse", "HEAD");
  origin.git("update-ref", "refs/pull/1/merge", merge);
  origin.git("update-ref", "refs/pull/1/head", head);
  origin.git("checkout", "--quiet", "main");
  return { origin, opened, main, head, merge };
}

/** What actions/checkout leaves: one commit, or all of the branches' history. */
function checkout({ origin }: Forge, commit: string, depth: "shallow" | "full"): GitRepository {
  const clone = gitRepository();
  clone.git("remote", "add", "origin", `file://${origin.top}`);
  if (depth === "full") clone.git("fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*");
  clone.git("fetch", "--quiet", ...(depth === "full" ? [] : ["--depth=1"]), "origin", commit);
  clone.git("checkout", "--quiet", "--detach", commit);
  return clone;
}

function pull({ opened, head, merge }: Forge, base = opened): Record<string, string> {
  return {
    "github.sha": merge,
    "github.event.pull_request.base.sha": base,
    "github.event.pull_request.head.sha": head,
  };
}

/** Whether a summary shows what the branch decided, and nothing of what others did on main. */
function isTheBranchs(summary: string): boolean {
  return summary.includes("**+** BRANCH ADDED") && !summary.includes("MAIN ADDED");
}

test("the action names the version it belongs to", () => {
  expect(action.inputs.version?.default).toBe(manifest.version);
  expect(action.runs.using).toBe("composite");
});

testHere("the action installs the version it belongs to, and the latest where that is asked for", async () => {
  const forge = openForge();
  const bytes = readFileSync(programOf("linux-x64"));
  const archive = renderTarGz([{ path: "threadmind-linux-x64/threadmind", bytes, isExecutable: true }], 1);
  const files = withSums(new Map([["threadmind-linux-x64.tar.gz", archive]]));
  for (const [version, folder] of [
    [{}, `v${manifest.version}/`],
    [{ "inputs.version": "latest" }, ""],
  ] as const) {
    mirror.files.clear();
    for (const [name, content] of files) mirror.files.set(folder + name, content);
    const clone = checkout(forge, forge.merge, "full");
    const { codes, summary } = await runAction(clone, { ...pull(forge), ...version }, { installs: true });
    expect([codes, isTheBranchs(summary)]).toEqual([[0, ...PASSED], true]);
  }
});

for (const depth of ["shallow", "full"] as const) {
  testHere(
    `the action shows a pull request's own decisions, in a ${depth} clone, of its head or its merge`,
    async () => {
      const forge = openForge();
      const merged = checkout(forge, forge.merge, depth);
      for (const base of [forge.opened, forge.main]) {
        const { codes, summary, output } = await runAction(merged, pull(forge, base));
        expect([codes, isTheBranchs(summary), output.match(/^::(?!notice).*/gm)]).toEqual([PASSED, true, null]);
      }
      const head = await runAction(checkout(forge, forge.head, depth), pull(forge, forge.main));
      expect([head.codes, isTheBranchs(head.summary)]).toEqual([PASSED, true]);
    },
  );

  testHere(`the action compares with any name of a base, in a ${depth} clone`, async () => {
    const forge = openForge();
    forge.origin.git("tag", "v1", forge.opened);
    for (const base of ["main", "origin/main", forge.main, forge.opened, "v1"]) {
      const { codes, summary } = await runAction(checkout(forge, forge.head, depth), { "inputs.base": base });
      expect([base, codes, isTheBranchs(summary)]).toEqual([base, PASSED, true]);
    }
  });

  testHere(`the action fails where it can't compare with the base, in a ${depth} clone`, async () => {
    const forge = openForge();
    const unknown = "1".repeat(40);
    for (const expressions of [
      { "inputs.base": "nope" },
      { "inputs.base": unknown },
      { "inputs.base": "main;\n::warning::injected $(touch owned) `touch owned` '\"" },
      { "inputs.base": "--upload-pack=touch owned" },
      { ...pull(forge, unknown), "github.event.pull_request.head.sha": forge.main },
      { "github.event.merge_group.base_sha": unknown },
    ]) {
      const clone = checkout(forge, forge.head, depth);
      const { codes, output } = await runAction(clone, expressions);
      expect(codes).toEqual([1]);
      expect(output).toMatch(/^::error title=ThreadMind::Cannot compare with .*fetch-depth: 0/m);
      expect(output).not.toMatch(/^::warning::injected/m);
      expect(existsSync(join(clone.top, "owned"))).toBe(false);
    }
    // Without origin, a pull request's base can't be fetched; of a push nothing is wanted.
    const clone = checkout(forge, forge.head, "shallow");
    clone.git("remote", "set-url", "origin", "file:///nowhere");
    expect((await runAction(clone, pull(forge))).codes).toEqual([1]);
    const { codes, output } = await runAction(clone, { "github.event.before": unknown });
    expect([codes, output.includes("::warning title=ThreadMind::Cannot compare with")]).toEqual([PASSED, true]);
  });
}

testHere("the action takes a base that has nothing in common for an error, and says so", async () => {
  const forge = openForge();
  forge.origin.git("checkout", "--quiet", "--orphan", "alone");
  forge.origin.commit("Alone");
  const { codes, output } = await runAction(checkout(forge, forge.head, "full"), { "inputs.base": "alone" });
  expect([codes, output.includes("it has no commit in common with HEAD")]).toEqual([[1], true]);
});

testHere("the action finds a base whatever its branch is named", async () => {
  for (const name of ["$(touch$IFS'owned)", "it's", '"quoted"', "a`b`", "ünï/code", "origin/main"]) {
    const forge = openForge();
    forge.origin.git("branch", name, forge.main);
    const clone = checkout(forge, forge.head, "shallow");
    const { codes, summary } = await runAction(clone, { "inputs.base": name });
    expect([name, codes, isTheBranchs(summary)]).toEqual([name, PASSED, true]);
    expect(existsSync(join(clone.top, "owned"))).toBe(false);
  }
});

testHere("the action shows what a push added, and goes without a base where a push has none", async () => {
  const forge = openForge();
  const clone = checkout(forge, forge.main, "shallow");
  const pushed = await runAction(clone, { "github.event.before": forge.opened, "github.sha": forge.main });
  expect([pushed.codes, pushed.summary.includes("**+** MAIN ADDED")]).toEqual([PASSED, true]);
  for (const before of ["0".repeat(40), ""]) {
    const { codes, summary, output } = await runAction(clone, { "github.event.before": before });
    expect([codes, summary, output.includes("::warning")]).toEqual([PASSED, "", false]);
  }
});

testHere("the action fails on a bad file, and where its folder has no workspace", async () => {
  const forge = openForge();
  const clone = checkout(forge, forge.head, "full");
  clone.commit("Damage", { [THREAD]: "<<<<<<< HEAD\n" });
  const bad = await runAction(clone, { "inputs.base": "main" });
  expect([bad.codes, bad.output.includes("::error")]).toEqual([[0, 0, 3], true]);
  const empty = gitRepository();
  empty.commit("One", { "sub/a.txt": "1" });
  const base = empty.commit("Two", { "sub/a.txt": "2" });
  const none = await runAction(empty, { "inputs.base": base, "inputs.working-directory": "sub" });
  expect([none.codes, none.summary, none.output.includes(".threadmind/")]).toEqual([[0, 1], "", true]);
});

testHere("the action fails a pull request that changes what isn't its author's, even within a merge", async () => {
  const forge = openForge();
  const { origin } = forge;
  origin.git("checkout", "--quiet", "feature");
  origin.git("merge", "--quiet", "--no-ff", "--no-commit", "main");
  decide(origin, "- no reviews");
  origin.git("add", "--all");
  origin.git("commit", "--quiet", "--message", "Merge main", "--author", "Kim Lee <kim@example.org>");
  const head = origin.git("rev-parse", "HEAD");
  const { codes, output } = await runAction(checkout(forge, head, "shallow"), {
    ...pull(forge, forge.main),
    "github.event.pull_request.head.sha": head,
  });
  expect([codes, output.includes("and Kim Lee changed it in a merge")]).toEqual([[0, 0, 3], true]);
});
