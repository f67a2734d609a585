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
  const plain = withoutComments(heading)
    .replace(/<[^<>]*>/g, " ")
    .replace(SYMBOLS, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(SHORTCODE, "$1")
    .replace(/[*_~`\\]/g, "");
  const bare = withoutSuffixes(plain.replace(/\s+/g, " ").trim().replace(LEADING_HASHES_AND_TAGS, ""));
  return NAMES.get(bare) ?? NAMES.get(withoutNumbering(bare));
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
  /** the whole line is emphasised, as in `**Decisions**` */
  readonly isBold: boolean;
}

const GLUED = /^ {0,3}(#{1,6})([^\s#].*)$/;
const BOLD = /^ {0,3}(\*{2,3}|_{2,3})(?![\s*_])(.*[^\s*_])\1[ \t]*[:：]?[ \t]*$/;

/** Reads `##Decisions` or `**Decisions**`, alone on a line, as the heading of a section; `#decisions` is a tag. */
export function findNearHeading(line: string): NearHeading | undefined {
  if (line.length > LONGEST_HEADING) return undefined;
  const [, hashes = "", glued = ""] = GLUED.exec(line) ?? [];
  const bold = hashes === "" ? (BOLD.exec(line)?.[2] ?? "") : "";
  const name = findSectionName(hashes === "" ? bold : glued);
  if (name === undefined || (hashes === "#" && !/^[^\p{L}]*\p{Lu}/u.test(glued))) return undefined;
  if (hashes === "") return { name, level: 2, heading: `## ${name}`, isBold: true };
  return { name, level: hashes.length, heading: `${hashes} ${glued.trimEnd()}`, isBold: false };
}

/** True if a line isn't continued as a paragraph by the line below it. */
export function standsAlone(below: string | undefined): boolean {
  return below === undefined || /^\s*(?:$|[-*+>]|\d{1,9}[.)])/.test(below);
}
