import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { activeIn, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { gitRepository } from "./support/temp.ts";

const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Names of all files and folders below a folder's .threadmind. */
function namesBelow(top: string): string[] {
  return Object.keys(snapshot(join(top, ".threadmind"))).flatMap((path) =>
    path.split("/").filter((part) => part !== ""),
  );
}

test("titles without a Latin letter get ids of their own, visible, stable and typeable", async () => {
  const { top } = gitRepository();
  const { call, close } = await openClient({ cwd: top });
  expect((await call("project_create", { title: "プロジェクト" })).text).toContain("Created the project プロジェクト");
  const titles = [
    "認証",
    "認可",
    "Проверка входа",
    "🚀",
    "!!!",
    "ทดสอบไทย",
    "認証",
    "a\u0301\u0323",
    "e\u20dd",
    "\u200bx",
  ];
  const ids: string[] = [];
  for (const title of titles) {
    const { text } = await call("thread_create", { title, parentId: "main" });
    const id = activeIn(text) ?? "";
    ids.push(id);
    expect((await call("thread_switch", { threadId: id })).text).toContain("(active)");
  }
  await close();
  expect(ids.slice(0, 7)).toEqual(["認証", "認可", "проверка-входа", "thread", "thread-2", "ทดสอบไทย", "認証-2"]);
  expect(new Set(ids).size).toBe(ids.length);
  const { threads } = JSON.parse((await run(["tree", "--json"], { cwd: top })).stdout);
  const titleOf = (id: string): string => threads.find((thread: { readonly id: string }) => thread.id === id).title;
  expect(ids.map(titleOf)).toEqual(titles);
  for (const id of ids) expect(id).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*$/u);
  expect(readdirSync(join(top, ".threadmind/threads/プロジェクト"))).toHaveLength(titles.length + 1);
});

