import { between, mergeBodies } from "./body_merge.ts";
import { normaliseLineEnds } from "./lines.ts";
import type { HeaderEntry } from "./plain_header.ts";
import { applyEdits, type Edit } from "./text_edit.ts";
import { FIELD_KEYS, type FieldKey, type FieldValue, isFieldKey, isSameValue, parseDate } from "./thread_fields.ts";
import { editThreadFile, parseThreadFile, type ThreadFields, type ThreadFile } from "./thread_file.ts";

/** A merged thread file; `conflicts` names what a person has to choose, between markers in the text. */
export interface MergedFile {
  readonly text: string;
  readonly conflicts: readonly string[];
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
  if (ours === theirs || base === theirs) return { text: ours, conflicts: [] };
  if (base === ours) return { text: theirs, conflicts: [] };
  const [old, mine, other] = await Promise.all([
    base === undefined ? undefined : readWhole(base),
    readWhole(ours),
    readWhole(theirs),
  ]);
  if (mine === undefined || other === undefined) return undefined;
  const body = mergeBodies(old?.body ?? "", mine.body, other.body);
  const carrier = chooseCarrier(old, mine, other);
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
    "value" in choice ? choice.value : choice.ours,
  ]);
  const values = [...settled, ...STAMPS.map((key) => [key, stamps[key]] as const)];
  const set = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as ThreadFields;
  const unset = values.filter(([, value]) => value === undefined).map(([key]) => key);
  const text = editThreadFile(carrier.file, { set, unset, body: body.body });
  const marked = await markHeader(text, choices, carrier.lost);
  if (marked === undefined) return { text: between(ours, theirs), conflicts: ["the whole file"] };
  return { text: marked.text, conflicts: [...marked.conflicts, ...body.conflicts] };
}

/** A file that can be edited: it parses, its header is there, and nobody left conflict markers in it. */
async function readWhole(source: string): Promise<ThreadFile | undefined> {
  const file = await parseThreadFile(source);
  return "message" in file || file.conflictLine !== undefined ? undefined : file;
}

/** The side whose header keeps its comments, foreign keys and layout, and the other's lines that it lacks. */
function chooseCarrier(
  base: ThreadFile | undefined,
  ours: ThreadFile,
  theirs: ThreadFile,
): { readonly file: ThreadFile; readonly lost: string } {
  const [old, mine, other] = [base === undefined ? "" : extrasOf(base), extrasOf(ours), extrasOf(theirs)];
  if (mine === other || other === old) return { file: ours, lost: "" };
  if (mine === old) return { file: theirs, lost: "" };
  return { file: ours, lost: other };
}

/** What a header says beside the keys of a thread: comments, foreign keys. */
function extrasOf({ source, editable }: ThreadFile): string {
  if (editable === undefined) return "";
  const { header, entries } = editable;
  let text = "";
  let at = header.open;
  for (const { key, from, to } of entries) {
    if (!isFieldKey(key)) continue;
    text += source.slice(at, Math.max(at, from));
    at = Math.max(at, to);
  }
  return normaliseLineEnds(text + source.slice(at, header.close))
    .replace(/\n{2,}/g, "\n")
    .replace(/^\n/, "");
}

function choose(key: FieldKey, base: ThreadFields | undefined, ours: ThreadFields, theirs: ThreadFields): Choice {
  const [old, mine, other] = [base?.[key], ours[key], theirs[key]];
  if (isSameValue(mine, other)) return { value: mine };
  if (key === "updatedAt" || key === "createdAt") return { value: chooseDate(key, mine, other) };
  if (base !== undefined && isSameValue(old, mine)) return { value: other };
  if (base !== undefined && isSameValue(old, other)) return { value: mine };
  if (key === "paths") return { value: choosePaths(old, mine, other) };
  if (mine === undefined || other === undefined) return { value: mine ?? other };
  return { ours: mine, theirs: other };
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
  lost: string,
): Promise<MergedFile | undefined> {
  const open = choices.flatMap(([key, choice]) => ("value" in choice ? [] : [{ key, ...choice }]));
  if (open.length === 0 && lost === "") return { text, conflicts: [] };
  const file = await readWhole(text);
  const header = file?.editable?.flowFrom === undefined ? file?.editable?.header : undefined;
  if (file === undefined || header === undefined) return undefined;
  const edits: Edit[] = [];
  for (const { key, theirs } of open) {
    const entry = entryOf(file, key);
    const other = await readWhole(editThreadFile(file, { set: { [key]: theirs } }));
    const otherEntry = other === undefined ? undefined : entryOf(other, key);
    if (entry === undefined || other === undefined || otherEntry === undefined) return undefined;
    const [mine, otherLines] = [linesOf(file, entry), linesOf(other, otherEntry)];
    edits.push({ from: entry.from, to: entry.to, text: markedLines(mine, otherLines, file.eol) });
  }
  if (lost !== "") edits.push({ from: header.close, to: header.close, text: markedLines("", lost, file.eol) });
  const conflicts = [...open.map(({ key }): string => key), ...(lost === "" ? [] : ["other lines of the header"])];
  return { text: applyEdits(text, edits), conflicts };
}

function entryOf({ editable }: ThreadFile, key: FieldKey): HeaderEntry | undefined {
  return editable?.entries.find((entry) => entry.key === key);
}

function linesOf({ source }: ThreadFile, { from, to }: HeaderEntry): string {
  return source.slice(from, to);
}

function markedLines(ours: string, theirs: string, eol: string): string {
  return between(normaliseLineEnds(ours), normaliseLineEnds(theirs)).replaceAll("\n", eol);
}
