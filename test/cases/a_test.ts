import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { run } from "../support/binary.ts";
import { readThread } from "../support/stored_project.ts";
import { type GitRepository, temporaryHome } from "../support/temp.ts";
import { answers, BASE, changedLines, HEADER, inSession, output, repositoryWith, withBody } from "./base_thread.ts";

/** A thread's header as another YAML reader sees it. */
function headerOf({ top }: GitRepository, thread: string): Readonly<Record<string, unknown>> {
  return parse(readThread(top, thread).split(/^---$/m)[1] ?? "");
}

/** A thread as `tree --json` shows it. */
async function listed(repository: GitRepository, thread: string): Promise<Readonly<Record<string, unknown>>> {
  const { threads } = JSON.parse(await output(repository, "tree", "--json"));
  return threads.find(({ id }: { readonly id: string }) => id === thread);
}

const COLON_AND_HASH = "Retry: back off on 429 #billing";

for (const title of [COLON_AND_HASH, "C# notes #1"]) {
  test(`the title ${title} typed by hand hides nothing and is quoted by the next write`, async () => {
    const source = BASE.replace("title: Auth", `title: ${title}`);
    const repository = repositoryWith({ auth: source }, { api: { parentId: "auth", body: "## State\n- begun\n" } });
    const [tree, context] = await answers(repository, ["thread_list"], ["context_get", { threadId: "api" }]);
    const update = await output(repository, "summary", "auth", "--section", "State", "--content", "- logout done");
    expect(tree?.text).toContain(`main ← active\n└── auth "${title}"\n    └── api\n`);
    expect(tree?.text).toMatch(/\.threadmind\/threads\/app\/auth\.md:3: title .*Write title: "/);
    expect(tree?.text.split("\n").filter((line) => line.includes("auth.md"))).toHaveLength(1);
    expect(context?.text).toContain(`## Thread: ${title}\n\n## Decisions\n- JWT in a cookie\n\n---`);
    expect(update).toContain("The title on line 3 is now written so that every YAML reader reads it.");
    expect(headerOf(repository, "auth")).toMatchObject({ title, id: "auth", parentId: "main", author: "sam-1a2b" });
    expect(changedLines(repository).filter((line) => /title|id:|parentId|author|createdAt/.test(line))).toEqual([
      `-title: ${title}`,
      `+title: "${title}"`,
    ]);
  });

  test(`the title ${title} given to a tool comes back whole, to every reader`, async () => {
    const repository = repositoryWith({ auth: BASE });
    const [created] = await answers(repository, ["thread_create", { title, parentId: "main" }]);
    const id = /Created the thread (\S+)/.exec(created?.text ?? "")?.[1] ?? "";
    expect((await listed(repository, id)).title).toBe(title);
    expect(headerOf(repository, id).title).toBe(title);
  });
}

const HASHES = ["4081957263301846e29573018264401973625580", "7310954826610948213379025518846390271645", "0192117"];
const CHANGES: Readonly<Record<string, readonly [tool: string, args: object]>> = {
  "another title": ["thread_update", { threadId: "auth", title: "Sign in" }],
  "another status": ["thread_status", { threadId: "auth", status: "done" }],
};

for (const hash of HASHES) {
  for (const [name, [tool, args]] of Object.entries(CHANGES)) {
    test(`${name} leaves the unquoted commit ${hash} as it stands`, async () => {
      const repository = repositoryWith({ auth: BASE.replace("\n---\n\n", `\ncommit: ${hash}\n---\n\n`) });
      const [answer] = await answers(repository, [tool, { ...args }]);
      expect(answer?.isError).toBe(false);
      expect(readThread(repository.top, "auth").match(/^commit.*$/gm)).toEqual([`commit: ${hash}`]);
      expect(changedLines(repository).length).toBeLessThanOrEqual(4);
    });
  }
}

test("values that YAML would take for numbers are texts everywhere, and stay as they stand", async () => {
  const lines = ["branch: 0x1F", "commit: 0192117", "paths: [007, 1e3, no, 0192117]", "mergedInto: 1_000"];
  const source = BASE.replace("id: auth", "id: 007")
    .replace("sam-1a2b", "1e3")
    .replace("\n---\n\n", `\n${lines.join("\n")}\n---\n\n`);
  const repository = repositoryWith({
    "007": source,
    "1e3": BASE.replace("id: auth", "id: 1e3").replace("main", "007"),
  });
  const changes = [
    ["thread_update", { threadId: "007", title: "Sign in" }],
    ["thread_status", { threadId: "1e3", status: "done" }],
  ] as const;
  for (const { isError } of await answers(repository, ...changes)) expect(isError).toBe(false);
  const after = readThread(repository.top, "007");
  for (const line of ["id: 007", "author: 1e3", ...lines]) expect(after).toContain(`\n${line}\n`);
  expect(readThread(repository.top, "1e3")).toContain("\nparentId: 007\n");
  expect(await listed(repository, "007")).toMatchObject({ id: "007", parentId: "main", branch: "0x1F" });
  expect(await listed(repository, "1e3")).toMatchObject({ id: "1e3", parentId: "007" });
});

for (const name of [...HASHES, "1e3"]) {
  test(`a link to a branch named ${name} is written so that every YAML reader reads a text`, async () => {
    const repository = repositoryWith({ auth: BASE });
    repository.git("update-ref", `refs/heads/${name}`, "HEAD");
    repository.git("symbolic-ref", "HEAD", `refs/heads/${name}`);
    await output(repository, "create", "New", "--parent-id", "main");
    await output(repository, "update", "new", "--paths", name);
    expect(headerOf(repository, "new")).toMatchObject({ branch: name, paths: [name] });
  });
}

test("a file with byte order mark and CRLF reads like any other, and an update keeps both", async () => {
  const source = `\ufeff${BASE.replaceAll("\n", "\r\n")}`;
  const repository = repositoryWith({ auth: source });
  const calls = [
    ["thread_list"],
    ["context_get", { threadId: "auth" }],
    ["summary_update", { threadId: "auth", content: "## Decisions\n- JWT in a header\n\n## State\n- login done\n" }],
  ] as const;
  const [tree, context] = await answers(repository, ...calls);
  expect(tree?.text).toBe("main ← active\n└── auth");
  expect(context?.text).toContain(
    "## Thread: Auth\n\n## Decisions\n- JWT in a cookie\n\n## State\n- login done\n\n---\n",
  );
  expect(context?.text).not.toContain("\r");
  const after = readThread(repository.top, "auth");
  expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  expect([after.indexOf("\ufeff"), after.lastIndexOf("\ufeff")]).toEqual([0, 0]);
  expect(changedLines(repository)).toEqual([
    "-updatedAt: 2026-04-15T12:30:00.000Z\r",
    expect.stringMatching(/^\+updatedAt: /),
    expect.stringMatching(/^\+commit: /),
    "-- JWT in a cookie\r",
    "+- JWT in a header\r",
  ]);
});

const DASHES = `---
id: auth
title: Auth --- phase 2
parentId: main
author: sam-1a2b
createdAt: 2026-04-15T10:00:00.000Z
updatedAt: 2026-04-15T12:30:00.000Z
note: |
  ---
  not a fence
---

## Decisions
- keep the header below

---

\`\`\`yaml
---
kind: example
---
\`\`\`

## State
- ok
`;

test("three dashes in a value and in the body end no header and lose nothing", async () => {
  const repository = repositoryWith({ auth: DASHES }, { api: { parentId: "auth" } });
  expect(await listed(repository, "auth")).toMatchObject({ title: "Auth --- phase 2", parentId: "main" });
  const shown = await output(repository, "show", "auth");
  const body = DASHES.slice(DASHES.indexOf("## Decisions"));
  expect(shown).toBe(`## Thread: Auth --- phase 2\n\n${body}`);
  expect(await output(repository, "context", "api")).toContain(
    "- keep the header below\n\n---\n\n```yaml\n---\nkind: example\n---\n```\n\n---\n",
  );
  await answers(repository, ["summary_update", { threadId: "auth", content: body }]);
  expect(readThread(repository.top, "auth").replace(/^commit: .*\n/m, "")).toBe(DASHES);
  await answers(repository, ["summary_update", { threadId: "auth", section: "State", content: "- better" }]);
  const stamps = /^(?:commit|updatedAt): .*\n/gm;
  expect(readThread(repository.top, "auth").replace(stamps, "")).toBe(
    DASHES.replace(stamps, "").replace("- ok", "- better"),
  );
});

test("the closing fence is a line of its own, at its beginning, blanks after it allowed", async () => {
  const closed = BASE.replace("\n---\n\n", "\n---  \t\n\n");
  const indented = BASE.replace("updatedAt:", "note: >\n  text\n  ---\nupdatedAt:");
  const repository = repositoryWith({ auth: closed, other: indented.replace("id: auth", "id: other") });
  for (const id of ["auth", "other"]) {
    expect(await output(repository, "show", id)).toBe(`## Thread: Auth\n\n${BASE.slice(BASE.indexOf("## Decisions"))}`);
    await output(repository, "done", id);
  }
  expect(readThread(repository.top, "auth")).toContain("\n---  \t\n\n## Decisions\n");
  expect(readThread(repository.top, "other")).toContain("\nnote: >\n  text\n  ---\nupdatedAt: ");
});

const COMMENTED = `---
# owned by the payments team
title: Auth
id: auth
reviewer: lee   # until June
paths: ["src/auth", "src/[id]"]
flags: {beta: yes, level: 0xFF}

parentId: main
author: sam-1a2b
createdAt: 2026-04-15T10:00:00.000Z
updatedAt: 2026-04-15T12:30:00.000Z
---

## Decisions
- JWT in a cookie

## State
- login done
`;

/** What may differ in the header whatever is written. */
const STAMP = /^[-+](?:updatedAt|commit|fingerprint): /;

const WRITES: Readonly<Record<string, readonly [tool: string, args: object, lines: readonly string[]]>> = {
  "an update of one section": [
    "summary_update",
    { threadId: "auth", section: "State", content: "- login and logout done" },
    ["-- login done", "+- login and logout done"],
  ],
  "a whole update that changes one section": [
    "summary_update",
    { threadId: "auth", content: "## Decisions\n- JWT in a cookie\n\n## State\n- login and logout done\n" },
    ["-- login done", "+- login and logout done"],
  ],
  "another status": ["thread_status", { threadId: "auth", status: "done" }, ["+status: done"]],
  "a status with a reason": [
    "thread_status",
    { threadId: "auth", status: "abandoned", reason: "too slow" },
    ["+status: abandoned", "+- Abandoned: too slow"],
  ],
  "another parent": [
    "thread_rebase",
    { threadId: "auth", newParentId: "other" },
    ["-parentId: main", "+parentId: other"],
  ],
  "a merge into its parent": ["thread_merge", { threadId: "auth" }, ["+mergedInto: main", "+status: done"]],
  "a merge of a child": ["thread_merge", { threadId: "child" }, ["+- from the child"]],
};

for (const [name, [tool, args, lines]] of Object.entries(WRITES)) {
  test(`${name} differs in what was set and in nothing else of a header edited by hand`, async () => {
    const child = { parentId: "auth", body: "## Decisions\n- from the child\n" };
    const repository = repositoryWith({ auth: COMMENTED }, { other: {}, child });
    const [answer] = await answers(repository, [tool, { ...args }]);
    expect([answer?.isError, answer?.text]).toEqual([false, expect.any(String)]);
    const others = ["main", "child"].map((thread) => `.threadmind/threads/app/${thread}.md`);
    repository.git("checkout", "--quiet", "--", ...others);
    const changed = changedLines(repository);
    expect(changed.filter((line) => !STAMP.test(line))).toEqual([...lines]);
    expect(changed.filter((line) => line.startsWith("-updatedAt"))).toHaveLength(1);
  });
}

const LONG =
  "Decide how the mobile app keeps a session alive when the phone is offline for longer than the refresh token lives";

test("a title of 113 characters, a long branch and long paths stay on one line through every write", async () => {
  expect(LONG).toHaveLength(113);
  const unknown = `note: ${"plain words that nobody quoted ".repeat(8).trim()}\nurl: https://example.org/${"a".repeat(150)}`;
  const repository = repositoryWith({ auth: BASE.replace("\n---\n\n", `\n${unknown}\n---\n\n`) });
  const branch = `feature/${"a long branch name ".repeat(8).trim().replaceAll(" ", "-")}`;
  const paths = [`src/${"a folder with blanks ".repeat(7).trim()}`, `src/${"x".repeat(150)}`];
  repository.git("checkout", "--quiet", "-b", branch);
  const [created] = await answers(
    repository,
    ["thread_create", { title: LONG, parentId: "main" }],
    ["summary_update", { content: "## Decisions\n- One\n", paths }],
    ["summary_update", { section: "State", content: "- Two" }],
    ["thread_status", { status: "done" }],
    ["thread_update", { threadId: "auth", title: LONG }],
  );
  const id = /Created the thread (\S+)/.exec(created?.text ?? "")?.[1] ?? "";
  const source = readThread(repository.top, id);
  expect(source).toMatch(new RegExp(`^title: ${LONG}$`, "m"));
  expect(source).toContain(`\nbranch: ${branch}\n`);
  expect(headerOf(repository, id)).toMatchObject({ title: LONG, branch, paths });
  expect(source.split("\n---\n")[0]?.split("\n")).toHaveLength(Object.keys(headerOf(repository, id)).length + 1);
  expect(readThread(repository.top, "auth")).toContain(`\n${unknown}\n`);
  expect(readThread(repository.top, "auth")).toContain(`\ntitle: ${LONG}\n`);
});

const CONFLICT_IN_HEADER = BASE.replace(
  "updatedAt: 2026-04-15T12:30:00.000Z",
  "<<<<<<< HEAD\nupdatedAt: 2026-04-16T11:00:00.000Z\n=======\nupdatedAt: 2026-04-16T09:00:00.000Z\n>>>>>>> feature/auth",
);

const CONFLICT_IN_BODY = `${HEADER.replace("id: auth", "id: api").replace("Auth", "Api")}
## Decisions
<<<<<<< HEAD
Tokens live in cookies
=======
Tokens live in headers
>>>>>>> feature/auth

## State
- login done
`;

const CONFLICTED = { auth: ["auth", "auth.md", 7], api: ["api", "api.md", 11] } as const;

function withConflicts(): GitRepository {
  return repositoryWith(
    { auth: CONFLICT_IN_HEADER, api: CONFLICT_IN_BODY },
    { "below-auth": { parentId: "auth" }, "below-api": { parentId: "api" }, good: { body: "## Decisions\n- fine\n" } },
  );
}

test("threads with conflict markers are listed with path and line, and the rest works", async () => {
  const repository = withConflicts();
  const [tree, good, update] = await answers(
    repository,
    ["thread_list"],
    ["context_get", { threadId: "good" }],
    ["summary_update", { threadId: "good", content: "## Decisions\n- better\n" }],
  );
  for (const [id, file, line] of Object.values(CONFLICTED)) {
    expect(tree?.text).toMatch(new RegExp(`── ${id} ⚠ merge conflicts \\(line ${line}\\)$`, "m"));
    expect(tree?.text).toContain(`.threadmind/threads/app/${file}:${line}: It has merge conflicts.`);
  }
  expect(good?.text).toContain("- fine");
  expect([update?.isError, readThread(repository.top, "good").includes("- better")]).toEqual([false, true]);
});

for (const [id, , line] of Object.values(CONFLICTED)) {
  test(`what stands between the markers of ${id} is shown as decided nowhere`, async () => {
    const repository = withConflicts();
    for (const threadId of [id, `below-${id}`]) {
      for (const alone of [false, true]) {
        const [context] = await answers(repository, ["context_get", { threadId, alone }]);
        expect(context?.text).not.toMatch(/Tokens live|<<<<<<<|2026-04-16/);
        if (!alone || threadId === id) expect(context?.text).toContain(`merge conflicts (line ${line})`);
      }
    }
    const [found] = await answers(repository, ["thread_search", { query: "Tokens" }]);
    expect(found?.text).not.toContain("- Tokens live");
  });

  test(`${id} with conflict markers refuses every write until they are settled`, async () => {
    const repository = withConflicts();
    const source = readThread(repository.top, id);
    const calls = [
      ["summary_update", { threadId: id, content: "## Decisions\n- x\n" }],
      ["summary_update", { threadId: id, content: "- x", append: true }],
      ["thread_status", { threadId: id, status: "done" }],
      ["thread_merge", { threadId: id }],
      ["thread_merge", { threadId: `below-${id}` }],
      ["thread_delete", { threadId: id }],
      ["thread_update", { threadId: id, title: "New" }],
      ["thread_rebase", { threadId: id, newParentId: "good" }],
      ["thread_verify", { threadId: id }],
    ] as const;
    for (const { text, isError } of await answers(repository, ...calls)) {
      expect([isError, text]).toEqual([true, expect.stringContaining(`merge conflicts (line ${line})`)]);
    }
    expect(readThread(repository.top, id)).toBe(source);
  });
}

test("conflict markers inside a fenced block are text", async () => {
  const fence = "```\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> feature/auth\n```\n";
  const body = `## Decisions\n- settle markers by hand:\n\n${fence}\n## State\n- ok\n`;
  const repository = repositoryWith({ auth: withBody(body) }, { api: { parentId: "auth" } });
  expect(await output(repository, "tree")).toBe("main ← active\n└── auth\n    └── api\n");
  expect(await output(repository, "context", "api")).toContain(fence);
  await output(repository, "summary", "auth", "--section", "State", "--content", "- written");
  expect(readThread(repository.top, "auth")).toContain(`${fence}\n## State\n- written\n`);
});

const BREAKS: readonly (readonly [title: string, one: string])[] = [
  ["Q3 plan\nparentId: null\nstatus: done", "Q3 plan parentId: null status: done"],
  ["Q3 plan\r\nparentId: null\r\nstatus: done", "Q3 plan parentId: null status: done"],
  ["Q3\tplan", "Q3 plan"],
  ["Q3\u2028plan\u2028status: done", "Q3 plan status: done"],
];

for (const [title, one] of BREAKS) {
  test(`the title ${JSON.stringify(title)} becomes one line and sets no other key`, async () => {
    const repository = repositoryWith({ auth: BASE });
    await inSession(repository, async ({ call }) => {
      const { text } = await call("thread_create", { title, parentId: "auth" });
      const id = /Created the thread (\S+) below auth/.exec(text)?.[1] ?? "";
      expect(headerOf(repository, id)).toMatchObject({ id, title: one, parentId: "auth" });
      expect(headerOf(repository, id).status).toBeUndefined();
      const tree = (await call("thread_list")).text.split("\n");
      expect(tree).toHaveLength(3);
      expect(tree[2]).toContain("← active");
      const renamed = await call("thread_update", { threadId: "auth", title });
      expect(renamed.isError).toBe(false);
      expect(headerOf(repository, "auth")).toMatchObject({ title: one, parentId: "main" });
      await call("project_create", { title, systemContext: 'Line one\nline "two"' });
      const listedProjects = (await call("project_list")).text.split("\n");
      expect(listedProjects.filter((line) => line.includes("Q3"))).toHaveLength(1);
    });
    const { projects } = JSON.parse(await output(repository, "project", "list", "--json"));
    expect(projects.map(({ title: of }: { readonly title: string }) => of).sort()).toEqual(["App", one]);
  });
}

test("an author's name with quotes, colon and hash makes a plain id and no other key", async () => {
  const repository = repositoryWith({ auth: BASE });
  const home = temporaryHome();
  writeFileSync(
    join(home, ".gitconfig"),
    '[user]\n\tname = "Sam: \\"the dev\\" #1"\n\temail = sam@example.org\n[init]\n\tdefaultBranch = main\n',
  );
  const { code, stderr } = await run(["create", "New", "--parent-id", "main"], { cwd: repository.top, home });
  expect([code, stderr]).toEqual([0, ""]);
  expect(headerOf(repository, "new").author).toMatch(/^sam-the-dev-1-[0-9a-f]{4}$/);
  const keys = readThread(repository.top, "new").match(/^\w+:/gm)?.join(" ");
  expect(keys).toBe("id: title: parentId: author: createdAt: updatedAt:");
});
