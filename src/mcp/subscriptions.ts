import process from "node:process";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Watch } from "../io/watch.ts";

/** Texts that differ once a client that asks again would be told something else. */
export interface States {
  ofResource(uri: string): Promise<string>;
  ofList(): Promise<string>;
}

/** What a client subscribes to, and its being told of changes. */
export interface Subscriptions {
  add(uri: string): Promise<void>;
  remove(uri: string): void;
  /** the client has read a resource, or the list of them: it is told of later changes only */
  hasRead(uri: string): Promise<void>;
  hasListed(list: string): void;
  /** runs a call that may change something, then tells the client what it changed */
  around<T>(call: () => Promise<T>): Promise<T>;
}

/** Opens a client's subscriptions; `startWatching` calls back in turn when something on disk may have changed. */
export function openSubscriptions(
  server: Server,
  states: States,
  startWatching: (onChange: () => Promise<void>) => Watch,
): Subscriptions {
  const known = new Map<string, string>();
  let knownList: string | undefined;
  let watching: Watch | undefined;

  const tell = async (): Promise<void> => {
    try {
      for (const [uri, before] of known) {
        const now = await states.ofResource(uri);
        if (now === before) continue;
        known.set(uri, now);
        await server.sendResourceUpdated({ uri });
      }
      const list = await states.ofList();
      const isOther = list !== knownList;
      knownList = list;
      if (isOther) await server.sendResourceListChanged();
    } catch (error) {
      // What was done is done: that the client can't be told must not turn its answer into a failure.
      process.stderr.write(
        `threadmind: the client was not told of a change: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    }
  };

  return {
    async add(uri) {
      known.set(uri, await states.ofResource(uri));
      knownList ??= await states.ofList();
      watching ??= startWatching(tell);
    },
    remove(uri) {
      known.delete(uri);
      if (known.size > 0) return;
      watching?.end();
      watching = undefined;
    },
    async hasRead(uri) {
      if (known.has(uri)) known.set(uri, await states.ofResource(uri));
    },
    hasListed(list) {
      knownList = list;
    },
    async around(call) {
      knownList ??= await states.ofList();
      const answer = await call();
      watching?.renew();
      await tell();
      return answer;
    },
  };
}
