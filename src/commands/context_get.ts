import { maxTokensArgument, optionalFlag, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { readContext, withNotices } from "./scene.ts";

/** Assembles the context of a thread. */
export const contextGet = defineCommand({
  name: "context_get",
  title: "Get context",
  description:
    "Load what was decided: the active thread's summary plus its ancestors' decisions and constraints. Call it when a session starts and after /clear",
  effect: "read",
  cli: [
    { usage: "context [threadId]", summary: "Print the active thread's context" },
    { usage: "show <threadId>", preset: { alone: true }, menu: [], summary: "Print one thread's whole summary" },
  ],
  menu: ["tm", "plugin"],
  input: {
    threadId: threadIdArgument("Another thread, without switching to it"),
    maxTokens: maxTokensArgument,
    alone: optionalFlag("Only that thread's own summary, whole"),
  },
  async run(session, { threadId, maxTokens, alone = false }) {
    const scene = await session.scene({ threadId });
    return readContext(session, scene, scene.active?.id, maxTokens, alone);
  },
  text: ({ context, notices }) => withNotices(notices, context),
});
