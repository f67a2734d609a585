import { expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/binary.ts";
import { activeIn, readThread, renderThread, snapshot, threadFile } from "../support/stored_project.ts";
import { type GitRepository, gitRepository } from "../support/temp.ts";
import { BASE, inSession, output, repositoryWith } from "./base_thread.ts";

test("titles without one Latin letter make ids that are visible, can be typed back, and go through a clone", async () => {
  const repository = gitRepository();
  const titles = ["認証", "認可", "Проверка входа", "🚀", "!!!", "ทดสอบไทย", "認証"];
  const ids = await inSession(repository, async ({ call }) => {
    expect((await call("project_create", { title: "プロジェクト" })).text).toContain(
      "Created the project プロジェクト",
    );
    const made: string[] = [];
    for (const title of titles)
      made.push(activeIn((await call("thread_create", { title, parentId: "main" })).text) ?? "");
    for (const threadId of made) expect((await call("thread_switch", { threadId })).text).toContain("(active)");
    return made;
  });
  expect(new Set(ids).size).toBe(titles.length);
  for (const id of ids) expect(id).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*$/u);
  repository.commit("Threads");
  const clone = join(gitRepository().top, "clone");
  repository.git("clone", "--quiet", repository.top, clone);
  const { threads } = JSON.parse(await output({ top: clone }, "tree", "--json"));
  const byId = Object.fromEntries(
    threads.map((thread: { readonly id: string; readonly title: string }) => [thread.id, thread.title]),
  );
  expect(ids.map((id) => byId[id])).toEqual(titles);
  const { stdout } = await run(["tree"], { cwd: clone });
  for (const title of ["認証", "認可", "🚀", "!!!", "ทดสอบไทย"]) expect(stdout).toContain(title);
});

const DEVICES = ["CON", "prn", "Aux", "nul", ...[..."0123456789"].flatMap((digit) => [`COM${digit}`, `lpt${digit}`])];

