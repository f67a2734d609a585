import type { Document, Node, Pair } from "yaml";
import { ThreadMindError } from "../errors.ts";
import { fitBody, renderFile } from "./body_edit.ts";
import { countByteOrderMarks, findHeader, type Header, type Unreadable } from "./header.ts";
import { type EditableHeader, editHeader } from "./header_edit.ts";
import { type FileFinding, readFields } from "./header_fields.ts";
import { type EntryValue, type HeaderEntry, readPlainHeader } from "./plain_header.ts";
import { placeBlockEntries, placeFlowEntries, type RichPair, textForYaml } from "./rich_header.ts";
import { applyEdits, eolOf } from "./text_edit.ts";
import {
  FIELD_KEYS,
  type FieldKey,
  type FieldValue,
  isFieldKey,
  isSameValue,
  type ThreadFields,
} from "./thread_fields.ts";

export type { Unreadable } from "./header.ts";
export type { FileFinding } from "./header_fields.ts";
export type { FieldKey, ThreadFields } from "./thread_fields.ts";

/** A thread file: its header's fields, its body, and what is needed to change them and nothing else. */
export interface ThreadFile {
  readonly source: string;
  readonly fields: ThreadFields;
  /** everything below the header's closing fence, byte for byte */
  readonly body: string;
  /** 1-based */
  readonly bodyLine: number;
  readonly findings: readonly FileFinding[];
  /** the line end of the first line */
  readonly eol: "\n" | "\r\n";
  /** the title is unquoted and other YAML readers read something else or nothing; the next edit quotes it */
  readonly titleIsLiteral: boolean;
  /** what the next edit mends besides what it is asked to, in sentences to show after it */
  readonly repaired: string | undefined;
  /** 1-based line of the first merge-conflict marker in the header; the fields are then the first side's */
  readonly conflictLine: number | undefined;
  /** for `editThreadFile()`; `undefined` where the file has no header */
  readonly editable: EditableHeader | undefined;
}

/** What to change in a thread file. */
export interface ThreadChanges {
  readonly set?: ThreadFields;
  readonly unset?: readonly FieldKey[];
  /** the new text below the header; it gets the file's line ends, blank line above and final line break if it lacks them */
  readonly body?: string;
}

const DISPLACED = {
  message: "Blank lines stand above its header, so other readers see none.",
  hint: "Remove them: the first line is to be ---.",
};

type Yaml = typeof import("yaml");

/** Loaded once a header needs it: what was read by it can be checked by it. */
let yaml: Yaml | undefined;

interface RichHeader {
  readonly entries: readonly HeaderEntry[];
  /** offset behind the brace of a header that is one flow mapping */
  readonly flowFrom: number | undefined;
}

/**
 * Parses a thread file without waiting: headers of one-line scalars and lists, which is what ThreadMind writes;
 * `undefined` if there is more in the header, for which `parseThreadFile()` is.
 */
export function parsePlainThreadFile(source: string): ThreadFile | Unreadable | undefined {
  const header = findHeader(source);
  if (header === undefined) return withoutHeader(source);
  if ("message" in header) return header;
  const { entries, isRich } = readPlainHeader(header.lines);
  return isRich ? undefined : withHeader(source, header, entries, undefined);
}

/** Parses a thread file; an unreadable one is a value too, with the line and what to do. */
export async function parseThreadFile(source: string): Promise<ThreadFile | Unreadable> {
  const plain = parsePlainThreadFile(source);
  if (plain !== undefined) return plain;
  yaml ??= await import("yaml");
  return parseRichThreadFile(yaml, source);
}

function parseRichThreadFile(yaml: Yaml, source: string): ThreadFile | Unreadable {
  const header = findHeader(source);
  if (header === undefined) return withoutHeader(source);
  if ("message" in header) return header;
  const rich = readRichHeader(yaml, source, header);
  if ("message" in rich) return header.isDisplaced ? withoutHeader(source) : withConflict(rich, header);
  return withHeader(source, header, rich.entries, rich.flowFrom);
}

/**
 * The file's text with the changes and nothing else changed; the very same text if all is so already. Throws
 * `merge-conflict` where the header has conflict markers.
 */
