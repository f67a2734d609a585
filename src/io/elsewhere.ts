import { projectIdOfFile } from "../core/id.ts";
import { nextStep, shellWord } from "../core/next_step.ts";
import { checkoutLine } from "../core/way_back.ts";
import { ThreadMindError } from "../errors.ts";
import { readConfig } from "./config.ts";
import { listNames } from "./files.ts";
import { prefixOf } from "./fingerprint.ts";
import { type Git, openGit } from "./git.ts";
import type { Branch } from "./git_branches.ts";
import { hideState, isStateBare, type Layout } from "./layout.ts";
import type { Place } from "./scene.ts";
import { DATA_FOLDER } from "./workspace.ts";

/** Where there is a project, when this working tree has none: what is so, as the end of a sentence, and what to do. */
export interface Elsewhere {
  readonly state: string;
  readonly hint: string;
}

/** What git has of ThreadMind's files in other places than the working tree. */
interface Found {
  /** branches that have projects: this clone's own before its remotes', the newest first */
  readonly branches: readonly Branch[];
  readonly isInHead: boolean;
  /** another branch's `.gitignore` would take the place of one that ignores itself, and nothing would stumble over that */
  readonly mayHide: boolean;
}

const MOST_BRANCHES = 200;
const REMOTE = /^refs\/remotes\//;
const CREATE = nextStep("project_create", ["project", "create", "TITLE"]);
const NOWHERE: Elsewhere = { state: "", hint: `Create one with ${CREATE}.` };

/**
 * The error for a workspace without a project; it names the branch that has one, where there is one. Where something may be
 * written, this checkout's state is hidden from git by the way (see `hideState()`).
 */
export async function noProjectError(place: Place, mayWrite: boolean): Promise<ThreadMindError> {
  const { layout } = place.store;
  const found = await lookAround(layout, place.git);
  if (mayWrite) hideWhere(layout, found);
  const { state, hint } = (await describeFound(place, found)) ?? NOWHERE;
  return new ThreadMindError(
    "no-project",
    `Cannot do this yet: ${place.workspace.root} has no ThreadMind project${state}.`,
    hint,
  );
}

/** What to say of a workspace without a project, as `noProjectError()` does. */
export async function adviseProject(place: Place): Promise<Elsewhere> {
  return (await findElsewhere(place)) ?? NOWHERE;
}

/** Where else there is a project; `undefined` if nothing tells of one. */
export async function findElsewhere(place: Place): Promise<Elsewhere | undefined> {
  return describeFound(place, await lookAround(place.store.layout, place.git));
}

/** Hides this checkout's state from git on a branch that has no project, where another branch has one. */
export async function hideBareState(layout: Layout): Promise<void> {
  if (isStateBare(layout)) hideWhere(layout, await lookAround(layout, openGit(layout.root)));
}

function hideWhere(layout: Layout, found: Found | undefined): void {
  if (found?.mayHide !== true || !isStateBare(layout)) return;
  try {
    hideState(layout);
  } catch (error) {
    // A checkout that can't be written to is no reason to fail.
    if (!(error instanceof ThreadMindError)) throw error;
  }
}

/** `undefined` without git, or where it fails: then it isn't asked for more. */
async function lookAround(layout: Layout, git: Git | undefined): Promise<Found | undefined> {
  const all = await git?.branches();
  if (git === undefined || all === undefined) return undefined;
  const branches = all
    .toSorted((a, b) => Number(REMOTE.test(a.ref)) - Number(REMOTE.test(b.ref)) || b.at - a.at)
    .slice(0, MOST_BRANCHES);
  const data = `${prefixOf(git, layout.root)}${DATA_FOLDER}`;
  const ignore = `${data}/.gitignore`;
  const [inIndex, inStash] = [`:${ignore}`, `refs/stash^3:${ignore}`] as const;
  const projectsOf = (commit: string): string => `${commit}:${data}/projects`;
  const ignoreOf = (commit: string): string => `${commit}:${ignore}`;
  const names = branches.flatMap(({ tip }) => [projectsOf(tip), ignoreOf(tip)]);
  const present = await git.present([...new Set(names), projectsOf("HEAD"), inIndex, inStash]);
  if (present === undefined) return undefined;
  return {
    branches: branches.filter(({ tip }) => present.has(projectsOf(tip))),
    isInHead: present.has(projectsOf("HEAD")),
    // git brings back what a stash has of untracked files only where nothing stands in their place.
    mayHide: branches.some(({ tip }) => present.has(ignoreOf(tip))) && !present.has(inIndex) && !present.has(inStash),
  };
}

