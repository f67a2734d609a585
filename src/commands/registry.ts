import type { Command } from "./command.ts";
import { contextGet } from "./context_get.ts";
import { projectCreate } from "./project_create.ts";
import { projectList } from "./project_list.ts";
import { projectSwitch } from "./project_switch.ts";
import { projectUpdate } from "./project_update.ts";
import { statsShow } from "./stats_show.ts";
import { summaryUpdate } from "./summary_update.ts";
import { threadCreate } from "./thread_create.ts";
import { threadDelete } from "./thread_delete.ts";
import { threadHistory } from "./thread_history.ts";
import { threadList } from "./thread_list.ts";
import { threadMerge } from "./thread_merge.ts";
import { threadRebase } from "./thread_rebase.ts";
import { threadRestore } from "./thread_restore.ts";
import { threadSearch } from "./thread_search.ts";
import { threadStatus } from "./thread_status.ts";
import { threadSwitch } from "./thread_switch.ts";
import { threadUpdate } from "./thread_update.ts";
import { threadVerify } from "./thread_verify.ts";
import { threadmindInit } from "./threadmind_init.ts";

/** Every command, in the order in which clients list them. */
export const COMMANDS: readonly Command[] = [
  contextGet,
  summaryUpdate,
  threadList,
  threadCreate,
  threadSwitch,
  threadSearch,
  threadStatus,
  threadMerge,
  threadUpdate,
  threadRebase,
  threadVerify,
  threadHistory,
  threadRestore,
  threadDelete,
  projectCreate,
  projectList,
  projectSwitch,
  projectUpdate,
  statsShow,
  threadmindInit,
];
