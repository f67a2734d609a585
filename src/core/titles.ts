import { ThreadMindError } from "../errors.ts";

const MOST_CHARACTERS = 300;

/** A title as it is stored: one line, otherwise as typed. Throws `invalid-argument` for one that can't be a title. */
export function parseTitle(typed: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks and controls are what this replaces
  const title = typed.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  const refuse = (why: string): ThreadMindError =>
    new ThreadMindError("invalid-argument", `Cannot use this title: ${why}.`, "Give a title of one short line.");
  if (title === "") throw refuse("it is empty");
  if (!title.isWellFormed()) throw refuse("it is not valid Unicode");
  if ([...title].length > MOST_CHARACTERS) throw refuse(`it is longer than ${MOST_CHARACTERS} characters`);
  return title;
}

/** The next `updatedAt`: now, but never at or before the old one. ISO 8601, UTC, milliseconds. */
export function nextInstant(previous: string | undefined, now: Date): string {
  const old = Date.parse(previous ?? "");
  const least = Number.isNaN(old) ? Number.NEGATIVE_INFINITY : old + 1;
  const instant = new Date(Math.max(now.getTime(), least));
  return Number.isNaN(instant.getTime()) ? now.toISOString() : instant.toISOString();
}
