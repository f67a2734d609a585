/** A memory file as people have them. */
export const GUIDE = `# Shop guide

Intro line with a [link](https://example.org).

## Architecture
- Next.js and PostgreSQL

### Folders
| Folder | What |
|---|---|
| src | code |

## Coding conventions
Tabs, never spaces.

Setext heading
--------------
below it

## Commands
\`\`\`sh
# not a heading
npm test
\`\`\`

## Décisions
- Stripe

## Roadmap
1. ship
2. rest
`;

/** What of a text no change of headings, blanks and markers may take away. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words of a text that what was made of it lacks, each as often as it is missing. */
export function lostWords(source: string, made: string): string[] {
  const left = new Map<string, number>();
  for (const word of wordsOf(made)) left.set(word, (left.get(word) ?? 0) + 1);
  return wordsOf(source).filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}
