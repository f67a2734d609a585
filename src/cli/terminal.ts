import { fstatSync } from "node:fs";
import process from "node:process";

/** True if a descriptor is a terminal. Only of a device is `node:tty` asked, which loads all of Node's streams. */
export function isTerminal(descriptor: number): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    // Not every system tells of a terminal.
  }
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}
