import { mergeBodies } from "./body_merge.ts";
import { between } from "./conflict_text.ts";
import { mergeExtras } from "./header_merge.ts";
import { normaliseLineEnds } from "./lines.ts";
import { applyEdits, type Edit } from "./text_edit.ts";
import { FIELD_KEYS, type FieldKey, type FieldValue, isSameValue, parseDate } from "./thread_fields.ts";
import { editThreadFile, parseThreadFile, type ThreadFields, type ThreadFile } from "./thread_file.ts";

/** A merged thread file; `conflicts` names what a person has to choose, between markers in the text. */
export interface MergedFile {
  readonly text: string;
  readonly conflicts: readonly string[];
  /** first lines of what both sides changed differently: both forms are in the text */
  readonly doubled: readonly string[];
}

type Choice = { readonly value: FieldValue | undefined } | { readonly ours: FieldValue; readonly theirs: FieldValue };

const STAMPS = ["commit", "fingerprint"] as const;

/**
 * Merges two texts of a thread file that come from one; `base` is `undefined` where both sides made the file. Bodies are
 * merged by section and unit. `updatedAt` is the later one; `commit` and `fingerprint` stay only where one side's text
 * won whole. `undefined` if a side is no readable thread file, for which a line-wise merge is.
 */
export async function mergeThreadFiles(
  base: string | undefined,
  ours: string,
  theirs: string,
): Promise<MergedFile | undefined> {
  if (ours === theirs || base === theirs) return { text: ours, conflicts: [], doubled: [] };
  if (base === ours) return { text: theirs, conflicts: [], doubled: [] };
  const [old, mine, other] = await Promise.all([
    base === undefined ? undefined : readWhole(base),
    readWhole(ours),
    readWhole(theirs),
  ]);
  if (mine === undefined || other === undefined) return undefined;
  const body = mergeBodies(old?.body ?? "", mine.body, other.body);
  const choices = FIELD_KEYS.filter((key) => key !== "commit" && key !== "fingerprint").map(
    (key): readonly [FieldKey, Choice] => [key, choose(key, old?.fields, mine.fields, other.fields)],
  );
  const paths = choices.find(([key]) => key === "paths")?.[1];
  const isWhole = ({ body: own, fields }: ThreadFile): boolean =>
    body.conflicts.length === 0 &&
    normaliseLineEnds(own).trim() === body.body.trim() &&
    paths !== undefined &&
    "value" in paths &&
    isSameValue(fields.paths, paths.value ?? undefined);
  const stamps = chooseStamps(old, mine, other, isWhole(mine), isWhole(other));
  const settled = choices.map(([key, choice]): readonly [FieldKey, FieldValue | undefined] => [
    key,
    "value" in choice ? choice.value : key === "parentId" ? choice.ours : (choice.ours ?? undefined),
  ]);
  const values = [...settled, ...STAMPS.map((key) => [key, stamps[key]] as const)];
  const set = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as ThreadFields;
  const unset = values.filter(([, value]) => value === undefined).map(([key]) => key);
  const whole: MergedFile = { text: between(ours, theirs), conflicts: ["the whole file"], doubled: [] };
  const carrier = await withExtras(old, mine, other);
  if (carrier === undefined) return whole;
  const text = editThreadFile(carrier.file, { set, unset, body: body.body });
  const marked = await markHeader(text, choices, carrier.edits);
  if (marked === undefined) return whole;
  const conflicts = [...marked.conflicts, ...carrier.conflicts, ...body.conflicts];
  return { text: marked.text, conflicts, doubled: body.doubled };
}

interface Carrier {
  readonly file: ThreadFile;
  readonly conflicts: readonly string[];
}

/** Ours with what theirs brings beside the keys of a thread. */
async function withExtras(
  base: ThreadFile | undefined,
  ours: ThreadFile,
  theirs: ThreadFile,
): Promise<(Carrier & { readonly edits: readonly MarkedLines[] }) | undefined> {
  if (ours.editable === undefined && theirs.editable !== undefined) return { file: theirs, conflicts: [], edits: [] };
  if (ours.editable === undefined) return { file: ours, conflicts: [], edits: [] };
  const extras = mergeExtras(base, ours, theirs);
  if (extras === undefined)
    return ours.editable.flowFrom === undefined ? undefined : { file: ours, conflicts: [], edits: [] };
  // Markers in a header keep it from being edited: they are put in when all else is done.
  const plain = extras.edits.filter(({ text }) => !text.includes("<<<<<<< "));
  const clashes = extras.edits.filter(({ text }) => text.includes("<<<<<<< "));
  const file = plain.length === 0 ? ours : await readWhole(applyEdits(ours.source, plain));
  if (file === undefined) return undefined;
  const edits = clashes.map(({ from, to, text }): MarkedLines => ({ lines: ours.source.slice(from, to), text }));
  return { file, conflicts: extras.conflicts, edits };
}

/** Whole lines of a header that give way to lines between markers; without any, those go to its end. */
interface MarkedLines {
  readonly lines: string;
  readonly text: string;
}

/** A file that can be edited: it parses, its header is there, and nobody left conflict markers in it. */
async function readWhole(source: string): Promise<ThreadFile | undefined> {
  const file = await parseThreadFile(source);
  return "message" in file || file.conflictLine !== undefined ? undefined : file;
}

