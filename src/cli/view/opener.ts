import process from "node:process";
import { findOnPath, runClient } from "../../io/client_process.ts";

const LONGEST_WAIT_MS = 3000;

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

/** Opens a file with the system's program for it, without a shell; false if that failed. One that stays is left running. */
export async function openFile(path: string): Promise<boolean> {
  const [program, ...words] = findOpener() ?? [];
  if (program === undefined) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), LONGEST_WAIT_MS);
  runClient(program, [...words, path]).then(
    ({ code }) => resolve(code === 0),
    () => resolve(false),
  );
  const isOpened = await promise;
  clearTimeout(timer);
  return isOpened;
}
