import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseThreadFile } from "../../src/core/thread_file.ts";
import { PROGRAM } from "../support/binary.ts";
import { hook, usageRecord } from "../support/hooks.ts";
import { openServer } from "../support/server.ts";
import { readThread, snapshot, writeProject } from "../support/stored_project.ts";
import { environment, type GitRepository, gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { amount, brokenJson, leftovers, numbers, PROGRAM_IN_SHELL, report, seenByGit, succeed } from "./faults.ts";
import { CAN_INJECT, injected } from "./injected.ts";

setDefaultTimeout(600_000);

const KILLS = amount(60, 500);
const PADDING = "x".repeat(6000);

function project(): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, { shared: { body: "## Decisions\n" }, doomed: {} });
  writeFileSync(join(repository.top, ".threadmind/.gitignore"), "config.json\nlocal/\n");
  writeFileSync(join(repository.top, ".threadmind/.gitattributes"), "threads/** merge=threadmind\n");
  repository.commit("Start");
  return repository;
}

/** Every body that a writer may have written as a whole: its number three times, and a padding of one length between. */
const bodyOf = (word: string, n: number): string =>
  `## Decisions\n- ${word} ${n}\n- ${PADDING}\n- end of ${word} ${n}\n`;
const WHOLE = new RegExp(`^## Decisions\\n- (\\w+) (\\d+)\\n- ${PADDING}\\n- end of \\1 \\2\\n$`);

/** Throws unless every thread file is one that was written whole, and every JSON file parses. */
async function checkWhole({ top }: GitRepository): Promise<void> {
  const folder = join(top, ".threadmind/threads/app");
  for (const name of readdirSync(folder)) {
    const source = readFileSync(join(folder, name), "utf8");
    const file = await parseThreadFile(source);
    if ("message" in file) throw new Error(`${name}: ${file.message}\n${source}`);
    expect([name, file.findings, file.conflictLine]).toEqual([name, [], undefined]);
    expect(file.fields.id).toBe(name.slice(0, -3));
    if (name === "shared.md" && file.body.trim() !== "## Decisions") expect(file.body.trimStart()).toMatch(WHOLE);
  }
  expect(brokenJson(top)).toEqual([]);
  for (const [path, text] of Object.entries(snapshot(join(top, ".threadmind/local")))) {
    // What is kept is whole too: it is what a person would bring back.
    if (/^kept\/.*\.md$/.test(path))
      expect(text).toMatch(/^---\nid: [\s\S]*\n(?:## Decisions\n|---\n\n?$|- end of \w+ \d+\n$)/);
  }
}

/** Throws unless git sees thread files of known names and nothing else, and the next write works and cleans up. */
async function checkNext(repository: GitRepository): Promise<void> {
  const { top } = repository;
  expect(
    seenByGit(repository).filter(
      (line) => !/^ ?(?:M|D|\?\?) \.threadmind\/(?:threads\/app\/[a-z0-9-]+\.md|projects\/app\.json)$/.test(line),
    ),
  ).toEqual([]);
  const begun = performance.now();
  await succeed(top, ["summary", "main", "--append", "--content", "- after the kill"]);
  expect(performance.now() - begun).toBeLessThan(4000);
  expect(leftovers(top)).toEqual([]);
}

/** A random moment of a write that takes this long: as many kills fall on its beginning as on its end. */
const moment = (milliseconds: number): Promise<void> => Bun.sleep(Math.random() * milliseconds);

test(`servers that are killed in the middle of ${KILLS} write loops leave every file whole`, async () => {
  const repository = project();
  const { top } = repository;
  const home = temporaryHome();
  let answered = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await openServer({ cwd: top, home });
    const args = (n: number) => ({ threadId: "shared", content: bodyOf(`k${kill}`, n) });
    for (const n of numbers(12)) {
      server.send({ id: n, method: "tools/call", params: { name: "summary_update", arguments: args(n) } });
      if (n % 4 !== 0) continue;
      const create = { name: "thread_create", arguments: { title: `Made ${kill} ${n}`, parentId: "main" } };
      server.send({ id: 100 + n, method: "tools/call", params: create });
    }
    await server.answerTo(0);
    await moment(60);
    server.kill("SIGKILL");
    await server.exited;
    const done = server.lines.flatMap((line) => {
      const { id, result } = JSON.parse(line);
      return typeof id === "number" && id < 12 && result?.isError !== true ? [id] : [];
    });
    answered += done.length;
    const last = Math.max(...done);
    const [, word, number] = /^- (\w+) (\d+)$/m.exec(readThread(top, "shared")) ?? [];
    // A write that was answered is on disk, or one after it is.
    expect(word).toBe(`k${kill}`);
    expect(Number(number)).toBeGreaterThanOrEqual(last);
    if (kill % 10 === 9 || kill === KILLS - 1) {
      await checkWhole(repository);
      await checkNext(repository);
    }
  }
  report(`${KILLS} servers killed while they wrote, ${answered} writes answered before, no file damaged`);
});

test(`command lines and hooks that are killed at ${KILLS} random moments leave every file whole`, async () => {
  const repository = project();
  const { top } = repository;
  const home = temporaryHome();
  const transcript = join(temporaryFolder(), "t.jsonl");
  writeFileSync(transcript, usageRecord(48_200));
  const env = environment(home, { CLAUDE_PID: String(process.pid) });
  const calls: readonly ((n: number) => readonly [readonly string[], string])[] = [
    (n) => [["summary", "shared"], bodyOf("cli", n)],
    (n) => [["create", `Cli ${n}`], ""],
    () => [
      ["hook", "session-start"],
      JSON.stringify({ cwd: top, session_id: "a", source: "startup", transcript_path: transcript }),
    ],
    () => [["hook", "session-end"], JSON.stringify({ cwd: top, session_id: "a", transcript_path: transcript })],
    (n) => [["project", "update", "--system-context", `${PADDING} ${n}`], ""],
    () => [["delete", "doomed"], ""],
    () => [["restore", "doomed"], ""],
    () => [["switch", "shared"], ""],
  ];
  let ended = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const [words, stdin] = calls[kill % calls.length]?.(kill) ?? [[], ""];
    const child = Bun.spawn([...PROGRAM, ...words], {
      cwd: top,
      env,
      stdin: Buffer.from(stdin),
      stdout: "ignore",
      stderr: "ignore",
    });
    await Promise.race([moment(110), child.exited]);
    if (child.exitCode !== null) ended++;
    child.kill("SIGKILL");
    await child.exited;
    if (kill % 20 === 19 || kill === KILLS - 1) {
      await checkWhole(repository);
      await checkNext(repository);
    }
  }
  expect(ended).toBeLessThan(KILLS);
  report(`${KILLS} command lines and hooks killed, ${ended} of them had ended before`);
});

