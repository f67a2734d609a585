import { between } from "./conflict_text.ts";
import { normaliseLineEnds, trimBlankLines } from "./lines.ts";
import { parseBlocks } from "./markdown.ts";
import { renderMerged, renumber } from "./merged_text.ts";
import { demoteHeadings } from "./section_content.ts";
import { hasKnownSection, parseSummary } from "./summary.ts";
import { type AllUnits, countOf, indexUnits, mergeUnits, type UnitIndex } from "./unit_merge.ts";
import { splitUnits, type Unit } from "./units.ts";

const FENCE = /^\s*(?:[-*+]\s+)?(?:`{3,}|~{3,})/;

/** A merged body, `\n` at line ends; `conflicts` names the sections in which a person has to choose, between markers. */
export interface MergedBody {
  readonly body: string;
  readonly conflicts: readonly string[];
  /** first lines of what both sides changed differently: both forms stay */
  readonly doubled: readonly string[];
}

/** A part of a body that is merged by itself: a section, or the text above the first. */
interface Part {
  readonly key: string;
  /** its name if it is a known section */
  readonly section: string | undefined;
  /** the heading with its line end; empty for what is no section */
  readonly heading: string;
  readonly content: string;
  /** all of it, byte for byte */
  readonly raw: string;
}

/**
 * Merges two bodies that come from one, by section and in each by list item, paragraph or block: what either side added
 * stays, what either side removed goes. Where one side deleted what the other changed, both are left between conflict markers.
 */
export function mergeBodies(base: string, ours: string, theirs: string): MergedBody {
  const [old, mine, other] = [base, ours, theirs].map(normaliseLineEnds) as [string, string, string];
  const whole = chooseWhole(old, mine, other);
  if (whole !== undefined) return { body: whole, conflicts: [], doubled: [] };
  const [baseParts, ourParts, theirParts] = alignParts(old, mine, other);
  const all = { base: indexOf(baseParts), ours: indexOf(ourParts), theirs: indexOf(theirParts) };
  const keys = orderOf(ourParts, theirParts);
  const find = (parts: readonly Part[], key: string): Part | undefined => parts.find((part) => part.key === key);
  const pieces: Piece[] = [];
  for (const key of keys) {
    const piece = mergePart(find(baseParts, key), find(ourParts, key), find(theirParts, key), all);
    if (piece !== undefined) pieces.push(piece);
  }
  const clean = joinPieces(pieces, ({ clean }) => clean);
  if (!holdsAll(clean, pieces)) return { body: bothWhole(mine, other), conflicts: ["the whole text"], doubled: [] };
  const conflicts = pieces.filter(({ isContested }) => isContested).map(({ name }) => name);
  const doubled = pieces.flatMap((piece) => piece.doubled);
  return { body: joinPieces(pieces, ({ text }) => text), conflicts, doubled };
}

/** The parts of the three bodies, made comparable: where one side has sections, a body without any is Decisions. */
function alignParts(old: string, mine: string, other: string): [readonly Part[], readonly Part[], readonly Part[]] {
  const bodies = [old, mine, other];
  const hasSections = bodies.some((body) => hasKnownSection(body));
  const isBare = (body: string): boolean => hasSections && body.trim() !== "" && !hasKnownSection(body);
  const parts = bodies.map((body) =>
    partsOf(isBare(body) ? `## Decisions\n${demoteHeadings(trimBlankLines(body))}\n` : body),
  );
  const [base = [], ours = [], theirs = []] = parts;
  return [base, renamed(base, ours), renamed(base, theirs)];
}

/** A section of another name that a side gave a new heading goes by the old one, for what the other side did there. */
function renamed(base: readonly Part[], side: readonly Part[]): readonly Part[] {
  const gone = base.filter(
    ({ key, section }) => section === undefined && key !== "" && !side.some((part) => part.key === key),
  );
  return side.map((part) => {
    if (part.section !== undefined || part.key === "" || base.some(({ key }) => key === part.key)) return part;
    const own = keysOf([part]);
    const before = gone.find((old) => {
      const keys = [...keysOf([old])];
      return keys.length > 0 && keys.filter((key) => own.has(key)).length * 2 >= keys.length;
    });
    return before === undefined ? part : { ...part, key: before.key };
  });
}

