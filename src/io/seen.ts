import { createHash } from "node:crypto";
import { stripControls } from "../core/text_controls.ts";
import { ThreadMindError } from "../errors.ts";

/** What of a thread makes another text of it: its body, status and parent; `mergedInto` says more of its status. */
export interface Shown {
  readonly body: string;
  readonly status: string | undefined;
  readonly parentId: string | null | undefined;
  readonly mergedInto?: string | undefined;
}

/** How a thread was shown to a client: which text, as what, and whether all of it. */
export interface Sighting {
  /** of the body */
  readonly digest: string;
  readonly status: string;
  readonly parentId: string | null;
  readonly isWhole: boolean;
}

/** What a call is about to do to a thread's text, as a refusal names it, and what to do after one. */
export interface Replacing {
  /** "replace the summary of" */
  readonly action: string;
  readonly hint: string;
}

/** What one session has shown to its model, by `project/thread`. */
export interface Seen {
  note(key: string, shown: Shown, isWhole: boolean): void;
  /** notes a write of one's own: `isAll`, or a part of what was read before */
  wrote(key: string, before: Shown, after: Shown, isAll: boolean): void;
  /** throws `changed-since` with the whole text, once, when replacing it could lose words the model never read */
  check(key: string, shown: Shown, replacing: Replacing): void;
  /** the model has read nothing of this any more */
  forget(): void;
  /** what was noted here */
  list(): ReadonlyMap<string, Sighting>;
}

/** Starts with what a hook of the same client has shown, which `recall` tells. */
export function openSeen(recall: (key: string) => Sighting | undefined): Seen {
  const sightings = new Map<string, Sighting>();
  const find = (key: string): Sighting | undefined => sightings.get(key) ?? recall(key);
  const note = (key: string, shown: Shown, isWhole: boolean): void => {
    const before = find(key);
    sightings.set(key, sightingOf(shown, isWhole || isWholeOf(before, shown)));
  };
  return {
    note,
    wrote(key, before, after, isAll) {
      const known = find(key);
      if (known === undefined && !isAll) return;
      sightings.set(key, sightingOf(after, isAll || isWholeOf(known, before)));
    },
    forget: () => sightings.clear(),
    list: () => sightings,
    check(key, shown, { action, hint }) {
      const before = find(key);
      if (before === undefined || isWholeOf(before, shown) || isWholeOf(recall(key), shown)) return;
      note(key, shown, true);
      throw new ThreadMindError(
        "changed-since",
        `Cannot ${action} ${key.slice(key.indexOf("/") + 1)}: ${reasonOf(before, shown)}. This is all it says now:\n\n${shown.body.trim() === "" ? "(nothing)" : shown.body.trim()}\n`,
        hint,
      );
    },
  };
}

/** A thread as it is now, as it is remembered that it was shown. */
export function sightingOf(shown: Shown, isWhole: boolean): Sighting {
  const text = shown.body.replace(/\r\n/g, "\n").trim();
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { digest, status: shown.status ?? "open", parentId: shown.parentId ?? null, isWhole };
}

/** True if this very text was shown whole, with the status and parent that the thread has. */
function isWholeOf(sighting: Sighting | undefined, shown: Shown): boolean {
  const { digest, status, parentId } = sightingOf(shown, true);
  return (
    sighting?.isWhole === true &&
    sighting.digest === digest &&
    sighting.status === status &&
    sighting.parentId === parentId
  );
}

/** Why the text isn't the one that was shown; what the text itself doesn't tell is named. */
function reasonOf(before: Sighting, shown: Shown): string {
  const { digest, status, parentId } = sightingOf(shown, true);
  const merged = status === "done" && shown.mergedInto !== undefined ? ` (merged into ${shown.mergedInto})` : "";
  const around = [
    ...(before.status === status ? [] : [`its status is now ${status}${merged}`]),
    ...(before.parentId === parentId
      ? []
      : [parentId === null ? "it has no parent now" : `it is now below ${parentId}`]),
  ];
  const isOtherText = before.isWhole && before.digest !== digest;
  const changes = around.length > 0 && isOtherText ? ["its text changed", ...around] : around;
  const why = before.isWhole ? "it changed since this session saw it" : "this session has not seen all of it";
  return changes.length === 0 ? why : `${why}: ${stripControls(changes.join(", and "))}`;
}
