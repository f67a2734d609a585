import { expect, test } from "bun:test";
import {
  type Evidence,
  fingerprintMatches,
  parseFingerprint,
  renderFingerprint,
  renderStaleNote,
  type Stamp,
} from "../../src/core/staleness.ts";

const ONE = "0123456789abcdef";
const TWO = "fedcba9876543210";
const COMMIT = "3f2a9c1e5b7d4a8f0c6e2b1d9a7f5c3e1b0d8a6f";

test("`parseFingerprint()` takes `all` for equal to `tracked` where it isn't written", () => {
  expect(parseFingerprint(`1-${ONE}`)).toEqual({ tracked: ONE, all: ONE });
  expect(parseFingerprint(`1-${ONE}-${TWO}`)).toEqual({ tracked: ONE, all: TWO });
});

const UNKNOWN: readonly (string | undefined)[] = [
  undefined,
  "",
  `2-${ONE}`,
  `10-${ONE}`,
  ONE,
  `1-${ONE.slice(1)}`,
  `1-${ONE}0`,
  `1-${ONE.toUpperCase()}`,
  `1-${ONE}-`,
  `1-${ONE}-${TWO}-${ONE}`,
  ` 1-${ONE}`,
  `1-${ONE}\n`,
];

for (const text of UNKNOWN) {
  test(`\`parseFingerprint()\` knows no fingerprint ${JSON.stringify(text) ?? "where none is recorded"}`, () => {
    expect(parseFingerprint(text)).toBeUndefined();
  });
}

test("`renderFingerprint()` writes `all` only where it differs", () => {
  expect(renderFingerprint({ tracked: ONE, all: ONE })).toBe(`1-${ONE}`);
  expect(renderFingerprint({ tracked: ONE, all: TWO })).toBe(`1-${ONE}-${TWO}`);
});

test("`fingerprintMatches()` compares tracked files, and what was untracked with what is there now", () => {
  const [a, b, c] = ["a", "b", "c"] as const;
  expect(fingerprintMatches({ tracked: a, all: b }, { tracked: a, all: c })).toBe(true);
  expect(fingerprintMatches({ tracked: a, all: b }, { tracked: b, all: c })).toBe(true);
  expect(fingerprintMatches({ tracked: a, all: b }, { tracked: c, all: b })).toBe(true);
  expect(fingerprintMatches({ tracked: a, all: a }, { tracked: b, all: a })).toBe(true);
  expect(fingerprintMatches({ tracked: a, all: b }, { tracked: c, all: a })).toBe(false);
  expect(fingerprintMatches({ tracked: a, all: b }, { tracked: c, all: c })).toBe(false);
});

const PATHS = ["src/auth"];
const PRINT = `1-${ONE}`;
const NOTHING = { commit: undefined, fingerprint: undefined, paths: [] };
const ANCESTOR: Evidence = { commit: "ancestor", commits: 0, isShallow: false, isDirty: false };
const ELSEWHERE: Evidence = { ...ANCESTOR, commit: "elsewhere", commits: undefined };
const NONE: Evidence = { ...ANCESTOR, commit: "none", commits: undefined };

