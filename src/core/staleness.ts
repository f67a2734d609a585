import { countOf } from "./tokens.ts";

/** What is under a thread's paths: `1-<tracked>[-<all>]`, 16 hex digits each; `all` counts untracked files in. */
export interface Fingerprint {
  readonly tracked: string;
  readonly all: string;
}

/** What a thread says about the code it was written on. */
export interface Stamp {
  readonly commit: string | undefined;
  readonly fingerprint: string | undefined;
  readonly paths: readonly string[];
}

/** What git says today about a thread whose fingerprint doesn't match. */
export interface Evidence {
  /** how the recorded commit relates to HEAD; `none` when none is recorded or HEAD has no commit */
  readonly commit: "ancestor" | "elsewhere" | "none";
  /** commits that changed the paths (or, without paths, anything) since; `undefined` when they can't all be seen */
  readonly commits: number | undefined;
  readonly isShallow: boolean;
  /** git shows changes under the paths, untracked files included */
  readonly isDirty: boolean;
}

const FORMAT = /^1-([0-9a-f]{16})(?:-([0-9a-f]{16}))?$/;

/** Reads a recorded fingerprint; `undefined` for none, a damaged one, or a later version's. */
export function parseFingerprint(text: string | undefined): Fingerprint | undefined {
  const match = FORMAT.exec(text ?? "");
  const tracked = match?.[1];
  return tracked === undefined ? undefined : { tracked, all: match?.[2] ?? tracked };
}

/** Writes a fingerprint; `all` only when it differs. */
export function renderFingerprint({ tracked, all }: Fingerprint): string {
  return all === tracked ? `1-${tracked}` : `1-${tracked}-${all}`;
}

/** True if what was recorded is what is there now, committed meanwhile or not. */
export function fingerprintMatches(recorded: Fingerprint, today: Fingerprint): boolean {
  return recorded.tracked === today.tracked || recorded.all === today.tracked || recorded.all === today.all;
}

// What SHA-256 makes of nothing: no tracked file was there.
const NOTHING = "e3b0c44298fc1c14";

/**
 * True if the match says nothing of the code: then and now no file was tracked, and the untracked ones are others. Only
 * commits in between tell edits of what was never committed from code that was committed and is gone.
 */
export function matchesOnlyInNothing(recorded: Fingerprint, today: Fingerprint): boolean {
  return (
    recorded.tracked === NOTHING && today.tracked === NOTHING && recorded.all !== NOTHING && recorded.all !== today.all
  );
}

/** The note that stands under a thread's heading when its summary may no longer be true, by the first rule that applies. */
export function renderStaleNote(stamp: Stamp, evidence: Evidence): string | undefined {
  const { commit, paths } = stamp;
  const hasFingerprint = parseFingerprint(stamp.fingerprint) !== undefined;
  const where = paths.join(", ");
  if (commit === undefined && !hasFingerprint) {
    return paths.length > 0 ? warning("Not verified since it was merged: check it is still accurate.") : undefined;
  }
  if (evidence.commit === "elsewhere" || (evidence.commit === "ancestor" && evidence.commits === undefined)) {
    if (evidence.isShallow) {
      return hasFingerprint && paths.length > 0
        ? warning(
            `${where} changed since this summary was written (shallow clone: commits not counted): check it is still accurate.`,
          )
        : undefined;
    }
    if (evidence.commit === "ancestor") return undefined;
    const short = (commit ?? "").slice(0, 7);
    return warning(
      `Written on commit ${short}, which is not in this repository's history: check this summary is still accurate.`,
    );
  }
  const count = evidence.commits ?? 0;
  if (paths.length === 0) return count > 0 ? `_Written ${countOf(count, "commit")} ago._` : undefined;
  if (count > 0)
    return warning(
      `${countOf(count, "commit")} changed ${where} since this summary was written: check it is still accurate.`,
    );
  if (!hasFingerprint) return undefined;
  if (evidence.isDirty)
    return warning(`Uncommitted changes in ${where} since this summary was written: check it is still accurate.`);
  return warning(
    `${where} ${paths.length === 1 ? "differs" : "differ"} from what this summary was written on: check it is still accurate.`,
  );
}

function warning(text: string): string {
  return `_⚠ ${text}_`;
}
