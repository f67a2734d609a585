import { statSync } from "node:fs";

/**
 * What the disk says of a folder's making: its number there and the time in nanoseconds, which nobody elsewhere can foretell;
 * `undefined` if the disk doesn't keep that.
 */
export function birthOf(path: string): string | undefined {
  try {
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    return birthtimeNs <= 0n ? undefined : `${ino} ${birthtimeNs}`;
  } catch {
    // What can't be told of is as if the disk didn't keep it.
    return undefined;
  }
}
