import { type Answer, answerIn, DIALECTS, type Json } from "./model_dialects.ts";

/** What a client asked of a model. */
export interface ModelRequest {
  /** everything that the model would read or be told, a part a line */
  readonly text: string;
  /** the tokens that the answer said the conversation holds now: what was read, from a cache or not, and what was written */
  readonly size: number;
}

/** A stand-in for a vendor's service, on the loopback address. */
export interface ModelEndpoint {
  /** without a slash at the end */
  readonly url: string;
  /** what models were asked, the oldest first */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/**
 * Starts an endpoint that speaks for Claude, GPT and Gemini. Its model does what a person's message says: a message with a
 * line from `callOf()` gets that call of a tool, any other one gets text; so no order of requests has to be foreseen.
 */
export function openModelEndpoint(): ModelEndpoint {
  const requests: ModelRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const dialect = DIALECTS.find(({ path }) => path.test(pathname));
      if (request.method !== "POST" || dialect === undefined) return Response.json({ input_tokens: 1 });
      const body: Json = await request.json();
      const number = requests.length + 1;
      // Different at each answer, so that a number found later tells which answer it is from.
      const usage = { input: 100 + number, written: 20, cached: 1000 * number, output: 7 };
      const size = usage.input + usage.written + usage.cached + usage.output;
      requests.push({ text: textIn(body).join("\n"), size });
      const call = commandIn(dialect.lastWords(body));
      const answer: Answer = { number, usage, ...(call === undefined ? { text: `answer ${number}` } : { call }) };
      return answerIn(dialect, answer, body, pathname);
    },
  });
  return {
    url: server.url.href.replace(/\/$/, ""),
    requests,
    close: () => server.stop(true),
  };
}

/** A line that has the model call a tool; `namespace` is Codex's name of the server. */
export function callOf(tool: string, input: object = {}, namespace = ""): string {
  return `CALL ${JSON.stringify({ tool, input, namespace })} END`;
}

function commandIn(text: string): Answer["call"] {
  const json = /CALL (\{.*\}) END/.exec(text)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

/** Every string in a value, keys apart. */
function textIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textIn) : [];
}

/** How often a text occurs in another. */
export function countIn(text: string, part: string): number {
  return text.split(part).length - 1;
}
