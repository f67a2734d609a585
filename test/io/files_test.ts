import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ThreadMindError } from "../../src/errors.ts";
import {
  decodeText,
  isFolder,
  isWithin,
  kindOf,
  listFolder,
  makeFolder,
  moveFile,
  readText,
  realPath,
  removeFile,
  writeWhole,
} from "../../src/io/files.ts";
import { CAN_MOUNT, onSmallDisk } from "../support/small_disk.ts";
import { temporaryFolder } from "../support/temp.ts";

/** A folder with a sub-folder for temporary files. */
function folders(): { readonly top: string; readonly tmp: string } {
  const top = temporaryFolder();
  mkdirSync(join(top, "tmp"));
  return { top, tmp: join(top, "tmp") };
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ThreadMindError && error.code === "storage") return error.message;
    throw error;
  }
  return "no error";
}

test("writeWhole() replaces a file by another, keeps its mode bits and leaves no temporary file", () => {
  const { top, tmp } = folders();
  const path = join(top, "a.md");
  writeFileSync(path, "old");
  linkSync(path, join(top, "hard"));
  for (const mode of [0o644, 0o600, 0o664, 0o755, 0o444 | 0o200]) {
    chmodSync(path, mode);
    writeWhole(path, `new ${mode}`, tmp);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o7777]).toEqual([`new ${mode}`, mode]);
  }
  expect(readFileSync(join(top, "hard"), "utf8")).toBe("old");
  expect(readdirSync(tmp)).toEqual([]);
});

test("writeWhole() writes through a link and leaves the link", () => {
  const { top, tmp } = folders();
  writeFileSync(join(top, "real.md"), "old");
  symlinkSync("real.md", join(top, "link.md"));
  writeWhole(join(top, "link.md"), new Uint8Array([0x6e, 0xff]), tmp);
  expect(lstatSync(join(top, "link.md")).isSymbolicLink()).toBe(true);
  expect([...readFileSync(join(top, "real.md"))]).toEqual([0x6e, 0xff]);
});

test("writeWhole() fails with a plain reason and leaves no temporary file", () => {
  const { top, tmp } = folders();
  mkdirSync(join(top, "folder"));
  expect(messageOf(() => writeWhole(join(top, "folder"), "x", tmp))).toBe(
    `Cannot write ${top}/folder: a folder stands in its place.`,
  );
  expect(messageOf(() => writeWhole(join(top, "no/such.md"), "x", tmp))).toStartWith(`Cannot write ${top}/no/such.md`);
  expect(messageOf(() => writeWhole(join(top, `${"x".repeat(300)}.md`), "x", tmp))).toEndWith(
    ": the name is too long for this file system.",
  );
  expect(readdirSync(tmp)).toEqual([]);
  expect(readdirSync(top).sort()).toEqual(["folder", "tmp"]);
});

test.skipIf(!CAN_MOUNT)(
  "writeWhole() writes beside the target when the temporary folder is on another disk",
  async () => {
    await onSmallDisk(256, async (disk) => {
      const { tmp } = folders();
      writeFileSync(join(disk, "a.md"), "old");
      chmodSync(join(disk, "a.md"), 0o640);
      writeWhole(join(disk, "a.md"), "new", tmp);
      expect([readFileSync(join(disk, "a.md"), "utf8"), statSync(join(disk, "a.md")).mode & 0o777]).toEqual([
        "new",
        0o640,
      ]);
      expect([readdirSync(disk), readdirSync(tmp)]).toEqual([["a.md"], []]);
      expect(messageOf(() => writeWhole(join(disk, "a.md"), "x".repeat(300_000), tmp))).toEndWith(
        ": there is no space left on the device.",
      );
      expect(readFileSync(join(disk, "a.md"), "utf8")).toBe("new");
      expect([readdirSync(disk), readdirSync(tmp)]).toEqual([["a.md"], []]);
    });
  },
);

