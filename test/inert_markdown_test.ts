import { expect, test } from "bun:test";
import { marked } from "marked";
import { inertLines, inertText } from "../src/cli/inert_markdown.ts";

/** What a forge takes for a mention: an @ behind no word's end, with a name behind it, outside code and links. */
function mentionsIn(html: string): readonly string[] {
  const text = html
    .replace(/<(pre|code|a)\b[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, "\n")
    .replaceAll("&#39;", "'");
  return [...text.matchAll(/(?<![A-Za-z0-9_])@[A-Za-z0-9][\w-]*/g)].map(([mention]) => mention);
}

async function render(text: string): Promise<readonly string[]> {
  const page = inertLines(text.split("\n")).join("\n");
  return [await marked.parse(page), Bun.markdown.html(page)];
}

const CALLS = [
  "ask @octocat",
  "@org/team first",
  "(@octocat), [@octocat](https://example.org) and **@octocat**",
  "_@octocat_ and a_@octocat",
  "`code` @octocat `code`",
  "a ` @octocat",
  "\\@octocat and &#64;octocat, \\&#64;octocat, \\\\&#x40;octocat &commat;octocat",
  "https://@octocat https://example.org/*@octocat* x/@octocat",
  "two\n@octocat\n> @octocat",
  "```\nunclosed @octocat",
];

for (const text of CALLS) {
  test(`inertLines() lets nobody be called by ${JSON.stringify(text)}`, async () => {
    for (const html of await render(text)) expect(mentionsIn(html)).toEqual([]);
    // That the check finds what it looks for.
    expect(mentionsIn(Bun.markdown.html("ask **@octocat** &#64;you"))).toEqual(["@octocat", "@you"]);
  });
}

test("inertLines() leaves e-mail addresses, addresses of pages and code as they are", () => {
  for (const lines of [
    ["Sam Doe, sam@example.org, sam.doe+1@example.org"],
    ["see https://example.org/@sam/1 and (https://example.org/a@sam)"],
    ["`@Injectable()` and `![x](y)`"],
    ["```ts", "@Injectable()", "![x](y)", "[a]: b", "```"],
    ["a list:", "- [ ] to do", "- [x] done", "- [text](https://example.org)"],
    ["5 @ 3 and a@"],
  ])
    expect(inertLines(lines)).toEqual(lines);
});

test("inertLines() shows images, HTML and definitions as text", async () => {
  for (const text of [
    "![a](https://example.org/x.png)",
    "\\![a](https://example.org/x.png) !![b](c)",
    "![a][b]\n\n[b]: https://example.org/x.png",
    "\\<img src=x> \\\\<img src=x> \\\\\\<img src=x>",
    "[hidden]: https://example.org 'hidden'",
    "one\n\n[hid\nden]: https://example.org",
    "> - [hidden]: https://example.org",
  ])
    for (const html of await render(text)) {
      expect(html).not.toMatch(/<img/i);
      if (text.includes("hid")) expect(html.replace(/<[^>]*>|\s/g, "")).toContain("hidden]:");
    }
});

test("inertText() is a line in which Markdown has no say", async () => {
  for (const text of ["&#64;octocat @octocat", "![a](b) *b* <i> \\@octocat", "a\n# b"]) {
    const html = await marked.parse(inertText(text));
    expect(html).toMatch(/^<p>[^<]*<\/p>\n$/);
    expect(mentionsIn(html.replaceAll("&amp;", "&"))).toEqual([]);
  }
});
