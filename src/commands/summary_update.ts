import { findConflict } from "../core/conflict.ts";
import type { SectionName } from "../core/headings.ts";
import { quote } from "../core/id.ts";
import { appendToSection, setSection } from "../core/section_edit.ts";
import { findOverlooked, parseSummary, type Summary, sectionText } from "../core/summary.ts";
import type { ThreadFile } from "../core/thread_file.ts";
import { estimateTokens, groupDigits } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { faultError } from "../io/store.ts";
import { optionalFlag, pathsArgument, sectionArgument, textArgument, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ensureOwner } from "./ownership.ts";
import { isBlank, nameOf, withNotices } from "./scene.ts";
import {
  checkContent,
  checkSecrets,
  checkSeen,
  noteWritten,
  parsePaths,
  planStamp,
  questionPaths,
  repairsOf,
  wholeBody,
  writeThread,
} from "./thread_write.ts";

const ALLOW = "If it is none, call again with allowSecret (on the command line: --allow-secret).";
const MOST_TOKENS = 4000;

/** Writes a thread's summary, whole or by section. */
export const summaryUpdate = defineCommand({
  name: "summary_update",
  title: "Update summary",
  description:
    "Write what was decided: replace a summary or one section, or append to a section; name the code it describes with paths",
  effect: "set",
  cli: [{ usage: "summary [threadId] < content", summary: "Write what was decided" }],
  menu: ["tm", "plugin"],
  input: {
    content: textArgument("Markdown under ## Decisions, ## Constraints, ## State, ## Open questions, ## Next steps"),
    threadId: threadIdArgument("Thread to write (default: the active one)"),
    section: sectionArgument,
    append: optionalFlag("Add to the section (default Decisions) instead of replacing"),
    paths: pathsArgument,
    allowSecret: optionalFlag("Write although it holds what looks like a secret"),
  },
  async run(session, { content, threadId, section, append = false, paths: typedPaths, allowSecret = false }) {
    const text = content.replace(/\r\n?/g, "\n");
    checkContent(text, findConflict(text));
    if (!allowSecret) checkSecrets("this summary", text, ALLOW);
    const scene = await session.scene({ writing: "update the summary", threadId });
    const { store, project, thread, workspace } = scene;
    if (thread.fault !== undefined) throw faultError(thread);
    await ensureOwner(session, scene, [thread], "update the summary of");
    const parsed = typedPaths === undefined ? undefined : parsePaths(typedPaths, workspace.root);
    const isAnew = !append || isBlank(thread);
    const stamp = await planStamp(scene, { isAnew, paths: parsed?.paths });
    return store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, thread.id);
      const edit = editBody(file, text, section, append);
      const isNothing = text.trim() === "" && edit.body === file.body;
      if (isNothing) throw nothingToRemove(nameOf(session, scene, thread.id), section);
      if (!append && edit.body !== file.body) checkSeen(session, project.id, thread.id, file);
      const source = writeThread(file, { body: edit.body, stamp }, session.now());
      writer.putThread(project.id, thread.id, source);
      const isAll = section === undefined && !append;
      noteWritten(session, { project: project.id, thread: thread.id, file, body: edit.body, isAll });
      const isChanged = edit.body !== file.body;
      const summary = parseSummary(edit.body);
      return {
        ...{ project: project.id, thread: thread.id, name: nameOf(session, scene, thread.id), isChanged },
        isReplaced: isChanged && !append && oldText(file.body, section).trim() !== "",
        isRemoved: isChanged && text.trim() === "",
        section: section ?? (append ? "Decisions" : undefined),
        sections: [...new Set(summary.sections.map(({ name }) => name))],
        ...{ commit: stamp.fresh?.commit, paths: parsed?.paths ?? thread.paths },
        notices: scene.notices,
        warnings: [
          ...(edit.movedToDecisions
            ? ["The old text had no section: it now stands under ## Decisions, so that it stays inherited."]
            : []),
          ...overlookedIn(summary),
          ...sizeOf(edit.body),
          ...questionPaths(parsed?.missing ?? []),
          ...repairsOf(file),
        ],
      };
    });
  },
  text: (value) => withNotices(value.notices, [describe(value), ...value.warnings].join("\n")),
});

function nothingToRemove(name: string, section: SectionName | undefined): ThreadMindError {
  const what = section === undefined ? "the summary" : `the section ${section}`;
  return new ThreadMindError(
    "refused",
    `Cannot remove ${what} of ${name}: there is none.`,
    "See context_get for what is there.",
  );
}

/** A warning about headings whose text descendants will miss. */
function overlookedIn(summary: Summary): string[] {
  const headings = findOverlooked(summary).map((text) => quote(text));
  if (headings.length === 0) return [];
  return [`Not inherited: what stands under ${headings.join(", ")}. Use the heading ## Decisions or ## Constraints.`];
}

/** A warning about a summary that makes every context large. */
function sizeOf(body: string): string[] {
  const tokens = estimateTokens(body.length);
  if (tokens <= MOST_TOKENS) return [];
  return [
    `It is ~${groupDigits(tokens)} tokens long, in every context of this thread: keep what was decided, and move the rest into the repository's documents.`,
  ];
}

interface Written {
  readonly name: string;
  readonly isChanged: boolean;
  readonly isReplaced: boolean;
  readonly isRemoved: boolean;
  readonly section: string | undefined;
  readonly sections: readonly string[];
}

function describe(written: Written): string {
  const { name: thread, isChanged, isReplaced, isRemoved, section, sections } = written;
  if (!isChanged) return `The summary of ${thread} is the same: verified as of now.`;
  const what = section ?? (sections.length === 0 ? "no section headings: inherited whole" : sections.join(", "));
  const kept = isReplaced ? ` The replaced text is kept: thread_restore ${thread} brings it back.` : "";
  if (isRemoved)
    return `Removed ${section === undefined ? "the summary" : `the section ${section}`} of ${thread}.${kept}`;
  return `Updated the summary of ${thread} (${what}).${kept}`;
}

/** What a write replaces: the whole summary, or the one section. */
function oldText(body: string, section: SectionName | undefined): string {
  return section === undefined ? body : (sectionText(parseSummary(body), section) ?? "");
}

function editBody(
  { body, bodyLine, eol }: ThreadFile,
  content: string,
  section: SectionName | undefined,
  append: boolean,
): { readonly body: string; readonly movedToDecisions: boolean } {
  if (append) {
    if (content.trim() === "") throw emptyAppend();
    return appendToSection(body, section ?? "Decisions", content, { bodyLine });
  }
  if (section !== undefined) return setSection(body, section, content, bodyLine);
  return { body: wholeBody(body, content, eol), movedToDecisions: false };
}

function emptyAppend(): ThreadMindError {
  return new ThreadMindError("invalid-content", "Cannot append: the content is empty.", "Give the text to add.");
}
