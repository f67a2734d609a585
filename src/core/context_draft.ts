import type { Block, Context, Filling, Plan } from "./context.ts";
import { threadUri } from "./id.ts";
import { statusReason } from "./summary.ts";
import { stripControls } from "./text_controls.ts";
import { cutAtGrapheme } from "./text_cut.ts";
import { countOf, estimateTokens, groupDigits } from "./tokens.ts";
import type { Thread } from "./tree.ts";

/** A plan with what is shown of it. */
export interface Draft {
  readonly plan: Plan;
  readonly filling: Filling;
  /** how many of the farthest ancestors are left out */
  readonly dropped: number;
  readonly withSystem: boolean;
  readonly abandoned: readonly Thread[];
  /** the most UTF-16 units for the ids of what is left out; those beyond are counted */
  readonly roomForIds: number;
  /** what stands in place of the last thread's text */
  readonly cutText: string | undefined;
  /** how much of the frame is shortened for a very small budget: 0 nothing … `MOST_BREVITY` as much as can be */
  readonly brevity: number;
}

/** The brevity at which a frame without a text fits into the smallest budget. */
export const MOST_BREVITY = 7;

const MOST_ABANDONED_CHARACTERS = 120;
const SHORTEST_REASON = 16;
const LONGEST_ID = 180;
const SHORT_TITLE = 20;
const SEPARATOR = "\n\n---\n\n";

/** The draft that shows all of a plan. */
export function draftOf(plan: Plan, filling: Filling): Draft {
  return {
    ...{ plan, filling, dropped: 0, withSystem: plan.systemContext !== "", abandoned: plan.abandoned },
    ...{ roomForIds: Number.POSITIVE_INFINITY, cutText: undefined, brevity: 0 },
  };
}

/** Renders a draft, whatever its length. */
export function renderDraft(draft: Draft): Context {
  const { plan, filling, dropped, withSystem, cutText, brevity } = draft;
  const blocks = plan.blocks.slice(dropped).map((block) => {
    const text = block.isLast ? (cutText ?? block.text) : block.text;
    return renderBlock({ ...block, text }, filling, block.isLast ? brevity : 0);
  });
  const parts = withSystem ? [`## System Context\n\n${plan.systemContext}`, ...blocks] : blocks;
  const body = `${parts.join(SEPARATOR)}\n\n`;
  const tokens = estimateTokens(body.length);
  const text = `${body}---\n${renderFooter(draft, tokens).join("\n")}`;
  return { text, tokens, depth: plan.depth, leftOut: leftOutOf(draft), isCut: cutText !== undefined };
}

/** Renders a thread's heading, note and text. */
export function renderBlock({ thread, text, mayBeStale, isLast }: Block, filling: Filling, brevity = 0): string {
  const whole = stripControls(thread.title).trim() || stripControls(thread.id);
  const isShort = brevity >= 4 && whole.length > SHORT_TITLE;
  const title = isShort ? `${cutAtGrapheme(whole, SHORT_TITLE)}…` : whole;
  const active = isLast && thread.id === filling.activeId ? " (active)" : "";
  const status = thread.status === "open" ? "" : ` (${thread.status})`;
  const note = mayBeStale && brevity < 6 ? filling.notes.get(thread.id) : undefined;
  return [`## Thread: ${title}${active}${status}`, stripControls(note ?? ""), text]
    .filter((part) => part !== "")
    .join("\n\n");
}

function leftOutOf(draft: Draft): readonly string[] {
  return [...idsLeftOut(draft), ...systemLeftOut(draft)];
}

function idsLeftOut({ plan, dropped }: Draft): readonly string[] {
  return plan.blocks.slice(0, dropped).map(({ thread }) => shownId(thread.id));
}

function systemLeftOut({ plan, withSystem }: Draft): readonly string[] {
  return withSystem || plan.systemContext === "" ? [] : ["system context"];
}

function renderFooter(draft: Draft, tokens: number): string[] {
  const { plan, brevity, abandoned, cutText } = draft;
  const { missingParent, levelsLeftOut, depth } = plan;
  const last = plan.blocks.at(-1)?.thread;
  const lines = [`_ThreadMind context: ~${groupDigits(tokens)} tokens | depth: ${countOf(depth, "thread")}_`];
  lines.push(...renderLeftOut(draft));
  if (cutText !== undefined && last !== undefined) {
    const where = brevity >= 2 ? "context_get" : `context_get or ${threadUri(last.id)}`;
    lines.push(`_Cut to fit the budget: ${where} has all of it_`);
  }
  if (brevity >= MOST_BREVITY) return lines;
  if (missingParent !== undefined) {
    lines.push(`_Missing parent: ${shownId(missingParent.parent)} (named by ${shownId(missingParent.namedBy)})_`);
  }
  if (levelsLeftOut > 0) lines.push(`_Levels left out: ${groupDigits(levelsLeftOut)}_`);
  return [...lines, ...abandoned.map(renderAbandoned)];
}

/** The line that names what is left out. */
function renderLeftOut(draft: Draft): string[] {
  const { brevity, roomForIds } = draft;
  const [ids, system] = [idsLeftOut(draft), systemLeftOut(draft)];
  const names = [...listIds(ids, brevity >= 5 ? 0 : roomForIds), ...system];
  if (names.length === 0) return [];
  const start = brevity >= 3 ? "_Left out" : "_Left out to fit the token budget";
  const end = brevity >= 1 ? "" : " (readable as threadmind://thread/{id} resources)";
  return [`${start}: ${names.join(", ")}${end}_`];
}

/** As many of the ids as there is room for, and the number of the others. */
function listIds(ids: readonly string[], room: number): readonly string[] {
  let units = 0;
  const shown = ids.findIndex((id) => {
    units += id.length + 2;
    return units > room;
  });
  if (shown < 0) return ids;
  return [...ids.slice(0, shown), countOf(ids.length - shown, shown === 0 ? "thread" : "more thread")];
}

/** An id on one line; what a file names as an id may be of any length. */
function shownId(id: string): string {
  const shown = stripControls(id);
  return shown.length > LONGEST_ID ? `${cutAtGrapheme(shown, LONGEST_ID)}…` : shown;
}

/** An abandoned thread's line. The reason matters most: the address goes first, then the end of the reason. */
function renderAbandoned({ id, body, conflictLine }: Thread): string {
  const reason = conflictLine === undefined ? statusReason(body) : undefined;
  const told = reason?.word === "Abandoned" ? stripControls(reason.reason).trim() : "";
  const name = shownId(id);
  const [head, tail] = [`_Abandoned here: ${name}`, ` (${threadUri(id)})_`];
  if (told === "") return shortest(`${head}${tail}`, `${head}_`, name);
  const whole = `${head}: ${told}${tail}`;
  if (whole.length <= MOST_ABANDONED_CHARACTERS) return whole;
  for (const end of [tail, "_"]) {
    const room = MOST_ABANDONED_CHARACTERS - `${head}: ${end}`.length;
    if (told.length <= room) return `${head}: ${told}${end}`;
    if (room > SHORTEST_REASON) return `${head}: ${cutAtGrapheme(told, room - 1).trimEnd()}…${end}`;
  }
  return shortest(`${head}_`, `${head}_`, name);
}

function shortest(line: string, without: string, name: string): string {
  const fitting = [line, without].find(({ length }) => length <= MOST_ABANDONED_CHARACTERS);
  return fitting ?? `_Abandoned here: ${cutAtGrapheme(name, 100)}…_`;
}
