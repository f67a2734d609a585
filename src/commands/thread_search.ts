import { quote } from "../core/id.ts";
import { nextStep } from "../core/next_step.ts";
import { closeOpenBlocks } from "../core/open_blocks.ts";
import { sanitiseText } from "../core/sanitise.ts";
import { findGovernors, searchThreads } from "../core/search.ts";
import { inheritedText } from "../core/summary.ts";
import { stripControls } from "../core/text_controls.ts";
import { countOf } from "../core/tokens.ts";
import type { Thread } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";
import { type FileNames, findFileNames } from "../io/file_names.ts";
import { readStaleNotes } from "../io/freshness.ts";
import type { Scene } from "../io/scene.ts";
import { optionalText } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { withNotices } from "./scene.ts";

const MOST_MATCHES = 20;
const MOST_GOVERNORS = 5;
const MOST_NAMED = 20;

/** One thread found, as `--json` prints it. */
interface Found {
  readonly thread: string;
  readonly title: string;
  readonly status: string;
  readonly author: string | undefined;
  readonly updatedAt: string | undefined;
  readonly path: string | undefined;
  readonly lines: readonly string[];
  readonly moreLines: number;
  readonly note: string | undefined;
  readonly decisions: string | undefined;
}

/** Finds threads by words, or by the file that they govern. */
export const threadSearch = defineCommand({
  name: "thread_search",
  title: "Search threads",
  description: "Find threads by words, or those that govern a file (why is this code like this?)",
  effect: "read",
  cli: [
    {
      usage: "search [query...]",
      summary: "Find threads by words, or by the file they govern",
      oneOf: ["query", "path"],
    },
  ],
  menu: ["tm", "plugin"],
  input: {
    query: optionalText("Words that must all occur, in any order"),
    path: optionalText("File or folder, relative to the workspace"),
  },
  async run(session, { query, path: typed }) {
    const path = typed?.trim() === "" ? undefined : typed;
    if ((query ?? "").trim() === "" && path === undefined) {
      throw new ThreadMindError(
        "invalid-argument",
        "Cannot search: neither query nor path is given.",
        "Give words, or a file.",
      );
    }
    const scene = await session.scene({});
    const threads = [...scene.tree.threads.values()];
    const file = path === undefined ? undefined : findFile(scene.workspace.root, path);
    const governed = file === undefined ? undefined : findGovernors(threads, file.names);
    const pool = governed?.map(({ thread }) => thread) ?? threads;
    const matches = query === undefined || query.trim() === "" ? undefined : searchThreads(pool, query);
    const found =
      governed === undefined
        ? (matches ?? []).map(({ thread }) => thread)
        : pool.filter((thread) => matches === undefined || matches.some((match) => match.thread === thread));
    const most = governed === undefined ? MOST_MATCHES : MOST_GOVERNORS;
    const shown = found.slice(0, most);
    const notes = governed === undefined ? new Map<string, string>() : await notesOf(scene, shown);
    for (const thread of shown) session.seen.note(`${scene.project.id}/${thread.id}`, thread, false);
    const unread = threads.filter(
      (thread) =>
        (thread.fault !== undefined || thread.conflictLine !== undefined) &&
        (query !== undefined || !found.includes(thread)),
    );
    return {
      project: scene.project.id,
      query,
      path,
      found: shown.map(
        (thread): Found => ({
          ...{
            thread: thread.id,
            title: thread.title,
            status: thread.status,
            author: thread.author,
            updatedAt: thread.updatedAt,
          },
          path: governed?.find((governor) => governor.thread === thread)?.path,
          lines: matches?.find((match) => match.thread === thread)?.lines ?? [],
          moreLines: matches?.find((match) => match.thread === thread)?.moreLines ?? 0,
          note: notes.get(thread.id),
          decisions: governed === undefined ? undefined : decisionsOf(thread),
        }),
      ),
      more: found.length - shown.length,
      others: governed === undefined ? [] : found.slice(most, most + MOST_NAMED).map(({ id }) => id as string),
      notSearched: unread.map(({ id }) => id as string),
      isMissing: file?.isMissing === true,
      notices: scene.notices,
    };
  },
  text: ({ found, more, others, notSearched, isMissing, query, path, notices }, say) => {
    const asides = [
      ...(isMissing ? [`There is no ${quote(path ?? "").slice(1, -1)} in the workspace: paths start at its top.`] : []),
      ...(notSearched.length === 0
        ? []
        : [`Not searched, because of conflicts or damage: ${stripControls(notSearched.join(", "))}.`]),
    ];
    if (found.length === 0) {
      const what = [
        query === undefined ? "" : ` matches ${quote(query)}`,
        path === undefined ? "" : ` governs ${quote(path).slice(1, -1)}`,
      ].filter((part) => part !== "");
      return withNotices(notices, [`No thread${what.join(" and")}.`, ...asides].join("\n"));
    }
    const rest = [...(more > 0 ? [renderMore(more, others, say)] : []), ...asides];
    return withNotices(notices, [...found.map(renderFound), ...rest].join(path === undefined ? "\n" : "\n\n"));
  },
});

function findFile(root: string, typed: string): Exclude<FileNames, { readonly fault: string }> {
  const file = findFileNames(root, typed);
  if ("names" in file) return file;
  throw new ThreadMindError(
    "invalid-argument",
    `Cannot search for the path ${quote(typed)}: ${file.fault}.`,
    "Give it relative to the workspace.",
  );
}

/** Threads found by words are told by more words; those that govern a file by their names. */
function renderMore(more: number, others: readonly string[], say: (message: string) => string): string {
  if (others.length === 0) return `… and ${more} more: search for more words.`;
  const names = [...others.map(stripControls), ...(more > others.length ? ["…"] : [])].join(", ");
  return `… and ${more} more: ${names} (${say(nextStep("context_get with alone", ["show", "ID"]))} shows one).`;
}

function notesOf({ git, workspace }: Scene, threads: readonly Thread[]): Promise<ReadonlyMap<string, string>> {
  return readStaleNotes(
    git,
    workspace.root,
    threads.filter(({ body, fault }) => body.trim() !== "" && fault === undefined),
  );
}

function decisionsOf(thread: Thread): string {
  if (thread.conflictLine !== undefined)
    return `_⚠ This file has merge conflicts (line ${thread.conflictLine}): not shown._`;
  return closeOpenBlocks(sanitiseText(inheritedText(thread.body)).trim());
}

function renderFound({
  thread,
  title,
  status,
  author,
  updatedAt,
  path,
  lines,
  moreLines,
  note,
  decisions,
}: Found): string {
  const mark = status === "open" ? "" : ` (${status})`;
  const name = `${stripControls(thread)} "${stripControls(title)}"${mark}`;
  const excerpt = [...lines, ...(moreLines > 0 ? [`… ${countOf(moreLines, "more line")}`] : [])].map(
    (line) => `  ${line}`,
  );
  if (path === undefined) return [name, ...excerpt].join("\n");
  const by = [author, updatedAt?.slice(0, 10)].filter((part) => part !== undefined).join(", ");
  const head = `${name} governs ${stripControls(path)}${by === "" ? "" : ` (${stripControls(by)})`}`;
  return [
    head,
    ...(note === undefined ? [] : [note]),
    ...(decisions === "" || decisions === undefined ? ["_No decisions yet._"] : [decisions]),
    // Directly below a list, Markdown would take them for a part of its last item.
    ...(excerpt.length === 0 ? [] : ["", "Matching lines:", ...excerpt]),
  ].join("\n");
}
