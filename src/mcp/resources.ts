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
import { quote } from "../core/id.ts";
import { stripControls } from "../core/text_controls.ts";
import { parseDate } from "../core/thread_fields.ts";
import { type ErrorCode as Code, describeError, ThreadMindError } from "../errors.ts";
import type { Session } from "../io/session.ts";
import { watchPlace } from "../io/watch.ts";
import { openSubscriptions } from "./subscriptions.ts";

/** Runs an action after those before it, so that calls and reads never mix. */
export type InTurn = <T>(action: () => Promise<T>) => Promise<T>;

/** What the server tells its resources. */
export interface Resources {
  /** runs a call that may change something, then tells the client what it changed */
  around<T>(call: () => Promise<T>): Promise<T>;
}

const CONTEXT = "threadmind://context";
const TREE = "threadmind://tree";
const THREAD = "threadmind://thread/";
const MARKDOWN = "text/markdown";
const PAGE = 100;
const NOT_FOUND = -32002;
const ABSENCES: readonly Code[] = ["no-workspace", "no-project", "unknown-project", "unknown-thread", "ambiguous-id"];

/** The template of all threads' addresses. */
export const THREAD_TEMPLATE = `${THREAD}{id}`;

/** Answers `resources/…` requests, and tells the client of changes: by tools always, on disk while it subscribes to any. */
export function offerResources(server: Server, session: Session, inTurn: InTurn): Resources {
  const onlooker = lookOn(session);
  const states = {
    ofResource: (uri: string) => stateOf(onlooker, uri),
    ofList: async () => renderList(await listAll(session)),
  };
  const subscriptions = openSubscriptions(server, states, (onChange) =>
    watchPlace(
      () => session.place(),
      () => void inTurn(onChange),
    ),
  );

  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    inTurn(async () => {
      const all = await listAll(session);
      const from = parseCursor(params?.cursor, all.length);
      const next = from + PAGE < all.length ? { nextCursor: String(from + PAGE) } : {};
      subscriptions.hasListed(renderList(all));
      return { resources: all.slice(from, from + PAGE), ...next };
    }),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: THREAD_TEMPLATE,
        name: "thread",
        title: "Thread",
        description: "A thread's heading and whole summary",
        mimeType: MARKDOWN,
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    inTurn(async () => {
      const text = await asProtocolError(() => readResource(onlooker, uri));
      await subscriptions.hasRead(uri);
      return { contents: [{ uri, mimeType: uri === TREE ? "text/plain" : MARKDOWN, text }] };
    }),
  );
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) =>
    inTurn(async () => {
      await asProtocolError(() => readResource(onlooker, uri));
      await subscriptions.add(uri);
      return {};
    }),
  );
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) =>
    inTurn(async () => {
      subscriptions.remove(uri);
      return {};
    }),
  );
  return subscriptions;
}

/**
 * The same session for a client's own reading, which may be for the person's eyes alone: nothing counts as read by the
 * model or as said to it, and the session doesn't follow a checkout.
 */
function lookOn(session: Session): Session {
  const nothing = (): void => undefined;
  const seen = { ...session.seen, note: nothing, wrote: nothing, check: nothing };
  return { ...session, seen, scene: (request) => session.scene({ ...request, quiet: true }) };
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
    const threads = [...tree.threads.values()]
      .filter(({ fault }) => fault === undefined)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    return [
      ...fixed,
      ...threads.map(
        ({ id, title, updatedAt }): Resource => ({
          uri: `${THREAD}${encodeURIComponent(id)}`,
          name: id,
          title: stripControls(title),
          mimeType: MARKDOWN,
          ...modifiedAt(updatedAt),
        }),
      ),
    ];
  } catch (error) {
    if (error instanceof ThreadMindError) return fixed;
    throw error;
  }
}

/** Clients refuse a whole list for one date that isn't theirs, and people write dates by hand. */
function modifiedAt(updatedAt: string | undefined): Pick<Resource, "annotations"> {
  const time = updatedAt === undefined ? undefined : parseDate(updatedAt);
  return time === undefined ? {} : { annotations: { lastModified: new Date(time).toISOString() } };
}

function renderList(resources: readonly Resource[]): string {
  return resources.map(({ uri, title }) => `${uri} ${title}`).join("\n");
}

function parseCursor(cursor: string | undefined, length: number): number {
  const from = cursor === undefined ? 0 : /^\d+$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (from <= length) return from;
  throw protocolError(ErrorCode.InvalidParams, "The cursor is not one of this server's");
}

/** A resource's text, or why there is none. */
async function stateOf(onlooker: Session, uri: string): Promise<string> {
  try {
    return await readResource(onlooker, uri);
  } catch (error) {
    if (error instanceof ThreadMindError) return describeError(error);
    throw error;
  }
}

/** A resource's text; a thread's own doesn't say where the session goes. */
async function readResource(onlooker: Session, uri: string): Promise<string> {
  if (uri === CONTEXT) return (await contextGet.call(onlooker, {})).text;
  if (uri === TREE) return (await threadList.call(onlooker, {})).text;
  const scene: Session["scene"] = async (request) => ({ ...(await onlooker.scene(request)), notices: [] });
  return (await contextGet.call({ ...onlooker, scene }, { threadId: threadOf(uri), alone: true })).text;
}

/** The id in a thread's address: escapes are decoded once. */
function threadOf(uri: string): string {
  if (!uri.startsWith(THREAD)) throw noResource(uri, `The resources are ${CONTEXT}, ${TREE} and ${THREAD_TEMPLATE}.`);
  try {
    return decodeURIComponent(uri.slice(THREAD.length));
  } catch (error) {
    if (error instanceof URIError) throw noResource(uri, "Its percent escapes are broken.");
    throw error;
  }
}

function noResource(uri: string, hint: string): ThreadMindError {
  return new ThreadMindError(
    "unknown-thread",
    `Cannot find the resource ${quote(uri)}: there is no such resource.`,
    hint,
  );
}

/** What isn't there is told apart from what is there and can't be read; both with the sentence that says why. */
async function asProtocolError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ThreadMindError)) throw error;
    const code = ABSENCES.includes(error.code) ? NOT_FOUND : ErrorCode.InternalError;
    throw protocolError(code, describeError(error));
  }
}

function protocolError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}
