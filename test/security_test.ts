import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { hook, usageRecord } from "./support/hooks.ts";
import { renderThread, snapshot, threadFile, writeProject } from "./support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder } from "./support/temp.ts";

const VERBS: readonly (readonly string[])[] = [
  ["context"],
  ["tree", "--all"],
  ["show", "auth"],
  ["stats"],
  ["search", "JWT"],
  ["search", "--path", "src/auth/login.ts"],
  ["history", "auth"],
  ["history"],
  ["verify", "auth"],
  ["doctor"],
  ["resolve"],
  ["update", "auth", "--paths", "src/auth"],
];

function repositoryWith(header = "", body = "## Decisions\n- JWT\n"): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, { auth: { body } });
  const file = threadFile(repository.top, "auth");
  if (header !== "") writeFileSync(file, renderThread("auth", { body }).replace("\n---\n\n", `\n${header}\n---\n\n`));
  repository.commit("Start", { "src/auth/login.ts": "1\n" });
  return repository;
}

test("nothing of the environment is stored or said: a client hands its tokens to every process it starts", async () => {
  const repository = repositoryWith();
  const secret = "not-to-be-told-8f3a";
  const env = {
    CLAUDE_CODE_MESSAGING_TOKEN: secret,
    CLAUDE_CODE_MESSAGING_SOCKET: `/tmp/${secret}`,
    ANTHROPIC_API_KEY: secret,
    GITHUB_TOKEN: secret,
    HTTPS_PROXY: `http://user:${secret}@localhost`,
    DEBUG: "*",
  };
  const { call, close, stderr } = await openClient({ cwd: repository.top, home: repository.home, env });
  const said: string[] = [];
  for (const tool of ["context_get", "thread_list", "stats_show", "thread_history", "project_list"])
    said.push((await call(tool)).text);
  said.push((await call("summary_update", { content: "## Decisions\n- mine" })).text);
  said.push((await call("no_such_argument", {}).catch(String)) as string);
  said.push(stderr());
  await close();
  const transcript = join(temporaryFolder(), "s.jsonl");
  writeFileSync(transcript, usageRecord(1000));
  for (const event of ["session-start", "session-end", "pre-edit"]) {
    const payload = { session_id: "s1", transcript_path: transcript, tool_input: { file_path: "src/auth/login.ts" } };
    const { stdout, stderr: errors } = await hook(repository, event, payload, { env });
    said.push(stdout, errors);
  }
  for (const words of [...VERBS, ["doctor", "--json"], ["setup", "codex", "--dry-run"], ["setup", "cursor"]]) {
    const { stdout, stderr: errors } = await run(words, { cwd: repository.top, home: repository.home, env });
    said.push(stdout, errors);
  }
  expect(said.join("\n")).not.toContain(secret);
  for (const folder of [repository.top, repository.home])
    expect(JSON.stringify(snapshot(folder))).not.toContain(secret);
});

/** Header lines that would be an option, a command or another path, if anybody took them for one. */
const HOSTILE_HEADERS: Readonly<Record<string, string>> = {
  "an option as branch": 'branch: "--output=pwned"',
  "a command as branch": 'branch: "$(touch pwned)"',
  "shell characters as branch": 'branch: "a; touch pwned; `touch pwned` | tee pwned"',
  "a line break as branch": 'branch: "main\\ntouch pwned"',
  "an option as commit": 'commit: "--output=pwned"',
  "a range as commit": "commit: HEAD..HEAD~1",
  "a path in a commit": "commit: HEAD:src/auth/login.ts",
  "a command as commit": 'commit: "`touch pwned`"',
  "an option among paths": 'paths: ["--output=pwned", "src"]',
  "pathspec magic among paths": 'paths: [":(exclude)src", ":!src", ":/", "*"]',
  "paths that lead out": 'paths: ["../..", "/etc", "src/../../x", "C:/x", "\\\\\\\\host\\\\x"]',
  "a fingerprint of another kind": 'fingerprint: "$(touch pwned)"',
  "a parent that is a path": 'mergedInto: "../../../etc/passwd"',
  "an author with options": 'author: "--exec=touch pwned"',
};

for (const [name, header] of Object.entries(HOSTILE_HEADERS)) {
  test(`a thread with ${name} runs nothing and writes nowhere else`, async () => {
    const repository = repositoryWith(header);
    const outside = snapshot(repository.home);
    for (const words of VERBS) {
      const { code, stderr } = await run(words, { cwd: repository.top, home: repository.home });
      if (code !== 0 && code !== 1) throw new Error(`${words.join(" ")}: exit ${code}: ${stderr}`);
    }
    await hook(repository, "session-start", { session_id: "s1", source: "startup" });
    expect(repository.git("status", "--porcelain", "-uall", "--", ".", ":!.threadmind")).toBe("");
    expect(existsSync(join(repository.top, "pwned"))).toBe(false);
    expect(snapshot(repository.home)).toEqual(outside);
  });
}

