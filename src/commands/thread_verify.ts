import { nextStep } from "../core/next_step.ts";
import { usablePaths } from "../core/paths.ts";
import { ThreadMindError } from "../errors.ts";
import { faultError } from "../io/store.ts";
import { threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { questionUnwatched } from "./path_questions.ts";
import { isBlank, nameOf, withNotices } from "./scene.ts";
import { missingPaths, planStamp, writeThread } from "./thread_write.ts";

/** Records that a summary was checked and is still true. */
export const threadVerify = defineCommand({
  name: "thread_verify",
  title: "Verify thread",
  description: "Record that a summary was checked against today's code and is still true",
  effect: "set",
  isIdempotent: true,
  cli: [{ usage: "verify [threadId]", summary: "Confirm that a summary is still true" }],
  menu: ["tm"],
  input: { threadId: threadIdArgument("Thread that was checked (default: the active one)") },
  async run(session, { threadId }) {
    const scene = await session.scene({ writing: "verify the thread", threadId });
    const { store, project, thread } = scene;
    if (thread.fault !== undefined) throw faultError(thread);
    const refuse = (why: string, hint: string): ThreadMindError =>
      new ThreadMindError("refused", `Cannot verify ${thread.id}: ${why}.`, hint);
    const write = nextStep("summary_update", ["summary", nameOf(session, scene, thread.id), "<", "FILE"]);
    if (isBlank(thread)) throw refuse("it has no summary yet", `Write one with ${write}.`);
    const stamp = await planStamp(scene, { isAnew: true, paths: undefined });
    const { commit, fingerprint } = stamp.fresh ?? {};
    if (commit === undefined && fingerprint === undefined) {
      throw refuse(
        "git knows no commit here to verify it on",
        "Commit first, or use ThreadMind inside a git repository.",
      );
    }
    await store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, thread.id);
      writer.putThread(project.id, thread.id, writeThread(file, { stamp }, session.now()));
    });
    const { notices } = scene;
    const paths = usablePaths(thread.paths);
    const missing = missingPaths(paths, scene.workspace.root);
    const correct = nextStep("thread_update", ["update", nameOf(session, scene, thread.id), "--paths", "PATH"]);
    const warnings = [
      ...(missing.length === 0 ? [] : [`There is nothing at ${missing.join(", ")}: correct the paths: ${correct}.`]),
      ...(await questionUnwatched(scene, paths, stamp)),
    ];
    return {
      project: project.id,
      thread: thread.id,
      name: nameOf(session, scene, thread.id),
      commit,
      fingerprint,
      paths: thread.paths,
      notices,
      warnings,
    };
  },
  text: ({ name, commit, paths, notices, warnings }) => {
    const on = commit === undefined ? "" : ` on commit ${commit.slice(0, 7)}`;
    const where = paths.length === 0 ? "" : ` (${paths.join(", ")})`;
    return withNotices(notices, [`Verified ${name}${on}${where}.`, ...warnings].join("\n"));
  },
});
