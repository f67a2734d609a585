import process from "node:process";
import { type Finding, findingOf, renderFinding, sortFindings } from "../core/finding.ts";
import { quote } from "../core/id.ts";
import { stripControls } from "../core/text_controls.ts";
import { countOf } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { findElsewhere } from "../io/elsewhere.ts";
import { prefixOf } from "../io/fingerprint.ts";
import { readStaleNotes } from "../io/freshness.ts";
import { openGit } from "../io/git.ts";
import { type Inspected, inspectProjects } from "../io/inspection.ts";
import { inspectOwnership } from "../io/ownership_check.ts";
import type { Place } from "../io/scene.ts";
import { openStore } from "../io/store.ts";
import { findWorkspace, noWorkspaceError } from "../io/workspace.ts";
import { type GlobalOptions, usageError } from "./options.ts";

/** What `check` found; `code` is the exit code. */
export interface CheckOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly code: number;
}

interface Wanted {
  readonly base: string | undefined;
  readonly isStrict: boolean;
}

const PROBLEMS = 3;

const SHALLOW_HINT = "This is a shallow clone: fetch more history (fetch-depth: 0 in a workflow).";

/** Checks all thread files for a pull request or a CI job: exit code 3 with errors. */
export async function runCheck(options: GlobalOptions, words: readonly string[]): Promise<CheckOutcome> {
  const wanted = parseWords(words);
  const { root, directory } = options;
  const workspace = findWorkspace({ root, directory });
  if (workspace === undefined) throw noWorkspaceError();
  const place: Place = {
    workspace,
    store: openStore(workspace.root, () => new Date()),
    git: openGit(workspace.root),
  };
  if (!workspace.isPresent) {
    const elsewhere = await findElsewhere(place);
    throw new ThreadMindError(
      "no-workspace",
      `Cannot check ${workspace.root}: it has no .threadmind/${elsewhere?.state ?? ""}.`,
      elsewhere?.hint ?? "Check out the folder that has one, or give it with --root DIR.",
    );
  }
  const { projects, findings } = await inspectProjects(place);
  const all = sortFindings([
    ...findings,
    ...(await inspectStaleness(place, projects, wanted.isStrict)),
    ...(wanted.base === undefined ? [] : await inspectAgainst(place, wanted.base, projects, wanted.isStrict)),
  ]);
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.filter(({ severity }) => severity === "warning").length;
  const threads = projects.reduce((sum, { tree }) => sum + tree.threads.size, 0);
  const value = { projects: projects.length, threads, errors, warnings, findings: all };
  const isGitHub = process.env.GITHUB_ACTIONS === "true" && options.isJson !== true;
  const prefix = place.git === undefined ? "" : prefixOf(place.git, workspace.root);
  const lines = all.map((finding) => (isGitHub ? renderAnnotation(finding, prefix) : renderFinding(finding)));
  const text = [...lines, summary(threads, errors, warnings)].join("\n");
  return { value, text, code: errors > 0 ? PROBLEMS : 0 };
}

function parseWords(words: readonly string[]): Wanted {
  let base: string | undefined;
  let isStrict = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--strict") isStrict = true;
    else if (word === "--base") {
      base = words[++at];
      if (base === undefined || base === "") throw usageError("the option --base needs a value", "check");
    } else if (word.startsWith("--base=")) base = word.slice("--base=".length);
    else throw usageError(`it takes no ${quote(word)}`, "check");
  }
  return { base, isStrict };
}

/** Open threads whose summary the code has left behind. */
async function inspectStaleness(
  { git, workspace }: Place,
  projects: readonly Inspected[],
  isStrict: boolean,
): Promise<readonly Finding[]> {
  const severity = isStrict ? "error" : "warning";
  const found: Finding[] = [];
  for (const { tree } of projects) {
    const threads = [...tree.threads.values()].filter(
      ({ status, fault, conflictLine, body }) =>
        status === "open" && fault === undefined && conflictLine === undefined && body.trim() !== "",
    );
    const notes = await readStaleNotes(git, workspace.root, threads);
    for (const thread of threads) {
      const note = notes.get(thread.id);
      // How many commits ago it was written is no reason to doubt it.
      if (note?.startsWith("_⚠ ") !== true) continue;
      const message = `${note.slice("_⚠ ".length, -1).replace(/: check .*$/, "")}.`;
      const remedy = `Read the code, then correct the summary, or confirm it: threadmind verify ${thread.id}`;
      found.push(findingOf(thread, "stale-summary", severity, message, remedy));
    }
  }
  return found;
}

async function inspectAgainst(
  { git, workspace }: Place,
  base: string,
  projects: readonly Inspected[],
  isStrict: boolean,
): Promise<readonly Finding[]> {
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("usage", `Cannot check against ${quote(base)}: ${why}.`, hint);
  if (git === undefined) throw refuse("this is no git repository, or git was not found", "Leave --base out.");
  const more = git.isShallow ? SHALLOW_HINT : "Give a commit or branch, as in --base origin/main.";
  const commit = await git.commitOf(base);
  if (commit === undefined) throw refuse("git knows no such commit", more);
  const head = await git.commitOf("HEAD");
  const from = head === undefined ? undefined : await git.mergeBase(commit, head);
  if (from === undefined) throw refuse("it has no commit in common with HEAD", more);
  const findings = await inspectOwnership(git, workspace.root, { base: commit, parting: from, isStrict }, projects);
  if (findings === undefined)
    throw refuse("git could not show what changed since", git.isShallow ? SHALLOW_HINT : "Try again.");
  return findings;
}

function summary(threads: number, errors: number, warnings: number): string {
  const found = [
    ...(errors > 0 ? [countOf(errors, "error")] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
  ];
  return `${countOf(threads, "thread")} checked: ${found.length === 0 ? "nothing to mend" : found.join(", ")}.`;
}

const LEVELS = { error: "error", warning: "warning", note: "notice" };

/** A finding as a workflow command of GitHub Actions, which wants paths from the repository's top. */
function renderAnnotation({ severity, code, file, line, message, remedy }: Finding, prefix: string): string {
  const data = (text: string): string =>
    stripControls(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const places = [
    ...(file === undefined ? [] : [`file=${property(prefix + file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(`ThreadMind: ${code}`)}`,
  ];
  return `::${LEVELS[severity]} ${places.join(",")}::${data(remedy === "" ? message : `${message} → ${remedy}`)}`;
}
