import { appendToSection } from "./section_edit.ts";
import { type StatusReason, statusReason } from "./summary.ts";
import type { ThreadStatus } from "./tree.ts";

/** A body with the reason of a status as a bullet of Decisions. */
export interface StatusEdit {
  readonly body: string;
  readonly movedToDecisions: boolean;
  /** the bullet, without its mark, in whose place the reason stands now */
  readonly replaced: string | undefined;
  /** what the bullet of the status that was left said, and what it says now, without its mark */
  readonly rewritten: { readonly from: string; readonly to: string } | undefined;
}

/** An earlier text of a thread. */
export interface EarlierText {
  readonly status: ThreadStatus;
  readonly body: string;
}

/** What the last bullet is that reads like a status's reason: that, or a decision of a person's own (`- Done: v9 runs`). */
export type ReasonOrigin = "reason" | "decision" | "unknown";

/**
 * Tells a status's reason from a decision that reads like one: the decision stood there before the thread had the status.
 * `earlier` holds the texts before this one, newest first; without one of another status it can't be told.
 */
export function originOfReason({ status, body }: EarlierText, earlier: readonly EarlierText[]): ReasonOrigin {
  const before = earlier.find((each) => each.status !== status);
  if (before === undefined) return "unknown";
  const [known, old] = [statusReason(body), statusReason(before.body)];
  return known?.word === old?.word && known?.reason === old?.reason ? "decision" : "reason";
}

/**
 * Writes why a thread is done or abandoned as the last bullet of its Decisions, or in place of the reason that stands for
 * the same status; the bullet of a status that is left becomes `- Reopened (was abandoned: …)`. Without a reason a done
 * thread's body stays as it is. A decision is never replaced or rewritten, and what may be one is not replaced.
 */
export function setStatusReason(
  body: string,
  status: ThreadStatus,
  previous: ThreadStatus,
  reason: string | undefined,
  origin: ReasonOrigin = "reason",
): StatusEdit {
  const known = statusReason(body);
  if (known !== undefined && status !== previous && known.word === wordOf(previous) && origin !== "decision") {
    const why = known.reason === "" ? "" : `: ${known.reason}`;
    const to = `Reopened (was ${previous}${why})`;
    const edit = setStatusReason(replaceReason(body, known, to), status, "open", reason);
    return { ...edit, rewritten: { from: textOf(known), to } };
  }
  const unchanged = { body, movedToDecisions: false, replaced: undefined, rewritten: undefined };
  if (status === "open" || reason === undefined) return unchanged;
  const word = wordOf(status);
  const standing = known?.word === word ? known : undefined;
  if (standing?.reason === reason) return unchanged;
  if (standing !== undefined && status === previous && origin === "reason") {
    return { ...unchanged, body: replaceReason(body, standing, `${word}: ${reason}`), replaced: textOf(standing) };
  }
  const added = appendToSection(body, "Decisions", `- ${word}: ${reason}`, { intoLast: true });
  return { ...unchanged, ...added };
}

/** The word that a status's reason begins with; an open thread needs none. */
function wordOf(status: ThreadStatus): StatusReason["word"] | undefined {
  return status === "open" ? undefined : status === "done" ? "Done" : "Abandoned";
}

/** The bullet of a status's reason, without its mark. */
function textOf({ word, reason }: StatusReason): string {
  return `${word}: ${reason}`;
}

/** Another text in a reason's bullet; the bullet's mark stays, since another one would begin a new list. */
function replaceReason(body: string, { start, end }: StatusReason, text: string): string {
  return `${body.slice(0, start + 1)} ${text}${body.slice(end)}`;
}

/** A reason as it is written: on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
