const BLANK_OR_NOTICE = /^(?:[^\S\n]*\n|⚠ [^\n]*\n)+/;
const HEADING = /^## Thread: \S[^\n]*/;
const SYSTEM = /^## System Context(?=[^\S\n]*\n)/;
const NEXT_BLOCK = /\n---\n\n## Thread: \S/;
const NOTE =
  /^_(?:⚠ [^\n]*: check (?:it|this summary) is still accurate\.|Written [\d,]+ commits? ago\.|No summary yet\.)_$/m;
const REVISION = /^[^\n]+ \([^\n]+\) as of (?:current|git-[0-9a-f]{12}|kept-[0-9TZ]+(?:-\d+)?):(?=\n)/;
const FRONTMATTER = /^---[^\S\n]*\n((?:(?!---[^\S\n]*\n)[^\n]*\n)+)---[^\S\n]*(?:\n|$)/;
const HEADER_LINE = /^(?:[^\S\n]*|#.*|[A-Za-z][\w-]*:(?: .*)?|[ \t-].*)$/;
const ID_LINE = /^(?:id|parentId):(?: |$)/m;
const FOOTER =
  /^_ThreadMind context: ~[\d,]+ tokens \| depth: [\d,]+ threads?_[^\S\n]*(?:\n+_(?:Left out|Cut|Missing|Levels|Abandoned here)[^\n]*_[^\S\n]*)*\s*(?![\s\S])/m;

/**
 * The line by which a text to be written turns out to be what ThreadMind shows of a summary, or the thread's whole file:
 * a context's heading, note or footer, a version of the history, a header. `undefined` for a text of a person's own.
 */
export function findShownText(content: string): { readonly line: string; readonly isAtEnd: boolean } | undefined {
  const text = content.replace(/^\ufeff/, "");
  const start = text.replace(BLANK_OR_NOTICE, "");
  const footer = FOOTER.exec(text)?.[0].split("\n", 1)[0];
  const system = NEXT_BLOCK.test(start) || footer !== undefined ? SYSTEM.exec(start)?.[0] : undefined;
  const note = NOTE.exec(start)?.index === 0 ? NOTE.exec(start)?.[0] : undefined;
  const line = HEADING.exec(start)?.[0] ?? system ?? note ?? REVISION.exec(start)?.[0] ?? headerLine(start);
  if (line !== undefined) return { line: line.trimEnd(), isAtEnd: false };
  return footer === undefined ? undefined : { line: footer.trimEnd(), isAtEnd: true };
}

/** The line with the id in a thread file's header, if the text begins with one. */
function headerLine(text: string): string | undefined {
  const header = FRONTMATTER.exec(text)?.[1];
  if (header === undefined || !header.split("\n").every((line) => HEADER_LINE.test(line))) return undefined;
  return ID_LINE.test(header) ? header.split("\n").find((line) => ID_LINE.test(line)) : undefined;
}
