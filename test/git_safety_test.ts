import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { fakeGit, pathWith } from "./support/fake_git.ts";
import { temporaryFolder } from "./support/temp.ts";
import { changed, type ThreadWorkspace, threadWorkspace } from "./support/thread_workspace.ts";

setDefaultTimeout(60_000);

/** A workspace whose thread main is behind by a commit, and whose thread auth has no paths. */
async function stale(): Promise<ThreadWorkspace> {
  const workspace = await threadWorkspace(["auth"]);
  workspace.commit("Start", { "src/a.ts": "1\n" });
  await workspace.summarise("main", "src");
  await workspace.summarise("auth");
  workspace.commit("Summaries");
  workspace.commit("Change", { "src/a.ts": "2\n" });
  return workspace;
}

const NOTES = { app: changed(1, "src"), auth: "_Written 1 commit ago._" };
const SILENT = { app: "", auth: "" };

test("`serve` answers every request although git reads its input", async () => {
  const workspace = await stale();
  const env = { PATH: pathWith(fakeGit('read line\nexec "$GIT" "$@"')) };
  const client = await openClient({ cwd: workspace.top, home: workspace.home, env });
  try {
    const context = client.call("context_get", { threadId: "main" });
    await Bun.sleep(5);
    const [tree, again] = [client.call("thread_list"), client.call("context_get", { threadId: "main" })];
    expect((await tree).text).toContain("auth ← active");
    expect((await context).text).toContain(changed(1, "src"));
    expect(await again).toEqual(await context);
    // Where git reads a list from its input, a line is missing now: then nothing is said.
    rmSync(join(workspace.top, ".threadmind/local/counts.json"));
    expect((await client.call("context_get")).text).not.toContain("⚠");
  } finally {
    await client.close();
  }
});

for (const [name, script] of [
  ["itself", "exec sleep 30"],
  ["in a program it started", "sleep 30"],
]) {
  test(`\`context\` leaves out the notes, after seconds, when git sleeps ${name}`, async () => {
    const workspace = await stale();
    const started = performance.now();
    expect(await workspace.notes({ env: { PATH: pathWith(fakeGit(script ?? "")) } })).toEqual(SILENT);
    expect(performance.now() - started).toBeLessThan(12_000);
  });
}

test("`context` has no notes without git on the PATH, where everything else works", async () => {
  const workspace = await stale();
  const { top, home } = workspace;
  const env = { PATH: temporaryFolder("empty-path") };
  const threadmind = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, code } = await run(args, { cwd: top, home, env });
    expect([stderr, code]).toEqual(["", 0]);
    return stdout;
  };
  expect(await workspace.notes()).toEqual(NOTES);
  expect(await workspace.notes({ env })).toEqual(SILENT);
  expect(await threadmind("create", "Without git")).toContain("Created the thread without-git below auth");
  expect(await threadmind("summary", "without-git", "--content", "x", "--paths", "src")).toContain("Updated");
  expect(workspace.source("without-git")).toContain("\npaths: [src]\n");
  expect(workspace.source("without-git")).not.toMatch(/^(?:commit|fingerprint|branch):/m);
  expect(await threadmind("tree")).toContain("without-git ← active");
});

test("`context` lets a repository's configuration start no program and change no count", async () => {
  const workspace = await stale();
  const { git, commit, top } = workspace;
  const spoils = temporaryFolder("spoils");
  const hostile = join(temporaryFolder("hostile"), "hostile");
  writeFileSync(hostile, `#!/bin/sh\ntouch '${spoils}/'"$(basename "$0")-$$"\nexit 1\n`);
  chmodSync(hostile, 0o755);
  mkdirSync(join(top, ".git/hooks"), { recursive: true });
  for (const hook of ["post-index-change", "fsmonitor-watchman", "reference-transaction"]) {
    writeFileSync(join(top, ".git/hooks", hook), `#!/bin/sh\nexec '${hostile}'\n`);
    chmodSync(join(top, ".git/hooks", hook), 0o755);
  }
  const programs = [
    "core.fsmonitor",
    "core.pager",
    "pager.log",
    "core.editor",
    "core.askPass",
    "core.sshCommand",
    "diff.external",
    "gpg.program",
  ];
  const settings = [
    ...programs.map((name) => [name, hostile]),
    ...["ls-files", "log", "hash-object", "rev-parse"].map((name) => [`alias.${name}`, `!${hostile}`]),
    ...["log.showSignature", "log.follow", "core.quotePath", "core.untrackedCache", "log.mailmap"].map((name) => [
      name,
      "true",
    ]),
    ...[
      ["log.showRoot", "false"],
      ["log.diffMerges", "first-parent"],
      ["log.decorate", "full"],
      ["color.ui", "always"],
    ],
    ...[
      ["diff.renames", "copies"],
      ["diff.ignoreSubmodules", "all"],
      ["diff.orderFile", "/no/such/file"],
      ["diff.noprefix", "true"],
    ],
    ...[
      ["format.pretty", "raw"],
      ["i18n.logOutputEncoding", "UTF-16"],
      ["submodule.recurse", "true"],
      ["status.showUntrackedFiles", "no"],
    ],
  ];
  for (const [name = "", value = ""] of settings) git("config", name, value);
  writeFileSync(join(top, ".gitattributes"), "* filter=undefined diff=undefined merge=undefined\n");
  writeFileSync(join(top, "src/a.ts"), "3\n");
  expect(await workspace.notes()).toEqual(NOTES);
  expect(readdirSync(spoils)).toEqual([]);
  // The settings are at work: git itself obeys them.
  expect(() => commit("By git itself")).toThrow();
  expect(readdirSync(spoils)).not.toEqual([]);
});

