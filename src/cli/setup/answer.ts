import type { FileReport } from "./changes.ts";

/** What a run of setup says. */
export interface Answer {
  readonly client: string;
  readonly isChanged: boolean;
  /** the first line */
  readonly heading: string;
  readonly files: readonly FileReport[];
  /** the client's own commands that were run, with what they said */
  readonly ran?: readonly string[];
  /** what a run that writes would do besides to the files */
  readonly would?: readonly string[];
  readonly next: readonly string[];
  readonly notes: readonly string[];
}

const DONE = { none: "unchanged", create: "created", change: "changed", delete: "removed" };
const WOULD = { none: "unchanged", create: "would create", change: "would change", delete: "would remove" };

/** The answer as text. */
export function renderAnswer({ heading, files, ran = [], would = [], next, notes }: Answer): string {
  const lines = files.flatMap(({ path, action, backup, restored, diff }) => {
    const kept = backup === undefined ? "" : ` (as it was: ${backup})`;
    const back = restored === undefined ? "" : ` (put back from ${restored}, which is gone)`;
    return [`  ${(diff === undefined ? DONE : WOULD)[action]}  ${path}${kept}${back}`, ...(diff ?? [])];
  });
  return [
    heading,
    ...lines,
    ...[...ran, ...would].map((line) => `  ${line}`),
    ...section("Next:", next),
    ...section("Note:", notes),
  ].join("\n");
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", heading, ...lines.map((line) => `  ${line}`)];
}