export function editThreadFile(file: ThreadFile, changes: ThreadChanges): string {
  const { source, editable, conflictLine } = file;
  const { set = {}, unset = [] } = changes;
  const body =
    changes.body === undefined ? file.body : fitBody(source, file.body, changes.body, editable !== undefined);
  const isBodyNew = body !== file.body;
  if (editable === undefined) return addHeader(file, set, body);
  const edits = editHeader(editable, set, unset, isBodyNew);
  if (edits.length === 0 && !isBodyNew) return source;
  if (conflictLine !== undefined) {
    const message = `Cannot change the file: its header has merge conflicts (line ${conflictLine}).`;
    throw new ThreadMindError(
      "merge-conflict",
      message,
      "Run threadmind resolve, or settle the conflict in the file first.",
    );
  }
  const edited = applyEdits(source.slice(0, source.length - file.body.length), edits) + body;
  if (edits.length > 0) checkEdited(file, changes, edited);
  return edited;
}

/** Refuses an edit of a header so odd that the values read from it afterwards would be others than meant. */
function checkEdited({ fields }: ThreadFile, { set = {}, unset = [] }: ThreadChanges, edited: string): void {
  const read = parsePlainThreadFile(edited) ?? (yaml === undefined ? undefined : parseRichThreadFile(yaml, edited));
  const isAsMeant = (key: FieldKey, found: FieldValue | undefined): boolean => {
    const isSet = set[key] !== undefined && !unset.includes(key);
    // A value of several lines is written on one.
    if (isSet && /[\p{Cc}\u2028\u2029]/u.test(String(set[key]))) return found !== undefined;
    return isSameValue(found, isSet ? set[key] : unset.includes(key) ? undefined : fields[key]);
  };
  if (read !== undefined && !("message" in read) && FIELD_KEYS.every((key) => isAsMeant(key, read.fields[key]))) return;
  throw new ThreadMindError(
    "malformed-file",
    "Cannot change the file: its header is written in a way that can't be edited without changing what else it says.",
    "Write the header's lines plainly, as key: value, then call again.",
  );
}

/** The file's text with what other YAML readers can't read mended, and nothing else changed. Never for a conflicted header. */
export function repairThreadFile({ source, body, editable, conflictLine }: ThreadFile): string {
  if (editable === undefined || conflictLine !== undefined) return source;
  return applyEdits(source.slice(0, source.length - body.length), editHeader(editable, {}, [], true)) + body;
}

/** The text of a new thread file. */
export function renderThreadFile(fields: ThreadFields, body: string): string {
  const text = body.slice(countByteOrderMarks(body)).replaceAll("\r\n", "\n");
  if (text.trim() === "") return renderFile(fields, "", "\n");
  return renderFile(fields, text.endsWith("\n") ? text : `${text}\n`, "\n");
}

/** A file without a header gets one above its text where keys are set, or where a new body would be taken for one. */
function addHeader(file: ThreadFile, set: ThreadFields, body: string): string {
  const marks = file.source.slice(0, countByteOrderMarks(file.source));
  const isSet = Object.values(set).some((value) => value !== undefined);
  const needsHeader = isSet || (body !== file.body && /^\s*---/.test(body));
  return marks + (needsHeader ? renderFile(set, body, file.eol) : body);
}

function withHeader(
  source: string,
  header: Header,
  entries: readonly HeaderEntry[],
  flowFrom: number | undefined,
): ThreadFile | Unreadable {
  const { firstLine, bodyFrom, bodyLine, conflictLine, isDisplaced } = header;
  if (isDisplaced && !entries.some(({ key }) => isFieldKey(key))) return withoutHeader(source);
  const read = readFields(entries, firstLine, conflictLine !== undefined);
  if ("message" in read) return read;
  const { fields, superseded, isTitleLiteral: titleIsLiteral, repairs } = read;
  const findings = isDisplaced ? [{ line: 1, ...DISPLACED }, ...read.findings] : read.findings;
  const editable = { source, header, fields, entries, superseded, flowFrom };
  const body = source.slice(bodyFrom);
  return {
    source,
    fields,
    body,
    bodyLine,
    findings,
    eol: eolOf(source),
    titleIsLiteral,
    repaired: repairs.length === 0 ? undefined : repairs.join(" "),
    conflictLine,
    editable,
  };
}

function withoutHeader(source: string): ThreadFile {
  const body = source.slice(countByteOrderMarks(source));
  const hint = "Begin the file with --- on a line of its own, lines such as title: … and parentId: …, and --- again.";
  const findings = [{ line: 1, message: "It has no header.", hint }];
  const none = { repaired: undefined, conflictLine: undefined, editable: undefined };
  return { source, fields: {}, body, bodyLine: 1, findings, eol: eolOf(source), titleIsLiteral: false, ...none };
}

