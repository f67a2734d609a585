import { quote } from "../core/id.ts";
import { nextStep } from "../core/next_step.ts";
import { parseTitle } from "../core/titles.ts";
import { ThreadMindError } from "../errors.ts";
import type { Author } from "../io/author.ts";
import type { Scene } from "../io/scene.ts";
import { faultError } from "../io/store.ts";
import { optionalText, pathsArgument, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { checkOwner } from "./ownership.ts";
import { questionPaths } from "./path_questions.ts";
import { withNotices } from "./scene.ts";
import { parsePaths, planStamp, repairsOf, writeThread } from "./thread_write.ts";

/** Renames a thread, links it to a branch, says what code it describes, or hands it over. */
export const threadUpdate = defineCommand({
  name: "thread_update",
  title: "Update thread",
  description: "Rename a thread (the id stays), link a git branch, set the code it describes, hand over or take over",
  effect: "set",
  isIdempotent: true,
  cli: [{ usage: "update [threadId]", summary: "Rename, link to a branch, set paths, hand over" }],
  menu: [],
  input: {
    threadId: threadIdArgument("Thread to change (default: the active one)"),
    title: optionalText("New title"),
    branch: optionalText('Git branch to link it to; "" unlinks'),
    paths: pathsArgument,
    author: optionalText("Author id to hand it to; your own takes it over"),
  },
  async run(session, { threadId, title: typedTitle, branch, paths: typedPaths, author }) {
    const title = typedTitle === undefined ? undefined : parseTitle(typedTitle);
    const linked = branch === undefined ? undefined : parseBranch(branch);
    const owner = author === undefined ? undefined : parseAuthor(author);
    if ([title, branch, typedPaths, author].every((value) => value === undefined)) {
      throw new ThreadMindError(
        "invalid-argument",
        "Cannot update the thread: nothing to change is given.",
        "Give title, branch, paths or author.",
      );
    }
    const scene = await session.scene({ writing: "update the thread", threadId });
    const { store, project, thread, workspace, config } = scene;
    if (thread.fault !== undefined) throw faultError(thread);
    const self = await session.author(config);
    const takesOver = owner !== undefined && self.own.has(owner);
    if (!takesOver) checkOwner(project, thread, self, `update ${thread.id}`);
    const parsed = typedPaths === undefined ? undefined : parsePaths(typedPaths, workspace.root);
    const stamp = await planStamp(scene, { isAnew: false, paths: parsed?.paths });
    const questions = await questionPaths(scene, parsed, stamp);
    const fields = {
      ...(title === undefined ? {} : { title }),
      ...(linked === undefined ? {} : { branch: linked === "" ? undefined : linked }),
      ...(owner === undefined ? {} : { author: owner }),
    };
    const repairs = await store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, thread.id);
      const source = writeThread(file, { stamp, fields }, session.now());
      writer.putThread(project.id, thread.id, source);
      return source === file.source ? ["It was so already: nothing changed."] : repairsOf(file);
    });
    return {
      ...{
        project: project.id,
        thread: thread.id,
        ...fields,
        ...(parsed === undefined ? {} : { paths: parsed.paths }),
      },
      changes: describeChanges(thread.author, {
        title,
        branch: linked,
        paths: parsed?.paths,
        author: owner,
        takesOver,
      }),
      notices: scene.notices,
      warnings: [
        ...(await questionBranch(scene, linked)),
        ...questionAuthor(scene, owner, self),
        ...questions,
        ...repairs,
      ],
    };
  },
  text: ({ thread, changes, notices, warnings }) =>
    withNotices(notices, [`Updated ${thread}: ${changes.join("; ")}.`, ...warnings].join("\n")),
});

async function questionBranch({ git }: Scene, branch: string | undefined): Promise<string[]> {
  if (branch === undefined || branch === "" || (await git?.hasBranch(branch)) !== false) return [];
  return [`There is no branch ${branch} here yet: check the name.`];
}

function questionAuthor({ tree }: Scene, author: string | undefined, self: Author): string[] {
  const isKnown =
    author === undefined ||
    self.own.has(author) ||
    [...tree.threads.values()].some((thread) => thread.author === author);
  return isKnown ? [] : [`No thread of this project is ${author}'s yet: check the id.`];
}

interface Changes {
  readonly title: string | undefined;
  readonly branch: string | undefined;
  readonly paths: readonly string[] | undefined;
  readonly author: string | undefined;
  readonly takesOver: boolean;
}

function describeChanges(was: string | undefined, { title, branch, paths, author, takesOver }: Changes): string[] {
  return [
    title === undefined ? "" : `title ${JSON.stringify(title)}`,
    branch === undefined ? "" : branch === "" ? "not linked to a branch" : `linked to the branch ${branch}`,
    paths === undefined ? "" : paths.length === 0 ? "no paths" : `paths ${paths.join(", ")}`,
    author === undefined || author === was
      ? ""
      : takesOver && was !== undefined
        ? `taken over from ${was} by ${author}`
        : `author ${author}`,
  ].filter((change) => change !== "");
}

function parseBranch(typed: string): string {
  const refuse = (why: string): ThreadMindError =>
    new ThreadMindError(
      "invalid-argument",
      `Cannot link the branch ${quote(typed)}: ${why}.`,
      'Give a branch as git branch shows it; "" unlinks.',
    );
  if (/[\p{Cc}\s~^:?*[\\]|\.\.|@\{|^-|\/$|\.lock$/u.test(typed) || typed === "HEAD")
    throw refuse("git has no branch of that name");
  if (typed === "main" || typed === "master")
    throw refuse("the default branch is never linked: every thread without a link belongs to it");
  return typed;
}

function parseAuthor(typed: string): string {
  const id = typed.trim();
  if (id !== "" && !/[\p{Cc}\s]/u.test(id) && id.length <= 180) return id;
  throw new ThreadMindError(
    "invalid-argument",
    `Cannot set the author ${quote(typed)}: an author id is one word.`,
    `See ${nextStep("thread_list", ["tree"])} in a team project for the ids.`,
  );
}
