import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { SCRIPT_THREAD } from "../../src/cli/view/script_thread.ts";
import { run } from "../support/binary.ts";
import { gitRepository } from "../support/temp.ts";
import {
  contextOf,
  jsonOf,
  largeWorkspace,
  nameIn,
  type PageJson,
  type PageThread,
  pageOf,
  randomThreads,
  randomWorkspace,
  writeConfig,
  writeThreads,
} from "./workspaces.ts";

type Project = PageJson["projects"][number];

interface Client {
  readonly data: PageJson;
  assemble(project: Project, thread: PageThread): string;
  sharesOf(project: Project, thread: PageThread): readonly { readonly name: string; readonly tokens: number }[];
}

/** The page's own functions, run over its data without a browser. */
function clientOf(page: string): Client {
  const make = new Function("document", `${SCRIPT_THREAD}; return { data, assemble, sharesOf };`);
  return make({ getElementById: () => ({ textContent: jsonOf(page) }) });
}

for (const seed of [1, 2]) {
  test(`every context of generated workspace ${seed} is what threadmind context prints`, async () => {
    const repository = await randomWorkspace(seed);
    const { data, assemble } = clientOf(await pageOf(repository));
    expect(data.projects.map(({ threads }) => threads.length)).toEqual([40, 72]);
    let all = "";
    for (const [at, project] of data.projects.entries()) {
      for (const thread of project.threads) {
        const shown = thread.context.error ?? assemble(project, thread);
        expect(shown).toBe(await contextOf(repository, nameIn(data, at, thread.id)));
        all += shown;
      }
    }
    // All that a context can say is among them.
    for (const part of [
      "commit changed src",
      "Uncommitted changes in",
      "Abandoned here",
      "Missing parent",
      "Levels left out",
      "Written on commit 1234567",
      "_Written 1 commit ago._",
    ])
      expect(all).toContain(part);
    for (const part of ["has merge conflicts", "form a loop", "is not its file name", "No summary yet", "(active)"])
      expect(all).toContain(part);
  });
}

test("with --project the active thread is that project's", async () => {
  const repository = await randomWorkspace(4);
  const { data, assemble } = clientOf(await pageOf(repository, "--project", "other"));
  const other = data.projects[1] as Project;
  const main = other.threads.find(({ id }) => id === "main") as PageThread;
  expect(assemble(other, main)).toContain("(active)");
  expect(assemble(other, main)).toBe(await contextOf(repository, "main", "--project", "other"));
  const app = data.projects[0] as Project;
  for (const thread of app.threads.slice(0, 5))
    expect(assemble(app, thread)).toBe(await contextOf(repository, `app/${thread.id}`, "--project", "other"));
});

test("a configuration that can't be read is said before the context, as the command says it", async () => {
  const repository = gitRepository();
  writeThreads(repository.top, "app", randomThreads(5, 6));
  writeFileSync(`${repository.top}/.threadmind/config.json`, "{ broken");
  const { data, assemble } = clientOf(await pageOf(repository));
  const [project] = data.projects as [Project];
  for (const thread of project.threads) expect(assemble(project, thread)).toBe(await contextOf(repository, thread.id));
  expect(assemble(project, project.threads[0] as PageThread)).toContain("counts as empty");
});

test("outside git the contexts are the same too", async () => {
  const repository = gitRepository();
  const top = `${repository.home}/plain`;
  writeThreads(top, "app", randomThreads(6, 25));
  const plain = { ...repository, top };
  const { data, assemble } = clientOf(await pageOf(plain));
  const [project] = data.projects as [Project];
  for (const thread of project.threads) expect(assemble(project, thread)).toBe(await contextOf(plain, thread.id));
});

test("more paths than a command line holds are asked about in several goes, with the same notes", async () => {
  const repository = gitRepository();
  const commit = repository.commit("Start", { "src/a.ts": "1\n" });
  const long = (at: number): string => `src/${"folder/".repeat(30)}${at}`;
  const threads = Object.fromEntries(
    Array.from({ length: 150 }, (_, at) => [
      `t${at}`,
      { commit, paths: `[${at % 2 === 0 ? "src/a.ts, " : ""}${long(at)}]`, body: "text" },
    ]),
  );
  writeThreads(repository.top, "app", { main: { parentId: "null" }, ...threads });
  repository.commit("Remember");
  repository.commit("Change", { "src/a.ts": "2\n" });
  repository.commit("Change one", { [`${long(7)}/b.ts`]: "2\n" });
  const { data, assemble } = clientOf(await pageOf(repository));
  const [project] = data.projects as [Project];
  const noted = project.threads.filter((thread) => assemble(project, thread).includes("1 commit changed src"));
  // Every other one, and the seventh.
  expect(noted).toHaveLength(76);
  for (const thread of project.threads.slice(0, 12))
    expect(assemble(project, thread)).toBe(await contextOf(repository, thread.id));
});

test("the shares are those of threadmind stats", async () => {
  const repository = await randomWorkspace(7);
  const { data, sharesOf } = clientOf(await pageOf(repository));
  const [project] = data.projects as [Project];
  for (const thread of project.threads.slice(0, 15)) {
    const { stdout } = await run(["stats", "--json", "--thread", thread.id], {
      cwd: repository.top,
      home: repository.home,
    });
    const { context } = JSON.parse(stdout);
    const parts: readonly { readonly name: string; readonly tokens: number }[] = context.shares;
    const texts = parts.filter(({ name }) => name !== "headings and notes");
    const shares = sharesOf(project, thread).map(({ name, tokens }) => ({ name, tokens }));
    expect(shares).toEqual(texts.map(({ name, tokens }) => ({ name, tokens })));
  }
});

test("of a thousand threads any context is the command's, and each text stands in the page at most twice", async () => {
  const repository = largeWorkspace(1000);
  const page = await pageOf(repository);
  const { data, assemble } = clientOf(page);
  const [project] = data.projects as [Project];
  expect(project.threads).toHaveLength(1000);
  expect(page.split("Word500 is decided").length - 1).toBeLessThanOrEqual(3);
  expect(page.length).toBeLessThan(6e6);
  for (let at = 0; at < 1000; at += 61) {
    const thread = project.threads[at] as PageThread;
    expect(assemble(project, thread)).toBe(await contextOf(repository, thread.id));
  }
});

test("a text of a megabyte on top of three hundred threads is prepared once", async () => {
  const repository = gitRepository();
  const line = "- Thread of <b>text</b> that goes on\n";
  const main = { parentId: "null", body: `## Decisions\n${line.repeat(Math.ceil(2 ** 20 / line.length))}` };
  const below = Array.from({ length: 300 }, (_, at) => [`t${at}`, { body: `## Decisions\n- ${at}\n` }]);
  writeThreads(repository.top, "app", { main, ...Object.fromEntries(below) });
  writeConfig(repository.top, {});
  const started = performance.now();
  const page = await pageOf(repository);
  const once = performance.now();
  const context = await contextOf(repository, "t299");
  // Planned for each thread anew, this would take as long as three hundred contexts.
  expect(once - started).toBeLessThan(20 * (performance.now() - once) + 2000);
  expect(page.length).toBeLessThan(3e6);
  const { data, assemble } = clientOf(page);
  const [project] = data.projects as [Project];
  expect(assemble(project, project.threads.find(({ id }) => id === "t299") as PageThread)).toBe(context);
});
