import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../support/binary.ts";
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

test("--output writes the file, and over an older one; - prints the same page", async () => {
  const repository = smallWorkspace();
  const file = join(temporaryFolder(), "page.html");
  writeFileSync(file, "older");
  const { stdout, stderr, code } = await view(repository, ["--output", file]);
  expect({ stdout, stderr, code }).toEqual({ stdout: `${file}\n`, stderr: "", code: 0 });
  expect(readFileSync(file, "utf8")).toStartWith("<!doctype html>");
  expect(await pageOf(repository)).toBe(readFileSync(file, "utf8"));
  const { stdout: json } = await view(repository, [`--output=${file}`, "--json"]);
  expect(JSON.parse(json)).toEqual({ version: 1, file });
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
    expect((await Bun.file(dirname(file)).stat()).mode & 0o077).toBe(0);
  },
);

test.skipIf(process.platform !== "linux")(
  "the system's opener gets the path as one word, and may stay or fail",
  async () => {
    const repository = smallWorkspace();
    const folder = temporaryFolder();
    const temporary = join(folder, "a $(touch pwned) 'b'");
    mkdirSync(temporary);
    const opener = join(folder, "xdg-open");
    const env = { DISPLAY: ":7", TMPDIR: temporary, PATH: `${folder}:${process.env.PATH}` };
    for (const [script, most] of [
      ["exit 0", 5],
      ["exit 3", 5],
      ["exec sleep 20", 12],
    ] as const) {
      writeFileSync(opener, `#!/bin/sh\nprintf '%s|' "$#" "$@" > '${folder}/said'\n${script}\n`);
      chmodSync(opener, 0o755);
      const started = performance.now();
      const { stdout, code } = await view(repository, [], env);
      expect(performance.now() - started).toBeLessThan(most * 1000);
      expect(code).toBe(0);
      expect(readFileSync(join(folder, "said"), "utf8")).toBe(`1|${stdout.trimEnd()}|`);
    }
    writeFileSync(join(folder, "said"), "");
    await view(repository, ["--json"], env);
    expect(readFileSync(join(folder, "said"), "utf8")).toBe("");
  },
);
