import type { Fault, Thread, Tree } from "../core/tree.ts";
import type { Config } from "./config.ts";
import type { Git, Head } from "./git.ts";
import type { Project, Store } from "./store.ts";
import type { Workspace } from "./workspace.ts";

/** What a person said to a question: `closed` is neither yes nor no, `unasked` where no client can ask. */
export type Consent = "yes" | "no" | "closed" | "unasked";

/** A workspace that can be read, and once something is written, written to. */
export interface Place {
  readonly workspace: Workspace;
  readonly store: Store;
  readonly git: Git | undefined;
}

/** What the active thread is. */
export interface Active {
  readonly project: string;
  readonly thread: string;
  readonly branch: string | undefined;
}

/** What a command wants to know of the session. */
export interface SceneRequest {
  /** what a writing command is about to do ("update the summary"); a reading one leaves it out */
  readonly writing?: string | undefined;
  /** the thread named in the call; a writing call that names one isn't stopped by a branch change */
  readonly threadId?: string | undefined;
  /** the argument to name in the refusal, `threadId` unless given */
  readonly argument?: string | undefined;
  /** the thread named may be one that was deleted: then `thread` is the active one */
  readonly mayBeGone?: boolean;
  /** look only: what a reading call would find is found, the session stays where it is, and nothing counts as said */
  readonly quiet?: boolean;
}

/** A project as it is now, with the thread that the call is about. */
export interface Scene extends Place {
  readonly project: Project;
  readonly tree: Tree;
  readonly faults: readonly Fault[];
  readonly head: Head | undefined;
  readonly config: Config;
  /** the session's active thread, `undefined` when the call is about another project */
  readonly active: Thread | undefined;
  /** the thread named in the call, else the active one */
  readonly thread: Thread;
  /** lines to say that the session moved, or what is wrong with this checkout's state */
  readonly notices: readonly string[];
}
