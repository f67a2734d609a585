import { createHash } from "node:crypto";
import { ThreadMindError } from "../errors.ts";

/** What of a thread makes another text of it: its body, status and parent. */
export interface Shown {
  readonly body: string;
  readonly status: string | undefined;
  readonly parentId: string | null | undefined;
}

/** How a thread was shown to a client: which text, and whether all of it. */
export interface Sighting {
  readonly digest: string;
  readonly isWhole: boolean;
}

/** What one session has shown to its model, by `project/thread`. */
export interface Seen {
  note(key: string, shown: Shown, isWhole: boolean): void;
  /** notes a write of one's own: `isAll`, or a part of what was read before */
  wrote(key: string, before: Shown, after: Shown, isAll: boolean): void;
  /** throws `changed-since` with the whole text, once, when replacing it could lose words the model never read */
  check(key: string, shown: Shown): void;
  /** another conversation began, whose model has read nothing of this */
  forget(): void;
  /** what was noted here */
  list(): ReadonlyMap<string, Sighting>;
}

/** Starts with what a hook of the same client has shown, which `recall` tells. */
export function openSeen(recall: (key: string) => Sighting | undefined): Seen {
  const sightings = new Map<string, Sighting>();
  const find = (key: string): Sighting | undefined => sightings.get(key) ?? recall(key);
  const note = (key: string, shown: Shown, isWhole: boolean): void => {
    const digest = digestOf(shown);
    const before = find(key);
    sightings.set(key, { digest, isWhole: isWhole || (before?.digest === digest && before.isWhole) });
  };
  return {
    note,
    wrote(key, before, after, isAll) {
      const known = find(key);
      if (known === undefined && !isAll) return;
      const isWhole = isAll || (known?.isWhole === true && known.digest === digestOf(before));
      sightings.set(key, { digest: digestOf(after), isWhole });
    },
    forget: () => sightings.clear(),
    list: () => sightings,
    check(key, shown) {
      const before = find(key);
      const digest = digestOf(shown);
      const isKnown = [before, recall(key)].some((sighting) => sighting?.digest === digest && sighting.isWhole);
      if (before === undefined || isKnown) return;
      note(key, shown, true);
      const why = before.isWhole ? "it changed since this session saw it" : "this session saw only a part of it";
      throw new ThreadMindError(
        "changed-since",
        `Cannot replace the summary of ${key.slice(key.indexOf("/") + 1)}: ${why}. This is all it says now:\n\n${shown.body.trim() === "" ? "(nothing)" : shown.body.trim()}\n`,
        "Merge it with your text, and call again.",
      );
    },
  };
}

/** The digest by which two texts of a thread are told apart. */
export function digestOf({ body, status, parentId }: Shown): string {
  const text = JSON.stringify([body.replace(/\r\n/g, "\n").trim(), status ?? "open", parentId ?? null]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
