import process from "node:process";
import { errorCode } from "./storage_error.ts";

const isWindows = process.platform === "win32";

/** Windows refuses to replace a file that another process has open for a moment: tries again for two seconds there. */
export function retrying<T>(action: () => T): T {
  for (let wait = 1; ; wait *= 2) {
    try {
      return action();
    } catch (error) {
      const code = errorCode(error);
      const isPassing = isWindows && (code === "EPERM" || code === "EBUSY" || code === "EACCES");
      if (!isPassing || wait > 1000) throw error;
      pause(wait);
    }
  }
}

/** Waits without spinning. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
