import { nextStep, quotedWord } from "./next_step.ts";

const THREAD_FILE = /^\.threadmind\/threads\/([^/]+)\/([^/]+)\.md$/;
const WAY = /(^B|, or b)ring an earlier text back.*$/s;

/** What to do about a file that can't be read, of a thread or a project; the way back is filled in by `fillHint()`. */
export const UNREADABLE_HINT = "Correct it, or bring an earlier text back: <restore>.";

/** The project and thread that a file of the workspace holds; `undefined` for any other file. */
export function threadOfFile(file: string): { readonly project: string; readonly thread: string } | undefined {
  const [, project, thread] = THREAD_FILE.exec(file) ?? [];
  return project === undefined || thread === undefined ? undefined : { project, thread };
}

/**
 * A hint about a file that is there, with a way to an earlier text in the place of `<restore>`. It promises none, and what
 * stands in the file is set aside first, under the file name `aside`.
 */
export function fillHint(hint: string, file: string, aside: string): string {
  const named = threadOfFile(file);
  const way =
    named === undefined
      ? "threadmind check names the way"
      : asideFirst(aside, restoreStep(named.project, named.thread));
  return hint.replace("back: <restore>", () => `back, if there is one: ${way}`);
}

/** True for a hint that names a way to an earlier text. */
export function hasWayBack(hint: string): boolean {
  return WAY.test(hint);
}

/** The hint with a way to an earlier text that is known to be there; without one it says what is left. */
export function withWayBack(hint: string, way: string | undefined): string {
  if (way !== undefined) return hint.replace(WAY, (_, lead: string) => `${lead}ring an earlier text back: ${way}`);
  return hint.replace(WAY, (_, lead: string) =>
    lead === "B" ? "Nothing has an earlier text of it: write it by hand." : ".",
  );
}

/** A way back that leaves what stands in the file under another name first. */
export function asideFirst(aside: string, way: string): string {
  return `rename the file to ${aside}, then ${way}`;
}

/** What brings a thread's file back that isn't there, from git or the kept texts. */
export function restoreStep(project: string, thread: string): string {
  const name = `${project}/${thread}`;
  return nextStep(`thread_restore ${name}`, ["restore", name]);
}

/**
 * The command that brings a file or folder that isn't there back as it was committed, also where its removal is staged.
 * `path` is relative to the repository's top folder; the command works in each of its folders.
 */
export function checkoutLine(path: string, commit = "HEAD"): string {
  return `git checkout ${commit} -- ${quotedWord(`:(top,literal)${path}`)}`;
}
