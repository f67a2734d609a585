import { join } from "node:path";
import { type Finding, findingOf } from "../core/finding.ts";
import { shellWord } from "../core/next_step.ts";
import { countOf } from "../core/tokens.ts";
import { prefixOf } from "./fingerprint.ts";
import { holdsProjects, isStateBare, type Layout, missingRules } from "./layout.ts";
import type { Place } from "./scene.ts";
import { DATA_FOLDER } from "./workspace.ts";

const MOST_NAMED = 3;

/** What git does with this checkout's own state, which is nobody else's: tracks it, or would with the next `git add`. */
export async function inspectState({ git, workspace, store: { layout } }: Place): Promise<readonly Finding[]> {
  if (git === undefined) return [];
  const prefix = prefixOf(git, workspace.root);
  const listing = await git.list(["config.json", "local"].map((name) => `${prefix}${DATA_FOLDER}/${name}`));
  if (listing === undefined) return [];
  const shown = (path: string): string => path.slice(prefix.length);
  const tracked = listing.tracked.map(({ path }) => shown(path));
  const bare = listing.untracked.map(shown);
  const findings: Finding[] = [];
  if (tracked.length > 0) {
    const message = `git tracks ${filesOf(tracked)}: it names people and sessions, and other branches would put theirs in its place.`;
    const named = tracked.length > MOST_NAMED ? [...new Set(tracked.map(topOf))] : tracked;
    const remedy = `git rm -r --cached -- ${named.map(shellWord).join(" ")}, then commit`;
    findings.push(findingOf({ file: tracked[0] }, "config-tracked", "warning", message, remedy));
  }
  if (bare.length > 0) {
    const message = `git doesn't ignore ${filesOf(bare)}: the next git add --all takes it in.`;
    findings.push(findingOf({ file: bare[0] }, "config-not-ignored", "warning", message, ignoreRemedy(layout)));
  }
  return findings;
}

function filesOf(files: readonly string[]): string {
  return `${countOf(files.length, "file")} of this checkout's own state (${files[0]})`;
}

/** `.threadmind/config.json`, or `.threadmind/local` for all that is in it. */
function topOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function ignoreRemedy(layout: Layout): string {
  const ignore = join(layout.data, ".gitignore");
  const isMended = holdsProjects(layout) && missingRules(layout).some(({ path }) => path === ignore);
  return isMended || isStateBare(layout)
    ? "threadmind doctor --fix"
    : `See to it that ${DATA_FOLDER}/.gitignore names it, and that no rule takes it out again`;
}
