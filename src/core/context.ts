import { threadUri } from "./id.ts";
import { closeOpenBlocks } from "./open_blocks.ts";
import { sanitiseText } from "./sanitise.ts";
import { inheritedText, statusReason } from "./summary.ts";
import { stripControls } from "./text_controls.ts";
import { countOf, estimateTokens, groupDigits, unitsFor } from "./tokens.ts";
import type { Chain, Thread } from "./tree.ts";

/** The smallest budget, in tokens, that a context can be fitted into. */
export const LEAST_TOKENS = 60;

/** One thread's part of a context, before its note is known. */
export interface Block {
  readonly thread: Thread;
  /** sanitised text, or a note that stands for it */
  readonly text: string;
  /** false for an empty summary or a text that isn't shown: then there is nothing to be stale */
  readonly mayBeStale: boolean;
  readonly isLast: boolean;
}

/** A chain as it will be rendered. */
export interface Plan {
  readonly systemContext: string;
  readonly blocks: readonly Block[];
  readonly depth: number;
  readonly levelsLeftOut: number;
  readonly missingParent: Chain["missingParent"];
  readonly abandoned: readonly Thread[];
}

/** What fills a plan: the session's active thread, staleness notes by thread id, a budget in tokens. */
export interface Filling {
  readonly activeId: string | undefined;
  readonly notes: ReadonlyMap<string, string>;
  readonly maxTokens: number | undefined;
}

/** An assembled context and what was left out of it. */
export interface Context {
  readonly text: string;
  readonly tokens: number;
  readonly depth: number;
  readonly leftOut: readonly string[];
  readonly isCut: boolean;
}

const MOST_LEVELS = 50;
const MOST_ABANDONED = 5;
const MOST_ABANDONED_CHARACTERS = 120;
const SEPARATOR = "\n\n---\n\n";
const EMPTY = "_No summary yet._";

/** Decides which threads of a chain are rendered and with what text. `children` are those of the chain's threads. */
export function planContext(chain: Chain, systemContext: string, children: readonly Thread[]): Plan {
  const { threads } = chain;
  const tooDeep = threads.length > MOST_LEVELS;
  const kept = tooDeep ? [...threads.slice(0, 1), ...threads.slice(-MOST_LEVELS)] : threads;
  const ids = new Set<string>(threads.map(({ id }) => id));
  const blocks = kept.flatMap((thread, index): Block[] => {
    const isLast = index === kept.length - 1;
    if (!isLast && thread.status === "done" && thread.mergedInto !== undefined && ids.has(thread.mergedInto)) return [];
    return planBlock(thread, isLast);
  });
  const abandoned = children
    .filter((child) => child.status === "abandoned" && !ids.has(child.id))
    .sort((a, b) => ((b.updatedAt ?? "") < (a.updatedAt ?? "") ? -1 : 1))
    .slice(0, MOST_ABANDONED);
  const system = closeOpenBlocks(trimBlankLines(sanitiseText(systemContext)));
  return {
    systemContext: system,
    blocks,
    depth: threads.length,
    levelsLeftOut: threads.length - kept.length,
    missingParent: chain.missingParent,
    abandoned,
  };
}

function planBlock(thread: Thread, isLast: boolean): Block[] {
  const notice = noticeOf(thread);
  if (notice !== undefined) return [{ thread, text: notice, mayBeStale: false, isLast }];
  const text = closeOpenBlocks(trimBlankLines(sanitiseText(isLast ? thread.body : inheritedText(thread.body))));
  if (text !== "") return [{ thread, text, mayBeStale: true, isLast }];
  return isLast ? [{ thread, text: EMPTY, mayBeStale: false, isLast }] : [];
}

/** What stands in place of a text that can't be shown. */
function noticeOf({ conflictLine, fault }: Thread): string | undefined {
  if (conflictLine !== undefined) {
    return `_⚠ This file has merge conflicts (line ${conflictLine}): not shown; run threadmind resolve._`;
  }
  if (fault === undefined) return undefined;
  const line = fault.line === undefined ? "" : ` (line ${fault.line})`;
  return `_⚠ This file can't be read${line}: not shown; run threadmind doctor._`;
}

function trimBlankLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** Renders one thread alone: its heading, note and whole text. */
export function renderAlone(thread: Thread, filling: Filling): string {
  const [block] = planBlock(thread, true);
  return block === undefined ? "" : renderBlock(block, filling);
}

/** Renders a plan; with a budget, what doesn't fit is dropped in the documented order and named. */
export function renderContext(plan: Plan, filling: Filling): Context {
  const whole: Draft = {
    plan,
    filling,
    dropped: 0,
    withSystem: plan.systemContext !== "",
    abandoned: plan.abandoned,
    brevity: 0,
  };
  const budget = filling.maxTokens === undefined ? Number.POSITIVE_INFINITY : unitsFor(filling.maxTokens);
  const ancestors = plan.blocks.filter(({ isLast }) => !isLast).length;
  for (const draft of shrinkingDrafts(whole, ancestors)) {
    const context = renderDraft(draft, undefined);
    if (context.text.length <= budget) return context;
  }
  const bare: Draft = { ...whole, dropped: ancestors, withSystem: false, abandoned: [] };
  for (let brevity = 0; ; brevity++) {
    const context = cutToFit({ ...bare, brevity }, budget);
    if (context !== undefined) return context;
  }
}

interface Draft {
  readonly plan: Plan;
  readonly filling: Filling;
  /** how many of the farthest ancestors are left out */
  readonly dropped: number;
  readonly withSystem: boolean;
  readonly abandoned: readonly Thread[];
  /** how much of the frame is shortened for a very small budget: 0 nothing … 5 as much as can be */
  readonly brevity: number;
}

function* shrinkingDrafts(whole: Draft, ancestors: number): Generator<Draft> {
  yield whole;
  for (let dropped = 0; dropped <= ancestors; dropped++) yield { ...whole, abandoned: [], dropped };
  yield { ...whole, abandoned: [], dropped: ancestors, withSystem: false };
}

function renderDraft(draft: Draft, lastText: string | undefined): Context {
  const { plan, filling, dropped, withSystem } = draft;
  const blocks = plan.blocks.slice(dropped).map((block) => {
    const isShort = block.isLast && draft.brevity >= 3;
    const text = block.isLast && lastText !== undefined ? lastText : block.text;
    return renderBlock({ ...block, text }, filling, isShort);
  });
  const parts = withSystem ? [`## System Context\n\n${plan.systemContext}`, ...blocks] : blocks;
  const body = `${parts.join(SEPARATOR)}\n\n`;
  const tokens = estimateTokens(body.length);
  const leftOut = [
    ...plan.blocks.slice(0, dropped).map(({ thread }) => stripControls(thread.id)),
    ...(withSystem || plan.systemContext === "" ? [] : ["system context"]),
  ];
  const footer = renderFooter(draft, tokens, leftOut, lastText !== undefined);
  return { text: `${body}---\n${footer}`, tokens, depth: plan.depth, leftOut, isCut: lastText !== undefined };
}

function renderBlock({ thread, text, mayBeStale }: Block, { activeId, notes }: Filling, isShort = false): string {
  const marks = [thread.id === activeId ? " (active)" : "", thread.status === "open" ? "" : ` (${thread.status})`].join(
    "",
  );
  const title = stripControls(thread.title);
  const note = mayBeStale && !isShort ? notes.get(thread.id) : undefined;
  const heading = `## Thread: ${isShort && title.length > 20 ? `${cutAtGrapheme(title, 20)}…` : title}${marks}`;
  return [heading, note === undefined ? undefined : sanitiseNote(note), text]
    .filter((part) => part !== undefined && part !== "")
    .join("\n\n");
}

function sanitiseNote(note: string): string {
  return stripControls(note);
}

