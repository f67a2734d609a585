import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Layout, layoutOf, prepare } from "../../src/io/layout.ts";
import { keepText } from "../../src/io/local.ts";
import { renderThread, threadFile, writeProject } from "../support/stored_project.ts";
import { temporaryFolder } from "../support/temp.ts";

const NOON = Date.parse("2026-11-30T12:00:00.000Z");
const DAY = 24 * 3_600_000;

function workspace(): Layout {
  const top = temporaryFolder();
  writeProject(top, { auth: {} });
  const layout = layoutOf(top);
  prepare(layout);
  return layout;
}

/** Puts this text into the thread's file and keeps it. */
function keep(layout: Layout, text: string, instant: number, thread = "auth"): void {
  writeFileSync(threadFile(layout.root, thread), text);
  keepText(layout, "app", thread, new Date(instant));
}

/** The kept versions of a thread, oldest first. */
function kept(layout: Layout, thread = "auth"): readonly (readonly [name: string, text: string])[] {
  const folder = join(layout.kept, "app", thread);
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}

test("keepText() keeps a thread's text under its time and the digest of its content", () => {
  const layout = workspace();
  const text = "\ufeff---\r\ntitle: é\r\n---\r\n\0";
  keep(layout, text, NOON);
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  expect(kept(layout)).toEqual([[`20261130T120000000Z-${digest}.md`, text]]);
});

test("keepText() keeps bytes that are no text, and nothing for a thread that isn't there", () => {
  const layout = workspace();
  writeFileSync(threadFile(layout.root, "auth"), new Uint8Array([0xff, 0xfe, 0x61]));
  keepText(layout, "app", "auth", new Date(NOON));
  const [name = ""] = readdirSync(join(layout.kept, "app/auth"));
  expect([...readFileSync(join(layout.kept, "app/auth", name))]).toEqual([0xff, 0xfe, 0x61]);
  rmSync(threadFile(layout.root, "main"));
  keepText(layout, "app", "main", new Date(NOON));
  expect(readdirSync(join(layout.kept, "app"))).toEqual(["auth"]);
});

test("keepText() keeps a text that comes again once, under the later time", () => {
  const layout = workspace();
  for (const [at, text] of ["A", "B", "A", "A"].entries()) keep(layout, text, NOON + at);
  expect(kept(layout).map(([name, text]) => [name.slice(0, 19), text])).toEqual([
    ["20261130T120000001Z", "B"],
    ["20261130T120000003Z", "A"],
  ]);
});

test("keepText() keeps the last 50 of each thread", () => {
  const layout = workspace();
  keep(layout, "of another thread", NOON, "main");
  for (let number = 0; number < 60; number++) keep(layout, `text ${number}`, NOON + number * 1000);
  expect(kept(layout).map(([, text]) => text)).toEqual(Array.from({ length: 50 }, (_, at) => `text ${at + 10}`));
  expect(kept(layout, "main")).toHaveLength(1);
});

test("keepText() keeps for 90 days", () => {
  const layout = workspace();
  keep(layout, "90 days and a bit", NOON - 90 * DAY - 1);
  keep(layout, "90 days", NOON - 90 * DAY);
  keep(layout, "yesterday", NOON - DAY);
  keep(layout, "today", NOON);
  expect(kept(layout).map(([, text]) => text)).toEqual(["90 days", "yesterday", "today"]);
});

test("keepText() leaves files alone that it didn't make", () => {
  const layout = workspace();
  const folder = join(layout.kept, "app/auth");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "notes.md"), "mine");
  writeFileSync(join(folder, "20200101T000000000Z-000000000000.md.bak"), "mine");
  for (let number = 0; number < 52; number++) keep(layout, `text ${number}`, NOON + number);
  expect(readdirSync(folder)).toHaveLength(52);
  expect(readFileSync(join(folder, "notes.md"), "utf8")).toBe("mine");
});

test("keepText() keeps one line of versions over new titles", () => {
  const layout = workspace();
  keep(layout, renderThread("auth", { title: "Old" }), NOON);
  keep(layout, renderThread("auth", { title: "New" }), NOON + 1);
  expect(kept(layout)).toHaveLength(2);
});
