import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { readThread, renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { gitRepository, temporaryFolder } from "./support/temp.ts";

setDefaultTimeout(60_000);

const BODY = "## Decisions\n- JWT in a cookie\n\n## State\n- login done\n";
const NEW_BODY = "## Decisions\n- JWT in a header\n\n## State\n- login done\n";

/** A repository whose thread auth has this file. */
function withAuth(source: string | Uint8Array): string {
  const { top } = gitRepository();
  writeProject(top, { api: { parentId: "auth" } });
  writeFileSync(threadFile(top, "auth"), source);
  return top;
}

async function cli(top: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(words, { cwd: top });
  return `${stdout}${stderr}`;
}

test("a file of a Windows editor is read like any other and stays CRLF with its byte order mark", async () => {
  const source = `\ufeff${renderThread("auth", { title: "Auth", body: BODY })}`.replaceAll("\n", "\r\n");
  const top = withAuth(source);
  expect(await cli(top, "tree")).toBe("main ← active\n└── auth\n    └── api\n");
  expect(await cli(top, "context", "auth")).toMatch(/## Thread: Auth\n\n## Decisions\n- JWT in a cookie\n\n## State\n/);
  expect(await cli(top, "context", "api")).not.toContain("login done");
  await cli(top, "summary", "auth", "--content", NEW_BODY);
  const after = readThread(top, "auth");
  const stamps = /^(?:updatedAt|commit): .*\r\n/gm;
  expect(after.replace(stamps, "")).toBe(source.replace(stamps, "").replace("cookie", "header"));
  expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  expect(after.lastIndexOf("\ufeff")).toBe(0);
});

const HASHES = ["4081957263301846e29573018264401973625580", "7310954826610948213379025518846390271645", "0192117"];

for (const hash of HASHES) {
  test(`a commit that looks like the number ${hash} survives a write that doesn't set it`, async () => {
    const source = renderThread("auth", { body: BODY }).replace("\n---\n\n", `\ncommit: ${hash}\n---\n\n`);
    const top = withAuth(source);
    expect(await cli(top, "summary", "auth", "--append", "--content", "- more")).toContain(
      "Updated the summary of auth",
    );
    expect(readThread(top, "auth")).toContain(`\ncommit: ${hash}\n`);
  });
}

test("a thread named 007 keeps its name, and a new hash is a text for every YAML reader", async () => {
  const repo = gitRepository();
  writeProject(repo.top, { "007": {}, "1e3": { parentId: "007" }, no: { parentId: "007" } });
  repo.commit("Start");
  expect(await cli(repo.top, "tree")).toBe("main ← active\n└── 007\n    ├── 1e3\n    └── no\n");
  await cli(repo.top, "summary", "007", "--content", BODY);
  const header = parse(readThread(repo.top, "007").split("---\n")[1] ?? "", { schema: "core" });
  expect(typeof header.commit).toBe("string");
  expect(readThread(repo.top, "007")).toContain("\nid: 007\n");
  await cli(repo.top, "create", "404");
  expect(parse(readThread(repo.top, "404").split("---\n")[1] ?? "")).toMatchObject({ id: "404", title: "404" });
});

test("a title with line breaks, tabs or separators becomes one line and sets no other key", async () => {
  const { top } = gitRepository();
  writeProject(top);
  const titles = [
    "Q3 plan\nparentId: null\nstatus: done",
    "Q4 plan\r\nstatus: done",
    "Tabbed\ttitle",
    "Separated\u2028title\u2029status: done",
    "Ends --- here\n---\n",
    "Quotes \" and ' and \\ and #",
  ];
  const { call, close } = await openClient({ cwd: top });
  for (const title of titles) expect((await call("thread_create", { title, parentId: "main" })).isError).toBe(false);
  const { text } = await call("thread_list");
  expect(text.split("\n")).toHaveLength(titles.length + 1);
  expect(text).not.toContain("✓");
  await close();
  const files = readdirSync(join(top, ".threadmind/threads/app")).filter((name) => name !== "main.md");
  const headers = files.map((name) =>
    parse(readFileSync(threadFile(top, name.slice(0, -3)), "utf8").split(/^---$/m)[1] ?? ""),
  );
  expect(headers.map((header) => header.title).sort()).toEqual(
    titles.map((title) => title.replace(/[\r\n\t\u2028\u2029]+/g, " ").trim()).sort(),
  );
  for (const header of headers) expect(header).toMatchObject({ parentId: "main", id: expect.any(String) });
  for (const header of headers) expect(header.status).toBeUndefined();
});

test("damaged files are named, everything else works, and nothing is made over them", async () => {
  const top = withAuth("");
  writeFileSync(threadFile(top, "nul"), "\0".repeat(100));
  writeFileSync(threadFile(top, "wide"), new Uint8Array(Buffer.from(`\ufeff${renderThread("wide", {})}`, "utf16le")));
  writeFileSync(join(top, ".threadmind/projects/lost.json"), "");
  const before = snapshot(top);
  const tree = await cli(top, "tree");
  expect(tree).toStartWith("main ← active\n");
  expect(tree).toContain("⚠ .threadmind/threads/app/auth.md:1: It is empty. ");
  expect(tree).toContain("rename the file to auth.md.bad, then threadmind restore app/auth");
  expect(tree).toContain("⚠ .threadmind/threads/app/nul.md:1: ");
  expect(tree).toContain("⚠ .threadmind/threads/app/wide.md:1: It is UTF-16, not UTF-8. ");
  expect(tree).toContain("⚠ .threadmind/projects/lost.json: It is empty. ");
  for (const id of ["auth", "nul", "wide"]) {
    for (const words of [
      ["summary", id, "--content", BODY],
      ["verify", id],
      ["switch", id],
      ["context", id],
    ]) {
      const { stderr, code } = await run(words, { cwd: top });
      expect(stderr).toContain(`.threadmind/threads/app/${id}.md:1: It `);
      expect(code).toBe(1);
    }
  }
  expect(await cli(top, "create", "Auth")).toContain("Created the thread auth-2");
  expect(await cli(top, "project", "create", "Lost")).toContain("Created the project lost-2");
  const after = snapshot(top);
  const kept = (path: string) => /threads\/app\/(?:auth|nul|wide)\.md|projects\/lost\.json/.test(path);
  for (const path of Object.keys(before).filter(kept)) expect(after[path]).toBe(before[path] ?? "");
});

test("a zero-byte config.json is said by a reader, set aside by a switch, and the author stays", async () => {
  const top = withAuth(renderThread("auth", { body: BODY }));
  await cli(top, "create", "One");
  writeFileSync(join(top, ".threadmind/config.json"), "");
  const { call, close } = await openClient({ cwd: top });
  const said =
    "⚠ .threadmind/config.json:1: It is not JSON: { was expected, but the file ends here. It counts as empty, and the next switch sets it aside.";
  expect((await call("thread_list")).text).toStartWith(`${said}\n\nmain ← active`);
  expect((await call("context_get")).text).not.toContain("config.json");
  expect((await call("thread_create", { title: "Two" })).text).toContain(
    "It was set aside as .threadmind/local/config.json.unreadable.\n\nCreated the thread two",
  );
  expect((await call("thread_switch", { threadId: "auth" })).text).not.toContain("config.json");
  await close();
  const authors = ["one", "two"].map((id) => /^author: .*$/m.exec(readThread(top, id))?.[0]);
  expect(authors[0]).toBe(authors[1] ?? "");
});

test("mode bits of a file are kept", async () => {
  const top = withAuth(renderThread("auth", { body: BODY }));
  chmodSync(threadFile(top, "auth"), 0o664);
  await cli(top, "summary", "auth", "--content", NEW_BODY);
  expect(statSync(threadFile(top, "auth")).mode & 0o777).toBe(0o664);
});

test("temporary files that killed processes left are removed by the next write", async () => {
  const top = withAuth(renderThread("auth", { body: BODY }));
  const tmp = join(top, ".threadmind/local/tmp");
  mkdirSync(tmp, { recursive: true });
  writeFileSync(join(tmp, "4194300-0123456789ab.tmp"), "half");
  await cli(top, "tree");
  expect(readdirSync(tmp)).toHaveLength(1);
  await cli(top, "switch", "auth");
  expect(readdirSync(tmp)).toEqual([]);
});

test("fifty-one writes keep fifty versions, and the one before each write is among them", async () => {
  const top = withAuth(renderThread("auth", { body: BODY }));
  const { call, close } = await openClient({ cwd: top, home: temporaryFolder() });
  const texts: string[] = [];
  for (let number = 0; number <= 51; number++) {
    texts.push(readThread(top, "auth"));
    await call("summary_update", { threadId: "auth", content: `## Decisions\n- number ${number}\n` });
  }
  await close();
  const folder = join(top, ".threadmind/local/kept/app/auth");
  const kept = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  expect(kept).toEqual(texts.slice(-50));
});
