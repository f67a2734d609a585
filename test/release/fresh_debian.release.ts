import { afterAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/version.ts";
import { type Result, spawn } from "../support/binary.ts";
import { temporaryFolder } from "../support/temp.ts";
import { LONG, releasedFile, testUnless } from "./built.ts";
import { findMissing } from "./debian.ts";

const isHere = process.platform === "linux" && process.arch === "x64" && process.getuid?.() === 0;
const reason = !LONG
  ? "takes a minute; THREADMIND_RELEASE=long runs it"
  : isHere
    ? findMissing({ debootstrap: ["debootstrap"] })
    : "needs root on Linux x64";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const file = Bun.file(releasedFile(new URL(request.url).pathname.slice(1)));
    return (await file.exists()) ? new Response(file) : new Response("", { status: 404 });
  },
});
const mirror = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

/** The address this machine's own packages come from, and the name of its Debian. */
function debian(): { readonly suite: string; readonly source: string } {
  const suite = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "stable";
  const shown = Bun.spawnSync(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)"]).stdout.toString();
  const source = shown
    .split("\n")
    .find((line) => line.endsWith(` ${suite}`))
    ?.split(" ")[0];
  if (source === undefined) throw new Error("Cannot tell where this machine's Debian packages come from");
  return { suite, source };
}

const HELLO = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

const JOURNEY = `set -eu
export THREADMIND_DOWNLOAD_BASE=${mirror}
cd
curl -fsSL "$THREADMIND_DOWNLOAD_BASE/install.sh" | sh
export PATH="$HOME/.local/bin:$PATH"
mkdir project
cd project
git init --quiet
echo '${HELLO}' | threadmind
threadmind project create Shop
echo '- Stripe decides' | threadmind summary
threadmind context
curl -fsSL "$THREADMIND_DOWNLOAD_BASE/install.sh" | sh
curl -fsSL "$THREADMIND_DOWNLOAD_BASE/install.sh" | sh -s -- --uninstall
ls .threadmind/threads/shop ~/.local/bin
`;

testUnless(reason, "from curl | sh to an answered client in a minimal Debian")(
  "in a minimal Debian with git and curl, root and a fresh user get from curl | sh to an answered client",
  async () => {
    const root = join(temporaryFolder("debian"), "root");
    const { suite, source } = debian();
    const include = "--include=git,curl,ca-certificates";
    const env = { PATH: process.env.PATH ?? "", LC_ALL: "C" };
    const made = await spawn(["debootstrap", "--variant=minbase", include, suite, root, source], {
      env,
      timeoutMs: 400_000,
    });
    expect({ code: made.code, end: made.code === 0 ? "" : made.stdout.slice(-1000) }).toEqual({ code: 0, end: "" });
    // What is mounted in a namespace of its own is gone with its last process.
    const inside = (...command: readonly string[]): Promise<Result> =>
      spawn(
        ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root, ...command],
        {
          env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" },
        },
      );
    expect((await inside("useradd", "--create-home", "sam")).code).toBe(0);
    for (const account of [["sh"], ["su", "-", "sam", "-s", "/bin/sh"]]) {
      const { stdout, stderr, code } = await inside(...account, "-c", JOURNEY);
      expect({ account, code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ account, code: 0, stderr: "" });
      expect(stdout).toContain(`Installed threadmind ${VERSION}: `);
      expect(stdout).toContain('export PATH="$HOME/.local/bin:$PATH"');
      expect(stdout).toContain('"serverInfo"');
      expect(stdout).toContain("- Stripe decides");
      expect(stdout).toContain(`threadmind ${VERSION} is already in `);
      expect(stdout).toContain("Removed ");
      expect(stdout.slice(stdout.indexOf("Removed "))).toContain("main.md");
    }
  },
  480_000,
);
