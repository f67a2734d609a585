import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, type Result, spawn, TOP } from "../support/binary.ts";
import { activeIn, writeProject } from "../support/stored_project.ts";
import { type GitRepository, gitRepository } from "../support/temp.ts";
import { fileOfPackage } from "./packages.ts";

function project(): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body: "## Decisions\n- JWT\n" }, 日本: {} });
  return repository;
}

/** One call of the Inspector's command line, on Node as its users run it. */
async function inspect({ top, env }: GitRepository, method: string, ...options: readonly string[]): Promise<Result> {
  const launcher = fileOfPackage("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  return await spawn(["node", launcher, "--cli", ...PROGRAM, "--method", method, ...options], { cwd: top, env });
}

async function answer(repository: GitRepository, method: string, ...options: readonly string[]): Promise<unknown> {
  const { stdout, stderr, code } = await inspect(repository, method, ...options);
  expect([method, code, stderr]).toEqual([method, 0, ""]);
  return JSON.parse(stdout);
}

const namesIn = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

test("the Inspector lists every tool and finds nothing to object to in the strict check of their schemas", async () => {
  const { tools } = (await answer(project(), "tools/list", "--strict")) as { tools: { name: string }[] };
  const golden = readdirSync(join(TOP, "test/golden/tools")).map((file) => file.replace(".json", ""));
  expect(namesIn(tools).sort()).toEqual(golden.sort());
});

test("the Inspector calls tools, and shows a tool's error as one", async () => {
  const repository = project();
  const call = (tool: string, ...args: readonly string[]) =>
    inspect(repository, "tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]));
  const switched = JSON.parse((await call("thread_switch", "threadId=日本")).stdout);
  expect(switched.content[0].text).toContain("## Thread: 日本 (active)");
  const listed = JSON.parse((await call("thread_list")).stdout);
  expect(activeIn(listed.content[0].text)).toBe("日本");
  const failed = JSON.parse((await call("thread_switch", "threadId=auht")).stdout);
  expect(failed).toEqual({
    content: [{ type: "text", text: expect.stringContaining("Did you mean auth?") }],
    isError: true,
  });
});

test("the Inspector lists and reads resources", async () => {
  const repository = project();
  const { resources } = (await answer(repository, "resources/list")) as { resources: { name: string }[] };
  expect(namesIn(resources)).toEqual(["context", "tree", "auth", "main", "日本"]);
  expect(await answer(repository, "resources/templates/list")).toMatchObject({
    resourceTemplates: [{ uriTemplate: "threadmind://thread/{id}" }],
  });
  const uri = "threadmind://thread/auth";
  expect(await answer(repository, "resources/read", "--uri", uri)).toEqual({
    contents: [{ uri, mimeType: "text/markdown", text: "## Thread: auth\n\n## Decisions\n- JWT" }],
  });
});

test("the Inspector lists and gets prompts", async () => {
  const repository = project();
  const { prompts } = (await answer(repository, "prompts/list")) as { prompts: { name: string }[] };
  expect(namesIn(prompts)).toEqual(
    expect.arrayContaining(["start-thread", "summarize-thread", "tm-help", "tm-context"]),
  );
  const options = ["--prompt-name", "tm-switch", "--prompt-args", "threadId=auth"];
  expect(await answer(repository, "prompts/get", ...options)).toMatchObject({
    messages: [{ role: "user", content: { text: expect.stringContaining('thread_switch with {"threadId":"auth"}') } }],
  });
});
