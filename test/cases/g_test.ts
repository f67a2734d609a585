import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPILED, PROGRAM, run, spawn } from "../support/binary.ts";
import { end, hook, start, usageRecord } from "../support/hooks.ts";
import { readThread, snapshot, type ThreadText } from "../support/stored_project.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { openTerminal } from "../support/terminal.ts";
import { output, repositoryWith } from "./base_thread.ts";

setDefaultTimeout(60_000);

const MOST_CHARACTERS = 9000;

function sessionsOf({ top }: GitRepository): readonly Readonly<Record<string, unknown>>[] {
  const file = join(top, ".threadmind/config.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")).sessions ?? []) : [];
}

function transcriptOf(...parts: readonly string[]): string {
  const file = join(temporaryFolder("transcript"), "session.jsonl");
  writeFileSync(file, parts.join(""));
  return file;
}

const RECORDS = [
  '{"type":"user","isSidechain":false,"message":{"role":"user","content":"hi"}}',
  '{"type":"assistant","isSidechain":false,"message":{"id":"m1","model":"x","usage":{"input_tokens":4,"cache_creation_input_tokens":2000,"cache_read_input_tokens":30000,"output_tokens":1}}}',
  '{"type":"assistant","isSidechain":false,"message":{"id":"m1","model":"x","usage":{"input_tokens":4,"cache_creation_input_tokens":2000,"cache_read_input_tokens":30000,"output_tokens":350}}}',
  '{"type":"assistant","isSidechain":true,"message":{"id":"s9","model":"x","usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":150000,"output_tokens":900}}}',
  '{"type":"assistant","isSidechain":false,"message":{"id":"m2","model":"x","usage":{"input_tokens":6,"cache_creation_input_tokens":800,"cache_read_input_tokens":32000,"output_tokens":120}}}',
  '{"type":"assistant","isSidechain":false,"isApiErrorMessage":true,"message":{"id":"e1","model":"<synthetic>","usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}',
];
const STRANGE = [
  '{"type":"no-such-type","usage":{"input_tokens":999999},"message":{"usage":{"input_tokens":999999}}}',
  '{"type":"progress","nested":{"type":"assistant","message":{"id":"p","model":"x","usage":{"input_tokens":777777}}}}',
  '{"unknown":true}',
];

for (const [name, records] of [
  ["", RECORDS],
  [" and records of unknown types", [...RECORDS, ...STRANGE]],
] as const) {
  test(`a conversation with repeated lines, a subagent, an API error${name} has the size of its last response`, async () => {
    const repository = repositoryWith({});
    const file = transcriptOf(`${records.join("\n")}\n`);
    await end(repository, "s1", file);
    await end(repository, "s1", file);
    expect(sessionsOf(repository)).toMatchObject([{ session: "s1", client: "claude-code", size: 32_926 }]);
    expect(await output(repository, "stats")).toContain(
      "Conversation size when sessions ended: ~32,926 tokens on average, ~32,926 at most (1 session)",
    );
  });
}

/** A transcript of this many megabytes, as a client writes it: long tool results, and an answer here and there. */
function largeTranscript(megabytes: number, size: number): string {
  const result = `${JSON.stringify({ type: "user", message: { role: "user", content: "x é ".repeat(6000) } })}\n`;
  const count = Math.ceil((megabytes * 1_000_000) / (50 * Buffer.byteLength(result)));
  return transcriptOf(`${result.repeat(50)}${usageRecord(size - 5000, "old")}`.repeat(count), usageRecord(size));
}

test.skipIf(!COMPILED)(
  "a session's end is recorded in time, once, with 60 MB of transcript and a pipe that stays open",
  async () => {
    const repository = repositoryWith({});
    const { top } = repository;
    const file = largeTranscript(60, 48_200);
    const payload = JSON.stringify({
      cwd: top,
      hook_event_name: "SessionEnd",
      session_id: "s1",
      reason: "clear",
      transcript_path: file,
    });
    const env = environment(temporaryHome(), {
      CLAUDE_PID: String(process.pid),
      PAYLOAD: payload,
    });
    const took = temporaryFolder("took");
    const script = `(printf '%s' "$PAYLOAD"; exec sleep 30) | (${PROGRAM.join(" ")} hook session-end > '${took}/out' 2> '${took}/err'; echo $? > '${took}/code')`;
    const shell = Bun.spawn(["sh", "-c", script], { cwd: top, env, stdout: "ignore", stderr: "ignore" });
    const begun = performance.now();
    while (!existsSync(join(took, "code")) && performance.now() - begun < 5000) await Bun.sleep(5);
    expect(performance.now() - begun).toBeLessThan(1500);
    expect(["out", "err", "code"].map((name) => readFileSync(join(took, name), "utf8").trim())).toEqual(["", "", "0"]);
    expect(sessionsOf(repository)).toMatchObject([{ session: "s1", size: 48_200 }]);
    shell.kill("SIGKILL");
    await shell.exited;
  },
);

