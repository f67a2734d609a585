import process from "node:process";
import { findOnPath, startDetached } from "../../io/client_process.ts";

/** The system's program that opens a file, with the words before the file's path; `undefined` where there is none or no screen. */
export function findOpener(): readonly [string, ...string[]] | undefined {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
  const isRemote = (SSH_CONNECTION ?? "") !== "";
  switch (process.platform) {
    case "win32":
      return isRemote ? undefined : named("rundll32", "url.dll,FileProtocolHandler");
    case "darwin":
      return isRemote ? undefined : named("open");
    default:
      return (DISPLAY ?? "") === "" && (WAYLAND_DISPLAY ?? "") === "" ? undefined : named("xdg-open");
  }
}

function named(program: string, ...words: readonly string[]): readonly [string, ...string[]] | undefined {
  const path = findOnPath(program);
  return path === undefined ? undefined : [path, ...words];
}

/** Opens a file with the system's program for it, without a shell; false if that can't be started. It lives on by itself. */
export async function openFile(path: string): Promise<boolean> {
  const [program, ...words] = findOpener() ?? [];
  return program !== undefined && (await startDetached(program, [...words, path]));
}
