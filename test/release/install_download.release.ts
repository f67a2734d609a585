import { afterAll, beforeAll, expect } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/temp.ts";
import { testUnless } from "./built.ts";
import { expectNothingLeft, expectRefusal, linux, SHELLS } from "./installer.ts";
import { type Mirror, openMirror, smallRelease } from "./mirror.ts";

const ARCHIVE = "threadmind-linux-x64.tar.gz";
const PAGE = Buffer.from("\n<!DOCTYPE HTML>\n<html><title>Sign in</title></html>\n");

let mirror: Mirror;
beforeAll(() => {
  mirror = openMirror(smallRelease("1.2.0"));
});
afterAll(() => mirror.close());

const from = (url = mirror.url): Record<string, string> => ({ THREADMIND_DOWNLOAD_BASE: url });

for (const [shell, missing] of SHELLS) {
  const each = testUnless(missing, `downloading under ${shell}`);

  each(`${shell}: SHA256SUMS is understood as any tool writes it`, async () => {
    const other = openMirror(smallRelease("1.2.0"));
    const sum = createHash("sha256")
      .update(other.files.get(ARCHIVE) ?? "")
      .digest("hex");
    const line = `${sum}  ${ARCHIVE}\n`;
    for (const text of [
      line + line,
      line.replace("\n", "\r\n"),
      `${sum} *./${ARCHIVE}\n`,
      `${sum.toUpperCase()}  ${ARCHIVE}`,
      `${sum.toUpperCase()} *${ARCHIVE}\r\n${line}`,
    ]) {
      other.files.set("SHA256SUMS", Buffer.from(text));
      const { code, stderr } = await linux(shell).install([], from(other.url));
      expect({ text, code, stderr }).toEqual({ text, code: 0, stderr: "" });
    }
    const machine = linux(shell);
    const refused = async (text: Uint8Array, said: string): Promise<void> => {
      other.files.set("SHA256SUMS", text);
      expectRefusal(machine, await machine.install([], from(other.url)), said);
    };
    await refused(Buffer.from(`${line}${"0".repeat(64)}  ${ARCHIVE}\n`), `more than one checksum for ${ARCHIVE}`);
    await refused(Buffer.from(line.replace("threadmind-", "xthreadmind-")), `names no ${ARCHIVE}`);
    await refused(Buffer.from(line.replace(".tar.gz", "xtarxgz")), `names no ${ARCHIVE}`);
    await refused(PAGE, "SHA256SUMS: a web page came in its place");
    other.files.set(ARCHIVE, PAGE);
    await refused(Buffer.from(line), `${ARCHIVE}: a web page came in its place`);
    await other.close();
  });

  each(`${shell}: why a download failed is said, whatever tool did it`, async () => {
    const empty = openMirror(new Map());
    for (const tools of [["curl", "sha256sum"], ["wget", "sha256sum"], ["busybox"]]) {
      const machine = linux(shell, tools);
      if (tools[0] === "busybox")
        for (const tool of ["wget", "sha256sum"]) machine.fake(tool, `exec busybox ${tool} "$@"`);
      const { code, stderr } = await machine.install([], from(empty.url));
      expect({ tools, code, stderr }).toEqual({
        ...{ tools, code: 1 },
        stderr: expect.stringMatching(/^threadmind: Cannot download \S+\/SHA256SUMS: [^\n]*404[^\n]*\nLook at /),
      });
    }
    await empty.close();
  });

  each(`${shell}: a server that doesn't answer is given up by each tool`, async () => {
    // A standalone BusyBox has wget inside itself, whatever is on PATH.
    if (shell.startsWith("busybox")) return;
    const wordsFor = async (tool: string, told: string): Promise<string> => {
      const machine = linux(shell, ["sha256sum"]);
      machine.fake(
        tool,
        `case $1 in --version | --help) echo '${told}' ;; *) echo "$*" >>"$HOME/words"; exit 1 ;; esac`,
      );
      expectRefusal(machine, await machine.install([], from()), "Cannot download ");
      return readFileSync(join(machine.home, "words"), "utf8");
    };
    expect(await wordsFor("curl", "")).toContain("--connect-timeout 20 --speed-time 30");
    expect(await wordsFor("wget", "GNU Wget 1.21")).toContain("--tries=2 --timeout=20");
    expect(await wordsFor("wget", "BusyBox  -T SEC  Network read timeout")).toContain("-T 20 -q -O");
    expect(await wordsFor("wget", "BusyBox")).toStartWith("-q -O ");
  });

  each(`${shell}: a way that isn't encrypted is warned of, once, and no name hides it`, async () => {
    const proxy = { http_proxy: mirror.url, no_proxy: "" };
    const said = async (url: string): Promise<string> => {
      const { code, stderr } = await linux(shell).install([], { ...from(url), ...proxy });
      expect({ url, code }).toEqual({ url, code: 0 });
      return stderr;
    };
    for (const host of [
      "mirror.example",
      "127.evil.example",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "localhost:80@evil.example",
      "127.0.0.1:80@evil.example:8080",
    ])
      expect(await said(`http://${host}`)).toMatch(/^threadmind: http:\S+\/SHA256SUMS is not encrypted[^\n]*\n$/);
    for (const host of ["localhost", "localhost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]:8080", "sam@localhost"])
      expect(await said(`http://${host}`)).toBe("");
  });

  each(`${shell}: a folder's address may have a host, and percents for what it can't hold`, async () => {
    const folder = temporaryFolder("offline copy 100% é");
    for (const [name, bytes] of smallRelease("1.2.0")) writeFileSync(join(folder, name), bytes);
    for (const url of [
      `file://${folder}`,
      `file://localhost${folder}/`,
      `file://${folder.split("/").map(encodeURIComponent).join("/")}`,
      `file://localhost${encodeURI(folder)
        .toLowerCase()
        .replace(/threadmind-\S*/, () => encodeURI(folder).slice(encodeURI(folder).indexOf("threadmind-")))}`,
    ]) {
      const { code, stderr } = await linux(shell).install([], from(url));
      expect({ url, code, stderr }).toEqual({ url, code: 0, stderr: "" });
    }
    const machine = linux(shell);
    for (const url of ["file://", "file://mirror", "file://mirror/folder"])
      expectRefusal(machine, await machine.install([], from(url)), "file:///folder");
  });

  each(`${shell}: whoever stops reading what it says stops nothing else`, async () => {
    for (const script of ['"$@" | head -1', '"$@" | true', '"$@" >&-', '{ sleep 0.2; "$@"; } | true']) {
      const machine = linux(shell);
      machine.fake("true", "exit 0");
      const { code, stderr } = await machine.installIn(script, from());
      expect({ script, code, stderr }).toEqual({ script, code: 0, stderr: "" });
      expect(readdirSync(machine.dir)).toEqual(["threadmind"]);
      expectNothingLeft(machine);
    }
  });
}