const NOTES: readonly (readonly [name: string, stamp: Stamp, evidence: Evidence, note: string | undefined])[] = [
  ["says nothing of a summary with nothing recorded", NOTHING, NONE, undefined],
  [
    "says that a merge settled it, with paths and nothing else",
    { ...NOTHING, paths: PATHS },
    NONE,
    "_⚠ Not verified since it was merged: check it is still accurate._",
  ],
  [
    "takes a later version's fingerprint for none",
    { ...NOTHING, paths: PATHS, fingerprint: `2-${ONE}` },
    { ...NONE, isDirty: true },
    "_⚠ Not verified since it was merged: check it is still accurate._",
  ],
  [
    "names uncommitted changes for a summary from before the first commit",
    { commit: undefined, fingerprint: PRINT, paths: PATHS },
    { ...NONE, isDirty: true },
    "_⚠ Uncommitted changes in src/auth since this summary was written: check it is still accurate._",
  ],
  [
    "says that the code differs for a summary from before the first commit",
    { commit: undefined, fingerprint: PRINT, paths: PATHS },
    NONE,
    "_⚠ src/auth differs from what this summary was written on: check it is still accurate._",
  ],
  [
    "names a commit that isn't in the history by seven digits",
    { commit: COMMIT, fingerprint: PRINT, paths: PATHS },
    { ...ELSEWHERE, isDirty: true },
    "_⚠ Written on commit 3f2a9c1, which is not in this repository's history: check this summary is still accurate._",
  ],
  [
    "names a commit that isn't in the history without paths too",
    { ...NOTHING, commit: COMMIT },
    ELSEWHERE,
    "_⚠ Written on commit 3f2a9c1, which is not in this repository's history: check this summary is still accurate._",
  ],
  [
    "counts nothing in a shallow clone",
    { commit: COMMIT, fingerprint: PRINT, paths: PATHS },
    { ...ELSEWHERE, isShallow: true },
    "_⚠ src/auth changed since this summary was written (shallow clone: commits not counted): check it is still accurate._",
  ],
  [
    "counts nothing in a shallow clone whose history breaks off after the commit",
    { commit: COMMIT, fingerprint: PRINT, paths: ["src/a", "src/b"] },
    { ...ANCESTOR, commits: undefined, isShallow: true },
    "_⚠ src/a, src/b changed since this summary was written (shallow clone: commits not counted): check it is still accurate._",
  ],
  [
    "says nothing in a shallow clone without a fingerprint",
    { commit: COMMIT, fingerprint: undefined, paths: PATHS },
    { ...ELSEWHERE, isShallow: true },
    undefined,
  ],
  [
    "says nothing in a shallow clone without paths",
    { ...NOTHING, commit: COMMIT },
    { ...ELSEWHERE, isShallow: true },
    undefined,
  ],
  [
    "counts in a shallow clone that goes back far enough",
    { commit: COMMIT, fingerprint: PRINT, paths: PATHS },
    { ...ANCESTOR, commits: 2, isShallow: true },
    "_⚠ 2 commits changed src/auth since this summary was written: check it is still accurate._",
  ],
  [
    "counts one commit before it names uncommitted changes",
    { commit: COMMIT, fingerprint: PRINT, paths: PATHS },
    { ...ANCESTOR, commits: 1, isDirty: true },
    "_⚠ 1 commit changed src/auth since this summary was written: check it is still accurate._",
  ],
  [
    "joins several paths and groups large numbers",
    { commit: COMMIT, fingerprint: undefined, paths: ["src/a", "src/b"] },
    { ...ANCESTOR, commits: 1234 },
    "_⚠ 1,234 commits changed src/a, src/b since this summary was written: check it is still accurate._",
  ],
  [
    "says nothing without a fingerprint when no commit changed the paths",
    { commit: COMMIT, fingerprint: undefined, paths: PATHS },
    { ...ANCESTOR, isDirty: true },
    undefined,
  ],
  [
    "names uncommitted changes",
    { commit: COMMIT, fingerprint: PRINT, paths: ["src/a", "src/b"] },
    { ...ANCESTOR, isDirty: true },
    "_⚠ Uncommitted changes in src/a, src/b since this summary was written: check it is still accurate._",
  ],
  [
    "says that several paths differ",
    { commit: COMMIT, fingerprint: PRINT, paths: ["src/a", "src/b"] },
    ANCESTOR,
    "_⚠ src/a, src/b differ from what this summary was written on: check it is still accurate._",
  ],
  [
    "says how old a summary without paths is",
    { ...NOTHING, commit: COMMIT },
    { ...ANCESTOR, commits: 14 },
    "_Written 14 commits ago._",
  ],
  [
    "says one commit in the singular",
    { ...NOTHING, commit: COMMIT },
    { ...ANCESTOR, commits: 1 },
    "_Written 1 commit ago._",
  ],
  [
    "says nothing of a summary without paths that is new",
    { ...NOTHING, commit: COMMIT },
    { ...ANCESTOR, isDirty: true },
    undefined,
  ],
];

for (const [name, stamp, evidence, note] of NOTES) {
  test(`\`renderStaleNote()\` ${name}`, () => {
    expect(renderStaleNote(stamp, evidence)).toBe(note);
  });
}
