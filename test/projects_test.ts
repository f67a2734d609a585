import { expect, test } from "bun:test";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { readThread, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

/** Two projects, `one` and `two`, each with `main` and `x`; calls without a project are about `two`. */
async function twoProjects(): Promise<string> {
  const { top } = gitRepository();
  for (const [id, title] of [
    ["one", "One"],
    ["two", "Two"],
  ] as const)
    writeProject(top, { x: {} }, { id, title });
  await run(["project", "switch", "two"], { cwd: top });
  return top;
}

const RULE = "## Decisions\n- a rule\n";

/** What goes to a thread of the project `one`, as a tool's call and on the command line, and how its answer begins. */
const CROSSINGS: readonly (readonly [
  tool: string,
  args: Readonly<Record<string, string>>,
  words: readonly string[],
  said: string,
])[] = [
  [
    "thread_create",
    { title: "Thing", parentId: "one/main" },
    ["create", "Thing", "--parent-id", "one/main"],
    "Created the thread thing below one/main; it is now active",
  ],
  ["thread_switch", { threadId: "one/x" }, ["switch", "one/x"], "## Thread: x (active)"],
  ["thread_merge", { threadId: "one/x" }, ["merge", "one/x"], "Merged one/x into one/main: "],
];

for (const [tool, args, words, said] of CROSSINGS) {
  test(`${tool} that leads into another project says so, once`, async () => {
    const { call, close } = await openClient({ cwd: await twoProjects() });
    const { text, isError } = await call(tool, args);
    expect([isError, text]).toEqual([
      false,
      expect.stringContaining(`This session is now in the project one (was two).\n\n${said}`),
    ]);
    expect((await call("project_list")).text).toMatch(/^\S*\s*one\b.*active/m);
    expect((await call("thread_switch", { threadId: "main" })).text).not.toContain("is now in the project");
    expect((await call("thread_create", { title: "Here", parentId: "one/main" })).text).toContain(
      "Created the thread here below main;",
    );
    await close();
  });

  test(`threadmind ${words[0]} that leads into another project says so, once`, async () => {
    const top = await twoProjects();
    const first = await run(words, { cwd: top });
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringContaining(`This checkout is now in the project one (was two).\n\n${said}`),
    ]);
    expect((await run(["switch", "main"], { cwd: top })).stdout).not.toContain("is now in the project");
  });
}

test("an answer to what stays in a project, or doesn't move, says nothing of projects", async () => {
  const top = await twoProjects();
  const { call, close } = await openClient({ cwd: top });
  const quiet = [
    await call("thread_create", { title: "Thing", parentId: "two/main" }),
    await call("thread_switch", { threadId: "two/main" }),
    await call("summary_update", { threadId: "one/x", content: RULE }),
    await call("context_get", { threadId: "one/x" }),
    await call("thread_delete", { threadId: "one/x" }),
    await call("thread_merge", { threadId: "x" }),
  ];
  for (const { text, isError } of quiet)
    expect([isError, text]).toEqual([false, expect.not.stringContaining("project")]);
  await call("summary_update", { threadId: "main", content: RULE });
  expect([readThread(top, "main", "one"), readThread(top, "main", "two")]).toEqual([
    expect.not.stringContaining("a rule"),
    expect.stringContaining("a rule"),
  ]);
  await close();
});

test("--project says so too where it moves the checkout", async () => {
  const top = await twoProjects();
  const { stdout } = await run(["--project", "one", "create", "Thing"], { cwd: top });
  expect(stdout).toStartWith(
    "This checkout is now in the project one (was two).\n\nCreated the thread thing below one/main;",
  );
});
