import { quote } from "../core/id.ts";
import { findShownText } from "../core/shown_text.ts";
import { ThreadMindError } from "../errors.ts";

/** Refuses a summary that carries what ThreadMind shows around one: written, it would grow at each round. */
export function checkShown(content: string, file: string): void {
  const shown = findShownText(content);
  if (shown === undefined) return;
  throw new ThreadMindError(
    "invalid-content",
    `Cannot write this summary: it ${shown.isAtEnd ? "ends" : "begins"} with ${quote(shown.line)}, which is ThreadMind's and no part of the text.`,
    `Give the summary alone. To edit it by hand, open ${file}.`,
  );
}
