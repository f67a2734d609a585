import { expect, test } from "bun:test";
import { dropControls, stripControls } from "../../src/core/text_controls.ts";

test("`dropControls()` keeps tabs and line breaks and drops what can't be seen", () => {
  const cases = [
    ["a\tb\nc", "a\tb\nc"],
    ["a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"],
    ["\u0000a\u001b[31mb\u007f\u009bc\u000b\u000c", "a[31mbc"],
    ["\ufeffa\u202eb\u202c\u2066c\u2069", "abc"],
    ["עברית\u200f 👩‍👩‍👧", "עברית\u200f 👩‍👩‍👧"],
  ] as const;
  for (const [text, expected] of cases) expect(dropControls(text)).toBe(expected);
});

test("`stripControls()` makes one line, with a space for each run of controls", () => {
  const cases = [
    ["Q3 plan\nparentId: null\r\n\r\nstatus: done", "Q3 plan parentId: null status: done"],
    ["a\tb\u2028c\u0000\u001b[2Jd", "a b c [2Jd"],
    ["a\u202eb\ufeffc", "abc"],
    ["Café – menu #2", "Café – menu #2"],
  ] as const;
  for (const [text, expected] of cases) expect(stripControls(text)).toBe(expected);
});
