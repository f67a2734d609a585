import { nextStep, shellWord } from "./next_step.ts";

/** What a thread's file is to be called while its thread is restored. */
const ASIDE = ".bad";
const THREAD_FILE = /^\.threadmind\/threads\/([^/]+)\/([^/]+)\.md$/;
const WAY = /(^B|, or b)ring an earlier text back: .*$/s;

/** What to do about a file that can't be read, of a thread or a project; the way back is filled in by `fillHint()`. */
export const UNREADABLE_HINT = "Correct it, or bring an earlier text back: <restore>.";

/** The project and thread that a file of the workspace holds; `undefined` for any other file. */
export function threadOfFile(file: string): { readonly project: string; readonly thread: string } | undefined {
  const [, project, thread] = THREAD_FILE.exec(file) ?? [];
  return project === undefined || thread === undefined ? undefined : { project, thread };
}

/** A hint about a file, with a way to an earlier text in the place of `<restore>`: one that holds whether or not git has the file. */
export function fillHint(hint: string, file: string): string {
  const named = threadOfFile(file);
  if (named === undefined) return hint.replace("<restore>", () => `${checkoutLine(file)}, if it was committed`);
  const name = `${named.project}/${named.thread}`;
  const step = nextStep(`thread_restore ${name}`, ["restore", name]);
  return hint.replace("<restore>", () => `rename the file to ${named.thread}.md${ASIDE}, then ${step}`);
}

/** True for a hint that names a way to an earlier text. */
export function hasWayBack(hint: string): boolean {
  return WAY.test(hint);
}

/** The hint with another way to an earlier text; without one it says what is left. */
export function withWayBack(hint: string, way: string | undefined): string {
  if (way !== undefined) return hint.replace(WAY, (_, lead: string) => `${lead}ring an earlier text back: ${way}`);
  return hint.replace(WAY, (_, lead: string) =>
    lead === "B" ? "Nothing has an earlier text of it: write it by hand." : ".",
  );
}

/** The command that brings a file of the workspace back as it was committed, also where its removal is staged. */
export function checkoutLine(file: string): string {
  return `git checkout HEAD -- ${shellWord(file)}`;
}
