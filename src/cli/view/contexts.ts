import { type Block, type Plan, planContext, renderContext, sharesOf } from "../../core/context.ts";
import { renderBlock } from "../../core/context_draft.ts";
import { statusReason } from "../../core/summary.ts";
import { chainOf, changedThread, type Thread, type Tree } from "../../core/tree.ts";
import { describeError, ThreadMindError } from "../../errors.ts";
import { faultError } from "../../io/store.ts";

/** A thread's parts of contexts, which `assemble()` of the page puts together. */
export interface ThreadParts {
  /** its heading and note, as an ancestor and as the last thread of a context */
  readonly head: string;
  readonly lastHead: string;
  /** its text as the last thread, and what descendants get of it: `undefined` for nothing */
  readonly text: string;
  readonly inherited: string | undefined;
  readonly tokens: number;
  readonly inheritedTokens: number;
}

/** How a thread's context is put together: its ancestors that contribute, and the lines below the last rule. */
export type Recipe =
  | { readonly ancestors: readonly Thread[]; readonly footer: readonly string[]; readonly tokens: number }
  | { readonly error: string };

/** The parts of all contexts of a project, each text prepared once, and one recipe for each thread. */
export interface Contexts {
  readonly systemContext: string;
  readonly systemTokens: number;
  readonly parts: ReadonlyMap<Thread, ThreadParts>;
  readonly recipes: ReadonlyMap<Thread, Recipe>;
}

/** A thread's blocks with their real texts. */
interface Prepared {
  readonly last: Block;
  readonly inherited: Block | undefined;
}

const BELOW = "\n\n---\n";

/** True for a thread whose context could carry a staleness note: one with a text that is shown. */
export function isNoted({ body, fault, conflictLine }: Thread): boolean {
  return body.trim() !== "" && fault === undefined && conflictLine === undefined;
}

/**
 * Plans every thread's context. Chains are planned over stand-ins with short bodies, so that a text is sanitised once
 * and not once for each descendant; the plans then get the real texts.
 */
export function planContexts(
  tree: Tree,
  systemContext: string,
  activeId: string | undefined,
  notes: ReadonlyMap<string, string>,
): Contexts {
  const filling = { activeId, notes, maxTokens: undefined };
  const threads = [...tree.threads.values()];
  const prepared = new Map(threads.map((thread): [string, Prepared] => [thread.id, prepare(thread)]));
  const standIns = new Map(threads.map((thread): [string, Thread] => [thread.id, standInOf(thread, prepared)]));
  const abandoned = new Map(
    [...tree.children].map(([id, children]): [string, readonly Thread[]] => [
      id,
      children.filter(({ status }) => status === "abandoned").map(withReasonOnly),
    ]),
  );
  const system = planContext({ threads: [], missingParent: undefined }, systemContext, []);
  const planOf = (thread: Thread): Plan => {
    const chain = chainOf(tree, thread);
    const children = chain.threads.flatMap(({ id }) => abandoned.get(id) ?? []);
    const short = chain.threads.map(({ id }) => standIns.get(id) ?? thread);
    const plan = planContext({ ...chain, threads: short }, "", children);
    const blocks = plan.blocks.flatMap(({ thread: { id }, isLast }) => {
      const { last, inherited } = prepared.get(id) ?? prepare(thread);
      return (isLast ? last : inherited) ?? [];
    });
    return { ...plan, systemContext: system.systemContext, blocks };
  };
  const recipeOf = (thread: Thread): Recipe => {
    try {
      if (thread.fault !== undefined) throw faultError(thread);
      const plan = planOf(thread);
      const { text, tokens } = renderContext(plan, filling);
      const footer = text.slice(text.lastIndexOf(BELOW) + BELOW.length).split("\n");
      const ancestors = plan.blocks.filter(({ isLast }) => !isLast).map((block) => block.thread);
      return { ancestors, footer, tokens };
    } catch (error) {
      if (!(error instanceof ThreadMindError)) throw error;
      return { error: describeError(error) };
    }
  };
  const partsOf = (thread: Thread): ThreadParts => {
    const { last, inherited } = prepared.get(thread.id) ?? prepare(thread);
    return {
      head: renderBlock({ ...last, text: "", isLast: false }, filling),
      lastHead: renderBlock({ ...last, text: "" }, filling),
      text: last.text,
      inherited: inherited?.text,
      tokens: tokensOf([last]),
      inheritedTokens: tokensOf(inherited === undefined ? [] : [inherited]),
    };
  };
  return {
    systemContext: system.systemContext,
    systemTokens: sharesOf(system)[0]?.tokens ?? 0,
    parts: new Map(threads.map((thread) => [thread, partsOf(thread)])),
    recipes: new Map(threads.map((thread) => [thread, recipeOf(thread)])),
  };
}

function tokensOf(blocks: readonly Block[]): number {
  const plan = { systemContext: "", blocks, depth: 0, levelsLeftOut: 0, missingParent: undefined, abandoned: [] };
  return sharesOf(plan)[0]?.tokens ?? 0;
}

function prepare(thread: Thread): Prepared {
  const below = changedThread(thread, { body: "", status: "open", mergedInto: undefined });
  const plan = planContext({ threads: [thread, below], missingParent: undefined }, "", []);
  const alone = planContext({ threads: [thread], missingParent: undefined }, "", []);
  const [last] = alone.blocks;
  if (last === undefined) throw new Error(`the thread ${thread.id} has no block of its own`);
  return { last, inherited: plan.blocks.find((block) => !block.isLast) };
}

function standInOf(thread: Thread, prepared: ReadonlyMap<string, Prepared>): Thread {
  return changedThread(thread, { body: prepared.get(thread.id)?.inherited === undefined ? "" : "-" });
}

/** An abandoned thread whose text is only the bullet that says why, where that says the same. */
function withReasonOnly(thread: Thread): Thread {
  if (thread.conflictLine !== undefined) return thread;
  const reason = statusReason(thread.body);
  const body = reason?.word === "Abandoned" ? `## Decisions\n- Abandoned: ${reason.reason}\n` : "";
  return statusReason(body)?.reason === (body === "" ? undefined : reason?.reason)
    ? changedThread(thread, { body })
    : thread;
}
