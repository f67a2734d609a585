import process from "node:process";
import { type Finding, renderFinding, sortFindings } from "../core/finding.ts";
import { forShell } from "../core/next_step.ts";
import { countOf, groupDigits } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { readConfig } from "../io/config.ts";
import { findElsewhere } from "../io/elsewhere.ts";
import { openGit } from "../io/git.ts";
import { type Inspection, inspectProjects } from "../io/inspection.ts";
import type { Place } from "../io/scene.ts";
import { openStore } from "../io/store.ts";
import { findWorkspace, noWorkspaceError } from "../io/workspace.ts";
import { VERSION } from "../version.ts";
import {
  type HookRun,
  inspectAgentsFile,
  inspectCheckout,
  inspectClients,
  inspectGit,
  judgeHooks,
  runHooks,
} from "./doctor_checks.ts";
import { makeRepairs, planRepairs } from "./doctor_fix.ts";
import { type GlobalOptions, usageError } from "./options.ts";

/** What `doctor` found; `code` is the exit code. */
export interface DoctorOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly code: number;
}

/** Checks the workspace and all around it; with `--fix` it does the safe repairs. Exit code 1 if errors are left. */
export async function runDoctor(options: GlobalOptions, words: readonly string[]): Promise<DoctorOutcome> {
  const unknown = words.find((word) => word !== "--fix");
  if (unknown !== undefined) throw usageError(`it takes no ${JSON.stringify(unknown)}`, "doctor");
  const place = await openPlace(options);
  const fixed = words.includes("--fix") ? await makeRepairs(place, await planRepairs(place)) : undefined;
  const repairs = await planRepairs(place);
  const inspection = await inspectProjects(place);
  const [ofGit, hooks] = [await inspectGit(place), await runHooks(place)];
  const findings = sortFindings([
    ...inspection.findings,
    ...repairs.map(({ finding }) => finding),
    ...inspectCheckout(place.store.layout),
    ...ofGit,
    ...inspectAgentsFile(place),
    ...inspectClients(place),
    ...judgeHooks(hooks),
  ]);
  const head = await describe(place, inspection, hooks);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const value = { ...head.value, findings, ...(fixed === undefined ? {} : { fixed }) };
  const text = [...head.lines, "", ...(fixed ?? []).map((line) => `Fixed: ${line}`), ...render(findings)].join("\n");
  return { value, text, code: errors > 0 ? 1 : 0 };
}

async function openPlace({ root, directory }: GlobalOptions): Promise<Place> {
  const workspace = findWorkspace({ root, directory });
  if (workspace === undefined) throw noWorkspaceError();
  const place = { workspace, store: openStore(workspace.root, () => new Date()), git: openGit(workspace.root) };
  if (workspace.isPresent) return place;
  const elsewhere = await findElsewhere(place);
  throw new ThreadMindError(
    "no-workspace",
    `Cannot check ${workspace.root} (${workspace.reason}): it has no .threadmind/${elsewhere?.state ?? ""}.`,
    elsewhere?.hint ?? "Create a project with threadmind project create TITLE, or go to the folder that has one.",
  );
}

interface Head {
  readonly lines: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

async function describe(place: Place, { projects }: Inspection, hooks: readonly HookRun[]): Promise<Head> {
  const { workspace, git } = place;
  const head = await git?.head();
  const branch = head?.branch === undefined ? "no branch" : `branch ${head.branch}`;
  const state = head?.isUnborn === true ? "no commit yet" : branch;
  const counts = projects.map(({ project, tree }) => ({ project: project.id, threads: tree.threads.size }));
  const active = readConfig(place.store.layout).activeProjectId;
  const lines = [
    `Program    threadmind ${VERSION}, ${process.execPath}`,
    `Workspace  ${workspace.root}, by ${workspace.reason}`,
    git === undefined
      ? "git        none: no repository here, or no git on PATH; branches and staleness stay unknown"
      : `git        ${git.top}, ${state}${git.isShallow ? ", a shallow clone: commits can't be counted" : ""}`,
    ...counts.map(
      ({ project, threads }) =>
        `Project    ${project}, ${countOf(threads, "thread")}${project === active && counts.length > 1 ? " ← active" : ""}`,
    ),
    ...(counts.length === 0 ? [`Project    ${await describeNone(place)}`] : []),
    ...hooks.map(({ event, ms, characters }) => `Hook       ${event}: ${hookLimits(event, ms, characters)}`),
  ];
  const value = {
    program: { version: VERSION, path: process.execPath },
    workspace: { root: workspace.root, reason: workspace.reason },
    git: git === undefined ? null : { top: git.top, branch: head?.branch ?? null, isShallow: git.isShallow },
    projects: counts,
    hooks,
  };
  return { lines, value };
}

/** Why there is no project here, and what to do. */
async function describeNone(place: Place): Promise<string> {
  if (place.store.readProjects().faults.length > 0) return "none that can be read: see below";
  const elsewhere = await findElsewhere(place);
  if (elsewhere === undefined) return "none yet: threadmind project create TITLE";
  return `none${elsewhere.state}. ${forShell(elsewhere.hint)}`;
}

function hookLimits(event: string, ms: number, characters: number): string {
  return event === "session-end"
    ? `${groupDigits(ms)} ms of the 1,500 that Claude Code gives it`
    : `${groupDigits(ms)} ms, ${groupDigits(characters)} characters of the 10,000 that Claude Code shows`;
}

function render(findings: readonly Finding[]): readonly string[] {
  if (findings.length === 0) return ["Nothing to mend."];
  const count = (severity: Finding["severity"]): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings, notes] = [count("error"), count("warning"), count("note")];
  const summary = [
    ...(errors > 0 ? [countOf(errors, "error")] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
    ...(notes > 0 ? [countOf(notes, "note")] : []),
  ];
  return [...findings.map(renderFinding), "", `${summary.join(", ")}.`];
}
