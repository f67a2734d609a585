import { VERSION } from "../../src/version.ts";

/** An output without what differs from run to run, and the first value that stood for each placeholder. */
export interface Redaction {
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Texts of this run, such as folders, and what is shown for them. */
export type Names = readonly (readonly [value: string, placeholder: string])[];

const day = (offset: number) => new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);

// Each pattern's first group, or else its whole match, is what the placeholder stands for. Longer shapes come first.
const VOLATILE: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?\b/g, "<time>"],
  [/\bkept-([0-9A-Za-z]+(?:[-_.:][0-9A-Za-z]+)*)/g, "<stamp>"],
  [/\bgit-([0-9a-f]{12})\b/g, "<short>"],
  [/\b1-[0-9a-f]{16}(?:-[0-9a-f]{16})?\b/g, "<fingerprint>"],
  [/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g, "<commit>"],
  [/\bcommit ([0-9a-f]{7,12})\b/g, "<short>"],
  [/\b(\d+(?:\.\d+)?) ms\b/g, "<n>"],
  [/\bpid (\d+)\b/g, "<pid>"],
  [new RegExp(`(?<![\\w.])${VERSION.replaceAll(".", "\\.")}(?![\\w.]*\\d)`, "g"), "<version>"],
];

/** Replaces times, ids and this run's names in an output by placeholders. */
export function redact(output: string, names: Names): Redaction {
  const values = new Map<string, string>();
  let text = output;
  for (const [value, placeholder] of names.toSorted(([a], [b]) => b.length - a.length)) {
    if (text.includes(value)) values.set(placeholder, value);
    text = text.replaceAll(value, placeholder);
  }
  for (const [pattern, placeholder] of VOLATILE) {
    text = text.replace(pattern, (match: string, group: unknown) => {
      const value = typeof group === "string" ? group : match;
      if (!values.has(placeholder)) values.set(placeholder, value);
      return match.replace(value, placeholder);
    });
  }
  for (const date of [day(0), day(1)]) text = text.replaceAll(date, "<date>");
  return { text, values };
}

/** Fills placeholders of a command with the values they last stood for. */
export function recall(command: string, values: ReadonlyMap<string, string>): string {
  let text = command;
  for (const [placeholder, value] of values) text = text.replaceAll(placeholder, value);
  return text;
}
