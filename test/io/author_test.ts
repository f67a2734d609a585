import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/binary.ts";
import { readThread, writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";

/** The author that a new thread gets in a folder. */
async function authorIn(top: string, home: string, title = "New"): Promise<string> {
  if (!existsSync(join(top, ".threadmind"))) writeProject(top);
  const { code, stderr } = await run(["create", title], { cwd: top, home });
  if (code !== 0) throw new Error(stderr);
  return /^author: (.*)$/m.exec(readThread(top, title.toLowerCase().replaceAll(" ", "-")))?.[1] ?? "";
}

/** A home folder of a person whose git knows this much. */
function homeOf(name: string | undefined, email: string | undefined): string {
  const home = temporaryHome();
  const lines = [name === undefined ? "" : `name = ${name}`, email === undefined ? "" : `email = ${email}`];
  writeFileSync(join(home, ".gitconfig"), `[user]\n${lines.join("\n")}\n`);
  return home;
}

function digits(email: string): string {
  return createHash("sha256").update(email).digest("hex").slice(0, 4);
}

const PEOPLE: readonly (readonly [name: string | undefined, email: string | undefined, id: string | RegExp])[] = [
  ["Sam Doe", "sam@example.org", `sam-doe-${digits("sam@example.org")}`],
  ["Sam Doe", "SAM@Example.ORG", `sam-doe-${digits("sam@example.org")}`],
  ["Zoë Straße", "z@example.org", `zoe-strasse-${digits("z@example.org")}`],
  ["李雷", "li@example.org", `李雷-${digits("li@example.org")}`],
  ['"Sam: \\"the dev\\" #1"', "sam@example.org", `sam-the-dev-1-${digits("sam@example.org")}`],
  [undefined, "sam@example.org", `author-${digits("sam@example.org")}`],
  ['"!!!"', "sam@example.org", `author-${digits("sam@example.org")}`],
  ["Sam Doe", undefined, /^sam-doe-[0-9a-f]{4}$/],
  [undefined, undefined, /^author-[0-9a-f]{4}$/],
];

for (const [name, email, id] of PEOPLE) {
  test(`a thread's author is the slug of ${name} with digits of ${email}`, async () => {
    const { top } = gitRepository();
    const author = await authorIn(top, homeOf(name, email));
    if (typeof id === "string") expect(author.replace(/^"|"$/g, "")).toBe(id);
    else expect(author).toMatch(id);
  });
}

test("one person keeps one id over clones, worktrees and folders without a repository", async () => {
  const home = homeOf("Sam Doe", "sam@example.org");
  const repo = gitRepository();
  writeProject(repo.top);
  repo.commit("Start");
  const [clone, linked] = [join(temporaryFolder(), "clone"), join(temporaryFolder(), "linked")];
  repo.git("clone", "--quiet", repo.top, clone);
  repo.git("worktree", "add", "--quiet", linked);
  const ids = await Promise.all([repo.top, clone, linked].map((top) => authorIn(top, home)));
  expect(new Set(ids)).toEqual(new Set([`sam-doe-${digits("sam@example.org")}`]));
});

test("without an e-mail address the id stays the one in config.json, a broken one included", async () => {
  const home = homeOf("Sam Doe", undefined);
  const { top } = gitRepository();
  const first = await authorIn(top, home, "One");
  const config = join(top, ".threadmind/config.json");
  expect(JSON.parse(readFileSync(config, "utf8")).author).toBe(first);
  expect(await authorIn(top, home, "Two")).toBe(first);
  writeFileSync(config, readFileSync(config, "utf8").trimEnd().slice(0, -1));
  const { stdout } = await run(["create", "Three"], { cwd: top, home });
  expect(stdout).toMatch(/^\.threadmind\/config\.json:\d+: It is not JSON: .* It was set aside as /);
  expect(readThread(top, "three")).toContain(`author: ${first}`);
  expect(await authorIn(top, home, "Four")).toBe(first);
});

test("an id of 0.4 in config.json stays there, and today's is added beside it", async () => {
  const { top, home } = gitRepository();
  writeProject(top);
  writeFileSync(join(top, ".threadmind/config.json"), '{\n  "author": "sam-old",\n  "version": 1\n}');
  const today = await authorIn(top, home);
  expect(today).toBe(`sam-doe-${digits("sam@example.org")}`);
  await authorIn(top, home, "Again");
  const config = JSON.parse(readFileSync(join(top, ".threadmind/config.json"), "utf8"));
  expect([config.author, config.authors]).toEqual(["sam-old", [today]]);
});

test("outside a repository and without git one keeps one's id as far as it can be known", async () => {
  const home = homeOf("Sam Doe", "sam@example.org");
  const top = join(home, "notes");
  mkdirSync(top);
  writeProject(top);
  const known = `sam-doe-${digits("sam@example.org")}`;
  expect(await authorIn(top, home, "One")).toBe(known);
  const bare = temporaryFolder();
  writeProject(bare);
  const env = { PATH: temporaryFolder() };
  await run(["create", "One"], { cwd: bare, home, env });
  await run(["create", "Two"], { cwd: bare, home, env });
  const authors = ["one", "two"].map((thread) => /^author: (.*)$/m.exec(readThread(bare, thread))?.[1]);
  expect(authors[0]).toMatch(/^author-[0-9a-f]{4}$/);
  expect(authors[1]).toBe(authors[0]);
});
