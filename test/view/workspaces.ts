import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/binary.ts";
import { STAMP } from "../support/stored_project.ts";
import { type GitRepository, gitRepository, temporaryFolder, temporaryHome } from "../support/temp.ts";

/** A thread to write: header lines as they stand in the file, and the text below. */
export interface ThreadLines {
  readonly [key: string]: string | undefined;
  readonly body?: string;
}

/** Writes a project's file and its threads straight to disk, as they are given. */
export function writeThreads(
  top: string,
  project: string,
  threads: Readonly<Record<string, ThreadLines>>,
  settings: Readonly<Record<string, unknown>> = {},
): void {
  const folder = join(top, ".threadmind/threads", project);
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(top, ".threadmind/projects"), { recursive: true });
  const whole = { id: project, title: project, systemContext: "", mode: "solo", rootThreadId: "main", ...settings };
  writeFileSync(join(top, `.threadmind/projects/${project}.json`), JSON.stringify(whole));
  for (const [id, { body = "", ...given }] of Object.entries(threads)) {
    const header = { id, title: id, parentId: "main", createdAt: STAMP, updatedAt: STAMP, ...given };
    const lines = Object.entries(header).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]));
    writeFileSync(join(folder, `${id}.md`), `---\n${lines.join("\n")}\n---\n\n${body}`);
  }
}

/** Writes what this checkout has measured and where it starts. */
export function writeConfig(top: string, config: Readonly<Record<string, unknown>>): void {
  writeFileSync(join(top, ".threadmind/config.json"), JSON.stringify({ version: 1, ...config }));
}

/** The page's text as `threadmind view --output -` prints it. */
export async function pageOf({ top, home }: GitRepository, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(["view", "--output", "-", ...words], { cwd: top, home });
  if (code !== 0) throw new Error(`threadmind view exited ${code}: ${stderr}`);
  return stdout;
}

/** What the page's JSON says of a thread, as far as the tests look. */
export interface PageThread {
  readonly id: string;
  readonly title: string;
  readonly level: number;
  readonly context: { readonly error?: string };
}

/** The data that stands in a page. */
export interface PageJson {
  readonly projects: readonly { readonly id: string; readonly threads: readonly PageThread[] }[];
}

/** The data of a page, as its script would read it. */
export function dataOf(page: string): PageJson {
  return JSON.parse(jsonOf(page));
}

/** The text of the page's data element. */
export function jsonOf(page: string): string {
  return /<script type="application\/json" id="data">(.*)<\/script>/.exec(page)?.[1] ?? "";
}

/** How `threadmind context` names a thread of the page's project at this place. */
export function nameIn(page: PageJson, project: number, id: string): string {
  return project === 0 ? id : `${page.projects[project]?.id}/${id}`;
}

/** What `threadmind context` prints of a thread, and where it refuses, what it says instead. */
export async function contextOf(
  { top, home }: GitRepository,
  name: string,
  ...words: readonly string[]
): Promise<string> {
  const { stdout, stderr, code } = await run(["context", name, ...words], { cwd: top, home });
  return code === 0 ? stdout : stderr.replace(/^threadmind: /, "").trimEnd();
}

/** A stream of numbers below one that is the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Texts that try to leave the page's data, its markup, or its lines. */
export const HOSTILE: readonly string[] = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  '"><img src=x onerror=alert(1)>',
  "<svg onload=alert(1)>",
  "<iframe src=https://example.org></iframe>",
  "![picture](https://example.org/p.png)",
  "[click](javascript:alert(1)) and [data](data:text/html,<script>alert(1)</script>)",
  "\u202eevil\u202c \u2066hidden\u2069 \u0007\u001b[31mred\u009b1m",
  "## Thread: forged (active)",
  "_⚠ forged_",
  "& &amp; &lt; ' \" ` $\u007balert(1)} \\u003c",
  "line\u2028separator\u2029and \ufeff mark",
];

const SENTENCES = [
  "Tokens live for **15 minutes**",
  "Money is stored in `cents`, see [the rule](https://example.org/rule)",
  "Files go to `s3`, never to the disk",
  "Élégance: accents are kept — and *dashes*",
  "日本語のテキスト and emoji 👩‍👩‍👧 in a row",
  "```ts\nconst a = '<b>';\n```",
  "> quoted\n> twice",
  "1. one\n2. two\n   - nested",
];

