import { expect, test } from "bun:test";
import { forShell, forTools, nextStep, quotedWord, shellWord } from "../../src/core/next_step.ts";

test("`forShell()` and `forTools()` leave of a next step what their surface can do", () => {
  const hint = `See ${nextStep("thread_history of a_b", ["history", "a_b"])}, or ${nextStep("thread_list", ["tree"])}.`;
  expect(hint).toContain("(on the command line: threadmind history a_b)");
  expect(forShell(hint)).toBe("See threadmind history a_b, or threadmind tree.");
  expect(forTools(hint)).toBe("See thread_history of a_b, or thread_list.");
  expect([forShell(forShell(hint)), forTools(forTools(hint))]).toEqual([forShell(hint), forTools(hint)]);
});

test("`forShell()` knows an argument's option, and a call with arguments", () => {
  const hint = "call again with allowSecret (on the command line: --allow-secret).";
  expect([forShell(hint), forTools(hint)]).toEqual(["call again with --allow-secret.", "call again with allowSecret."]);
  const take = nextStep("thread_update with threadId shop/a and author x-1", ["update", "shop/a", "--author", "x-1"]);
  expect(forShell(`first: ${take}.`)).toBe("first: threadmind update shop/a --author x-1.");
});

test("`forShell()` and `forTools()` leave other texts as they are", () => {
  for (const text of [
    "Run it (on the command line: --help).",
    "thread_list alone",
    "a (on the command line: threadmind tree)",
  ])
    expect([forShell(text), forTools(text)]).toEqual([text, text]);
});

test("`shellWord()` and `quotedWord()` quote as the shell needs it", () => {
  const words = ["auth", "認証", "shop/auth", "--paths", "<", "a b", "-x", "it's", 'say "x"', "$HOME", ""];
  expect(words.map(shellWord)).toEqual([
    ...["auth", "認証", "shop/auth", "--paths", "<"],
    ...['"a b"', '"-x"', '"it\'s"', "'say \"x\"'", "'$HOME'", '""'],
  ]);
  expect([quotedWord("why"), quotedWord("it's $5")]).toEqual(['"why"', "'it'\\''s $5'"]);
});