async function describeFound(place: Place, found: Found | undefined): Promise<Elsewhere | undefined> {
  const again = `to begin another project: ${CREATE}.`;
  const told = place.git === undefined || found === undefined ? undefined : await describeGit(place.git, place, found);
  if (told !== undefined) return { state: told.state, hint: told.isWhole ? told.hint : `${told.hint}; ${again}` };
  const active = readConfig(place.store.layout).activeProjectId;
  if (active === undefined) return undefined;
  const where =
    found === undefined ? "Its files are gone" : "No branch here has it; git stash list or git reflog may tell";
  return { state: `, though ${active} was active in this checkout`, hint: `${where}; ${again}` };
}

/** What git knows of; `isWhole` where there is nothing else to do. */
async function describeGit(
  git: Git,
  { workspace: { root }, store: { layout } }: Place,
  { branches: [branch], isInHead }: Found,
): Promise<(Elsewhere & { readonly isWhole?: boolean }) | undefined> {
  if (isInHead) {
    const state = ` in its files; git has one on this branch${await namesOf(git, root, "HEAD")}`;
    return { state, hint: `Bring its files back: ${checkoutLine(lostPart(git, layout))}`, isWhole: true };
  }
  if (branch !== undefined) {
    const here = (await git.head()).branch;
    const shown = shellWord(branch.ref.replace(/^refs\/(?:heads|remotes)\//, ""));
    const where = here === undefined ? "" : ` on the branch ${here}`;
    const state = `${where}; ${shown} has one${await namesOf(git, root, branch.tip)}`;
    return {
      state,
      hint: `Check that branch out (git checkout ${shellWord(branch.name)}), or merge it (git merge ${shown})`,
    };
  }
  const removal = await findRemoval(git, root);
  if (removal === undefined) return undefined;
  const state = ` any more: the commit ${removal.id.slice(0, 7)} removed ${removal.projects.join(", ")}`;
  return { state, hint: `${checkoutLine(lostPart(git, layout), `${removal.id.slice(0, 12)}~1`)} brings it back` };
}

/** What may be taken from a commit, from the repository's top: nothing that somebody edited since. */
function lostPart(git: Git, { root, threads }: Layout): string {
  const part = (listNames(threads) ?? []).length === 0 ? DATA_FOLDER : `${DATA_FOLDER}/projects`;
  return `${prefixOf(git, root)}${part}`;
}

async function namesOf(git: Git, root: string, commit: string): Promise<string> {
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}/projects`;
  const files = (await git.filesOf(commit, folder)) ?? [];
  const ids = files.flatMap(({ path }) => projectOf(path, folder) ?? []);
  return ids.length === 0 ? "" : ` (${ids.slice(0, 3).join(", ")}${ids.length > 3 ? ", …" : ""})`;
}

/** The newest commit of HEAD's history that removed projects. */
async function findRemoval(git: Git, root: string): Promise<{ id: string; projects: readonly string[] } | undefined> {
  const folder = `${prefixOf(git, root)}${DATA_FOLDER}/projects`;
  for (const { id, files } of (await git.deletions(folder)) ?? []) {
    const projects = files.flatMap((file) => projectOf(file, folder) ?? []);
    if (projects.length > 0) return { id, projects };
  }
  return undefined;
}

function projectOf(path: string, folder: string): string | undefined {
  const [, name] = /^\/([^/]+)\.json$/.exec(path.slice(folder.length)) ?? [];
  return name === undefined ? undefined : projectIdOfFile(name);
}