test("`context` verifies no signature", async () => {
  const workspace = await stale();
  const spoils = join(temporaryFolder("spoils"), "ran");
  const signer = join(temporaryFolder("signer"), "gpg");
  const sign = `echo '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'`;
  writeFileSync(signer, `#!/bin/sh\ncat > /dev/null\necho >> '${spoils}'\n${sign}\n`);
  chmodSync(signer, 0o755);
  workspace.git("config", "gpg.program", signer);
  workspace.write("src/a.ts", "3\n");
  workspace.git("commit", "--quiet", "--all", "--gpg-sign", "--message", "Signed");
  workspace.git("config", "log.showSignature", "true");
  const ran = Bun.file(spoils);
  const before = await ran.text();
  expect(before).toBe("\n");
  expect((await workspace.notes()).app).toBe(changed(2, "src"));
  expect(await ran.text()).toBe(before);
});

for (const filter of ["blob:none", "tree:0"]) {
  test(`\`context\` and \`verify\` fetch nothing into a partial clone (${filter})`, async () => {
    const workspace = await stale();
    const { git, home, top } = workspace;
    for (let n = 3; n < 6; n++) workspace.commit(`${n}`, { "src/a.ts": `${n}\n`, "lib/b.ts": `${n}\n` });
    git("config", "uploadpack.allowFilter", "true");
    git("config", "uploadpack.allowAnySHA1InWant", "true");
    const clone = join(temporaryFolder("clones"), "clone");
    git("clone", "--quiet", `--filter=${filter}`, `file://${top}`, clone);
    const missing = (): string => git("-C", clone, "rev-list", "--objects", "--all", "--missing=print");
    const before = missing();
    expect(before).toContain("\n?");
    const notes = await workspace.notes({ folder: clone, thread: "auth" });
    if (filter === "blob:none") expect(notes).toEqual({ app: changed(4, "src"), auth: "_Written 4 commits ago._" });
    expect(missing()).toBe(before);
    expect((await run(["verify", "main"], { cwd: clone, home })).code).toBe(0);
    expect(missing()).toBe(before);
  });
}

const ROOT = process.getuid?.() === 0;

test.skipIf(!ROOT)("`context` has no notes in a repository of another owner, where everything else works", async () => {
  const workspace = await stale();
  const { top, home } = workspace;
  chownSync(top, 12_345, 12_345);
  chownSync(join(top, ".git"), 12_345, 12_345);
  expect(() => workspace.git("log", "-1")).toThrow("dubious ownership");
  expect(await workspace.notes()).toEqual(SILENT);
  workspace.edit("main", (source) => source.replace(/^fingerprint: .*\n/m, ""));
  expect(await workspace.notes()).toEqual(SILENT);
  expect(await workspace.notes({ thread: "main" })).toEqual({ app: "" });
  expect((await run(["create", "Other"], { cwd: top, home })).code).toBe(0);
  expect((await run(["summary", "other", "--content", "x", "--paths", "src"], { cwd: top, home })).code).toBe(0);
  expect(workspace.source("other")).not.toMatch(/^(?:commit|fingerprint):/m);
});

test("`context` never starts a git that lies in the repository", async () => {
  const workspace = await stale();
  const { top } = workspace;
  mkdirSync(join(top, "node_modules/.bin"), { recursive: true });
  const mark = join(top, "ran");
  for (const folder of [top, join(top, "node_modules/.bin")]) fakeGit(`touch '${mark}'\nexec "$GIT" "$@"`, folder);
  const PATH = [top, join(top, "node_modules/.bin"), ".", "node_modules/.bin", process.env.PATH].join(":");
  expect(await workspace.notes({ env: { PATH } })).toEqual(NOTES);
  expect(existsSync(mark)).toBe(false);
});