test("no file or folder has a name that Windows keeps for a device or can't hold", async () => {
  const { top } = gitRepository();
  const { call, close } = await openClient({ cwd: top });
  for (const title of ["Aux", "con", "NUL.", "COM1"]) await call("project_create", { title });
  for (const title of [
    "CON",
    "nul",
    "COM1",
    "LPT9",
    "prn",
    "Con.",
    "con…",
    "aux.md",
    "COM¹",
    "a. ",
    "a\u0000b",
    "a:b",
    'x?*<>|"y',
  ]) {
    expect((await call("thread_create", { title, parentId: "main" })).isError).toBe(false);
  }
  await close();
  const names = namesBelow(top);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    expect(name).not.toMatch(DEVICE);
    expect(name).not.toMatch(/[. ]$|[<>:"|?*\\\p{Cc}]/u);
  }
});

test("a thread whose file has a device's name already is read and written", async () => {
  const { top } = gitRepository();
  writeProject(top, { con: { body: "## Decisions\n- old\n" } });
  expect((await run(["show", "con"], { cwd: top })).stdout).toContain("- old");
  expect((await run(["summary", "con", "--content", "## Decisions\n- new\n"], { cwd: top })).code).toBe(0);
  expect((await run(["show", "con"], { cwd: top })).stdout).toContain("- new");
});

test("both forms of an accented title are one thread, from either form", async () => {
  const { top } = gitRepository();
  writeProject(top);
  const { call, close } = await openClient({ cwd: top });
  const create = async (title: string) => activeIn((await call("thread_create", { title, parentId: "main" })).text);
  expect([await create("Caf\u00e9"), await create("Cafe\u0301")]).toEqual(["cafe", "cafe-2"]);
  expect([await create("Straße"), await create("İstanbul"), await create("Ωmega")]).toEqual([
    "strasse",
    "istanbul",
    "ωmega",
  ]);
  writeFileSync(threadFile(top, "th\u0065\u0301"), renderThread("the\u0301", { title: "Thé" }));
  for (const id of ["th\u00e9", "the\u0301", "TH\u00c9"]) {
    expect((await call("context_get", { threadId: id })).text).toContain("## Thread: Thé");
  }
  renameSync(threadFile(top, "the\u0301"), threadFile(top, "th\u00e9"));
  writeFileSync(threadFile(top, "th\u00e9"), renderThread("th\u00e9", { title: "Thé" }));
  expect(await create("TH\u00c9")).toBe("the");
  await close();
});

const PATHS = [
  "../../../notes",
  "..%2F..%2Fnotes",
  "C:\\x",
  "",
  ".",
  "..",
  "a/b/c",
  "/etc/passwd",
  "app/../../x",
  "a\u0000b",
  "\\\\server\\x",
  "~",
  "main.md",
  "./main",
];

test("an id that is a path finds nothing, reads nothing and writes nothing", async () => {
  const { top } = gitRepository();
  writeProject(top);
  const secret = "---\nid: notes\ntitle: Secret notes\nparentId: null\n---\n\n## Decisions\n- secret\n";
  writeFileSync(join(top, "notes.md"), secret);
  const { call, close } = await openClient({ cwd: top });
  await call("thread_switch", { threadId: "main" });
  const before = snapshot(top);
  for (const path of PATHS) {
    const answers = [
      await call("thread_switch", { threadId: path }),
      await call("context_get", { threadId: path }),
      await call("thread_list", { threadId: path }),
      await call("summary_update", { threadId: path, content: "## Decisions\n- pwned\n" }),
      await call("thread_verify", { threadId: path }),
      await call("thread_create", { title: "x", parentId: path }),
      await call("project_switch", { projectId: path }),
    ];
    for (const { text, isError } of answers) {
      expect([text, isError]).toEqual([expect.stringMatching(/^Cannot find the (?:thread|project) "/), true]);
      expect(text).not.toContain("ecret");
      expect(text.split("\n")).toHaveLength(2);
    }
  }
  expect(snapshot(top)).toEqual(before);
  await close();
});

test("ids inside files that are paths lead nowhere", async () => {
  const { top } = gitRepository();
  writeProject(top, { up: { parentId: "../../../notes" }, moved: { body: "## Decisions\n- moved\n" } });
  writeFileSync(join(top, "notes.md"), "## Decisions\n- secret\n");
  writeFileSync(threadFile(top, "moved"), renderThread("../../../notes", { body: "## Decisions\n- moved\n" }));
  symlinkSync("/etc/hostname", threadFile(top, "host"));
  writeFileSync(join(top, ".threadmind/projects/app.json"), '{"id": "../x", "title": "App", "rootThreadId": "main"}');
  mkdirSync(join(top, "x"));
  const before = snapshot(top);
  const { stdout } = await run(["tree"], { cwd: top });
  expect(stdout).toContain("threads/app/moved.md: Its id is not its file name (moved); the file name counts.");
  expect(stdout).toContain("projects/app.json: Its id is not its file name; the file name counts.");
  expect(stdout).toContain("threads/app/host.md:1: It is a link that leads out of the workspace.");
  expect((await run(["context", "up"], { cwd: top })).stdout).toContain(
    "_Missing parent: ../../../notes (named by up)_",
  );
  expect((await run(["context", "moved"], { cwd: top })).stdout).toMatch(
    /^⚠ \.threadmind\/threads\/app\/moved\.md: Its id/m,
  );
  const { stderr, code } = await run(["summary", "moved", "--content", "x"], { cwd: top });
  expect(stderr).toContain("moved.md: Its id is not its file name.\nSet id: to moved, or rename the file.");
  expect(code).toBe(1);
  const after = snapshot(top);
  for (const path of Object.keys(before)) expect(after[path]).toBe(before[path] ?? "");
});

test("a config.json that names paths leads nowhere", async () => {
  const { top } = gitRepository();
  writeProject(top);
  writeFileSync(
    join(top, ".threadmind/config.json"),
    JSON.stringify({
      activeProjectId: "../x",
      activeThreadId: "../../../notes",
      starts: { app: { main: "/etc/passwd" } },
    }),
  );
  expect((await run(["tree"], { cwd: top })).stdout).toBe("main ← active\n");
});
