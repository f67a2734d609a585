import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { PROGRAM, spawn, TOP } from "./binary.ts";
import { type ConnectedClient, openClient } from "./client.ts";
import { renderDifference } from "./difference.ts";
import { type Names, recall, redact } from "./redact.ts";
import {
  expectedOutput,
  parseScenario,
  renderOutput,
  renderScenario,
  type Scenario,
  type Step,
} from "./scenario_file.ts";
import { environment, gitRepository, temporaryFolder, temporaryHome } from "./temp.ts";

/** The folder of the scenario files. */
export const SCENARIOS = join(TOP, "test/scenarios");

/** Whether expected outputs are rewritten instead of compared. */
export const UPDATING = Boolean(process.env.UPDATE);

/** The paths of all scenario files with the sentence each one shows. */
export function listScenarios(): { file: string; title: string }[] {
  if (!existsSync(SCENARIOS)) return [];
  return readdirSync(SCENARIOS)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(SCENARIOS, name))
    .map((file) => ({ file, title: /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? basename(file) }));
}

/** Runs every command of a scenario file and compares what comes out, or rewrites the file when updating. */
export async function runScenario(file: string): Promise<void> {
  const scenario = parseScenario(readFileSync(file, "utf8"));
  const stage = openStage();
  const outputs = new Map<Step, string[]>();
  try {
    for (const step of scenario.steps) {
      const output = await stage.play(step).catch((error) => {
        throw new Error(`${relative(TOP, file)}:${step.line}  ${error}`, { cause: error });
      });
      outputs.set(step, renderOutput(output));
    }
  } finally {
    await stage.close();
  }
  await checkWorkspaces(stage.folder);
  if (UPDATING) writeIfChanged(file, renderScenario(scenario, outputs));
  else compare(file, scenario, outputs);
}

interface Stage {
  readonly folder: string;
  play(step: Step): Promise<string[]>;
  close(): Promise<void>;
}

/** A repository with one commit, a home, a PATH with the program on it, and the clients that connect meanwhile. */
function openStage(): Stage {
  const folder = temporaryFolder("scenario");
  const home = temporaryHome();
  const repository = gitRepository({ top: join(folder, "repo"), home });
  repository.commit("Start", { "README.md": "# Example\n" });
  const bin = join(folder, "bin");
  const tmp = join(folder, "tmp");
  mkdirSync(bin);
  mkdirSync(tmp);
  const wrapper = join(bin, "threadmind");
  writeFileSync(wrapper, `#!/bin/sh\nexec ${PROGRAM.map(quote).join(" ")} "$@"\n`);
  chmodSync(wrapper, 0o755);

  const cwd = repository.top;
  const variables = { PATH: `${bin}:${process.env.PATH}`, TMPDIR: tmp, FIXTURES: join(TOP, "test/fixtures") };
  const env = environment(home, variables);
  const names: Names = [
    [cwd, "<repo>"],
    [home, "<home>"],
    [tmp, "<tmp>"],
    [folder, "<folder>"],
    ...PROGRAM.filter((word) => word.startsWith("/")).map((word) => [word, "<threadmind>"] as const),
    [wrapper, "<threadmind>"],
  ];
  const known = new Map(names.map(([value, placeholder]) => [placeholder, value]));
  const clients = new Map<number, ConnectedClient>();

  async function client(number: number): Promise<ConnectedClient> {
    const open = clients.get(number) ?? (await openClient({ cwd, home, env: variables }));
    clients.set(number, open);
    return open;
  }

  async function output(step: Step): Promise<string[]> {
    if (step.kind === "shell") {
      const { stdout, stderr, code } = await spawn(["sh", "-c", recall(step.text, known)], { cwd, env });
      return [
        ...toLines(stdout),
        ...toLines(stderr).map((line) => `! ${line}`),
        ...(code === 0 ? [] : [`[exit ${code}]`]),
      ];
    }
    if (step.kind === "restart") {
      await clients.get(step.client)?.close();
      clients.delete(step.client);
      await client(step.client);
      return [];
    }
    const connected = await client(step.client);
    const args: Record<string, unknown> = JSON.parse(recall(step.args, known));
    try {
      const { text, isError } = await connected.call(step.text, args);
      return [...toLines(text), ...(isError ? ["[error]"] : [])];
    } catch (error) {
      return [...toLines(`${error}`), "[protocol error]"];
    }
  }

  return {
    folder,
    async play(step) {
      const { text, values } = redact((await output(step)).join("\n"), names);
      for (const [placeholder, value] of values) known.set(placeholder, value);
      return text.split("\n");
    },
    async close() {
      await Promise.all([...clients.values()].map((open) => open.close()));
    },
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function writeIfChanged(file: string, text: string): void {
  if (readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

function compare(file: string, scenario: Scenario, outputs: ReadonlyMap<Step, readonly string[]>): void {
  const differences = [...outputs].flatMap(([step, actual]) => {
    const difference = renderDifference(expectedOutput(scenario, step), actual);
    const command = scenario.lines[step.line - 1] ?? "";
    return difference === "" ? [] : [`${relative(TOP, file)}:${step.line}  ${command}\n${difference}`];
  });
  if (differences.length === 0) return;
  const more = differences.length > 3 ? `\n\n… and ${differences.length - 3} more commands differ` : "";
  throw new Error(
    `${scenario.title}\n\n${differences.slice(0, 3).join("\n\n")}${more}\n\n- expected  + actual; UPDATE=1 bun test rewrites`,
  );
}

/** Throws unless every thread file renders to its own bytes and no temporary or lock file is left. */
async function checkWorkspaces(folder: string): Promise<void> {
  const left = [
    ...filesBelow(folder, "**/.threadmind/local/tmp/**"),
    ...filesBelow(folder, "**/.threadmind/local/lock*"),
  ];
  if (left.length > 0) throw new Error(`Left behind: ${left.join(", ")}`);
  for (const path of filesBelow(folder, "**/.threadmind/threads/**/*.md")) {
    const text = readFileSync(join(folder, path), "utf8");
    if ((await sourceOf(text)) !== text) throw new Error(`${path} would change if it were written again`);
  }
}

function filesBelow(folder: string, pattern: string): string[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: folder, dot: true })].sort();
}

/** What a thread file is written as when nothing is changed; an unreadable one is never written. */
async function sourceOf(text: string): Promise<string> {
  const { editThreadFile, parseThreadFile } = await import("../../src/core/thread_file.ts");
  const file = await parseThreadFile(text);
  if ("message" in file || file.repaired !== undefined || file.conflictLine !== undefined) return text;
  return editThreadFile(file, {});
}
