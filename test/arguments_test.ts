import { expect, test } from "bun:test";
import { type ConnectedClient, openClient } from "./support/client.ts";
import { snapshot, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

async function openProject(): Promise<ConnectedClient & { readonly top: string }> {
  const { top } = gitRepository();
  writeProject(top, { t: {} });
  return { ...(await openClient({ cwd: top })), top };
}

/** A call with a value of a wrong type, and the sentence that says which it is to be and which it is. */
const WRONG: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>, said: string])[] = [
  ["summary_update", { content: ["a"] }, "content must be a text, not a list."],
  ["summary_update", { content: [] }, "content must be a text, not an empty list."],
  ["summary_update", { content: { a: 1 } }, "content must be a text, not an object."],
  ["summary_update", { content: 7 }, "content must be a text, not 7."],
  ["summary_update", { content: true }, "content must be a text, not true."],
  ["summary_update", { content: "a", append: "yes" }, 'append must be true or false, not "yes".'],
  ["summary_update", { content: "a", paths: "src" }, 'paths must be a list of texts, not "src".'],
  ["summary_update", { content: "a", paths: { a: "src" } }, "paths must be a list of texts, not an object."],
  ["summary_update", { content: "a", paths: [5] }, "paths must be a list of texts, but its entry 1 is 5."],
  [
    "summary_update",
    { content: "a", paths: ["src", ["b"]] },
    "paths must be a list of texts, but its entry 2 is a list.",
  ],
  ["thread_update", { paths: ["a", "b", null] }, "paths must be a list of texts, but its entry 3 is null."],
  ["context_get", { maxTokens: "80" }, 'maxTokens must be a whole number, not "80".'],
  ["context_get", { maxTokens: [80] }, "maxTokens must be a whole number, not a list."],
  ["context_get", { maxTokens: 80.5 }, "maxTokens must be a whole number."],
  ["thread_status", { status: ["done"] }, "status must be one of open, done, abandoned, not a list."],
  ["thread_status", { status: "finished" }, 'status must be one of open, done, abandoned, not "finished".'],
];

test("a value of a wrong type is named as a person would name it, and nothing is written", async () => {
  const { call, top, close } = await openProject();
  const before = snapshot(top);
  for (const [tool, args, said] of WRONG) {
    const { text, isError } = await call(tool, args);
    expect([isError, text.split("\n")[0]]).toEqual([true, `Cannot call ${tool}: ${said}`]);
  }
  expect(snapshot(top)).toEqual(before);
  await close();
});

test("a thread, a project, an argument, a tool: only what is near is suggested", async () => {
  const { call, close } = await openProject();
  expect((await call("context_get", { threadId: "5" })).text).not.toContain("Did you mean");
  expect((await call("context_get", { threadId: "mian" })).text).toContain("Did you mean main?");
  expect((await call("project_switch", { projectId: "ap" })).text).toContain("Did you mean app?");
  await close();
});

test("a system context is refused for what a summary is refused for", async () => {
  const { call, top, close } = await openProject();
  const before = snapshot(top);
  const faults = { "a\0b": "it holds a NUL character", "a\ud800b": "it is not valid Unicode" };
  for (const [text, why] of Object.entries(faults)) {
    expect((await call("summary_update", { content: text })).text).toStartWith(`Cannot write this summary: ${why}.\n`);
    for (const [tool, args] of [
      ["project_update", {}],
      ["project_create", { title: "New" }],
    ] as const) {
      const answer = await call(tool, { ...args, systemContext: text });
      expect([answer.isError, answer.text]).toEqual([
        true,
        expect.stringMatching(new RegExp(`^Cannot write this system context: ${why}\\.\n`)),
      ]);
    }
  }
  expect(snapshot(top)).toEqual(before);
  expect((await call("project_update", { systemContext: "line 1\r\n\tline 2" })).isError).toBe(false);
  await close();
});
