import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOOK_CLIENTS, parseHookPayload } from "../../src/core/hook_payload.ts";
import type { Seeded } from "../core/seeded.ts";
import { type Result, run } from "../support/binary.ts";
import { usageRecord } from "../support/hooks.ts";
import { writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { amount, everythingIn, numbers, report } from "./faults.ts";
import { fuzz, junk, mutate, mutateJson, randomOf } from "./mutations.ts";

setDefaultTimeout(600_000);

const LINES = amount(300, 3000);
const HOOKS = amount(150, 1500);
const AT_ONCE = 3;
const LIMIT_MS = 10_000;

interface Place {
  /** the folder above everything that a call may reach */
  readonly base: string;
  readonly home: string;
  readonly top: string;
}

/** A project deep in a folder of its own, with its home beside it, so that anything written elsewhere shows. */
function place(): Place {
  const base = temporaryFolder("fuzz");
  const home = join(base, "home");
  mkdirSync(home);
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Sam Doe\n\temail = sam@example.org\n[init]\n\tdefaultBranch = main\n",
  );
  const { top, commit } = gitRepository({ top: join(base, "a", "work"), home });
  mkdirSync(join(top, "src"));
  writeProject(top, { good: { body: "## Decisions\n- good as ever\n" }, below: { parentId: "good" } });
  commit("Start", { "src/a.ts": "1\n" });
  return { base, home, top };
}

/** What stands outside any `.threadmind/` (git's own folder left out). */
function outside({ base }: Place): Record<string, string> {
  return Object.fromEntries(
    Object.entries(everythingIn(base)).filter(([path]) => !/(?:^|\/)\.(?:threadmind|git)\//.test(path)),
  );
}

/** Starts a few processes at a time, in the order of the rounds. */
async function inTurn(count: number, one: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    numbers(AT_ONCE).map(async () => {
      for (let round = next++; round < count; round = next++) await one(round);
    }),
  );
}

// `setup`, `demo`, `init`, `import` and `resolve --install` write elsewhere because they are asked to.
const VERBS: readonly string[] = [
  ..."context show summary tree create switch search done abandon reopen merge update rebase verify history restore delete".split(
    " ",
  ),
  ..."project stats serve help version completions hook __complete resolve check diff doctor view contexts creat --".split(
    " ",
  ),
];
const WORDS: readonly string[] = [
  ..."good below main nobody App/main app/good ../../etc list create switch update x New 1 0 -1 1e9 NaN src src/a.ts done open".split(
    " ",
  ),
  ..."HEAD HEAD..HEAD bash zsh fish session-start session-end pre-edit __proto__ constructor kept-1 git-0123456789ab é 🎉 .. . /".split(
    " ",
  ),
  ...[
    "",
    " ",
    "two words",
    "a\nb",
    "-",
    "--",
    "\u202e",
    "x".repeat(3000),
    "'",
    '"',
    "$(touch hacked)",
    "`touch hacked`",
    ";touch hacked",
    "*",
    "%s",
    "\\",
  ],
];
const OPTIONS: readonly string[] = [
  ..."-C --root --project --thread --max-tokens --color --json -h --help -V --version --content --section --append --paths --allow-secret".split(
    " ",
  ),
  ..."--title --branch --author --reason --summary --all --alone --path --system-context --mode --client --json=x --max-tokens=5 --color=never".split(
    " ",
  ),
  ..."--thread=good --no-such -x -- --root= --project= -Cx --revision --paths= --fix --add".split(" "),
];

function commandLine(random: Seeded): string[] {
  const words = [random.next(12) === 0 ? random.pick(WORDS) : random.pick(VERBS)];
  for (let left = random.next(6); left > 0; left--) words.push(random.pick(random.next(2) === 0 ? OPTIONS : WORDS));
  if (random.next(8) === 0) words.reverse();
  return words.map((word) =>
    random.next(25) === 0 ? Buffer.from(mutate(random, word)).toString("utf8").replaceAll("\0", "") : word,
  );
}

function checkEnd({ stdout, stderr, code }: Result, codes: readonly number[]): void {
  expect([codes.includes(code), code, stderr.slice(0, 2000)]).toEqual([true, code, stderr.slice(0, 2000)]);
  expect(stdout + stderr).not.toContain("this is a bug");
}

