import { expect, test } from "bun:test";
import { findGovernors, searchThreads } from "../../src/core/search.ts";
import { sketchThread } from "./threads.ts";

test("`searchThreads()` finds all words in any order, without case and accents, the title's first", () => {
  const threads = [
    sketchThread({ id: "a", body: "## Decisions\n- Cafés are CACHED\n- tea\n" }),
    sketchThread({ id: "b", title: "Cached café", body: "nothing" }),
    sketchThread({ id: "c", body: "- cached only\n" }),
  ];
  const found = searchThreads(threads, "cached  cafe");
  expect(found.map((match) => match.thread.id as string)).toEqual(["b", "a"]);
  expect(found[1]?.lines).toEqual(["- Cafés are CACHED"]);
});

test("`searchThreads()` shows five lines of a thread and counts the rest", () => {
  const body = Array.from({ length: 8 }, (_, index) => `- word ${index}`).join("\n");
  const [match] = searchThreads([sketchThread({ id: "a", body })], "word");
  expect([match?.lines.length, match?.moreLines]).toEqual([5, 3]);
});

test("`searchThreads()` reads no text that is in conflict", () => {
  expect(searchThreads([sketchThread({ id: "a", body: "redis", conflictLine: 1 })], "redis")).toEqual([]);
});

test("`findGovernors()` goes by path component, nearest first, open threads before finished ones", () => {
  const threads = [
    sketchThread({ id: "all", paths: ["."] }),
    sketchThread({ id: "src", paths: ["src", "docs"] }),
    sketchThread({ id: "done", paths: ["src/auth"], status: "done" }),
    sketchThread({ id: "auth", paths: ["src/auth"] }),
    sketchThread({ id: "other", paths: ["src/au", "lib"] }),
    sketchThread({ id: "bad", paths: ["../src", "/src"] }),
  ];
  const found = findGovernors(threads, ["src/auth/login.ts"]);
  expect(found.map((governor) => [governor.thread.id as string, governor.path])).toEqual([
    ["auth", "src/auth"],
    ["done", "src/auth"],
    ["src", "src"],
    ["all", "."],
  ]);
});

test("`findGovernors()` knows a file by each of its names, and takes the nearest path of them all", () => {
  const threads = [
    sketchThread({ id: "link", paths: ["apilink"] }),
    sketchThread({ id: "api", paths: ["src/api", "."] }),
    sketchThread({ id: "file", paths: ["src/api/a.ts"] }),
    sketchThread({ id: "other", paths: ["lib"] }),
  ];
  const found = findGovernors(threads, ["apilink/a.ts", "src/api/a.ts"]);
  expect(found.map((governor) => [governor.thread.id as string, governor.path])).toEqual([
    ["file", "src/api/a.ts"],
    ["api", "src/api"],
    ["link", "apilink"],
  ]);
});
