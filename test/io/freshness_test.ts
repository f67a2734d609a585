import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isFingerprintCurrent, readStaleNotes, takeStamp } from "../../src/io/freshness.ts";
import { openGit } from "../../src/io/git.ts";
import { fakeGit, pathWith, underPath } from "../support/fake_git.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { changed, elsewhere, uncommitted } from "../support/thread_workspace.ts";
import { stamped, stampedRepository, threadFile, useOwnHome } from "./stamped_repository.ts";

setDefaultTimeout(60_000);

useOwnHome();

const UNVERIFIED = "_⚠ Not verified since it was merged: check it is still accurate._";

test("`takeStamp()` has nothing to record without git", async () => {
  expect(await takeStamp(undefined, temporaryFolder(), ["src"])).toEqual({ commit: undefined, fingerprint: undefined });
});

test("`takeStamp()` records a commit alone where there are no paths, or none outside submodules", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const other = gitRepository();
  other.commit("Start", { "a.ts": "1\n" });
  repository.git("submodule", "--quiet", "add", other.top, "lib");
  const commit = repository.git("rev-parse", "HEAD");
  for (const paths of [[], ["lib/a.ts"], ["../up"]]) {
    expect(await repository.stamp(paths)).toEqual({ commit, fingerprint: undefined });
  }
  expect((await repository.stamp(["lib"])).fingerprint).toMatch(/^1-/);
  expect(await repository.stamp(["src", "lib/a.ts"])).toEqual(await repository.stamp(["src"]));
});

test("`takeStamp()` takes paths that were edited by hand for what they mean", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const { fingerprint } = await repository.stamp(["src"]);
  expect((await repository.stamp(["./src/", "src//"])).fingerprint).toBe(fingerprint);
  const written = { ...(await repository.summary(["src"])), paths: ["./src/"] };
  expect(await repository.note(written)).toBeUndefined();
  repository.commit("Change", { "src/a.ts": "2\n" });
  expect(await repository.note(written)).toBe(changed(1, "src"));
});

test("`isFingerprintCurrent()` compares what is recorded with what is there", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const { top } = repository;
  const written = await repository.summary(["src"]);
  const isCurrent = (subject = written, git = openGit(top)): Promise<boolean> =>
    isFingerprintCurrent(git, top, subject);
  expect(await isCurrent()).toBe(true);
  expect(await isFingerprintCurrent(undefined, top, written)).toBe(false);
  expect(await isCurrent({ ...written, fingerprint: undefined })).toBe(false);
  expect(await isCurrent({ ...written, paths: [] })).toBe(false);
  repository.write("src/a.ts", "2\n");
  expect(await isCurrent()).toBe(false);
});

test("`readStaleNotes()` says nothing without git, and nothing of no threads", async () => {
  const repository = stampedRepository();
  const { top } = repository;
  const written = { ...(await repository.summary(["src"])), fingerprint: undefined, commit: undefined };
  expect(await repository.note(written)).toBe(UNVERIFIED);
  expect((await readStaleNotes(undefined, top, [written])).size).toBe(0);
  expect((await readStaleNotes(openGit(top), top, [])).size).toBe(0);
});

test("`readStaleNotes()` says how old a summary is whose paths were taken out of its file", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const written = { ...(await repository.summary(["src"])), paths: [] };
  repository.commit("Change", { "src/a.ts": "2\n" });
  expect(await repository.note(written)).toBe("_Written 1 commit ago._");
});

test("`readStaleNotes()` takes what is no full commit id for none", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const id = repository.git("rev-parse", "HEAD");
  for (const commit of ["HEAD", "--output=x", id.slice(0, 10), id.toUpperCase(), `${id}\n`, ""]) {
    const written = { id: "auth", file: threadFile("auth"), commit, fingerprint: undefined };
    expect(await repository.note({ ...written, paths: [] })).toBeUndefined();
    expect(await repository.note({ ...written, paths: ["src"] })).toBe(UNVERIFIED);
  }
  expect(existsSync(join(repository.top, "x"))).toBe(false);
});

test("`readStaleNotes()` doesn't name a commit that is in the history of no branch checked out yet", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const [written, old] = [await repository.summary(["src"]), await repository.summary([], "old")];
  repository.git("checkout", "--quiet", "--orphan", "fresh");
  expect(await repository.note(written)).toBeUndefined();
  repository.write("src/a.ts", "2\n");
  expect(await repository.note(written)).toBe(uncommitted("src"));
  repository.git("add", "--all");
  expect(await repository.note(written)).toBe(uncommitted("src"));
  expect(await repository.note(old)).toBeUndefined();
  repository.commit("Fresh");
  expect(await repository.note(written)).toBe(elsewhere(written.commit ?? ""));
  expect(await repository.note(old)).toBe(elsewhere(written.commit ?? ""));
});

