import { appendToSection } from "./section_edit.ts";
import { statusReason } from "./summary.ts";
import type { ThreadStatus } from "./tree.ts";

/** A body with the reason of a status as the last bullet of Decisions. */
export interface StatusEdit {
  readonly body: string;
  readonly movedToDecisions: boolean;
}

/**
 * Writes why a thread is done or abandoned as the last bullet of its Decisions; the bullet of a status that is left becomes
 * `- Reopened (was abandoned: …)`. Without a reason a done thread's body stays as it is.
 */
export function setStatusReason(
  body: string,
  status: ThreadStatus,
  previous: ThreadStatus,
  reason: string | undefined,
): StatusEdit {
  const known = statusReason(body);
  const isStale = previous !== "open" && status !== previous && known !== undefined && known.word !== "Reopened";
  if (isStale) {
    const why = known.reason === "" ? "" : `: ${known.reason}`;
    const bullet = `- Reopened (was ${previous}${why})`;
    const reopened = body.slice(0, known.start) + bullet + body.slice(known.end);
    return setStatusReason(reopened, status, "open", reason);
  }
  if (status === "open") return { body, movedToDecisions: false };
  if (reason === undefined) return { body, movedToDecisions: false };
  const bullet = `- ${status === "done" ? "Done" : "Abandoned"}: ${reason}`;
  if (known !== undefined && body.slice(known.start, known.end).trim() === bullet)
    return { body, movedToDecisions: false };
  return appendToSection(body, "Decisions", bullet, { intoLast: true });
}

/** A reason as it is written: on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
