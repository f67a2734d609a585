import type { Damage, DecisionChange, ThreadChange } from "../core/decision_log.ts";
import type { ProjectChange, Replaced } from "../core/project_log.ts";
import { matchSequences } from "../core/sequence_match.ts";
import { stripControls } from "../core/text_controls.ts";
import { inertLines, inertText, verbatim } from "./inert_markdown.ts";

const LEGEND =
  "_ThreadMind keeps what AI coding sessions are to know of this repository. **+** added, **−** struck: holds no longer, **→** moved._";

/** A change log as Markdown for people who may never have seen one; what projects and threads hold changes nothing of the page. */
export function renderProjects(projects: readonly ProjectChange[]): string {
  if (projects.length === 0) return "No decision changed.";
  return [LEGEND, ...projects.flatMap((project) => renderProject(project, projects.length > 1))].join("\n\n");
}

/** A project's paragraphs. */
function renderProject(change: ProjectChange, isOneOfMany: boolean): readonly string[] {
  const { id, title, kind, renamedFrom, mode, rootThread, systemContext, file, threads } = change;
  const facts = [
    ...(isOneOfMany || kind !== "changed" || renamedFrom !== undefined ? [code(id)] : []),
    ...(kind === "added" ? ["new project"] : kind === "removed" ? ["project deleted"] : []),
    ...(renamedFrom === undefined ? [] : [`was “${plain(renamedFrom)}”`]),
    ...(mode === undefined ? [] : [`mode ${code(mode.from)} → ${code(mode.to)}`]),
    ...(rootThread === undefined ? [] : [`root thread ${code(rootThread.from)} → ${code(rootThread.to)}`]),
  ];
  return [
    `## Decisions: ${plain(title)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    ...(file === undefined ? [] : [`**${FILES[file].replace("<file>", code(`.threadmind/projects/${id}.json`))}**`]),
    ...(systemContext === undefined ? [] : renderSystemContext(systemContext)),
    ...threads.map((thread) => renderThread(thread)),
  ];
}

const FILES = {
  missing: "Its file <file> is gone, so sessions don't find the project; its threads' files stay.",
  damaged: "Its file <file> can't be read any more, so no session can use the project.",
  readable: "Its file <file> is back.",
};

const WIDTH = 100;

/** Every line of a system context, old and new, so that none is out of sight. */
function renderSystemContext({ from, to }: Replaced): readonly string[] {
  const what = from === "" ? "is new" : to === "" ? "was struck" : "changed";
  const [old, now] = [linesOf(from), linesOf(to)];
  const matches = matchSequences(old, now);
  const lines: string[] = [];
  let next = 0;
  for (const [at, line] of old.entries()) {
    const match = matches[at] ?? -1;
    if (match < 0) {
      lines.push(...wrapped(line).map((part) => `- ${part}`));
      continue;
    }
    lines.push(...now.slice(next, match).flatMap((added) => wrapped(added).map((part) => `+ ${part}`)));
    lines.push(...wrapped(line).map((part) => `  ${part}`));
    next = match + 1;
  }
  lines.push(...now.slice(next).flatMap((added) => wrapped(added).map((part) => `+ ${part}`)));
  return [`**The system context, which every session reads first, ${what}:**`, verbatim(lines, "diff").join("\n")];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(/\r\n|[\r\n]/).map(stripControls);
}

/** A line in pieces that a page shows without scrolling. */
function wrapped(line: string): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > WIDTH) {
    const blank = rest.lastIndexOf(" ", WIDTH);
    const end = blank > 0 ? blank : WIDTH;
    parts.push(rest.slice(0, end));
    rest = rest.slice(blank > 0 ? end + 1 : end);
  }
  return [...parts, rest];
}

const STATES = { open: "reopened", done: "done", abandoned: "abandoned" };

function renderThread(change: ThreadChange): string {
  const { id, title, status, decisions, otherSections, damage, header } = change;
  const body = [
    ...(status?.reason === undefined
      ? []
      : [`> ${plain(status.reason)}`, ...(decisions.length + otherSections.length > 0 ? [""] : [])]),
    ...notesOf(damage, header).flatMap((note) => [note, ...(decisions.length + otherSections.length > 0 ? [""] : [])]),
    ...decisions.flatMap(renderDecision),
    ...(otherSections.length === 0 ? [] : [`- also changed: ${otherSections.join(", ")}`]),
  ];
  const heading = `### ${plain(title)} (${[code(id), ...factsOf(change)].join(", ")})`;
  return (body.length === 0 ? [heading] : [heading, "", ...body]).join("\n");
}

function factsOf(change: ThreadChange): readonly string[] {
  const { kind, parent, branch, branchFrom, paths, pathsFrom, status, mergedInto, renamedFrom, movedFrom, author } =
    change;
  const isNew = kind === "added";
  const place = (id: string | null): string => (id === null ? "the top" : code(id));
  return [
    ...(isNew ? [`new${parent === null ? "" : `, below ${code(parent)}`}`] : []),
    ...(kind === "removed" ? ["deleted"] : []),
    ...(isNew && branch !== undefined ? [`branch ${code(branch)}`] : []),
    ...(branchFrom === undefined
      ? []
      : [
          branch === undefined
            ? `no longer for the branch ${code(branchFrom ?? "")}`
            : `now for the branch ${code(branch)}`,
        ]),
    ...(isNew && paths.length > 0 ? [`about ${listed(paths)}`] : []),
    ...(pathsFrom === undefined ? [] : [paths.length === 0 ? "now about no paths" : `now about ${listed(paths)}`]),
    ...(mergedInto !== undefined ? [`merged into ${code(mergedInto)}`] : []),
    ...(status !== undefined && mergedInto === undefined ? [STATES[status.to]] : []),
    ...(renamedFrom !== undefined ? [`was “${plain(renamedFrom)}”`] : []),
    ...(movedFrom !== undefined ? [`moved from ${place(movedFrom)} to ${place(parent)}`] : []),
    ...(author === undefined ? [] : [renderAuthor(author)]),
  ];
}

function renderAuthor({ from, to }: NonNullable<ThreadChange["author"]>): string {
  if (to === null) return `no longer ${code(from ?? "")}'s`;
  return from === null ? `now ${code(to)}'s` : `taken over: ${code(from)} → ${code(to)}`;
}

function listed(paths: readonly string[]): string {
  return paths.map(code).join(", ");
}

function notesOf(damage: Damage | undefined, header: ThreadChange["header"]): readonly string[] {
  const notes: string[] = [];
  if (damage !== undefined) {
    const { side, kind, line, message } = damage;
    const at = line === undefined ? "" : ` (line ${line})`;
    if (side === "before") notes.push("_Its file could not be read before; all of its decisions are shown as new._");
    else if (kind === "conflict") notes.push(`_Its file has merge conflicts${at}._`);
    else notes.push(`_Its file is no thread's that can be read${at}: ${plain(message)}_`);
  }
  const now = "its title, parent and status are those of no thread";
  if (header === "lost")
    notes.push(`_Its file is text without a header now: ${now}. Sessions may still read the text._`);
  if (header === "missing") notes.push("_Its file is text without a header. Sessions may read the text._");
  return notes;
}

const MARKS = { added: "**+**", struck: "**−**", moved: "**→**" };

/** A decision as an item of the page: what it holds, hostile or not, stays within that item and heads nothing. */
function renderDecision(change: DecisionChange): string[] {
  const { kind, section, text } = change;
  const [first = "", ...rest] = inertLines(
    text
      .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, "")
      .split("\n")
      .map(stripControls),
  );
  const isBlock = /^(?:```|~~~|\||>)/.test(first);
  const words = [...(kind === "struck" ? ["struck"] : []), ...(section === "Constraints" ? ["constraint"] : [])];
  const head = [
    `- ${MARKS[kind]}`,
    ...(words.length > 0 ? [`${words.join(" ")}:`] : []),
    ...(isBlock ? [] : [first.trim()]),
    ...whereOf(change),
  ];
  return [
    head.filter((part) => part !== "").join(" "),
    ...(isBlock ? ["", first, ...rest] : rest).map((line) => (line.trim() === "" ? "" : `  ${line}`)),
  ];
}

function whereOf({ kind, text, to, toSection, from, fromSection }: DecisionChange): readonly string[] {
  const named = (section: DecisionChange["section"]): string =>
    section === "Constraints" ? "a constraint" : "a decision";
  if (from !== undefined) {
    // A merge into somebody else's thread writes it into the text itself.
    if (kind === "added" && (text.split("\n", 1)[0] ?? "").endsWith(`(from ${from})`)) return [];
    return [`(from ${code(from)}${fromSection === undefined ? "" : `, where it was ${named(fromSection)}`})`];
  }
  const as = toSection === undefined ? [] : [named(toSection)];
  const at = to === undefined ? [] : [`in ${code(to)}`];
  return as.length + at.length === 0 ? [] : [`(now ${[...as, ...at].join(" ")})`];
}

/** A title or reason on one line, in which Markdown has no say. */
function plain(text: string): string {
  return inertText(stripControls(text));
}

function code(text: string): string {
  return text.trim() === "" ? "“”" : `\`${stripControls(text).replaceAll("`", "'")}\``;
}