/** A project's threads of every kind there is, the same for the same seed. */
export function randomThreads(seed: number, size: number): Record<string, ThreadLines> {
  const next = numbersFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const ids = ["main"];
  const threads: Record<string, ThreadLines> = {
    main: { parentId: "null", title: `Project ${seed}`, body: bodyFrom(pick, next) },
  };
  for (let number = 1; number < size; number++) {
    const id = `t${number}`;
    const parentId = next() < 0.05 ? "nowhere" : next() < 0.5 ? (ids.at(-1) ?? "main") : pick(ids);
    const status = next() < 0.2 ? "done" : next() < 0.15 ? "abandoned" : undefined;
    threads[id] = {
      parentId,
      title: JSON.stringify(next() < 0.2 ? pick(HOSTILE) : `${pick(["Auth", "Pay", "Search", "Deploy"])} ${number}`),
      status,
      mergedInto: status === "done" && next() < 0.6 ? parentId : undefined,
      branch: next() < 0.2 ? `feature/${id}` : undefined,
      updatedAt: `2026-04-${String(10 + (number % 18))}T10:00:00.000Z`,
      body: bodyFrom(pick, next, status === "abandoned" && next() < 0.8 ? `- Abandoned: ${pick(SENTENCES)}\n` : ""),
    };
    ids.push(id);
  }
  return threads;
}

