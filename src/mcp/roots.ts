import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ResultSchema, RootsListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { quote } from "../core/id.ts";
import type { Session } from "../io/session.ts";
import { pathOfRoot } from "../io/workspace.ts";

const WAIT_MS = 2000;
const PATIENCE_MS = 60_000;

/**
 * Keeps a session's workspace in step with the client's roots. The returned function is to be called before each tool
 * call, for the workspace to change between two calls only; it waits for the roots of a client that offers them, two
 * seconds at most and once.
 */
export function followRoots(server: Server, session: Session): () => Promise<void> {
  let asked = 0;
  let isSilent = false;
  let known: Promise<void> = Promise.resolve();
  let news: readonly string[] | undefined;

  const ask = async (): Promise<void> => {
    const turn = ++asked;
    try {
      const { roots } = await server.request({ method: "roots/list" }, ResultSchema, { timeout: PATIENCE_MS });
      if (turn === asked) news = addressesIn(roots).flatMap((uri) => usableRoot(uri) ?? []);
    } catch {
      // a client that declares roots and doesn't answer: the other rules find the workspace
    }
  };
  const follow = (): void => {
    if (server.getClientCapabilities()?.roots === undefined) return;
    const answered = ask().then(() => false);
    known = Promise.race([answered, sleep(isSilent ? 0 : WAIT_MS, true)]).then((silent) => {
      isSilent = silent;
    });
  };
  server.oninitialized = follow;
  server.setNotificationHandler(RootsListChangedNotificationSchema, follow);
  return async () => {
    await known;
    if (news !== undefined) session.relocate(news);
    news = undefined;
  };
}

/** The SDK's own schema refuses all roots when one isn't a file's. */
function addressesIn(roots: unknown): string[] {
  if (!Array.isArray(roots)) return [];
  return roots.flatMap((root: { readonly uri?: unknown } | null) => (typeof root?.uri === "string" ? [root.uri] : []));
}

function usableRoot(uri: string): string | undefined {
  const path = pathOfRoot(uri, process.platform === "win32");
  if (path === undefined) {
    process.stderr.write(`threadmind: the client's root ${quote(uri)} is passed over: it names no folder here.\n`);
  }
  return path;
}
