import { describeUnwatched, shownPath } from "../core/unwatched.ts";
import type { Scene } from "../io/scene.ts";
import { findUnwatched } from "../io/watched.ts";
import type { StampPlan } from "./thread_write.ts";

/** Lines for the answer about paths that were given: those that name nothing, and those under which nothing is checked. */
export async function questionPaths(
  scene: Scene,
  given: { readonly paths: readonly string[]; readonly missing: readonly string[] } | undefined,
  plan: StampPlan,
): Promise<string[]> {
  if (given === undefined) return [];
  const { paths, missing } = given;
  const list = missing.map(shownPath).join(", ");
  const verb = missing.length === 1 ? "doesn't" : "don't";
  const absent =
    missing.length === 0 ? [] : [`${list} ${verb} exist in the workspace: recorded as typed; check the spelling.`];
  return [...absent, ...(await questionUnwatched(scene, paths, plan))];
}

/** Lines about paths at which there is something, but nothing whose changes git would show. */
export async function questionUnwatched(
  { git, workspace }: Scene,
  paths: readonly string[],
  { contents }: StampPlan,
): Promise<string[]> {
  return (await findUnwatched(git, workspace.root, paths, contents)).map(describeUnwatched);
}
