import { type Context, type Filling, type Plan, planContext } from "../../src/core/context.ts";
import { type Draft, draftOf, MOST_BREVITY, renderDraft } from "../../src/core/context_draft.ts";
import { closeOpenBlocks } from "../../src/core/open_blocks.ts";
import { estimateTokens, unitsFor } from "../../src/core/tokens.ts";
import { chainOf } from "../../src/core/tree.ts";
import type { Seeded } from "./seeded.ts";
import { sketchTree, type ThreadSketch, threadIn } from "./threads.ts";

/** A context that is to be fitted into a budget. */
export interface Case {
  readonly plan: Plan;
  readonly filling: Filling;
}

/** The plan of a thread's context. */
export function planOf(sketches: readonly ThreadSketch[], id: string, system = ""): Plan {
  const tree = sketchTree(...sketches);
  const chain = chainOf(tree, threadIn(tree, id));
  return planContext(
    chain,
    system,
    chain.threads.flatMap((thread) => tree.children.get(thread.id) ?? []),
  );
}

/** What is wrong with a context that was fitted, if anything. */
export function findFault({ plan, filling }: Case, context: Context, maxTokens: number): string | undefined {
  const { text, leftOut, isCut } = context;
  const budget = unitsFor(maxTokens);
  if (estimateTokens(text.length) > maxTokens) return `${text.length} units don't fit into ${budget}`;
  const whole = draftOf(plan, filling);
  const dropped = leftOut.filter((name) => name !== "system context").length;
  const steps = stepsOf(whole);
  const lastStep = steps.length - 1;
  const at = isCut ? lastStep : steps.findIndex((step) => matches(step, text, dropped));
  if (at < 0) return "it is no step of the documented order";
  const earlier = steps.slice(0, at).find((step) => renderDraft(step).text.length <= budget);
  if (earlier !== undefined) return "more was dropped than necessary";
  const ids = plan.blocks.slice(0, dropped).map(({ thread }) => thread.id as string);
  const names = at === lastStep && plan.systemContext !== "" ? [...ids, "system context"] : ids;
  if (names.join() !== leftOut.join()) return `left out are ${names.join()}`;
  if (names.length > 0 && !text.includes("\n_Left out")) return "what is left out isn't named";
  if (isCut !== text.includes("\n_Cut to fit the budget: context_get")) return "the cut isn't told";
  const uncut = { ...(steps[lastStep] ?? whole), roomForIds: Math.max(100, budget / 8), brevity: 1 };
  if (isCut && renderDraft(uncut).text.length <= budget) return "it is cut though it fits whole";
  return isCut ? findFaultOfCut(steps[lastStep] ?? whole, text, budget) : undefined;
}

function stepsOf(whole: Draft): Draft[] {
  const ancestors = whole.plan.blocks.length - 1;
  const fewer = whole.abandoned.map((_, at) => ({ ...whole, abandoned: whole.abandoned.slice(0, at + 1) })).reverse();
  const farther = Array.from({ length: ancestors + 1 }, (_, dropped) => ({ ...whole, abandoned: [], dropped }));
  return [...fewer, ...farther, { ...whole, abandoned: [], dropped: ancestors, withSystem: false }];
}

function matches(step: Draft, text: string, dropped: number): boolean {
  const body = (context: string): string => context.slice(0, context.lastIndexOf("\n---\n"));
  const abandoned = text.split("\n_Abandoned here").length - 1;
  const frames = step.withSystem ? [step] : framesOf(step);
  const isSame = frames.some((frame) => body(renderDraft(frame).text) === body(text));
  return isSame && step.dropped === dropped && step.abandoned.length === abandoned;
}

function framesOf(draft: Draft): Draft[] {
  return Array.from({ length: MOST_BREVITY + 1 }, (_, brevity) => ({ ...draft, brevity }));
}

