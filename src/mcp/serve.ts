import process from "node:process";
import { firstAnswer, isInitialized, type ReceivedLine } from "./first_answers.ts";
import { openLines } from "./stdio.ts";

/** How the server is started. */
export interface ServeOptions {
  readonly root?: string | undefined;
  readonly directory?: string | undefined;
}

/** How long a client may be silent after its handshake before the rest is loaded anyway. */
const QUIET_MS = 100;

/**
 * Serves MCP on standard input and output until the client is gone. The first requests of every client are answered before
 * the SDK is loaded, which takes several times as long as all else at a start; then it takes over.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const lines = openLines();
  const received: ReceivedLine[] = [];
  const { promise: isNeeded, resolve: settle } = Promise.withResolvers<boolean>();
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let isTaken = false;
  const take = (isWanted: boolean): void => {
    clearTimeout(quiet);
    isTaken = true;
    settle(isWanted);
  };
  const receive = (line: string | undefined): void => {
    const answer = line === undefined || isTaken ? undefined : firstAnswer(line);
    received.push({ line, isAnswered: answer !== undefined });
    if (answer !== undefined) {
      lines.send(answer).catch(() => take(false));
      clearTimeout(quiet);
      quiet = setTimeout(() => take(true), QUIET_MS);
    } else if (line !== undefined && line.trim() !== "" && !isInitialized(line)) take(true);
  };
  const isUnanswered = ({ line, isAnswered }: ReceivedLine): boolean =>
    !isAnswered && line !== undefined && line.trim() !== "" && !isInitialized(line);
  lines.follow(receive, () => take(received.some(isUnanswered)));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => take(false));
  if (!(await isNeeded)) {
    await lines.flushed();
    process.exit(0);
  }
  const { serveWithSdk } = await import("./server.ts");
  await serveWithSdk(options, lines, received);
}
