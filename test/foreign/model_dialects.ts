/** A request's body. */
// biome-ignore lint/suspicious/noExplicitAny: three vendors' formats, of which the stand-in looks at a few members
export type Json = any;

/** What the model says: text, or one call of a tool. */
export interface Answer {
  readonly number: number;
  readonly usage: {
    readonly input: number;
    readonly written: number;
    readonly cached: number;
    readonly output: number;
  };
  readonly text?: string;
  readonly call?: { readonly tool: string; readonly input: object; readonly namespace: string } | undefined;
}

/** One vendor's way to ask a model. */
export interface Dialect {
  /** of the requests that a model answers */
  readonly path: RegExp;
  /** what a person said last; empty when a tool's result came after it */
  lastWords(body: Json): string;
  /** the whole answer at once, for a request that wants no stream */
  whole(answer: Answer, body: Json): object;
  /** the same as events */
  events(answer: Answer, body: Json): readonly Json[];
  /** whether events are named on a line of their own */
  readonly namesEvents: boolean;
  isStream(body: Json, path: string): boolean;
}

/** The response to a request in a dialect. */
export function answerIn(dialect: Dialect, answer: Answer, body: Json, path: string): Response {
  if (!dialect.isStream(body, path)) return Response.json(dialect.whole(answer, body));
  const events = dialect.events(answer, body).map((event) => {
    const name = dialect.namesEvents ? `event: ${event.type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
}

function wordsIn(content: Json, isText: (part: Json) => boolean): string {
  if (typeof content === "string") return content;
  return (content ?? []).every(isText) ? content.map((part: Json) => part.text).join("\n") : "";
}

const claude: Dialect = {
  path: /^\/v1\/messages$/,
  // Hooks' texts follow what the person said, as notes of the system.
  lastWords: ({ messages }) =>
    wordsIn(messages.findLast(({ role }: Json) => role === "user")?.content, ({ type }) => type === "text"),
  whole: ({ number, usage, text, call }, { model }) => ({
    ...{ id: `msg_${number}`, type: "message", role: "assistant", model },
    content: [
      call === undefined
        ? { type: "text", text }
        : { type: "tool_use", id: `toolu_${number}`, name: call.tool, input: call.input },
    ],
    stop_reason: call === undefined ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.written,
      cache_read_input_tokens: usage.cached,
      output_tokens: usage.output,
    },
  }),
  events(answer, body) {
    const message: Json = claude.whole(answer, body);
    const { stop_reason, stop_sequence, usage, content } = message;
    const [block] = content;
    const isText = block.type === "text";
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    return [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      {
        type: "content_block_start",
        index: 0,
        content_block: isText ? { ...block, text: "" } : { ...block, input: {} },
      },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
      { type: "message_stop" },
    ];
  },
  namesEvents: true,
  isStream: ({ stream }) => stream === true,
};

const codex: Dialect = {
  path: /^\/v1\/responses$/,
  lastWords({ input }) {
    const last = input.at(-1);
    return last.role === "user" ? wordsIn(last.content, ({ type }) => type === "input_text") : "";
  },
  whole: ({ number, usage, text, call }, { model }) => ({
    ...{ id: `resp_${number}`, object: "response", status: "completed", model },
    output: [
      call === undefined
        ? {
            ...{ type: "message", id: `msg_${number}`, role: "assistant", status: "completed" },
            content: [{ type: "output_text", text, annotations: [] }],
          }
        : {
            ...{ type: "function_call", id: `fc_${number}`, call_id: `call_${number}`, status: "completed" },
            ...{ namespace: call.namespace, name: call.tool, arguments: JSON.stringify(call.input) },
          },
    ],
    usage: {
      input_tokens: usage.input + usage.written + usage.cached,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.written + usage.cached + usage.output,
    },
  }),
  events(answer, body) {
    const response: Json = codex.whole(answer, body);
    const [item] = response.output;
    return [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
  },
  namesEvents: true,
  isStream: ({ stream }) => stream === true,
};

const gemini: Dialect = {
  path: /^\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent$/,
  lastWords({ contents }) {
    const last = contents.at(-1);
    return last.role === "user" ? wordsIn(last.parts, ({ text }) => typeof text === "string") : "";
  },
  whole: ({ usage, text, call }) => ({
    candidates: [
      {
        content: {
          role: "model",
          parts: [call === undefined ? { text } : { functionCall: { name: call.tool, args: call.input } }],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input + usage.written + usage.cached,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.written + usage.cached + usage.output,
    },
  }),
  events: (answer, body) => [gemini.whole(answer, body)],
  namesEvents: false,
  isStream: (_, path) => path.endsWith(":streamGenerateContent"),
};

/** The formats of the services whose clients are tried. */
export const DIALECTS: readonly Dialect[] = [claude, codex, gemini];