test("readText() reads UTF-8 byte for byte or says why not, and never waits", () => {
  const { top } = folders();
  const write = (name: string, bytes: string | Uint8Array): string => {
    writeFileSync(join(top, name), bytes);
    return join(top, name);
  };
  expect(readText(write("bom", "\ufeffa\r\n\0é"))).toEqual({ text: "\ufeffa\r\n\0é" });
  expect(readText(write("empty", ""))).toEqual({ text: "" });
  expect(readText(write("latin1", new Uint8Array([0xe9])))).toEqual({ fault: "is not UTF-8" });
  expect(readText(write("utf16le", new Uint8Array([0xff, 0xfe, 0x61, 0])))).toEqual({ fault: "is UTF-16, not UTF-8" });
  expect(readText(write("utf16be", new Uint8Array([0xfe, 0xff, 0, 0x61])))).toEqual({ fault: "is UTF-16, not UTF-8" });
  expect(readText(write("surrogate", new Uint8Array([0xed, 0xa0, 0x80])))).toEqual({ fault: "is not UTF-8" });
  expect(readText(top)).toEqual({ fault: "can't be read: a folder stands in its place" });
  expect(readText(join(top, "none"))).toBeUndefined();
  expect(readText(join(top, "bom/below"))).toBeUndefined();
  symlinkSync("loop", join(top, "loop"));
  expect(readText(join(top, "loop"))).toEqual({ fault: "can't be read: its links form a loop" });
  expect(spawnSync("mkfifo", [join(top, "pipe")]).status).toBe(0);
  expect(readText(join(top, "pipe"))).toEqual({ fault: "can't be read: it is no regular file" });
  writeFileSync(join(top, "huge"), "");
  expect(spawnSync("truncate", ["-s", "65M", join(top, "huge")]).status).toBe(0);
  expect(readText(join(top, "huge"))).toEqual({ fault: "is larger than 64 MiB" });
});

test("decodeText() takes bytes for what they are", () => {
  expect(decodeText(new TextEncoder().encode("日本 🚀"))).toEqual({ text: "日本 🚀" });
  expect(decodeText(new Uint8Array([0xff]))).toEqual({ fault: "is not UTF-8" });
});

test("kindOf(), listFolder(), isFolder() and realPath() tell files, folders, links and absence apart", () => {
  const { top } = folders();
  writeFileSync(join(top, "b"), "");
  symlinkSync("tmp", join(top, "a"));
  symlinkSync("gone", join(top, "c"));
  symlinkSync("d", join(top, "d"));
  expect(listFolder(top)).toEqual([
    { name: "a", kind: "link" },
    { name: "b", kind: "file" },
    { name: "c", kind: "link" },
    { name: "d", kind: "link" },
    { name: "tmp", kind: "folder" },
  ]);
  expect([listFolder(join(top, "gone")), listFolder(join(top, "b"))]).toEqual([undefined, undefined]);
  const at = (name: string) => [kindOf(join(top, name)), isFolder(join(top, name)), realPath(join(top, name))];
  expect(at("a")).toEqual(["link", true, join(top, "tmp")]);
  expect(at("b")).toEqual(["file", false, join(top, "b")]);
  expect(at("c")).toEqual(["link", false, undefined]);
  expect(at("d")).toEqual(["link", false, undefined]);
  expect(at("b/below")).toEqual([undefined, false, undefined]);
  expect(isFolder(join(top, "x".repeat(300)))).toBe(false);
});

test("isWithin() goes by whole names", () => {
  const table: readonly (readonly [folder: string, path: string, expected: boolean])[] = [
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a", "/ab", false],
    ["/a", "/a/../b", false],
    ["/a", "/a/..b", true],
    ["/a/b", "/a", false],
    ["/", "/a", true],
  ];
  expect(table.map(([folder, path]) => isWithin(folder, path))).toEqual(table.map(([, , expected]) => expected));
});

test("makeFolder(), moveFile() and removeFile() say what fails, and absence is none for a removal", () => {
  const { top } = folders();
  writeFileSync(join(top, "file"), "x");
  makeFolder(join(top, "a/b/c"));
  makeFolder(join(top, "a/b/c"));
  expect(isFolder(join(top, "a/b/c"))).toBe(true);
  expect(messageOf(() => makeFolder(join(top, "file")))).toBe(
    `Cannot make the folder ${top}/file: a file stands in its place.`,
  );
  expect(messageOf(() => makeFolder(join(top, "file/below")))).toEndWith(": a file stands where a folder belongs.");
  removeFile(join(top, "gone"));
  expect(messageOf(() => removeFile(join(top, "a")))).toStartWith(`Cannot remove ${top}/a: `);
  moveFile(join(top, "file"), join(top, "moved"));
  expect([kindOf(join(top, "file")), readFileSync(join(top, "moved"), "utf8")]).toEqual([undefined, "x"]);
  expect(messageOf(() => moveFile(join(top, "gone"), join(top, "x")))).toStartWith("Cannot move");
});