function readRichHeader(yaml: Yaml, source: string, header: Header): RichHeader | Unreadable {
  const options = { schema: "failsafe", keepSourceTokens: true, uniqueKeys: false, logLevel: "error" } as const;
  const plain = readPlainHeader(header.lines).entries;
  let text = textForYaml(source, header, []);
  let document = yaml.parseDocument(text, options);
  // Titles that 0.4 wrote as they were are no reason to refuse the rest.
  const literals = plain.filter((entry) => entry.isLiteral);
  if (document.errors.length > 0 && literals.length > 0) {
    text = textForYaml(source, header, literals);
    document = yaml.parseDocument(text, options);
  }
  const fault = findYamlFault(yaml, document, header);
  if (fault !== undefined) return fault;
  const root = document.contents;
  if (!yaml.isMap(root)) return { entries: [], flowFrom: undefined };
  const pairs = root.items.map((pair) => readPair(yaml, text, pair as Pair<Node | null, Node | null>));
  if (root.flow === true) {
    const brace = text.indexOf("{", root.range?.[0] ?? 0);
    return { entries: placeFlowEntries(text, header, pairs), flowFrom: header.open + brace + 1 };
  }
  const onOneLine = new Map(plain.map((entry) => [entry.from, entry]));
  const entries = placeBlockEntries(text, header, pairs).map((entry) => {
    const own = onOneLine.get(entry.from);
    return own !== undefined && own.to === entry.to ? own : entry;
  });
  return { entries, flowFrom: undefined };
}

function withConflict(fault: Unreadable, { conflictLine }: Header): Unreadable {
  if (conflictLine === undefined) return fault;
  return { ...fault, hint: "Run threadmind resolve, or settle the merge conflict in the file.", conflictLine };
}

function findYamlFault(yaml: Yaml, document: Document.Parsed, { firstLine }: Header): Unreadable | undefined {
  const [error] = document.errors;
  if (error !== undefined) {
    const [place] = error.linePos ?? [];
    const reason = error.message.replace(/ at line \d+, column \d+.*$/s, "").replace(/\.$/, "");
    const message =
      error.code === "MULTIPLE_DOCS" ? "A line in its header ends it for YAML." : `Its header is not YAML: ${reason}.`;
    const hint = "Correct it, perhaps by quotes round the value, or bring an earlier text back: <restore>.";
    return { line: firstLine + (place?.line ?? 0), column: place?.col ?? 1, message, hint };
  }
  if (document.contents === null || yaml.isMap(document.contents)) return undefined;
  const hint = "Between the --- lines write lines of the form key: value; if it is text, add a line --- above it.";
  return { line: firstLine + 1, message: "Its header is not made of lines of the form key: value.", hint };
}

function readPair(yaml: Yaml, text: string, { key, value, srcToken }: Pair<Node | null, Node | null>): RichPair {
  const tokens = srcToken ?? { start: [] };
  const separator = tokens.sep ?? [];
  const offset = tokens.key?.offset ?? separator[0]?.offset ?? 0;
  const [keyFrom, keyTo] = key?.range ?? [offset, offset];
  const isQuoted = yaml.isScalar(value) && value.type !== "PLAIN";
  const style = !isQuoted ? "plain" : value.type === "QUOTE_SINGLE" ? "single" : "double";
  return {
    ...{ key: yaml.isScalar(key) ? (key.source ?? "") : text.slice(keyFrom, keyTo), keyRange: [keyFrom, keyTo] },
    ...{ start: tokens.start, separator, value: textOf(yaml, value), style },
    valueRange: value?.range ? [value.range[0], value.range[1]] : undefined,
  };
}

/** A node's text as it is written, or a list of such; aliases are not followed. */
function textOf(yaml: Yaml, node: Node | null): EntryValue {
  if (node === null) return null;
  if (yaml.isScalar(node)) {
    if (node.type === "PLAIN") return node.source === "" ? null : (node.source ?? null);
    return node.type?.startsWith("BLOCK") ? node.source?.replace(/\n+$/, "") : node.source;
  }
  if (!yaml.isSeq(node)) return undefined;
  const items = node.items.map((item) => (yaml.isScalar(item) ? (item.source ?? "") : undefined));
  return items.every((item) => item !== undefined) ? items : undefined;
}
