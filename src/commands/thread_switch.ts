import { chainOf } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import type { Session } from "../io/session.ts";
import { faultError } from "../io/store.ts";
import { maxTokensArgument, textArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { readContext, recordActive, tellCrossing, withNotices } from "./scene.ts";

/** Makes another thread the active one. */
export const threadSwitch = defineCommand({
  name: "thread_switch",
  title: "Switch thread",
  description: "Make another thread this session's active one and return its context",
  effect: "set",
  isIdempotent: true,
  cli: [{ usage: "switch <threadId>", summary: "Make another thread the active one" }],
  menu: ["tm", "plugin"],
  input: {
    threadId: textArgument("Id of the thread, or project/thread"),
    maxTokens: maxTokensArgument,
  },
  async run(session, { threadId, maxTokens }) {
    const scene = await session.scene({ writing: "switch", threadId });
    const { thread, tree } = scene;
    if (thread.fault !== undefined) throw faultError(thread);
    chainOf(tree, thread);
    const crossing = tellCrossing(session, scene);
    const notices = await record(session, scene);
    const answer = await readContext(session, scene, thread.id, maxTokens, false);
    return { ...answer, notices: [...crossing, ...notices, ...answer.notices] };
  },
  text: ({ context, notices }) => withNotices(notices, context),
});

/** Records the switch; a client's session also switches where nothing can be written, and says so. */
async function record(session: Session, scene: Scene): Promise<readonly string[]> {
  const { store, project, thread, head } = scene;
  try {
    return await store.change(async (writer) => recordActive(session, scene, writer, project, thread.id));
  } catch (error) {
    if (session.isCommandLine || !(error instanceof ThreadMindError) || error.code !== "storage") throw error;
    session.keepActive(project, thread.id, head);
    return [`Only this session switched: ${error.message}`];
  }
}
