import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/binary.ts";
import { end, hook, start, usageRecord } from "../support/hooks.ts";
import { readThread, snapshot, threadFile, writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { amount, brokenJson, changedPaths, copyOf, leftovers, succeed } from "./faults.ts";

setDefaultTimeout(120_000);

const BODY = "## Decisions\n- JWT in a cookie\n\n## State\n- login done\n";
const THREAD = ".threadmind/threads/app/auth.md";

/** A project in which every kind of file exists. */
async function project(): Promise<string> {
  template ??= makeProject();
  return copyOf(await template);
}

let template: Promise<string> | undefined;

async function makeProject(): Promise<string> {
  const { top } = gitRepository();
  writeProject(top, { auth: { body: BODY }, api: { parentId: "auth", body: "## Decisions\n- REST\n" } });
  const transcript = join(temporaryFolder(), "t.jsonl");
  writeFileSync(transcript, usageRecord(5000));
  await succeed(top, ["create", "Ui", "--thread", "main"]);
  await succeed(top, ["summary", "ui", "--content", "## Decisions\n- old\n"]);
  await succeed(top, ["summary", "ui", "--content", "## Decisions\n- new\n"]);
  await start({ top }, "startup", "s0");
  await end({ top }, "s0", transcript);
  return top;
}

const only = (top: string, folder: string): string => {
  const [name = "", ...more] = readdirSync(join(top, folder))
    .filter((entry) => /\.(?:md|json)$/.test(entry))
    .sort()
    .reverse();
  if (name === "") throw new Error(`${folder} is empty: ${more}`);
  return `${folder}/${name}`;
};

/** Each kind of file: where it is, and what is to be said about it when it is cut; nothing where its absence means nothing. */
const KINDS: readonly (readonly [kind: string, path: (top: string) => string, said: boolean])[] = [
  ["thread", () => THREAD, true],
  ["project file", () => ".threadmind/projects/app.json", true],
  ["config.json", () => ".threadmind/config.json", true],
  ["session file", (top) => only(top, ".threadmind/local/sessions"), false],
  [".gitignore", () => ".threadmind/.gitignore", false],
  [".gitattributes", () => ".threadmind/.gitattributes", false],
  ["local .gitignore", () => ".threadmind/local/.gitignore", false],
  ["kept text", (top) => only(top, ".threadmind/local/kept/app/ui"), false],
];

/** What a cut leaves of a file: nothing, half of it, all but the last byte, or NUL bytes in its length as after a power cut. */
const CUTS: readonly (readonly [cut: string, apply: (bytes: Buffer) => Uint8Array])[] = [
  ["empty", () => new Uint8Array()],
  ["cut in half", (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ["cut in its first line", (bytes) => bytes.subarray(0, 2)],
  ["all NUL", (bytes) => new Uint8Array(bytes.length)],
];

for (const [kind, pathOf, isSaid] of KINDS) {
  for (const [cut, apply] of CUTS.slice(0, amount(2, 4))) {
    test(`a ${kind} that is ${cut} changes nothing else, and a read writes nothing`, async () => {
      const top = await project();
      const path = pathOf(top);
      const bytes = apply(readFileSync(join(top, path)));
      writeFileSync(join(top, path), bytes);
      const before = snapshot(top);
      const outputs: string[] = [];
      for (const words of [
        ["tree"],
        ["tree", "--json"],
        ["context"],
        ["stats"],
        ["search", "rest"],
        ["history", "ui"],
        ["project", "list"],
      ]) {
        const { stdout, stderr, code } = await run(words, { cwd: top });
        expect([words, stderr.includes("bug"), code]).toEqual([
          words,
          false,
          kind === "project file" && words[0] !== "project" ? 1 : 0,
        ]);
        outputs.push(stdout + stderr);
      }
      expect(snapshot(top)).toEqual(before);
      const shown = await hook({ top }, "session-start", { session_id: "s1", source: "resume" });
      expect([shown.code, shown.stderr]).toEqual([0, ""]);
      const after = snapshot(top);
      // A hook notes its session, which is its work, and with it completes what keeps git from seeing that.
      expect(changedPaths(before, after).filter((name) => !name.endsWith("/config.json"))).toEqual([]);
      // The hook's write sets an unreadable config.json aside, whole.
      if (kind === "config.json")
        expect([after[path], after[".threadmind/local/config.json.unreadable"]]).toContain(before[path]);
      const isCutThread = kind === "thread" && cut === "cut in half";
      if (isSaid && !isCutThread) expect(outputs.join("\n")).toContain(path);

      // The next write: what is damaged stays as it is, or is set aside or completed; nothing else changes.
      const next = await run(["summary", "main", "--content", "## Decisions\n- after\n"], { cwd: top });
      const isProject = kind === "project file";
      expect([next.code, next.stderr.includes("bug")]).toEqual([isProject ? 1 : 0, false]);
      const now = snapshot(top);
      expect(changedPaths(after, now)).toEqual(isProject ? [] : [".threadmind/threads/app/main.md"]);
      if (!path.endsWith(".gitignore") && !path.endsWith(".gitattributes") && kind !== "session file")
        expect(now[path]).toBe(after[path] ?? "");
      if (kind === ".gitignore" && cut === "empty") expect(now[path]).toBe("config.json\nlocal/\n");
      expect(leftovers(top)).toEqual([]);
    });
  }
}

test("an empty project file beside a good one takes neither the good one's threads nor its own name", async () => {
  const top = await project();
  writeProject(top, {}, { id: "other", title: "Other" });
  writeFileSync(join(top, ".threadmind/projects/app.json"), "");
  const before = snapshot(top);
  const list = await run(["project", "list"], { cwd: top });
  expect([
    list.code,
    list.stdout.includes("other"),
    list.stdout.includes(".threadmind/projects/app.json: It is empty."),
  ]).toEqual([0, true, true]);
  for (const words of [
    ["tree"],
    ["context"],
    ["create", "New"],
    ["project", "switch", "app"],
    ["project", "update", "--title", "X", "--project", "app"],
  ]) {
    const { stdout, stderr, code } = await run(words, { cwd: top });
    expect([words, stdout, code]).toEqual([words, "", 1]);
    expect(stderr).toContain("app");
  }
  expect(changedPaths(before, snapshot(top))).toEqual([]);
  expect(await succeed(top, ["tree", "--project", "other"])).toStartWith("main");
  expect(await succeed(top, ["project", "create", "App"])).toContain("Created the project app-2");
  expect(readFileSync(join(top, ".threadmind/projects/app.json"), "utf8")).toBe("");
});

test("a kept text that is damaged is brought back neither as a whole nor over what is there", async () => {
  const top = await project();
  const kept = only(top, ".threadmind/local/kept/app/ui");
  for (const bytes of ["", "\0\0\0\0", "---\nid: ui\ntitle: half of a hea"]) {
    writeFileSync(join(top, kept), bytes);
    const before = readThread(top, "ui");
    const revision = /(\d{8}T\d{9}Z)/.exec(kept)?.[1];
    const { stderr, code } = await run(["restore", "ui", `kept-${revision}`], { cwd: top });
    // It is no version, so the revision isn't found.
    expect([bytes, code, stderr.startsWith("threadmind: Cannot find the revision ")]).toEqual([bytes, 2, true]);
    expect(readThread(top, "ui")).toBe(before);
  }
});

test("a session file of any content makes no hook and no server fail, and never moves a session to what isn't there", async () => {
  const top = await project();
  const folder = join(top, ".threadmind/local/sessions");
  mkdirSync(folder, { recursive: true });
  const contents = [
    "",
    "null",
    "[]",
    "42",
    '{"project":"../../etc","thread":"passwd"}',
    '{"project":"app","thread":"__proto__"}',
    '{"project":"app","thread":"auth","seen":{"app/auth":{"digest":5}},"edited":{"files":[1]}}',
    '{"session":{"toString":1},"hookAt":[]}',
    `{"project":"app","thread":"auth","branch":${"[".repeat(20_000)}`,
    '{"born":"x","__proto__":{"project":"x"}}',
  ];
  for (const content of contents) {
    writeFileSync(join(folder, `${process.pid}.json`), content);
    const started = await hook({ top }, "session-start", { session_id: "s9", source: "clear" });
    expect([content.slice(0, 50), started.code, started.stderr, started.stdout.includes("## Thread: ")]).toEqual([
      content.slice(0, 50),
      0,
      "",
      true,
    ]);
    const edited = await hook({ top }, "pre-edit", { session_id: "s9", tool_input: { file_path: join(top, "a.ts") } });
    expect([edited.code, edited.stderr]).toEqual([0, ""]);
    expect(brokenJson(top)).toEqual([]);
  }
  expect(readFileSync(threadFile(top, "auth"), "utf8")).toEndWith(BODY);
});