function indexOf(parts: readonly Part[]): UnitIndex {
  return indexUnits(parts.flatMap(({ content }) => splitUnits(content)));
}

function keysOf(parts: readonly Part[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ content }) => splitUnits(content).map(({ key }) => key)));
}

/** The text of the one side that changed it, or of both if they say the same. */
function chooseWhole(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || base === theirs) return ours;
  return base === ours ? theirs : undefined;
}

function bothWhole(ours: string, theirs: string): string {
  return between(ours.replace(/^\n+/, ""), theirs.replace(/^\n+/, ""));
}

function partsOf(body: string): readonly Part[] {
  const parts: Part[] = [];
  const put = (part: Part): void => {
    const at = parts.findIndex(({ key }) => key === part.key);
    const known = parts[at];
    if (known === undefined) parts.push(part);
    else if (part.content.trim() !== "") {
      const content = `${known.content.trimEnd()}\n\n${trimBlankLines(part.content)}\n\n`;
      parts[at] = { ...known, content, raw: known.heading + content };
    }
  };
  let from = 0;
  const { sections, nearSections } = parseSummary(body);
  const near = sections.length === 0 ? [] : nearSections;
  for (const part of [...sections, ...near].sort((a, b) => a.start - b.start)) {
    const { start, contentStart, end } = part;
    for (const other of remainderOf(body.slice(from, start))) put(other);
    const heading = body.slice(start, contentStart);
    const names =
      "words" in part ? { key: keyOf(heading), section: undefined } : { key: part.name, section: part.name };
    put({ ...names, heading, content: body.slice(contentStart, end), raw: body.slice(start, end) });
    from = end;
  }
  for (const part of remainderOf(body.slice(from))) put(part);
  return parts;
}

/** What stands beside the known sections: the text before the first heading, and the sections of other names. */
function remainderOf(text: string): readonly Part[] {
  const headings = parseBlocks(text).flatMap((block) =>
    block.kind === "heading" && !block.isSetext ? [{ ...block, level: block.level }] : [],
  );
  const top = headings[0]?.level ?? 0;
  const starts = headings.filter(({ level }) => level <= top);
  const first = starts[0]?.start ?? text.length;
  const above: Part = {
    key: "",
    section: undefined,
    heading: "",
    content: text.slice(0, first),
    raw: text.slice(0, first),
  };
  const sections = starts.map(({ start, text: name }, index): Part => {
    const raw = text.slice(start, starts[index + 1]?.start ?? text.length);
    const contentStart = raw.indexOf("\n") + 1 || raw.length;
    return {
      key: keyOf(name),
      section: undefined,
      heading: raw.slice(0, contentStart),
      content: raw.slice(contentStart),
      raw,
    };
  });
  return above.raw === "" ? sections : [above, ...sections];
}

