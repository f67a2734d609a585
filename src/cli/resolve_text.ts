import { stripControls } from "../core/text_controls.ts";

/** What `resolve` did; `code` is the exit code. */
export interface ResolveOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly code: number;
}

/** What a person should look at although nothing is in conflict. */
export function renderDoubled(doubled: readonly string[]): string {
  const shown = doubled.map((line) => `\n  ${stripControls(line)}`).join("");
  return ` Both sides changed these, differently; both forms are there, keep what holds:${shown}`;
}