test("branches with names that look like options or commands are branches", async () => {
  for (const branch of ["feature/$(touch-pwned)", "feature/;touch-pwned", "feature/`x`", "feature/-n", "feature/'x'"]) {
    const repository = repositoryWith();
    repository.git("checkout", "--quiet", "-b", branch);
    const { stdout, code } = await run(["create", "Pay"], { cwd: repository.top, home: repository.home });
    expect([code, stdout.includes(`linked to the branch ${branch}`)]).toEqual([0, true]);
    for (const words of VERBS)
      expect((await run(words, { cwd: repository.top, home: repository.home })).code).toBeLessThan(2);
    expect(existsSync(join(repository.top, "touch-pwned"))).toBe(false);
  }
});

test("resolve takes file names as names, whatever they look like", async () => {
  const repository = repositoryWith();
  const ids = ["-f", "--force", "$(touch pwned)", "a b'c", "*"];
  const write = (text: string): void => {
    for (const id of ids)
      writeFileSync(
        threadFile(repository.top, id),
        renderThread(JSON.stringify(id), { body: `## Decisions\n- a\n${text}` }),
      );
  };
  write("");
  repository.commit("Base");
  repository.git("checkout", "--quiet", "-b", "side");
  write("- theirs\n");
  repository.commit("Theirs");
  repository.git("checkout", "--quiet", "main");
  write("- mine\n");
  repository.commit("Ours");
  expect(() => repository.git("merge", "side")).toThrow();
  const { stdout, code } = await run(["resolve", "--add"], { cwd: repository.top, home: repository.home });
  expect([code, stdout.includes(`Staged ${ids.length} files.`)]).toEqual([0, true]);
  expect(repository.git("ls-files", "--unmerged")).toBe("");
  expect(existsSync(join(repository.top, "pwned"))).toBe(false);
});

test("a terminal gets no escape sequence or bidirectional override from anything that is shown", async () => {
  const evil = "\u001b]0;owned\u0007\u001b[31m\u202e\u2066\u009b2J";
  const repository = repositoryWith("", `## Decisions\n- ${evil} JWT\n\n## Next steps\n- ${evil}\n`);
  const titled = renderThread("evil", { title: JSON.stringify(`T ${evil}`), body: `- ${evil} JWT\n` });
  writeFileSync(threadFile(repository.top, "evil"), titled);
  mkdirSync(join(repository.top, ".threadmind/threads/app"), { recursive: true });
  writeFileSync(threadFile(repository.top, "bad"), `---\nid: bad\ntitle: ${evil}\n`);
  for (const words of [...VERBS, ["tree", "--color", "always"], ["show", "evil"], ["project", "list"]]) {
    const { stdout, stderr } = await run(words, { cwd: repository.top, home: repository.home });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of ours, which are no escape of a thread's
    const shown = (stdout + stderr).replaceAll(/\u001b\[[0-9;]{0,4}m/g, words.includes("--color") ? "" : "$&");
    for (const character of ["\u001b", "\u0007", "\u202e", "\u2066", "\u009b"])
      expect([words.join(" "), shown.includes(character)]).toEqual([words.join(" "), false]);
  }
});

test("ids and roots that are paths of another place reach nothing there", async () => {
  const repository = repositoryWith();
  const outside = temporaryFolder("outside");
  writeFileSync(join(outside, "secret.md"), renderThread("secret", { body: "the secret text" }));
  const ids = [
    `../../../../${outside}/secret`,
    `${outside}/secret`,
    "..",
    ".",
    "app/../../secret",
    "con",
    "a\u0000b",
    "app/..",
  ];
  const before = snapshot(outside);
  for (const id of ids) {
    for (const words of [
      ["show", id],
      ["switch", id],
      ["delete", id],
      ["history", id],
      ["restore", id],
    ]) {
      const { stdout, stderr, code } = await run(
        words.map((word) => word.replace("\u0000", "\\0")),
        {
          cwd: repository.top,
          home: repository.home,
        },
      );
      expect([code === 0, (stdout + stderr).includes("the secret text")]).toEqual([false, false]);
    }
  }
  expect(snapshot(outside)).toEqual(before);
});
