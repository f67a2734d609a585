import { countEdits } from "./id.ts";

/** One of the five sections of a summary. */
export type SectionName = "Decisions" | "Constraints" | "State" | "Open questions" | "Next steps";

/** The five sections in the order they are written in. */
export const SECTION_NAMES: readonly SectionName[] = [
  "Decisions",
  "Constraints",
  "State",
  "Open questions",
  "Next steps",
];

/** The sections that a thread hands down to its descendants. */
export const DURABLE_NAMES: readonly SectionName[] = ["Decisions", "Constraints"];

const NAMES: ReadonlyMap<string, SectionName> = new Map([
  ["decisions", "Decisions"],
  ["constraints", "Constraints"],
  ["contraintes", "Constraints"],
  ["state", "State"],
  ["etat", "State"],
  ["open questions", "Open questions"],
  ["questions ouvertes", "Open questions"],
  ["next steps", "Next steps"],
  ["prochaines etapes", "Next steps"],
]);

const LONGEST_HEADING = 1000;
const SYMBOLS =
  /[\p{So}\p{Co}\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Variation_Selector}]/gu;
const SHORTCODE = /(^|\s):[a-z0-9_+-]{1,40}:(?=\s|$)/g;
const LEADING_HASHES_AND_TAGS = /^(?:#{1,6}(?=\s)|#[^\s#]+(?=\s)|\s)+/;
const TRAILING = /(?:#+|\s#[^\s#]+|:)$/;
const DECIMALS = /^[([]?\p{N}{1,4}(?:\.\p{N}{1,4})*[.)\]:]*\s*(?:[-–—]\s*)?/u;
const LETTERS = /^[([]?(?:[ivxlcdm]{1,8}|[a-z])(?:[.)\]:]+\s*|\s+[-–—]\s*)/;

/**
 * The section that a heading's text names, in English or French; case, accents, emphasis, emoji, numbering, a trailing
 * colon, closing hashes, comments, `#tags` and bracketed suffixes don't matter.
 */
export function findSectionName(heading: string): SectionName | undefined {
  if (heading.length > LONGEST_HEADING) return undefined;
  const bare = withoutSuffixes(undress(heading).replace(/\s+/g, " ").trim().replace(LEADING_HASHES_AND_TAGS, ""));
  return NAMES.get(bare) ?? NAMES.get(withoutNumbering(bare));
}

/** A heading's words in lower case, without accents, emphasis, emoji, comments and tags. */
function undress(heading: string): string {
  return withoutComments(heading)
    .replace(/<[^<>]*>/g, " ")
    .replace(SYMBOLS, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(SHORTCODE, "$1")
    .replace(/[*_~`\\]/g, "");
}

/** A heading that comes near to a durable section's name: in other words about it, in the singular, or misspelt. */
export interface NearName {
  readonly name: SectionName;
  /** it has no other word, so that it says nothing beside the name */
  readonly isBare: boolean;
}

const DURABLE_WORDS: readonly (readonly [word: string, name: SectionName])[] = [
  ["decisions", "Decisions"],
  ["decision", "Decisions"],
  ["constraints", "Constraints"],
  ["constraint", "Constraints"],
  ["contraintes", "Constraints"],
  ["contrainte", "Constraints"],
];
const LONGEST_WORD = 14;
const MOST_WORDS = 5;

/** Words that say of decisions or constraints that they don't hold, or not yet: in English, and in French without accents. */
const NOT_HELD = new RegExp(
  `^(?:${[
    "no|not|none|without|never|former|formerly|old|obsolete|outdated|expired|stale|tbd|wip|draft|alternatives?|rejections?",
    "open|pending|upcoming|needed|possible|potential|tentative|future|proposals?|candidates?|un(?:decid|resolv|confirm|settl)ed",
    "(?:reject|refus|declin|discard|dropp|abandon|cancell?|revers|revert|revok|overrul|overturn|super[sc]ed|replac)ed|unmade",
    "(?:deprecat|remov|delet|retir|lift|relax|invalidat|deferr?|postpon|delay|suspend|propos)ed|withdrawn|overridden|undone",
    "ancien(?:ne)?s?|obsoletes|caducs?|caduques?|ouverte?s?|attente|aucune?|sans|pas|futures|futurs?|manquante?s?",
    "possibles|potentiel(?:le)?s?|provisoires?|suspendue?s?",
    "(?:rejet|refus|abandonn|annul|ecart|remplac|revoqu|retir|supprim|report|differ|repouss|perim|depass|envisag|propos|lev)ee?s?",
  ].join("|")})$`,
);
const NOT_HELD_IN_WORDS = new RegExp(
  [
    "\\bto (?:be )?(?:make|made|take|taken|confirm|confirmed|discuss|discussed|revisit|review|reconsider|come)\\b",
    "\\ba (?:prendre|valider|confirmer|discuter|trancher|arbitrer|revoir|venir)\\b",
    "\\bnon[- ]?(?:decision|constraint|contrainte|pris|valid|reten|tranch|confirm|adopt|approuv|appli)",
    "\\bdecisions? remaining\\b|\\bremaining decisions?\\b",
  ].join("|"),
);
/** Behind these stands what decisions are about, which says nothing of whether they hold. */
const TOPIC = /\s(?:on|about|for|of|regarding|concerning|sur|pour|de|des|du|concernant)\s.*$|\s(?:d|l)['’].*$/s;
const FILLERS: ReadonlySet<string> = new Set([
  "and",
  "or",
  "yet",
  "still",
  "review",
  "now",
  "en",
  "et",
  "ou",
  "encore",
]);

/** What a heading says of decisions or constraints. */
interface Mention extends NearName {
  /** that they hold; otherwise that they were rejected, are old, or are still open */
  readonly isHeld: boolean;
}

/** The durable section that one of a heading's words speaks of, though the heading isn't its name. */
export function findNearName(heading: string): NearName | undefined {
  const mention = findMention(heading);
  return mention?.isHeld === true ? { name: mention.name, isBare: mention.isBare } : undefined;
}

/** True for a heading about decisions or constraints that don't hold, such as `Rejected decisions`. */
export function isAboutUnheld(heading: string): boolean {
  return findMention(heading)?.isHeld === false;
}

function findMention(heading: string): Mention | undefined {
  if (heading.length > LONGEST_HEADING) return undefined;
  const text = undress(heading.replace(/\]\([^()]*\)/g, "]"));
  const words = wordsOf(text);
  for (const word of words) {
    const known = DURABLE_WORDS.find(([each]) => isMeant(word, each));
    if (known === undefined) continue;
    return { name: known[1], isBare: words.length === 1, isHeld: isHeld(text, word) };
  }
  return undefined;
}

/** What stands behind a colon or a dash is the decision itself, `Decision: no ORM`, unless it says no more: `Decisions: rejected`. */
function isHeld(text: string, word: string): boolean {
  const at = text.indexOf(word) + word.length;
  const behind = text.slice(at);
  const [, said = ""] = /^\s*(?:[:：–—]|-\s)(.*)$/s.exec(behind) ?? [];
  const about = text.slice(0, at) + (said === "" ? behind.replace(TOPIC, "") : "");
  const told = wordsOf(said).filter((each) => !FILLERS.has(each));
  const saysNoMore = said.trim().replace(NOT_HELD_IN_WORDS, "") === "" || told.every((each) => NOT_HELD.test(each));
  return !isUnheld(about) && !(told.length > 0 && saysNoMore);
}

function isUnheld(text: string): boolean {
  return NOT_HELD_IN_WORDS.test(text) || wordsOf(text).some((word) => NOT_HELD.test(word));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}+/gu) ?? [];
}

/** True if a word is another, one letter aside or with two of its letters in each other's place. */
function isMeant(word: string, known: string): boolean {
  if (word === known) return true;
  if (word.length > LONGEST_WORD || Math.abs(word.length - known.length) > 1) return false;
  const edits = countEdits(word, known, 2);
  const isSwapped = edits === 2 && [...word].sort().join() === [...known].sort().join();
  return edits === 1 || (isSwapped && word[0] === known[0]);
}

function withoutComments(text: string): string {
  let kept = "";
  let from = 0;
  for (let open = text.indexOf("<!--"); open !== -1; open = text.indexOf("<!--", from)) {
    kept += text.slice(from, open);
    const close = text.indexOf("-->", open + 4);
    if (close === -1) return kept;
    from = close + 3;
  }
  return kept + text.slice(from);
}

function withoutSuffixes(text: string): string {
  let bare = text;
  for (;;) {
    const shorter = withoutBracket(bare.replace(TRAILING, "").trimEnd());
    if (shorter === bare) return bare;
    bare = shorter;
  }
}

/** Cuts a bracket that ends the text, with what is in it; a text that is all bracket stays. */
function withoutBracket(text: string): string {
  if (!/[)\]}]$/.test(text)) return text;
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    const character = text.charAt(at);
    if (")]}".includes(character)) depth++;
    else if ("([{".includes(character)) depth--;
    if (depth === 0) return text.slice(0, at).trimEnd();
  }
  return text;
}

function withoutNumbering(text: string): string {
  const numbered = text.replace(DECIMALS, "");
  return (numbered === text ? text.replace(LETTERS, "").replace(DECIMALS, "") : numbered.replace(LETTERS, "")).trim();
}

/** A line that is meant as the heading of a section though Markdown doesn't take it for one. */
export interface NearHeading {
  readonly name: SectionName;
  readonly level: number;
  /** the line as a heading */
  readonly heading: string;
  /** what it says, without hashes */
  readonly words: string;
  /** only where `isSetOff()`: `**Decisions**` or `Decisions:` */
  readonly isLine: boolean;
  /** it begins the section itself; otherwise a text that is only inherited as that section is */
  readonly isSection: boolean;
  /** it says nothing beside the name */
  readonly isBare: boolean;
}

const GLUED = /^ {0,3}(#{1,6})([^\s#].*)$/;
const BOLD = /^ {0,3}(\*{2,3}|_{2,3})(?![\s*_])(.*[^\s*_])\1[ \t]*[:：]?[ \t]*$/;
const PLAIN = /^ {0,3}(?![\s#><|]|[-*+]\s|\d{1,9}[.)]\s)(.*)$/;

/**
 * Reads a line of its own as the heading of a section: `##Decisions`, `**Decisions**`, `Decisions:` or, of durable ones,
 * `##Key decisions`, `**Key decisions**` and `Decision`; `#decisions` is a tag.
 */
export function findNearHeading(line: string): NearHeading | undefined {
  if (line.length > LONGEST_HEADING) return undefined;
  const [, hashes = "", glued = ""] = GLUED.exec(line) ?? [];
  if (hashes !== "") {
    const isTag = hashes === "#" && !/^[^\p{L}]*\p{Lu}/u.test(glued);
    return isTag ? undefined : nearHeading(glued.trim(), hashes, { isLine: false, isPlain: false });
  }
  const bold = BOLD.exec(line)?.[2];
  if (bold !== undefined) return nearHeading(bold, "", { isLine: true, isPlain: false });
  const plain = PLAIN.exec(line)?.[1] ?? "";
  return isShort(plain) ? nearHeading(plain.trim(), "", { isLine: true, isPlain: true }) : undefined;
}

function nearHeading(
  words: string,
  hashes: string,
  { isLine, isPlain }: { readonly isLine: boolean; readonly isPlain: boolean },
): NearHeading | undefined {
  const named = findSectionName(words);
  const near = named === undefined ? findNearName(words) : { name: named, isBare: true };
  if (named === undefined && isLine && !isShort(words)) return undefined;
  const isDurable = near !== undefined && DURABLE_NAMES.includes(near.name);
  if (near === undefined || (isPlain && isDurable && !near.isBare)) return undefined;
  const { name, isBare } = near;
  const heading = isLine ? `## ${name}` : `${hashes} ${words}`;
  return {
    name,
    level: isLine ? 2 : hashes.length,
    heading,
    words,
    isLine,
    isSection: !isPlain && named !== undefined,
    isBare,
  };
}

/** True if a line of its own that is no heading by its hashes is short enough to be meant as one, not as a sentence. */
export function isShort(line: string): boolean {
  return line.trim().split(/\s+/, MOST_WORDS + 1).length <= MOST_WORDS;
}

/** True if a line may be a heading of what is below it: it ends with a colon, or isn't continued as a paragraph. */
export function isSetOff(line: string, below: string | undefined): boolean {
  return standsAlone(below) || /[:：][\s*_]*$/.test(line);
}

/** True if a line isn't continued as a paragraph by the line below it. */
export function standsAlone(below: string | undefined): boolean {
  return below === undefined || /^\s*(?:$|[-*+>]|\d{1,9}[.)])/.test(below);
}
