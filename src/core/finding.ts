import { stripControls } from "./text_controls.ts";

/** What a finding is about; the names are public, in `--json`. */
export type FindingCode =
  | "unreadable-file"
  | "merge-conflict"
  | "wrong-id"
  | "file-detail"
  | "parent-loop"
  | "missing-parent"
  | "missing-root"
  | "missing-project"
  | "misplaced-file"
  | "second-root"
  | "secret"
  | "long-summary"
  | "unknown-path"
  | "branch-gone"
  | "branch-merged"
  | "stale-summary"
  | "not-owner"
  | "took-over"
  | "unknown-merge"
  | "config-unreadable"
  | "config-tracked"
  | "config-not-ignored"
  | "missing-rules"
  | "ignored-by-git"
  | "agents-block"
  | "no-merge-driver"
  | "leftover"
  | "double-registration"
  | "not-on-path"
  | "slow-hook"
  | "long-context";

/** Something that a person should know or mend. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: "error" | "warning" | "note";
  /** relative to the workspace, `/` between parts; `undefined` for what is no file of it */
  readonly file: string | undefined;
  /** 1-based */
  readonly line: number | undefined;
  /** what is so, and what that means: one sentence or two */
  readonly message: string;
  /** the next step, a command where there is one; may be empty */
  readonly remedy: string;
}

/** A finding about a file. */
export function findingOf(
  { file }: { readonly file: string | undefined },
  code: FindingCode,
  severity: Finding["severity"],
  message: string,
  remedy: string,
  line?: number,
): Finding {
  return { code, severity, file, line, message, remedy };
}

const MARKS = { error: "✗", warning: "⚠", note: "·" };
const RANKS = { error: 0, warning: 1, note: 2 };

/** Findings by severity, then file and line. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (a, b) =>
      RANKS[a.severity] - RANKS[b.severity] ||
      ((a.file ?? "") < (b.file ?? "") ? -1 : (a.file ?? "") > (b.file ?? "") ? 1 : 0) ||
      (a.line ?? 0) - (b.line ?? 0),
  );
}

/** A finding on one line: mark, place, what is so, what to do. */
export function renderFinding({ severity, file, line, message, remedy }: Finding): string {
  const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  return stripControls(`${MARKS[severity]} ${place}${message}${remedy === "" ? "" : ` → ${remedy}`}`);
}
