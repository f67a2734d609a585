import { test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { COMPILED, PROGRAM, type Result, run, spawn } from "../support/binary.ts";
import { writeProject } from "../support/stored_project.ts";
import { environment, type GitRepository, gitRepository, type Variables } from "../support/temp.ts";
import { type ModelEndpoint, openModelEndpoint } from "./model_endpoint.ts";

/** A person's machine: a home, a repository whose thread auth is active, the program on PATH, and a model to talk to. */
export interface Machine {
  readonly repository: GitRepository;
  readonly endpoint: ModelEndpoint;
  readonly env: Record<string, string>;
  /** Runs a command in the repository and returns all that it printed; throws with that unless it ends well. */
  run(...command: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** How the threads' contexts begin, by thread id. */
export const HEADINGS = { auth: "## Thread: Auth (active)", pay: "## Thread: Payments (active)" } as const;

/** A decision of each thread that `openMachine()` writes. */
export const DECISIONS = {
  main: "Postgres holds everything",
  auth: "Tokens live for 15 minutes",
  pay: "Cents are integers",
} as const;

/** Why no client can be tried with the program under test; `undefined` if they can. */
const UNFIT =
  COMPILED && /^threadmind(?:\.exe)?$/.test(basename(PROGRAM[0] ?? ""))
    ? undefined
    : `the clients run "threadmind" from PATH, and the program under test is ${PROGRAM.join(" ")}`;

/** What a client's tests begin with: `test`, or `test.skip` and a word on why; `isThere`: it has a program for this machine. */
export function testsOf(client: string, isThere: boolean): typeof test {
  const reason = UNFIT ?? (isThere ? undefined : `it has no program for ${process.platform}-${process.arch}`);
  if (reason === undefined) return test;
  console.log(`SKIPPED: all tests of ${client}: ${reason}`);
  return test.skip as typeof test;
}

/** A fresh machine; `variables` are made from the address of its model, `folders` come first on PATH. */
export async function openMachine(
  variables: (url: string) => Variables,
  ...folders: readonly string[]
): Promise<Machine> {
  const repository = gitRepository();
  const { top, home } = repository;
  writeProject(top, {
    main: { title: "My App", parentId: null, body: `## Decisions\n- ${DECISIONS.main}\n` },
    auth: { title: "Auth", body: `## Decisions\n- ${DECISIONS.auth}\n` },
    pay: { title: "Payments", body: `## Decisions\n- ${DECISIONS.pay}\n` },
  });
  const endpoint = openModelEndpoint();
  const temporary = join(home, "tmp");
  mkdirSync(temporary);
  const path = [dirname(PROGRAM[0] ?? ""), ...folders, process.env.PATH ?? ""].join(delimiter);
  const env = environment(home, {
    PATH: path,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    ...variables(endpoint.url),
  });
  await run(["switch", "auth"], { cwd: top, home });
  return {
    repository,
    endpoint,
    env,
    async run(...command) {
      const result = await spawn(command, { cwd: top, env, timeoutMs: 50_000 });
      if (result.code !== 0) throw new Error(`${command.slice(0, 3).join(" ")} failed: ${describeResult(result)}`);
      return result.stdout + result.stderr;
    },
    close: () => endpoint.close(),
  };
}

function describeResult({ code, stdout, stderr }: Result): string {
  return `exit ${code}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`;
}

/** What ThreadMind has recorded of a client's session. */
export interface Measured {
  readonly session: string;
  readonly transcript?: string;
  readonly client?: string;
  readonly context?: number;
  readonly size?: number;
}

/** The sessions that the repository's config.json tells of. */
export function measuredIn({ repository }: Pick<Machine, "repository">): readonly Measured[] {
  const config: { sessions?: Measured[] } = JSON.parse(
    readFileSync(join(repository.top, ".threadmind/config.json"), "utf8"),
  );
  return config.sessions ?? [];
}

/** The line of `threadmind stats` on the sizes that sessions ended with. */
export function statsLine(sizes: readonly number[]): string {
  const average = Math.round(sizes.reduce((all, size) => all + size, 0) / sizes.length);
  const [mean, most] = [average, Math.max(...sizes)].map((size) => size.toLocaleString("en-US"));
  const sessions = `${sizes.length} session${sizes.length === 1 ? "" : "s"}`;
  return `Conversation size when sessions ended: ~${mean} tokens on average, ~${most} at most (${sessions})`;
}

/** The number of tokens that a context says of itself. */
export function tokensSaid(text: string): number {
  return Number(/_ThreadMind context: ~([\d,]+) tokens/.exec(text)?.[1]?.replaceAll(",", ""));
}
