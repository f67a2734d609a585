import { nextStep } from "../core/next_step.ts";
import type { ThreadFile } from "../core/thread_file.ts";
import { subtreeOf, type Thread, type Tree } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import type { Scene } from "../io/scene.ts";
import type { Session } from "../io/session.ts";
import type { Project, Store } from "../io/store.ts";
import { textArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ensureOwner } from "./ownership.ts";
import { moveActive, nameOf, withNotices } from "./scene.ts";

/** The files that a deletion removes, by thread id: the thread's own first, then those of all below it. */
type Doomed = ReadonlyMap<Thread["id"], ThreadFile>;

/** Deletes a thread with all below it. */
export const threadDelete = defineCommand({
  name: "thread_delete",
  title: "Delete thread",
  description: "Delete a thread with all below it; restoring the thread brings them back",
  effect: "destroy",
  cli: [{ usage: "delete <threadId>", summary: "Delete a thread with all below it" }],
  menu: ["tm"],
  input: { threadId: textArgument("Thread to delete; never the root") },
  async run(session, { threadId }) {
    const asked = await session.scene({ writing: "delete the thread", threadId });
    const { store, project, thread, tree } = asked;
    if (thread.id === tree.rootId) throw refusal(thread, "it is the project's root", "Delete its children instead.");
    const below = subtreeOf(tree, thread);
    if (below.some(({ id }) => id === tree.rootId))
      throw refusal(
        thread,
        "the project's root is below it",
        `Correct the parents first: ${nextStep("thread_rebase", ["rebase", "ID", "PARENT"])}.`,
      );
    await ensureOwner(session, asked, below, "delete");
    const doomed = await readDoomed(store, project, below);
    const scene = await askFirst(session, asked, doomed);
    const ids = [...doomed.keys()];
    const isActiveGone = scene.active !== undefined && doomed.has(scene.active.id);
    return store.change(async (writer) => {
      const found = await store.readThreads(project);
      const isThere = found.tree.threads.get(thread.id);
      const now = isThere === undefined ? [] : subtreeOf(found.tree, isThere);
      refuseChanged(doomed, await readDoomed(store, project, now));
      const next = isActiveGone ? nextActive(found.tree, thread.id) : undefined;
      writer.removeThreads(project.id, ids);
      const notices = next === undefined ? [] : moveActive(session, scene, writer, project, next.id);
      return {
        ...{ project: project.id, name: nameOf(session, scene, thread.id), deleted: ids, active: next?.id },
        notices: [...asked.notices, ...notices],
      };
    });
  },
  text: ({ name, deleted, active, notices }, say) => {
    const moved = active === undefined ? [] : [`Active thread: ${active}.`];
    return withNotices(
      notices,
      [
        `Deleted ${deleted.join(", ")}.`,
        ...moved,
        say(
          `To bring ${deleted.length === 1 ? "it" : "them"} back: ${nextStep(`thread_restore ${name}`, ["restore", name])}.`,
        ),
      ].join("\n"),
    );
  },
});

function refusal({ id }: Thread, why: string, hint: string): ThreadMindError {
  return new ThreadMindError("refused", `Cannot delete ${id}: ${why}.`, hint);
}

function nextActive(tree: Tree, id: Thread["id"]): Thread | undefined {
  const thread = tree.threads.get(id);
  return (thread === undefined ? undefined : tree.parentOf(thread)) ?? tree.threads.get(tree.rootId);
}

async function readDoomed(store: Store, project: Project, threads: readonly Thread[]): Promise<Doomed> {
  const files = new Map<Thread["id"], ThreadFile>();
  for (const { id } of threads) files.set(id, await store.readThreadFile(project.id, id));
  return files;
}

/** Asks a person where the client can. Other calls went on meanwhile: the answer is where the session stands by then. */
async function askFirst(session: Session, asked: Scene, doomed: Doomed): Promise<Scene> {
  const { project, workspace } = asked;
  const names = [...doomed.keys()].join(", ");
  const answer = await session.confirm(
    `Delete ${names} from the project ${project.id}? thread_restore can bring ${doomed.size === 1 ? "it" : "them"} back.`,
  );
  if (answer === "unasked") return asked;
  const why = { no: "was answered with no", closed: "was closed without an answer", yes: undefined }[answer];
  if (why !== undefined)
    throw new ThreadMindError("refused", `Deleted nothing: the question about ${names} ${why}.`, "");
  const root = `${project.id}/${asked.tree.rootId}`;
  const scene = await session.scene({ writing: "delete the thread", threadId: root, mayBeGone: true });
  if (scene.workspace.root !== workspace.root)
    throw new ThreadMindError("refused", `Deleted nothing: the client works in ${scene.workspace.root} now.`, "");
  return scene;
}

/** Refuses to delete anything but what was looked at before, and asked about. */
function refuseChanged(before: Doomed, now: Doomed): void {
  const changes = [
    ...[...now.keys()].filter((id) => !before.has(id)).map((id) => `${id} is new`),
    ...[...before].flatMap(([id, file]) => {
      const what = changeOf(file, now.get(id));
      return what === undefined ? [] : [`${id} ${what}`];
    }),
  ];
  if (changes.length === 0) return;
  throw new ThreadMindError(
    "refused",
    `Deleted nothing: what was to be deleted changed meanwhile (${changes.join(", ")}).`,
    `See ${nextStep("thread_list", ["tree"])}, and call again if it still is to go.`,
  );
}

function changeOf(before: ThreadFile, now: ThreadFile | undefined): string | undefined {
  if (now === undefined) return "is no longer there";
  if (now.source === before.source) return undefined;
  if (now.body !== before.body) return "has another text";
  if (now.fields.parentId !== before.fields.parentId) return "has another parent";
  return now.fields.status === before.fields.status ? "has another header" : "has another status";
}
