import { dirname } from "node:path";
import { type Machine, openMachine } from "./machine.ts";
import { fileOfPackage, findPlatformPackage } from "./packages.ts";

const platform = findPlatformPackage("@anthropic-ai/claude-code");

/** Claude Code's program, if there is one for this machine: the package itself gets it by a script that bun passes over. */
export const CLAUDE =
  platform === undefined
    ? undefined
    : fileOfPackage(`${platform}/claude`, `${platform}-musl/claude`, `${platform}/claude.exe`);

/** The name that a tool of the plugin has in Claude Code. */
export function toolName(tool: string): string {
  return `${SERVER}__${tool}`;
}

const SERVER = "mcp__plugin_thread-mind_thread-mind";

/** Lets the model call ThreadMind's tools unasked. */
export const ALLOWED = ["--allowedTools", SERVER] as const;

/** A machine that has Claude Code, which talks to nobody but the stand-in for its model. */
export async function openClaudeMachine(): Promise<Machine> {
  const variables = (url: string) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    // It would ask its model without the tools of a server that a busy machine starts late, and end a slow hook.
    MCP_CONNECTION_NONBLOCKING: "0",
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "20000",
  });
  return await openMachine(variables, dirname(CLAUDE ?? ""));
}

/** One process of Claude Code that a person talks to. */
export interface Conversation {
  /** Says something, or types a command, and waits until Claude Code is done with it. */
  say(text: string): Promise<void>;
  /** everything that Claude Code has told so far, a message each */
  readonly told: readonly Told[];
  /** Leaves, and waits until Claude Code has ended. */
  leave(): Promise<void>;
  /** Ends Claude Code without giving it time for anything. */
  kill(): Promise<void>;
}

/** A message of Claude Code's stream. */
export interface Told {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly hook_name?: string;
  readonly outcome?: string;
  readonly output?: string;
  readonly compact_metadata?: { readonly post_tokens: number };
}

/** Starts Claude Code without a screen. */
export function openConversation({ repository, env }: Machine, ...options: readonly string[]): Conversation {
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const child = Bun.spawn([CLAUDE ?? "", "-p", ...stream, ...options], {
    ...{ cwd: repository.top, env, stdin: "pipe", stdout: "pipe", stderr: "pipe" },
    timeout: 55_000,
    killSignal: "SIGKILL",
  });
  const told: Told[] = [];
  const stderr = child.stderr.text();
  let done = Promise.withResolvers<void>();
  const readAll = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message: Told = JSON.parse(line);
        told.push(message);
        if (message.type === "result") done.resolve();
      }
    }
    done.reject(new Error(`Claude Code ended with ${await child.exited}: ${await stderr}`));
  };
  const reading = readAll();
  const finish = async (): Promise<void> => {
    done.promise.catch(() => undefined);
    await Promise.all([child.exited, reading]);
  };
  return {
    told,
    async say(text) {
      done = Promise.withResolvers();
      child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`);
      child.stdin.flush();
      await done.promise;
    },
    async leave() {
      await child.stdin.end();
      await finish();
      if (child.exitCode !== 0)
        throw new Error(`Claude Code ended with ${child.exitCode ?? child.signalCode}: ${await stderr}`);
    },
    async kill() {
      child.kill("SIGKILL");
      await finish();
    },
  };
}

/** The hooks that ran well, as Claude Code names them, each with what it printed. */
export function hooksIn(told: readonly Told[]): readonly (readonly [name: string, printed: string])[] {
  return told
    .filter(({ subtype, outcome }) => subtype === "hook_response" && outcome === "success")
    .map(({ hook_name = "", output = "" }) => [hook_name, output]);
}

/** The ids of the sessions that Claude Code told of, the oldest first. */
export function sessionsIn(told: readonly Told[]): readonly string[] {
  return [...new Set(told.flatMap(({ session_id }) => session_id ?? []))];
}