test(`${LINES} random command lines end with a documented exit code, and write nothing outside .threadmind/`, async () => {
  const random = randomOf("words");
  const here = place();
  const before = outside(here);
  const codes = new Map<number, number>();
  const lines = numbers(LINES).map(() => ({
    words: commandLine(random),
    stdin: random.pick(["", "## Decisions\n- x\n", "\0\xff", "{}", "y\n"]),
  }));
  await inTurn(LINES, async (round) => {
    await fuzz("words", round, lines[round], async (line) => {
      const { words = [], stdin = "" } = line ?? {};
      const result = await run(words, { cwd: here.top, home: here.home, stdin, timeoutMs: LIMIT_MS });
      checkEnd(result, [0, 1, 2, 3]);
      codes.set(result.code, (codes.get(result.code) ?? 0) + 1);
      const isJson =
        words.includes("--json") && !words.includes("--") && !/^-/.test(words[words.indexOf("--json") - 1] ?? "");
      if (
        isJson &&
        result.stdout !== "" &&
        !["serve", "hook", "__complete", "view"].some((verb) => words.includes(verb))
      )
        expect(JSON.parse(result.stdout)).toMatchObject({ version: 1 });
    });
  });
  expect(outside(here)).toEqual(before);
  expect([codes.has(0), codes.has(1), codes.has(2)]).toEqual([true, true, true]);
  report(
    `${LINES} command lines: ${[...codes]
      .sort()
      .map(([code, count]) => `${count} × exit ${code}`)
      .join(", ")}`,
  );
});

const EVENTS = ["session-start", "session-end", "pre-edit"];

function payloadOf({ top, base }: Place, transcript: string): object {
  return {
    ...{ hook_event_name: "SessionStart", session_id: "s1", source: "startup", transcript_path: transcript, cwd: top },
    ...{
      reason: "clear",
      tool_name: "Edit",
      tool_input: { file_path: join(top, "src/a.ts"), command: "*** Update File: src/a.ts" },
    },
    ...{ workspace_roots: [top, base], conversation_id: "c1", model: { id: "m" } },
  };
}

test(`hooks with ${HOOKS} mutated payloads exit 0, say nothing on standard error, and write nothing outside .threadmind/`, async () => {
  const random = randomOf("hooks");
  const here = place();
  const transcript = join(here.base, "t.jsonl");
  writeFileSync(transcript, `${usageRecord(5000)}{broken\n\0\n`);
  const before = outside(here);
  const payload = payloadOf(here, transcript);
  const calls = numbers(HOOKS).map(() => {
    const mutated =
      random.next(4) === 0
        ? Buffer.from(mutate(random, JSON.stringify(payload)))
        : Buffer.from(JSON.stringify(mutateJson(random, payload)) ?? "");
    const client = random.next(3) === 0 ? ["--client", random.pick(HOOK_CLIENTS)] : [];
    return { words: ["hook", random.pick(EVENTS), ...client], stdin: new Uint8Array(mutated) };
  });
  let slowest = 0;
  await inTurn(HOOKS, async (round) => {
    const { words, stdin } = calls[round] ?? { words: [], stdin: new Uint8Array() };
    await fuzz(`hooks ${words.join(" ")}`, round, stdin, async () => {
      const begun = performance.now();
      const result = await run(words, { cwd: here.top, home: here.home, stdin, timeoutMs: LIMIT_MS });
      slowest = Math.max(slowest, performance.now() - begun);
      checkEnd(result, [0]);
      expect(result.stderr).toBe("");
      if (words[1] === "session-end") expect(result.stdout).toBe("");
    });
  });
  expect(outside(here)).toEqual(before);
  const { code, stdout } = await run(["tree", "--json"], { cwd: here.top, home: here.home });
  expect([code, JSON.parse(stdout).faults]).toEqual([0, []]);
  report(`${HOOKS} hooks with mutated payloads, the slowest in ${Math.round(slowest)} ms`);
});

test("no payload makes the hook's reader throw, whatever it holds", async () => {
  const random = randomOf("payloads");
  const here = { base: "/tmp", home: "/tmp", top: "/tmp/x" };
  for (const round of numbers(amount(3000, 50_000))) {
    const payload = random.next(3) === 0 ? junk(random) : mutateJson(random, payloadOf(here, "/tmp/t.jsonl"));
    const text =
      random.next(3) === 0
        ? Buffer.from(mutate(random, JSON.stringify(payload) ?? "")).toString("utf8")
        : (JSON.stringify(payload) ?? "");
    await fuzz("payloads", round, text, (input) => {
      const { files, roots } = parseHookPayload(input, undefined);
      expect([...files, ...roots].every((path) => typeof path === "string")).toBe(true);
    });
  }
});