test("no committed path is one that Windows can't hold, whatever projects and threads are called", async () => {
  const repository = gitRepository();
  const titles = [...DEVICES, "Con.", "con…", "con.txt", "NUL .md", "aux ", "COM1.tar.gz"];
  await inSession(repository, async ({ call }) => {
    for (const title of titles) expect((await call("project_create", { title })).isError).toBe(false);
    for (const title of titles) expect((await call("thread_create", { title, parentId: "main" })).isError).toBe(false);
  });
  repository.commit("Threads");
  const paths = repository.git("ls-files", "-z", ".threadmind").split("\0").filter(Boolean);
  expect(paths.filter((path) => path.includes("/threads/")).length).toBe(2 * titles.length);
  for (const part of paths.flatMap((path) => path.split("/"))) {
    expect(part).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
    expect(part).not.toMatch(/[. ]$|[<>:"|?*\\\p{Cc}]/u);
  }
  expect(new Set(paths.map((path) => path.toLowerCase().normalize("NFC"))).size).toBe(paths.length);
});

const OUTSIDE = "---\nid: notes\ntitle: Secret notes\nparentId: main\n---\n\n## Decisions\n- secret\n";

function withNotes(): GitRepository {
  const repository = repositoryWith({ auth: BASE }, { child: { parentId: "auth" } });
  repository.commit("Notes", { "notes.md": OUTSIDE, "x.json": '{"id": "x", "title": "Secret"}' });
  return repository;
}

const PATHS = [
  "../../../notes",
  "..%2F..%2F..%2Fnotes",
  "../../x",
  "C:\\x",
  "",
  ".",
  "a/b",
  "a\u0000b",
  "app/../../../notes",
];

/** Every tool that takes a thread's or project's id, with an id in its place. */
const CALLS: Readonly<Record<string, (id: string) => Readonly<Record<string, unknown>>>> = {
  thread_switch: (threadId) => ({ threadId }),
  thread_create: (parentId) => ({ title: "New", parentId }),
  thread_list: (threadId) => ({ threadId }),
  thread_update: (threadId) => ({ threadId, title: "New" }),
  thread_status: (threadId) => ({ threadId, status: "done" }),
  thread_merge: (threadId) => ({ threadId }),
  thread_rebase: (threadId) => ({ threadId, newParentId: "main" }),
  thread_delete: (threadId) => ({ threadId }),
  thread_verify: (threadId) => ({ threadId }),
  thread_history: (threadId) => ({ threadId }),
  thread_restore: (threadId) => ({ threadId }),
  summary_update: (threadId) => ({ threadId, content: "## Decisions\n- x\n" }),
  context_get: (threadId) => ({ threadId }),
  project_switch: (projectId) => ({ projectId }),
};

for (const [tool, argumentsWith] of Object.entries(CALLS)) {
  test(`${tool} with a path for an id is refused, and touches and tells nothing outside`, async () => {
    const repository = withNotes();
    await inSession(repository, async ({ call }) => {
      await call("thread_switch", { threadId: "main" });
      const before = snapshot(repository.top);
      for (const id of PATHS) {
        const { text, isError } = await call(tool, argumentsWith(id));
        expect([id, isError, text]).toEqual([id, true, expect.stringMatching(/^Cannot (?:find|restore|show) /)]);
        expect(text).not.toMatch(/ecret/);
      }
      const { isError } = await call("thread_rebase", { threadId: "auth", newParentId: "../../../notes" });
      expect(isError).toBe(true);
      expect(snapshot(repository.top)).toEqual(before);
    });
  });
}

test("resources with a path for an id are not found, encoded once or twice", async () => {
  const repository = withNotes();
  await inSession(repository, async ({ client }) => {
    const before = snapshot(repository.top);
    for (const id of PATHS.map(encodeURIComponent).concat(
      "..%2F..%2F..%2Fnotes",
      "..%252F..%252F..%252Fnotes",
      "../../../notes",
    )) {
      const failure = await client.readResource({ uri: `threadmind://thread/${id}` }).catch((error: unknown) => error);
      expect([id, String(failure)]).toEqual([id, expect.stringContaining("-32002")]);
      expect(String(failure)).not.toMatch(/ecret/);
    }
    expect(snapshot(repository.top)).toEqual(before);
  });
});

test("ids inside committed files that are paths, and links out of the workspace, read and write nothing outside", async () => {
  const repository = withNotes();
  const { top } = repository;
  mkdirSync(join(top, "x"));
  writeFileSync(threadFile(top, "moved"), BASE.replace("id: auth", "id: ../../../notes"));
  writeFileSync(threadFile(top, "orphan"), BASE.replace("id: auth", "id: orphan").replace("main", "../../../notes"));
  symlinkSync("/etc/hostname", threadFile(top, "host"));
  const project = join(top, ".threadmind/projects/app.json");
  writeFileSync(
    project,
    '{"id": "../x", "title": "App", "systemContext": "", "mode": "solo", "rootThreadId": "main"}\n',
  );
  const before = snapshot(top);
  await inSession(repository, async ({ call }) => {
    const shown = [
      await call("thread_list"),
      await call("project_list"),
      await call("context_get", { threadId: "orphan" }),
      await call("context_get", { threadId: "moved" }),
      await call("context_get", { threadId: "host" }),
      await call("thread_search", { query: "secret" }),
    ];
    for (const { text } of shown) expect(text).not.toMatch(/Secret notes|- secret/);
    expect(shown[0]?.text).toContain("threads/app/moved.md: Its id is not its file name");
    expect(shown[0]?.text).toContain("threads/app/host.md:1: It is a link that leads out of the workspace.");
    expect(shown[2]?.text).toContain("_Missing parent: ../../../notes (named by orphan)_");
    for (const threadId of ["moved", "host"]) {
      for (const tool of ["summary_update", "thread_status", "thread_delete", "thread_merge"]) {
        expect([threadId, tool, (await call(tool, CALLS[tool]?.(threadId))).isError]).toEqual([threadId, tool, true]);
      }
    }
  });
  const after = snapshot(top);
  for (const path of Object.keys(before)) expect([path, after[path]]).toEqual([path, before[path]]);
  expect(Object.keys(after).filter((path) => !path.startsWith(".threadmind/"))).toEqual(
    Object.keys(before).filter((path) => !path.startsWith(".threadmind/")),
  );
});

const [COMPOSED, DECOMPOSED] = ["Caf\u00e9", "Cafe\u0301"];

test("both forms of an accented title make one id, and the second thread is numbered", async () => {
  const repository = repositoryWith({});
  await inSession(repository, async ({ call }) => {
    const create = async (title: string) => activeIn((await call("thread_create", { title, parentId: "main" })).text);
    expect(await create(COMPOSED)).toBe("cafe");
    // While one thread has the title, the title finds it in either form; ids and near misses do where two have it.
    for (const threadId of [COMPOSED, DECOMPOSED])
      expect((await call("thread_switch", { threadId })).text).toContain("(active)");
    expect(await create(DECOMPOSED)).toBe("cafe-2");
    for (const threadId of [COMPOSED, DECOMPOSED]) {
      const { text, isError } = await call("thread_switch", { threadId });
      expect([isError, text]).toEqual([true, expect.stringContaining("Did you mean cafe?")]);
      const found = (await call("thread_search", { query: threadId })).text
        .split("\n")
        .map((line) => line.split(" ")[0]);
      expect(found.sort()).toEqual(["cafe", "cafe-2"]);
    }
    expect([await create("Straße"), await create("İstanbul"), await create("Ωmega")]).toEqual([
      ...["strasse", "istanbul", "ωmega"],
    ]);
  });
});

for (const [name, form] of [
  ["decomposed, as macOS writes it", DECOMPOSED.toLowerCase()],
  ["composed", COMPOSED.toLowerCase()],
] as const) {
  test(`a file whose accented name is ${name} is found by either form, and written where it lies`, async () => {
    const repository = repositoryWith({});
    const { top } = repository;
    writeFileSync(threadFile(top, "plain"), renderThread(form, { title: "Café", body: "## Decisions\n- one\n" }));
    renameSync(threadFile(top, "plain"), threadFile(top, form));
    repository.commit("From a colleague");
    await inSession(repository, async ({ call }) => {
      for (const threadId of [COMPOSED, DECOMPOSED, COMPOSED.toLowerCase(), DECOMPOSED.toLowerCase()]) {
        expect((await call("thread_switch", { threadId })).text).toContain("## Thread: Café (active)");
        const { isError } = await call("summary_update", { threadId, append: true, content: `- ${threadId.length}` });
        expect(isError).toBe(false);
      }
    });
    expect(readThread(top, form)).toEndWith("- one\n- 4\n- 5\n- 4\n- 5\n");
    expect(repository.git("status", "--porcelain", "--untracked-files=all", "--", ".threadmind/threads")).not.toContain(
      "??",
    );
  });
}
