import { createHash } from "node:crypto";
import { type Entry, renderTarGz } from "../../build/archive.ts";

/** A mirror of a release over loopback; its files can be exchanged while it serves. */
export interface Mirror {
  readonly url: string;
  readonly files: Map<string, Uint8Array>;
  /** what was asked for since the last call */
  takeRequests(): readonly string[];
  close(): Promise<void>;
}

/** Starts a mirror that serves these files. */
export function openMirror(files: ReadonlyMap<string, Uint8Array>): Mirror {
  const served = new Map(files);
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const path = new URL(request.url).pathname.slice(1);
      requests.push(path);
      const bytes = served.get(path);
      return bytes === undefined ? new Response("Not here\n", { status: 404 }) : new Response(Buffer.from(bytes));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    files: served,
    takeRequests: () => requests.splice(0),
    close: () => server.stop(true),
  };
}

/** What every program of ThreadMind has in it, by which install.sh and install.ps1 know theirs from a stranger's. */
export const MARK = "threadmind://thread/";

/** The text of a small program: a shell script with the mark, that tells its version. */
export function smallProgram(version: string, script = `echo "threadmind ${version}"`): string {
  return `#!/bin/sh\n# ${MARK}\n${script}\n`;
}

/** The files of a small release whose program, on every Unix platform, is a small program with the platform's name. */
export function smallRelease(version: string, script?: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const platform of [
    "linux-x64",
    "linux-arm64",
    "linux-x64-musl",
    "linux-arm64-musl",
    "darwin-x64",
    "darwin-arm64",
  ]) {
    const bytes = Buffer.from(smallProgram(version, script).replace("\n", `\n# ${platform}\n`));
    const entries: Entry[] = [
      { path: `threadmind-${platform}/threadmind`, bytes, isExecutable: true },
      { path: `threadmind-${platform}/LICENSE`, bytes: Buffer.from("MIT\n") },
    ];
    files.set(`threadmind-${platform}.tar.gz`, renderTarGz(entries, 1));
  }
  return withSums(files);
}

/** The same files with the SHA256SUMS that belongs to them. */
export function withSums(files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  const lines = [...files].map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
  return new Map([...files, ["SHA256SUMS", Buffer.from(lines.join(""))]]);
}
