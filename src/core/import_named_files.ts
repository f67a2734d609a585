import { parseBlocks } from "./markdown.ts";

/** At the start of a line a name, anywhere a path or a file of text: `@alice` and `@types/node` in a sentence are none. */
const AT_LINE_START = /^[ \t]*(?:[-*+][ \t]+)?@(?=[\w.~/-]*[./]|[\w-]+[ \t]*$)([\w.~/-]*[\w/-])/gm;
const IN_A_LINE = /(?<=[ \t(])@((?:~|\.{1,2})?\/[\w./-]*[\w/-]|[\w./-]*\w\.(?:mdx?|txt|json|ya?ml|toml))(?![\w@])/g;

/** The files that a memory file brings in with `@name`, each once, without the sign; code names none. */
export function findNamedFiles(text: string): readonly string[] {
  if (!text.includes("@")) return [];
  const names = parseBlocks(text).flatMap(({ kind, start, end }) => {
    if (kind === "code" || kind === "space") return [];
    const plain = text.slice(start, end).replace(/(`{3,})[\s\S]*?\1|`[^`\n]*`/g, "");
    return [...plain.matchAll(AT_LINE_START), ...plain.matchAll(IN_A_LINE)].map(([, name = ""]) => name);
  });
  return [...new Set(names)];
}
