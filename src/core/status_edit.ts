import { appendToSection } from "./section_edit.ts";
import { type StatusReason, statusReason } from "./summary.ts";
import type { ThreadStatus } from "./tree.ts";

/** A body with the reason of a status as a bullet of Decisions. */
export interface StatusEdit {
  readonly body: string;
  readonly movedToDecisions: boolean;
  /** true if the reason took the place of the one that stood for the same status */
  readonly isReplaced: boolean;
}

/**
 * Writes why a thread is done or abandoned as the last bullet of its Decisions, or in place of the reason that stands for
 * the same status; the bullet of a status that is left becomes `- Reopened (was abandoned: …)`. Without a reason a done
 * thread's body stays as it is.
 */
export function setStatusReason(
  body: string,
  status: ThreadStatus,
  previous: ThreadStatus,
  reason: string | undefined,
): StatusEdit {
  const known = statusReason(body);
  if (known !== undefined && status !== previous && known.word === wordOf(previous)) {
    const why = known.reason === "" ? "" : `: ${known.reason}`;
    return setStatusReason(replaceReason(body, known, `Reopened (was ${previous}${why})`), status, "open", reason);
  }
  const unchanged = { body, movedToDecisions: false, isReplaced: false };
  if (status === "open" || reason === undefined) return unchanged;
  const word = wordOf(status);
  const standing = known?.word === word ? known : undefined;
  if (standing?.reason === reason) return unchanged;
  if (standing !== undefined && status === previous)
    return { ...unchanged, body: replaceReason(body, standing, `${word}: ${reason}`), isReplaced: true };
  return { ...appendToSection(body, "Decisions", `- ${word}: ${reason}`, { intoLast: true }), isReplaced: false };
}

/** The word that a status's reason begins with; an open thread needs none. */
function wordOf(status: ThreadStatus): StatusReason["word"] | undefined {
  return status === "open" ? undefined : status === "done" ? "Done" : "Abandoned";
}

/** Another text in a reason's bullet; the bullet's mark stays, since another one would begin a new list. */
function replaceReason(body: string, { start, end }: StatusReason, text: string): string {
  return `${body.slice(0, start + 1)} ${text}${body.slice(end)}`;
}

/** A reason as it is written: on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