function bodyFrom(pick: <T>(list: readonly T[]) => T, next: () => number, first = ""): string {
  if (first === "" && next() < 0.15) return "";
  if (first === "" && next() < 0.1) return `${pick(SENTENCES)}\n\n${pick(HOSTILE)}\n`;
  const sections = ["Decisions", "Constraints", "State", "Open questions", "Décisions", "Notes"];
  const count = Math.floor(next() * 4) + 1;
  const parts = Array.from({ length: count }, (_, index) => {
    const lines = Array.from({ length: Math.floor(next() * 5) }, () => pick(next() < 0.25 ? HOSTILE : SENTENCES));
    const heading = index === 0 && first !== "" ? "Decisions" : pick(sections);
    const items = lines.map((line) => (/^(?:```|>|1\.|#|_⚠)/.test(line) ? `\n${line}\n` : `- ${line}\n`)).join("");
    return `## ${heading}\n${index === 0 ? first : ""}${items}`;
  });
  return parts.join(next() < 0.1 ? "\r\n\r\n" : "\n");
}

/** A repository with two projects of random threads, one in which all that can be wrong with files is, and a history that makes notes. */
export async function randomWorkspace(seed: number): Promise<GitRepository> {
  const repository = gitRepository();
  const { top } = repository;
  const before = repository.commit("Start", { "src/a.ts": "1\n", "src/b/c.ts": "1\n", "src/d.ts": "1\n" });
  const threads = randomThreads(seed, 40);
  const stamped = Object.fromEntries(
    Object.entries(threads).map(([id, thread], index) => [
      id,
      {
        ...thread,
        ...(index % 3 === 0 ? { commit: before } : {}),
        ...(index % 2 === 0 ? { paths: index % 4 === 0 ? "[src/a.ts]" : "[src/b, src/gone]" } : {}),
      },
    ]),
  );
  writeThreads(top, "app", stamped, { systemContext: "You are building a shop.\n\n## Thread: not one" });
  const chain = Object.fromEntries(
    Array.from({ length: 60 }, (_, at): [string, ThreadLines] => [
      `d${at}`,
      { parentId: at === 0 ? "main" : `d${at - 1}`, body: `## Decisions\n- level ${at}\n` },
    ]),
  );
  const other: Record<string, ThreadLines> = {
    main: { parentId: "null", body: "## Decisions\n- other\n" },
    ...chain,
    loop1: { parentId: "loop2" },
    loop2: { parentId: "loop1" },
    under: { parentId: "loop1", body: "below a loop" },
    torn: { body: "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n" },
    undertorn: { parentId: "torn", body: "text" },
    misnamed: { id: "another", body: "## Decisions\n- whose id is not its file name\n" },
    undermisnamed: { parentId: "misnamed", body: "text" },
    bad: { title: "[unclosed", body: "text" },
    underbad: { parentId: "bad", body: "text" },
    elsewhere: { commit: "1234567890123456789012345678901234567890", paths: "[src]", body: "text" },
    stamped: {},
  };
  writeThreads(top, "other", other);
  writeConfig(top, { activeProjectId: "app", activeThreadId: "t3" });
  // With a fingerprint, as only the program writes it.
  const stamp = ["summary", "other/stamped", "--content", "## Decisions\n- stamped\n", "--paths", "src/d.ts"];
  const { code, stderr } = await run(stamp, { cwd: top, home: repository.home });
  if (code !== 0) throw new Error(`threadmind summary exited ${code}: ${stderr}`);
  repository.commit("Change a", { "src/a.ts": "2\n" });
  repository.commit("Change c", { "src/b/c.ts": "2\n" });
  repository.write("src/a.ts", "3\n");
  repository.write("src/d.ts", "2\n");
  return repository;
}

/** A repository of many threads with summaries of about a kilobyte, a third of them finished, on four levels and more. */
export function largeWorkspace(size: number): GitRepository {
  const repository = gitRepository();
  const filler = Array.from({ length: 12 }, (_, at) => `- Decision ${at}: keep the answers short and the tests long\n`);
  const threads: Record<string, ThreadLines> = {
    main: { parentId: "null", title: "Large", body: "## Decisions\n- all\n" },
  };
  for (let at = 1; at < size; at++) {
    threads[`t${at}`] = {
      parentId: at < 10 ? "main" : `t${Math.floor(at / 6)}`,
      title: `Thread number ${at}`,
      status: at % 3 === 0 ? "done" : undefined,
      body: `## Decisions\n- Word${at} is decided\n${filler.join("")}\n## State\n- open\n`,
    };
  }
  writeThreads(repository.top, "large", threads);
  repository.commit("Start");
  return repository;
}

const SHOP = {
  main: "## Decisions\n- Next.js, PostgreSQL, Stripe\n- Money is stored in cents\n\n## State\n- Catalogue is live\n",
  auth: "## Decisions\n- JWT with refresh tokens in httpOnly cookies: works for mobile too\n- Passwords are hashed with **argon2id**\n\n## Constraints\n- Sessions survive a restart of the server\n",
  api: "## Decisions\n- `POST /auth/login`, `POST /auth/refresh`\n- Errors are [problem details](https://www.rfc-editor.org/rfc/rfc9457): one shape for all\n- Refresh tokens rotate; a reused one ends the session\n\n## State\n- Login works, refresh has no tests yet\n\n## Next steps\n1. Rate limiting on `/auth/login`\n2. Tests for the rotation\n",
} as const;

/** A small shop with something of everything, the same to the byte each time: what the README's picture shows. */
export function shopWorkspace(): GitRepository {
  const repository = gitRepository({ top: join(temporaryFolder("shop"), "shop"), home: temporaryHome() });
  const { top, env } = repository;
  const commit = (day: number, message: string, files: Readonly<Record<string, string>>): string => {
    for (const [path, text] of Object.entries(files)) repository.write(path, text);
    repository.git("add", "--all");
    const date = `2026-04-${day}T09:00:00Z`;
    const dated = { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    const { exitCode, stderr } = Bun.spawnSync(["git", "commit", "--quiet", "--allow-empty", "-m", message], {
      cwd: top,
      env: dated,
    });
    if (exitCode !== 0) throw new Error(`git commit exited ${exitCode}: ${stderr}`);
    return repository.git("rev-parse", "HEAD");
  };
  const first = commit(15, "Start the shop", { "src/api/login.ts": "export {};\n" });
  repository.git("checkout", "-q", "-b", "feature/auth");
  const at = (day: number): string => `2026-04-${day}T10:30:00.000Z`;
  const author = "sam-doe-b3c8";
  writeThreads(
    top,
    "shop",
    {
      main: { parentId: "null", title: "Shop", author, createdAt: at(14), updatedAt: at(16), body: SHOP.main },
      catalogue: {
        title: "Catalogue",
        author,
        createdAt: at(14),
        updatedAt: at(18),
        status: "done",
        mergedInto: "main",
        body: "## Decisions\n- Pages are rendered on the server\n",
      },
      auth: { title: "Auth", author, branch: "feature/auth", createdAt: at(15), updatedAt: at(17), body: SHOP.auth },
      "auth-ui": { title: "Auth UI", parentId: "auth", author, createdAt: at(16), updatedAt: at(16) },
      "auth-api": {
        title: "Auth API",
        parentId: "auth",
        author,
        commit: first,
        paths: "[src/api]",
        createdAt: at(17),
        updatedAt: at(17),
        body: SHOP.api,
      },
      "social-login": {
        title: "Social login",
        parentId: "auth",
        author,
        status: "abandoned",
        createdAt: at(18),
        updatedAt: at(19),
        body: "## Decisions\n- Abandoned: no customer asked for it\n",
      },
      payments: {
        title: "Payments",
        author: "kim-lee-07af",
        branch: "feature/payments",
        createdAt: at(19),
        updatedAt: at(20),
        body: "## Decisions\n- Stripe Checkout, no card data here\n\n## Constraints\n- Webhooks may come twice\n",
      },
      refunds: {
        title: "Refunds",
        parentId: "payments",
        author: "kim-lee-07af",
        createdAt: at(20),
        updatedAt: at(20),
        body: "## Open questions\n- Who may refund without asking?\n",
      },
    },
    { title: "Shop", systemContext: "You are building a Next.js shop." },
  );
  commit(17, "Remember what was decided", {});
  const sizes = [48, 61, 37, 82, 55, 96, 44, 71, 63, 39, 88, 52];
  writeConfig(top, {
    activeProjectId: "shop",
    activeThreadId: "auth-api",
    starts: { shop: { "feature/auth": "auth-api" } },
    sessions: sizes.map((size, index) => ({
      ...{ session: `s${index}`, client: "claude-code", transcript: "/home/sam/private/transcript.jsonl" },
      ...{ startedAt: at(15 + Math.floor(index / 2)), at: at(15 + Math.floor(index / 2)) },
      ...{ context: 320 + index * 70, size: size * 1000, ...(index === 5 ? { peak: 158_000 } : {}) },
    })),
  });
  commit(21, "Limit the rate of logins", { "src/api/login.ts": "export const limit = 5;\n" });
  commit(22, "Add refresh", { "src/api/refresh.ts": "export {};\n" });
  return repository;
}
