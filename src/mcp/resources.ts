import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  type Resource,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { contextGet } from "../commands/context_get.ts";
import { threadList } from "../commands/thread_list.ts";
import { stripControls } from "../core/text_controls.ts";
import { ThreadMindError } from "../errors.ts";
import type { Session } from "../io/session.ts";
import { watchPlace } from "../io/watch.ts";

/** Runs an action after those before it, so that calls and reads never mix. */
export type InTurn = <T>(action: () => Promise<T>) => Promise<T>;

/** What the server tells its resources. */
export interface Resources {
  /** a tool call that may have changed something is done */
  changed(): Promise<void>;
}

const CONTEXT = "threadmind://context";
const TREE = "threadmind://tree";
const THREAD = "threadmind://thread/";
const MARKDOWN = "text/markdown";
const PAGE = 100;
const NOT_FOUND = -32002;

/** The capability that goes with these handlers. */
export const RESOURCE_CAPABILITY = { subscribe: true, listChanged: true } as const;

/** Answers `resources/…` requests, and tells the client of changes: by tools always, on disk while it subscribes to any. */
export function offerResources(server: Server, session: Session, inTurn: InTurn): Resources {
  const seen = new Map<string, string>();
  let listed: string | undefined;
  let stopWatching: (() => void) | undefined;

  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    inTurn(async () => {
      const all = await listAll(session);
      listed = namesOf(all);
      const from = parseCursor(params?.cursor, all.length);
      const next = from + PAGE < all.length ? { nextCursor: String(from + PAGE) } : {};
      return { resources: all.slice(from, from + PAGE), ...next };
    }),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: `${THREAD}{id}`,
        name: "thread",
        title: "Thread",
        description: "A thread's heading and whole summary",
        mimeType: MARKDOWN,
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    inTurn(async () => ({ contents: [{ uri, mimeType: mimeTypeOf(uri), text: await readResource(session, uri) }] })),
  );

  const tell = async (): Promise<void> => {
    for (const [uri, before] of seen) {
      const now = await textOrNothing(session, uri);
      if (now === before) continue;
      seen.set(uri, now);
      await server.sendResourceUpdated({ uri });
    }
    const names = namesOf(await listAll(session));
    const isOther = listed !== undefined && listed !== names;
    listed = names;
    if (isOther) await server.sendResourceListChanged();
  };

  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) =>
    inTurn(async () => {
      seen.set(uri, await readResource(session, uri));
      listed ??= namesOf(await listAll(session));
      stopWatching ??= watchPlace(session.place(), () => void inTurn(tell).catch(() => undefined));
      return {};
    }),
  );
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    seen.delete(uri);
    if (seen.size > 0) return {};
    stopWatching?.();
    stopWatching = undefined;
    return {};
  });
  return { changed: tell };
}

async function listAll(session: Session): Promise<Resource[]> {
  const fixed: Resource[] = [
    {
      uri: CONTEXT,
      name: "context",
      title: "Context",
      description: "The active thread's context",
      mimeType: MARKDOWN,
      annotations: { audience: ["assistant"], priority: 1 },
    },
    {
      uri: TREE,
      name: "tree",
      title: "Thread tree",
      description: "All threads, with statuses and branches",
      mimeType: "text/plain",
      annotations: { audience: ["user", "assistant"], priority: 0.5 },
    },
  ];
  try {
    const { tree } = await session.scene({ quiet: true });
    const threads = [...tree.threads.values()].filter(({ fault }) => fault === undefined);
    return [
      ...fixed,
      ...threads.map(
        ({ id, title, updatedAt }): Resource => ({
          uri: `${THREAD}${encodeURIComponent(id)}`,
          name: id,
          title: stripControls(title),
          mimeType: MARKDOWN,
          ...(updatedAt === undefined ? {} : { annotations: { lastModified: updatedAt } }),
        }),
      ),
    ];
  } catch (error) {
    if (error instanceof ThreadMindError) return fixed;
    throw error;
  }
}

function namesOf(resources: readonly Resource[]): string {
  return resources.map(({ uri, title }) => `${uri} ${title}`).join("\n");
}

function parseCursor(cursor: string | undefined, length: number): number {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (Number.isInteger(from) && from >= 0 && from <= length) return from;
  throw protocolError(ErrorCode.InvalidParams, "The cursor is not one of this server's");
}

function mimeTypeOf(uri: string): string {
  return uri === TREE ? "text/plain" : MARKDOWN;
}

async function textOrNothing(session: Session, uri: string): Promise<string> {
  try {
    return await readResource(session, uri);
  } catch {
    return "";
  }
}

/** A resource's text. Throws the protocol's error for one that isn't there, with the sentence that says why. */
async function readResource(session: Session, uri: string): Promise<string> {
  const call =
    uri === CONTEXT
      ? contextGet.call(session, {})
      : uri === TREE
        ? threadList.call(session, {})
        : contextGet.call(session, { threadId: threadOf(uri), alone: true });
  try {
    return (await call).text;
  } catch (error) {
    if (error instanceof ThreadMindError) throw protocolError(NOT_FOUND, `${error.message} ${error.hint}`.trim());
    throw error;
  }
}

/** The id in a thread's address: escapes are decoded once. */
function threadOf(uri: string): string {
  if (!uri.startsWith(THREAD)) throw protocolError(NOT_FOUND, `There is no resource ${JSON.stringify(uri)}`);
  try {
    return decodeURIComponent(uri.slice(THREAD.length));
  } catch {
    throw protocolError(NOT_FOUND, `There is no resource ${JSON.stringify(uri)}: its escapes are broken`);
  }
}

function protocolError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}
