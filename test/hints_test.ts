import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listVerbs } from "../src/cli/args.ts";
import { COMMANDS } from "../src/commands/registry.ts";
import { run, TOP } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { SCENARIOS } from "./support/scenario.ts";
import { expectedOutput, parseScenario } from "./support/scenario_file.ts";
import { gitRepository } from "./support/temp.ts";

const TOOLS = new RegExp(`\\b(?:${COMMANDS.map(({ name }) => name).join("|")})\\b`);

/** What names tools on the command line, and means to: for a model, or beside the verb. */
const MEANT = [
  // the footer of a context, and the block that init writes: a model reads them
  /^_Cut to fit the budget: /,
  /the tool \w+, or `threadmind |thread_create, or `threadmind |thread_list, or `threadmind /,
];

/** Lines for a person in a shell that name a tool, which a shell doesn't have. */
function toolsNamed(output: string): string[] {
  return output.split("\n").filter((line) => TOOLS.test(line) && !MEANT.some((meant) => meant.test(line)));
}

/** What is shown of the program's answers to command lines, hooks left out: theirs are for a model. */
function* shownOutputs(): Generator<{ readonly place: string; readonly isShell: boolean; readonly output: string }> {
  const guides = join(TOP, "docs/guide");
  const files = [SCENARIOS, guides].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  for (const file of files.filter((name) => name.endsWith(".md") && !name.endsWith("README.md"))) {
    const scenario = parseScenario(readFileSync(file, "utf8"));
    for (const step of scenario.steps) {
      const isShell = step.kind === "shell";
      if (isShell && /threadmind hook|cat |sed |grep /.test(step.text)) continue;
      yield { place: `${file}:${step.line}`, isShell, output: expectedOutput(scenario, step).join("\n") };
    }
  }
}

test("no answer on the command line that a scenario or guide shows names a tool where there is a verb", () => {
  const outputs = [...shownOutputs()].filter(({ isShell }) => isShell);
  expect(outputs.length).toBeGreaterThan(100);
  const found = outputs.flatMap(({ place, output }) => toolsNamed(output).map((line) => `${place}  ${line}`));
  expect(found).toEqual([]);
});

test("no answer to a model speaks of the command line where there is a tool", () => {
  const outputs = [...shownOutputs()].filter(({ isShell }) => !isShell);
  expect(outputs.length).toBeGreaterThan(100);
  expect(outputs.filter(({ output }) => output.includes("on the command line"))).toEqual([]);
});

test("the help of no verb names a tool", async () => {
  const verbs = ["", ...new Set(listVerbs().map(({ usage }) => usage.verb))];
  const found: string[] = [];
  for (const verb of verbs) found.push(...toolsNamed((await run(["help", ...verb.split(" ").filter(Boolean)])).stdout));
  expect(found).toEqual([]);
});

/** A project with threads in every state that a hint is about. */
async function shop() {
  const repository = gitRepository();
  repository.commit("Start", { "a.ts": "" });
  const tm = (...args: readonly string[]) => run(args, { cwd: repository.top });
  await tm("project", "create", "Shop");
  await tm("create", "Auth");
  await tm("create", "Kid");
  await tm("create", "Lost", "--parent-id", "main");
  const file = join(repository.top, ".threadmind/threads/shop/lost.md");
  writeFileSync(file, readFileSync(file, "utf8").replace("parentId: main", "parentId: nowhere"));
  return { ...repository, tm };
}

const CALLS: readonly (readonly [words: readonly string[], tool: string, input: Readonly<Record<string, unknown>>])[] =
  [
    [["verify", "auth"], "thread_verify", { threadId: "auth" }],
    [["restore", "auth"], "thread_restore", { threadId: "auth" }],
    [["restore", "auth", "kept-1"], "thread_restore", { threadId: "auth", revision: "kept-1" }],
    [["history"], "thread_history", {}],
    [["merge", "lost"], "thread_merge", { threadId: "lost" }],
    [["merge", "--summary", `ghp_${"a1B2".repeat(9)}`], "thread_merge", { summary: `ghp_${"a1B2".repeat(9)}` }],
    [["summary", "auth", "--content", ""], "summary_update", { threadId: "auth", content: "" }],
    [["summary", "auth", "--content", "- x"], "summary_update", { threadId: "auth", content: "- x" }],
    [["summary", "auth", "--content", "- y"], "summary_update", { threadId: "auth", content: "- y" }],
    [["summary", "--content", `ghp_${"a1B2".repeat(9)}`], "summary_update", { content: `ghp_${"a1B2".repeat(9)}` }],
    [["create", "New", "--parent-id", "kid"], "thread_create", { title: "New", parentId: "kid" }],
    [["delete", "kid"], "thread_delete", { threadId: "kid" }],
    [["history"], "thread_history", {}],
    [["reopen", "auth", "--reason", "x"], "thread_status", { status: "open", threadId: "auth", reason: "x" }],
    [["done", "auth", "--reason", "one"], "thread_status", { status: "done", threadId: "auth", reason: "one" }],
    [["done", "auth", "--reason", "two"], "thread_status", { status: "done", threadId: "auth", reason: "two" }],
    [["create", "Below", "--parent-id", "auth"], "thread_create", { title: "Below", parentId: "auth" }],
    [["merge", "below"], "thread_merge", { threadId: "below" }],
    [["update", "auth", "--author", "a b"], "thread_update", { threadId: "auth", author: "a b" }],
    [["context", "zzz"], "context_get", { threadId: "zzz" }],
    [["context", "a/b/c"], "context_get", { threadId: "a/b/c" }],
    [["--project", "a:b", "tree"], "project_switch", { projectId: "a:b" }],
    [["summary", "auth", "--paths", "none", "--content", "- z"], "summary_update", { paths: ["none"], content: "- z" }],
    [["verify", "auth"], "thread_verify", { threadId: "auth" }],
  ];

test("every hint names the verb in a shell, and the tool to a model", async () => {
  const [shell, server] = [await shop(), await shop()];
  const client = await openClient({ cwd: server.top });
  let hints = 0;
  for (const [words, tool, input] of CALLS) {
    const { stdout, stderr, code } = await shell.tm(...words);
    const plain = stdout + stderr;
    expect([words, code === 70, toolsNamed(plain), plain.includes("on the command line")]).toEqual([
      words,
      false,
      [],
      false,
    ]);
    const { text } = await client.call(tool, input);
    expect([tool, /on the command line|threadmind (?!resolve)[a-z]+/.exec(text)?.[0]]).toEqual([tool, undefined]);
    if (TOOLS.test(text)) hints++;
  }
  await client.close();
  expect(hints).toBeGreaterThan(12);
});

test("a project without its root, and none at all, say so in words that can be pasted", async () => {
  const [rootless, empty] = [gitRepository().top, gitRepository().top];
  await run(["project", "create", "Shop"], { cwd: rootless });
  rmSync(join(rootless, ".threadmind/threads/shop/main.md"));
  for (const [cwd, ...words] of [
    [rootless, "context"],
    [empty, "context"],
    [empty, "project", "list"],
  ]) {
    const { stdout, stderr } = await run(words, { cwd: cwd ?? "" });
    expect([words, toolsNamed(stdout + stderr), stdout + stderr]).toEqual([
      words,
      [],
      expect.stringMatching(/threadmind (?:restore|project create) /),
    ]);
  }
});

test("what is wrong with a file is said in words for a shell, by every verb", async () => {
  const { top, tm } = await shop();
  writeFileSync(join(top, ".threadmind/threads/shop/auth.md"), "");
  const client = await openClient({ cwd: top });
  const { text } = await client.call("thread_list");
  await client.close();
  expect([text.includes("thread_restore shop/auth"), text.includes("threadmind restore")]).toEqual([true, false]);
  for (const words of [["tree"], ["tree", "--json"], ["context", "auth"], ["project", "list"], ["check"], ["doctor"]]) {
    const { stdout, stderr } = await tm(...words);
    expect([words, toolsNamed(stdout + stderr)]).toEqual([words, []]);
  }
  expect((await tm("tree")).stdout).toContain("threadmind restore shop/auth");
});

test("the hints of a JSON answer are for a shell too", async () => {
  const { tm } = await shop();
  const { stdout } = await tm("verify", "auth", "--json");
  expect(JSON.parse(stdout).error.hint).toBe("Write one with threadmind summary auth < FILE.");
  expect(JSON.parse((await tm("create", "More", "--json")).stdout).warnings[0]).toContain(
    "threadmind summary lost < FILE",
  );
});
