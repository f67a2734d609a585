import type { Context } from "./context.ts";
import { type Draft, MOST_BREVITY, renderDraft } from "./context_draft.ts";
import { closeOpenBlocks } from "./open_blocks.ts";
import { CUT, cutAtLineEnd } from "./text_cut.ts";

/** A line that begins a block of its own, at the left. */
const STARTS_BLOCK = /^(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[>|<#=]|`{3}|~{3}|[-*_]{3})/;
/** A line that a mark at its end would make another thing of: a heading, fence, rule, table or tag. */
const NO_SENTENCE = /^[ \t]*(?:#{1,6}[ \t]|`{3}|~{3}|[|<]|[-=*_ \t]+$)/;
/** What closes code, a comment or raw HTML, in which a mark would be taken for part of it. */
const ENDS_CODE = /^\s*(?:`|~|-->|\?>|\]\]>|>|<\/(?:pre|script|style|textarea)>)/;
const QUOTED = /^(?:[ \t]*>[ \t]?)+/;
/** The least of a text, in UTF-16 units, for which the frame isn't shortened. */
const LEAST_TEXT = 30;
/** The ids of what is left out are all named up to so many UTF-16 units, however small the budget. */
const LEAST_IDS = 100;
const MOST_CAREFUL_TRIES = 16;

/**
 * Renders a draft in at most `budget` UTF-16 units: abandoned lines are dropped first, then the farthest ancestors, then
 * the system context; then the last text is cut. Where the ids of what is left out crowd that out, some are only counted.
 */
export function fitDraft(whole: Draft, budget: number): Context {
  const ancestors = whole.plan.blocks.filter(({ isLast }) => !isLast).length;
  const named: Draft = { ...whole, roomForIds: Math.max(LEAST_IDS, budget / 8) };
  for (const draft of [...shrinkingDrafts(whole, ancestors), ...shrinkingDrafts(named, ancestors)]) {
    const context = fitWhole(draft, budget);
    if (context !== undefined) return context;
  }
  const bare: Draft = { ...named, dropped: ancestors, withSystem: false, abandoned: [] };
  const uncut = fitWhole({ ...bare, brevity: 1 }, budget);
  if (uncut !== undefined) return uncut;
  for (let brevity = 0; ; brevity++) {
    const context = fitLastText({ ...bare, brevity }, budget);
    if (context !== undefined) return context;
  }
}

function* shrinkingDrafts(whole: Draft, ancestors: number): Generator<Draft> {
  for (let left = whole.abandoned.length; left > 0; left--)
    yield { ...whole, abandoned: whole.abandoned.slice(0, left) };
  for (let dropped = 0; dropped <= ancestors; dropped++) yield { ...whole, abandoned: [], dropped };
  yield { ...whole, abandoned: [], dropped: ancestors, withSystem: false };
}

/** The draft as it is, if it fits. */
function fitWhole(draft: Draft, budget: number): Context | undefined {
  const { plan, dropped } = draft;
  const texts = plan.blocks.slice(dropped).reduce((sum, { text }) => sum + text.length, 0);
  const context = texts <= budget ? renderDraft(draft) : undefined;
  return context !== undefined && context.text.length <= budget ? context : undefined;
}

/** The draft with as much of its last text as fits, or `undefined` if its frame has to be shorter first. */
function fitLastText(draft: Draft, budget: number): Context | undefined {
  const text = draft.plan.blocks.at(-1)?.text ?? "";
  const whole = fitWhole(draft, budget);
  if (whole !== undefined) return whole;
  let room = budget - renderDraft({ ...draft, cutText: CUT }).text.length + 1;
  if (room < Math.min(text.length, LEAST_TEXT) && draft.brevity < MOST_BREVITY) return undefined;
  for (let tries = 1; room > 0; tries++) {
    const kept = cutAtLineEnd(text, room);
    const closers = closeOpenBlocks(kept).slice(kept.length);
    const mark = isInsideUnit(text, kept) && !ENDS_CODE.test(closers) ? CUT : "";
    const context = renderDraft({ ...draft, cutText: `${kept}${mark}${closers}` });
    const excess = context.text.length - budget;
    if (excess <= 0) return context;
    // What closes an open block makes a text longer, so the next shorter one may do.
    room = tries < MOST_CAREFUL_TRIES ? kept.length - 1 : Math.min(kept.length - 1, room - excess);
  }
  return draft.brevity < MOST_BREVITY ? undefined : renderDraft({ ...draft, cutText: "" });
}

/** True if a text that is cut at a line end goes on with the same sentence or list item, which may say the contrary. */
function isInsideUnit(text: string, kept: string): boolean {
  const last = kept.slice(kept.lastIndexOf("\n") + 1);
  if (kept === "" || !text.startsWith(kept) || NO_SENTENCE.test(last)) return false;
  const [, blank = "", next = ""] = /^[ \t]*\n((?:[ \t]*\n)*)([^\n]*)/.exec(text.slice(kept.length)) ?? [];
  // What is quoted goes on within its quote.
  const isQuoted = blank === "" && QUOTED.test(last) && QUOTED.test(next);
  const rest = isQuoted ? next.replace(QUOTED, "") : next;
  if (rest.trim() === "" || (isQuoted && last.replace(QUOTED, "").trim() === "")) return false;
  return /^(?: {2}|\t)/.test(rest) || (blank === "" && !STARTS_BLOCK.test(rest.trimStart()));
}
