import { normaliseLineEnds } from "../core/lines.ts";
import { parseThreadFile } from "../core/thread_file.ts";
import { mergeThreadFiles } from "../core/thread_merge.ts";
import type { Git } from "./git.ts";
import type { RemergedFile } from "./git_remerge.ts";
import type { AuthoredCommit, MergeCommit } from "./git_revisions.ts";

/** What merge commits did beyond merging, and the merges of which git can't tell. */
export interface MergeEdits {
  /** each with the files that merged by themselves, and that it holds otherwise: they are its author's edits */
  readonly edits: readonly AuthoredCommit[];
  readonly unknown: readonly MergeCommit[];
}

/** Makes merges again and finds what their authors changed below a folder where there was no conflict to settle. */
export async function findMergeEdits(git: Git, merges: readonly MergeCommit[], folder: string): Promise<MergeEdits> {
  const edits: AuthoredCommit[] = [];
  const unknown: MergeCommit[] = [];
  for (const merge of merges) {
    const differing = await git.remerge(merge, folder);
    if (differing === undefined) {
      unknown.push(merge);
      continue;
    }
    const files: string[] = [];
    for (const file of differing) if (await isEdit(file)) files.push(file.path);
    if (files.length > 0) edits.push({ id: merge.id, isMerge: true, authors: merge.authors, files });
  }
  return { edits, unknown };
}

/** Neither what git makes of the two sides nor what ThreadMind's own merge does, or leaves to be settled. */
async function isEdit({ merged, held, sides }: RemergedFile): Promise<boolean> {
  if (merged === undefined || held === undefined) return true;
  const told = await tell(held);
  if (told === (await tell(merged))) return false;
  const own = sides === undefined ? undefined : await mergeThreadFiles(sides.base, sides.ours, sides.theirs);
  return own === undefined || (own.conflicts.length === 0 && told !== (await tell(own.text)));
}

/** What a thread's file says, its stamps aside, which are open to all; of another file its text. */
async function tell(text: string): Promise<string> {
  const parsed = await parseThreadFile(text);
  if ("message" in parsed || parsed.editable === undefined) return normaliseLineEnds(text).trim();
  const { updatedAt, commit, fingerprint, ...fields } = parsed.fields;
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted, normaliseLineEnds(parsed.body).trim()]);
}
