import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSummary } from "../../src/core/summary.ts";
import { FIELD_KEYS, type ThreadFields } from "../../src/core/thread_fields.ts";
import { editThreadFile, parseThreadFile, type ThreadChanges, type ThreadFile } from "../../src/core/thread_file.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { decodeText } from "../../src/io/files.ts";
import { openStore } from "../../src/io/store.ts";
import { run } from "../support/binary.ts";
import { openServer } from "../support/server.ts";
import { snapshot, threadFile, writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryHome } from "../support/temp.ts";
import { amount, changedPaths, numbers, report } from "./faults.ts";
import { fuzz, mutate, randomOf, seedFiles } from "./mutations.ts";

setDefaultTimeout(600_000);

const INPUTS = amount(4000, 60_000);
const FILES = amount(150, 1500);
const LIMIT_MS = 2000;
const AT = "2027-01-02T03:04:05.678Z";
const SEEDS = seedFiles();

/** The lines that an edit took out or put in place of others, and what it put there. */
function difference(before: string, after: string): { readonly removed: string; readonly added: string } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let [b, a] = [before.length, after.length];
  while (b > start && a > start && before[b - 1] === after[a - 1]) {
    b--;
    a--;
  }
  return { removed: before.slice(start, b), added: after.slice(start, a) };
}

const without = (fields: ThreadFields, key: keyof ThreadFields): ThreadFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));

async function reread(source: string): Promise<ThreadFile> {
  const file = await parseThreadFile(source);
  if ("message" in file) throw new Error(`an edited file can't be read: ${file.message}\n${JSON.stringify(source)}`);
  return file;
}

/** The edited text; `undefined` where the header is too odd to be edited, which is refused as such. */
function edit(file: ThreadFile, changes: ThreadChanges): string | undefined {
  try {
    return editThreadFile(file, changes);
  } catch (error) {
    if (error instanceof ThreadMindError && error.code === "malformed-file") return undefined;
    throw error;
  }
}

/** What holds of every file that can be read; false for one that is too odd to be edited. */
async function checkEdits(file: ThreadFile): Promise<boolean> {
  const { source, fields, body, editable, repaired, conflictLine } = file;
  expect(editThreadFile(file, {})).toBe(source);
  expect(source.endsWith(body)).toBe(true);
  parseSummary(body);
  if (conflictLine !== undefined) {
    expect(() => editThreadFile(file, { set: { updatedAt: AT } })).toThrow(ThreadMindError);
    return true;
  }
  const dated = edit(file, { set: { updatedAt: AT } });
  if (dated === undefined) return false;
  const again = await reread(dated);
  expect(again.fields).toEqual({ ...fields, updatedAt: AT });
  expect(again.body).toBe(editable === undefined ? again.body : body);
  expect(dated.endsWith(body)).toBe(true);
  expect(editThreadFile(again, { set: { updatedAt: AT } })).toBe(dated);
  if (repaired === undefined && editable !== undefined && editable.superseded.size === 0) {
    // A value that was there is replaced on its own lines; nothing else is touched.
    const { removed, added } = difference(source, dated);
    if (fields.updatedAt === undefined && !/updatedAt/.test(source)) expect(removed).toBe("");
    else expect(removed.length).toBeLessThanOrEqual(Math.max(400, (fields.updatedAt ?? "").length * 8));
    expect(added.length).toBeLessThanOrEqual(AT.length + 20);
  }
  const rewritten = edit(file, { body: "## State\n- new\n" });
  if (rewritten === undefined) return false;
  const other = await reread(rewritten);
  expect(other.fields).toEqual(fields);
  expect(other.body.trim().replaceAll("\r\n", "\n")).toBe("## State\n- new");
  if (repaired === undefined && editable !== undefined)
    expect(rewritten.startsWith(source.slice(0, source.length - body.length).trimEnd())).toBe(true);
  for (const key of FIELD_KEYS) {
    if (fields[key] === undefined) continue;
    const unset = edit(file, { unset: [key] });
    if (unset === undefined) return false;
    expect((await reread(unset)).fields).toEqual(without(fields, key));
  }
  return true;
}

test(`${INPUTS} mutated thread files are read, edited and read again: no byte is lost, nothing but a refusal is thrown`, async () => {
  const random = randomOf("edits");
  let [readable, odd, slowest] = [0, 0, 0];
  for (const round of numbers(INPUTS)) {
    await fuzz("edits", round, mutate(random, random.pick(SEEDS)), async (bytes) => {
      const decoded = decodeText(bytes);
      if (!("text" in decoded)) return;
      const begun = performance.now();
      const file = await parseThreadFile(decoded.text);
      if ("message" in file) {
        expect([file.line >= 1, file.message, file.hint]).toEqual([
          true,
          expect.stringMatching(/\.$/),
          expect.any(String),
        ]);
      } else {
        readable++;
        if (!(await checkEdits(file))) odd++;
      }
      slowest = Math.max(slowest, performance.now() - begun);
      expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
    });
  }
  expect(readable).toBeGreaterThan(INPUTS / 4);
  expect(odd).toBeLessThan(INPUTS / 100);
  report(
    `${INPUTS} mutated thread files (${readable} readable, ${odd} of these too odd to be edited), the slowest in ${Math.round(slowest)} ms`,
  );
});