function findFaultOfCut(bare: Draft, text: string, budget: number): string | undefined {
  const source = bare.plan.blocks.at(-1)?.text ?? "";
  const body = text.slice(0, text.lastIndexOf("\n---\n")).trimEnd();
  const heading = text.split("\n", 1)[0] ?? "";
  const note = [...bare.filling.notes.values()].find((known) => body.startsWith(`${heading}\n\n${known}`));
  const cut = body.slice(heading.length + (note === undefined ? 0 : note.length + 2)).trimStart();
  const ends = [...cut.matchAll(/\n|$/g)].map(({ index }) => cut.slice(0, index)).reverse();
  const end = ends.find((each) => source.startsWith(each.replace(/…$/, "")) && closeOpenBlocks(each) === cut);
  if (end === undefined) return "the cut text isn't how the text begins";
  const kept = source.startsWith(end) ? end : end.slice(0, -1);
  const lineEnds = /^\s*(?:\n|$)/.test(source.slice(kept.length));
  if (!lineEnds && kept === end) return "the cut within a line isn't marked";
  if (!lineEnds && ![...new Intl.Segmenter().segment(source)].some(({ index }) => index === kept.length)) {
    return `a grapheme cluster is cut at ${kept.length}`;
  }
  const frames = framesOf({ ...bare, roomForIds: Math.max(100, budget / 8) });
  const frame = frames.find((draft) => renderDraft({ ...draft, cutText: cut }).text === text);
  if (frame === undefined) return "the frame isn't as documented";
  const nextLine = /^\s*[^\n]*/.exec(source.slice(kept.length))?.[0] ?? "";
  // The next line may end where the cut has to be marked.
  const longer = closeOpenBlocks(`${kept}${nextLine}…`);
  return renderDraft({ ...frame, cutText: longer }).text.length <= budget
    ? "one more line would have fitted"
    : undefined;
}

const PIECES = [
  ...[
    "- a decision\n",
    "text ",
    "👨‍👩‍👧",
    "🇫🇷🇩🇪",
    "e\u0301\u0323",
    "한국",
    "x".repeat(300),
    "\n\n",
    "\n",
    "## Decisions\n",
  ],
  ...[
    "```js\ncode\n",
    "~~~\n",
    "<!-- c\n",
    "<details>\n",
    "> quote\n",
    "1. one\n",
    "## Thread: x\n",
    "_Cut_\n",
    "---\n",
  ],
  ...["- long line ".repeat(40), "## State\n- s\n", "👍🏽".repeat(90), "## Constraints\n- c\n", "`a", "| a | b |\n"],
];

function randomText({ next, pick }: Seeded, most: number): string {
  return Array.from({ length: next(most) }, () => pick(PIECES)).join("");
}

/** Random threads, some with notes and abandoned children, and a random system context. */
export function randomCase(random: Seeded): Case {
  const { next, pick } = random;
  const count = 1 + next(pick([4, 12, 60]));
  const idOf = (at: number): string => `${at}-${"認é-x".repeat(at % 7 === 6 ? 15 : at % 3)}`;
  const chain = Array.from({ length: count }, (_, at): ThreadSketch => {
    const parentId = at === 0 ? pick([null, "gone", "g".repeat(200)]) : idOf(at - 1);
    const title = pick([
      "Auth",
      "認証 🚀".repeat(20),
      "A very long title ".repeat(15),
      "# *x* `y`",
      "👨‍👩‍👧".repeat(30),
    ]);
    const status = pick(["open", "open", "done", "abandoned"] as const);
    return { id: idOf(at), title, parentId, status, body: randomText(random, at === count - 1 ? pick([3, 60]) : 12) };
  });
  const children = Array.from({ length: next(8) }, (_, at): ThreadSketch => {
    const body = `## Decisions\n- Abandoned: ${pick(["slow", "x".repeat(300), "👨‍👩‍👧 ".repeat(40)])}`;
    return { id: `child-${at}`, parentId: idOf(next(count)), status: "abandoned", body };
  });
  const noted = Array.from({ length: count }, (_, at) => at).filter(() => next(3) === 0);
  const note = pick(["_Written 14 commits ago._", `_⚠ 2 commits changed ${"src/auth, ".repeat(next(40))}x._`]);
  const filling: Filling = {
    activeId: pick(["main", idOf(count - 1)]),
    notes: new Map(noted.map((at): [string, string] => [idOf(at), note])),
    maxTokens: undefined,
  };
  return {
    plan: planOf([...chain, ...children], idOf(count - 1), next(2) === 0 ? "" : randomText(random, 20)),
    filling,
  };
}
