import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ThreadMindError } from "../../src/errors.ts";
import { openStore, type Project, type Store } from "../../src/io/store.ts";
import { renderThread, snapshot, threadFile, writeProject } from "../support/stored_project.ts";
import { temporaryFolder } from "../support/temp.ts";

const GOOD = { title: "App", systemContext: "", mode: "solo", rootThreadId: "main" };

/** A workspace whose project file holds this text; `undefined` for none. */
function withProject(source: string | Uint8Array | undefined, name = "app"): Store {
  const top = temporaryFolder();
  writeProject(top);
  rmSync(join(top, ".threadmind/projects/app.json"));
  if (source !== undefined) writeFileSync(join(top, `.threadmind/projects/${name}.json`), source);
  return openStore(top, () => new Date());
}

function onlyProject(store: Store): Project {
  const [project] = store.readProjects().projects;
  if (project === undefined) throw new Error("no project");
  return project;
}

const UNREADABLE: readonly (readonly [says: string, source: string | Uint8Array, message: RegExp])[] = [
  ["nothing in it", "", /^It is empty\.$/],
  ["blanks only", "\n\t", /^It is empty\.$/],
  ["half a text", '{"title": "A', /^It is not JSON: /],
  ["a list", "[]", /^It is no JSON object/],
  ["a title that is no text", '{"title": 7}', /^title: /],
  ["a mode that is none", '{"title": "A", "mode": "Team"}', /^mode: /],
  ["a system context that is a list", '{"systemContext": ["a"]}', /^systemContext: /],
  ["a root that is null", '{"rootThreadId": null}', /^rootThreadId: /],
  ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), /^It is UTF-16, not UTF-8\.$/],
  ["NUL bytes", "\0\0\0", /^It is not JSON: /],
];

for (const [says, source, message] of UNREADABLE) {
  test(`a project file with ${says} is named with its remedy, and others are read`, () => {
    const store = withProject(source);
    writeFileSync(join(store.layout.projects, "other.json"), JSON.stringify(GOOD));
    const { projects, faults } = store.readProjects();
    expect(projects.map(({ id }) => id as string)).toEqual(["other"]);
    expect(faults).toMatchObject([{ kind: "unreadable", file: ".threadmind/projects/app.json" }]);
    expect(faults[0]?.message).toMatch(message);
    expect(faults[0]?.hint).toContain("an earlier text back, if there is one: threadmind check names the way");
  });
}

const ODD: readonly (readonly [says: string, source: string, project: Partial<Project>, faults: number])[] = [
  ["no members", "{}", { title: "app", systemContext: "", mode: "solo", rootThreadId: "main" }, 0],
  ["an empty title", '{"title": ""}', { title: "app" }, 0],
  ["another id", '{"id": "other", "title": "A"}', { title: "A" }, 1],
  ["an id that is a path", '{"id": "../x", "title": "A"}', { title: "A" }, 1],
  ["a member __proto__", '{"__proto__": {"mode": "team"}, "title": "A"}', { title: "A", mode: "solo" }, 0],
  ["members it doesn't know", '{"title": "A", "color": "red", "x": {"y": []}}', { title: "A" }, 0],
  ["a byte order mark", '\ufeff{"title": "A"}', { title: "A" }, 0],
  ["a root that is a path", '{"title": "A", "rootThreadId": "../../x"}', { rootThreadId: "../../x" }, 0],
];

for (const [says, source, expected, count] of ODD) {
  test(`a project file with ${says} is read under its file's name`, async () => {
    const store = withProject(source);
    const { projects, faults } = store.readProjects();
    expect(projects).toMatchObject([{ id: "app", ...expected }]);
    expect(faults.map(({ kind }) => kind)).toEqual(Array(count).fill("identity"));
    expect((await store.readThreads(onlyProject(store))).tree.threads.size).toBe(1);
  });
}

