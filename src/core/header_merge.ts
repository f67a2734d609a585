import { between } from "./conflict_text.ts";
import { normaliseLineEnds } from "./lines.ts";
import type { HeaderEntry } from "./plain_header.ts";
import type { Edit } from "./text_edit.ts";
import { isFieldKey } from "./thread_fields.ts";
import type { ThreadFile } from "./thread_file.ts";

/** What a header says beside the keys of a thread, three texts of it made one: edits of ours. */
export interface MergedExtras {
  readonly edits: readonly Edit[];
  /** keys in which a person has to choose */
  readonly conflicts: readonly string[];
}

/** The lines of a header that ThreadMind has no say in. */
interface Extras {
  /** foreign keys by name, with their whole lines */
  readonly keys: ReadonlyMap<string, HeaderEntry>;
  /** comments that stand alone, each a line */
  readonly comments: readonly string[];
  /** comments behind the values of a thread's own keys */
  readonly trailing: ReadonlyMap<string, string>;
}

const NONE: Extras = { keys: new Map(), comments: [], trailing: new Map() };

/**
 * Merges foreign keys and comments of a header into ours: what theirs added comes in, what theirs removed goes, what both
 * changed is left between markers. `undefined` for a header that has no lines of its own for that.
 */
export function mergeExtras(
  base: ThreadFile | undefined,
  ours: ThreadFile,
  theirs: ThreadFile,
): MergedExtras | undefined {
  const [old, mine, other] = [base === undefined ? NONE : extrasOf(base), extrasOf(ours), extrasOf(theirs)];
  if (mine === undefined || other === undefined || ours.editable === undefined) return undefined;
  const known = old ?? NONE;
  const edits: Edit[] = [];
  const conflicts: string[] = [];
  const added: string[] = [];
  const textIn = (file: ThreadFile | undefined, extras: Extras, key: string): string | undefined => {
    const entry = extras.keys.get(key);
    return entry === undefined || file === undefined
      ? undefined
      : normaliseLineEnds(file.source.slice(entry.from, entry.to));
  };
  for (const key of new Set([...mine.keys.keys(), ...other.keys.keys()])) {
    const [was, here, there] = [textIn(base, known, key), textIn(ours, mine, key), textIn(theirs, other, key)];
    if (here === there || there === was) continue;
    const entry = mine.keys.get(key);
    const isClash = here !== was;
    const text = isClash ? between(here ?? "", there ?? "") : (there ?? "");
    if (isClash) conflicts.push(key);
    if (entry === undefined) added.push(text);
    else edits.push({ from: entry.from, to: entry.to, text: withEnds(text, ours.eol) });
  }
  for (const comment of other.comments)
    if (!known.comments.includes(comment) && !mine.comments.includes(comment)) added.push(`${comment}\n`);
  for (const [key, comment] of other.trailing) {
    const [was, here] = [known.trailing.get(key), mine.trailing.get(key)];
    if (comment !== was && comment !== here) added.push(`# ${key}: ${comment.replace(/^#\s*/, "")}\n`);
  }
  const { close } = ours.editable.header;
  if (added.length > 0) edits.push({ from: close, to: close, text: withEnds(added.join(""), ours.eol) });
  return { edits, conflicts };
}

function withEnds(text: string, eol: string): string {
  return text.replaceAll("\n", eol);
}

/** `undefined` for a header that is one flow mapping; a file without a header has none of them. */
function extrasOf({ source, editable }: ThreadFile): Extras | undefined {
  if (editable === undefined) return NONE;
  if (editable.flowFrom !== undefined) return undefined;
  const { header, entries } = editable;
  const keys = new Map<string, HeaderEntry>();
  const trailing = new Map<string, string>();
  let rest = "";
  let at = header.open;
  for (const entry of entries) {
    rest += source.slice(at, Math.max(at, entry.from));
    at = Math.max(at, entry.to);
    if (!isFieldKey(entry.key)) keys.set(entry.key, entry);
    else {
      const comment = /#.*/.exec(source.slice(entry.valueTo, entry.to))?.[0].trim();
      if (comment !== undefined) trailing.set(entry.key, comment);
    }
  }
  rest += source.slice(at, header.close);
  const comments = normaliseLineEnds(rest)
    .split("\n")
    .filter((line) => line.trim().startsWith("#"));
  return { keys, comments, trailing };
}
