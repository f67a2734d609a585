import { ThreadMindError } from "../errors.ts";
import { parseDate } from "./thread_fields.ts";

const MOST_CHARACTERS = 300;

/** A title as it is stored: one line, otherwise as typed. Throws `invalid-argument` for one that can't be a title. */
export function parseTitle(typed: string): string {
  const fault = findTitleFault(typed);
  if (fault === undefined) return onOneLine(typed);
  throw new ThreadMindError("invalid-argument", `Cannot use this title: ${fault}.`, "Give a title of one short line.");
}

/** Why a text can't be a title, or `undefined` if it can. */
export function findTitleFault(typed: string): string | undefined {
  const title = onOneLine(typed);
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(title)) return "it is empty";
  if (!title.isWellFormed()) return "it is not valid Unicode";
  return [...title].length > MOST_CHARACTERS ? `it is longer than ${MOST_CHARACTERS} characters` : undefined;
}

function onOneLine(typed: string): string {
  return typed.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** The next `updatedAt`: now, but never at or before the old one. ISO 8601, UTC, milliseconds. */
export function nextInstant(previous: string | undefined, now: Date): string {
  const old = parseDate(previous ?? "") ?? Date.parse(previous ?? "");
  const instant = new Date(Math.max(now.getTime(), old + 1));
  if (Number.isNaN(instant.getTime())) return now.toISOString();
  // The calendar of files ends with the year 9999; the last instant of it stays.
  return instant.getUTCFullYear() > 9999 ? (previous ?? now.toISOString()) : instant.toISOString();
}
