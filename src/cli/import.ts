import { basename, dirname, resolve } from "node:path";
import { COMMANDS } from "../commands/registry.ts";
import { findNearest, quote } from "../core/id.ts";
import { type ImportedProject, importMarkdown } from "../core/import_markdown.ts";
import { importMemory } from "../core/import_memory.ts";
import { findSecret } from "../core/secrets.ts";
import { countOf } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { readText } from "../io/files.ts";
import { openSession } from "../io/session.ts";
import { type GlobalOptions, usageError } from "./options.ts";

/** What was made of a file. */
export interface ImportOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const KINDS: Readonly<Record<string, (source: string) => ImportedProject>> = {
  "claude-md": importMarkdown,
  "memory-json": importMemory,
};

/** Makes a project of what people have already; the file itself stays as it is. */
export async function runImport(options: GlobalOptions, words: readonly string[]): Promise<ImportOutcome> {
  const { kind, file, title: typed, mayHoldSecrets } = parseWords(words);
  const path = resolve(options.directory ?? ".", file);
  const read = readText(path);
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("refused", `Cannot import ${quote(file)}: ${why}.`, hint);
  if (read === undefined) throw refuse("there is no such file", "Give the path of the file.");
  if (!("text" in read)) throw refuse(`it ${read.fault}`, "Give a text file in UTF-8.");
  if (read.text.trim() === "") throw refuse("it is empty", "");
  const secret = mayHoldSecrets ? undefined : findSecret(read.text);
  if (secret !== undefined)
    throw refuse(
      `line ${secret.line} holds ${secret.kind}`,
      "Take it out, or import it all the same with --allow-secret.",
    );
  const project = kind(read.text);
  const title = typed ?? project.title ?? basename(dirname(path));
  return await create(options, project, title, path);
}

interface Wanted {
  readonly kind: (source: string) => ImportedProject;
  readonly file: string;
  readonly title: string | undefined;
  readonly mayHoldSecrets: boolean;
}

function parseWords(words: readonly string[]): Wanted {
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

async function create(
  { root, directory }: GlobalOptions,
  project: ImportedProject,
  title: string,
  path: string,
): Promise<ImportOutcome> {
  const session = openSession({ whereabouts: { root, directory }, now: () => new Date() });
  const call = async (name: string, input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> => {
    const command = COMMANDS.find((candidate) => candidate.name === name);
    return command === undefined ? {} : (await command.call(session, input)).value;
  };
  const write = async (content: string, threadId: string): Promise<void> => {
    // What was looked through is not asked for again.
    if (content.trim() !== "") await call("summary_update", { content, threadId, allowSecret: true });
  };
  const made = await call("project_create", { title });
  const id = String(made.project);
  await write(project.body, `${id}/main`);
  const threads: string[] = [];
  for (const child of project.children) {
    const { thread } = await call("thread_create", { title: child.title, parentId: `${id}/main` });
    threads.push(String(thread));
    await write(child.body, `${id}/${thread}`);
  }
  if (threads.length > 0) await call("thread_switch", { threadId: `${id}/main` });
  const below = threads.length === 0 ? "" : `, and ${countOf(threads.length, "thread")} below it`;
  const text = [
    `Imported ${path} into the new project ${id}: its root thread main${below}. The file is unchanged.`,
    `Look at it: threadmind show ${id}/main`,
  ].join("\n");
  return { value: { project: id, threads: ["main", ...threads] }, text };
}
