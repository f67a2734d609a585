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
  readonly next: readonly string[];
  readonly notes: readonly string[];
}

const DONE = { none: "unchanged", create: "created", change: "changed", delete: "removed" };
const WOULD = { none: "unchanged", create: "would create", change: "would change", delete: "would remove" };

/** The answer as text. */
export function renderAnswer({ heading, files, ran = [], next, notes }: Answer): string {
  const lines = files.flatMap(({ path, action, backup, diff }) => [
    `  ${(diff === undefined ? DONE : WOULD)[action]}  ${path}${backup === undefined ? "" : ` (as it was: ${backup})`}`,
    ...(diff ?? []),
  ]);
  return [
    heading,
    ...lines,
    ...ran.map((line) => `  ${line}`),
    ...section("Next:", next),
    ...section("Note:", notes),
  ].join("\n");
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", heading, ...lines.map((line) => `  ${line}`)];
}