test(`a project of ${FILES} mutated thread files is shown by every reader, and no byte of it changes`, async () => {
  const random = randomOf("project");
  const { top, home } = gitRepository({ home: temporaryHome() });
  writeProject(top, { good: { body: "## Decisions\n- good as ever\n" } });
  for (const n of numbers(FILES)) {
    const text = Buffer.from(mutate(random, random.pick(SEEDS).replace(/^id: .*$/m, `id: t${n}`)));
    writeFileSync(threadFile(top, `t${n}`), text);
  }
  const before = snapshot(top);
  const begun = performance.now();
  const { stdout, stderr, code } = await run(["tree", "--json"], { cwd: top, home });
  expect([code, stderr]).toEqual([0, ""]);
  const { threads, faults }: { threads: { id: string }[]; faults: { file: string; kind?: string }[] } =
    JSON.parse(stdout);
  expect(threads.map(({ id }) => id).sort()).toEqual(["good", "main", ...numbers(FILES).map((n) => `t${n}`)].sort());
  for (const words of [["tree"], ["context", "good"], ["search", "ever"], ["stats"], ["history"]]) {
    const result = await run(words, { cwd: top, home });
    expect([words, result.code, result.stderr]).toEqual([words, 0, ""]);
    if (words[0] !== "stats" && words[0] !== "history") expect(result.stdout).toContain("good");
  }
  expect(performance.now() - begun).toBeLessThan(60_000);

  // Each thread alone and with its ancestors, over one server.
  const server = await openServer({ cwd: top, home });
  let refused = 0;
  const asked = numbers(FILES).filter((n) => n % amount(3, 10) === 0);
  for (const n of asked) {
    await fuzz("project", n, before[`.threadmind/threads/app/t${n}.md`] ?? "", async () => {
      // Each call reads the whole project.
      for (const args of [{ threadId: `t${n}` }, { threadId: `t${n}`, alone: true }]) {
        const asked = performance.now();
        const { error, result } = await server.request("tools/call", { name: "context_get", arguments: args });
        expect(performance.now() - asked).toBeLessThan(5 * LIMIT_MS);
        expect(error).toBeUndefined();
        const [text = ""] = (result?.content ?? []).map((part) => part.text);
        expect(text).not.toContain("this is a bug");
        if (result?.isError === true) expect([++refused > 0, text]).toEqual([true, expect.stringMatching(/^Cannot /)]);
      }
    });
  }
  await server.closeInput();
  expect(changedPaths(before, snapshot(top))).toEqual([]);
  report(
    `${FILES} mutated files in one project: ${faults.length} findings, ${refused} of ${2 * asked.length} contexts refused, all named`,
  );
});

test("what a store reads of mutated files is what it writes: an append keeps every byte above it", async () => {
  const random = randomOf("store");
  const { top } = gitRepository();
  writeProject(top);
  const folder = join(top, ".threadmind/threads/app");
  mkdirSync(folder, { recursive: true });
  const store = openStore(top, () => new Date());
  const [project] = store.readProjects().projects;
  if (project === undefined) throw new Error("no project");
  let written = 0;
  for (const round of numbers(amount(150, 1500))) {
    await fuzz("store", round, mutate(random, random.pick(SEEDS).replace(/^id: .*$/m, "id: t")), async (bytes) => {
      const path = join(folder, "t.md");
      writeFileSync(path, bytes);
      const id = "t" as Parameters<typeof store.readThreadFile>[1];
      const { tree } = await store.readThreads(project);
      expect(tree.threads.has("t")).toBe(true);
      try {
        const file = await store.readThreadFile(project.id, id);
        const source = editThreadFile(file, { body: `${file.body}\n- appended\n` });
        await store.change(async (writer) => writer.putThread(project.id, id, source));
        written++;
        const { text } = decodeText(new Uint8Array(await Bun.file(path).bytes())) as { text: string };
        expect(text).toBe(source);
        // A byte order mark in front of a text that is written is no part of it.
        expect(text.replaceAll("\r\n", "\n")).toContain(
          file.body
            .replace(/^\ufeff+/, "")
            .replaceAll("\r\n", "\n")
            .trimEnd(),
        );
      } catch (error) {
        if (!(error instanceof ThreadMindError)) throw error;
        expect(["malformed-file", "merge-conflict"]).toContain(error.code);
        expect(Buffer.from(await Bun.file(path).bytes()).equals(Buffer.from(bytes))).toBe(true);
      }
    });
  }
  expect(written).toBeGreaterThan(20);
});
