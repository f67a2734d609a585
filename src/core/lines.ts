/** The text with `\n` at every line end. */
export function normaliseLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The line end that a text uses most; `\n` if it has none. */
export function lineEndOf(text: string): "\n" | "\r\n" | "\r" {
  const pairs = text.match(/\r\n/g)?.length ?? 0;
  const returns = (text.match(/\r/g)?.length ?? 0) - pairs;
  const feeds = (text.match(/\n/g)?.length ?? 0) - pairs;
  if (pairs > feeds && pairs >= returns) return "\r\n";
  return returns > feeds ? "\r" : "\n";
}

/** The text without spaces, tabs and line ends after it. */
export function trimBlanksAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text without blank lines before it and without blanks after it. */
export function trimBlankLines(text: string): string {
  return trimBlanksAtEnd(text.slice(leadingBlankLines(text).length));
}

/** The blank lines that a text starts with. */
export function leadingBlankLines(text: string): string {
  return /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(text)?.[0] ?? "";
}
