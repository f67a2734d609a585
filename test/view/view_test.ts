import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { run } from "../support/binary.ts";
import { CAN_MOUNT, onSmallDisk } from "../support/small_disk.ts";
import { snapshot } from "../support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder, type Variables } from "../support/temp.ts";
import { dataOf, pageOf, shopWorkspace, writeThreads } from "./workspaces.ts";

const isWindows = process.platform === "win32";

function smallWorkspace(): GitRepository {
  const repository = gitRepository();
  writeThreads(repository.top, "app", { main: { parentId: "null" }, auth: {} });
  writeThreads(repository.top, "other", { main: { parentId: "null" } });
  writeFileSync(join(repository.top, ".threadmind/config.json"), '{"version":1,"activeProjectId":"app"}');
  return repository;
}

async function view(
  { top, home }: GitRepository,
  words: readonly string[],
  env: Variables = {},
): ReturnType<typeof run> {
  return await run(["view", ...words], { cwd: top, home, env });
}

test("--output writes the file, and over a page of its own; - prints the same page", async () => {
  const repository = smallWorkspace();
  const file = join(temporaryFolder(), "page.html");
  const { stdout, stderr, code } = await view(repository, ["--output", file]);
  expect({ stdout, stderr, code }).toEqual({ stdout: `${file}\n`, stderr: "", code: 0 });
  expect(readFileSync(file, "utf8")).toStartWith("<!doctype html>");
  expect(await pageOf(repository)).toBe(readFileSync(file, "utf8"));
  const { stdout: json } = await view(repository, [`--output=${file}`, "--json"]);
  expect(JSON.parse(json)).toEqual({ version: 1, file });
  expect(readdirSync(dirname(file))).toEqual(["page.html"]);
});

test("--output leaves every file alone that is no page of its own", async () => {
  const repository = smallWorkspace();
  const { top } = repository;
  const page = join(temporaryFolder(), "page.html");
  await view(repository, ["--output", page]);
  const pageText = readFileSync(page, "utf8");
  mkdirSync(join(top, "src"));
  writeFileSync(join(top, "src/main.ts"), "precious\n");
  writeFileSync(join(top, "empty"), "");
  writeFileSync(join(top, "late.html"), `\n${pageText}`);
  writeFileSync(join(top, "locked.html"), pageText, { mode: 0o444 });
  mkdirSync(join(top, "other/.threadmind"), { recursive: true });
  const cases: (readonly [string, string])[] = [
    ...["src/main.ts", "empty", "late.html"].map(
      (file) => [file, "it is there already, and is no page of threadmind view"] as const,
    ),
    ["locked.html", "it is read-only"],
    ...[".git", ".git/config", ".git/new.html", ".git/hooks/new", "src/../.git/config", "new/.GIT/x"].map(
      (file) => [file, "the page doesn't belong into .git/"] as const,
    ),
    ["other/.threadmind/page.html", "the page doesn't belong into .threadmind/"],
  ];
  if (!isWindows) {
    symlinkSync(".git", join(top, "gitlink"));
    symlinkSync("src/main.ts", join(top, "link.html"));
    symlinkSync("nowhere", join(top, "dangling.html"));
    symlinkSync(page, join(top, "pagelink.html"));
    cases.push(["gitlink/config", "the page doesn't belong into .git/"]);
    for (const link of ["link.html", "dangling.html", "pagelink.html"]) cases.push([link, "it is a link"]);
  }
  const config = readFileSync(join(top, ".git/config"), "utf8");
  const before = snapshot(top);
  for (const [output, why] of cases) {
    const { stderr, code } = await view(repository, ["--output", output]);
    expect([output, code, stderr]).toEqual([output, 1, expect.stringContaining(why)]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  }
  expect(snapshot(top)).toEqual(before);
  expect(readFileSync(join(top, ".git/config"), "utf8")).toBe(config);
  expect(existsSync(join(top, ".git/new.html"))).toBe(false);
});

test.skipIf(!CAN_MOUNT)("a page that can't be written whole leaves the old one, and nothing beside it", async () => {
  const repository = smallWorkspace();
  await onSmallDisk(512, async (folder) => {
    const file = join(folder, "page.html");
    expect((await view(repository, ["--output", file])).code).toBe(0);
    const before = readFileSync(file, "utf8");
    const free = 512 * 1024 - before.length;
    writeFileSync(join(folder, "filler"), "x".repeat(free - 16_384));
    for (const output of [file, join(folder, "new.html")]) {
      const { stderr, code } = await view(repository, ["--output", output]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("there is no space left on the device")]);
    }
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(["filler", "page.html"]);
  });
});

