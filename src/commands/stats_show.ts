import { type Plan, planContext, renderContext, type Share, sharesOf } from "../core/context.ts";
import { measureSessions, renderMeasured } from "../core/measured.ts";
import { countOf, groupDigits } from "../core/tokens.ts";
import { chainOf } from "../core/tree.ts";
import { openCountMemory } from "../io/count_memory.ts";
import { readStaleNotes } from "../io/freshness.ts";
import { defineCommand } from "./command.ts";
import { withNotices } from "./scene.ts";

/** Shows what the project holds and what its context costs. */
export const statsShow = defineCommand({
  name: "stats_show",
  title: "Show statistics",
  description: "Show measured session sizes, threads by status, and each thread's share of the context",
  effect: "read",
  cli: [{ usage: "stats", summary: "Show measured sessions, threads and context" }],
  menu: ["tm", "plugin"],
  input: {},
  async run(session) {
    const scene = await session.scene({});
    const { tree, thread, project } = scene;
    const threads = [...tree.threads.values()];
    const readable = threads.filter(({ fault }) => fault === undefined);
    const count = (status: string): number => readable.filter((each) => each.status === status).length;
    const plan = planContext(chainOf(tree, thread), project.systemContext, []);
    const subjects = plan.blocks.filter(({ mayBeStale }) => mayBeStale).map((block) => block.thread);
    const memory = openCountMemory(scene.store.layout);
    const notes = await readStaleNotes(scene.git, scene.workspace.root, subjects, { memory });
    const { tokens, depth } = renderContext(plan, { activeId: thread.id, notes, maxTokens: undefined });
    return {
      project: project.id,
      sessions: measureSessions(scene.config.sessions),
      threads: {
        ...{ total: threads.length, open: count("open"), done: count("done"), abandoned: count("abandoned") },
        unreadable: threads.length - readable.length,
        withSummary: readable.filter(({ body }) => body.trim() !== "").length,
      },
      context: { thread: thread.id, tokens, depth, shares: partsOf(plan, tokens) },
      notices: scene.notices,
    };
  },
  text: ({ project, sessions, threads, context, notices }) => {
    const { total, open, done, abandoned, unreadable, withSummary } = threads;
    const counts = [`${open} open`, `${done} done`, `${abandoned} abandoned`];
    if (unreadable > 0) counts.push(`${unreadable} unreadable`);
    const width = Math.max(...context.shares.map(({ name }) => name.length));
    const lines = context.shares.map(
      ({ name, tokens, percent }) => `  ${name.padEnd(width)}  ~${groupDigits(tokens)} tokens (${percent} %)`,
    );
    return withNotices(
      notices,
      [
        ...renderMeasured(sessions),
        "",
        `Project ${project}: ${countOf(total, "thread")} (${counts.join(", ")}), ${withSummary} with a summary`,
        `Context of ${context.thread}: ~${groupDigits(context.tokens)} tokens (estimated, 3.5 characters a token)`,
        ...lines,
      ].join("\n"),
    );
  },
});

/** The parts of a context of so many tokens, each with what it takes of them: all of them together are the whole. */
function partsOf(plan: Plan, tokens: number): readonly (Share & { readonly percent: number })[] {
  const shares = sharesOf(plan);
  const rest = tokens - shares.reduce((sum, share) => sum + share.tokens, 0);
  return [...shares, { name: "headings and notes", tokens: Math.max(0, rest) }].map((share) => ({
    ...share,
    percent: Math.round((100 * share.tokens) / tokens),
  }));
}
