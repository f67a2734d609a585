import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { escapeJson, hashOf, renderPage } from "../../src/cli/view/page.ts";
import { pageDataOf } from "../../src/cli/view/page_data.ts";
import { gitRepository } from "../support/temp.ts";
import { dataOf, HOSTILE, jsonOf, pageOf, randomWorkspace, writeThreads } from "./workspaces.ts";

const EMPTY = {
  folder: "/a/b",
  branch: undefined,
  commit: undefined,
  projects: [],
  projectId: "",
  threadId: undefined,
  sessions: [],
};

test("the policy names the page's one script and one style by their hashes and allows nothing else", async () => {
  const page = await pageOf(await randomWorkspace(21));
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  const hash = (element: string): string => {
    const [, text = ""] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page) ?? [];
    expect(text.length).toBeGreaterThan(1000);
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  expect(policy?.split("; ")).toEqual([
    "default-src 'none'",
    `script-src ${hash("script")}`,
    `style-src ${hash("style")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(page.match(/<(?:script|style)\b[^>]*>/g)).toEqual([
    "<style>",
    '<script type="application/json" id="data">',
    "<script>",
  ]);
  const markup = page.replace(/(<(?:script|style)\b[^>]*>)[\s\S]*?(<\/)/g, "$1$2");
  expect(markup).not.toMatch(/\s(?:src|href|style|on\w+)=/);
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"));
});

test("the script is one that a browser can read, and writes no markup", () => {
  const page = renderPage(pageDataOf(EMPTY));
  const script = /<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? "";
  expect(() => new Function(script)).not.toThrow();
  expect(script).not.toMatch(
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setAttribute\("style/,
  );
  // The bundler escapes other characters in raw templates, and the page would differ by what runs the program.
  expect(script).toMatch(/^[ -~\n]*$/);
  expect(script).not.toMatch(/fetch\(|XMLHttpRequest|import\(|localStorage|sendBeacon/);
});

test("`escapeJson()` writes JSON without < and without characters that aren't seen", () => {
  for (const text of [...HOSTILE, "\ud800 alone", "\u0000\u007f\u0085\u200e"]) {
    const written = escapeJson({ text });
    expect(written).not.toMatch(/[<\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]/u);
    expect(JSON.parse(written)).toEqual({ text });
  }
});

test("`hashOf()` hashes the bytes of UTF-8", () => {
  expect(hashOf("é")).toBe(`sha256-${createHash("sha256").update(Buffer.from("é", "utf8")).digest("base64")}`);
});

test("the page is the same for the same workspace", async () => {
  const repository = await randomWorkspace(22);
  expect(await pageOf(repository)).toBe(await pageOf(repository));
});

test("hostile texts leave neither the data nor the title", async () => {
  const repository = gitRepository();
  for (const [at, text] of HOSTILE.entries()) {
    const main = {
      parentId: "null",
      title: JSON.stringify(text),
      body: HOSTILE.join("\n\n"),
      branch: JSON.stringify(text),
    };
    writeThreads(repository.top, "app", { main }, { title: text, systemContext: text });
    const page = await pageOf(repository);
    expect([at, page.match(/<\/?script/gi)?.length, page.match(/<\/title>/g)?.length]).toEqual([at, 4, 1]);
    expect(page).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    expect(jsonOf(page)).not.toContain("<");
    expect(dataOf(page).projects[0]?.threads).toHaveLength(1);
  }
});

test("a workspace without threads makes a page that can be drawn", async () => {
  const repository = gitRepository();
  writeThreads(repository.top, "app", {});
  expect(dataOf(await pageOf(repository)).projects[0]?.threads).toEqual([]);
});
