import { join } from "node:path";
import process from "node:process";
import { TOP } from "../support/binary.ts";
import { temporaryFolder } from "../support/temp.ts";

const LIBRARY = join(temporaryFolder("fault"), "fault.so");
const COMMAND = ["cc", "-shared", "-fPIC", "-O1", "-o", LIBRARY, join(TOP, "test/faults/fault.c"), "-ldl"];

/** Whether system calls of the program under test can be made to fail: on Linux with a C compiler. */
export const CAN_INJECT: boolean =
  process.platform === "linux" && Bun.which("cc") !== null && Bun.spawnSync(COMMAND).exitCode === 0;
if (!CAN_INJECT) console.warn("SKIPPED: no C compiler, so no system call is made to fail or to kill");

/** Which calls go wrong, counted from 1, and with which error; without one the process is killed instead. */
export interface Injection {
  readonly at: string | number;
  readonly call?: "rename" | "link" | "unlink" | "fsync" | "mkdir" | "chmod" | "open" | "write";
  readonly errno?: number;
}

/** Variables that make the program's own system calls go wrong. */
export function injected({ at, call, errno }: Injection): Record<string, string> {
  return {
    LD_PRELOAD: LIBRARY,
    FAULT_AT: String(at),
    ...(call === undefined ? {} : { FAULT_CALL: call }),
    ...(errno === undefined ? {} : { FAULT_ERRNO: String(errno) }),
  };
}