function renderFooter(draft: Draft, tokens: number, leftOut: readonly string[], isCut: boolean): string {
  const { plan, brevity } = draft;
  const lines = [`_ThreadMind context: ~${groupDigits(tokens)} tokens | depth: ${countOf(plan.depth, "thread")}_`];
  if (leftOut.length > 0) lines.push(renderLeftOut(leftOut, brevity));
  const last = plan.blocks.at(-1)?.thread;
  if (isCut && last !== undefined) {
    const where = brevity >= 2 ? "context_get" : `context_get or ${threadUri(stripControls(last.id))}`;
    lines.push(`_Cut to fit the budget: ${where} has all of it_`);
  }
  if (brevity < 4) {
    const { missingParent, levelsLeftOut } = plan;
    if (missingParent !== undefined) {
      lines.push(
        `_Missing parent: ${stripControls(missingParent.parent)} (named by ${stripControls(missingParent.namedBy)})_`,
      );
    }
    if (levelsLeftOut > 0) lines.push(`_Levels left out: ${groupDigits(levelsLeftOut)}_`);
  }
  lines.push(...draft.abandoned.map(renderAbandoned));
  return lines.join("\n");
}

function renderLeftOut(leftOut: readonly string[], brevity: number): string {
  if (brevity === 0) {
    return `_Left out to fit the token budget: ${leftOut.join(", ")} (readable as threadmind://thread/{id} resources)_`;
  }
  const hasSystem = leftOut.at(-1) === "system context";
  const threads = leftOut.length - (hasSystem ? 1 : 0);
  const names = [threads > 0 ? countOf(threads, "thread") : "", hasSystem ? "system context" : ""].filter(
    (name) => name !== "",
  );
  return `_Left out to fit the token budget: ${names.join(", ")}_`;
}

function renderAbandoned(thread: Thread): string {
  const id = stripControls(thread.id);
  const reason = statusReason(thread.body);
  const told = reason?.word === "Abandoned" ? stripControls(reason.reason) : "";
  const wrap = (head: string, why: string): string =>
    `_Abandoned here: ${head}${why === "" ? "" : `: ${why}`} (${threadUri(id)})_`;
  const line = wrap(id, told);
  if (line.length <= MOST_ABANDONED_CHARACTERS) return line;
  const room = MOST_ABANDONED_CHARACTERS - wrap(id, "x").length;
  if (told !== "" && room > 8) return wrap(id, `${cutAtGrapheme(told, room)}…`);
  const bare = `_Abandoned here: ${id}_`;
  return bare.length <= MOST_ABANDONED_CHARACTERS ? bare : `_Abandoned here: ${cutAtGrapheme(id, 100)}…_`;
}

/** The draft with its last text cut so that all of it fits, or `undefined` if even an empty text doesn't. */
function cutToFit(draft: Draft, budget: number): Context | undefined {
  const text = draft.plan.blocks.at(-1)?.text ?? "";
  const frame = renderDraft(draft, "…").text.length - 1;
  const mayGiveUp = draft.brevity < 5;
  for (let room = budget - frame; room > 0; ) {
    const context = renderDraft(draft, closeOpenBlocks(cutText(text, room)));
    const excess = context.text.length - budget;
    if (excess <= 0) return context;
    room -= excess;
  }
  return mayGiveUp ? undefined : renderDraft(draft, "");
}

/** The longest beginning of at most `room` units that ends at a line end; an over-long line is cut between graphemes. */
function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = text.lastIndexOf("\n", room);
  const nextEnd = text.indexOf("\n", end + 1);
  const nextLength = (nextEnd < 0 ? text.length : nextEnd) - end - 1;
  if (end > 0 && nextLength <= room) return text.slice(0, end).trimEnd();
  return cutAtGrapheme(text, room);
}

/** The longest beginning of at most `room` UTF-16 units that ends between grapheme clusters. */
function cutAtGrapheme(text: string, room: number): string {
  const around = text.slice(Math.max(0, room - 256), room + 256);
  const start = Math.max(0, room - 256);
  let end = start;
  for (const { segment, index } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(around)) {
    if (start + index + segment.length > room) break;
    end = start + index + segment.length;
  }
  return text.slice(0, end);
}
