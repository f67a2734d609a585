import process from "node:process";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { RootsListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Session } from "../io/session.ts";
import { pathOfRoot } from "../io/workspace.ts";

const WAIT_MS = 2000;

/**
 * Keeps a session's workspace in step with the client's roots. The returned function waits, two seconds at most and
 * once, for the roots of a client that offers them.
 */
export function followRoots(server: Server, session: Session): () => Promise<void> {
  let known: Promise<void> = Promise.resolve();
  const ask = async (): Promise<void> => {
    if (server.getClientCapabilities()?.roots === undefined) return;
    try {
      const { roots } = await server.listRoots(undefined, { timeout: WAIT_MS });
      const paths = roots.flatMap(({ uri }) => pathOfRoot(uri, process.platform === "win32") ?? []);
      session.relocate(paths);
    } catch {
      // a client that declares roots and doesn't answer: the other rules find the workspace
    }
  };
  server.oninitialized = () => {
    known = ask();
  };
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    known = ask();
  });
  return () => known;
}
