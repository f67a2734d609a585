import { fitDraft } from "./context_budget.ts";
import { draftOf, renderBlock } from "./context_draft.ts";
import { idKey } from "./id.ts";
import { trimBlankLines } from "./lines.ts";
import { closeOpenBlocks } from "./open_blocks.ts";
import { sanitiseText } from "./sanitise.ts";
import { inheritedText } from "./summary.ts";
import { stripControls } from "./text_controls.ts";
import { estimateTokens, unitsFor } from "./tokens.ts";
import { byNewest, type Chain, type Thread } from "./tree.ts";

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
const EMPTY = "_No summary yet._";

/** Decides which threads of a chain are rendered and with what text. `children` are those of the chain's threads. */
export function planContext(chain: Chain, systemContext: string, children: readonly Thread[]): Plan {
  const { threads } = chain;
  const kept = threads.length > MOST_LEVELS ? [...threads.slice(0, 1), ...threads.slice(-MOST_LEVELS)] : threads;
  const level = new Map(threads.map(({ id }, index) => [idKey(id), index]));
  const isFolded = ({ id, status, mergedInto }: Thread): boolean =>
    status === "done" && (level.get(idKey(mergedInto ?? "")) ?? threads.length) < (level.get(idKey(id)) ?? 0);
  return {
    systemContext: showable(systemContext),
    blocks: kept.flatMap((thread, index) => {
      const isLast = index === kept.length - 1;
      return isLast || !isFolded(thread) ? planBlock(thread, isLast) : [];
    }),
    depth: threads.length,
    levelsLeftOut: threads.length - kept.length,
    missingParent: chain.missingParent,
    abandoned: children
      .filter(({ id, status }) => status === "abandoned" && !level.has(idKey(id)))
      .sort(byNewest)
      .slice(0, MOST_ABANDONED),
  };
}

function planBlock(thread: Thread, isLast: boolean): Block[] {
  const notice = noticeOf(thread);
  if (notice !== undefined) return [{ thread, text: notice, mayBeStale: false, isLast }];
  const text = showable(isLast ? thread.body : inheritedText(thread.body));
  if (text !== "") return [{ thread, text, mayBeStale: true, isLast }];
  return isLast ? [{ thread, text: EMPTY, mayBeStale: false, isLast }] : [];
}

/** A text from the repository as it may stand between others. */
function showable(text: string): string {
  return closeOpenBlocks(trimBlankLines(sanitiseText(text)));
}

/** What stands in place of a text that can't be shown. */
function noticeOf({ conflictLine, fault }: Thread): string | undefined {
  if (conflictLine !== undefined) {
    return `_⚠ This file has merge conflicts (line ${conflictLine}): not shown; run threadmind resolve._`;
  }
  if (fault === undefined) return undefined;
  const line = fault.line === undefined ? "" : ` (line ${fault.line})`;
  return `_⚠ This file can't be read${line}: not shown; threadmind tree says why._`;
}

/** Renders one thread alone: its heading, note and whole text. */
export function renderAlone(thread: Thread, filling: Filling): string {
  const [block] = planBlock(thread, true);
  return block === undefined ? "" : renderBlock(block, filling);
}

/** Renders a plan; with a budget, what doesn't fit is dropped in the documented order and named. */
export function renderContext(plan: Plan, filling: Filling): Context {
  const budget = filling.maxTokens === undefined ? Number.POSITIVE_INFINITY : unitsFor(filling.maxTokens);
  return fitDraft(draftOf(plan, filling), budget);
}

/** A part of a context and the estimated tokens it takes. */
export interface Share {
  readonly name: string;
  readonly tokens: number;
}

/** What each part of a plan takes of its context; notes and headings are left out. */
export function sharesOf({ systemContext, blocks }: Plan): readonly Share[] {
  const system = systemContext === "" ? [] : [{ name: "system context", tokens: estimateTokens(systemContext.length) }];
  return [
    ...system,
    ...blocks.map(({ thread, text }) => ({ name: stripControls(thread.id), tokens: estimateTokens(text.length) })),
  ];
}
