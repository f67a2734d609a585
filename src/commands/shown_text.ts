import { quote } from "../core/id.ts";
import { findShownText } from "../core/shown_text.ts";
import type { Tree } from "../core/tree.ts";
import { ThreadMindError } from "../errors.ts";

/**
 * Refuses a summary that carries what ThreadMind shows around one: written, it would grow at each round. `file` is the
 * thread's, `tree` its project's.
 */
export function checkShown(content: string, file: string, { threads }: Tree): void {
  const titles = [...threads.values()].flatMap(({ id, title }) => [id, title]);
  const shown = findShownText(content, titles);
  if (shown === undefined) return;
  const { line, isAtEnd } = shown;
  const own = line.startsWith("## ")
    ? `write it as ${quote(`#${line}`)}`
    : `put a line ${isAtEnd ? "below" : "above"} it`;
  throw new ThreadMindError(
    "invalid-content",
    `Cannot write this summary: it ${isAtEnd ? "ends" : "begins"} with ${quote(line)}, which is ThreadMind's and no part of the text.`,
    `Give the summary alone, or, if that line is your own, ${own}. To edit it by hand, open ${file}.`,
  );
}