test("`readStaleNotes()` counts in a workspace in a folder of the repository", async () => {
  const repository = gitRepository();
  const workspace = join(repository.top, "app");
  repository.commit("Start", { "app/src/a.ts": "1\n", "src/a.ts": "1\n" });
  const git = openGit(workspace);
  const note = async (paths: readonly string[]): Promise<() => Promise<string | undefined>> => {
    const stamp = await takeStamp(git, workspace, paths);
    const subject = { id: "auth", file: threadFile("auth"), paths, ...stamp };
    return async () => (await readStaleNotes(git, workspace, [subject])).get("auth");
  };
  const [folder, all, none] = [await note(["src"]), await note(["."]), await note([])];
  repository.commit("Outside", { "src/a.ts": "2\n" });
  expect([await folder(), await all(), await none()]).toEqual([undefined, undefined, "_Written 1 commit ago._"]);
  repository.commit("Threads", { [`app/${threadFile("other")}`]: "1\n", [threadFile("main")]: "1\n" });
  expect([await folder(), await all(), await none()]).toEqual([undefined, undefined, "_Written 1 commit ago._"]);
  repository.commit("Inside", { "app/src/a.ts": "2\n" });
  expect([await folder(), await all(), await none()]).toEqual([
    changed(1, "src"),
    changed(1, "."),
    "_Written 2 commits ago._",
  ]);
  repository.commit("With the summary", { "app/src/a.ts": "3\n", [`app/${threadFile("auth")}`]: "1\n" });
  expect([await folder(), await all(), await none()]).toEqual([
    changed(1, "src"),
    changed(1, "."),
    "_Written 2 commits ago._",
  ]);
});

test("`readStaleNotes()` counts in a SHA-256 repository", async () => {
  const { top, home } = gitRepository();
  rmSync(join(top, ".git"), { recursive: true });
  Bun.spawnSync(["git", "init", "--quiet", "-b", "main", "--object-format=sha256"], { cwd: top });
  const repository = stamped(gitRepository({ top, home }));
  repository.commit("Start", { "src/a.ts": "1\n" });
  const [one, two] = [await repository.summary(["src"], "one"), await repository.summary([], "two")];
  expect(one.commit).toHaveLength(64);
  repository.commit("Change", { "src/a.ts": "2\n" });
  expect(await repository.note(one)).toBe(changed(1, "src"));
  const notes = await readStaleNotes(openGit(top), top, [one, two]);
  expect(Object.fromEntries(notes)).toEqual({ one: changed(1, "src"), two: "_Written 1 commit ago._" });
});

test("`readStaleNotes()` minds a submodule when another commit of it is committed", async () => {
  const repository = stampedRepository();
  const other = gitRepository();
  other.commit("Start", { "a.ts": "1\n" });
  repository.git("submodule", "--quiet", "add", other.top, "lib");
  repository.commit("Submodule");
  const [whole, inside] = [await repository.summary(["lib"]), await repository.summary(["lib/a.ts"])];
  repository.git("-C", "lib", "commit", "--quiet", "--allow-empty", "--message", "Inside");
  expect(await repository.note(whole)).toBeUndefined();
  repository.git("add", "lib");
  expect(await repository.note(whole)).toBe(uncommitted("lib"));
  repository.commit("Newer");
  expect(await repository.note(whole)).toBe(changed(1, "lib"));
  expect(await repository.note(inside)).toBeUndefined();
});

test("`readStaleNotes()` says nothing in a clone that has other line ends", async () => {
  const repository = stampedRepository({ "src/a.txt": "a\nb\n" });
  const written = await repository.summary(["src"]);
  const top = join(temporaryFolder("clone"), "clone");
  repository.git("clone", "--quiet", "-c", "core.autocrlf=true", "-c", "core.eol=crlf", repository.top, top);
  const clone = stamped(gitRepository({ top, home: repository.home }));
  expect(clone.read("src/a.txt")).toBe("a\r\nb\r\n");
  expect(await clone.note(written)).toBeUndefined();
  clone.write("src/a.txt", "a\nb\n");
  expect(await clone.note(written)).toBeUndefined();
  clone.write("src/a.txt", "a\r\nc\r\n");
  expect(await clone.note(written)).toBe(uncommitted("src"));
});

test("`readStaleNotes()` names uncommitted changes in the middle of a merge", async () => {
  const repository = stampedRepository({ "src/a.ts": "1\n" });
  const written = await repository.summary(["src"]);
  const { git, commit } = repository;
  git("checkout", "--quiet", "-b", "side");
  commit("Side", { "src/a.ts": "2\n" });
  git("checkout", "--quiet", "-b", "here", "main");
  commit("Here", { "lib/b.ts": "1\n" });
  git("merge", "--quiet", "--no-commit", "side");
  expect(await repository.note(written)).toBe(uncommitted("src"));
});

const FAILURES: readonly (readonly [name: string, script: string])[] = [
  ["git fails at all", "exit 128"],
  ["git is ended by a signal", "kill -9 $$"],
  ["git knows no history", 'case " $* " in *" merge-base "*|*" log "*) exit 128;; esac; exec "$GIT" "$@"'],
  ["git fails to list commits", 'case " $* " in *" log "*) exit 128;; esac; exec "$GIT" "$@"'],
  ["git knows no objects", 'case " $* " in *" merge-base "*|*" cat-file "*) exit 128;; esac; exec "$GIT" "$@"'],
];

for (const [name, script] of FAILURES) {
  test(`\`readStaleNotes()\` says nothing of the history when ${name}`, async () => {
    const repository = stampedRepository({ "src/a.ts": "1\n", "lib/b.ts": "1\n" });
    const printed = await repository.summary(["src"], "printed");
    const paths = { ...(await repository.summary(["lib"], "paths")), fingerprint: undefined };
    const none = await repository.summary([], "none");
    repository.commit("Change", { "src/a.ts": "2\n", "lib/b.ts": "2\n" });
    expect((await readStaleNotes(openGit(repository.top), repository.top, [printed, paths, none])).size).toBe(3);
    const path = pathWith(fakeGit(script));
    for (const subjects of [[printed], [paths], [none], [printed, paths, none]]) {
      const notes = await underPath(path, () => readStaleNotes(openGit(repository.top), repository.top, subjects));
      expect(Object.fromEntries(notes)).toEqual({});
    }
  });
}
