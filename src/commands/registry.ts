import type { Command } from "./command.ts";
import { contextGet } from "./context_get.ts";
import { projectCreate } from "./project_create.ts";
import { projectList } from "./project_list.ts";
import { projectSwitch } from "./project_switch.ts";
import { summaryUpdate } from "./summary_update.ts";
import { threadCreate } from "./thread_create.ts";
import { threadList } from "./thread_list.ts";
import { threadSwitch } from "./thread_switch.ts";
import { threadVerify } from "./thread_verify.ts";

/** Every command, in the order in which clients list them. */
export const COMMANDS: readonly Command[] = [
  contextGet,
  summaryUpdate,
  threadList,
  threadCreate,
  threadSwitch,
  threadVerify,
  projectCreate,
  projectList,
  projectSwitch,
];