test("files and folders that can't be projects or threads are named or passed over, and never read as such", async () => {
  const store = withProject(JSON.stringify(GOOD));
  const { projects, threads } = store.layout;
  for (const name of [".json", ".hidden.json", "notes.txt", "a:b.json"]) writeFileSync(join(projects, name), "{}");
  mkdirSync(join(projects, "folder.json"));
  for (const name of [".md", ".hidden.md", "notes.txt", "a\\b.md"]) writeFileSync(join(threads, "app", name), "x");
  mkdirSync(join(threads, "app/folder.md"));
  expect(store.readProjects().projects.map(({ id }) => id as string)).toEqual(["app"]);
  const folder = { message: "It is a folder, not a file." };
  expect(store.readProjects().faults).toMatchObject([folder, { message: "Its name can't be a project's id." }]);
  const { tree, faults } = await store.readThreads(onlyProject(store));
  expect([...tree.threads.keys()]).toEqual(["main"]);
  expect(faults).toMatchObject([folder, { message: "Its name can't be a thread's id.", hint: "Rename the file." }]);
});

test("two files that differ in case only are both read and named", async () => {
  const store = withProject(JSON.stringify(GOOD));
  for (const id of ["Auth", "auth"]) writeFileSync(threadFile(store.layout.root, id), renderThread(id, {}));
  const { tree, faults } = await store.readThreads(onlyProject(store));
  expect([...tree.threads.keys()]).toEqual(["Auth", "auth", "main"]);
  expect(faults).toMatchObject([{ message: "Its id differs from Auth only in case or normalisation." }]);
});

test("takenProjectNames() counts unreadable project files and folders that outlived theirs", () => {
  const store = withProject("", "broken");
  expect(store.takenProjectNames()).toEqual(["app", "broken"]);
});

test("readThreadFile() refuses what must not be overwritten", async () => {
  const store = withProject(JSON.stringify(GOOD));
  const { id: project } = onlyProject(store);
  const conflict = "## Decisions\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n";
  const table: readonly (readonly [source: string | Uint8Array, code: string, message: RegExp])[] = [
    ["", "malformed-file", /auth\.md:1: It is empty/],
    [renderThread("other", {}), "malformed-file", /auth\.md: Its id is not its file name/],
    [renderThread("auth", { body: conflict }), "merge-conflict", /merge conflicts \(line 11\)/],
    [new Uint8Array([0xff, 0xfe, 0x2d, 0]), "malformed-file", /auth\.md:1: It is UTF-16, not UTF-8/],
    ["---\nid: auth\ntitle: A\n", "malformed-file", /auth\.md:/],
  ];
  for (const [source, code, message] of table) {
    writeFileSync(threadFile(store.layout.root, "auth"), source);
    const error = await store.readThreadFile(project, "auth" as never).catch((thrown: unknown) => thrown);
    if (!(error instanceof ThreadMindError)) throw error;
    expect([error.code as string, error.message]).toEqual([code, expect.stringMatching(message)]);
  }
});

test("putThread() writes no file whose text is the same, and keeps what it replaces", async () => {
  const store = withProject(JSON.stringify(GOOD));
  const { id } = onlyProject(store);
  const path = threadFile(store.layout.root, "main");
  const [source, { ino }] = [readFileSync(path, "utf8"), statSync(path)];
  await store.change(async (writer) => writer.putThread(id, "main" as never, source));
  expect([statSync(path).ino, readdirSync(store.layout.local).includes("kept")]).toEqual([ino, false]);
  await store.change(async (writer) => writer.putThread(id, "main" as never, `${source}new\n`));
  expect(readFileSync(path, "utf8")).toBe(`${source}new\n`);
  expect(Object.values(snapshot(join(store.layout.kept, "app/main")))).toEqual([source]);
});

test("change() frees the lock when its action throws", async () => {
  const store = withProject(undefined);
  expect(store.change(async () => Promise.reject(new Error("on purpose")))).rejects.toThrow("on purpose");
  await Bun.sleep(20);
  expect(await store.change(async () => "again")).toBe("again");
  expect(readdirSync(store.layout.local).sort()).toEqual([".gitignore", "tmp"]);
});