test.skipIf(!CAN_INJECT)(
  "a kill before each single system call of a write, one after the other, leaves every file whole",
  async () => {
    const home = temporaryHome();
    let kills = 0;
    const writes = [
      ["summary", "shared", "--content"],
      ["delete", "doomed"],
      ["create"],
      ["project", "update", "--system-context"],
    ];
    for (const words of writes.slice(0, amount(2, 4))) {
      const text =
        words[0] === "create" || words[0] === "delete" ? (words[0] === "create" ? ["New"] : []) : [bodyOf("new", 1)];
      // A git that it starts may be what is killed; so many calls without a kill can only be behind the last one.
      for (let call = 1, idle = 0; idle < 4; call++) {
        const repository = project();
        const { top } = repository;
        await succeed(top, ["summary", "shared", "--content", bodyOf("old", 1)]);
        const old = snapshot(join(top, ".threadmind/threads"));
        const env = { ...environment(home), ...injected({ at: call }) };
        const child = Bun.spawn([...PROGRAM, ...words, ...text], {
          cwd: top,
          env,
          stdin: "ignore",
          stdout: "ignore",
          stderr: "ignore",
        });
        await child.exited;
        const isKilled = child.signalCode === "SIGKILL";
        if (isKilled) kills++;
        await checkWhole(repository);
        const shared = readThread(top, "shared");
        if (words[0] === "summary") expect(shared).toMatch(/- end of (?:old|new) 1\n$/);
        else expect(shared).toBe(old["app/shared.md"] ?? "");
        if (words[0] === "delete" && isKilled) {
          // Whoever deletes keeps first: the text is there or can be brought back.
          const isThere = readdirSync(join(top, ".threadmind/threads/app")).includes("doomed.md");
          if (!isThere) await succeed(top, ["restore", "doomed"]);
          expect(readThread(top, "doomed")).toContain("id: doomed\n");
        }
        await checkNext(repository);
        idle = isKilled ? 0 : idle + 1;
      }
    }
    expect(kills).toBeGreaterThan(20);
    report(`${kills} kills, one before each system call that changes the disk`);
  },
);

test("a first write that is killed at any moment leaves a workspace that the next one completes", async () => {
  for (let kill = 0; kill < amount(12, 100); kill++) {
    const repository = gitRepository();
    const { top } = repository;
    mkdirSync(join(top, "src"));
    const child = Bun.spawn(["sh", "-c", `exec ${PROGRAM_IN_SHELL} project create App`], {
      cwd: top,
      env: environment(repository.home),
      stdio: ["ignore", "ignore", "ignore"],
    });
    await moment(90);
    child.kill("SIGKILL");
    await child.exited;
    const created = await succeed(top, ["project", "create", "Other"]);
    expect(created).toContain("Created the project other");
    expect(leftovers(top)).toEqual([]);
    expect(brokenJson(top)).toEqual([]);
    expect(readFileSync(join(top, ".threadmind/.gitignore"), "utf8")).toBe("config.json\nlocal/\n");
    const paths = seenByGit(repository).map((line) => line.slice(3).replace(/^\.threadmind\//, ""));
    const allowed = /^(?:\.gitignore|\.gitattributes|projects\/(?:app|other)\.json|threads\/(?:app|other)\/main\.md)$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    expect((await hook({ top }, "session-start", { session_id: "a", source: "startup" })).code).toBe(0);
  }
});
