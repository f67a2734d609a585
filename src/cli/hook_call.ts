import type { HookPayload } from "../core/hook_payload.ts";
import { hookClientPid } from "../io/client_process_id.ts";
import type { Layout } from "../io/layout.ts";
import type { Whereabouts } from "../io/workspace.ts";
import type { GlobalOptions } from "./options.ts";

/** A hook's call inside a workspace. */
export interface HookCall {
  readonly payload: HookPayload;
  readonly options: GlobalOptions;
  readonly whereabouts: Whereabouts;
  readonly layout: Layout;
  readonly now: () => Date;
  /** nothing is written: what it would answer is all */
  readonly isDryRun: boolean;
}

/** How long a hook waits for another process' write: less than the time its client gives it. */
export const HOOK_LOCK_MS = 800;

/** The process id of the client that calls. */
export function clientPidOf({ payload: { client } }: HookCall): number {
  return hookClientPid(client === "claude-code" || client === undefined);
}
