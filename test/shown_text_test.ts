import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findShownText } from "../src/core/shown_text.ts";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { gitRepository } from "./support/temp.ts";

const TITLES = ["shop", "Shop", "auth", "Auth"];
const BODY = "## Decisions\n- JWT\n\n## State\n- half done";

/** A project whose active thread is stale, so that its text is shown with a note. */
async function shop() {
  const repository = gitRepository();
  repository.commit("Start", { "src/a.ts": "1\n" });
  const tm = (...args: readonly string[]) => run(args, { cwd: repository.top });
  const write = (id: string, stdin: string | Uint8Array) => run(["summary", id], { cwd: repository.top, stdin });
  await tm("project", "create", "Shop", "--system-context", "You build a shop.");
  await tm("summary", "--content", "## Decisions\n- Postgres");
  await tm("create", "Auth");
  await tm("summary", "--content", BODY, "--paths", "src");
  writeFileSync(join(repository.top, "src/a.ts"), "2\n");
  const file = join(repository.top, ".threadmind/threads/shop/auth.md");
  return { ...repository, tm, write, source: () => readFileSync(file, "utf8") };
}

test("what the program prints of a summary is refused as one, with the way to edit it", async () => {
  const { tm, write, source, top } = await shop();
  const before = source();
  const shown = (await tm("show", "auth")).stdout;
  const context = (await tm("context")).stdout;
  const [, , , ...text] = shown.split("\n");
  const texts: Readonly<Record<string, string>> = {
    "## Thread: Auth (active)": shown,
    "## System Context": context,
    "## Thread: Shop": context.slice(context.indexOf("## Thread")),
    "_⚠ Uncommitted changes in src": shown.split("\n").slice(2).join("\n"),
    "_ThreadMind context: ~": context.slice(context.indexOf("## Decisions\n- JWT")),
    "id: auth": before,
    "Auth (auth) as of current:": (await tm("history", "auth", "--revision", "current")).stdout,
    "## Thread: Auth (done)": `\n⚠ .threadmind/projects/shop.json: It is odd.\n\n## Thread: Auth (done)\n${text.join("\n")}`,
  };
  for (const [line, content] of Object.entries(texts)) {
    const { code, stderr } = await write("auth", content);
    expect([line, code, stderr.includes(line), stderr.includes("open .threadmind/threads/shop/auth.md")]).toEqual([
      line,
      1,
      true,
      true,
    ]);
  }
  const client = await openClient({ cwd: top });
  await client.call("context_get", {});
  for (const input of [{ content: context }, { content: shown, section: "State" }, { content: shown, append: true }])
    expect((await client.call("summary_update", { threadId: "auth", ...input })).isError).toBe(true);
  expect((await client.call("thread_merge", { threadId: "auth", summary: context })).text).toContain(
    "open .threadmind/threads/shop/main.md",
  );
  await client.close();
  expect(source()).toBe(before);
});

test("a person's own text is none of the program's, however alike", () => {
  const own = [
    "---\n\n## Decisions\n- x\n",
    "---\nA line between rules\n---\n\n## Decisions\n",
    "---\ntitle: My notes\ntags: [a]\n---\n\n- x\n",
    "---\nSee id: 7 below\nid: 7\n---\n",
    "```\n## Thread: Shop (active)\n```\n",
    "    ## Thread: Shop\n",
    "## Decisions\n- x\n\n## Thread: of the needle\n",
    "### Thread: pool\n- eight\n",
    "## Thread: Pool\n\n## Decisions\n- eight\n",
    "## Thread: Shopping\n- x\n\n_Written 3 commits ago._\n",
    "## Threads: eight\n",
    "## System Context\n\nThe level 1 diagram of C4.\n\n---\n\n## Containers\n",
    "_Written 14 commits ago._ and more\n",
    "## State\n- the footer says `_ThreadMind context: ~5 tokens | depth: 1 thread_`\n",
    "```\n_ThreadMind context: ~5 tokens | depth: 1 thread_\n```\n",
    "_ThreadMind context: ~5 tokens | depth: 1 thread_\n\n- a text goes on\n",
    "Shop (main) as of yesterday:\n- x\n",
    "⚠ Careful\n\n- x\n",
    "",
  ];
  for (const text of own) expect([text, findShownText(text, TITLES)]).toEqual([text, undefined]);
});

test("a heading like a context's is refused with a mark, a note or a thread's title, and its error's way out works", async () => {
  const { write, source } = await shop();
  expect((await write("auth", "## Thread: Pool\n\n## Decisions\n- eight\n")).code).toBe(0);
  expect(source()).toContain("## Thread: Pool\n\n## Decisions\n- eight\n");
  for (const start of ["## Thread: Shop", "## Thread: Pool (active)", "## Thread: Pool\n\n_No summary yet._"]) {
    const { code, stderr } = await write("auth", `${start}\n\n## Decisions\n- nine\n`);
    const [line = ""] = start.split("\n");
    expect([start, code, stderr]).toEqual([start, 1, expect.stringContaining(`write it as "#${line}"`)]);
    expect((await write("auth", `#${start}\n\n## Decisions\n- nine\n`)).code).toBe(0);
  }
  const footer = "## Decisions\n- ten\n\n---\n_ThreadMind context: ~5 tokens | depth: 1 thread_\n";
  expect((await write("auth", footer)).stderr).toContain("put a line below it");
  expect((await write("auth", `${footer}\nThat is how it ends.\n`)).code).toBe(0);
});

test("`findShownText()` is quick on long texts", () => {
  const texts = [
    "---\n",
    "---\nid: a\n",
    "⚠ x\n",
    " \n",
    "_Left out_\n",
    "_ThreadMind context: ~1 tokens | depth: 1 thread_\n",
  ];
  const start = performance.now();
  for (const text of texts) findShownText(text.repeat(20_000), TITLES);
  expect(performance.now() - start).toBeLessThan(2000);
});

test("a script edits the summary that `show --json` gives, and writes it again", async () => {
  const { tm, write, source } = await shop();
  const before = source();
  const { summary } = JSON.parse((await tm("show", "auth", "--json")).stdout);
  expect(summary).toBe(BODY);
  expect((await write("auth", `${summary}\n`)).stdout).toContain("is the same");
  expect(source().replace(/^(?:commit|fingerprint): .*\n/gm, "")).toBe(
    before.replace(/^(?:commit|fingerprint): .*\n/gm, ""),
  );
  await write("auth", `${summary.replace("JWT", "opaque tokens")}\n`);
  expect(source()).toEndWith(`${BODY.replace("JWT", "opaque tokens")}\n`);
  expect(JSON.parse((await tm("context", "auth", "--json")).stdout)).not.toHaveProperty("summary");
  expect(JSON.parse((await tm("show", "main", "--json")).stdout).summary).toBe("## Decisions\n- Postgres");
});

test("a text in another encoding is to be converted", async () => {
  const { write, source } = await shop();
  const before = source();
  for (const [bytes, from] of [
    [new Uint8Array([0x43, 0x61, 0x66, 0xe9]), "latin1"],
    [new Uint8Array([0xff, 0xfe, 0x43, 0x00]), "utf-16"],
  ] as const) {
    const { code, stderr } = await write("auth", bytes);
    expect([code, stderr.includes(`iconv -f ${from} -t utf-8`), stderr.includes("--content")]).toEqual([
      2,
      true,
      false,
    ]);
  }
  expect(source()).toBe(before);
});
