import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/binary.ts";
import { openClient } from "../support/client.ts";
import { hook, usageRecord } from "../support/hooks.ts";
import { readThread, snapshot, writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { amount, brokenJson, leftovers, numbers, report, seenByGit } from "./faults.ts";

setDefaultTimeout(600_000);

const EACH = amount(40, 200);

/** One process that writes after another, or one server that lives on: calls `write` `EACH` times. */
async function writer(write: (n: number) => Promise<void>): Promise<void> {
  for (const n of numbers(EACH)) await write(n);
}

/** The list items of a thread, each once, sorted. */
function itemsOf(top: string, thread: string): string[] {
  return readThread(top, thread)
    .split("\n")
    .filter((line) => line.startsWith("- "))
    .sort();
}

const lines = (...words: readonly string[]): string[] =>
  words.flatMap((word) => numbers(EACH).map((n) => `- ${word} ${n}`)).sort();

test(`eight writers of every kind, ${EACH} writes each on one project: every write is kept`, async () => {
  const repository = gitRepository();
  const { top } = repository;
  const home = temporaryHome();
  writeProject(top, { shared: { body: "## Decisions\n" }, other: { body: "## Decisions\n" } });
  repository.commit("Start");
  const transcript = join(temporaryFolder(), "t.jsonl");
  writeFileSync(transcript, usageRecord(48_200));
  const servers = await Promise.all(numbers(3).map(() => openClient({ cwd: top, home })));

  const ok = async (words: readonly string[]): Promise<void> => {
    const { stderr, code } = await run(words, { cwd: top, home });
    if (code !== 0 || stderr.includes("bug")) throw new Error(`${words.join(" ")} exited ${code}: ${stderr}`);
  };
  const tool = async (server: number, name: string, args: Record<string, unknown>): Promise<void> => {
    const { isError, text } = (await servers[server]?.call(name, args)) ?? { isError: true, text: "no server" };
    if (isError) throw new Error(text);
  };
  let hooks = 0;
  const sessionsOf = (): { session: string; size: number }[] => {
    const file = join(top, ".threadmind/config.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")).sessions ?? []) : [];
  };
  const endSession = async (n: number): Promise<boolean> => {
    const payload = { hook_event_name: "SessionEnd", session_id: `s${n}`, transcript_path: transcript };
    const { stdout, stderr, code } = await hook({ top }, "session-end", payload);
    if (code !== 0 || stdout !== "" || stderr !== "") throw new Error(`the hook exited ${code}: ${stdout}${stderr}`);
    return sessionsOf().some(({ session }) => session === `s${n}`);
  };
  const append = (word: string, n: number) => ({ append: true, section: "Decisions", content: `- ${word} ${n}` });

  const begun = performance.now();
  await Promise.all([
    writer((n) => tool(0, "summary_update", { threadId: "shared", ...append("server-0", n) })),
    writer((n) => tool(1, "summary_update", { threadId: "shared", ...append("server-1", n) })),
    writer((n) => tool(2, "thread_create", { title: `Made by server ${n}`, parentId: "main" })),
    writer((n) => ok(["summary", "shared", "--append", "--content", `- cli-0 ${n}`])),
    writer((n) => ok(["summary", "shared", "--append", "--content", `- cli-1 ${n}`])),
    writer((n) => ok(["summary", "other", "--append", "--content", `- cli-2 ${n}`])),
    writer((n) => ok(["create", `Made by hand ${n}`])),
    writer(async (n) => {
      // A hook waits 0.8 s for the lock and then leaves without a word: its client gives it no more. It is called again.
      do hooks++;
      while (!(await endSession(n)));
    }),
  ]);
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all(servers.map(({ close }) => close()));

  expect(itemsOf(top, "shared")).toEqual(lines("server-0", "server-1", "cli-0", "cli-1"));
  expect(itemsOf(top, "other")).toEqual(lines("cli-2"));
  const made = numbers(EACH).flatMap((n) => [`made-by-server-${n}.md`, `made-by-hand-${n}.md`]);
  const files = readdirSync(join(top, ".threadmind/threads/app"));
  expect(files.sort()).toEqual([...made, "main.md", "other.md", "shared.md"].sort());
  const sessions = sessionsOf();
  // config.json holds the last 200 conversations, so all of either run.
  expect(sessions.map(({ session }) => session).sort()).toEqual(
    numbers(EACH)
      .map((n) => `s${n}`)
      .sort(),
  );
  for (const { size } of sessions) expect(size).toBe(48_200);

  const { stdout } = await run(["tree", "--json"], { cwd: top, home });
  expect(JSON.parse(stdout).faults).toEqual([]);
  expect(brokenJson(top)).toEqual([]);
  expect(leftovers(top)).toEqual([]);
  // Git sees the threads that were made and changed, and nothing else.
  const expected = [...made, "other.md", "shared.md"].map((name) => `.threadmind/threads/app/${name}`);
  expect(
    seenByGit(repository)
      .map((line) => line.slice(3))
      .sort(),
  ).toEqual([...expected, ".threadmind/.gitattributes", ".threadmind/.gitignore"].sort());
  const kept = Object.entries(snapshot(join(top, ".threadmind/local/kept/app/shared")));
  expect(kept).toHaveLength(Math.min(50, 4 * EACH));
  for (const [, text] of kept) expect(text).toMatch(/^---\nid: shared\n[\s\S]*\n## Decisions\n(?:- [\w-]+ \d+\n)*$/);
  report(
    `${8 * EACH} of ${8 * EACH} writes kept in ${seconds.toFixed(1)} s; ${hooks - EACH} of ${hooks} SessionEnd hooks gave up the lock`,
  );
});
