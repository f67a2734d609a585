import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { layoutOf, prepare, removeLeftovers } from "../../src/io/layout.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";

const OLD = readFileSync(join(import.meta.dir, "../fixtures/v0.4.1/threadmind/gitignore"), "utf8");
const CRLF = OLD.replaceAll("\n", "\r\n");

/** What `prepare()` makes of a file of `.threadmind/`; `undefined` where there is none. */
function prepared(name: string, before?: string): string {
  const top = temporaryFolder();
  const path = join(top, ".threadmind", name);
  mkdirSync(join(path, ".."), { recursive: true });
  if (before !== undefined) writeFileSync(path, before);
  prepare(layoutOf(top));
  const once = readFileSync(path, "utf8");
  prepare(layoutOf(top));
  expect(readFileSync(path, "utf8")).toBe(once);
  return once;
}

const IGNORE: readonly (readonly [says: string, before: string | undefined, after: string])[] = [
  ["makes one", undefined, "config.json\nlocal/\n"],
  ["fills an empty one", "", "config.json\nlocal/\n"],
  ["appends to 0.4's", OLD, `${OLD}local/\n`],
  ["appends with the line ends that are there", CRLF, `${CRLF}local/\r\n`],
  ["ends a last line that has no end", "node_modules", "node_modules\nconfig.json\nlocal/\n"],
  ["ends a last line without an end, CRLF before it", "a\r\nb", "a\r\nb\r\nconfig.json\r\nlocal/\r\n"],
  ["knows a line with a slash before it", "/config.json\n/local\n", "/config.json\n/local\n"],
  ["knows a line with blanks behind it", "config.json  \nlocal/ \n", "config.json  \nlocal/ \n"],
  ["isn't content with a comment", "# config.json local/\n", "# config.json local/\nconfig.json\nlocal/\n"],
  ["isn't content with an exception", "!config.json\nlocal/\n", "!config.json\nlocal/\nconfig.json\n"],
  ["isn't content with a longer name", "config.json.bak\nlocal/x\n", "config.json.bak\nlocal/x\nconfig.json\nlocal/\n"],
  ["keeps a byte order mark", "\ufeffa\n", "\ufeffa\nconfig.json\nlocal/\n"],
];

for (const [says, before, after] of IGNORE) {
  test(`prepare() and .gitignore: ${says}`, () => {
    expect(prepared(".gitignore", before)).toBe(after);
  });
}

const LINE = "threads/** merge=threadmind\n";
const ATTRIBUTES: readonly (readonly [says: string, before: string | undefined, after: string])[] = [
  ["makes one", undefined, LINE],
  ["appends to others", "* -text\n", `* -text\n${LINE}`],
  ["ends a last line that has no end", "* text=auto", `* text=auto\n${LINE}`],
  ["keeps CRLF", "* text\r\n", `* text\r\n${LINE.replace("\n", "\r\n")}`],
  ["leaves one's own rule for threads/", "threads/** merge=union\n", "threads/** merge=union\n"],
  ["leaves one's own rule with a slash", "* -text\n/threads/** merge=ours\n", "* -text\n/threads/** merge=ours\n"],
  ["isn't content with a comment", "# threads/ are merged\n", `# threads/ are merged\n${LINE}`],
];

for (const [says, before, after] of ATTRIBUTES) {
  test(`prepare() and .gitattributes: ${says}`, () => {
    expect(prepared(".gitattributes", before)).toBe(after);
  });
}

test("prepare() makes local/ ignored by itself and leaves an own .gitignore in it", () => {
  expect(prepared("local/.gitignore")).toBe("*\n");
  expect(prepared("local/.gitignore", "*\n!notes.md\n")).toBe("*\n!notes.md\n");
  expect(prepared("local/.gitignore", "")).toBe("");
});

test("prepare() leaves files that aren't UTF-8 as they are", () => {
  const top = temporaryFolder();
  mkdirSync(join(top, ".threadmind"));
  const path = join(top, ".threadmind/.gitignore");
  const bytes = new Uint8Array([0xe9, 0x0a]);
  writeFileSync(path, bytes);
  prepare(layoutOf(top));
  expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
});

test("git ignores config.json and local/ once a workspace is prepared, and sees the rest", () => {
  const { top, git, write } = gitRepository();
  prepare(layoutOf(top));
  write(".threadmind/config.json", "{}");
  write(".threadmind/local/kept/app/auth/x.md", "old");
  write(".threadmind/local/tmp/1-0123456789ab.tmp", "");
  write(".threadmind/threads/app/auth.md", "");
  expect(git("status", "--porcelain", "--untracked-files=all").split("\n").sort()).toEqual([
    "?? .threadmind/.gitattributes",
    "?? .threadmind/.gitignore",
    "?? .threadmind/threads/app/auth.md",
  ]);
  expect(git("check-attr", "merge", ".threadmind/threads/app/auth.md")).toEndWith("merge: threadmind");
});

test("removeLeftovers() removes temporary files of dead processes and very old ones, no others", async () => {
  const layout = layoutOf(temporaryFolder());
  mkdirSync(layout.temporary, { recursive: true });
  const dead = Bun.spawn(["true"]);
  await dead.exited;
  const names = {
    dead: `${dead.pid}-0123456789ab.tmp`,
    deadBeside: `.${dead.pid}-0123456789ab.tmp`,
    running: `${process.ppid}-0123456789ab.tmp`,
    own: `${process.pid}-0123456789ab.tmp`,
    old: `${process.ppid}-ba9876543210.tmp`,
    foreign: "notes.tmp",
  };
  for (const name of Object.values(names)) writeFileSync(join(layout.temporary, name), "x");
  const yesterday = Date.now() / 1000 - 86_400;
  utimesSync(join(layout.temporary, names.old), yesterday, yesterday);
  removeLeftovers(layout.temporary);
  expect(readdirSync(layout.temporary).sort()).toEqual([names.running, names.own, names.foreign].sort());
});

test("prepare() changes nothing where all is there", () => {
  const layout = layoutOf(temporaryFolder());
  prepare(layout);
  const files = [".gitignore", ".gitattributes", "local/.gitignore"].map((name) => join(layout.data, name));
  const before = files.map((file) => statSync(file).ino);
  prepare(layout);
  expect(files.map((file) => statSync(file).ino)).toEqual(before);
  expect(existsSync(layout.config)).toBe(false);
});