/** The key of a part that is no known section, by its heading with or without hashes. */
function keyOf(heading: string): string {
  const words = heading.trim().replace(/^#+[ \t]*|[ \t]+#+$/g, "");
  return `# ${words.replace(/\s+/g, " ")}`;
}

/** The keys of ours, with those that only theirs has behind the ones they stand behind there, and behind ours' own. */
function orderOf(ours: readonly Part[], theirs: readonly Part[]): readonly string[] {
  const keys = ours.map(({ key }) => key);
  const shared = new Set(theirs.map(({ key }) => key));
  let last = -1;
  for (const { key } of theirs) {
    const at = keys.indexOf(key);
    if (at >= 0) {
      last = at;
      continue;
    }
    while (last + 1 < keys.length && !shared.has(keys[last + 1] ?? "")) last++;
    last++;
    keys.splice(last, 0, key);
  }
  return keys;
}

/** A merged part as text, with and without its conflict markers, and what has to be found in it again. */
interface Piece {
  readonly name: string;
  readonly text: string;
  readonly clean: string;
  readonly isContested: boolean;
  readonly section: string | undefined;
  readonly keys: readonly string[];
  readonly doubled: readonly string[];
}

function mergePart(
  base: Part | undefined,
  ours: Part | undefined,
  theirs: Part | undefined,
  all: AllUnits,
): Piece | undefined {
  const some = ours ?? theirs;
  if (some === undefined) return undefined;
  const { section } = some;
  const name = section ?? (some.key === "" ? "the text above the sections" : some.key.slice(2));
  const whole = chooseWhole(base?.raw ?? "", ours?.raw ?? "", theirs?.raw ?? "");
  const content = whole === ours?.raw ? (ours?.content ?? "") : (theirs?.content ?? "");
  if (whole !== undefined && !holdsChanged(content, base, all)) {
    if (whole === "") return undefined;
    const keys = splitUnits(content).map(({ key }) => key);
    return { name, text: whole, clean: whole, isContested: false, section, keys, doubled: [] };
  }
  const [old, mine, other] = [base, ours, theirs].map((part) => splitUnits(part?.content ?? "")) as [
    readonly Unit[],
    readonly Unit[],
    readonly Unit[],
  ];
  const merged = renumber(mergeUnits(old, mine, other, all));
  const isWanted = merged.length > 0 || (ours !== undefined && theirs !== undefined);
  if (!isWanted) return undefined;
  const heading = headingOf(base, ours, theirs);
  const clean = renderMerged(merged, ours?.content ?? "", theirs?.content ?? "", false);
  const text = renderMerged(merged, ours?.content ?? "", theirs?.content ?? "", true);
  const isContested = merged.some((unit) => unit.isContested);
  const lead = /^\n*/.exec((ours ?? theirs)?.content ?? "")?.[0] ?? "";
  return {
    name,
    clean: `${heading}${lead}${clean}\n`,
    text: `${heading}${lead}${text}\n`,
    isContested,
    section,
    keys: merged.map(({ unit }) => unit.key),
    doubled: merged.filter(({ isDoubled }) => isDoubled).map(({ unit }) => firstWords(unit.text)),
  };
}

/** The first line of a unit; of a block of code also its first line of content. */
function firstWords(text: string): string {
  const [first = "", ...others] = text.split("\n");
  const content = FENCE.test(first) ? others.find((line) => line.trim() !== "" && !FENCE.test(line)) : undefined;
  return content === undefined ? first : `${first} ${content.trimEnd()}`;
}

/** True if a part holds what one side moved into it and the other struck, or set in other blanks, where it was. */
function holdsChanged(content: string, base: Part | undefined, all: AllUnits): boolean {
  const known = base === undefined ? new Set() : keysOf([base]);
  return splitUnits(content).some(({ key }) => {
    const most = Math.max(countOf(all.ours, key), countOf(all.theirs, key));
    const isMoved = all.base.has(key) && !known.has(key) && most <= countOf(all.base, key);
    const texts = [all.base, all.ours, all.theirs].flatMap((units) => units.get(key) ?? []).map(({ text }) => text);
    return isMoved && (!all.ours.has(key) || !all.theirs.has(key) || new Set(texts).size > 1);
  });
}

function headingOf(base: Part | undefined, ours: Part | undefined, theirs: Part | undefined): string {
  const mine = ours?.heading ?? theirs?.heading ?? "";
  const isChanged = theirs !== undefined && ours?.heading === base?.heading;
  const heading = isChanged ? theirs.heading : mine;
  return heading === "" || heading.endsWith("\n") ? heading : `${heading}\n`;
}

function joinPieces(pieces: readonly Piece[], textOf: (piece: Piece) => string): string {
  let joined = "";
  for (const piece of pieces) {
    const text = textOf(piece);
    if (joined.trim() !== "" && text.trim() !== "" && !joined.endsWith("\n\n"))
      joined += joined.endsWith("\n") ? "\n" : "\n\n";
    joined += text;
  }
  return joined;
}

/** True if the merged text is read as what it was made of: no unit swallows another, no heading is lost. */
function holdsAll(body: string, pieces: readonly Piece[]): boolean {
  const parts = partsOf(body);
  return pieces.every(({ section, keys }) => {
    const found = new Set(
      parts
        .filter((part) => part.section === section)
        .flatMap(({ content }) => splitUnits(content).map(({ key }) => key)),
    );
    return keys.every((key) => found.has(key));
  });
}
