import { ThreadMindError } from "../errors.ts";
import { nextStep } from "./next_step.ts";

declare const threadBrand: unique symbol;
declare const projectBrand: unique symbol;

/** The id of a thread: its file's name without `.md`. Safe to join to a path. */
export type ThreadId = string & { readonly [threadBrand]: true };

/** The id of a project: its file's name without `.json`. Safe to join to a path. */
export type ProjectId = string & { readonly [projectBrand]: true };

/** What a person or a model typed for a thread: `thread` or `project/thread`. */
export interface ThreadReference {
  readonly project: string | undefined;
  readonly thread: string;
}

const MAX_ID_BYTES = 180;
const MAX_SLUG_CHARACTERS = 60;
const NAMELESS = "thread";
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const FORBIDDEN = /[/\\:\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const UNSEEN_MARKS = /\p{Me}|(?=[\p{L}\p{M}])\p{Default_Ignorable_Code_Point}/gu;
const encoder = new TextEncoder();

/** True for names that Windows reserves for devices or can't end a file name with. */
export function isReservedName(name: string): boolean {
  return WINDOWS_DEVICE.test(name) || /[. ]$/.test(name);
}

/** Why `text` can't be an id, or `undefined` if it can. Reserved names are not refused here: files of that name may exist. */
export function findIdFault(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (text.startsWith(".")) return "it starts with a dot";
  if (FORBIDDEN.test(text)) return "it holds a slash, backslash, colon or control character";
  if (!text.isWellFormed()) return "it is not valid Unicode";
  if (encoder.encode(text).length > MAX_ID_BYTES) return `it is longer than ${MAX_ID_BYTES} bytes`;
  return undefined;
}

/** The id that a file name without its extension stands for, or `undefined` if it can't be one. */
export function threadIdOfFile(stem: string): ThreadId | undefined {
  return findIdFault(stem) === undefined ? (stem as ThreadId) : undefined;
}

/** The project id that a file name without its extension stands for, or `undefined` if it can't be one. */
export function projectIdOfFile(stem: string): ProjectId | undefined {
  return findIdFault(stem) === undefined ? (stem as ProjectId) : undefined;
}

/** Splits `project/thread`; throws `unknown-thread` for what can't be an id. */
export function parseThreadReference(text: string): ThreadReference {
  const parts = text.split("/");
  const [first = "", second] = parts;
  const fault =
    parts.length > 2
      ? "it is a path"
      : (findIdFault(first) ?? (second === undefined ? undefined : findIdFault(second)));
  if (fault !== undefined) throw unknownId("thread", text, fault);
  return second === undefined ? { project: undefined, thread: first } : { project: first, thread: second };
}

/** Throws `unknown-project` for what can't be a project's id. */
export function checkProjectId(text: string): void {
  const fault = findIdFault(text);
  if (fault !== undefined) throw unknownId("project", text, fault);
}

function unknownId(kind: "thread" | "project", text: string, fault: string): ThreadMindError {
  const list = kind === "thread" ? nextStep("thread_list", ["tree"]) : nextStep("project_list", ["project", "list"]);
  return new ThreadMindError(
    `unknown-${kind}`,
    `Cannot find the ${kind} ${quote(text)}: that can't be an id (${fault}).`,
    `See ${list} for the ids.`,
  );
}

/** A value in double quotes for a message: one line, controls shown as `\u{…}`, cut after 80 characters. */
export function quote(text: string): string {
  const shown = [...text.slice(0, 400)]
    .map((character) => (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(character) ? escapeCharacter(character) : character))
    .slice(0, 80)
    .join("");
  return `"${shown}${[...text.slice(0, 400)].length > 80 ? "…" : ""}"`;
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The form in which two ids are compared: without case and Unicode normalisation. */
export function idKey(id: string): string {
  if (/^[ -~]*$/.test(id)) return id.toLowerCase();
  // Upper case and back joins σ and ς; the dotless i alone would become another letter.
  const folded = id.normalize("NFC").replace(/[^ı]+/g, (letters) => letters.toUpperCase().toLowerCase());
  return folded.normalize("NFC");
}

/**
 * The id for a title: accents dropped for Latin letters, letters, digits and combining marks of any script kept,
 * everything else one hyphen; unique among `taken` (keys as `idKey` makes them).
 */
export function slugFor(title: string, taken: ReadonlySet<string>): string {
  const slug = slugOf(title);
  const base = isReservedName(slug) ? `${slug}-${NAMELESS}` : slug;
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `-${number}`;
    const candidate = (cut(base, suffix) || NAMELESS) + suffix;
    if (!taken.has(idKey(candidate))) return candidate;
  }
}

/** The bare slug of a text, without the rules for empty, reserved and taken ones: possibly empty. */
export function slugOf(text: string): string {
  const plain = text
    .toWellFormed()
    .normalize("NFKD")
    .replace(UNSEEN_MARKS, "")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .replace(/ß/g, "ss")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "-")
    .replace(/(^|-)\p{M}+/gu, "$1")
    .replace(/-+/g, "-")
    .normalize("NFC");
  return cut(plain.replace(/^-|-$/g, ""), "");
}

function cut(text: string, suffix: string): string {
  const characters = MAX_SLUG_CHARACTERS - suffix.length;
  const bytes = MAX_ID_BYTES - suffix.length;
  if (text.length <= characters && encoder.encode(text).length <= bytes) return text;
  let kept = "";
  let keptCharacters = 0;
  let keptBytes = 0;
  for (const { segment } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) {
    keptCharacters += [...segment].length;
    keptBytes += encoder.encode(segment).length;
    if (keptCharacters > characters || keptBytes > bytes) break;
    kept += segment;
  }
  return kept.replace(/-+$/, "");
}

/** The address of a thread's resource; letters of any script stay readable. */
export function threadUri(id: string): string {
  const path = id.toWellFormed().replace(/[%?#\s<>"{}|^`[\]\p{Cc}\p{Cf}]/gu, encodeURIComponent);
  return `threadmind://thread/${path}`;
}

/** The candidates nearest to what was typed, best first, at most three. */
export function findNearest(typed: string, candidates: Iterable<string>): string[] {
  const key = idKey(typed);
  return [...candidates]
    .map((candidate) => ({ candidate, distance: distanceBetween(key, idKey(candidate)) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** How far what was typed is from a candidate; `undefined` if nobody would have meant it. */
function distanceBetween(typed: string, candidate: string): number | undefined {
  if (typed === "" || candidate === "") return undefined;
  if (candidate.startsWith(typed) || (candidate.length > 2 && typed.startsWith(candidate))) return 1;
  if (typed.length > 2 && candidate.includes(typed)) return 2;
  const longest = Math.max(typed.length, candidate.length);
  // Of one letter or of all letters replaced, nothing of what was typed would be left.
  const most = longest < 2 ? 0 : longest < 4 ? 1 : Math.max(2, Math.floor(longest / 3));
  if (longest > 200 || Math.abs(typed.length - candidate.length) > most) return undefined;
  const distance = countEdits(typed, candidate, most);
  return distance <= most ? distance : undefined;
}

/** The letters to add, drop or replace between two texts; more than `most` once it is sure to be more. */
export function countEdits(a: string, b: string, most: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length && Math.min(...row) <= most; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.max(row[b.length] ?? 0, Math.min(...row));
}
