import { basename, join } from "node:path";
import process from "node:process";
import { COMMANDS } from "../commands/registry.ts";
import { ThreadMindError } from "../errors.ts";
import { makeFolder, makeTemporaryFolder, writePlain } from "../io/files.ts";
import { makeRepository } from "../io/git_process.ts";
import { openSession } from "../io/session.ts";

const FIRST_COMMIT = new Date("2026-04-15T09:00:00Z");

const SUMMARIES = {
  main: "## Decisions\n- Next.js, PostgreSQL, Stripe\n- Money is stored in cents\n\n## State\n- Catalogue is live\n",
  auth: "## Decisions\n- JWT with refresh tokens in httpOnly cookies: works for mobile too\n\n## Constraints\n- Sessions survive a restart of the server\n",
  "auth-api":
    "## Decisions\n- POST /auth/login, POST /auth/refresh\n\n## State\n- Login works, refresh has no tests yet\n\n## Next steps\n- Rate limiting on /auth/login\n",
} as const;

/**
 * Makes a throw-away git repository with branches, commits and a project of four threads, one of them stale; returns
 * its tree, its context, and the lines that connect a client to this program.
 */
export async function runDemo(): Promise<string> {
  const folder = makeTemporaryFolder("threadmind-demo-");
  const git = makeRepository(folder, FIRST_COMMIT);
  if (git === undefined) {
    throw new ThreadMindError(
      "storage",
      "Cannot make the demo's repository: git was not found.",
      "Install git, and run threadmind demo again.",
    );
  }
  const session = openSession({ whereabouts: { root: folder }, now: () => new Date() });
  const call = async (name: string, input: Record<string, unknown>): Promise<string> => {
    const command = COMMANDS.find((candidate) => candidate.name === name);
    return command === undefined ? "" : (await command.call(session, input)).text;
  };
  const write = (file: string, text: string): void => {
    makeFolder(join(folder, file, ".."));
    writePlain(join(folder, file), text);
  };
  const change = async (file: string, text: string, message: string): Promise<void> => {
    write(file, text);
    await git(["add", "-A"]);
    await git(["commit", "-q", "-m", message]);
  };
  await change("src/shop/catalogue.ts", "export const catalogue = [];\n", "Start the shop");
  await call("project_create", { title: "Shop", systemContext: "You are building a Next.js shop." });
  await call("summary_update", { content: SUMMARIES.main, paths: ["src/shop"] });
  await git(["add", "-A"]);
  await git(["commit", "-q", "-m", "Remember the first decisions"]);
  await git(["checkout", "-q", "-b", "feature/auth"]);
  await change("src/auth/login.ts", "export const login = () => undefined;\n", "Add login");
  await call("thread_create", { title: "Auth" });
  await call("summary_update", { content: SUMMARIES.auth, paths: ["src/auth"] });
  await call("thread_create", { title: "Auth UI" });
  await call("thread_create", { title: "Auth API", parentId: "auth" });
  write("src/api/login.ts", "export const post = () => undefined;\n");
  await call("summary_update", { content: SUMMARIES["auth-api"], paths: ["src/api"] });
  await git(["add", "-A"]);
  await git(["commit", "-q", "-m", "Add the endpoints, and remember what was decided"]);
  await change("src/api/refresh.ts", "export const refresh = () => undefined;\n", "Add refresh");
  await change("src/api/login.ts", "export const post = () => 429;\n", "Limit the rate of logins");
  const tree = await call("thread_list", {});
  const context = await call("context_get", {});
  return report(folder, tree, context);
}

function report(folder: string, tree: string, context: string): string {
  const program = basename(process.execPath).startsWith("threadmind") ? process.execPath : "threadmind";
  const quoted = /[^\w./:\\-]/.test(program) ? `'${program.replaceAll("'", "'\\''")}'` : program;
  const entry = { mcpServers: { "thread-mind": { command: program, args: ["serve"] } } };
  return [
    `A throw-away repository on the branch feature/auth: ${folder}`,
    "",
    "$ threadmind tree",
    tree,
    "",
    "$ threadmind context",
    context,
    "",
    "Connect a client to this program:",
    "",
    `  Claude Code   claude mcp add thread-mind -- ${quoted} serve`,
    `  Codex         codex mcp add thread-mind -- ${quoted} serve`,
    `  Gemini CLI    gemini mcp add thread-mind ${quoted} serve`,
    "  Others        in the client's MCP configuration:",
    ...JSON.stringify(entry, undefined, 2)
      .split("\n")
      .map((line) => `    ${line}`),
    "",
    `Look around: ${quoted} -C ${folder} tree`,
  ].join("\n");
}
