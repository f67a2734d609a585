import { findConflict } from "../core/conflict.ts";
import type { SectionName } from "../core/headings.ts";
import { quote } from "../core/id.ts";
import { nextStep } from "../core/next_step.ts";
import { appendToSection, setSection } from "../core/section_edit.ts";
import { parseSummary, type Summary, sectionText } from "../core/summary.ts";
import type { ThreadFile } from "../core/thread_file.ts";
import { estimateTokens, groupDigits } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { faultError } from "../io/store.ts";
import { optionalFlag, pathsArgument, sectionArgument, textArgument, threadIdArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ensureOwner } from "./ownership.ts";
import { questionPaths } from "./path_questions.ts";
import { isBlank, nameOf, withNotices } from "./scene.ts";
import { checkShown } from "./shown_text.ts";
import {
  checkContent,
  checkSecrets,
  checkSeen,
  finishedNotes,
  keepReason,
  keptNote,
  noteWritten,
  parsePaths,
  planStamp,
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
    checkShown(text, thread.file, scene.tree);
    await ensureOwner(session, scene, [thread], "update the summary of");
    const parsed = typedPaths === undefined ? undefined : parsePaths(typedPaths, workspace.root);
    const isAnew = !append || isBlank(thread);
    const stamp = await planStamp(scene, { isAnew, paths: parsed?.paths });
    const questions = await questionPaths(scene, parsed, stamp);
    return store.change(async (writer) => {
      const file = await store.readThreadFile(project.id, thread.id);
      const name = nameOf(session, scene, thread.id);
      const edit = editBody(file, text, section, append);
      const { body, notes: kept } = keepReason(file, edit.body);
      const isChanged = body !== file.body;
      if (!isChanged && text.trim() === "") throw nothingToRemove(name, section, kept.length > 0);
      if (!append && isChanged) checkSeen(session, project.id, thread.id, file);
      writer.putThread(project.id, thread.id, writeThread(file, { body, stamp }, session.now()));
      const isAll = section === undefined && !append;
      noteWritten(session, { project: project.id, thread: thread.id, file, body, isAll });
      const summary = parseSummary(body);
      return {
        ...{ project: project.id, thread: thread.id, name, isChanged },
        isReplaced: isChanged && !append && oldText(file.body, section).trim() !== "",
        isRemoved: isChanged && text.trim() === "" && kept.length === 0,
        section: section ?? (append ? "Decisions" : undefined),
        sections: [...new Set(summary.sections.map(({ name }) => name))],
        ...{ commit: stamp.fresh?.commit, paths: parsed?.paths ?? thread.paths },
        notices: scene.notices,
        warnings: [
          ...kept,
          ...(isChanged ? finishedNotes(session, scene, file) : []),
          ...(edit.movedToDecisions
            ? ["The old text had no section: it now stands under ## Decisions, so that it stays inherited."]
            : []),
          ...overlookedIn(summary),
          ...sizeOf(body),
          ...questions,
          ...repairsOf(file),
        ],
      };
    });
  },
  text: (value, say) => withNotices(value.notices, [say(describe(value)), ...value.warnings].join("\n")),
});

function nothingToRemove(name: string, section: SectionName | undefined, isReasonLeft: boolean): ThreadMindError {
  const what = section === undefined ? "the summary" : `the section ${section}`;
  const why = isReasonLeft ? "only the reason of its status is left" : "there is none";
  return new ThreadMindError(
    "refused",
    `Cannot remove ${what} of ${name}: ${why}.`,
    `See ${nextStep("context_get with alone", ["show", name])} for what is there.`,
  );
}

/** A warning about headings whose text descendants will miss. */
function overlookedIn(summary: Summary): string[] {
  const headings = summary.overlooked.map((text) => quote(text));
  if (headings.length === 0) return [];
  return [
    `Not inherited: what stands under ${headings.join(", ")}. What is to be inherited stands under ## Decisions or ## Constraints.`,
  ];
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
  const kept = isReplaced ? ` ${keptNote(thread)}` : "";
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