test("a path is taken from the working directory", async () => {
  const repository = smallWorkspace();
  const folder = temporaryFolder();
  const { code } = await run(["view", "--root", repository.top, "--output", "page.html"], { cwd: folder });
  expect(code).toBe(0);
  expect(existsSync(join(folder, "page.html"))).toBe(true);
});

test("nothing in .threadmind/ changes", async () => {
  const repository = smallWorkspace();
  const before = snapshot(repository.top);
  await pageOf(repository);
  await view(repository, ["--output", join(temporaryFolder(), "page.html")]);
  expect(snapshot(repository.top)).toEqual(before);
});

test("what can't be written is refused with the reason", async () => {
  const repository = smallWorkspace();
  const folder = temporaryFolder();
  if (!isWindows) symlinkSync(folder, join(folder, "link"));
  const cases: readonly (readonly [string, string])[] = [
    [folder, "it is a folder"],
    [`${folder}/new/`, "it is a folder"],
    [join(folder, "no/page.html"), "there is no such folder"],
    [join(repository.top, ".threadmind/page.html"), "the page doesn't belong into .threadmind/"],
    ...(isWindows
      ? []
      : ([
          ["/dev/null", "it is no regular file"],
          [join(folder, "link"), "it is a folder"],
        ] as const)),
  ];
  for (const [output, why] of cases) {
    const { stderr, code } = await view(repository, ["--output", output]);
    expect(stderr).toStartWith(`threadmind: Cannot write the page to ${JSON.stringify(output)}: ${why}.`);
    expect(code).toBe(1);
  }
  const { stdout } = await view(repository, ["--json", "--output", folder]);
  expect(JSON.parse(stdout).error.code).toBe("storage");
});

test("wrong words are refused", async () => {
  const repository = smallWorkspace();
  for (const words of [
    ["auth"],
    ["--output"],
    ["--output="],
    ["--output", "--x"],
    ["--output", "-x"],
    ["--out", "x"],
    ["--output", "a", "--output", "b"],
    ["--output", "-", "--json"],
  ]) {
    const { stderr, stdout, code } = await view(repository, words);
    expect(`${stderr}${stdout}`).toContain("Cannot run threadmind view");
    expect(code).toBe(2);
  }
});

test("--project and --thread choose what is open first, and are checked", async () => {
  const repository = smallWorkspace();
  const open = async (...words: readonly string[]): Promise<unknown> =>
    (dataOf(await pageOf(repository, ...words)) as unknown as { open: unknown }).open;
  expect(await open()).toEqual({ project: 0, thread: 0 });
  expect(await open("--thread", "auth")).toEqual({ project: 0, thread: 1 });
  expect(await open("--project", "other")).toEqual({ project: 1, thread: 0 });
  expect((await view(repository, ["--project", "othr", "--output", "-"])).stderr).toContain("Did you mean other?");
  expect((await view(repository, ["--thread", "aut", "--output", "-"])).stderr).toContain("Did you mean auth?");
});

test("-C and --root say where; without a project it is said what to do", async () => {
  const repository = smallWorkspace();
  const elsewhere = temporaryFolder();
  for (const option of ["-C", "--root"]) {
    const { stdout } = await run(["view", option, repository.top, "--output", "-"], { cwd: elsewhere });
    expect(dataOf(stdout).projects).toHaveLength(2);
  }
  const empty = gitRepository();
  const { stderr, code } = await view(empty, ["--output", "-"]);
  expect(stderr).toContain("has no ThreadMind project");
  expect(code).toBe(1);
});

