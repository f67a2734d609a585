import { PROGRAM, type Result, run } from "./binary.ts";
import { environment, type GitRepository, temporaryHome } from "./temp.ts";

/** What a client writes to its hook's standard input; without keys Claude Code's own. */
export type Payload = Readonly<Record<string, unknown>>;

/** How a hook is called: for the client with this process id, with these arguments more. */
export interface HookOptions {
  readonly pid?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Calls a hook as a client does, in the repository's top folder. */
export async function hook(
  { top }: Pick<GitRepository, "top">,
  event: string,
  payload: Payload | string,
  { pid = process.pid, args = [], env }: HookOptions = {},
): Promise<Result> {
  const stdin = typeof payload === "string" ? payload : JSON.stringify({ cwd: top, ...payload });
  return await run(["hook", event, ...args], { cwd: top, stdin, env: { CLAUDE_PID: String(pid), ...env } });
}

/** Calls the SessionStart hook and returns what the model gets. */
export async function start(
  repository: Pick<GitRepository, "top">,
  source: string,
  sessionId: string,
  options: HookOptions & { readonly transcript?: string } = {},
): Promise<string> {
  const payload = {
    hook_event_name: "SessionStart",
    session_id: sessionId,
    source,
    transcript_path: options.transcript,
  };
  const { stdout, stderr, code } = await hook(repository, "session-start", payload, options);
  if (code !== 0 || stderr !== "") throw new Error(`The hook failed with ${code}: ${stderr}`);
  return stdout;
}

/** Calls the SessionEnd hook. */
export async function end(
  repository: Pick<GitRepository, "top">,
  sessionId: string,
  transcript: string,
  options: HookOptions = {},
): Promise<void> {
  const payload = {
    hook_event_name: "SessionEnd",
    session_id: sessionId,
    reason: "other",
    transcript_path: transcript,
  };
  const { stdout, stderr, code } = await hook(repository, "session-end", payload, options);
  if (code !== 0 || stderr !== "" || stdout !== "") throw new Error(`The hook failed with ${code}: ${stdout}${stderr}`);
}

/** A hook whose standard input the client leaves open, with what was written to it. */
export function hookWithOpenInput({ top }: Pick<GitRepository, "top">, event: string, text: string) {
  const child = Bun.spawn([...PROGRAM, "hook", event], {
    cwd: top,
    env: environment(temporaryHome(), { CLAUDE_PID: String(process.pid) }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  child.stdin.write(text);
  child.stdin.flush();
  return child;
}

/** A process that lives as long as the test lets it, for its number. */
export function openProcess(): { readonly pid: number; end(): Promise<void> } {
  const child = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  return {
    pid: child.pid,
    async end() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** One answer of the model in a transcript of Claude Code, with a conversation of this size. */
export function usageRecord(size: number, id = "m1"): string {
  const usage = {
    input_tokens: 6,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: size - 106,
    output_tokens: 100,
  };
  return `${JSON.stringify({ type: "assistant", isSidechain: false, message: { id, model: "x", usage } })}\n`;
}