test("a session's end that is killed after 200 ms or earlier leaves no lock and nothing half written, and the next one records", async () => {
  const repository = repositoryWith({});
  const { top } = repository;
  const file = largeTranscript(60, 48_200);
  const payload = JSON.stringify({ cwd: top, session_id: "s1", reason: "clear", transcript_path: file });
  for (const delay of [200, 20, 30, 40, 50, 60, 80]) {
    const child = Bun.spawn([...PROGRAM, "hook", "session-end"], {
      ...{ cwd: top, stdin: Buffer.from(payload), stdout: "ignore", stderr: "ignore" },
      env: environment(temporaryHome(), { CLAUDE_PID: String(process.pid) }),
    });
    await Bun.sleep(delay);
    child.kill("SIGKILL");
    await child.exited;
    expect(sessionsOf(repository).length).toBeLessThanOrEqual(1);
  }
  const begun = performance.now();
  await end(repository, "s1", file);
  expect(performance.now() - begun).toBeLessThan(1500);
  expect(sessionsOf(repository)).toMatchObject([{ session: "s1", size: 48_200 }]);
  const local = join(top, ".threadmind/local");
  expect([...readdirSync(local).filter((name) => name.startsWith("lock")), ...readdirSync(join(local, "tmp"))]).toEqual(
    [],
  );
});

test("a session's end with nothing, blanks or other JSON on standard input is silent and ends well", async () => {
  const repository = repositoryWith({});
  for (const stdin of ["", " \n", "{}", '{"other": 1, "session": {"id": "x"}}', "[]", "null", "no JSON"]) {
    expect([stdin, await hook(repository, "session-end", stdin)]).toEqual([stdin, { stdout: "", stderr: "", code: 0 }]);
  }
  expect(sessionsOf(repository)).toEqual([]);
});

test("a session's end at a terminal waits for nobody and says nothing", async () => {
  const { top } = repositoryWith({});
  const env = environment(temporaryHome(), { CLAUDE_PID: String(process.pid), TERM: "dumb" });
  const terminal = openTerminal(["sh", "-c", `${PROGRAM.join(" ")} hook session-end; echo "ended with $?."`], {
    cwd: top,
    env,
  });
  try {
    await terminal.types("", "ended with 0.");
  } finally {
    await terminal.close();
  }
});

/** Bullets of one kind with about this many characters. */
function decisions(characters: number, text: string): string {
  const bullet = `- ${text}\n`;
  return `## Decisions\n${bullet.repeat(Math.ceil(characters / bullet.length))}`;
}

test("a chain of five threads of 4,000 characters leaves out the farthest and names them", async () => {
  const chain = ["one", "two", "three", "four", "five"];
  const threads = chain.map((id, at): [string, ThreadText] => [
    id,
    { parentId: chain[at - 1] ?? "main", body: decisions(4000, `${id} decided something, at some length`) },
  ]);
  const repository = repositoryWith({}, Object.fromEntries(threads));
  await output(repository, "switch", "five");
  const text = await start(repository, "startup", "s1");
  expect(text.length).toBeLessThanOrEqual(MOST_CHARACTERS + 1);
  expect(text).toContain("## Thread: five (active)");
  expect(text).toContain("## Thread: four\n");
  expect(text).toContain(readThread(repository.top, "five").split("## Decisions\n")[1]?.trimEnd() ?? "none");
  expect(text).toMatch(/^_Left out to fit the token budget: .*one, two, three.*_$/m);
  expect(text).not.toMatch(/^- (?:one|two|three) decided/m);
});

test("an active text of 14,000 characters is cut at a line, and the last lines say so and where the rest is", async () => {
  const bullet = "décision é 🎉 👩‍👩‍👧 prise";
  const body = decisions(14_000, bullet);
  expect(body.length).toBeGreaterThanOrEqual(14_000);
  const repository = repositoryWith({}, { auth: { body } });
  await output(repository, "switch", "auth");
  for (const source of ["startup", "clear", "compact"]) {
    const text = await start(repository, source, `s-${source}`);
    expect(text.length).toBeLessThanOrEqual(MOST_CHARACTERS + 1);
    expect(text.length).toBeGreaterThan(MOST_CHARACTERS * 0.9);
    expect(text.split("\n").filter((line) => line.startsWith("- ") && line !== `- ${bullet}`)).toEqual([]);
    expect(text.trimEnd().split("\n").at(-1)).toBe(
      "_Cut to fit the budget: context_get or threadmind://thread/auth has all of it_",
    );
    expect(text).not.toContain("\ufffd");
  }
});

test("a small context is shown whole, and outside a project a start is silent and makes nothing", async () => {
  const repository = repositoryWith({}, { auth: { body: "## Decisions\n- JWT\n" } });
  await output(repository, "switch", "auth");
  expect(await start(repository, "startup", "s1")).toBe(await output(repository, "context"));
  const empty = gitRepository();
  const before = snapshot(empty.top);
  expect(await start(empty, "startup", "s1")).toBe("");
  expect((await run(["hook", "session-start"], { cwd: empty.top })).code).toBe(0);
  expect(snapshot(empty.top)).toEqual(before);
  const { stdout, code } = await spawn([...PROGRAM, "hook", "session-start"], {
    cwd: "/",
    env: environment(temporaryHome()),
  });
  expect([stdout, code]).toEqual(["", 0]);
});