test.skipIf(process.platform !== "linux")(
  "without a screen the temporary page's path is printed, and the page is for its owner alone",
  async () => {
    const repository = shopWorkspace();
    const temporary = temporaryFolder();
    const { stdout, stderr, code } = await view(repository, [], { TMPDIR: temporary, TEMP: temporary, TMP: temporary });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    const file = stdout.trimEnd();
    expect(file).toStartWith(temporary);
    expect(readFileSync(file, "utf8")).toContain("Shop · ThreadMind");
    for (const path of [file, dirname(file)]) expect(statSync(path).mode & 0o077).toBe(0);
  },
);

test.skipIf(process.platform !== "linux")("temporary pages of earlier days are removed, and nothing else", async () => {
  const repository = smallWorkspace();
  const temporary = temporaryFolder();
  const make = (name: string, days: number, ...files: readonly string[]): void => {
    mkdirSync(join(temporary, name));
    for (const file of files) writeFileSync(join(temporary, name, file), "");
    const then = new Date(Date.now() - days * 86_400_000);
    utimesSync(join(temporary, name), then, then);
  };
  make("threadmind-view-AbC123", 2, "threadmind.html");
  make("threadmind-view-empty0", 2);
  make("threadmind-view-young1", 0.5, "threadmind.html");
  make("threadmind-view-notes1", 2, "notes.txt", "threadmind.html");
  make("threadmind-view-longername", 2, "threadmind.html");
  make("threadmind-demo-AbC123", 2, "threadmind.html");
  make("elsewhere", 2, "threadmind.html");
  symlinkSync("elsewhere", join(temporary, "threadmind-view-linked"));
  make("threadmind-view-inside", 2);
  symlinkSync("../elsewhere/threadmind.html", join(temporary, "threadmind-view-inside/threadmind.html"));
  const then = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(join(temporary, "threadmind-view-inside"), then, then);
  const foreign = process.getuid?.() === 0 ? ["threadmind-view-other1"] : [];
  for (const name of foreign) {
    make(name, 2, "threadmind.html");
    chownSync(join(temporary, name), 65534, 65534);
  }
  const before = snapshot(temporary);
  const { stdout } = await view(repository, [], { TMPDIR: temporary });
  const gone = ["threadmind-view-AbC123/", "threadmind-view-AbC123/threadmind.html", "threadmind-view-empty0/"];
  const now = snapshot(temporary);
  expect(Object.keys(before).filter((path) => !(path in now))).toEqual(gone);
  expect(Object.keys(now).filter((path) => !(path in before))).toEqual([
    `${basename(dirname(stdout.trimEnd()))}/`,
    relative(temporary, stdout.trimEnd()),
  ]);
});

test.skipIf(process.platform !== "linux")(
  "the system's opener gets the path as one word, lives on by itself, and isn't waited for",
  async () => {
    const repository = smallWorkspace();
    const folder = temporaryFolder();
    const temporary = join(folder, "a $(touch pwned) 'b'");
    const said = join(folder, "said");
    mkdirSync(temporary);
    const opener = join(folder, "xdg-open");
    const env = { DISPLAY: ":7", TMPDIR: temporary, PATH: `${folder}:${process.env.PATH}` };
    const waitFor = async (text: string): Promise<void> => {
      for (let at = 0; at < 200 && !(existsSync(said) && readFileSync(said, "utf8") === text); at++)
        await Bun.sleep(50);
      expect(readFileSync(said, "utf8")).toBe(text);
    };
    for (const script of ["exit 0", "exit 3", "sleep 3; printf 'still here' > SAID"]) {
      const rest = script.replace("SAID", `'${said}'`);
      writeFileSync(opener, `#!/bin/sh\nprintf '%s|' "$#" "$@" > '${said}'; echo noise; echo noise >&2\n${rest}\n`);
      chmodSync(opener, 0o755);
      const started = performance.now();
      const { stdout, stderr, code } = await view(repository, [], env);
      expect(performance.now() - started).toBeLessThan(2500);
      expect([code, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
      await waitFor(`1|${stdout.trimEnd()}|`);
      if (script.startsWith("sleep")) await waitFor("still here");
    }
    writeFileSync(said, "");
    await view(repository, ["--json"], env);
    await Bun.sleep(300);
    expect(readFileSync(said, "utf8")).toBe("");
  },
);