function choose(key: FieldKey, base: ThreadFields | undefined, ours: ThreadFields, theirs: ThreadFields): Choice {
  const [old, mine, other] = [base?.[key], ours[key], theirs[key]];
  if (isSameValue(mine, other)) return { value: mine };
  if (key === "updatedAt" || key === "createdAt") return { value: chooseDate(key, mine, other) };
  if (base !== undefined && isSameValue(old, mine)) return { value: other };
  if (base !== undefined && isSameValue(old, other)) return { value: mine };
  if (key === "paths") return { value: choosePaths(old, mine, other) };
  // Only what both made on their own is the one that is set.
  if ((mine === undefined || other === undefined) && old === undefined) return { value: mine ?? other };
  return { ours: mine ?? null, theirs: other ?? null };
}

function chooseDate(
  key: "updatedAt" | "createdAt",
  ours: FieldValue | undefined,
  theirs: FieldValue | undefined,
): FieldValue | undefined {
  const moment = (value: FieldValue | undefined): number | undefined =>
    typeof value === "string" ? parseDate(value) : undefined;
  const [mine, other] = [moment(ours), moment(theirs)];
  if (mine === undefined || other === undefined) return mine === undefined ? (theirs ?? ours) : ours;
  const isOurs = key === "updatedAt" ? mine >= other : mine <= other;
  return isOurs ? ours : theirs;
}

/** What either side added stays, what either side took out goes. */
function choosePaths(
  base: FieldValue | undefined,
  ours: FieldValue | undefined,
  theirs: FieldValue | undefined,
): FieldValue | undefined {
  const list = (value: FieldValue | undefined): readonly string[] => (Array.isArray(value) ? value : []);
  const [old, mine, other] = [list(base), list(ours), list(theirs)];
  const kept = [...new Set([...mine, ...other])].filter(
    (path) => !old.includes(path) || (mine.includes(path) && other.includes(path)),
  );
  return kept.length === 0 ? undefined : kept;
}

type Stamps = Pick<ThreadFields, "commit" | "fingerprint">;

/** The stamps of the side whose text won; of two that say the same, those that changed, else the ones written later. */
function chooseStamps(
  base: ThreadFile | undefined,
  ours: ThreadFile,
  theirs: ThreadFile,
  isOurs: boolean,
  isTheirs: boolean,
): Stamps {
  const [old, mine, other] = [base?.fields, ours.fields, theirs.fields];
  if (!isOurs && !isTheirs) return {};
  if (isOurs !== isTheirs) return isOurs ? mine : other;
  const isSame = (one: Stamps | undefined, two: Stamps): boolean =>
    one?.commit === two.commit && one?.fingerprint === two.fingerprint;
  if (isSame(old, mine)) return other;
  if (isSame(old, other) || isSame(mine, other)) return mine;
  const [at, otherAt] = [parseDate(mine.updatedAt ?? "") ?? 0, parseDate(other.updatedAt ?? "") ?? 0];
  if (at !== otherAt) return at > otherAt ? mine : other;
  return (mine.commit ?? "") >= (other.commit ?? "") ? mine : other;
}

/** Puts what both sides set differently between markers, line by line; `undefined` where a header has no lines for it. */
async function markHeader(
  text: string,
  choices: readonly (readonly [FieldKey, Choice])[],
  clashes: readonly MarkedLines[],
): Promise<Pick<MergedFile, "text" | "conflicts"> | undefined> {
  const open = choices.flatMap(([key, choice]) => ("value" in choice ? [] : [{ key, ...choice }]));
  if (open.length === 0 && clashes.length === 0) return { text, conflicts: [] };
  const file = await readWhole(text);
  const header = file?.editable?.flowFrom === undefined ? file?.editable?.header : undefined;
  if (file === undefined || header === undefined) return undefined;
  const edits: Edit[] = [];
  for (const { key, ours, theirs } of open) {
    const [mine, other] = [await linesFor(file, key, ours), await linesFor(file, key, theirs)];
    if (mine === undefined || other === undefined) return undefined;
    const entry = file.editable?.entries.find((each) => each.key === key);
    const [from, to] = entry === undefined ? [header.close, header.close] : [entry.from, entry.to];
    edits.push({ from, to, text: markedLines(mine, other, file.eol) });
  }
  for (const { lines, text: marked } of clashes) {
    const at = lines === "" ? header.close : text.indexOf(lines, header.open);
    if (at < 0 || at > header.close) return undefined;
    edits.push({ from: at, to: at + lines.length, text: marked });
  }
  return { text: applyEdits(text, edits), conflicts: open.map(({ key }): string => key) };
}

/** The lines with which a key says a value; none for a value that isn't there. */
async function linesFor(file: ThreadFile, key: FieldKey, value: FieldValue): Promise<string | undefined> {
  if (value === null && key !== "parentId") return "";
  const other = await readWhole(editThreadFile(file, { set: { [key]: value } }));
  const entry = other?.editable?.entries.find((each) => each.key === key);
  return other === undefined || entry === undefined ? undefined : other.source.slice(entry.from, entry.to);
}

function markedLines(ours: string, theirs: string, eol: string): string {
  return between(normaliseLineEnds(ours), normaliseLineEnds(theirs)).replaceAll("\n", eol);
}
