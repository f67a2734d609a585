import { basename, dirname, extname, resolve } from "node:path";
import { findContentFault } from "../commands/thread_write.ts";
import { findConflict } from "../core/conflict.ts";
import { findNearest, quote } from "../core/id.ts";
import { importMarkdown } from "../core/import_markdown.ts";
import { importMemory } from "../core/import_memory.ts";
import type { ImportedProject, ImportFault } from "../core/import_project.ts";
import { findSecret } from "../core/secrets.ts";
import { findTitleFault, parseTitle } from "../core/titles.ts";
import { countOf } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { readText } from "../io/files.ts";
import { openSession } from "../io/session.ts";
import { createImported } from "./import_project.ts";
import { type GlobalOptions, usageError } from "./options.ts";

/** What was made of a file. */
export interface ImportOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const KINDS: Readonly<Record<string, (source: string, title?: string) => ImportedProject | ImportFault>> = {
  "claude-md": importMarkdown,
  "memory-json": importMemory,
};
const MOST_LINES = 5;

/** Makes a project of what people have already; the file itself stays as it is. Nothing is written unless all can be. */
export async function runImport(options: GlobalOptions, words: readonly string[]): Promise<ImportOutcome> {
  const { kind, file, title: typed, mayHoldSecrets } = parseWords(options, words);
  const given = typed === undefined ? undefined : parseTitle(typed);
  const path = resolve(options.directory ?? ".", file);
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("refused", `Cannot import ${quote(file)}: ${why}.`, hint);
  const read = readText(path);
  if (read === undefined) throw refuse("there is no such file", "Give the path of the file.");
  if (!("text" in read)) throw refuse(`it ${read.fault}`, "Give a text file in UTF-8.");
  if (read.text.replace(/^\ufeff/, "").trim() === "") throw refuse("it is empty", "Give a file with text in it.");
  const atSource = findFault(read.text, mayHoldSecrets);
  if (atSource !== undefined) throw refuse(atSource.why, atSource.hint);
  const imported = kind(read.text, given);
  if ("why" in imported) throw refuse(imported.why, imported.hint);
  for (const { line, text } of imported.pieces) {
    const fault = findFault(text, mayHoldSecrets, line);
    if (fault !== undefined) throw refuse(fault.why, fault.hint);
  }
  for (const { id, body } of [{ id: "main", body: imported.body }, ...imported.children]) {
    const fault = findFault(body, mayHoldSecrets);
    if (fault !== undefined) throw refuse(`in the thread ${id}, ${fault.why}`, fault.hint);
  }
  const title = given ?? imported.title ?? nameOf(path);
  const session = openSession({
    whereabouts: { root: options.root, directory: options.directory },
    now: () => new Date(),
  });
  const made = await createImported(session, { title, imported, file });
  const { project, threads, previous, notices, workspace } = made;
  const unread = imported.unread.length === 0 ? undefined : { lines: imported.unread, thread: `${project}/main` };
  const remarks = [...unreadIn(imported, project), ...imported.remarks];
  const below = threads.length === 1 ? "" : `, and ${countOf(threads.length - 1, "thread")} below it`;
  const back = previous === undefined ? "" : `; to go back to ${previous}: threadmind project switch ${previous}`;
  const text = [
    ...notices,
    `Imported ${path} into the new project ${project}: its root thread main${below}. The file is unchanged.`,
    ...(workspace === undefined ? [] : [`The workspace is new: ${workspace}`]),
    ...remarks,
    `The active project is now ${project}${back}.`,
    `Look at it: threadmind show ${project}/main`,
  ].join("\n");
  return { value: { project, threads, previousProject: previous, workspace, unread, remarks, notices }, text };
}

interface Wanted {
  readonly kind: (source: string, title?: string) => ImportedProject | ImportFault;
  readonly file: string;
  readonly title: string | undefined;
  readonly mayHoldSecrets: boolean;
}

function parseWords(options: GlobalOptions, words: readonly string[]): Wanted {
  const rest: string[] = [];
  let title: string | undefined;
  let mayHoldSecrets = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--allow-secret") mayHoldSecrets = true;
    else if (word === "--title") {
      title = words[++at];
      if (title === undefined) throw usageError("the option --title needs a value", "import");
    } else if (word.startsWith("--title=")) title = word.slice("--title=".length);
    else if (word.startsWith("-")) throw usageError(`it has no option ${quote(word)}`, "import");
    else rest.push(word);
  }
  for (const name of ["project", "thread"] as const)
    if (options[name] !== undefined)
      throw usageError(
        `it makes a project of its own, so that --${name} has no place here (--title names it)`,
        "import",
      );
  const [name, file, extra] = rest;
  const kinds = Object.keys(KINDS);
  if (name === undefined) throw usageError(`what it is of is missing: ${kinds.join(" or ")}`, "import");
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined) {
    const [nearest] = findNearest(name, kinds);
    const hint = nearest === undefined ? `It is ${kinds.join(" or ")}.` : `Did you mean ${nearest}?`;
    throw new ThreadMindError("usage", `Cannot import ${quote(name)}: there is no such kind.`, hint);
  }
  if (file === undefined) throw usageError("the file is missing", "import");
  if (extra !== undefined) throw usageError(`${quote(extra)} is one argument too many`, "import");
  return { kind, file, title, mayHoldSecrets };
}

/**
 * Why a text can't be written, by the rules of every write, with the line of the file: of the whole file, or of an entry of it
 * that begins on `line`.
 */
function findFault(text: string, mayHoldSecrets: boolean, line?: number): ImportFault | undefined {
  const at = (inner: number): string => (line === undefined ? `line ${inner}` : `the entry on line ${line}`);
  const conflict = findConflict(text);
  const fault = findContentFault(text, conflict);
  if (conflict !== undefined && fault !== undefined)
    return { why: line === undefined ? fault.why : `${at(line)}: ${fault.why}`, hint: fault.hint };
  if (fault !== undefined) {
    const inner = text.split(/\r\n|\r|\n/).findIndex((one) => findContentFault(one, undefined) !== undefined) + 1;
    return { why: `${at(inner)}: ${fault.why}`, hint: "Take it out of the file, and import it again." };
  }
  const secret = mayHoldSecrets ? undefined : findSecret(text);
  if (secret === undefined) return undefined;
  return {
    why: `${at(secret.line)} holds ${secret.kind}`,
    hint: "Take it out, or import it all the same with --allow-secret.",
  };
}

/** The name of the folder that a file is in, or else its own. */
function nameOf(path: string): string {
  const folder = basename(dirname(path));
  return findTitleFault(folder) === undefined ? folder : basename(path, extname(path));
}

function unreadIn({ unread }: ImportedProject, project: string): string[] {
  if (unread.length === 0) return [];
  const lines = unread.slice(0, MOST_LINES).join(", ");
  const more = unread.length > MOST_LINES ? ", …" : "";
  const what = unread.length === 1 ? "1 piece is" : `${unread.length} pieces are`;
  return [`⚠ ${what} no entity or relation (line ${lines}${more}): kept as typed under State of ${project}/main.`];
}
